"""Draws what a question is written for: a tree of triples, and a subgraph around it.

A tree is drawn for a plan: the parent of each node, node 0 being the answer. A triple is put on one of its
links, then what goes on from there up to the answer is drawn, then all that is below; of the links that may
come next, one uniformly, then one of its triples. A link goes on only from what is usually one, such as "the
director of X". With a list of joins that people make (`rulemine.recipe.joins`), links come next as the list
has it; without one, no tree has a chain of three.

The subgraph is sampled by Algorithm 1 of SynthKGQA, with the tree in place of its first entity. With N the
nodes and Q the triples so far, N the ends of the tree and Q all triples between them at first::

    while |N| < nodes and |Q| < edges:
        draw z from N; M = the neighbors of z, in either direction, outside N
        if M is not empty: draw n from M; add to Q every triple between n and N; add n to N

Both draws have chances ∝ exp(1 / d), d the number of triples of an entity, in and out: the softmax of the
inverse degree. It is weak: an entity with one triple is e times as likely as a hub, however large. The paper
leaves open what happens where M is empty: z is not drawn again, and nothing is left to draw once that holds
for all of N.

Loops are no triples here, nor are those of excluded relations. Guarantees: a subgraph is connected, and has
every triple between its nodes that is not left out so; its last node may bring it above the number of triples
wanted; what is drawn depends on the stream and the arguments alone.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import Incidence
from rulemine.kinds.neighbors import usually_one
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.written.replies import Subgraph
from rulemine.kinds.written.scripted import LONG
from rulemine.recipe.joins import Joins, Link
from rulemine.seeds import Stream

__all__ = ["Sampler", "Trees", "asked_rows", "plan_of"]

Ints = npt.NDArray[np.int64]
_Allowed = npt.NDArray[np.bool_]


def asked_rows(kg: KnowledgeGraph, excluded: Collection[str] = ()) -> Ints:
    """The rows of a graph that subgraphs may have, ascending: no loops, and none of excluded relations."""
    barred = [kg.relation_ids[name] for name in excluded if name in kg.relation_ids]
    s, r, o = kg.triples.T
    return np.flatnonzero((s != o) & ~np.isin(r, np.array(barred, np.int32)))


class Sampler:
    """Samples subgraphs of a graph.

    Args:
        kg: The complete graph.
        rows: Its rows that they may have, see `asked_rows`.
    """

    def __init__(self, kg: KnowledgeGraph, rows: Ints) -> None:
        self._kg, near = kg, Incidence(kg, rows)
        self._rows, self._others = near.rows, near.others
        self._begin = near.starts
        sizes, which = np.unique(near.degrees, return_inverse=True)
        self._weights = np.array([math.exp(1 / max(d, 1)) for d in sizes.tolist()])[which]

    def around(self, rows: Sequence[int], random: Stream) -> Subgraph:
        """A subgraph around some triples that hang together.

        Args:
            rows: The triples.
            random: The stream.

        Returns:
            The subgraph, with `rows` first.
        """
        ends: Sequence[int] = self._kg.triples[list(rows)][:, [0, 2]].ravel().tolist()
        nodes = list(dict.fromkeys(ends))
        found = dict.fromkeys(rows)
        for at, node in enumerate(nodes):
            found |= dict.fromkeys(self._between(node, nodes[:at]))
        chances = self._weights[nodes].tolist()  # 0 for nodes without neighbors outside
        most_nodes, most_rows = SubgraphSection.nodes, SubgraphSection.edges
        while len(nodes) < most_nodes and len(found) < most_rows and any(chances):
            place = _drawn(list(accumulate(chances)), random)
            if (new := self._beyond(nodes[place], nodes, random)) is None:
                chances[place] = 0.0
                continue
            found |= dict.fromkeys(self._between(new, nodes))
            nodes.append(new)
            chances.append(float(self._weights[new]))
        return Subgraph(tuple(nodes), tuple(found))

    def _near(self, node: int) -> tuple[Ints, Ints]:
        """The rows at an entity, and their other ends, which ascend."""
        here = slice(*self._begin[node : node + 2].tolist())
        return self._rows[here], self._others[here]

    def _beyond(self, node: int, inside: Sequence[int], random: Stream) -> int | None:
        """Draws a neighbor of a node outside some nodes; None: there is none."""
        others = distinct(self._near(node)[1])
        outside = others[~np.isin(others, inside)]
        if not len(outside):
            return None
        return int(outside[_drawn(self._weights[outside].cumsum(), random)])

    def _between(self, node: int, inside: Sequence[int]) -> list[int]:
        """The rows of all triples between a node and others."""
        rows, others = self._near(node)
        found: list[int] = rows[np.isin(others, inside)].tolist()
        return found


def _drawn(sums: Sequence[float] | npt.NDArray[np.float64], random: Stream) -> int:
    """A place, drawn by chances whose sums up to each place are given."""
    return bisect_right(sums, float(random.uniform(1)[0]) * sums[-1])


def plan_of(shape: str) -> tuple[int, ...]:
    """The plan of a shape code: the parent of each node after the first.

    >>> plan_of("(2(1)(1))(1)")
    (0, 1, 2, 2, 0)
    """
    parents: list[int] = []
    at = [0]
    for bracket, number in re.findall(r"(\()(\d*)|\)", shape):
        if not bracket:
            at.pop()
            continue
        node = at[-1]
        for _ in range(int(number or 1)):
            parents.append(node)
            node = len(parents)
        at.append(node)
    return tuple(parents)


class Trees:
    """Draws trees of a graph.

    Args:
        kg: The complete graph.
        rows: Its rows that trees may have, see `asked_rows`.
        declarations: Which relations state the same facts.
        joins: The joins; None: any, in trees without long chains, see `LONG`.
    """

    def __init__(
        self, kg: KnowledgeGraph, rows: Ints, declarations: Declarations, joins: Joins | None
    ) -> None:
        self._kg = kg
        numbers: dict[Link, int] = {}
        number = np.empty((len(kg.relations), 2), np.int64)
        for i, relation in enumerate(kg.relations):
            for inverse in (0, 1):
                asked, end = declarations.asked(relation, DIRECTIONS[1 - inverse])
                number[i, inverse] = numbers.setdefault((asked, end == DIRECTIONS[0]), len(numbers))
        self._number, self._links = number, len(numbers)
        usual, every = usually_one(kg, declarations), np.ones((len(numbers), len(numbers)), bool)
        self._pairs = [every, ~every, every, every]
        if joins is not None:
            some = joins.after["2p"], joins.after["3p"], joins.together["2i"], joins.together["pi"]
            self._pairs = [_matrix(pairs, numbers) for pairs in some]
        self._pairs[:2] = [
            pairs & np.array([[link in usual] for link in numbers], bool)
            for pairs in self._pairs[:2]
        ]
        s, r, o = kg.triples[rows].T.astype(np.int64)
        ends, both = np.concatenate((s, o)), np.tile(rows, 2)
        gives_s, gives_o = number[r, 1], number[r, 0]
        self._into, self._out = (
            _ByLink(ends, np.concatenate(links), both, len(kg.entities), len(numbers))
            for links in ((gives_s, gives_o), (gives_o, gives_s))
        )

    def draw(
        self, plan: Sequence[int], row: int, random: Stream
    ) -> tuple[tuple[int, ...], int] | None:
        """Draws a tree.

        Args:
            plan: See `plan_of`.
            row: A triple that it has.
            random: The stream.

        Returns:
            Its rows and the answer; None: the draw led nowhere.
        """
        parents = (-1, *plan)
        depth, height = [0] * len(parents), [0] * len(parents)
        for node in range(1, len(parents)):
            depth[node] = depth[parents[node]] + 1
        for node in range(len(parents) - 1, 0, -1):
            height[parents[node]] = max(height[parents[node]], height[node] + 1)
        first, turned = 1 + random.below(len(plan)), random.below(2)
        s, relation, o = self._kg.triples[row].tolist()
        ends = (o, s) if turned else (s, o)
        entities = {first: ends[0], parents[first]: ends[1]}
        links, used = {first: int(self._number[relation, turned])}, {first: row}

        def put(node: int, at: int, by: "_ByLink", allowed: _Allowed) -> bool:
            """Draws the triple of a node's link, at an end that is known; whether there is one."""
            if (found := by.draw(entities[at], allowed, random)) is None:
                return False
            used[node], links[node] = found
            start, _, end = self._kg.triples[used[node]].tolist()
            other = end if start == entities[at] else start
            known = other in entities.values()
            entities[parents[node] if at == node else node] = other
            return not known

        def follows(node: int) -> _Allowed:
            """Which links may go on from the link of a node, or come before it."""
            return self._pairs[depth[node] + height[node] >= LONG]

        node, below = parents[first], first
        while node:
            if not put(node, node, self._out, follows(below)[links[below]]):
                return None
            node, below = parents[node], node
        for node in range(1, len(parents)):
            if node in links:
                continue
            at = parents[node]
            allowed = follows(node)[:, links[at]] if at else np.ones(self._links, bool)
            for other in (one for one in links if parents[one] == at):
                allowed = allowed & self._pairs[2 + (height[at] > 1)][links[other]]
            if not put(node, at, self._into, allowed):
                return None
        return tuple(used[node] for node in range(1, len(parents))), entities[0]


class _ByLink:
    """Rows by an end, then by the link that leads to it or from it.

    Args:
        ends: int64, the end of each row.
        links: The link, likewise.
        rows: The row.
        entities: How many entities there are.
        number: How many links.
    """

    def __init__(self, ends: Ints, links: Ints, rows: Ints, entities: int, number: int) -> None:
        keys = ends * number + links
        order = np.argsort(keys, kind="stable")
        self._rows = rows[order]
        groups, first = np.unique(keys[order], return_index=True)
        self._link, self._first = groups % number, np.append(first, len(keys))
        self._begin = np.searchsorted(groups, np.arange(entities + 1) * number)

    def draw(self, entity: int, allowed: _Allowed, random: Stream) -> tuple[int, int] | None:
        """A row at an entity, and its link, one of those allowed; None: there is none."""
        low, high = self._begin[entity : entity + 2].tolist()
        fitting = np.arange(low, high)[allowed[self._link[low:high]]]
        if not len(fitting):
            return None
        group = int(fitting[random.below(len(fitting))])
        start, end = self._first[group : group + 2].tolist()
        return int(self._rows[start + random.below(end - start)]), int(self._link[group])


def _matrix(pairs: frozenset[tuple[Link, Link]], numbers: dict[Link, int]) -> _Allowed:
    """The pairs as an array of shape (links, links)."""
    found = np.zeros((len(numbers), len(numbers)), bool)
    for one, other in pairs:
        if one in numbers and other in numbers:
            found[numbers[one], numbers[other]] = True
    return found
