import pytest

from rulemine.errors import NoTreeError, QueryError
from rulemine.query.foreign.read_sexpression import tree_of_sexpression
from rulemine.query.structures import structure_of

NINE = {
    "1p": "(AND film.film (JOIN film.film.directed_by m.a))",
    "2p": "(AND c.c (JOIN r (JOIN (R s) m.a)))",
    "3p": "(AND c.c (JOIN r (JOIN s (AND d.d (JOIN t g.a)))))",
    "2i": '(AND c.c (AND (JOIN r m.a) (JOIN s "2009"^^http://www.w3.org/2001/XMLSchema#gYear)))',
    "3i": "(AND (AND (JOIN r m.a) (JOIN s m.b)) (JOIN (R t) 13.9^^xsd:float))",
    "ip": "(JOIN (R t) (AND (JOIN r m.a) (JOIN s m.b)))",
    "pi": "(AND (JOIN r (JOIN s m.a)) (JOIN t m.b))",
    "2u": "(OR (JOIN r m.a) (JOIN s m.b))",
    "up": "(AND c.c (JOIN t (OR (JOIN r m.a) (JOIN s m.b))))",
}


@pytest.mark.parametrize("name", NINE)
def test_each_of_the_nine(name: str) -> None:
    query, dropped = tree_of_sexpression(NINE[name])
    assert structure_of(query).name == name
    assert set(dropped) <= {"type"}


def test_directions_and_classes() -> None:
    query, dropped = tree_of_sexpression("(AND c.c (AND m.x (JOIN (R r) (JOIN s m.a))))")
    assert query.text == '(and "m.x" (p "r" (p- "s" "m.a")))'
    assert dropped == ("type",)


@pytest.mark.parametrize(
    ("text", "shape", "kinds"),
    [
        ("(AND c.c (AND (JOIN r m.a) (le s 2009^^xsd:gYear)))", "(1)", ("type", "le")),
        ("(ARGMAX (AND c.c (JOIN r m.a)) (JOIN (R s) t))", "(1)", ("ARGMAX", "type")),
        ("(ARGMIN (JOIN r m.a) t)", "(1)", ("ARGMIN",)),
        ("(COUNT (AND c.c (JOIN r m.a)))", "#(1)", ("type",)),
        ("(JOIN r (TC (JOIN s m.a) t.from NOW))", "(2)", ("TC",)),
        ("(AND (JOIN r m.a) (JOIN s (AND d.d (gt t 3))))", "(1)", ("type", "gt")),
        ("(AND (JOIN r m.a) (JOIN common.topic.notable_types Country))", "(1)", ("type",)),
        ("(JOIN (R common.topic.notable_types) m.a)", "(1)", ()),
    ],
)
def test_qualifiers_are_dropped(text: str, shape: str, kinds: tuple[str, ...]) -> None:
    query, dropped = tree_of_sexpression(text)
    assert (structure_of(query).shape, dropped) == (shape, kinds)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(ARGMAX c.c r)", "no entity is named"),
        ("(AND c.c (le r 3))", "no entity is named"),
        ("(COUNT c.c)", "no entity is named"),
        ("(AND (JOIN r m.a) (OR (JOIN s m.b) c.c))", "a part of OR that names no entity"),
    ],
)
def test_what_names_no_entity_is_no_tree(text: str, reason: str) -> None:
    with pytest.raises(NoTreeError) as refused:
        tree_of_sexpression(text)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "column 1: found the end, expected an opening parenthesis"),
        ("JOIN r m.a", "column 1: found JOIN, expected an opening"),
        ("(JOIN r m.a", "column 12: found the end, expected a closing parenthesis"),
        ('(JOIN r "a)', 'column 9: found ", expected a closing double quote'),
        ("(JOIN r m.a) )", r"column 14: found \), expected the end"),
        ("(JOIN r m.a) (JOIN r m.b)", r"column 14: found \(, expected the end"),
        ("(JION r m.a)", "found the operator JION after a parenthesis; did you mean 'JOIN'"),
        ("((JOIN r m.a))", "found no operator"),
        ("()", "found no operator"),
        ("(JOIN r s m.a)", "JOIN has 3 operands, expected 2"),
        ("(AND (JOIN r m.a))", "AND has 1 operands, expected two or more"),
        ("(JOIN (S r) m.a)", "JOIN: expected a relation"),
        ("(JOIN r (COUNT (JOIN s m.a)))", "a count is inside another query"),
        ("(JOIN r " * 1000 + "m.a" + ")" * 1000, "column 794: nested more than 100 deep"),
    ],
)
def test_bad_input(text: str, expected: str) -> None:
    with pytest.raises(QueryError, match=expected) as refused:
        tree_of_sexpression(text)
    assert not isinstance(refused.value, NoTreeError)


def test_too_many_atoms() -> None:
    test_bad_input(f"(OR {' '.join(f'(JOIN r m.{i})' for i in range(60_000))})", "60,000 atoms")
