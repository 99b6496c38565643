"""What connects the entities of a seed text: a tree of few edges through their surroundings.

The procedure of Dynamic-KGQA, section 3, on the simple undirected graph: the triples one hop around every
seed, both ways; for each connected part with at least two seeds a Steiner tree, by Mehlhorn's approximation
(Information Processing Letters 27, 1988); of these trees the one with the most entities; and every triple
between the two ends of each of its edges, where the paper's public code keeps one relation of a pair.

Guarantees: a subgraph is connected and holds at least two seeds; each leaf of its tree is a seed; the tree
has at most 2 − 2/k times the edges of the smallest for its k seeds. The same seeds give the same subgraph
for any order, any hash seed, and any order of the lines of the graph.
"""

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Incidence
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.written.replies import Refusal, Subgraph

__all__ = ["APART", "LARGE", "NONE", "ONE", "Components"]

Ints = npt.NDArray[np.int64]
Edge = tuple[int, int]

NONE = "no entity of the graph"
ONE = "a single entity of the graph"
APART = "no two entities within reach of each other"
LARGE = "too many triples"


class Components:
    """Connects entities of a graph.

    Args:
        kg: The complete KG.
        excluded: Relations that connect nothing, by their exact names.
    """

    def __init__(self, kg: KnowledgeGraph, excluded: Collection[str]) -> None:
        barred = [kg.relation_ids[name] for name in excluded if name in kg.relation_ids]
        subjects, self._relations, objects = kg.triples.T
        used = ~np.isin(self._relations, barred) & (subjects != objects)
        self._graph = Incidence(kg, np.flatnonzero(used))

    def neighbors(self, entity: int) -> Ints:
        """The neighbors of an entity, ascending; one that several triples lead to, several times."""
        return self._graph.others[self._graph.starts[entity] : self._graph.starts[entity + 1]]

    def _capped(self, entity: int) -> Ints:
        """As `neighbors`; of too many the first by relation, direction (its own first) and neighbor."""
        around, most = self.neighbors(entity), VariantSection.max_neighbors
        if len(around) <= most:
            return around
        at = np.arange(len(around)) + self._graph.starts[entity]
        relation, away = self._relations[self._graph.rows[at]], ~self._graph.forward[at]
        return around[np.lexsort((around, away, relation))[:most]]

    def component(self, entities: Iterable[int]) -> Subgraph | Refusal:
        """The subgraph that connects most of some entities.

        Args:
            entities: The seeds, by id.

        Returns:
            The subgraph: its seeds first, then the others, both by id; rows ascending. Or why there is none:
            `NONE`, `ONE`, `APART` or `LARGE`.
        """
        seeds = tuple(sorted(set(entities)))
        if len(seeds) < 2:
            return Refusal(ONE if seeds else NONE)
        best: tuple[Edge, ...] = ()
        place = (0, 0, 0)
        for part in self._parts(seeds):
            tree = _steiner_tree(part, seeds)
            nodes = {node for edge in tree for node in edge}
            here = (len(nodes), len(nodes.intersection(seeds)), -min(nodes, default=0))
            if tree and (not best or here > place):
                best, place = tree, here
        if not best:
            return Refusal(APART)
        nodes = {node for edge in best for node in edge}
        rows = sorted({row for edge in best for row in self._between(*edge)})
        if len(rows) > (most := VariantSection.max_triples):
            return Refusal(LARGE, f"{len(rows):,}; at most {most:,} are shown to a writer")
        first = [seed for seed in seeds if seed in nodes]
        return Subgraph((*first, *sorted(nodes.difference(first))), tuple(rows))

    def _parts(self, seeds: tuple[int, ...]) -> list[list[Edge]]:
        """The edges of each connected part of the surroundings with at least two seeds, sorted.

        A neighbor of a single seed is on no path between two, so it is left out before networkx sees it.
        """
        import networkx as nx  # slow to load

        width = len(self._graph.starts)
        keys = []
        for seed in seeds:
            around = self._capped(seed)
            keys.append(np.minimum(around, seed) * width + np.maximum(around, seed))
        low, high = np.divmod(distinct(np.concatenate(keys)), width)
        nodes, degrees = np.unique(np.concatenate((low, high)), return_counts=True)
        useful = nodes[(degrees > 1) | np.isin(nodes, seeds)]
        kept = np.isin(low, useful) & np.isin(high, useful)
        edges = list(zip(low[kept].tolist(), high[kept].tolist(), strict=True))
        graph = nx.Graph(edges)
        found = []
        for part in nx.connected_components(graph):
            if len(part.intersection(seeds)) > 1:
                found.append([edge for edge in edges if edge[0] in part])
        return found

    def _between(self, one: int, other: int) -> Iterable[int]:
        """The rows between two entities, both ways."""
        low, high = np.searchsorted(self.neighbors(one), (other, other + 1))
        start = self._graph.starts[one]
        rows: list[int] = self._graph.rows[start + low : start + high].tolist()
        return rows


def _steiner_tree(edges: list[Edge], seeds: tuple[int, ...]) -> tuple[Edge, ...]:
    """The edges of a Steiner tree of a connected graph.

    networkx breaks ties by the order in which nodes and edges were added, so they are added sorted.
    """
    import networkx as nx
    from networkx.algorithms.approximation import steiner_tree

    graph = nx.Graph(edges)
    terminals = sorted(set(seeds) & set(graph))
    tree = steiner_tree(graph, terminals, method="mehlhorn")
    return tuple((min(edge), max(edge)) for edge in tree.edges)
