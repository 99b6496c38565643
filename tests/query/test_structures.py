from rulemine.kg.facts import Declarations
from rulemine.query import Anchor, Projection, Union, parse
from rulemine.query.links import expanded, linked, smaller
from rulemine.query.structures import STRUCTURES, structure_of
from rulemine.query.tree import MOST_DEPTH
from tests import each
from tests.query.rooted_trees import query_of, rooted_trees, shape_of

NINE = {
    "1p": '(p "r" "a")', "2p": '(p- "r" (p "s" "a"))', "3p": '(p "r" (p "s" (p- "r" "a")))',
    "2i": '(and (p "r" "a") (p "s" "b"))', "3i": '(and (p "r" "a") (p "s" "b") (p- "s" "c"))',
    "ip": '(p "t" (and (p "r" "a") (p "s" "b")))', "pi": '(and (p "t" (p "r" "a")) (p "s" "b"))',
    "2u": '(or (p "r" "a") (p "s" "b"))', "up": '(p "t" (or (p "r" "a") (p "s" "b")))'
}  # fmt: skip


@each("name", STRUCTURES)
def test_the_nine_structures(name):
    found = structure_of(parse(NINE[name]))
    assert (found.name, found.shape) == (name, STRUCTURES[name])
    assert found.hops == {"1p": 1, "2i": 1, "3i": 1, "2u": 1, "3p": 3}.get(name, 2)
    assert found.atoms == NINE[name].count("(p")


def test_all_rooted_trees_up_to_six_edges_have_codes_of_their_own():
    trees = [tree for edges in range(1, 7) for tree in rooted_trees(edges)]
    codes = [structure_of(query_of(tree)).shape for tree in trees]
    assert codes == [*map(shape_of, trees)]
    assert len(codes) == len(set(codes)) == 84
    assert {"(2)(2)", "(3)(1)", "((1)(1))", "((2)(1))", "((1)(1))(1)", "(2(1)(1))"} <= {*codes}


@each(
    ("text", "shape"), [('"a"', "(0)"), ('(and "a" (p "r" "b"))', "(1)(0)"),
    ('(and (p "r" "a") (or (p "r" "b") (p "s" (p "s" "c"))))', "{(2)|(1)}(1)"),
    ('(or (and (p "r" "a") (p "s" "b")) (p "r" (p "s" (p "s" "c"))))', "{(1)(1)|(3)}"),
    ('(minus (and (p "r" "a") (p "s" "b")) (p "t" (p "t" "c")))', "(1)(1)-{(2)}"),
    ('(p "r" (minus (p "r" "a") (p "s" "b")))', "((1)-{(1)})"),
    ('(and (minus (p "r" "a") (p "s" "b")) (p "t" "c"))', "(1)(1)-{(1)}"),
    ('(minus (minus (p "r" "a") (p "s" (p "s" "b"))) (p "s" "c"))', "(1)-{(1)}-{(2)}"),
    ('(count (p "r" "a"))', "#(1)")]
)  # fmt: skip
def test_what_the_paper_has_no_code_for(text, shape):
    assert structure_of(parse(text))[:2] == (shape, shape)


def test_the_deepest_query_has_a_code():
    query = parse('"a"')
    for _ in range(MOST_DEPTH // 2 - 1):
        query = Projection("r", False, Union.of([query, Projection("s", False, Anchor("b"))]))
    assert structure_of(query).hops == MOST_DEPTH // 2
    assert len(structure_of(query).shape) < 10 * MOST_DEPTH


def test_statements_of_one_fact_over_one_operand_are_one_link():
    declared = Declarations.of(symmetric=["spouse"], inverse=[("parent", "child")])
    couple = parse('(or (p "spouse" "a") (p- "spouse" "a"))')
    assert structure_of(couple).name == "2u"
    assert structure_of(couple, declared) == ("1p", "(1)", ("a",), 1, 1)
    apart = parse('(or (p "spouse" "a") (p- "spouse" "b"))')
    assert structure_of(apart, declared).name == "2u"
    both = parse('(or (p "spouse" "a") (p- "spouse" "a") (p "child" "b") (p- "parent" "b"))')
    assert structure_of(both, declared).name == "2u"
    other = parse('(or (p "child" "b") (p "parent" "b"))')
    assert structure_of(other, declared).name == "2u"


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
