from itertools import islice
from random import Random

import pytest

from checks.oracles.queries import World, derivations, random_query, random_world
from rulemine.kg import KnowledgeGraph
from rulemine.kg.facts import Declarations
from rulemine.query import evaluate, parse
from rulemine.query.links import expanded, linked, renamed, renamed_derivation, smaller

DECLARED = Declarations.of(symmetric=["spouse"], inverse=[("parent", "child")])


def test_expanded_asks_for_all_statements_and_linked_takes_that_back():
    query = parse('(p "spouse" (p "child" "a"))')
    whole = expanded(query, DECLARED)
    below = '(or (p "child" "a") (p- "parent" "a"))'
    assert whole.text == f'(or (p "spouse" {below}) (p- "spouse" {below}))'
    assert linked(whole, DECLARED) == linked(query, DECLARED) == query
    assert linked(whole, Declarations()) is whole
    both = parse('(and (p "spouse" "a") (p- "spouse" "a"))')
    assert linked(both, DECLARED) == both, "no link, though of two statements of a fact"
    assert expanded(parse('(p "likes" "a")'), DECLARED) == parse('(p "likes" "a")')


def test_every_branch_at_any_depth_is_left_out_once():
    query = parse('(p "t" (and (p "r" "a") (or (p "r" "b") (p "s" "c"))))')
    assert sorted(less.text for less in smaller(query)) == [
        '(p "t" (and (p "r" "a") (p "r" "b")))', '(p "t" (and (p "r" "a") (p "s" "c")))',
        '(p "t" (or (p "r" "b") (p "s" "c")))', '(p "t" (p "r" "a"))'
    ]  # fmt: skip
    assert [q.text for q in smaller(parse('(count (minus (p "r" "a") (p "s" "b")))'))] == [
        '(count (p "r" "a"))'
    ]
    assert not list(smaller(parse('(p "r" (p "r" "a"))')))


def test_statements_of_one_fact_are_left_out_together():
    query = parse('(or (p "spouse" "a") (p- "spouse" "a") (p "likes" "a"))')
    assert len(list(smaller(query))) == 3
    assert [less.text for less in smaller(query, DECLARED)] == [
        '(or (p "spouse" "a") (p- "spouse" "a"))', '(p "likes" "a")'
    ]  # fmt: skip
    deep = expanded(parse('(p "spouse" (and (p "r" "a") (p "s" "b")))'), DECLARED)
    assert sorted(less.text for less in smaller(deep, DECLARED)) == [
        '(or (p "spouse" (p "r" "a")) (p- "spouse" (p "r" "a")))',
        '(or (p "spouse" (p "s" "b")) (p- "spouse" (p "s" "b")))',
    ]


def test_a_derivation_is_renamed_in_the_order_of_the_renamed_text():
    turned = 0
    for seed in range(40):
        world, rng = random_world(seed, 8), Random(seed)
        ordered = sorted(world.kg.entities)
        names = dict(
            zip(ordered, (f"n{i:02d}" for i in reversed(range(len(ordered)))), strict=True)
        )
        triples = [(names[s], r, names[o]) for s, r, o in world.kg.labeled()]
        other = World(KnowledgeGraph.from_triples(triples), {})
        for _ in range(10):
            query = random_query(world, rng, subtracts=False)
            grades = evaluate(world.kg, query)
            for answer in grades.answers[:2]:
                witness = world.kg.labeled(grades.witness(answer))
                found = renamed_derivation(query, names, witness, [answer])
                every = derivations(other, renamed(query, names), names[answer])
                some = [d.triples for d in islice(every, 2_000)]
                assert found in some or len(some) == 2_000, query
                turned += found != tuple((names[s], r, names[o]) for s, r, o in witness)
    assert turned > 10
    with pytest.raises(ValueError, match="derive none"):
        renamed_derivation(parse('(p "r" "x")'), {}, [("y", "r", "x")], ["y"])
