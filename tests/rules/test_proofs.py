"""Proofs are counted as trying every substitution counts them."""

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np

from rulemine.kg.facts import facts_of
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.atom import Atom
from rulemine.rules.formats import parse_readable
from rulemine.rules.proofs import Decorations, best_proofs, remaining_proofs
from rulemine.rules.rule import Measures, Rule
from tests import each, some_seeds
from tests.small_graphs import (
    RELATIONS,
    measured,
    proofs_of,
    small_graph,
    small_rules,
    some_declared,
)


def ids(kg, triples):
    rows = [(kg.entity_ids[s], kg.relation_ids[r], kg.entity_ids[o]) for s, r, o in triples]
    return np.array(rows, np.int32).reshape(-1, 3)


@each("seed", some_seeds(40))
def test_proofs_are_the_bodies_that_hold_whether_or_not_the_head_is_there(seed):
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


def test_removed_triples_prove_nothing():
    kg = KnowledgeGraph.from_triples([("a", "p", "b"), ("b", "q", "a"), ("a", "q", "b")])
    rules = [
        Rule(Atom(0, "p", 1), (Atom(1, "q", 0),)), Rule(Atom(0, "p", 1), (Atom(0, "q", 1), Atom(1, "q", 0)))
    ]  # fmt: skip
    heads = ids(kg, [("a", "p", "b"), ("b", "p", "a")])
    whole = remaining_proofs(kg, rules, heads)
    assert (whole.count.tolist(), whole.shortest.tolist()) == ([2, 2], [1, 1])
    less = kg.without(kg.rows_of(ids(kg, [("b", "q", "a")])))
    left = remaining_proofs(less, rules, heads)
    assert (left.count.tolist(), left.shortest.tolist()) == ([0, 1], [0, 1])


def test_no_triples_have_no_proofs():
    kg = KnowledgeGraph.from_triples([("a", "p", "b")])
    told: list[tuple[int, int]] = []
    rule = Rule(Atom(0, "p", 1), (Atom(1, "p", 0),))
    found = remaining_proofs(
        kg, [rule], np.empty((0, 3), np.int32), lambda done, total: told.append((done, total))
    )
    assert found.count.tolist() == []
    assert told == [(1, 1)]


@each("seed", some_seeds(60))
def test_the_best_proof_is_the_shortest_of_the_confident_ones(seed, monkeypatch):
    rng = random.Random(seed)
    if seed % 2:
        monkeypatch.setattr("rulemine.rules.proofs.AT_ONCE", 1)
    kg, declared = small_graph(rng), some_declared(rng)
    rules = measured(rng, small_rules(rng, 12))
    facts = facts_of(kg, declared.closed())
    gone = set(rng.sample(range(len(kg)), min(len(kg), 6)))
    removed = np.array([row for row in range(len(kg)) if facts[row] in {facts[g] for g in gone}])
    which = np.unique(facts[removed], return_inverse=True)[1]
    left = kg.without(removed)
    decorations = Decorations(kg, rules, facts)
    row_of = {triple: row for row, triple in enumerate(kg.labeled())}
    still = set(left.labeled())
    best: dict[int, tuple[Fraction, int, str, int, tuple[int, ...]]] = {}
    tops: dict[int, Fraction] = {}
    proofs = []
    for number, rule in enumerate(rules):
        for head, body in proofs_of(kg, rule):
            if row_of.get(head, -1) in removed and still.issuperset(body):
                rows = [row_of[t] for t in body]
                if decorations.without(number, np.array([row_of[head]]), np.array([rows]))[0]:
                    sure = Fraction(rule.support, rule.body_size)
                    of = int(which[removed.tolist().index(row_of[head])])
                    tops[of] = max(sure, tops.get(of, sure))
                    proofs.append((of, sure, rule, row_of[head], tuple(rows)))
    for of, sure, rule, at, rows_ in proofs:
        if tops[of] - sure <= Fraction(1, 10):
            key = (len(rows_), -sure, rule.id, at, rows_)
            best[of] = min(best.get(of, key), key)
    remaining = remaining_proofs(left, rules, kg.triples[removed])
    found = best_proofs(kg, rules, decorations, removed, which, remaining)
    for of in range(int(which.max()) + 1):
        if of not in best:
            assert found.rule[of] == -1
        else:
            length, _, rule_id, _, rows_ = best[of]
            assert rules[found.rule[of]].id == rule_id
            assert found.body[of, :length].tolist() == list(rows_)
            assert set(found.body[of, length:].tolist()) <= {-1}
    shuffled = rng.sample(range(len(rules)), len(rules))
    others = tuple(rules[i] for i in shuffled)
    again = best_proofs(
        kg, others, Decorations(kg, others, facts), removed, which,
        remaining_proofs(left, others, kg.triples[removed])
    )  # fmt: skip
    assert again.body.tolist() == found.body.tolist()


@each(("support", "chosen"), [(8, 1), (7, 0)])
def test_a_shorter_proof_may_be_less_sure_by_a_tenth(support, chosen):
    triples = [("a", "p", "b"), ("a", "q", "m"), ("m", "s", "b"), ("a", "r", "b")]
    kg = KnowledgeGraph.from_triples(triples)
    texts = {"q(x,z) ∧ s(z,y) ⇒ r(x,y)": 9, "p(x,y) ⇒ r(x,y)": support}
    rules = [
        replace(parse_readable(t), measures=Measures(n, 10, 10, 10, 0)) for t, n in texts.items()
    ]
    removed = kg.rows_of(ids(kg, triples[3:]))
    remaining = remaining_proofs(kg.without(removed), rules, kg.triples[removed])
    decorations = Decorations(kg, rules, np.arange(len(kg)))
    found = best_proofs(kg, rules, decorations, removed, np.zeros(1, np.int64), remaining)
    assert found.rule.tolist() == [chosen]
