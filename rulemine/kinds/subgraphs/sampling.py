"""Samples connected subgraphs that questions are written for: SynthKGQA, Algorithm 1.

With N the nodes and Q the triples so far, N = {start} and Q = ∅ at first::

    while |N| < nodes and |Q| < edges:
        draw z from N; M = the neighbors of z, in either direction, outside N
        if M is not empty: draw n from M; add to Q every triple between n and N; add n to N

Both draws have chances ∝ exp(1 / d), d the number of triples of an entity, in and out: the softmax of the
inverse degree, as in the paper. That softmax is weak: an entity with one triple is e times
(2.72) as likely as a hub, however large, and from ten triples on hardly any two differ (e^0.1 = 1.11). On
FB15k-237 the median degree of the nodes drawn is 47 (`benchmarks/subgraphs.py`).

The paper leaves open what happens where M is empty: z is not drawn again, and nothing is left to draw
once that holds for all of N. Loops are no triples here, nor are those of excluded relations; neither counts
in d.

Guarantees: a subgraph is connected, and has every triple between its nodes that is not left out so; its last
node may bring it above the number of triples wanted, since nothing is cut; the same stream gives the same
subgraph, whatever was drawn before.
"""

import math
from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.errors import UserError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Incidence
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.written.candidate import Subgraph
from rulemine.seeds import Stream

__all__ = ["Sampler"]

Ints = npt.NDArray[np.int64]


class Sampler:
    """Draws subgraphs of a graph.

    Args:
        kg: The complete graph.
        excluded: Relations whose triples are left out.
        start_among: Ids of the entities that may be the first node; None: all.

    Attributes:
        kg: The complete graph.
        rows: Its rows that subgraphs may have, int64, ascending.

    Raises:
        UserError: None of these has a triple to another entity.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        excluded: Collection[str] = (),
        start_among: Ints | None = None,
    ) -> None:
        barred = [kg.relation_ids[name] for name in excluded if name in kg.relation_ids]
        loops = kg.triples[:, 0] == kg.triples[:, 2]
        left_out = loops | np.isin(kg.triples[:, 1], np.array(barred, np.int32))
        self.kg, self.rows = kg, np.flatnonzero(~left_out)
        incidence = Incidence(kg, self.rows)
        degrees = incidence.degrees
        among = np.arange(len(degrees)) if start_among is None else distinct(start_among)
        self._among = among[degrees[among] > 0]
        if not len(self._among):
            raise UserError(
                "no subgraph can be drawn: no entity that one may start at has a triple to another entity. "
                'Exclude fewer relations, or set subgraphs.start = "any".'
            )
        sizes, which = np.unique(degrees, return_inverse=True)
        self._weights = np.array([math.exp(1 / max(d, 1)) for d in sizes.tolist()])[which]
        self._neighbors(incidence)

    def _neighbors(self, incidence: Incidence) -> None:
        """Sets the different neighbors of each entity, and where the triples to each of them begin."""
        self._rows_by_end, others, degrees = incidence.rows, incidence.others, incidence.degrees
        owner = np.arange(len(degrees)).repeat(degrees)
        new = np.ones(len(others), bool)
        new[1:] = (np.diff(others) != 0) | (np.diff(owner) != 0)
        self._first = np.append(np.flatnonzero(new), len(others))
        self._near = others[new]
        self._begin = np.searchsorted(owner[new], np.arange(len(degrees) + 1)).tolist()
        self._near_weights = self._weights[self._near]

    def draw(self, random: Stream) -> Subgraph:
        """A subgraph, its first node drawn uniformly from those that it may start at."""
        return self.fill([int(self._among[random.below(len(self._among))])], [], random)

    def fill(
        self, nodes: Sequence[int], rows: Sequence[int], random: Stream, parent: str = ""
    ) -> Subgraph:
        """Draws further nodes for a connected subgraph until it has its size.

        Args:
            nodes: Its nodes, in the order in which they came, at least one.
            rows: Its triples, likewise.
            random: The stream.
            parent: See `Subgraph`.
        """
        nodes, rows = list(nodes), list(rows)
        chances = self._weights[nodes].tolist()  # 0 for nodes without neighbors outside
        most_nodes, most_rows = SubgraphSection.nodes, SubgraphSection.edges
        while len(nodes) < most_nodes and len(rows) < most_rows and any(chances):
            place = self._from(chances, random)
            found = self.beyond(nodes[place], nodes, random)
            if found is None:
                chances[place] = 0.0
                continue
            rows += self.between(found, nodes)
            nodes.append(found)
            chances.append(float(self._weights[found]))
        return Subgraph(tuple(nodes), tuple(rows), parent)

    def around(self, rows: Sequence[int], random: Stream, parent: str = "") -> Subgraph:
        """A subgraph around some triples: them, all others between their ends, then what is drawn."""
        ends = (end for row in rows for end in self.kg.triples[row, [0, 2]].tolist())
        nodes = list(dict.fromkeys(ends))
        between = (self.between(node, nodes[:at]) for at, node in enumerate(nodes))
        every = dict.fromkeys([*rows, *(row for some in between for row in some)])
        return self.fill(nodes, list(every), random, parent)

    def _from(self, chances: Sequence[float], random: Stream) -> int:
        """The place of the node to go on from."""
        sums = list(accumulate(chances))
        return bisect_right(sums, float(random.uniform(1)[0]) * sums[-1])

    def beyond(self, node: int, inside: Sequence[int], random: Stream) -> int | None:
        """Draws a neighbor of a node outside some nodes; None: there is none."""
        first, last = self._begin[node], self._begin[node + 1]
        known = self._places(node, inside)
        if len(known) == last - first:
            return None
        weights = self._near_weights[first:last].copy()
        weights[known - first] = 0.0
        sums = weights.cumsum()
        at = sums.searchsorted(random.uniform(1)[0] * sums[-1], "right")
        return int(self._near[first + at])

    def between(self, node: int, inside: Sequence[int]) -> list[int]:
        """The rows of all triples between a node and others, in the order of these."""
        rows, first = self._rows_by_end, self._first
        places = self._places(node, inside)
        spans = zip(first[places].tolist(), first[places + 1].tolist(), strict=True)
        return [row for begin, end in spans for row in rows[begin:end].tolist()]

    def _places(self, node: int, some: Sequence[int]) -> Ints:
        """Where those of some entities that are neighbors of a node stand, in their order."""
        first, last = self._begin[node], self._begin[node + 1]
        near = self._near[first:last]
        wanted = np.array(some, np.int64)
        at = near.searchsorted(wanted)
        at[at == len(near)] = 0
        return first + at[near[at] == wanted] if len(near) else at
