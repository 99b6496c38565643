"""What rules imply, against trying every substitution until nothing new follows."""

import itertools
import random
from dataclasses import replace

import pytest

from rulemine.errors import InputError
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.atom import Atom
from rulemine.rules.formats import parse_readable
from rulemine.rules.implied import close, load_implied, with_implied
from tests import each, some_seeds
from tests.small_graphs import RELATIONS, small_graph, small_rules

CAPITAL = "capital_of(x,y) ⇒ contains(y,x)"
KNOWN = ("capital_of", "contains", "country")


def with_kinds(rng, rule):
    """A rule with atoms that have a variable of their own."""
    more = (
        Atom(*rng.choice(((9, rng.choice(RELATIONS), v), (v, rng.choice(RELATIONS), 9))))
        for v in sorted({v for atom in rule.body for v in atom.variables})[: rng.randrange(2)]
    )
    return replace(rule, body=(*rule.body, *more))


def closed_by_hand(kg, rules):
    known = set(kg.labeled())
    while True:
        found = set(known)
        for rule in rules:
            atoms = (rule.head, *rule.body)
            variables = sorted({v for atom in atoms for v in atom.variables})
            for values in itertools.product(kg.entities, repeat=len(variables)):
                named = dict(zip(variables, values, strict=True))
                head, *body = ((named.get(s, s), r, named.get(o, o)) for s, r, o in atoms)
                if known.issuperset(body) and head[0] != head[2]:
                    found.add(head)
        if found == known:
            return known
        known = found


@each("seed", some_seeds(60))
def test_closing_finds_all_that_follows(seed):
    rng = random.Random(seed)
    kg = small_graph(rng, most=12)
    rules = [with_kinds(rng, rule) for rule in small_rules(rng, 3)]
    usable = [rule for rule in rules if rule.relations <= set(kg.relations)]
    closed = close(kg, rules)
    assert set(closed.labeled()) == closed_by_hand(kg, usable)
    assert closed.digest == close(kg, rules[::-1]).digest


def test_what_is_derived_together_with_what_is_stated_derives_more():
    kg = KnowledgeGraph.from_triples(
        [("a", "p", "b"), ("b", "r", "c"), ("x", "q", "y"), ("x", "s", "y")]
    )
    rules = [parse_readable(text) for text in ("q(x,z) ∧ r(z,y) ⇒ s(x,y)", "p(x,y) ⇒ q(x,y)")]
    assert ("a", "s", "c") in close(kg, rules).labeled()


def test_implied_triples_are_stated_by_no_graph_in_no_statement(tmp_path):
    kg = KnowledgeGraph.from_triples([("lyon", "capital_of", "rhone"), ("a", "contains", "b")])
    more = KnowledgeGraph.from_triples([("nice", "capital_of", "alps"), ("nice", "in", "alps")])
    file = tmp_path / "implied.txt"
    file.write_text(f"# by definition\n\n{CAPITAL}\n")
    rules = load_implied(str(file), KNOWN)
    declared = Declarations.of(inverse=[("contains", "in")])

    def implied(reference):
        known = {*kg.labeled(), *(reference.labeled() if reference else ())}
        return set(with_implied(kg, reference, rules, declared).labeled()) - known

    assert implied(None) == implied(more) == {("rhone", "contains", "lyon")}


@each(
    ("text", "expected"), [("capital_of(x,y)", "line 1: .*one head atom"),
    (f"{CAPITAL}\ncapital_of(x,y) => contains(y, x)", "line 2: repeats"),
    ("capital_of(x,y) => contains(y,z)", r"no body atom binds \?b of the head"),
    ("capital_of(x,y) & country(z,w) => contains(y,x)", "body is not connected with the head"),
    ("capital_off(x,y) => contains(y,x)", "'capital_off' is not in the graph; did you mean"),
    ("capital_of(x,y) => zzz(y,x)", "relation 'zzz' is not in the graph"), ("# nothing", "holds no rule")]
)  # fmt: skip
def test_what_is_no_rule_is_refused(text, expected, tmp_path):
    file = tmp_path / "implied.txt"
    file.write_text(text + "\n")
    with pytest.raises(InputError, match=expected):
        load_implied(str(file), KNOWN)
