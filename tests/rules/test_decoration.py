"""Decorated groundings, against proving the head by every part of every body."""

import itertools
import random
from dataclasses import replace

import numpy as np

from rulemine.kg.facts import facts_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.rules.formats import parse_readable
from rulemine.rules.proofs import Decorations
from rulemine.rules.rule import Measures
from tests import each, some_seeds
from tests.small_graphs import groundings_of, measured, small_graph, small_rules, some_declared


def is_decorated(rule, head, body, proofs, declared):
    """Whether two atoms state one fact or the head's, one is a loop, or a part proves the head."""
    said = [declared.statements(triple) for triple in body]
    if any(a == b for a, b in itertools.combinations([declared.statements(head), *said], 2)):
        return True
    if any(s == o for s, _, o in body):
        return True
    return any(
        (head, part) in proofs[other]
        for other in proofs
        if len(other.body) < len(rule.body)
        and other.known.std_confidence >= rule.known.std_confidence
        for part in itertools.permutations(body, len(other.body))
    )


@each("seed", some_seeds(60))
def test_decorated_groundings_are_those_with_something_to_spare(seed):
    rng = random.Random(seed)
    kg, declared = small_graph(rng), some_declared(rng)
    rules = measured(rng, small_rules(rng, 10))
    fitting = [r for r in rules if r.relations <= set(kg.relations)]
    proofs = {rule: set(groundings_of(kg, rule)) for rule in fitting}
    row = {triple: i for i, triple in enumerate(kg.labeled())}
    decorations = Decorations(kg, rules, facts_of(kg, declared.closed()))
    for number, rule in enumerate(rules):
        own = sorted(proofs.get(rule, ()))
        head = np.array([row[h] for h, _ in own], np.int64)
        body = np.array([[row[t] for t in b] for _, b in own], np.int64)
        fine = decorations.without(number, head, body.reshape(len(own), len(rule.body)))
        expected = [not is_decorated(rule, h, b, proofs, declared) for h, b in own]
        assert fine.tolist() == expected
        if decorations.always(number):
            assert not any(expected)


def test_an_edge_and_noise_is_decorated_unless_the_edge_is_less_confident():
    edge = parse_readable("p(x,y) ⇒ h(x,y)")
    chain = parse_readable("q(x,z) ∧ r(z,w) ∧ p(w,y) ⇒ h(x,y)")
    kg = KnowledgeGraph.from_triples(
        [*[("a", "h", "b"), ("a", "p", "b"), ("c", "p", "b")],
        *[("a", "q", "d"), ("d", "r", "a"), ("d", "r", "c")]]
    )  # fmt: skip
    rows = {triple: i for i, triple in enumerate(kg.labeled())}
    start = rows["a", "q", "d"]
    back_again = [start, rows["d", "r", "a"], rows["a", "p", "b"]]
    onward = [start, rows["d", "r", "c"], rows["c", "p", "b"]]
    head = np.full(2, rows["a", "h", "b"])
    for support, expected in ((5, [False, True]), (2, [True, True])):
        rules = [
            replace(edge, measures=Measures(support, 10, 10, 10, 0)),
            replace(chain, measures=Measures(3, 10, 10, 10, 0)),
        ]
        found = Decorations(kg, rules, np.arange(len(kg)))
        assert found.without(1, head, np.array([back_again, onward])).tolist() == expected
        assert not found.always(1)


def test_a_body_that_holds_a_surer_one_is_always_decorated():
    rules = [
        replace(parse_readable(text), measures=Measures(5, 10, 10, 10, 0))
        for text in ("p(x,y) ⇒ h(x,y)", "p(x,y) ∧ q(x,z) ∧ q(y,z) ⇒ h(x,y)")
    ]
    kg = KnowledgeGraph.from_triples([("a", r, "b") for r in "hpq"])
    found = Decorations(kg, rules, np.arange(len(kg)))
    assert [found.always(0), found.always(1)] == [False, True]
