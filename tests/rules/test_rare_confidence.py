"""Rare confidence, against trying every substitution; samples are whole on graphs as small as these."""

import random

import pytest

from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.rules.formats import parse_readable
from rulemine.rules.rare_confidence import DOUBT, rare_confidences
from rulemine.rules.rule import Rule
from tests import some_seeds
from tests.small_graphs import proofs_of, small_graph, small_rules


def is_common(kg: KnowledgeGraph, triple: Triple, place: int, max_prior: float) -> bool:
    """Whether more than this fraction of the other topic entities of its relation have the answer."""
    topic = 2 - place
    stated = [t for t in kg.labeled() if t[1] == triple[1]]
    having = {t[topic] for t in stated if t[place] == triple[place]}
    return len(having) - 1 > max_prior * (len({t[topic] for t in stated}) - 1) if having else False


def expected(kg: KnowledgeGraph, rule: Rule, max_prior: float) -> float:
    known = set(kg.labeled())
    pairs = {
        head
        for head, _ in proofs_of(kg, rule)
        if head[0] != head[2] and not any(is_common(kg, head, p, max_prior) for p in (0, 2))
    }
    right = len(pairs & known)
    return right / (len(pairs) + DOUBT) if right else 0.0


@pytest.mark.parametrize("seed", some_seeds(80))
def test_it_is_the_fraction_of_uncommon_predictions_that_are_right(seed: int) -> None:
    rng = random.Random(seed)
    kg, rules = small_graph(rng, 8, 40), small_rules(rng, 12)
    max_prior = rng.choice((0.07, 0.3, 0.6, 1.0))
    found = rare_confidences(kg, rules, max_prior, seed=seed)
    for rule, value in zip(rules, found.tolist(), strict=True):
        fits = rule.relations <= set(kg.relations) and rule.entities <= set(kg.entities)
        assert value == pytest.approx(expected(kg, rule, max_prior) if fits else 0.0)


def test_a_common_answer_does_not_make_a_rule_confident() -> None:
    # Nearly every film is in English, so whatever links films to languages is right about English.
    films = [(f"f{i}", "language", "English") for i in range(40)]
    linked = [(f"f{i}", "seen_in", "UK") for i in range(40)]
    spoken = [("UK", "speaks", "English"), ("UK", "speaks", "Welsh")]
    other = [("g", "seen_in", "UK"), ("g", "language", "Welsh")]
    kg = KnowledgeGraph.from_triples([*films, *linked, *spoken, *other])
    rule = parse_readable("seen_in(x,z) ∧ speaks(z,y) ⇒ language(x,y)")
    assert rare_confidences(kg, [rule], 0.07)[0] == pytest.approx(1 / 42)
    assert rare_confidences(kg, [rule], 1.0)[0] == pytest.approx(41 / 83)


def test_big_samples_and_small_ones_agree_about(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    triples = [(f"a{i}", "p", f"b{rng.randrange(900)}") for i in range(2000)]
    triples += [(f"b{i}", "q", f"c{rng.randrange(900)}") for i in range(900)]
    following = {(s, o) for s, _, z in triples for t, r, o in triples[2000:] if z == t}
    triples += [(s, "r", o) for s, o in sorted(following) if rng.random() < 0.5]
    kg = KnowledgeGraph.from_triples(triples)
    rule = parse_readable("p(x,z) ∧ q(z,y) ⇒ r(x,y)")
    some = [rare_confidences(kg, [rule], 0.07, seed=seed)[0] for seed in range(20)]
    monkeypatch.setattr("rulemine.rules.rare_confidence.ENTITIES", 10_000)
    whole = rare_confidences(kg, [rule], 0.07)[0]
    assert 0.45 < whole < 0.55
    assert max(abs(value - whole) for value in some) < 0.15
    assert len(set(some)) > 1
    monkeypatch.setattr("rulemine.rules.rare_confidence.WAYS", 1)
    assert 0 <= rare_confidences(kg, [rule], 0.07)[0] <= 0.5
