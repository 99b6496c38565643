"""Verbalization inputs of structure questions: what prompts and checks need to know about each.

Prompts have the triples of the full evidence, which holds for every answer each triple that it needs; they
are no more than `structures.max_evidence` of the recipe.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.kg.entity_names import EntityNames
from rulemine.phrasing.glosses import Gloss, Glosses
from rulemine.phrasing.templates import Templates
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question
from rulemine.verbalizer.checks import QuestionInput
from rulemine.verbalizer.inputs import shown_questions

__all__ = ["StructureInput", "make_structure_inputs"]


@dataclass(frozen=True, slots=True)
class StructureInput(QuestionInput):
    """A question over several links to verbalize; who is hidden are its answers and its intermediates.

    Attributes:
        named: The question in the naming of the prompts.
        glosses: The descriptions of its relations and those of its triples, sorted by relation.
    """

    prefix: ClassVar[str] = "structure_"
    always_judged: ClassVar[bool] = True

    named: Question
    glosses: tuple[Gloss, ...]

    def shown(self) -> dict[str, Any]:
        """See `QuestionInput`; lists are JSON."""
        question, ((_, answers), (_, intermediates)) = self.question, self.hidden
        given = set(question.answers) - set(question.further)  # the triples give no further ones
        lists = {
            "triples": self.named.full_evidence,
            "anchors": self.named.anchors,
            "answers": self._names([row for row in answers if row.entity in given]),
            "intermediates": self._names(intermediates),
        }
        texts = {key: json.dumps(value, ensure_ascii=False) for key, value in lists.items()}
        rows = [{"relation": g.relation, "statement": g.state("S", "O")} for g in self.glosses]
        return {"structure": question.structure, **texts, "relations": rows}

    def _names(self, rows: Sequence[EntityNames]) -> list[str]:
        return sorted(row.name_in(self.naming) for row in rows)


def make_structure_inputs(
    asked: QuestionSet, glosses: Glosses, templates: Templates, naming: str
) -> list[StructureInput]:
    """Makes the verbalization inputs of all questions.

    Args:
        asked: The questions, with source labels, and the names of all entities.
        glosses: The relation descriptions.
        templates: The templates of all relations.
        naming: How prompts name entities, see `rulemine.kg.entity_names.NAMINGS`.

    Returns:
        One input per question, in the order of ``asked.questions``.
    """
    names = {row.entity: row for row in asked.names}
    shown = shown_questions(asked, templates, naming)
    # The triples may state the same facts by other relations than the question.
    used = [
        sorted({*question.relations, *(relation for _, relation, _ in question.full_evidence)})
        for question in asked.questions
    ]
    return [
        StructureInput(
            question,
            naming,
            topics,
            (
                ("answer_named", tuple(names[e] for e in question.answers)),
                ("intermediate_named", tuple(names[e] for e in question.intermediates)),
            ),
            named.question,
            named,
            tuple(glosses[relation] for relation in relations),
        )
        for question, (named, topics), relations in zip(asked.questions, shown, used, strict=True)
    ]
