"""The answers to queries, graded: stated, hard, and further ones.

Guarantee: all statements of the relation asked about are looked up (see `rulemine.kg.facts`), in the
complete KG and, where one is given, in a larger reference graph, matched by labels.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph, Triple
from rulemine.query.answers import AnswerIndex
from rulemine.release.records import HardAnswer
from rulemine.removal.selection import Selection

__all__ = ["AnswerSets", "Answers", "Query"]

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


class AnswerSets:
    """The answers to queries about a graph and what is removed from it.

    Args:
        kg: The complete KG.
        selection: What is removed.
        declarations: Which relations state the same facts.
        queries: The queries.
        further: Triples that the KG lacks and that supply further answers.

    Attributes:
        reference: The triples of `further` that answer a query, sorted.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        selection: Selection,
        declarations: Declarations,
        queries: Iterable[Query],
        further: KnowledgeGraph | None,
    ) -> None:
        self._kg, self._selection = kg, selection
        wanted = sorted(set(queries))
        ways = {key: declarations.statements(*key) for key in {query[:2] for query in wanted}}
        self._of = {query: ways[query[:2]] for query in wanted}
        starts = np.cumsum([0, *(len(statements) for statements in self._of.values())])
        self._start = dict(zip(wanted, starts.tolist(), strict=False))
        asked = [(q[2], *statement) for q, own in self._of.items() for statement in own]
        topics, relations, directions = ([row[i] for row in asked] for i in range(3))
        self._found = AnswerIndex(kg).find_labeled(topics, relations, directions)
        self._rows, self._starts = self._found.rows.tolist(), self._found.starts.tolist()
        sides = np.repeat(
            [2 * DIRECTIONS.index(d) for d in directions], np.diff(self._found.starts)
        )
        self._ends = kg.triples[self._found.rows, sides.astype(np.int64)].tolist()
        # Row of the graph → the first row of the selection that removes it.
        place = np.full(len(kg), -1)
        place[selection.head[::-1]] = np.arange(len(selection))[::-1]
        self._place = place
        self._more: list[Triple] = []
        self._more_starts = [0] * (len(asked) + 1)
        if further is not None:
            wider = AnswerIndex(further).find_labeled(topics, relations, directions)
            self._more, self._more_starts = further.labeled(wider.rows), wider.starts.tolist()
        self.reference = tuple(sorted(set(self._more)))
        self._made: dict[Query, Answers] = {}

    def __getitem__(self, query: Query) -> Answers:
        if query not in self._made:
            self._made[query] = self._answers(query)
        return self._made[query]

    def evidence(self, query: Query) -> tuple[Triple, ...]:
        """All triples of the complete KG that state an answer, sorted."""
        first = self._start[query]
        start, end = (self._starts[at] for at in (first, first + len(self._of[query])))
        return tuple(sorted(set(self._kg.labeled(self._found.rows[start:end]))))

    def _answers(self, query: Query) -> Answers:
        labels, place = self._kg.entities, self._place
        found: dict[int, list[tuple[int, int]]] = {}
        further: set[str] = set()
        for at, (_, direction) in enumerate(self._of[query], start=self._start[query]):
            side = DIRECTIONS.index(direction)
            for i in range(self._starts[at], self._starts[at + 1]):
                found.setdefault(self._ends[i], []).append((self._rows[i], side))
            for triple in self._more[self._more_starts[at] : self._more_starts[at + 1]]:
                further.add(triple[2 * side])
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
