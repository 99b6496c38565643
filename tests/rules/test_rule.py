"""A rule is its canonical form; names of body variables and the order of the body do not matter."""

import itertools
import random
import re

import pytest

from rulemine.errors import InputError
from rulemine.query.atom import Atom, Term
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Rule, sort_rules
from tests import each, some_seeds
from tests.rules.random_rules import random_rule


def disguise(rng, rule):
    """The same rule with other variable names and another order of the body."""
    free = sorted({v for atom in rule.body for v in atom.variables if v > 1})
    names = dict(zip(free, rng.sample(range(2, 12), len(free)), strict=True)) | {0: 0, 1: 1}

    def rename(term):
        return names[term] if isinstance(term, int) else term

    body = [Atom(rename(s), r, rename(o)) for s, r, o in rule.body]
    rng.shuffle(body)
    return Rule(rule.head, tuple(body))


def same(one, other):
    """Whether some renaming of body variables makes one rule the other, by trying all of them."""
    if one.head != other.head:
        return False
    mine, theirs = (
        sorted({v for atom in rule.body for v in atom.variables if v > 1}) for rule in (one, other)
    )
    for order in itertools.permutations(theirs):
        names: dict[Term, Term] = {0: 0, 1: 1, **dict(zip(mine, order, strict=False))}
        body = [Atom(names.get(s, s), r, names.get(o, o)) for s, r, o in one.body]
        if len(mine) == len(theirs) and sorted(map(repr, body)) == sorted(map(repr, other.body)):
            return True
    return False


@each("seed", some_seeds(60))
def test_renaming_and_reordering_keep_the_identity(seed):
    rng = random.Random(seed)
    rule = random_rule(rng)
    other = disguise(rng, rule)
    assert other.canonical_body == rule.canonical_body
    assert other.id == rule.id
    assert other.sort_key == rule.sort_key
    assert rule.canonical().canonical_body == rule.canonical_body == rule.canonical().body
    assert same(rule, rule.canonical())


def test_different_rules_have_different_ids():
    rng = random.Random(0)
    by_id: dict[str, Rule] = {}
    for _ in range(1000):
        rule = random_rule(rng)
        assert same(by_id.setdefault(rule.id, rule), rule)
    assert len(by_id) > 500


def test_an_entity_named_like_a_variable_is_not_one():
    variable = Rule(Atom(0, "r", 1), (Atom(1, "s", 0),))
    entity = Rule(Atom(0, "r", 1), (Atom(1, "s", 0), Atom("?a", "s", 0)))
    other = Rule(Atom(0, "r", 1), (Atom(1, "s", 0), Atom(0, "s", 0)))
    assert len({variable.id, entity.id, other.id}) == 3


def test_the_id_is_the_same_for_ever():
    rule = Rule(Atom(0, "aunt", 1), (Atom(0, "aunt", 2), Atom(2, "brother", 1)))
    assert rule.id == "02be95bb59ec"
    assert str(rule) == "aunt(x,z) ∧ brother(z,y) ⇒ aunt(x,y)"
    assert rule.relations == {"aunt", "brother"}
    for text, name in (
        ("b(x,z) ∧ a(z,w) ∧ b(w,y) ⇒ r(x,y)", "3577d03cbd2b"),
        ("p(z,w) ∧ p(w,z) ∧ q(x,z) ∧ q(w,y) ⇒ r(x,y)", "e0b73f8ffb4f"),
    ):
        assert parse_readable(text).id == name


def test_the_canonical_body_is_the_least():
    rule = parse_readable("b(x,z) ∧ a(z,w) ∧ b(w,y) ⇒ r(x,y)")
    assert rule.canonical_body == (Atom(2, "a", 3), Atom(0, "b", 2), Atom(3, "b", 1))
    rule = parse_readable("p(w,z) ∧ q(z,y) ∧ q(x,w) ⇒ r(x,y)")
    assert rule.canonical_body == (Atom(2, "p", 3), Atom(0, "q", 2), Atom(3, "q", 1))


def test_canonical_order_is_head_relation_then_length_then_body():
    rules = [
        Rule(Atom(0, "a", 1), (Atom(1, "z", 0),)), Rule(Atom(0, "a", 1), (Atom(0, "a", 2), Atom(2, "b", 1))),
        Rule(Atom(0, "b", 1), (Atom(0, "a", 1),)), Rule(Atom(0, "b", 1), (Atom(1, "a", 0),))
    ]  # fmt: skip
    for order in itertools.permutations(rules):
        assert list(sort_rules(order)) == rules


@each(
    ("head", "body", "problem"),
    [
        ((0, "r", 1), [], "empty"),
        ((0, "r", 1), [(0, "s", 2)], r"\?b, \?c occur in one atom only"),
        ((0, "r", 1), [(0, "s", 0)], r"\?b occurs in one atom only"),
        ((0, "r", 1), [(0, "s", 1), (2, "s", 3), (3, "s", 2)], "not connected"),
        ((0, "r", 1), [*((i, "s", i + 1) for i in range(1, 9)), (9, "s", 0)], "more than 7 var"),
        ((0, "r", 1), [(0, "r", 1)], "head is one of the body atoms"),
        ((0, "r", 1), [(0, "s", 1), (0, "r", 1)], "head is one of the body atoms"),
    ],
)
def test_a_rule_that_is_not_closed_connected_and_safe_says_why(head, body, problem):
    rule = Rule(Atom(*head), tuple(Atom(*atom) for atom in body))
    assert re.search(problem, rule.problem() or "no problem")


def test_a_rule_without_measures_says_so():
    with pytest.raises(InputError, match="has no measures"):
        _ = Rule(Atom(0, "r", 1), (Atom(1, "s", 0),)).support


def test_a_rule_proves_what_its_head_is_where_its_body_holds():
    uncle = parse_readable("parent(z,x) ∧ brother(y,z) ⇒ uncle(y,x)")
    assert uncle.proves(
        [("bob", "parent", "ann"), ("cy", "brother", "bob")]
    ) == ("cy", "uncle", "ann")  # fmt: skip
    named = Rule(Atom(0, "lives_in", "oslo"), (Atom(0, "works_in", "oslo"),))
    assert named.proves([("ann", "works_in", "oslo")]) == ("ann", "lives_in", "oslo")
