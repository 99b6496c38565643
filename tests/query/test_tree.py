import pytest

from rulemine.errors import QueryError
from rulemine.query import Anchor, Count, Difference, Intersection, Projection, Union
from rulemine.query.tree import MOST_ATOMS, MOST_DEPTH, Query

A, B, C = (Projection("r", False, Anchor(name)) for name in "abc")


def test_parts_are_sorted_flattened_and_merged():
    query = Intersection((C, Intersection((B, A)), A))
    assert query.text == '(and (p "r" "a") (p "r" "b") (p "r" "c"))'
    assert query == Intersection.of([A, B, C])
    assert hash(query) == hash(Intersection((A, B, C)))
    assert query != Union((A, B, C))
    assert Union.of([A, A]) is A


def test_unions_within_intersections_stay():
    assert Intersection((Union((A, B)), C)).text == (
        '(and (or (p "r" "a") (p "r" "b")) (p "r" "c"))'
    )


def test_names_are_json_strings():
    assert Projection('a"b', True, Anchor("Zoë\\")).text == r'(p- "a\"b" "Zoë\\")'


def test_a_combination_of_one_part_is_refused():
    with pytest.raises(QueryError, match=r"\(and …\) has 1 different part.*Intersection\.of"):
        Intersection((A, A))
    with pytest.raises(QueryError, match="has 0 different parts"):
        Union.of([])


def test_a_count_is_outermost():
    assert Count(A).text == '(count (p "r" "a"))'
    for make in (lambda q: Projection("r", False, q), Count, lambda q: Union((q, A))):
        with pytest.raises(QueryError, match="can only be outermost"):
            make(Count(A))


def test_what_is_taken_away_holds_no_difference():
    less = Difference(A, B)
    assert Difference(less, C).text == '(minus (minus (p "r" "a") (p "r" "b")) (p "r" "c"))'
    with pytest.raises(QueryError, match="holds another minus"):
        Difference(C, Projection("r", False, less))


def test_depth_and_size_are_bounded():
    query: Query = Anchor("a")
    for _ in range(MOST_DEPTH):
        query = Projection("r", False, query)
    assert (query.depth, query.size) == (MOST_DEPTH, MOST_DEPTH)
    with pytest.raises(QueryError, match="nested more than 100 deep"):
        Projection("r", False, query)
    many = [Projection("r", False, Anchor(str(i))) for i in range(MOST_ATOMS // 2)]
    half = Union.of(many)
    assert half.size == MOST_ATOMS // 2
    with pytest.raises(QueryError, match="50,002 atoms; at most 50,000"):
        Intersection.of([Projection("r", False, half), Projection("s", False, half)])
