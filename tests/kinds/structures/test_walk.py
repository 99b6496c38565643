"""What can be drawn depends on the graph and on what is wanted, not on earlier draws."""

from pathlib import Path

import numpy as np
import pytest

from rulemine.kg.entity_types import types_of
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.neighbors import Neighbors
from rulemine.kinds.structures.steps import Joinable, Steps
from rulemine.kinds.structures.walk import Walk
from rulemine.phrasing.templates import load_templates
from rulemine.query.links import parts_of
from rulemine.query.structures import structure_of
from rulemine.query.tree import Projection, Query
from rulemine.recipe.joins import Joins, load_joins
from rulemine.seeds import stream


def walk_over(
    kg: KnowledgeGraph,
    name: str,
    anchors: str = "",
    joins: Joins | None = None,
    most: int = 1000,
) -> Walk:
    """Over a graph that lacks nothing; the names of anchors begin as given."""
    removed, allowed = np.zeros(len(kg), bool), np.ones((len(kg), 2), bool)
    steps = Steps.of(kg, Declarations(), removed, allowed, removed)
    joinable = Joinable.of(name, steps, load_templates("", kg.relations), joins)
    may = np.array([entity.startswith(anchors) for entity in kg.entities])
    barred = np.zeros(len(steps.link), bool)
    random = stream(0, "test").below
    near = Neighbors(kg, [])
    return Walk(name, steps, joinable, near, types_of(kg), may, barred, 20, most, random)


def drawn(walk: Walk, missing: int = 0) -> list[Query]:
    """All that is drawn."""
    found = []
    while (query := walk.draw(missing, core=False)) is not None:
        found.append(query)
    return found


def test_the_anchors_of_a_union_share_a_neighbor_that_few_others_have() -> None:
    films = [f"film{i}" for i in range(40)]
    kg = KnowledgeGraph.from_triples(
        [("drama", "has_film", film) for film in films]
        + [(film, "stars", f"actor{i}") for i, film in enumerate(films)]
        + [("kubrick", "directed", film) for film in films[:2]]
    )
    assert {query.text for query in drawn(walk_over(kg, "2u", "film"))} == {
        '(or (p "stars" "film0") (p "stars" "film1"))'
    }


def test_nothing_that_misses_a_link_is_drawn_where_nothing_is_removed() -> None:
    people = [("ann", "oslo", "bakery"), ("bo", "oslo", "mill"), ("cy", "rome", "bakery")]
    kg = KnowledgeGraph.from_triples(
        [(who, "lives_in", town) for who, town, _ in people]
        + [(who, "works_for", firm) for who, _, firm in people]
        + [("bakery", "bakes_for", "fair"), ("oslo", "holds", "fair")]
    )
    walk = walk_over(kg, "2i")
    assert not drawn(walk, missing=1)
    assert [query.text for query in drawn(walk)] == [
        '(and (p- "lives_in" "oslo") (p- "works_for" "bakery"))'
    ]


def test_no_query_is_drawn_twice_and_few_share_an_answer() -> None:
    kg = KnowledgeGraph.from_triples([(f"p{i}", f"r{i % 3}", f"q{i % 20}") for i in range(60)])
    found = drawn(walk_over(kg, "1p", "p", most=2))
    assert len({query.text for query in found}) == len(found) == 40
    assert {structure_of(query).name for query in found} == {"1p"}


JOINS = """
unions = ["makes"]
akin = ["sibling", "^directs"]
classes.makes = ["directs", "writes"]
joins = [
    { from = ["makes"], to = ["^stars"] },
    { from = ["^makes"], to = ["born_in"], forms = ["2p", "3p"] },
    { from = ["born_in"], to = ["lies_in"], forms = ["2p", "3p"] },
]
together = [{ links = ["makes"], with = ["^genre"] }]
"""


@pytest.fixture
def joins(tmp_path: Path) -> Joins | None:
    (tmp_path / "joins.toml").write_text(JOINS)
    relations = ["directs", "writes", "stars", "genre", "born_in", "lies_in", "sibling"]
    return load_joins(str(tmp_path / "joins.toml"), relations, Declarations())


def links_of(query: Query) -> list[tuple[str, bool]]:
    """The links of a query, from the answer to the anchors."""
    own = [(query.relation, query.inverse)] if isinstance(query, Projection) else []
    return own + [link for part in parts_of(query) for link in links_of(part)]


def test_queries_are_drawn_over_listed_joins(joins: Joins | None) -> None:
    people = [f"p{i}" for i in range(6)]
    rows = [(who, "directs", f"f{i}") for i, who in enumerate(people)]
    rows += [(who, "writes", f"f{(i + 1) % 6}") for i, who in enumerate(people)]
    rows += [(f"a{i}", "stars", f"f{i}") for i in range(6)]
    rows += [(who, "directs", f"f{6 + i}") for i, who in enumerate(people)]
    rows += [(f"f{i}", "genre", ("drama", "satire")[(i + i // 6) % 2]) for i in range(12)]
    rows += [(who, "born_in", f"t{i // 2}") for i, who in enumerate(people)]
    rows += [(f"t{i}", "lies_in", f"c{i // 2}") for i in range(3)]
    rows += [("p1", "sibling", "p2"), ("p4", "directs", "f12"), ("p5", "directs", "f12")]
    kg = KnowledgeGraph.from_triples(rows)

    def found(name: str) -> set[tuple[tuple[str, bool], ...]]:
        return {tuple(links_of(query)) for query in drawn(walk_over(kg, name, joins=joins))}

    directs, writes, born = ("directs", False), ("writes", False), ("born_in", False)
    back = {(relation, True) for relation, _ in (directs, writes)}
    assert found("3p") == {(("lies_in", False), born, maker) for maker in back}
    assert found("2p") == (
        {(born, maker) for maker in back}
        | {(("lies_in", False), born), (("stars", True), writes)}  # each directs two films
    )
    assert {frozenset(some) for some in found("2i")} == {frozenset((directs, ("genre", True)))}
    unions = drawn(walk_over(kg, "2u", joins=joins))  # siblings; who directed one film, in that
    assert {(links_of(query)[0], *structure_of(query).anchors) for query in unions} == (
        {(directs, "p1", "p2"), (writes, "p1", "p2"), (directs, "p4", "p5")}
    )
    assert not found("up")
    assert {("sibling", False), ("genre", True)} <= {link for some in found("1p") for link in some}


def test_of_joins_that_are_found_nobody_is_hidden_behind_a_language_and_no_thing_behind_another() -> (
    None
):
    rows = [(f"f{i}", "P161", f"a{j}") for i in range(8) for j in (i, (i + 1) % 8, (i + 3) % 8)]
    rows += [(f"a{i}", "P1412", f"l{i % 3}") for i in range(8)]  # speaks
    rows += [(f"f{i}", "P361", f"w{i // 2}") for i in range(8)]  # is part of
    rows += [(f"a{i}", "P551", f"t{i // 2}") for i in range(8)]  # has lived in
    kg = KnowledgeGraph.from_triples(rows)

    def links(name: str) -> set[str]:
        return {r for query in drawn(walk_over(kg, name)) for r, _ in links_of(query)[1:]}

    assert links("ip") == {"P161"}
    assert not links("2p")  # from a work, or whoever lives in a town, of which there are two
