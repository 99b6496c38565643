"""Question graphs: compared with every hop taken one by one, and with PageRank solved exactly."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.question_graphs import ALPHA, FINE, question_graphs
from rulemine.seeds import stream
from tests import each


def random_graph(seed: int, entities: int = 30, triples: int = 120) -> KnowledgeGraph:
    draw = stream(seed, "graph")
    return KnowledgeGraph.from_triples(
        (
            f"e{draw.below(entities)}",
            f"r{draw.below(3)}",
            f"e{draw.below(draw.below(entities) + 1)}",
        )
        for _ in range(triples)
    )


def within(kg: KnowledgeGraph, topics: Sequence[str], hops: int) -> set[int]:
    near, found = set(topics), set[int]()
    triples = kg.labeled()
    for _ in range(hops):
        found |= {i for i, (h, _, t) in enumerate(triples) if near & {h, t}}
        near |= {e for i in found for e in triples[i][::2]}
    return found


def passes(kg: KnowledgeGraph, topics: Sequence[str]) -> np.ndarray:
    """How often a walk passes each triple, by solving for its visits."""
    size = len(kg.entities)
    steps = np.zeros((size, size))
    for h, _, t in kg.triples.tolist():
        steps[h, t] += 1
        steps[t, h] += 1
    degrees = np.maximum(steps.sum(axis=0), 1)
    start = np.zeros(size)
    start[[kg.entity_ids[t] for t in topics]] = 1 / len(topics)
    rate = np.linalg.solve(np.eye(size) - ALPHA * steps / degrees, start) / degrees
    return rate[kg.triples[:, 0]] + rate[kg.triples[:, 2]]


@each(("seed", "hops"), product(range(5), (1, 2, 3)))
def test_all_that_is_within_the_hops(seed: int, hops: int) -> None:
    kg = random_graph(seed, 40, 60)
    asked = {"a": ["e1"], "b": ["e2", "e7"], "c": [kg.entities[-1], "e0"], "d": ["nobody"]}
    found = question_graphs(kg, asked, hops=hops)
    for topics, graph in zip(asked.values(), found, strict=True):
        assert graph.whole
        assert sorted(graph.rows.tolist()) == sorted(within(kg, topics, hops))


@each(("seed", "most"), product(range(6), (1, 7, 30)))
def test_otherwise_the_triples_that_a_walk_passes_most_often(seed: int, most: int) -> None:
    kg, asked = random_graph(seed), {"a": ["e0"], "b": ["e0", "e1", "e2"]}
    found = question_graphs(kg, asked, hops=3, max_triples=most)
    for topics, (rows, whole) in zip(asked.values(), found, strict=True):
        assert not whole
        assert len(set(rows.tolist())) == most
        often = passes(kg, topics)
        others = np.delete(often, rows)
        assert often[rows].min() > others.max() - 4 / (FINE * most * (1 - ALPHA))


def test_of_equal_triples_the_first_ones_are_taken_and_a_small_part_is_seen_more_finely() -> None:
    kg = KnowledgeGraph.from_triples(("hub", "r", f"e{i}") for i in range(9))
    (graph,) = question_graphs(kg, {"q": ["hub"]}, max_triples=4)
    assert sorted(graph.rows.tolist()) == [0, 1, 2, 3]
    kg = KnowledgeGraph.from_triples((f"e{i:03d}", "r", f"e{i + 1:03d}") for i in range(90))
    (graph,) = question_graphs(kg, {"q": ["e000"]}, hops=40, max_triples=30)
    assert sorted(graph.rows.tolist()) == list(range(30))


def test_only_the_order_depends_on_the_question_and_the_seed() -> None:
    kg = random_graph(1)
    topics = {"a": ["e0", "e1"], "b": ["e1", "e0"], "c": ["e3"]}
    one = [g.rows.tolist() for g in question_graphs(kg, topics, max_triples=40)]
    other = [g.rows.tolist() for g in question_graphs(kg, topics, max_triples=40, seed=1)]
    alone = [g.rows.tolist() for g in question_graphs(kg, {"c": ["e3"]}, max_triples=40)]
    assert sorted(one[0]) == sorted(one[1]) == sorted(other[0])
    assert len({tuple(one[0]), tuple(one[1]), tuple(other[0])}) == 3
    assert one[2] == alone[0]
