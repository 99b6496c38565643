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
from itertools import islice
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
            "topic": self.topics[0].name_in(self.naming),
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
    context = _Context(kg, removed, topics, seed)
    answers: dict[tuple[str, str, str], tuple[EntityNames, ...]] = {}
    inputs: list[VerbalizationInput] = []
    for question in asked.questions:
        direction, topic = question.block.direction, question.topic
        key = topic, question.relations[0], direction
        if key not in answers:  # questions with the same key share one tuple
            answers[key] = tuple(names[a] for a in question.answers if a != topic)
        s, r, o = question.removed[0]
        hard = names[s if direction == DIRECTIONS[0] else o]
        triples = context.of(question) if topic in topics else ()
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


class _Context:
    """The triples that prompts may state about some topic entities."""

    def __init__(
        self, kg: KnowledgeGraph, removed: Ints, topics: Collection[str], seed: int
    ) -> None:
        self._kg = kg
        stated = kg.triples[:, 0] != kg.triples[:, 2]
        stated[removed] = False
        s, r, o = kg.triples.T.astype(np.int64)
        sides = []
        for end, other in ((s, o), (o, s)) if topics else ():
            keys = r * len(kg.entities) + other
            _, which, sizes = np.unique(keys, return_inverse=True, return_counts=True)
            sides.append((end, other, sizes[which] > DISTINCTIVE))
        self._candidates: dict[str, tuple[list[int], list[str]]] = {}
        for topic in topics:
            found = [np.flatnonzero(stated & (end == kg.entity_ids[topic])) for end, _, _ in sides]
            rows = np.concatenate(found)
            pairs = list(zip(sides, found, strict=True))
            others = np.concatenate([other[at] for (_, other, _), at in pairs])
            common = np.concatenate([many[at] for (_, _, many), at in pairs])
            order = stream(seed, "context", topic).permutation(len(rows))
            order = order[np.argsort(common[order], kind="stable")]
            names = [kg.entities[other] for other in others[order].tolist()]
            self._candidates[topic] = rows[order].tolist(), names

    def of(self, question: Question) -> list[Triple]:
        """Up to `MAX_CONTEXT` triples of the topic entity, distinctive ones first, without answers."""
        answers = set(question.answers)
        candidates = zip(*self._candidates[question.topic], strict=True)
        chosen = islice((row for row, other in candidates if other not in answers), MAX_CONTEXT)
        return self._kg.labeled(np.array([*chosen], np.int64))
