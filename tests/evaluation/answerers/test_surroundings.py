"""A graph by name: what lies at an entity, in both directions."""

from rulemine.evaluation.answerers.surroundings import Surroundings
from rulemine.kg.graph import KnowledgeGraph

TRIPLES = [
    ("a", "r", "b"),
    ("a", "s", "b"),  # parallel
    ("b", "r", "a"),
    ("a", "r", "a"),
    ("c", "r", "b"),
    ("d", "s", "c"),
]
WALK = Surroundings(KnowledgeGraph.from_triples(TRIPLES))


def test_relations_in_both_directions():
    assert WALK.relations("a") == [("r", "in"), ("r", "out"), ("s", "out")]
    assert WALK.relations("d") == [("s", "out")]
    assert WALK.relations("nobody") == []


def test_neighbors():
    assert WALK.neighbors("a", "r", "out") == ["a", "b"]
    assert WALK.neighbors("b", "r", "in") == ["a", "c"]
    assert WALK.neighbors("b", "s", "in") == ["a"]
    assert WALK.neighbors("a", "nothing", "out") == WALK.neighbors("nobody", "r", "out") == []


def test_known_and_unknown_names():
    assert (WALK.known("a"), WALK.named("a")) == (True, "a")
    assert (WALK.known("nobody"), WALK.named("nobody")) == (False, None)
