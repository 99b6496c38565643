"""Lift, against trying every substitution."""

import random

import pytest

import rulemine.rules.lift as lift
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.removal.eligibility import rules_with_lift
from rulemine.rules.formats import parse_readable
from rulemine.rules.lift import lifts
from tests import some_seeds
from tests.small_graphs import heads_of, small_graph, small_rules, some_declared


@pytest.mark.parametrize("seed", some_seeds(120))
def test_it_is_right_predictions_over_those_that_guessing_gets_right(seed: int) -> None:
    rng = random.Random(seed)
    kg, declared = small_graph(rng, 8, 40), some_declared(rng)
    rules, max_prior = small_rules(rng, 12), rng.choice((0.07, 0.3, 0.6, 1.0))
    known = set(kg.labeled())
    found = lifts(kg, rules, max_prior, declared.closed()).tolist()
    names = {*kg.entities, *kg.relations}
    for rule, (of_subject, of_object) in zip(rules, found, strict=True):
        fits = names >= rule.relations | rule.entities
        predicted = sorted(heads_of(kg, rule)) if fits else []
        right = [triple for triple in predicted if triple in known]
        for place, value in ((0, of_subject), (2, of_object)):
            expected = float("inf")
            if any(declared.prior(kg, triple, place) <= max_prior for triple in right):
                guessed = sum(declared.prior(kg, triple, place) for triple in predicted)
                expected = len(right) / guessed
            assert value == pytest.approx(expected)


def test_a_rule_that_names_common_answers_is_refused() -> None:
    # Of forty films in two countries thirty-five are American; each has a director of its own.
    country = [(f"f{i}", "country", "US" if i < 35 else f"c{i}") for i in range(40)]
    born = [(f"d{i}", "citizen", "US" if i < 38 else f"c{i}") for i in range(40)]
    kg = KnowledgeGraph.from_triples(
        [*country, *born, *((f"f{i}", "director", f"d{i}") for i in range(40))]
    )
    rules = [parse_readable("citizen(z,y) ∧ director(x,z) ⇒ country(x,y)")]
    common = 37 / ((38 * 35 + 2) / 40)  # 38 are said to be American, as 35 of 40 are
    assert lifts(kg, rules, 0.2).tolist()[0] == pytest.approx([37 / (40 / 6), common])
    for least, some in ((1.0, rules), (2.5, [])):
        assert list(rules_with_lift(kg, rules, least, 0.2, Declarations())) == some
    # What guessing gives is no matter in a direction in which nothing is asked for.
    assert lifts(kg, rules, 0.07).tolist()[0] == pytest.approx([float("inf"), common])


def test_of_a_rule_with_very_many_bodies_some_entities_say_how_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = random.Random(3)
    triples = [(f"a{i}", "p", f"b{rng.randrange(90)}") for i in range(4000)]
    triples += [(f"b{i}", "q", f"c{rng.randrange(40)}") for i in range(90)]
    triples += [(s, "r", f"c{rng.randrange(40)}") for s, _, _ in triples[:4000]]
    kg = KnowledgeGraph.from_triples(triples)
    rules = [parse_readable("p(x,z) ∧ q(z,y) ⇒ r(x,y)")]
    whole = lifts(kg, rules, 1.0)
    monkeypatch.setattr(lift, "WAYS", 1000)
    some = lifts(kg, rules, 1.0)
    assert some.tolist() != whole.tolist()
    assert some == pytest.approx(whole, rel=0.3)
