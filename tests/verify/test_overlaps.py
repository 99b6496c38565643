"""Overlapping relations, as the verifier works them out."""

import random

import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.relation_overlap import overlapping_relations
from rulemine.verify.overlaps import find_overlaps
from rulemine.verify.triples import Graph


def some_graph(seed: int) -> KnowledgeGraph:
    rng = random.Random(seed)
    triples = {(f"n{rng.randrange(5)}", "p", f"n{rng.randrange(5)}") for _ in range(12)}
    triples |= {(s, "q", o) for s, _, o in triples if rng.random() < 0.85}
    triples |= {(o, "r", s) for s, _, o in triples if rng.random() < 0.85}
    triples |= {(s, "t", "n0" if rng.random() < 0.8 else o) for s, _, o in triples}
    return KnowledgeGraph.from_triples(triples)


@pytest.mark.parametrize("seed", range(20))
def test_verifier_and_builder_agree_though_they_share_no_code(seed: int) -> None:
    kg = some_graph(seed)
    assert find_overlaps(Graph.of(kg.labeled())) == {
        (t.relation, t.other, -1 if t.reversed else 1) for t in overlapping_relations(kg)
    }
