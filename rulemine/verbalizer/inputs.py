"""Verbalization inputs: what prompts and checks need to know about each question.

Context distinguishes homonyms: other triples of the topic entity, in words, where its label alone is
ambiguous. That happens only in the naming ``text``, where another entity of the release has the same label
(`rulemine.release.naming` makes labels unique by an id in parentheses, which means nothing to a reader).
Codes and ids are never ambiguous.

Guarantees: context states triples of the incomplete graph only, never a removed one, and none that has an
answer of the question at its other end; it depends on the topic entity, the seed and the answers, not on
which other questions there are.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph, Triple
from rulemine.kinds.registry import kind_named
from rulemine.phrasing.glosses import Gloss, Glosses
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question
from rulemine.seeds import stream
from rulemine.text.mentions import cut, find_mentions
from rulemine.text.template import escape

__all__ = [
    "CheckedQuestion", "QuestionInput", "VerbalizationInput", "asks_for_entities", "find_homonyms",
    "make_inputs", "placeholders",
]  # fmt: skip

MAX_CONTEXT = 2
"""Most triples that a prompt states about an ambiguous topic entity."""

DISTINCTIVE = 20
"""A triple is distinctive when its relation and other end hold for at most this many entities."""

Ints = npt.NDArray[np.int64]


class CheckedQuestion(Protocol):
    """A question of any kind: what the checks of its text need to know."""

    @property
    def question(self) -> Question:
        """The question; all names in it are source labels."""

    @property
    def naming(self) -> str:
        """How prompts and texts name entities."""

    @property
    def topics(self) -> tuple[EntityNames, ...]:
        """The topic entities, in the order of their private ids."""

    @property
    def hidden(self) -> tuple[tuple[str, tuple[EntityNames, ...]], ...]:
        """Who must not be named, by the code of that problem."""

    @property
    def asked(self) -> str:
        """What it asks for, in the words of templates and the naming of the prompts; empty: not shown."""


class QuestionInput(CheckedQuestion, Protocol):
    """A question to verbalize, with the text of its template: what a dialogue needs to know."""

    @property
    def prefix(self) -> str:
        """What the purposes of calls about such questions begin with."""

    @property
    def always_judged(self) -> bool:
        """Whether a judge sees every text, and may propose another one."""

    @property
    def template(self) -> str:
        """The pattern of the text from templates, in which names may stand as they are."""

    def values(self) -> Mapping[str, str]:
        """What prompts say of it: placeholder → value."""

    def blocks(self) -> Mapping[str, Sequence[Mapping[str, str]]]:
        """The same for placeholders that stand for lines: placeholder → the values of each line."""


def asks_for_entities(item: CheckedQuestion) -> bool:
    """Whether a question asks for entities, rather than for rows of values."""
    return kind_named(item.question.kind).answers.form == "entities"


def placeholders(topics: int) -> tuple[str, ...]:
    """The placeholders of patterns with so many topic entities, see `Question.patterns`.

    Example:
        >>> placeholders(1), placeholders(2)
        (('topic',), ('topic1', 'topic2'))
    """
    return ("topic",) if topics == 1 else tuple(f"topic{n}" for n in range(1, topics + 1))


@dataclass(frozen=True, slots=True)
class VerbalizationInput:
    """A question of the kind ``rules`` to verbalize, see `QuestionInput`.

    Attributes:
        question: The question from its template; all names in it are source labels.
        naming: How prompts and texts name entities.
        topic: The names of the topic entity.
        hard_answer: The names of the hard answer.
        answers: The names of all answers but the topic entity, in the order of the question.
        removed: The removed triple, in the naming.
        gloss: The relation description.
        context: Up to two other triples of the topic entity in words, in the naming; none names an answer.
    """

    prefix: ClassVar[str] = ""
    always_judged: ClassVar[bool] = False

    question: Question
    naming: str
    topic: EntityNames
    hard_answer: EntityNames
    answers: tuple[EntityNames, ...]
    removed: Triple
    gloss: Gloss
    context: tuple[str, ...]

    @property
    def topic_name(self) -> str:
        """The name of the topic entity in the naming of the prompt."""
        return self.topic.name_in(self.naming)

    @property
    def asked(self) -> str:
        """What the question asks for, as the relation description says it, e.g. ``the aunts of 72``."""
        return self.gloss.asked(self.question.block.direction, self.topic_name)

    @property
    def topics(self) -> tuple[EntityNames, ...]:
        """See `QuestionInput`."""
        return (self.topic,)

    @property
    def hidden(self) -> tuple[tuple[str, tuple[EntityNames, ...]], ...]:
        """See `QuestionInput`."""
        return (("answer_named", (*self.answers, self.hard_answer)),)

    @property
    def template(self) -> str:
        """See `QuestionInput`."""
        text = self.question.question
        return "{topic}".join(map(escape, cut(text, find_mentions(text, self.question.topic))))

    def values(self) -> dict[str, str]:
        """See `QuestionInput`."""
        subject, relation, object_ = self.removed
        return {
            "subject": subject,
            "relation": relation,
            "object": object_,
            "topic": self.topic_name,
            "answer": self.hard_answer.name_in(self.naming),
            "meaning": self.gloss.state(subject, object_),
            "asked": self.asked,
        }

    def blocks(self) -> dict[str, list[dict[str, str]]]:
        """See `QuestionInput`."""
        return {"context": [{"fact": triple} for triple in self.context]}


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
        direction = question.block.direction
        key = question.topic, question.relations[0], direction
        if key not in answers:  # questions with the same key share one tuple
            answers[key] = tuple(names[a] for a in question.answers if a != question.topic)
        s, r, o = question.removed[0]
        triples = context.of(question) if question.topic in topics else ()
        inputs.append(
            VerbalizationInput(
                question=question,
                naming=naming,
                topic=names[question.topic],
                hard_answer=names[s if direction == DIRECTIONS[0] else o],
                answers=answers[key],
                removed=(plain[s], r, plain[o]),
                gloss=glosses[r],
                context=tuple(glosses[r].state(plain[s], plain[o]) for s, r, o in triples),
            )
        )
    return inputs


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
