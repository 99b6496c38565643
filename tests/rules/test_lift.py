"""Lift, against trying every substitution."""

import random
from dataclasses import replace

import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.priors import priors
from rulemine.removal.eligibility import rules_with_lift
from rulemine.rules.formats import parse_readable
from rulemine.rules.lift import lifts
from rulemine.rules.rule import Measures, Rule
from tests import some_seeds
from tests.small_graphs import heads_of, small_graph, small_rules, some_declared


def counted(kg: KnowledgeGraph, rule: Rule) -> Rule:
    """The rule with its support and a standard confidence on a graph."""
    predicted = heads_of(kg, rule)
    support = len(predicted & set(kg.labeled()))
    return replace(rule, measures=Measures(support, len(predicted) or 1, 1, 1, 0))


@pytest.mark.parametrize("seed", some_seeds(120))
def test_it_is_the_confidence_over_the_mean_prior_of_what_is_predicted_rightly(seed: int) -> None:
    rng = random.Random(seed)
    kg, declared = small_graph(rng, 8, 40), some_declared(rng)
    rules = [counted(kg, rule) for rule in small_rules(rng, 12)]
    prior, max_prior = priors(kg, declared.closed()), rng.choice((0.07, 0.3, 0.6, 1.0))
    known = set(kg.labeled())
    for rule, found in zip(rules, lifts(kg, rules, prior, max_prior).tolist(), strict=True):
        right = sorted(heads_of(kg, rule) & known)
        for end, place in enumerate((0, 2)):
            own = [declared.prior(kg, triple, place) for triple in right]
            expected = float("inf")
            if own and min(own) <= max_prior:
                expected = rule.known.std_confidence * len(own) / sum(own)
            assert found[end] == pytest.approx(expected)


def test_a_rule_that_names_common_answers_is_refused() -> None:
    # Of forty films in two countries thirty-five are American; each has a director of its own.
    country = [(f"f{i}", "country", "US" if i < 35 else f"c{i}") for i in range(40)]
    born = [(f"d{i}", "citizen", "US" if i < 38 else f"c{i}") for i in range(40)]
    kg = KnowledgeGraph.from_triples(
        [*country, *born, *((f"f{i}", "director", f"d{i}") for i in range(40))]
    )
    rule = parse_readable("citizen(z,y) ∧ director(x,z) ⇒ country(x,y)")
    prior, rules = priors(kg), [counted(kg, rule)]
    assert rules[0].known.std_confidence == 37 / 40
    common = 37 / 40 / ((35 * 35 / 40 + 2 / 40) / 37)
    assert lifts(kg, rules, prior, 0.2).tolist()[0] == pytest.approx([37 / 40 / (1 / 6), common])
    for least, some in ((1.0, rules), (2.5, [])):
        assert list(rules_with_lift(kg, rules, least, prior, 0.07)) == some
    # What guessing gives is no matter in a direction in which nothing is asked for.
    assert lifts(kg, rules, prior, 0.07).tolist()[0] == pytest.approx([float("inf"), common])
