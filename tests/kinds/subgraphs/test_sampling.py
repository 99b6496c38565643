"""Sampled subgraphs beside Algorithm 1 of SynthKGQA, written down a second time."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from rulemine.errors import UserError
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.subgraphs.ask import Grower
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.subgraphs.sampling import Sampler
from rulemine.seeds import stream

DRAWS = 1200


def random_graph(seed: int, entities: int = 25, triples: int = 60) -> KnowledgeGraph:
    """Few triples, hubs, loops, parallel and opposite triples."""
    draw = stream(seed, "graph")
    return KnowledgeGraph.from_triples(
        (
            f"e{draw.below(entities)}",
            f"r{draw.below(4)}",
            f"e{draw.below(draw.below(entities) + 1)}",
        )
        for _ in range(triples)
    )


def algorithm(
    triples: set[Triple], start: str, most_nodes: int, most_triples: int
) -> dict[frozenset[Triple], float]:
    """The chance of each subgraph, by going through all draws of Algorithm 1."""
    degree = Counter(end for s, _, o in triples for end in (s, o))

    def softmax(some: list[str]) -> dict[str, float]:
        of = {name: math.exp(1 / degree[name]) for name in some}
        return {name: value / sum(of.values()) for name, value in of.items()}

    def neighbors(z: str, inside: tuple[str, ...]) -> list[str]:
        ends = {s if o == z else o for s, _, o in triples if z in (s, o)}
        return sorted(ends - set(inside))

    found: dict[frozenset[Triple], float] = {}

    def go(nodes: tuple[str, ...], taken: frozenset[Triple], chance: float) -> None:
        open_ = [z for z in nodes if neighbors(z, nodes)]
        if len(nodes) >= most_nodes or len(taken) >= most_triples or not open_:
            found[taken] = found.get(taken, 0.0) + chance
            return
        for z, p in softmax(open_).items():
            for n, q in softmax(neighbors(z, nodes)).items():
                new = {t for t in triples if n in (t[0], t[2]) and {t[0], t[2]} - {n} <= {*nodes}}
                go((*nodes, n), taken | new, chance * p * q)

    go((start,), frozenset(), 1.0)
    return found


@pytest.mark.parametrize("seed", range(2))
def test_chances_are_those_of_the_algorithm(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kg = random_graph(seed, 9, 20)
    triples = {(s, r, o) for s, r, o in kg.labeled() if s != o and r != "r3"}
    start = max(kg.entities, key=lambda e: sum(e in (s, o) for s, _, o in triples))
    wanted = algorithm(triples, start, 4, 5)
    assert len(wanted) > 3
    monkeypatch.setattr(SubgraphSection, "nodes", 4)
    monkeypatch.setattr(SubgraphSection, "edges", 5)
    sampler = Sampler(kg, ["r3", "no such relation"], np.array([kg.entity_ids[start]]))
    drawn = Counter(
        frozenset(kg.labeled(np.array(sampler.draw(stream(n, "chances")).rows)))
        for n in range(DRAWS)
    )
    assert set(drawn) <= set(wanted)
    common = [key for key, chance in wanted.items() if chance * DRAWS >= 5]
    counts = [*(drawn[key] for key in common)]
    expected = [*(DRAWS * wanted[key] for key in common)]
    if (rest := DRAWS - sum(expected)) > 1e-6:
        counts, expected = [*counts, DRAWS - sum(counts)], [*expected, rest]
    assert chisquare(counts, expected).pvalue > 1e-3


def test_subgraphs_are_connected_and_have_all_triples_between_their_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SubgraphSection, "nodes", 8)
    monkeypatch.setattr(SubgraphSection, "edges", 14)
    for seed in range(12):
        kg = random_graph(seed)
        sampler = Sampler(kg, ["r0"])
        left = [
            (s, o) if r != kg.relation_ids.get("r0") and s != o else ()
            for s, r, o in kg.triples.tolist()
        ]
        for number in range(20):
            drawn = sampler.draw(stream(number, "draw"))
            nodes, rows = drawn.nodes, drawn.rows
            assert len(set(nodes)) == len(nodes) <= 8
            assert sorted(rows) == [
                row for row, ends in enumerate(left) if ends and {*ends} <= {*nodes}
            ]
            came = {node: place for place, node in enumerate(nodes)}
            later = [max(came[end] for end in left[row]) for row in rows]
            assert later == sorted(later)  # every triple came with the later of its ends
            assert set(later) == {*range(1, len(nodes))}  # and every node with one: connected
            before_last = sum(place < len(nodes) - 1 for place in later)
            assert before_last < 14
            if len(nodes) < 8 and len(rows) < 14:  # it stopped as nothing was left
                assert not [e for e in left if e and len({*e} & {*nodes}) == 1]


def test_a_draw_depends_on_its_stream_alone() -> None:
    kg = random_graph(3)
    one, other = Sampler(kg), Sampler(kg)
    forward = [one.draw(stream(5, "subgraphs", n)) for n in range(9)]
    backward = [other.draw(stream(5, "subgraphs", n)) for n in reversed(range(9))]
    assert forward == backward[::-1]
    assert len(set(forward)) > 1


def test_entities_that_have_only_loops_or_excluded_triples_are_no_start() -> None:
    kg = KnowledgeGraph.from_triples([("a", "r", "a"), ("a", "x", "b"), ("b", "r", "c")])
    sampler = Sampler(kg, ["x"])
    drawn = {sampler.draw(stream(n, "draw")) for n in range(20)}
    assert {frozenset(kg.labeled(np.array(d.rows))) for d in drawn} == {
        frozenset({("b", "r", "c")})
    }
    with pytest.raises(UserError, match="no entity that one may start at"):
        Sampler(kg, ["x", "r"])
    with pytest.raises(UserError, match="no entity that one may start at"):
        Sampler(kg, ["x"], np.array([kg.entity_ids["a"]]))


def test_a_grown_subgraph_begins_with_the_answer_subgraph_and_one_triple_at_an_end() -> None:
    sides = Counter[str]()
    for seed in range(40):
        kg = random_graph(seed, 25, 90)
        grower = Grower(Sampler(kg))
        by_entity = [(a, b) for a, b in enumerate(kg.triples.tolist()) if b[0] != b[2]]
        first = next(
            ((a, x), (b, y))
            for a, x in by_entity
            for b, y in by_entity
            if x[2] == y[0] and len({x[0], x[2], y[2]}) == 3
        )
        (row, (seed_node, _, middle)), (last, (_, _, answer)) = first
        grown = grower.grow([row, last], answer, [seed_node], stream(seed, "grow"), "c7")
        if grown is None:
            assert all(
                {x[0], x[2]} <= {seed_node, middle, answer}
                for _, x in by_entity
                if {x[0], x[2]} & {seed_node, answer}
            )
            continue
        assert grown.parent == "c7"
        assert grown.rows[:2] == (row, last)
        assert grown.nodes[:3] == (seed_node, middle, answer)
        new = {kg.triples[grown.rows[2], 0], kg.triples[grown.rows[2], 2]}
        assert grown.nodes[3] in new
        (side,) = new & {seed_node, answer}
        sides["seed" if side == seed_node else "answer"] += 1
        inside = [r for r, t in by_entity if {t[0], t[2]} <= {*grown.nodes}]
        assert sorted(grown.rows) == inside
        assert len(grown.nodes) == 10 or len(grown.rows) >= 30
    assert min(sides["seed"], sides["answer"]) > 5


def test_what_has_no_neighbor_outside_does_not_grow() -> None:
    kg = KnowledgeGraph.from_triples([("a", "r", "b"), ("b", "r", "a")])
    assert Grower(Sampler(kg)).grow([0], 1, [0], stream(0, "grow")) is None
