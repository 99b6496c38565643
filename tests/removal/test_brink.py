"""The published selection, against its literal nested loop."""

import itertools
import random

import pytest

import rulemine.query.join
from rulemine.errors import ConfigError
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.atom import Atom, Term
from rulemine.removal.steps import select_brink
from rulemine.rules.rule import Rule
from tests import each, some_seeds
from tests.small_graphs import ENTITIES, RELATIONS, small_rules

Row = tuple[int, Triple, tuple[Triple, ...]]


def literal(triples, rules, per_rule):
    """Rows that are left and number of groundings, by loops over facts in file order."""
    facts = list(dict.fromkeys(triples))
    sampled: list[Row] = []
    count = 0
    for number, rule in enumerate(rules):
        kept = 0
        for body in itertools.product(facts, repeat=len(rule.body)):
            given: dict[Term, str] = {}
            for atom, fact in zip(rule.body, body, strict=True):
                if atom.relation != fact[1]:
                    break
                for term, value in ((atom.subject, fact[0]), (atom.object, fact[2])):
                    given.setdefault(term, value if isinstance(term, int) else term)
                    if given[term] != value:
                        break
                else:
                    continue
                break
            else:
                s, r, o = rule.head
                head = (given.get(s, str(s)), r, given.get(o, str(o)))
                if head in facts and head not in body:
                    count += 1
                    if kept < per_rule:
                        sampled.append((number, head, body))
                        kept += 1
    needed = {fact for _, _, body in sampled for fact in body}
    return [row for row in sampled if row[1] not in needed], count


def rows(kg, found):
    triples = kg.labeled()
    return [
        (rule, triples[head], tuple(triples[row] for row in body if row >= 0))
        for rule, head, body in zip(
            found.rule.tolist(), found.head.tolist(), found.body.tolist(), strict=True
        )
    ]


@each("seed", some_seeds(40))
def test_rows_and_their_order_are_those_of_the_nested_loop(seed, monkeypatch):
    rng = random.Random(seed)
    triples = [
        (rng.choice(ENTITIES[:4]), rng.choice(RELATIONS), rng.choice(ENTITIES[:4]))
        for _ in range(rng.randrange(4, 24))
    ]
    rules = small_rules(rng, 5)
    per_rule = rng.randrange(1, 5)
    if seed % 2:
        monkeypatch.setattr(rulemine.query.join, "ROWS_AT_ONCE", 2)
    kg = KnowledgeGraph.from_triples(triples)
    found = select_brink(kg, rules, per_rule=per_rule)
    expected, count = literal(triples, rules, per_rule)
    assert rows(kg, found) == expected
    assert found.counts.groundings == count


def test_the_order_of_the_body_and_of_the_source_decide_what_is_kept():
    triples = [("x", "r", "y"), ("x", "p", "b"), ("x", "p", "a"), ("a", "q", "y"), ("b", "q", "y")]
    forward = Rule(Atom(0, "r", 1), (Atom(0, "p", 2), Atom(2, "q", 1)))
    backward = Rule(forward.head, forward.body[::-1])
    kept = {}
    for name, rule in (("forward", forward), ("backward", backward)):
        kg = KnowledgeGraph.from_triples(triples)
        kept[name] = rows(kg, select_brink(kg, [rule], per_rule=1))[0][2]
    assert kept["forward"] == (("x", "p", "b"), ("b", "q", "y"))
    assert kept["backward"] == (("a", "q", "y"), ("x", "p", "a"))


def test_a_quota_below_one_is_an_error():
    with pytest.raises(ConfigError, match="per_rule: found 0"):
        select_brink(KnowledgeGraph.from_triples([("a", "p", "b")]), [], per_rule=0)
