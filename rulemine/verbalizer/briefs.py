"""Briefs: for every question what prompts and checks need to know, names in the naming of the prompts.

The context tells namesakes apart: facts about the topic, in words, where its label alone is ambiguous. That
is only so in the naming ``text``, where the label of the topic is also the label of another entity of the
release (`rulemine.release.naming` made them unique by an id in parentheses, which tells a reader nothing). A
code or an id is never ambiguous.

Guarantees: context states facts of the incomplete graph alone, never a removed triple, and has none of the
question's answers at the other end; it depends on the topic, the seed and the answers, not on which other
questions there are.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Self

import numpy as np
import numpy.typing as npt

from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.llm.call import Failure
from rulemine.phrasing.glosses import Gloss, Glosses
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question
from rulemine.seeds import stream

__all__ = ["Brief", "TextProblem", "make_briefs", "namesakes"]

MOST_CONTEXT = 2
"""Facts that are told about an ambiguous topic at most."""

FEW = 20
"""A fact tells entities apart when it holds of no more than this many; such facts come first."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Brief:
    """A question to be put into words, and everything that prompts and checks need.

    Attributes:
        question: The question as the templates ask it; all names in it are source labels.
        naming: How prompts and texts name entities.
        topic: The topic's names.
        hard_answer: The hard answer's names.
        answers: The names of all answers but the topic, in the order of the question.
        removed: The removed triple, in the naming.
        gloss: What the relation means.
        context: Up to two other facts about the topic in words, in the naming; none names an answer.
    """

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
        """The topic's name in the naming of the prompt."""
        return self.topic.name_in(self.naming)

    @property
    def asked(self) -> str:
        """What the question asks for, in the words of the gloss, e.g. ``the aunts of 72``."""
        return self.gloss.asked(self.question.direction, self.topic_name)


@dataclass(frozen=True, slots=True)
class TextProblem:
    """Why a text or a reply is not good enough.

    Attributes:
        code: One of `rulemine.verbalizer.checks.CODES`.
        detail: What exactly was found; told to the model, never written to a release.
    """

    code: str
    detail: str = ""

    @classmethod
    def of(cls, failure: Failure) -> Self:
        """Why a call has no reply."""
        code = "refused_by_endpoint" if failure.code == "refused" else failure.code
        return cls(code, failure.detail)


def make_briefs(
    asked: QuestionSet,
    kg: KnowledgeGraph,
    removed: Ints,
    glosses: Glosses,
    naming: str,
    seed: int,
) -> list[Brief]:
    """The briefs of all questions.

    Args:
        asked: The questions, with source labels, and the names of all entities.
        kg: The complete KG.
        removed: The removed triples, rows of ``kg.triples``.
        glosses: What the relations mean.
        naming: How prompts name entities, see `rulemine.release.records.NAMINGS`.
        seed: Draws the context.

    Returns:
        In the order of ``asked.questions``.
    """
    names = {row.entity: row for row in asked.names}
    plain = {row.entity: row.name_in(naming) for row in asked.names}
    ambiguous = namesakes(asked.names) if naming == "text" else frozenset()
    topics = {question.topic for question in asked.questions} & ambiguous
    facts = _Facts(kg, removed, topics, seed)
    answers: dict[tuple[str, str, str], tuple[EntityNames, ...]] = {}
    briefs: list[Brief] = []
    for question in asked.questions:
        key = question.topic, question.relation, question.direction
        if key not in answers:  # the questions of a key share one tuple
            told = (names[answer] for answer in question.answers if answer != question.topic)
            answers[key] = tuple(told)
        s, r, o = question.removed
        context = facts.about(question) if question.topic in topics else ()
        briefs.append(
            Brief(
                question=question,
                naming=naming,
                topic=names[question.topic],
                hard_answer=names[question.hard_answer],
                answers=answers[key],
                removed=(plain[s], r, plain[o]),
                gloss=glosses[r],
                context=tuple(glosses[r].state(plain[s], plain[o]) for s, r, o in context),
            )
        )
    return briefs


def namesakes(names: Iterable[EntityNames]) -> frozenset[str]:
    """The entities whose label is also the label of another one."""
    labels: dict[str, list[str]] = {}
    for row in names:
        label, mark = row.text, f" ({row.entity})"
        while label.endswith(mark):
            label = label.removesuffix(mark)
        if label != row.text:
            labels.setdefault(label, []).append(row.entity)
    return frozenset(entity for some in labels.values() if len(some) > 1 for entity in some)


class _Facts:
    """The facts about some topics that a model may be told."""

    def __init__(
        self, kg: KnowledgeGraph, removed: Ints, topics: Collection[str], seed: int
    ) -> None:
        self._kg = kg
        stated = kg.triples[:, 0] != kg.triples[:, 2]
        stated[removed] = False
        s, r, o = kg.triples.T.astype(np.int64)
        sides = []
        for end, other in ((s, o), (o, s)) if topics else ():
            facts = r * len(kg.entities) + other
            _, which, sizes = np.unique(facts, return_inverse=True, return_counts=True)
            sides.append((end, other, sizes[which] > FEW))
        self._told: dict[str, tuple[list[int], list[str]]] = {}
        for topic in topics:
            found = [np.flatnonzero(stated & (end == kg.entity_ids[topic])) for end, _, _ in sides]
            rows = np.concatenate(found)
            pairs = list(zip(sides, found, strict=True))
            others = np.concatenate([other[at] for (_, other, _), at in pairs])
            common = np.concatenate([many[at] for (_, _, many), at in pairs])
            order = stream(seed, "context", topic).permutation(len(rows))
            order = order[np.argsort(common[order], kind="stable")]
            names = [kg.entities[other] for other in others[order].tolist()]
            self._told[topic] = rows[order].tolist(), names

    def about(self, question: Question) -> list[Triple]:
        """Up to `MOST_CONTEXT` facts about the topic that give no answer away."""
        answers = set(question.answers)
        told = zip(*self._told[question.topic], strict=True)
        chosen = islice((row for row, other in told if other not in answers), MOST_CONTEXT)
        return self._kg.labelled(np.array([*chosen], np.int64))
