from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from rulemine.errors import QueryError
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query import Intersection, Projection, QueryGraph, evaluate, parse
from rulemine.query.minimality import MOST_NEEDLESS, minimal, query_of_seeds
from rulemine.query.structures import structure_of
from rulemine.query.tree import Anchor, Query
from tests.query.rooted_trees import Tree, query_of, rooted_trees, shape_of

Path = tuple[tuple[str, bool], ...]
"""The steps from the answer down to a seed: relation, whether inverse."""


def test_all_rooted_trees_have_codes_of_their_own() -> None:
    found = [shape_of(tree) for edges in range(1, 7) for tree in rooted_trees(edges)]
    assert [len(rooted_trees(edges)) for edges in range(1, 7)] == [1, 2, 4, 9, 20, 48]
    assert len(set(found)) == 84


@pytest.mark.parametrize("edges", range(1, 7))
def test_each_rooted_tree_is_minimal_where_all_its_seeds_are_needed(edges: int) -> None:
    for tree in rooted_trees(edges):
        query = query_of(tree)
        triples = [*_triples(query, "answer", "x")]
        for seed in structure_of(query).anchors:  # without it, there would be another answer
            less = query_of_seeds(query, frozenset(structure_of(query).anchors) - {seed})
            triples += _triples(less, f"not {seed}", f"x{seed}") if less else ()
        graph = QueryGraph(KnowledgeGraph.from_triples(triples))
        assert evaluate(graph, query).answers == ("answer",)
        found = minimal(graph, query)
        assert found == (False, shape_of(tree), ((structure_of(query).anchors, query),))


def _triples(query: Query, end: str, name: str) -> Iterator[Triple]:
    """A derivation of an entity, with new names for what is between."""
    for part in query.parts if isinstance(query, Intersection) else (query,):
        assert isinstance(part, Projection)
        below = part.of.entity if isinstance(part.of, Anchor) else f"{name} {part.relation}"
        yield below, part.relation, end
        if not isinstance(part.of, Anchor):
            yield from _triples(part.of, below, name)


def test_random_trees_on_random_graphs_against_all_subsets() -> None:
    rng = Random(5)
    redundant = several = 0
    for _ in range(120):
        entities, relations = "abcdefgh"[: rng.randrange(4, 9)], "rst"[: rng.randrange(1, 4)]
        triples = [(rng.choice(entities), rng.choice(relations), rng.choice(entities))
                   for _ in range(rng.randrange(8, 40))]  # fmt: skip
        kg = KnowledgeGraph.from_triples(triples)
        tree = rng.choice(rooted_trees(rng.randrange(2, 7)))
        query, answer = _drawn(kg, tree, rng.choice(kg.entities), rng)
        graph = QueryGraph(kg)
        assert answer in evaluate(graph, query).answers
        seeds = structure_of(query).anchors
        answers = _answers(kg, query, seeds)
        assert {*evaluate(graph, query).answers} == answers
        enough = [some for size in range(1, len(seeds) + 1) for some in combinations(seeds, size)
                  if _answers(kg, query, some) == answers]  # fmt: skip
        smallest = [some for some in enough if len(some) == len(enough[0])]
        found = minimal(graph, query)
        assert found.redundant == (len(enough[0]) < len(seeds))
        assert [some for some, _ in found.queries] == smallest
        assert all({*evaluate(graph, q).answers} == answers for _, q in found.queries)
        shapes = [(structure_of(q).atoms, structure_of(q).shape) for _, q in found.queries]
        assert found.shape == min(shapes)[1]
        redundant += found.redundant
        several += len(found.queries) > 1
    assert redundant > 20
    assert several > 4


def _drawn(kg: KnowledgeGraph, tree: Tree, answer: str, rng: Random) -> tuple[Query, str]:
    """A query of a shape, drawn down from an answer."""
    parts: list[Query] = []
    for branch in tree:
        steps = [(r, False, s) for s, r, o in kg.labeled() if o == answer]
        steps += [(r, True, o) for s, r, o in kg.labeled() if s == answer]
        relation, inverse, below = rng.choice(steps)
        of = _drawn(kg, branch, below, rng)[0] if branch else Anchor(below)
        parts.append(Projection(relation, inverse, of))
    return Intersection.of(parts), answer


def _paths(query: Query) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each seed with the places on the way to it, which tell which parts of its path others share."""
    if isinstance(query, Anchor):
        yield query.entity, ()
    elif isinstance(query, Projection):
        for seed, steps in _paths(query.of):
            yield seed, (query.text, *steps)
    elif isinstance(query, Intersection):
        for part in query.parts:
            yield from _paths(part)


def _answers(kg: KnowledgeGraph, query: Query, some: tuple[str, ...]) -> set[str]:
    """The answers of the patterns on the paths to some seeds, by trying every triple for every atom."""
    atoms: dict[tuple[str, ...], tuple[str, str, bool, str]] = {}
    for seed, steps in _paths(query):
        if seed in some:
            for depth in range(1, len(steps) + 1):
                atom = parse(steps[depth - 1])
                assert isinstance(atom, Projection)
                end = f"={seed}" if depth == len(steps) else str(steps[:depth])
                near = str(steps[: depth - 1])
                atoms[steps[:depth]] = (near, atom.relation, atom.inverse, end)
    found: list[dict[str, str]] = [{}]
    for near, relation, inverse, far in atoms.values():
        longer = []
        for bound in found:
            for s, r, o in kg.labeled():
                here, there = (s, o) if inverse else (o, s)
                fits = r == relation and bound.get(near, here) == here
                wanted = far[1:] if far.startswith("=") else bound.get(far, there)
                if fits and wanted == there:
                    longer.append({**bound, near: here, far: there})
        found = [dict(one) for one in {tuple(sorted(one.items())) for one in longer}]
    return {bound["()"] for bound in found}


def test_a_union_and_what_is_taken_away_go_whole() -> None:
    query = parse(
        '(minus (and (or (p "r" "a") (p "s" "b")) (p "t" "c")) (and (p "u" "d") (p "v" "e")))'
    )
    kept = {
        "abcde": query.text,
        "abcd": '(and (or (p "r" "a") (p "s" "b")) (p "t" "c"))',
        "acde": '(minus (p "t" "c") (and (p "u" "d") (p "v" "e")))',
        "ab": '(or (p "r" "a") (p "s" "b"))',
        "ad": None,
        "de": None,
        "": None,
    }
    for seeds, text in kept.items():
        found = query_of_seeds(query, frozenset(seeds))
        assert (None if found is None else found.text) == text
    counted = query_of_seeds(parse('(count (and (p "r" "a") (p "r" "b")))'), frozenset("a"))
    assert counted == parse('(count (p "r" "a"))')


def test_statements_of_one_fact_are_one_edge() -> None:
    declared = Declarations.of(symmetric=["r"])
    query = parse('(and (or (p "r" "a") (p- "r" "a")) (p "s" (p "s" "b")))')
    triples = [("x", "r", "a"), ("b", "s", "m"), ("m", "s", "x")]
    graph = QueryGraph(KnowledgeGraph.from_triples(triples))
    found = minimal(graph, query, declared)
    assert (found.redundant, found.shape) == (True, "(1)")
    assert [seeds for seeds, _ in found.queries] == [("a",), ("b",)]


def test_a_query_that_fails_is_an_error() -> None:
    graph = QueryGraph(KnowledgeGraph.from_triples([("a", "r", "x"), ("b", "r", "x")]))
    with pytest.raises(QueryError, match='no relation "s"'):
        minimal(graph, parse('(and (p "r" "a") (p "s" "b"))'))


def test_subsets_of_many_needless_seeds_are_refused_rather_than_tried() -> None:
    names = [f"a{i}" for i in range(MOST_NEEDLESS + 1)]
    graph = QueryGraph(KnowledgeGraph.from_triples([(name, "r", "x") for name in names]))
    query = Intersection.of(Projection("r", False, Anchor(name)) for name in names)
    with pytest.raises(QueryError, match="17 seeds can be left out"):
        minimal(graph, query)
    fewer = minimal(graph, Intersection.of(query.parts[1:]))  # type: ignore[union-attr]
    assert len(fewer.queries) == MOST_NEEDLESS
