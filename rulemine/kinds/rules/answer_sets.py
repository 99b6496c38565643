"""The answers to queries, graded: stated, hard, and further ones.

Guarantee: all statements of the relation asked about are looked up (see `rulemine.kg.facts`), in the
complete KG and, where one is given, in a larger reference graph, matched by labels.
"""

from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph, Triple
from rulemine.query.answers import AnswerIndex
from rulemine.release.records import HardAnswer
from rulemine.removal.selection import Selection

__all__ = ["AnswerSets", "Answers", "Found", "Query"]

Ints = npt.NDArray[np.int64]

Query = tuple[str, str, str]
"""Relation, direction (both stand for all statements, see `Declarations.asked`), topic entity."""


class Answers(NamedTuple):
    """The answers to a query, each part sorted by answer; see `rulemine.release.records.Question`."""

    stated: tuple[str, ...]
    hard: tuple[HardAnswer, ...]
    further: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """All of them, sorted."""
        return tuple(sorted((*self.stated, *(row.answer for row in self.hard), *self.further)))


class Found(NamedTuple):
    """What is found for a query.

    Attributes:
        answers: Its answers.
        rows: The rows of the complete KG that state one.
    """

    answers: Answers
    rows: Ints


class AnswerSets:
    """The answers to queries about a graph and what is removed from it; can be pickled.

    Args:
        kg: The complete KG.
        selection: What is removed.
        declarations: Which relations state the same facts.
        further: Triples that the KG lacks and that supply further answers.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        selection: Selection,
        declarations: Declarations,
        further: KnowledgeGraph | None,
    ) -> None:
        self._given = kg, selection, declarations, further
        self._kg, self._selection = kg, selection
        self._statements = cache(declarations.statements)

    def __reduce__(self) -> tuple[Any, ...]:
        return AnswerSets, self._given

    def find(self, queries: Sequence[Query]) -> list[Found]:
        """What is found for queries, which are looked up together."""
        asked = self._asked(queries)
        directions = asked[2]
        rows, starts = self._index.find_labeled(*asked)
        sides = np.repeat([2 * DIRECTIONS.index(d) for d in directions], np.diff(starts))
        ends = self._kg.triples[rows, sides.astype(np.int64)].tolist()
        more, more_starts = list[Triple](), [0] * (len(directions) + 1)
        if self._further is not None:
            wider = self._further.find_labeled(*asked)
            more, more_starts = self._further.kg.labeled(wider.rows), wider.starts.tolist()
        every = list[Found]()
        at = 0
        for query in queries:
            known: dict[int, list[tuple[int, int]]] = {}
            further: set[str] = set()
            first = starts[at]
            for _ in self._statements(*query[:2]):
                side = DIRECTIONS.index(directions[at])
                own = slice(starts[at], starts[at + 1])
                for end, row in zip(ends[own], rows[own].tolist(), strict=True):
                    known.setdefault(end, []).append((row, side))
                further |= {t[2 * side] for t in more[more_starts[at] : more_starts[at + 1]]}
                at += 1
            every.append(Found(self._answers(known, further), rows[first : starts[at]]))
        return every

    def forget(self) -> None:
        """Gives up what queries are looked up with, which takes memory and is made again when needed."""
        for name in ("_index", "_further"):
            vars(self).pop(name, None)

    def reference(self, queries: Iterable[Query]) -> tuple[Triple, ...]:
        """The further triples that answer one of some queries, sorted."""
        if self._further is None:
            return ()
        rows = self._further.find_labeled(*self._asked(queries)).rows
        return tuple(sorted(set(self._further.kg.labeled(rows))))

    def _asked(self, queries: Iterable[Query]) -> tuple[list[str], list[str], list[str]]:
        """The topics, relations and directions of all statements of queries."""
        asked = [(q[2], *own) for q in queries for own in self._statements(*q[:2])]
        topics, relations, directions = ([row[i] for row in asked] for i in range(3))
        return topics, relations, directions

    @cached_property
    def _index(self) -> AnswerIndex:
        return AnswerIndex(self._kg)

    @cached_property
    def _further(self) -> AnswerIndex | None:
        further = self._given[-1]
        return None if further is None else AnswerIndex(further)

    @cached_property
    def _place(self) -> Ints:
        """Row of the graph → the first row of the selection that removes it."""
        place = np.full(len(self._kg), -1)
        selection = self._selection
        place[selection.head[::-1]] = np.arange(len(selection))[::-1]
        return place

    def _answers(self, found: dict[int, list[tuple[int, int]]], further: set[str]) -> Answers:
        """The answers to a query.

        Args:
            found: Answer → the rows that state it, each with the end at which it has the answer.
            further: What the further triples give.
        """
        labels, place = self._kg.entities, self._place
        hard, stated = [], []
        for end, statements in found.items():  # ids are in the order of labels
            if any(place[row] < 0 for row, _ in statements):
                stated.append(labels[end])
                continue
            row, side = min(statements)
            at = place[row]
            chosen = self._selection
            hard.append(
                HardAnswer(
                    labels[end],
                    missing=1,
                    level=int(chosen.level[at]),
                    witness=tuple(self._kg.labeled(np.array([row]))),
                    core=bool(chosen.core[at] and chosen.directions[at, side]),
                )
            )
        known = {*stated, *(row.answer for row in hard)}
        return Answers(
            tuple(sorted(stated)),
            tuple(sorted(hard, key=lambda row: row.answer)),
            tuple(sorted(further - known)),
        )
