"""Briefs: for every question what prompts and checks need to know, names in the naming of the prompts.

The context tells namesakes apart: facts about the topic, in words, where its label alone is ambiguous. That
is only so in the naming ``text``, where the label of the topic is also the label of another entity of the
release (`rulemine.release.naming` made them unique by an id in parentheses, which tells a reader nothing). A
code or an id is never ambiguous.

Guarantees: context states facts of the incomplete graph alone, never a removed triple, and has none of the
question's answers at the other end; it depends on the topic, the seed and the answers, not on which other
questions there are.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.glosses import Glosses
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question
from rulemine.seeds import stream
from rulemine.verbalizer.brief import Brief

__all__ = ["MOST_CONTEXT", "make_briefs", "namesakes"]

MOST_CONTEXT = 2
"""Facts that are told about an ambiguous topic at most."""

FEW = 20
"""A fact tells entities apart when it holds of no more than this many; such facts come first."""

Ints = npt.NDArray[np.int64]


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


@dataclass(frozen=True, slots=True)
class _Edges:
    """What is stated about one topic, in the order drawn: rows of the triples, and the other ends."""

    rows: list[int]
    others: list[str]


class _Facts:
    """The facts about some topics that a model may be told."""

    def __init__(self, kg: KnowledgeGraph, removed: Ints, topics: Iterable[str], seed: int) -> None:
        self._kg, self._seed = kg, seed
        self._edges: dict[str, _Edges] = {}
        wanted = np.zeros(len(kg.entities), bool)
        wanted[[kg.entity_ids[topic] for topic in topics]] = True
        stated = np.ones(len(kg), bool)
        stated[removed] = False
        stated &= kg.triples[:, 0] != kg.triples[:, 2]
        ends, others, rows, common = (
            np.concatenate(columns)
            for columns in zip(
                *(self._columns(end, 2 - end, stated, wanted) for end in (0, 2)), strict=True
            )
        )
        order = np.argsort(ends, kind="stable")
        self._ends, self._others = ends[order], others[order]
        self._rows, self._common = rows[order], common[order]

    def _columns(
        self, end: int, other: int, stated: npt.NDArray[np.bool_], wanted: npt.NDArray[np.bool_]
    ) -> tuple[Ints, Ints, Ints, npt.NDArray[np.bool_]]:
        """Of the facts with a topic at one end: topic, other end, row, and whether many share it."""
        triples = self._kg.triples.astype(np.int64)
        rows = np.flatnonzero(stated & wanted[triples[:, end]])
        if not len(rows):
            return rows, rows, rows, np.empty(0, bool)
        facts = triples[:, 1] * len(self._kg.entities) + triples[:, other]
        _, which, sizes = np.unique(facts, return_inverse=True, return_counts=True)
        return triples[rows, end], triples[rows, other], rows, sizes[which[rows]] > FEW

    def about(self, question: Question) -> Sequence[tuple[str, str, str]]:
        """Up to `MOST_CONTEXT` facts about the topic that give no answer away."""
        if question.topic not in self._edges:
            self._edges[question.topic] = self._drawn(question.topic)
        edges, answers = self._edges[question.topic], set(question.answers)
        chosen: list[int] = []
        for row, other in zip(edges.rows, edges.others, strict=True):
            if other not in answers:
                chosen.append(row)
                if len(chosen) == MOST_CONTEXT:
                    break
        return self._kg.labelled(np.array(chosen, np.int64))

    def _drawn(self, topic: str) -> _Edges:
        end = self._kg.entity_ids[topic]
        first, last = np.searchsorted(self._ends, [end, end + 1])
        order = stream(self._seed, "context", topic).permutation(int(last - first)) + first
        order = order[np.argsort(self._common[order], kind="stable")]
        others = [self._kg.entities[other] for other in self._others[order].tolist()]
        return _Edges(self._rows[order].tolist(), others)
