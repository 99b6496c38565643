"""What can be drawn depends on the graph and on what is wanted, not on earlier draws."""

import numpy as np

from rulemine.kg.entity_types import types_of
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.structures.drawing import Drawer
from rulemine.kinds.structures.edges import Draws, Steps
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
