"""Measures and rare confidence of given rules, against the miner and trying every substitution."""

import random
from dataclasses import replace

import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, mine
from rulemine.rules.confidence import DOUBT, measured, rare_confidences
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Measures
from tests import each, some_seeds
from tests.small_graphs import proofs_of, small_graph, small_rules


def is_common(kg, triple, place, max_prior):
    """Whether more than this fraction of the other topic entities of its relation have the answer."""
    topic = 2 - place
    stated = [t for t in kg.labeled() if t[1] == triple[1]]
    having = {t[topic] for t in stated if t[place] == triple[place]}
    return len(having) - 1 > max_prior * (len({t[topic] for t in stated}) - 1) if having else False


def expected(kg, rule, max_prior):
    known = set(kg.labeled())
    pairs = {
        head
        for head, _ in proofs_of(kg, rule)
        if head[0] != head[2] and not any(is_common(kg, head, p, max_prior) for p in (0, 2))
    }
    right = len(pairs & known)
    return right / (len(pairs) + DOUBT) if right else 0.0


@each("seed", some_seeds(80))
def test_it_is_the_fraction_of_uncommon_predictions_that_are_right(seed, monkeypatch):
    rng = random.Random(seed)
    monkeypatch.setattr("rulemine.query.join.ROWS_AT_ONCE", rng.choice((1, 1 << 18)))
    kg, rules = small_graph(rng, 8, 40), small_rules(rng, 12)
    max_prior = rng.choice((0.07, 0.3, 0.6, 1.0))
    found = rare_confidences(kg, rules, max_prior)
    for rule, value in zip(rules, found.tolist(), strict=True):
        assert value == pytest.approx(expected(kg, rule, max_prior))


def test_a_common_answer_does_not_make_a_rule_confident():
    # Nearly every film is in English, so whatever links films to languages is right about English.
    films = [(f"f{i}", "language", "English") for i in range(40)]
    linked = [(f"f{i}", "seen_in", "UK") for i in range(40)]
    spoken = [("UK", "speaks", "English"), ("UK", "speaks", "Welsh")]
    other = [("g", "seen_in", "UK"), ("g", "language", "Welsh")]
    kg = KnowledgeGraph.from_triples([*films, *linked, *spoken, *other])
    rule = parse_readable("seen_in(x,z) ∧ speaks(z,y) ⇒ language(x,y)")
    assert rare_confidences(kg, [rule], 0.07)[0] == pytest.approx(1 / 42)
    assert rare_confidences(kg, [rule], 1.0)[0] == pytest.approx(41 / 83)


def test_eligible_rules_were_drawn_by_lot():
    # Of 6,000 members of clubs 60 are of one with a town, too few for a sample of members.
    triples = [(f"p{i}", "member_of", f"club{i % 300}") for i in range(6000)]
    triples += [(f"club{i}", "plays_in", f"town{i}") for i in range(3)]
    triples += [(f"p{i}", "lives_in", f"town{i % 300}") for i in range(6000) if i % 7]
    kg = KnowledgeGraph.from_triples(triples)
    right = sum(r == "lives_in" and o in ("town0", "town1", "town2") for _, r, o in triples)
    rule = parse_readable("member_of(x,z) ∧ plays_in(z,y) ⇒ lives_in(x,y)")
    assert rare_confidences(kg, [rule], 0.07)[0] == pytest.approx(right / (60 + DOUBT))


@each("seed", some_seeds(8))
def test_rules_without_measures_have_those_of_the_miner(seed):
    kg = small_graph(random.Random(seed), 20, 60)
    rules = mine(kg, MiningOptions(4, 0.01, 0.01, 0.01, 1))
    assert len(rules) > 20
    assert tuple(measured(kg, [replace(rule, measures=None) for rule in rules])) == rules


def test_a_rule_of_which_nothing_holds_is_left_out_and_given_measures_stay():
    kg = KnowledgeGraph.from_triples([("a", "p", "b"), ("c", "q", "d")])
    none = parse_readable("p(x,y) ⇒ q(x,y)")
    given = replace(none, measures=Measures(1, 2, 2, 3, 0))
    assert tuple(measured(kg, [none, given])) == (given,)
