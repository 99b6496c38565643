"""What can be drawn depends on the graph and on what is wanted, not on earlier draws."""

from pathlib import Path

import numpy as np
import pytest

from rulemine.kg.entity_types import types_of
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.structures.drawing import Drawer
from rulemine.kinds.structures.edges import Draws, Steps
from rulemine.recipe.joins import Joins, load_joins
from rulemine.seeds import stream


def test_the_anchors_of_a_union_share_a_neighbor_that_few_others_have() -> None:
    films = [f"film{i}" for i in range(40)]
    kg = KnowledgeGraph.from_triples(
        [("drama", "has_film", film) for film in films]
        + [(film, "stars", f"actor{i}") for i, film in enumerate(films)]
        + [("kubrick", "directed", film) for film in films[:2]]
    )
    removed, allowed = np.zeros(len(kg), bool), np.ones((len(kg), 2), bool)
    steps = Steps.of(kg, removed, allowed, removed, Declarations(), ())
    anchors = np.array([name.startswith("film") for name in kg.entities])
    drawer = Drawer(steps, types_of(kg), [anchors], 20, 100)
    draws = Draws(stream(0, "test"))
    drawn = {found.query.text for _ in range(200) if (found := drawer.draw("2u", 0, 0, draws))}
    assert drawn == {
        '(or (p "stars" "film0") (p "stars" "film1"))',
        '(or (p- "directed" "film0") (p- "directed" "film1"))',
    }


def test_links_that_nothing_misses_are_found_after_missing_ones_were_looked_for():
    people = [("ann", "oslo", "bakery"), ("bo", "oslo", "mill"), ("cy", "rome", "bakery")]
    kg = KnowledgeGraph.from_triples(
        [(who, "lives_in", town) for who, town, _ in people]
        + [(who, "works_for", firm) for who, _, firm in people]
    )
    removed, allowed = np.zeros(len(kg), bool), np.ones((len(kg), 2), bool)
    steps = Steps.of(kg, removed, allowed, removed, Declarations(), ())
    drawer = Drawer(steps, types_of(kg), [np.ones(len(kg.entities), bool)], 20, 100)
    draws = Draws(stream(0, "test"))
    assert not any(drawer.draw("2i", 1, 0, draws) for _ in range(20))
    drawn = {found.query.text for _ in range(20) if (found := drawer.draw("2i", 0, 0, draws))}
    assert drawn == {'(and (p- "lives_in" "oslo") (p- "works_for" "bakery"))'}


@pytest.fixture
def joins(tmp_path: Path) -> Joins | None:
    path = tmp_path / "joins.toml"
    path.write_text("""
unions = ["makes"]
akin = ["sibling"]

[classes]
makes = ["directs", "writes"]

[[joins]]
from = ["makes"]
to = ["^stars"]

[[joins]]
from = ["^makes"]
to = ["born_in"]
chains = true

[[joins]]
from = ["born_in"]
to = ["lies_in"]
chains = true

[[together]]
links = ["makes"]
with = ["^genre"]
""")
    relations = ["directs", "writes", "stars", "genre", "born_in", "lies_in", "sibling"]
    return load_joins(str(path), relations, Declarations())


def test_queries_are_drawn_over_listed_joins(joins: Joins | None) -> None:
    people = [f"p{i}" for i in range(6)]
    rows = [(who, "directs", f"f{i}") for i, who in enumerate(people)]
    rows += [(who, "writes", f"f{(i + 1) % 6}") for i, who in enumerate(people)]
    rows += [(f"a{i}", "stars", f"f{i}") for i in range(6)]
    rows += [(who, "directs", f"f{6 + i}") for i, who in enumerate(people)]
    rows += [(f"f{i}", "genre", ("drama", "satire")[(i + i // 6) % 2]) for i in range(12)]
    rows += [(who, "born_in", f"t{i // 2}") for i, who in enumerate(people)]
    rows += [(f"t{i}", "lies_in", f"c{i // 2}") for i in range(3)]
    rows += [("kim", "sibling", who) for who in people[:2]]
    kg = KnowledgeGraph.from_triples(rows)
    removed, allowed = np.zeros(len(kg), bool), np.ones((len(kg), 2), bool)
    steps = Steps.of(kg, removed, allowed, removed, Declarations(), ())
    masks = [np.ones(len(kg.entities), bool)]
    drawer = Drawer(steps, types_of(kg), masks, 20, 100, joins=joins)
    draws = Draws(stream(0, "test"))

    def links_of(name: str) -> set[tuple[tuple[str, bool], ...]]:
        found = [
            drawer.draw(name, 0, 0, draws, listing=drawer.listed[name]) for _ in range(400)
        ]  # from the answer to the anchors
        return {tuple(steps.links[link] for link in one.links) for one in found if one}

    directs, writes, born = ("directs", False), ("writes", False), ("born_in", False)
    back = {(relation, True) for relation, _ in (directs, writes)}
    assert links_of("3p") == {(("lies_in", False), born, maker) for maker in back}
    assert links_of("2p") == (
        {(born, maker) for maker in back}
        | {(("lies_in", False), born), (("stars", True), directs), (("stars", True), writes)}
    )
    assert {frozenset(some) for some in links_of("2i")} == {frozenset((directs, ("genre", True)))}
    assert links_of("2u") == {(directs, directs), (writes, writes)}
    assert not links_of("up")
    assert "1p" not in drawer.listed
    assert not Drawer(steps, types_of(kg), masks, 20, 100).listed
