"""Shortest paths of a graph, along triples in either direction.

No path is ever listed: a triple is on a shortest path exactly if one of its ends is one step farther from the
start than the other and leads on to the goal, and paths are counted the same way, level by level.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Incidence

__all__ = ["ShortestPaths", "Way"]

Ints = npt.NDArray[np.int64]


class Way(NamedTuple):
    """The shortest paths from a start to some goals.

    Attributes:
        distances: Triples on a shortest path to each goal, in the order given, shape (goals,); −1 where no
            path leads.
        rows: The rows of the triples on all shortest paths to all goals, ascending.
        paths: How many shortest paths there are, over all goals. Paths that differ in one triple differ,
            also where it joins the same two entities; a goal that is the start has one, without triples.
    """

    distances: Ints
    rows: Ints
    paths: int


class ShortestPaths:
    """The triples of a graph by either end, without loops.

    Args:
        kg: The graph.
    """

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._all = Incidence(kg, np.flatnonzero(kg.triples[:, 0] != kg.triples[:, 2]))

    def between(self, start: int, goals: Ints) -> Way:
        """The shortest paths from an entity to others.

        Args:
            start: Id of an entity of the graph.
            goals: Ids of entities of the graph, shape (goals,), each once, at least one.
        """
        far = self._distances(start, goals)
        distances = far[goals]
        nodes = np.zeros(0, np.int64)
        paths = np.zeros(
            0, object
        )  # of each node, those from it on to the goals; counts have no bound
        rows = [nodes]
        for level in range(int(distances.max()), 0, -1):
            here = goals[distances == level]
            nodes, place = np.unique(np.concatenate((nodes, here)), return_inverse=True)
            sums = np.zeros(len(nodes), object)
            np.add.at(sums, place, np.concatenate((paths, np.ones(len(here), object))))
            owners, at = np.arange(len(nodes)).repeat(self._all.degrees[nodes]), self._all.at(nodes)
            nearer = far[self._all.others[at]] == level - 1
            rows.append(self._all.rows[at[nearer]])
            nodes, paths = self._all.others[at[nearer]], sums[owners[nearer]]
        return Way(
            distances, np.sort(np.concatenate(rows)), sum(paths) + int((distances == 0).sum())
        )

    def _distances(self, start: int, goals: Ints) -> Ints:
        """How far each entity is from one, up to the farthest of the goals; −1 for all others."""
        far = np.full(len(self._all.degrees), -1, np.int64)
        far[start] = radius = 0
        while (far[goals] < 0).any() and len(edge := np.flatnonzero(far == radius)):
            radius += 1
            ends = self._all.others[self._all.at(edge)]
            far[ends[far[ends] < 0]] = radius
        return far
