"""Counts and picks bodies of three atoms with two variables of their own, without enumerating them.

Such a body is a chain from one end of the head to the other, s – z – w – o. A rule can have 10⁹ of them,
but only as many pairs (z, o) or (s, w) as two of the atoms connect: the chains over a pair are counted
once, for all rules with these two atoms (`Hops.pairs`), and the third atom is walked from the end with
fewer neighbors. This walk numbers the chains of a head, so that each can be found by its number.

Guarantees: counts are exact (the middle triple determines a chain, so no count exceeds the graph); a
chain that contains its own head triple is neither counted nor numbered; numbers depend only on graph,
rule and head, not on the sizes of chunks and of the cache.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.query.evidence_tree import simple_path
from rulemine.rules.bodies import BoundRule
from rulemine.rules.two_hop import Hops, Step, Steps, chunks

__all__ = ["Chain", "Chains"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

MOST_PAIRS = 1 << 25
"""Most ways through two atoms; rules with more are enumerated instead, which needs no memory."""


class Chains(Hops):
    """Counts and finds chains over one graph."""

    def of(self, bound: BoundRule) -> "Chain | None":
        """The rule's body as a chain; None if it is not a chain or has too many pairs."""
        found = _steps_of(bound)
        if found is None:
            return None
        (one, two, three), places = found
        # Two steps have the same ways in both directions, so these are all the pairs to count.
        if max(self.size(two, three), self.size(two.back(), one.back())) > MOST_PAIRS:
            return None
        return Chain(self, bound, (one, two, three), places)


@dataclass(frozen=True)
class Chain:
    """A rule whose body is a chain; made by `Chains.of`.

    Attributes:
        chains: The graph.
        bound: The rule.
        steps: From the head's subject to its object.
        places: The step of each atom of the rule's body.
    """

    chains: Chains
    bound: BoundRule
    steps: Steps
    places: tuple[int, ...]

    def over(self, triples: npt.NDArray[np.int32]) -> "Chained":
        """The bodies that prove the given triples, int32, shape (m, 3); see `Chained`."""
        return Chained(self, triples)


class Chained:
    """The bodies that prove given triples, counted.

    Attributes:
        counts: int64, shape (m,): how many prove each triple; 0 if it does not match the head.
    """

    def __init__(self, chain: Chain, triples: npt.NDArray[np.int32]) -> None:
        self._chain = chain
        fits = np.flatnonzero(triples[:, 1] == chain.bound.head.relation)
        head = Step(chain.bound.head.relation, forward=True)
        subjects, objects = (triples[fits, column].astype(np.int64) for column in (0, 2))
        turned: Steps = tuple(step.back() for step in reversed(chain.steps))  # type: ignore[assignment]
        from_object = _cheaper(chain.chains, chain.steps, subjects, objects)
        self._walks = [
            (
                fits[~from_object],
                _Walk(
                    chain.chains, head, chain.steps, subjects[~from_object], objects[~from_object]
                ),
            ),
            (
                fits[from_object],
                _Walk(
                    chain.chains, head.back(), turned, objects[from_object], subjects[from_object]
                ),
            ),
        ]
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
        chains, steps = self._chain.chains, self._chain.steps
        body = [chains.rows(steps[i], nodes[:, i], nodes[:, i + 1]) for i in self._chain.places]
        return np.column_stack(body)


class _Walk:
    """Chains over given heads, walked from one end: first the step that `Hops.pairs` does not cover."""

    def __init__(self, chains: Chains, head: Step, steps: Steps, starts: Ints, ends: Ints) -> None:
        self._chains = chains
        self._head = head
        self._steps = steps
        self._starts = starts
        self._ends = ends

    def counts(self) -> Ints:
        """How many chains each head has, shape (heads,)."""
        total = np.zeros(len(self._starts))
        for part in self._firsts(np.arange(len(self._starts))):
            # Sums of whole numbers below 2⁵³ are exact.
            total += np.bincount(part.head, weights=part.ways, minlength=len(total))
        return total.astype(np.int64)

    def pick(self, heads: Ints, numbers: Ints) -> Ints:
        """The four nodes of chains by number; for the arguments see `Chained.pick`."""
        nodes = np.empty((len(heads), 4), np.int64)
        nodes[:, 0], nodes[:, 3] = self._starts[heads], self._ends[heads]
        left = np.empty(len(heads), np.int64)
        for part in self._firsts(distinct(heads)):
            mine = slice(*np.searchsorted(heads, [part.head[0], part.head[-1] + 1]))
            upto = np.cumsum(part.ways)
            first = np.searchsorted(part.head, heads[mine])
            wanted = numbers[mine] + (upto - part.ways)[first]
            at = np.searchsorted(upto, wanted, "right")
            nodes[mine, 1] = part.middle[at]
            left[mine] = wanted - (upto - part.ways)[at]
        self._second(nodes, left)
        return nodes

    def _firsts(self, heads: Ints) -> Iterator["_Firsts"]:
        """Yields all first steps that start a chain, by head, then by node; no head is split."""
        one, *rest = self._steps
        chains, n = self._chains, self._chains.index.entities
        if not len(heads):
            return
        table = chains.pairs(*rest)
        first, count = chains.degrees(one, self._starts[heads])
        for low, high in chunks(count):
            source, middle = chains.expand(one, first[low:high], count[low:high])
            head = heads[low:high][source]
            keys = middle * n + self._ends[head]
            at = np.searchsorted(table.keys, keys)
            at[at == len(table.keys)] = 0
            there = table.keys[at] == keys if len(table.keys) else np.zeros(len(keys), bool)
            head, middle, ways = head[there], middle[there], table.ways[at[there]]
            ways = ways - self._assuming(head, middle, ways)
            there = ways > 0
            if there.any():
                yield _Firsts(head[there], middle[there], ways[there])

    def _assuming(self, head: Ints, middle: Ints, ways: Ints) -> Ints:
        """How many of the continuations of a first step belong to a chain that contains its own head."""
        one, two, three = self._steps
        if all(step.relation != self._head.relation for step in self._steps):
            return np.zeros_like(ways)
        start, end = self._starts[head], self._ends[head]
        # The node after `middle` for which the second, or the third, step is the head itself.
        seconds = end if two.forward == self._head.forward else start
        thirds = start if three.forward == self._head.forward else end
        by_two = self._is_head(two, middle, seconds, head)
        by_two[by_two] = self._chains.holds(two, middle[by_two], seconds[by_two])
        by_two[by_two] = self._chains.holds(three, seconds[by_two], end[by_two])
        by_three = self._is_head(three, thirds, end, head)
        by_three[by_three] = self._chains.holds(three, thirds[by_three], end[by_three])
        by_three[by_three] = self._chains.holds(two, middle[by_three], thirds[by_three])
        twice = by_two & by_three & (seconds == thirds)
        some = by_two.astype(np.int64) + by_three - twice
        return np.where(self._is_head(one, start, middle, head), ways, some)

    def _is_head(self, step: Step, start: Ints, end: Ints, head: Ints) -> Bools:
        """Whether steps are the head's own triple."""
        if step.relation != self._head.relation:
            return np.zeros(len(head), bool)
        own = self._starts[head], self._ends[head]
        low, high = own if step.forward == self._head.forward else own[::-1]
        same: Bools = (start == low) & (end == high)
        return same

    def _second(self, nodes: Ints, left: Ints) -> None:
        """Fills in the third node of chains: the matching node with the given number."""
        _, two, three = self._steps
        chains = self._chains
        on, back = chains.degrees(two, nodes[:, 1]), chains.degrees(three.back(), nodes[:, 3])
        for step, other, (first, count), mine in (
            (two, three, on, np.flatnonzero(on[1] <= back[1])),
            (three.back(), two, back, np.flatnonzero(on[1] > back[1])),
        ):
            for low, high in chunks(count[mine]):
                rows = mine[low:high]
                source, node = chains.expand(step, first[rows], count[rows])
                row = rows[source]
                middle, end = nodes[row, 1], nodes[row, 3]
                fits = (
                    chains.holds(other, node, end)
                    if other is three
                    else chains.holds(other, middle, node)
                )
                fits &= ~self._holds_head(nodes[row, 0], middle, node, end)
                row, node = row[fits], node[fits]
                start = np.searchsorted(row, rows)
                nodes[rows, 2] = node[start + left[rows]]

    def _holds_head(self, start: Ints, middle: Ints, node: Ints, end: Ints) -> Bools:
        """Whether the second or the third step of a chain is its own head."""
        _, two, three = self._steps
        found = np.zeros(len(start), bool)
        for step, low, high in ((two, middle, node), (three, node, end)):
            if step.relation == self._head.relation:
                own = (start, end) if step.forward == self._head.forward else (end, start)
                found |= (low == own[0]) & (high == own[1])
        return found


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


def _steps_of(bound: BoundRule) -> tuple[Steps, tuple[int, ...]] | None:
    """The steps of a chain, and the step of each body atom; None if the body is not a chain."""
    if (bound.head.subject, bound.head.object) != (0, 1) or len(bound.body) != 3:
        return None
    ends = [(atom.subject, atom.object) for atom in bound.body]
    path = simple_path(ends, 0, 1)
    if path is None:
        return None
    steps = [Step(bound.body[at].relation, forward) for at, forward in path]
    order = [at for at, _ in path]
    return (steps[0], steps[1], steps[2]), tuple(order.index(atom) for atom in range(3))


def _cheaper(chains: Chains, steps: Steps, subjects: Ints, objects: Ints) -> Bools:
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
