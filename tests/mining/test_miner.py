"""The Python side of the miner: rules as objects, progress, small and odd graphs."""

from dataclasses import replace

import pytest

from rulemine.errors import TooManyRulesError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, Resources, jvm, mine
from rulemine.mining.miner import allowed_relations, explain_no_rules
from rulemine.mining.options import Search
from rulemine.query.atom import Atom
from rulemine.rules.rule import sort_rules
from tests import each

# Every grandparent edge follows from two parent edges; one person's parents are unknown.
_PARENTS = [("b", "c"), ("a", "b"), ("e", "f"), ("d", "e"), ("h", "i"), ("g", "h")]
FAMILY = KnowledgeGraph.from_triples(
    [(x, "parent", y) for x, y in _PARENTS]
    + [("a", "grandparent", "c"), ("d", "grandparent", "f"), ("g", "grandparent", "i")]
    + [("x", "grandparent", "y")]
)
LOOSE = MiningOptions(3, 0.1, 0.1, 0.1, min_initial_support=1)


def test_a_rule_carries_its_canonical_form_and_counts():
    rule = next(r for r in mine(FAMILY, LOOSE) if r.head.relation == "grandparent")
    assert rule.head == Atom(0, "grandparent", 1)
    assert rule.body == (Atom(0, "parent", 2), Atom(2, "parent", 1))
    assert (rule.support, rule.body_size, rule.pca_body_size, rule.known.head_size) == (3, 3, 3, 4)
    assert rule.known.functional == 0


def test_rules_are_canonical_and_in_canonical_order():
    rules = mine(FAMILY, LOOSE)
    assert rules == sort_rules(rules)
    assert all(rule == rule.canonical() and rule.problem() is None for rule in rules)


def test_a_relation_as_large_as_asked_for_is_not_too_small():
    too_small = "largest head relation has 6 triples"
    for least in (6, 7):
        options = replace(LOOSE, min_initial_support=least)
        assert (too_small in explain_no_rules(FAMILY, options)) == (least > 6)


def test_a_relation_that_is_named_and_excluded_is_excluded():
    names = ("parent", "grandparent")
    options = replace(LOOSE, body_relations=names, exclude_relations=names[:1])
    for kept in (found := allowed_relations(FAMILY, options)).heads, found.bodies:
        assert kept is not None
        assert kept.tolist() == [name != "parent" for name in FAMILY.relations]


def test_one_triple_and_none():
    assert mine(KnowledgeGraph.from_triples([("a", "r", "a")]), LOOSE) != ()
    assert mine(KnowledgeGraph.from_triples([("a", "r", "b")]), LOOSE) == ()
    assert mine(KnowledgeGraph.from_triples([]), LOOSE) == ()


@each("threads", [1, 3])
def test_many_relations_of_few_facts(threads):
    rows = [(f"e{i}", f"r{r}", f"e{i + 1}") for r in range(260) for i in range(3)]
    options = MiningOptions(2, 0.5, 0.5, 0.5, min_initial_support=1)
    rules = mine(KnowledgeGraph.from_triples(rows), options, Resources(threads))
    assert len(rules) == 260 * 259


def test_rules_are_the_same_from_several_buffers(monkeypatch):
    whole = mine(FAMILY, LOOSE)
    monkeypatch.setattr(jvm, "ROWS_A_BUFFER", 4)  # of 10 triples
    assert mine(FAMILY, LOOSE) == whole


def test_perfect_rules_and_the_skyline():
    facts = [(f"a{i}", relation, f"b{i}") for i in range(3) for relation in "hpq"]
    kg = KnowledgeGraph.from_triples(facts)

    def both(**how):
        rules = mine(kg, LOOSE, search=Search(**how))
        return any(rule.head.relation == "h" and len(rule.relations) == 3 for rule in rules)

    # p => h is perfect: not extended, and what would contain it is no better.
    assert not both()
    assert not both(skyline=False)
    assert not both(perfect_pruning=False)
    assert both(skyline=False, perfect_pruning=False)


def test_recursion_is_limited():
    chain = [(f"e{i}", "before", f"e{j}") for i in range(6) for j in range(i + 1, 6)]
    kg = KnowledgeGraph.from_triples(chain)
    assert mine(kg, LOOSE, search=Search(max_recursion=3))
    assert not mine(kg, LOOSE, search=Search(max_recursion=2))


def test_progress_ends_with_everything_done():
    calls: list[tuple[int, int]] = []
    mine(FAMILY, LOOSE, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1][0] == calls[-1][1] > 0
    assert all(0 <= done <= total or total == 0 for done, total in calls)


def test_more_rules_than_wanted_end_the_run():
    number = len(mine(FAMILY, LOOSE))
    assert len(mine(FAMILY, LOOSE, most=number)) == number
    with pytest.raises(TooManyRulesError, match=f"more than {number - 1} rules"):
        mine(FAMILY, LOOSE, most=number - 1)


def test_a_callback_that_raises_ends_the_run():
    def refuse(done, total):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        mine(FAMILY, LOOSE, progress=refuse)
    assert mine(FAMILY, LOOSE)
