from rulemine.kg.facts import Declarations
from rulemine.query import parse
from rulemine.query.links import expanded, linked, smaller

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
