"""Steps over a graph from node to node, and the pairs of nodes that two steps connect.

Guarantees: neighbors and pairs are in ascending order; counts are exact and depend only on the graph,
not on the sizes of chunks and of the cache; memory is bounded by the cache and by the pairs of the
current two steps.
"""

from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.kg.index import Index
from rulemine.query import join

__all__ = ["Hops", "Pairs", "Step", "Steps", "chunks"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

CACHED = 1 << 24
"""Cached pairs, 16 bytes each."""


class Step(NamedTuple):
    """One atom of a chain: from a node to the next, along a relation or against it."""

    relation: int
    forward: bool

    def back(self) -> "Step":
        """The same step from its other end."""
        return Step(self.relation, not self.forward)


Steps = tuple[Step, Step, Step]


class Pairs(NamedTuple):
    """How many ways two steps lead from one node to another.

    Attributes:
        keys: Start · entities + end, ascending, each once.
        ways: Number of ways, each ≥ 1.
    """

    keys: Ints
    ways: Ints


class Hops:
    """Steps and pairs over one graph; caches pairs between rules."""

    def __init__(self, index: Index) -> None:
        triples = index.kg.triples
        self.index = index
        self._ends = (
            triples[index.by_object, 0],
            triples[index.by_subject, 2],
        )
        self._cache: OrderedDict[tuple[Step, Step], Pairs] = OrderedDict()
        self._cached = 0
        self._sizes: dict[tuple[Step, Step], int] = {}

    def degrees(self, step: Step, nodes: Ints) -> tuple[Ints, Ints]:
        """Positions of the neighbors of nodes in the table of a direction: first, and number."""
        keys = nodes + step.relation * self.index.entities
        return self.index.ranges(0 if step.forward else 2, keys)

    def expand(self, step: Step, first: Ints, count: Ints) -> tuple[Ints, Ints]:
        """Position of the node and the neighbor, ascending, for ranges from `degrees`."""
        source = np.repeat(np.arange(len(count)), count)
        within = np.arange(len(source)) - np.repeat(np.cumsum(count) - count, count)
        return source, self._ends[step.forward][first[source] + within].astype(np.int64)

    def rows(self, step: Step, start: Ints, end: Ints) -> Ints:
        """The row of ``kg.triples`` of a step from one node to another; −1 for none."""
        ids = np.empty((len(start), 3), np.int32)
        ids[:, 0], ids[:, 2] = (start, end) if step.forward else (end, start)
        ids[:, 1] = step.relation
        return self.index.kg.rows_of(ids)

    def holds(self, step: Step, start: Ints, end: Ints) -> Bools:
        """Whether a step leads from one node to another."""
        return self.rows(step, start, end) >= 0

    def size(self, one: Step, two: Step) -> int:
        """Number of ways through two steps, over all pairs of nodes."""
        if (one, two) not in self._sizes:
            self._sizes[one, two] = int(self.degrees(two, self.edges(one)[1])[1].sum())
        return self._sizes[one, two]

    def edges(self, step: Step) -> tuple[Ints, Ints]:
        """Both ends of all triples of a relation, sorted by the end where the step starts."""
        index, n = self.index, self.index.entities
        keys = index.subject_keys if step.forward else index.object_keys
        first, last = np.searchsorted(keys, [step.relation * n, (step.relation + 1) * n])
        ends = self._ends[step.forward][first:last].astype(np.int64)
        return keys[first:last] - step.relation * n, ends

    def pairs(self, one: Step, two: Step) -> Pairs:
        """The pairs that two steps connect."""
        key = (one, two)
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        found = self._pairs(one, two)
        self._cache[key] = found
        self._cached += len(found.keys)
        while self._cached > CACHED and len(self._cache) > 1:
            self._cached -= len(self._cache.popitem(last=False)[1].keys)
        return found

    def _pairs(self, one: Step, two: Step) -> Pairs:
        starts, middles = self.edges(one)
        first, count = self.degrees(two, middles)
        parts = []
        for low, high in chunks(count):
            source, end = self.expand(two, first[low:high], count[low:high])
            keys = starts[low:high][source] * self.index.entities + end
            parts.append(Pairs(*np.unique(keys, return_counts=True)))
        if not parts:
            return Pairs(np.empty(0, np.int64), np.empty(0, np.int64))
        keys, ways = (np.concatenate(column) for column in zip(*parts, strict=True))
        if (np.diff(keys) > 0).all():
            return Pairs(keys, ways)
        # The ways of one start were split over several chunks.
        order = np.argsort(keys, kind="stable")
        new = np.flatnonzero(np.diff(keys[order], prepend=-1))
        return Pairs(keys[order][new], np.add.reduceat(ways[order], new))


def chunks(count: Ints, most: int = 0) -> Iterator[tuple[int, int]]:
    """Yields ranges of at least one row with about so many matches each.

    Args:
        count: The matches of each row.
        most: How many; 0: `rulemine.query.join.ROWS_AT_ONCE`.
    """
    most = most or join.ROWS_AT_ONCE
    ends = np.cumsum(count)
    start = 0
    while start < len(ends):
        base = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, base + most, "right")))
        yield start, stop
        start = stop
