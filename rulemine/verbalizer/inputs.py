"""What prompts and checks need to know about questions.

Context distinguishes homonyms: other triples of the topic entity, in words, where its label alone is
ambiguous. That happens only in the naming ``text``, where another entity of the release has the same label
(`rulemine.release.naming` makes labels unique by an id in parentheses, which means nothing to a reader).
Codes and ids are never ambiguous.

Guarantees: context states triples of the incomplete graph only, never a removed one, and none that has an
answer of the question at its other end; it depends on the topic entity, the seed and the answers, not on
which other questions there are.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph, Triple
from rulemine.phrasing.glosses import Gloss, Glosses
from rulemine.phrasing.templates import Templates
from rulemine.release.naming import Namer
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, topic_values
from rulemine.seeds import stream
from rulemine.text.mentions import cut, find_mentions
from rulemine.text.template import escape
from rulemine.verbalizer.checks import QuestionInput

__all__ = ["VerbalizationInput", "find_homonyms", "make_inputs", "shown_questions"]

MAX_CONTEXT = 2
"""Most triples that a prompt states about an ambiguous topic entity."""

DISTINCTIVE = 20
"""A triple is distinctive when its relation and other end hold for at most this many entities."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class VerbalizationInput(QuestionInput):
    """A question of the kind ``rules`` to verbalize.

    Attributes:
        removed: The removed triple, in the naming.
        gloss: The relation description.
        context: Up to two other triples of the topic entity in words, in the naming; none names an answer.
    """

    removed: Triple
    gloss: Gloss
    context: tuple[str, ...]

    @property
    def template(self) -> str:
        """See `QuestionInput`."""
        text = self.question.question
        return "{topic}".join(map(escape, cut(text, find_mentions(text, self.question.topic))))

    def shown(self) -> dict[str, Any]:
        """See `QuestionInput`."""
        subject, relation, object_ = self.removed
        return {
            "subject": subject,
            "relation": relation,
            "object": object_,
            "topic": self.names[0],
            "answer": subject if self.question.block.direction == DIRECTIONS[0] else object_,
            "meaning": self.gloss.state(subject, object_),
            "context": [{"fact": triple} for triple in self.context],
        }


def make_inputs(
    asked: QuestionSet,
    kg: KnowledgeGraph,
    removed: Ints,
    glosses: Glosses,
    naming: str,
    seed: int,
) -> list[VerbalizationInput]:
    """Makes the verbalization inputs of all questions.

    Args:
        asked: The questions, with source labels, and the names of all entities.
        kg: The complete KG.
        removed: The removed triples, rows of ``kg.triples``.
        glosses: The relation descriptions.
        naming: How prompts name entities, see `rulemine.release.records.NAMINGS`.
        seed: Draws the context.

    Returns:
        One input per question, in the order of ``asked.questions``.
    """
    names = {row.entity: row for row in asked.names}
    plain = {row.entity: row.name_in(naming) for row in asked.names}
    ambiguous = find_homonyms(asked.names) if naming == "text" else frozenset()
    topics = {question.topic for question in asked.questions} & ambiguous
    stated = _stated_of(kg, removed, topics, seed)
    answers: dict[tuple[str, str, str], tuple[EntityNames, ...]] = {}
    inputs: list[VerbalizationInput] = []
    for question in asked.questions:
        direction, topic = question.block.direction, question.topic
        key = topic, question.relations[0], direction
        if key not in answers:  # questions with the same key share one tuple
            answers[key] = tuple(names[a] for a in question.answers if a != topic)
        s, r, o = question.removed[0]
        hard = names[s if direction == DIRECTIONS[0] else o]
        given = {*question.answers}
        rows = [row for row, other in stated.get(topic, ()) if other not in given][:MAX_CONTEXT]
        triples = kg.labeled(np.array(rows, np.int64))
        inputs.append(
            VerbalizationInput(
                question=question,
                naming=naming,
                topics=(names[topic],),
                hidden=(("answer_named", answers[key]), ("answer_named", (hard,))),
                asked=glosses[r].asked(direction, plain[topic]),
                removed=(plain[s], r, plain[o]),
                gloss=glosses[r],
                context=tuple(glosses[r].state(plain[s], plain[o]) for s, r, o in triples),
            )
        )
    return inputs


def shown_questions(
    asked: QuestionSet, templates: Templates, naming: str
) -> Iterator[tuple[Question, tuple[EntityNames, ...]]]:
    """Each question in the naming of the prompts, and its topic entities."""
    names = {row.entity: row for row in asked.names}
    private = {row.entity: row.private for row in asked.names}
    namer = Namer(asked.names, templates, naming)
    for question in asked.questions:
        topics = tuple(names[e] for e in topic_values(question.anchors, private).values())
        yield namer.question(question), topics


def find_homonyms(names: Iterable[EntityNames]) -> frozenset[str]:
    """Finds the entities whose label is also the label of another one."""
    labels: dict[str, list[str]] = {}
    for row in names:
        label, mark = row.text, f" ({row.entity})"
        while label.endswith(mark):
            label = label.removesuffix(mark)
        if label != row.text:
            labels.setdefault(label, []).append(row.entity)
    return frozenset(entity for some in labels.values() if len(some) > 1 for entity in some)


def _stated_of(
    kg: KnowledgeGraph, removed: Ints, topics: Collection[str], seed: int
) -> dict[str, list[tuple[int, str]]]:
    """Topic entity → row and other end of each triple that may be stated of it, distinctive ones first."""
    if not topics:
        return {}
    s, r, o = kg.triples.T.astype(np.int64)
    stated = s != o
    stated[removed] = False
    ends, others = np.concatenate([s, o]), np.concatenate([o, s])
    keys = np.concatenate([2 * r, 2 * r + 1]) * len(kg.entities) + others
    _, which, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    found: dict[str, list[tuple[int, str]]] = {}
    for topic in topics:
        at = np.flatnonzero(np.tile(stated, 2) & (ends == kg.entity_ids[topic]))
        order = stream(seed, "context", topic).permutation(len(at))
        at = at[order[np.argsort((sizes[which[at]] > DISTINCTIVE)[order], kind="stable")]]
        names = [kg.entities[other] for other in others[at].tolist()]
        found[topic] = list(zip((at % len(s)).tolist(), names, strict=True))
    return found
