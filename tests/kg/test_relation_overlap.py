"""Twins are those that counting pair by pair finds."""

import random

import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.relation_overlap import LEAST_SHARE, overlapping_relations
from tests import some_seeds


@pytest.mark.parametrize("seed", some_seeds(20))
def test_twins_are_those_of_a_plain_search(seed: int) -> None:
    rng = random.Random(seed)
    triples = {(f"n{rng.randrange(4)}", "p", f"n{rng.randrange(4)}") for _ in range(9)}
    triples |= {(s, "q", o) for s, _, o in triples if rng.random() < 0.85}
    triples |= {(o, "r", s) for s, _, o in triples if rng.random() < 0.85}
    kg = KnowledgeGraph.from_triples(triples)
    expected = []
    for one in kg.relations:
        facts = {(s, o) for s, r, o in triples if r == one}
        for other in kg.relations:
            ends = {(s, o) for s, r, o in triples if r == other}
            for turned in (False, True):
                both = facts & ({(o, s) for s, o in ends} if turned else ends)
                share = len(both) / len(facts)
                if share >= LEAST_SHARE and (turned or one != other):
                    expected.append((one, other, turned, share))
    assert list(overlapping_relations(kg)) == sorted(expected)


def test_a_symmetric_relation_is_its_own_twin() -> None:
    kg = KnowledgeGraph.from_triples([("a", "friend", "b"), ("b", "friend", "a")])
    assert [tuple(twin) for twin in overlapping_relations(kg)] == [("friend", "friend", True, 1.0)]
