"""Trees along a list of joins, and subgraphs beside Algorithm 1 of SynthKGQA, written down a second time."""

import math
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.subgraphs.drawing import Sampler, Trees, asked_rows, plan_of
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.structures import structure_of
from rulemine.query.tree import Intersection, Projection, Query
from rulemine.recipe.joins import Joins, Link, load_joins
from rulemine.seeds import stream
from tests import each

DRAWS = 1200

TEXT = """
joins = [
    { from = ["directed", "wrote", "^genre"], to = ["^directed", "^wrote"] },
    { from = ["spouse"], to = ["directed"] },
    { from = ["^directed", "^wrote"], to = ["born_in", "spouse"], forms = ["2p", "3p"] },
    { from = ["spouse"], to = ["born_in"], forms = ["2p", "3p"] },
]
together = [
    { links = ["directed", "wrote"], with = ["^genre"], forms = ["2i", "pi"] },
    { links = ["directed", "wrote"] },
]
"""
DECLARED = Declarations.of(symmetric=["spouse"])


@pytest.fixture
def joins(tmp_path: Path) -> Joins:
    (tmp_path / "joins.toml").write_text(TEXT)
    relations = ["directed", "wrote", "born_in", "spouse", "genre"]
    found = load_joins(str(tmp_path / "joins.toml"), relations, DECLARED)
    assert found is not None
    return found


def random_graph(seed: int, entities: int = 25, triples: int = 60) -> KnowledgeGraph:
    """Few triples, hubs, loops, parallel and opposite triples."""
    of = stream(seed, "graph").below
    return KnowledgeGraph.from_triples(
        (f"e{of(entities)}", f"r{of(4)}", f"e{of(of(entities) + 1)}") for _ in range(triples)
    )


def algorithm(
    triples: set[Triple], first: Triple, most_nodes: int, most_triples: int
) -> dict[frozenset[Triple], float]:
    """The chance of each subgraph around a triple, by going through all draws of Algorithm 1."""
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

    ends = (first[0], first[2])
    go(ends, frozenset(t for t in triples if {t[0], t[2]} == {*ends}), 1.0)
    return found


@each("seed", range(2))
def test_chances_are_those_of_the_algorithm(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kg = random_graph(seed, 9, 20)
    triples = {(s, r, o) for s, r, o in kg.labeled() if s != o and r != "r3"}
    hub = max(kg.entities, key=lambda e: sum(e in (s, o) for s, _, o in triples))
    first = next(t for t in sorted(triples) if hub in (t[0], t[2]))
    wanted = algorithm(triples, first, 5, 6)
    assert len(wanted) > 3
    monkeypatch.setattr(SubgraphSection, "nodes", 5)
    monkeypatch.setattr(SubgraphSection, "edges", 6)
    sampler = Sampler(kg, asked_rows(kg, ["r3", "no such relation"]))
    row = kg.labeled().index(first)
    drawn = Counter(
        frozenset(kg.labeled(np.array(sampler.around([row], stream(n, "chances")).rows)))
        for n in range(DRAWS)
    )
    assert set(drawn) <= set(wanted)
    common = [key for key, chance in wanted.items() if chance * DRAWS >= 5]
    counts = [*(drawn[key] for key in common)]
    expected = [*(DRAWS * wanted[key] for key in common)]
    if (rest := DRAWS - sum(expected)) > 1e-6:
        counts, expected = [*counts, DRAWS - sum(counts)], [*expected, rest]
    assert chisquare(counts, expected).pvalue > 1e-3


def test_subgraphs_begin_with_their_triples_and_have_all_between_their_nodes(monkeypatch):
    monkeypatch.setattr(SubgraphSection, "nodes", 8)
    monkeypatch.setattr(SubgraphSection, "edges", 14)
    for seed in range(12):
        kg = random_graph(seed)
        rows = asked_rows(kg, ["r0"])
        left = {row: {*kg.triples[row, [0, 2]].tolist()} for row in rows.tolist()}
        assert all(len(ends) == 2 for ends in left.values()), "loops are left out"
        sampler, draws = Sampler(kg, rows), stream(seed, "draw")
        for _ in range(20):
            first = int(rows[draws.below(len(rows))])
            beside = [row for row in left if len(left[row] & left[first]) == 1]
            given = [first, *beside[:1]]
            drawn = sampler.around(given, draws)
            assert [*drawn.rows[: len(given)]] == given
            assert len(set(drawn.nodes)) == len(drawn.nodes) <= 8
            assert sorted(drawn.rows) == [row for row in left if left[row] <= {*drawn.nodes}]
            seen = {drawn.nodes[0]}
            for _ in drawn.nodes:
                seen |= {e for row in drawn.rows if left[row] & seen for e in left[row]}
            assert seen == {*drawn.nodes}, "connected"
            if len(drawn.nodes) < 8 and len(drawn.rows) < 14:  # nothing was left
                assert not [e for e in left.values() if len(e & {*drawn.nodes}) == 1]


def test_a_draw_depends_on_its_stream_alone() -> None:
    kg = random_graph(3)
    rows = asked_rows(kg)
    one, other = Sampler(kg, rows), Sampler(kg, rows)
    forward = [one.around([int(rows[0])], stream(5, "subgraphs", n)) for n in range(9)]
    backward = [other.around([int(rows[0])], stream(5, "subgraphs", n)) for n in reversed(range(9))]
    assert forward == backward[::-1]
    assert len(set(forward)) > 1


def _links(query: Query) -> list[tuple[Link, Query]]:
    """The links that give what a query gives, and what each starts from."""
    if isinstance(query, Projection):
        asked, end = DECLARED.asked(query.relation, ("object", "subject")[query.inverse])
        return [((asked, end == "subject"), query.of)]
    return (
        [one for part in query.parts for one in _links(part)]
        if isinstance(query, Intersection)
        else []
    )


def _depth(query: Query) -> int:
    return max((1 + _depth(of) for _, of in _links(query)), default=0)


def _is_listed(query: Query, joins: Joins, above: int = 0) -> bool:
    """Whether all links of a tree that meet are joined as a list has it."""
    links = _links(query)
    together = joins.together["pi" if _depth(query) > 1 else "2i"]
    if not all(pair in together for pair in combinations([link for link, _ in links], 2)):
        return False
    for link, of in links:
        for below, _ in _links(of):
            whole = above + 2 + max(_depth(rest) for one, rest in _links(of) if one == below)
            if (below, link) not in joins.after["3p" if whole >= 3 else "2p"]:
                return False
    return all(_is_listed(of, joins, above + 1) for _, of in links)


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("shape", ["(1)", "(2)", "(3)", "(1)(1)", "((1)(1))", "(2)(1)"])
def test_trees_have_the_shape_the_triple_and_listed_joins(joins, shape, listed, monkeypatch):
    monkeypatch.setattr("rulemine.kinds.neighbors.USUAL", 0)  # any link may go on
    rows = [(f"p{i}", "directed", f"f{j}") for i in range(6) for j in (i, (i + 1) % 6)]
    rows += [(f"p{(i + 2) % 6}", "wrote", f"f{i}") for i in range(6)]
    rows += [(f"f{i}", "genre", ("drama", "satire")[i % 2]) for i in range(6)]
    rows += [(f"p{i}", "spouse", f"p{i + 1}") for i in (0, 2, 4)]
    rows += [(f"p{i}", "born_in", f"t{i // 2}") for i in range(6)]
    kg = KnowledgeGraph.from_triples(rows)
    trees = Trees(kg, np.arange(len(kg)), DECLARED, joins if listed else None)
    random, seen = stream(0, "test"), dict[str, bool]()
    for row in np.arange(len(kg)).repeat(12).tolist():
        if (drawn := trees.draw(plan_of(shape), row, random)) is None:
            continue
        tree, answer = drawn
        assert row in tree
        query = query_of_triples(kg.labeled(np.array(tree)), kg.entities[answer])
        assert structure_of(query, DECLARED).shape == shape
        seen[query.text] = _is_listed(query, joins)
    assert (len(seen) > 5) == (listed or shape != "(3)")  # without a list, no chain is long
    assert all(seen.values()) == (listed or shape in ("(1)", "(3)"))
