"""Shortest paths: compared with networkx, which lists every path."""

import math
from itertools import pairwise

import numpy as np
import pytest

from rulemine.evaluation.supervision.shortest_paths import ShortestPaths
from rulemine.kg.graph import KnowledgeGraph
from rulemine.seeds import stream
from tests import some_seeds

nx = pytest.importorskip("networkx", reason="networkx is not installed: make install")


def by_listing(kg, start, goals):
    """The distances, rows and number of all shortest paths, as networkx lists them."""
    between = {}
    for row, (head, _, tail) in enumerate(kg.triples.tolist()):
        between.setdefault(frozenset((head, tail)), []).append(row)
    graph = nx.Graph()
    graph.add_nodes_from(range(len(kg.entities)))
    graph.add_edges_from(tuple(pair) for pair in between if len(pair) == 2)
    distances, rows, paths = [], set(), 0
    for goal in goals:
        there = nx.has_path(graph, start, goal)
        listed = list(nx.all_shortest_paths(graph, start, goal)) if there else []
        distances.append(len(listed[0]) - 1 if listed else -1)
        for path in listed:
            steps = [between[frozenset(step)] for step in pairwise(path)]
            rows.update(row for step in steps for row in step)
            paths += math.prod(map(len, steps))
    return distances, sorted(rows), paths


@pytest.mark.parametrize("seed", some_seeds(12))
def test_as_networkx_lists_them(seed):
    draw, longest = stream(seed, "shortest paths"), 0
    size, triples = 6 + 2 * seed, 10 + 4 * seed

    def end():  # some entities have many triples, some are apart
        return f"e{min(draw.below(size), draw.below(size)):02d}"

    kg = KnowledgeGraph.from_triples((end(), f"r{draw.below(3)}", end()) for _ in range(triples))
    search = ShortestPaths(kg)
    for start in range(len(kg.entities)):
        for count in (1, 1, 3):
            goals = draw.permutation(len(kg.entities))[:count]
            found = search.between(start, goals)
            told = (found.distances.tolist(), found.rows.tolist(), found.paths)
            assert told == by_listing(kg, start, goals.tolist())
            longest = max(longest, int(found.distances.max()))
    assert longest > 1


def test_counts_have_no_bound():
    for steps in (61, 62, 63, 64, 200):
        ladder = [(f"e{i:03d}", r, f"e{i + 1:03d}") for i in range(steps) for r in ("p", "q")]
        search = ShortestPaths(KnowledgeGraph.from_triples(ladder))
        found = search.between(0, np.array([steps, 1, 0]))
        assert found.distances.tolist() == [steps, 1, 0]
        assert found.paths == 2**steps + 2 + 1
        assert found.rows.tolist() == list(range(2 * steps))
