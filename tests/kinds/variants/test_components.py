"""Components: compared with the smallest Steiner trees of tiny graphs, found by trying all."""

import random
from collections import Counter
from itertools import combinations

import pytest

from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.variants.components import APART, LARGE, NONE, ONE, Components
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.written.replies import Refusal, Subgraph
from tests import each, some_seeds

Pairs = set[tuple[int, int]]


def component(kg: KnowledgeGraph, seeds: str, *excluded: str) -> Subgraph | Refusal:
    return Components(kg, excluded).component([kg.entity_ids[name] for name in seeds.split()])


def given(kg: KnowledgeGraph, seeds: str) -> Subgraph:
    found = component(kg, seeds)
    assert isinstance(found, Subgraph)
    return found


def shown(kg: KnowledgeGraph, found: Subgraph) -> tuple[str, set[Triple]]:
    names = " ".join(kg.entities[node] for node in found.nodes)
    return names, {kg.labeled()[row] for row in found.rows}


def graph(*lines: str) -> KnowledgeGraph:
    return KnowledgeGraph.from_triples([(s, r, o) for s, r, o in map(str.split, lines)])


def random_graph(dice: random.Random) -> list[Triple]:
    size = dice.randint(4, 9)
    return [
        (f"e{dice.randrange(size)}", f"r{dice.randrange(3)}", f"e{dice.randrange(size)}")
        for _ in range(dice.randint(3, 16))
    ]


def pairs_of(kg: KnowledgeGraph, rows: object = slice(None)) -> Pairs:
    return {(min(s, o), max(s, o)) for s, _, o in kg.triples[rows].tolist() if s != o}


def reached(pairs: Pairs, start: int, within: set[int]) -> set[int]:
    found, waiting = {start}, [start]
    while waiting:
        at = waiting.pop()
        for pair in pairs:
            if at in pair and set(pair) <= within and not set(pair) <= found:
                waiting += set(pair) - found
                found |= set(pair)
    return found


def fewest_edges(pairs: Pairs, seeds: set[int]) -> int:
    """The edges of the smallest tree that holds all seeds."""
    others = sorted({node for pair in pairs for node in pair} - seeds)
    for more in range(len(others) + 1):
        for chosen in combinations(others, more):
            within = seeds | set(chosen)
            if reached(pairs, min(seeds), within) == within:
                return len(within) - 1
    raise AssertionError("not connected")


@each("number", some_seeds(150))
def test_a_tree_is_valid_and_nearly_as_small_as_the_smallest(number: int) -> None:
    dice = random.Random(number)
    kg = KnowledgeGraph.from_triples(random_graph(dice))
    seeds = dice.sample(range(len(kg.entities)), min(len(kg.entities), dice.randint(2, 4)))
    around = {pair for pair in pairs_of(kg) if set(pair) & set(seeds)}
    everyone = {node for pair in around for node in pair}
    parts = {frozenset(reached(around, node, everyone)) for node in everyone}
    found = Components(kg, ()).component(seeds)
    if not any(len(part & set(seeds)) > 1 for part in parts):
        assert found == Refusal(APART)
        return
    assert isinstance(found, Subgraph)
    nodes, pairs = set(found.nodes), pairs_of(kg, list(found.rows))
    held = nodes & set(seeds)
    assert len(found.nodes) == len(nodes) == len(pairs) + 1, "a tree on the simple graph"
    assert reached(pairs, min(nodes), nodes) == nodes
    degrees = Counter(node for pair in pairs for node in pair)
    leaves = {node for node in nodes if degrees[node] == 1}
    assert leaves <= held
    own = next(part for part in parts if held <= part)
    assert held == own & set(seeds), "every seed of its part"
    assert len(pairs) <= (2 - 2 / len(held)) * fewest_edges(around, held)
    ends = ((row, min(s, o), max(s, o)) for row, (s, _, o) in enumerate(kg.triples.tolist()))
    between = [row for row, low, high in ends if (low, high) in pairs]
    assert list(found.rows) == between, "every triple between two neighbors, both ways"


@each("number", some_seeds(20))
def test_the_order_of_seeds_and_lines_does_not_matter(number: int) -> None:
    dice = random.Random(1000 + number)
    triples = random_graph(dice) + random_graph(dice)
    kg = KnowledgeGraph.from_triples(triples)
    seeds = dice.sample(range(len(kg.entities)), 3)
    found = Components(kg, ()).component(seeds)
    dice.shuffle(triples)
    other = Components(KnowledgeGraph.from_triples(triples), ()).component(seeds)
    assert other == found
    assert Components(kg, ()).component(seeds[::-1]) == found


def test_all_relations_of_a_pair_are_kept_both_ways() -> None:
    kg = graph("a r m", "a q m", "m r a", "m r b", "b q b", "a r x", "x r y")
    expected = {("a", "r", "m"), ("a", "q", "m"), ("m", "r", "a"), ("m", "r", "b")}
    assert shown(kg, given(kg, "b a")) == ("a b m", expected)


def test_the_part_with_most_entities_counts_then_most_seeds_then_the_smallest_id() -> None:
    for lines, seeds, expected in (
        (("a r b", "c r m", "m r d"), "a b c d", "c d m"),
        (("a r m", "m r b", "x r y", "y r z"), "a b x y z", "x y z"),
        (("x r y", "b r c"), "x y c b", "b c"),
    ):
        kg = graph(*lines)
        assert shown(kg, given(kg, seeds))[0] == expected


def test_of_too_many_neighbors_the_first_by_relation_direction_and_name_are_followed(monkeypatch):
    monkeypatch.setattr(VariantSection, "max_neighbors", 2)
    kg = graph("a p z", "a q m", "m q b", "b r a2", "n q a", "n q b")
    assert shown(kg, given(kg, "a b"))[0] == "a b m"
    monkeypatch.setattr(VariantSection, "max_neighbors", 1)
    assert component(kg, "a b") == Refusal(APART)


def test_excluded_relations_connect_nothing_and_names_are_exact() -> None:
    kg = graph("a label m", "m label b", "a recordLabel n", "n recordLabel b", "n label b")
    found = component(kg, "a b", "label", "unknown")
    assert isinstance(found, Subgraph)
    assert shown(kg, found)[1] == {("a", "recordLabel", "n"), ("n", "recordLabel", "b")}


def test_why_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VariantSection, "max_triples", 2)
    kg = graph("a r m", "m r b", "x r y", "z r z")
    for seeds, why in (("", NONE), ("a a", ONE), ("a x", APART), ("z x", APART)):
        assert component(kg, seeds) == Refusal(why)
    refused = component(graph("a r m", "m r b", "m q b"), "a b")
    assert isinstance(refused, Refusal)
    assert refused.reason == LARGE
    assert "3;" in refused.detail
