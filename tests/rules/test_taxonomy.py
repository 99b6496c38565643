"""The type of a rule is a function of its shape alone."""

import random
from collections import Counter

import pytest

from rulemine.query.atom import Atom
from rulemine.rules.formats import parse_readable, read_rules
from rulemine.rules.rule import RULE_SUBTYPES, RULE_TYPES, Rule, classify
from tests import each, some_seeds
from tests.rules.random_rules import random_rule
from tests.rules.test_formats import GOLDEN
from tests.rules.test_rule import disguise


@each(
    ("text", "kind"), [("r(y,x) ⇒ r(x,y)", "symmetry"), ("s(y,x) ⇒ r(x,y)", "inversion"),
    ("s(x,y) ⇒ r(x,y)", "hierarchy"), ("s(x,z) ∧ t(z,y) ⇒ r(x,y)", "composition"),
    ("t(z,y) ∧ s(x,z) ⇒ r(x,y)", "composition"), ("r(x,z) ∧ r(z,y) ⇒ r(x,y)", "composition"),
    ("s(x,z) ∧ t(y,z) ⇒ r(x,y)", "common object"), ("s(z,x) ∧ t(z,y) ⇒ r(x,y)", "common subject"),
    ("s(z,x) ∧ t(y,z) ⇒ r(x,y)", "reversed chain"), ("s(x,z) ∧ t(z,w) ∧ u(w,y) ⇒ r(x,y)", "longer chain"),
    ("s(z,x) ∧ t(z,w) ∧ r(y,w) ⇒ r(x,y)", "longer chain"), ("s(x,y) ∧ t(x,z) ∧ u(z,y) ⇒ r(x,y)", "triangle"),
    ("r(y,x) ∧ t(z,x) ∧ u(y,z) ⇒ r(x,y)", "triangle"), ("s(x,y) ∧ t(x,y) ⇒ r(x,y)", "intersection"),
    ("s(x,y) ∧ t(y,x) ∧ u(y,x) ⇒ r(x,y)", "intersection"), ("s(x,z) ∧ t(x,z) ∧ u(x,y) ⇒ r(x,y)", "rest"),
    ("s(x,z) ∧ t(x,z) ∧ r(y,x) ⇒ r(x,y)", "recursive"), ("s(x,z) ∧ t(z,z) ∧ u(z,y) ⇒ r(x,y)", "rest"),
    ("s(x,x) ∧ t(y,y) ⇒ r(x,y)", "rest"), ("r(x,x) ∧ t(y,y) ⇒ r(x,y)", "recursive")]
)  # fmt: skip
def test_each_shape_has_its_type(text, kind):
    found = classify(parse_readable(text))
    assert found.subtype == kind
    assert found.type == (kind if kind in RULE_TYPES else "other")


def test_rules_with_entities_or_a_reflexive_head_are_other():
    entity = Rule(Atom(0, "r", 1), (Atom(0, "s", "Rome"), Atom(0, "t", 1)))
    assert classify(entity) == ("other", "rest")
    reflexive = Rule(Atom(0, "r", 0), (Atom(0, "s", 2), Atom(2, "s", 0)))
    assert classify(reflexive) == ("other", "rest")


@each("seed", some_seeds(60))
def test_names_and_order_do_not_change_the_type(seed):
    rng = random.Random(seed)
    rule = random_rule(rng)
    kind = classify(rule)
    assert classify(disguise(rng, rule)) == kind
    assert kind.type in RULE_TYPES
    assert (kind.subtype in RULE_SUBTYPES) == (kind.type == "other")


@pytest.mark.skipif(not GOLDEN.exists(), reason=f"{GOLDEN} is not there; set RULEMINE_DATA")
def test_the_rules_of_family():
    kinds = [classify(rule) for rule in read_rules(GOLDEN)]
    assert [Counter(k.type for k in kinds)[name] for name in RULE_TYPES] == [0, 6, 0, 56, 83]
    others = Counter(k.subtype for k in kinds if k.type == "other")
    assert others == {"common object": 55, "common subject": 10, "reversed chain": 18}


def test_a_triangle_may_have_a_third_variable_of_any_name():
    triangle = Rule(Atom(0, "r", 1), (Atom(0, "s", 1), Atom(0, "t", 7), Atom(7, "u", 1)))
    assert classify(triangle) == ("other", "triangle")
