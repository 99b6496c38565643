"""Shortest paths of a graph, along triples in either direction.

No path is ever listed: a triple is on a shortest path exactly if one of its ends is one step farther from the
start than the other and leads on to the goal, and paths are counted the same way, level by level. Nothing is
searched beyond the last level before the goals.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Incidence

__all__ = ["ShortestPaths", "Way"]

CELLS = 1 << 25
"""Distances that are kept at once, over all starts."""

EXACT = 1 << 62
"""Counts that may reach it are Python's integers, which have no bound."""

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


class _Ball:
    """What is known of the distances from a start.

    Attributes:
        far: The distance of each entity; −1 for those beyond the radius.
        radius: How far is searched.
        edge: The entities at that distance.
    """

    def __init__(self, start: int, entities: int) -> None:
        self.far = np.full(entities, -1, np.int32)
        self.far[start] = 0
        self.radius = 0
        self.edge: Ints = np.array([start])


class ShortestPaths:
    """The triples of a graph by either end, without loops.

    Args:
        kg: The graph.
    """

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._all = Incidence(kg, np.flatnonzero(kg.triples[:, 0] != kg.triples[:, 2]))
        keep = lru_cache(max(1, CELLS // max(1, len(kg.entities))))
        self._ball = keep(lambda start: _Ball(start, len(kg.entities)))

    def between(self, start: int, goals: Ints) -> Way:
        """The shortest paths from an entity to others.

        Args:
            start: Id of an entity of the graph.
            goals: Ids of entities of the graph, shape (goals,), each once, at least one.
        """
        ball = self._ball(start)
        distances = self._distances(ball, goals)
        weights = np.zeros(0, np.int64)  # of each node, the shortest paths from it on to the goals
        nodes = np.zeros(0, np.int64)
        found: list[Ints] = []
        for level in range(int(distances.max()), 0, -1):
            here = goals[distances == level]
            nodes, weights = _summed(
                np.concatenate((nodes, here)),
                np.concatenate((weights, np.ones(len(here), np.int64))),
            )
            owners, at = self._steps(nodes)
            nearer = ball.far[self._all.others[at]] == level - 1
            owners, at = owners[nearer], at[nearer]
            found.append(self._all.rows[at])
            nodes, weights = _summed(self._all.others[at], weights[owners])
        rows = np.sort(np.concatenate(found)) if found else np.zeros(0, np.int64)
        return Way(distances, rows, sum(weights.tolist()) + int((distances == 0).sum()))

    def _distances(self, ball: _Ball, goals: Ints) -> Ints:
        """The distances of goals, of which the last step is looked for from their side."""
        distances = ball.far[goals].astype(np.int64)
        while len(unknown := np.flatnonzero(distances < 0)) and len(ball.edge):
            owners, at = self._steps(goals[unknown])
            joined = ball.far[self._all.others[at]] == ball.radius
            distances[unknown[owners[joined]]] = ball.radius + 1
            if (distances >= 0).all():
                break
            ends = self._all.others[self._steps(ball.edge)[1]]
            ball.radius += 1
            ball.far[ends[ball.far[ends] < 0]] = ball.radius
            ball.edge = np.flatnonzero(ball.far == ball.radius)
        return distances

    def _steps(self, nodes: Ints) -> tuple[Ints, Ints]:
        """All steps from nodes: the place of the node, and the place of the step."""
        return np.repeat(np.arange(len(nodes)), self._all.degrees[nodes]), self._all.at(nodes)


def _summed(nodes: Ints, weights: npt.NDArray[np.int64]) -> tuple[Ints, npt.NDArray[np.int64]]:
    """Each node once, ascending, with the sum of its weights, exact however large."""
    unique, place = np.unique(nodes, return_inverse=True)
    if weights.dtype != object and len(weights) and int(weights.max()) * len(weights) >= EXACT:
        weights = weights.astype(object)
    sums = np.zeros(len(unique), weights.dtype)
    np.add.at(sums, place, weights)
    return unique, sums
