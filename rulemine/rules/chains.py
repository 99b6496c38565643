"""Counts and picks bodies that are chains of three atoms, without enumerating them.

Such a body leads from one end of the head to the other, s – z – w – o. A rule can have 10⁹ of them, but only
as many pairs (z, o) or (s, w) as two of the atoms connect: the chains over a pair are counted once, for all
rules with these two atoms (`Chains.pairs`), and the third atom is walked from the end with fewer neighbors.
This walk numbers the chains of a head, so that each can be found by its number.

Guarantees: counts are exact (the middle triple determines a chain, so no count exceeds the graph); a chain
that contains its own head triple is neither counted nor numbered; numbers depend only on graph, rule and
head, not on the sizes of chunks and of the cache; memory is bounded by the cache and by the pairs of the
current two atoms.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.index import Index
from rulemine.query import join
from rulemine.query.evidence_tree import simple_path
from rulemine.rules.bodies import BoundRule

__all__ = ["Chained", "Chains", "Step", "chunks"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

CACHED = 1 << 24
"""How many pairs are cached, 16 bytes each."""

MOST_PAIRS = 1 << 25
"""Most ways through two atoms; rules with more are enumerated instead, which needs no memory."""


class Step(NamedTuple):
    """One atom of a chain: from a node to the next, along a relation or against it."""

    relation: int
    forward: bool

    def back(self) -> "Step":
        """The same step from its other end."""
        return Step(self.relation, not self.forward)


class Pairs(NamedTuple):
    """How many ways two steps lead from one node to another.

    Attributes:
        keys: Start · entities + end, ascending, each once.
        ways: Number of ways, each ≥ 1.
    """

    keys: Ints
    ways: Ints


class Chains:
    """Counts and finds chains over one graph; keeps pairs for the rules that follow."""

    def __init__(self, index: Index) -> None:
        triples = index.kg.triples
        self.index = index
        self._ends = triples[index.by_object, 0], triples[index.by_subject, 2]
        self._cache: OrderedDict[tuple[Step, Step], Pairs] = OrderedDict()
        self._cached = 0
        self._sizes: dict[tuple[Step, Step], int] = {}

    def count(self, bound: BoundRule, triples: npt.NDArray[np.int32]) -> Ints:
        """Counts the bodies that prove each of the given triples, chains or not, shape (m,)."""
        chained = self.over(bound, triples)
        return bound.count(triples) if chained is None else chained.counts

    def over(self, bound: BoundRule, triples: npt.NDArray[np.int32]) -> "Chained | None":
        """The chains that prove given triples.

        Args:
            bound: A rule.
            triples: int32, shape (m, 3).

        Returns:
            None if the body of the rule is no chain, or has too many pairs.
        """
        if (bound.head.subject, bound.head.object) != (0, 1) or len(bound.body) != 3:
            return None
        path = simple_path([(atom.subject, atom.object) for atom in bound.body], 0, 1)
        if path is None:
            return None
        steps = [Step(bound.body[at].relation, forward) for at, forward in path]
        # Two steps have the same ways in both directions, so these are all the pairs to count.
        sizes = self.size(*steps[1:]), self.size(steps[1].back(), steps[0].back())
        if max(sizes) > MOST_PAIRS:
            return None
        places = [at for at, _ in path]
        head = Step(bound.head.relation, forward=True)
        return Chained(self, head, steps, [places.index(atom) for atom in range(3)], triples)

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

    def size(self, one: Step, two: Step) -> int:
        """Number of ways through two steps, over all pairs of nodes."""
        if (one, two) not in self._sizes:
            self._sizes[one, two] = int(self.degrees(two, self.edges(one)[1])[1].sum())
        return self._sizes[one, two]

    def pairs(self, one: Step, two: Step) -> Pairs:
        """The pairs of nodes that two steps connect."""
        key = (one, two)
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        found = self._cache[key] = self._pairs(one, two)
        self._cached += len(found.keys)
        while self._cached > CACHED and len(self._cache) > 1:
            self._cached -= len(self._cache.popitem(last=False)[1].keys)
        return found

    def edges(self, step: Step) -> tuple[Ints, Ints]:
        """Both ends of all triples of a relation, sorted by the end where the step starts."""
        index, n = self.index, self.index.entities
        keys = index.subject_keys if step.forward else index.object_keys
        first, last = np.searchsorted(keys, [step.relation * n, (step.relation + 1) * n])
        ends = self._ends[step.forward][first:last].astype(np.int64)
        return keys[first:last] - step.relation * n, ends

    def _pairs(self, one: Step, two: Step) -> Pairs:
        starts, middles = self.edges(one)
        first, count = self.degrees(two, middles)
        none = np.empty(0, np.int64)
        parts = [Pairs(none, none)]
        for low, high in chunks(count):
            source, end = self.expand(two, first[low:high], count[low:high])
            keys = starts[low:high][source] * self.index.entities + end
            parts.append(Pairs(*np.unique(keys, return_counts=True)))
        keys, ways = (np.concatenate(column) for column in zip(*parts, strict=True))
        if (np.diff(keys) > 0).all():
            return Pairs(keys, ways)
        # The ways of one start were split over several chunks.
        order = np.argsort(keys, kind="stable")
        new = np.flatnonzero(np.diff(keys[order], prepend=-1))
        return Pairs(keys[order][new], np.add.reduceat(ways[order], new))


class Chained:
    """The chains that prove given triples; made by `Chains.over`.

    Attributes:
        counts: int64, shape (m,): how many prove each triple; 0 if it does not match the head.
    """

    def __init__(
        self,
        chains: Chains,
        head: Step,
        steps: list[Step],
        places: list[int],
        triples: npt.NDArray[np.int32],
    ) -> None:
        self._chains, self._steps, self._places = chains, steps, places
        fits = np.flatnonzero(triples[:, 1] == head.relation)
        subjects, objects = triples[fits][:, [0, 2]].T.astype(np.int64)
        turned = [step.back() for step in reversed(steps)]
        back = _from_object(chains, steps, subjects, objects)
        ahead = _Walk(chains, head, steps, subjects[~back], objects[~back])
        behind = _Walk(chains, head.back(), turned, objects[back], subjects[back])
        self._walks = [(fits[~back], ahead), (fits[back], behind)]
        self.counts = np.zeros(len(triples), np.int64)
        for rows, walk in self._walks:
            self.counts[rows] = walk.counts()

    def pick(self, heads: Ints, numbers: Ints) -> Ints:
        """Finds bodies by number.

        Args:
            heads: Position of the head of each wanted body among the triples, ascending.
            numbers: Its number among the bodies of that head, below the head's count.

        Returns:
            Rows of ``kg.triples`` in the order of the rule's body, shape (k, 3).
        """
        nodes = np.empty((len(heads), 4), np.int64)
        for turned, (rows, walk) in enumerate(self._walks):
            mine = np.flatnonzero(np.isin(heads, rows))
            if len(mine):
                found = walk.pick(np.searchsorted(rows, heads[mine]), numbers[mine])
                nodes[mine] = found[:, ::-1] if turned else found
        rows_of, steps = self._chains.rows, self._steps
        return np.column_stack(
            [rows_of(steps[i], nodes[:, i], nodes[:, i + 1]) for i in self._places]
        )


@dataclass(frozen=True, eq=False)
class _Walk:
    """Chains over given heads, walked from one end: first the step that `Chains.pairs` does not cover.

    Attributes:
        head: The step from the start of a chain to its end that the head is.
        steps: The three steps.
        starts: Where the chain of each head starts.
        ends: Where it ends.
    """

    chains: Chains
    head: Step
    steps: list[Step]
    starts: Ints
    ends: Ints

    def counts(self) -> Ints:
        """How many chains each head has, shape (heads,)."""
        total = np.zeros(len(self.starts))
        for part in self._firsts(np.arange(len(self.starts))):
            # Sums of whole numbers below 2⁵³ are exact.
            total += np.bincount(part.head, weights=part.ways, minlength=len(total))
        return total.astype(np.int64)

    def pick(self, heads: Ints, numbers: Ints) -> Ints:
        """The four nodes of chains by number; for the arguments see `Chained.pick`."""
        nodes = np.empty((len(heads), 4), np.int64)
        nodes[:, 0], nodes[:, 3] = self.starts[heads], self.ends[heads]
        left = np.empty(len(heads), np.int64)
        for part in self._firsts(distinct(heads)):
            mine = slice(*np.searchsorted(heads, [part.head[0], part.head[-1] + 1]))
            upto = np.cumsum(part.ways)
            first = np.searchsorted(part.head, heads[mine])
            wanted = numbers[mine] + (upto - part.ways)[first]
            at = np.searchsorted(upto, wanted, "right")
            nodes[mine, 1] = part.middle[at]
            left[mine] = wanted - (upto - part.ways)[at]
        self._seconds(heads, nodes, left)
        return nodes

    def _firsts(self, heads: Ints) -> Iterator["_Firsts"]:
        """Yields all first steps that start a chain, by head, then by node; no head is split."""
        one, *rest = self.steps
        chains, n = self.chains, self.chains.index.entities
        if not len(heads):
            return
        table = chains.pairs(*rest)
        if not len(table.keys):
            return
        first, count = chains.degrees(one, self.starts[heads])
        for low, high in chunks(count):
            source, middle = chains.expand(one, first[low:high], count[low:high])
            head = heads[low:high][source]
            keys = middle * n + self.ends[head]
            at = np.minimum(np.searchsorted(table.keys, keys), len(table.keys) - 1)
            there = table.keys[at] == keys
            there &= ~self._is_head(one, self.starts[head], middle, head)
            head, middle, ways = head[there], middle[there], table.ways[at[there]]
            if any(step.relation == self.head.relation for step in rest):
                ways = ways - self._with_head(head, middle)
            there = ways > 0
            if there.any():
                yield _Firsts(head[there], middle[there], ways[there])

    def _seconds(self, heads: Ints, nodes: Ints, left: Ints) -> None:
        """Fills in the third node of chains: the matching node with the given number."""
        _, two, three = self.steps
        chains = self.chains
        on, back = chains.degrees(two, nodes[:, 1]), chains.degrees(three.back(), nodes[:, 3])
        nearer = on[1] <= back[1]
        for ahead, step, (first, count) in ((True, two, on), (False, three.back(), back)):
            mine = np.flatnonzero(nearer == ahead)
            for low, high in chunks(count[mine]):
                rows = mine[low:high]
                source, node = chains.expand(step, first[rows], count[rows])
                row = rows[source]
                middle, end = nodes[row, 1], nodes[row, 3]
                other = (three, node, end) if ahead else (two, middle, node)
                fits = (chains.rows(*other) >= 0) & ~self._holds_head(heads[row], middle, node)
                row, node = row[fits], node[fits]
                nodes[rows, 2] = node[np.searchsorted(row, rows) + left[rows]]

    def _with_head(self, head: Ints, middle: Ints) -> Ints:
        """How many continuations of a first step belong to a chain that contains its own head."""
        _, two, three = self.steps
        start, end = self.starts[head], self.ends[head]
        found = np.zeros(len(head), np.int64)
        # The second or the third step can only be the head if the node between them is an end of it.
        for node, new in ((start, True), (end, start != end)):
            own = self._holds_head(head, middle, node) & new
            for step, low, high in ((two, middle, node), (three, node, end)):
                own[own] = self.chains.rows(step, low[own], high[own]) >= 0
            found += own
        return found

    def _holds_head(self, head: Ints, middle: Ints, node: Ints) -> Bools:
        """Whether the second or the third step of chains, through two nodes, is their own head."""
        _, two, three = self.steps
        third = self._is_head(three, node, self.ends[head], head)
        return third | self._is_head(two, middle, node, head)

    def _is_head(self, step: Step, start: Ints, end: Ints, head: Ints) -> Bools:
        """Whether steps are the head's own triple."""
        if step.relation != self.head.relation:
            return np.zeros(len(head), bool)
        if step.forward != self.head.forward:
            start, end = end, start
        same: Bools = (start == self.starts[head]) & (end == self.ends[head])
        return same


class _Firsts(NamedTuple):
    """Some first steps; never empty.

    Attributes:
        head: Position of the head, ascending, shape (k,).
        middle: The node that the step leads to, ascending within a head.
        ways: Number of chains that continue from there, each ≥ 1.
    """

    head: Ints
    middle: Ints
    ways: Ints


def _from_object(chains: Chains, steps: list[Step], subjects: Ints, objects: Ints) -> Bools:
    """Which heads are walked from their object, because that end has fewer neighbors.

    All of them are walked from the same end if that saves counting pairs.
    """
    one, two, three = steps
    ahead = chains.degrees(one, subjects)[1]
    behind = chains.degrees(three.back(), objects)[1]
    ways = chains.size(two, three), chains.size(two.back(), one.back())
    costs = (
        int(np.minimum(ahead, behind).sum()) + sum(ways),
        int(ahead.sum()) + ways[0],
        int(behind.sum()) + ways[1],
    )
    best = costs.index(min(costs))
    return behind < ahead if best == 0 else np.full(len(subjects), best == 2)


def chunks(count: Ints, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Yields ranges of at least one row with about so many matches each.

    Args:
        count: The matches of each row.
        most: How many; None: `rulemine.query.join.ROWS_AT_ONCE`.
    """
    ends = np.cumsum(count)
    start = 0
    while start < len(ends):
        base = int(ends[start - 1]) if start else 0
        most_end = base + (most or join.ROWS_AT_ONCE)
        stop = max(start + 1, int(np.searchsorted(ends, most_end, "right")))
        yield start, stop
        start = stop
