"""Proofs are counted as trying every substitution counts them."""

import random
from collections import Counter

import numpy as np
import pytest

from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.atom import Atom
from rulemine.rules.proofs import remaining_proofs
from rulemine.rules.rule import Rule
from tests.small_graphs import RELATIONS, proofs_of, small_graph, small_rules


def ids(kg: KnowledgeGraph, triples: list[Triple]) -> np.ndarray:
    rows = [(kg.entity_ids[s], kg.relation_ids[r], kg.entity_ids[o]) for s, r, o in triples]
    return np.array(rows, np.int32).reshape(-1, 3)


@pytest.mark.parametrize("seed", range(40))
def test_proofs_are_the_bodies_that_hold_whether_or_not_the_head_is_there(seed: int) -> None:
    rng = random.Random(seed)
    kg, rules = small_graph(rng), small_rules(rng, 6)
    everything = [
        (s, r, o)
        for s in kg.entities
        for r in RELATIONS
        for o in kg.entities
        if r in kg.relation_ids
    ]
    heads = rng.sample(everything, min(len(everything), 40)) + everything[:1] * 2
    counts: Counter[Triple] = Counter()
    shortest: dict[Triple, int] = {}
    for rule in rules:
        if rule.relations <= set(kg.relations):
            for head, body in proofs_of(kg, rule):
                counts[head] += 1
                shortest[head] = min(len(body), shortest.get(head, len(body)))
    found = remaining_proofs(kg, rules, ids(kg, heads))
    assert found.count.tolist() == [counts[head] for head in heads]
    assert found.shortest.tolist() == [shortest.get(head, 0) for head in heads]


def test_removed_triples_prove_nothing() -> None:
    kg = KnowledgeGraph.from_triples([("a", "p", "b"), ("b", "q", "a"), ("a", "q", "b")])
    rules = [
        Rule(Atom(0, "p", 1), (Atom(1, "q", 0),)),
        Rule(Atom(0, "p", 1), (Atom(0, "q", 1), Atom(1, "q", 0))),
    ]
    heads = ids(kg, [("a", "p", "b"), ("b", "p", "a")])
    whole = remaining_proofs(kg, rules, heads)
    assert (whole.count.tolist(), whole.shortest.tolist()) == ([2, 2], [1, 1])
    less = kg.without(kg.rows_of(ids(kg, [("b", "q", "a")])))
    left = remaining_proofs(less, rules, heads)
    assert (left.count.tolist(), left.shortest.tolist()) == ([0, 1], [0, 1])


def test_no_triples_have_no_proofs() -> None:
    kg = KnowledgeGraph.from_triples([("a", "p", "b")])
    told: list[tuple[int, int]] = []
    rule = Rule(Atom(0, "p", 1), (Atom(1, "p", 0),))
    found = remaining_proofs(
        kg, [rule], np.empty((0, 3), np.int32), lambda done, total: told.append((done, total))
    )
    assert found.count.tolist() == []
    assert told == [(1, 1)]
