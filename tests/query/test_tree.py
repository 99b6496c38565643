import pytest

from rulemine.errors import QueryError
from rulemine.query import Anchor, Count, Difference, Intersection, Projection, Union
from rulemine.query.tree import MOST_ATOMS, MOST_DEPTH, Query
from tests import each

A, B, C = (Projection("r", False, Anchor(name)) for name in "abc")


def test_parts_are_sorted_flattened_and_merged():
    query = Intersection((C, Intersection((B, A)), A))
    assert query.text == '(and (p "r" "a") (p "r" "b") (p "r" "c"))'
    assert query == Intersection.of([A, B, C])
    assert hash(query) == hash(Intersection((A, B, C)))
    assert query != Union((A, B, C))
    assert Union.of([A, A]) is A


def test_what_stays_as_it_is_given():
    union = Intersection((Union((A, B)), C))
    assert union.text == '(and (or (p "r" "a") (p "r" "b")) (p "r" "c"))'
    assert Projection('a"b', True, Anchor("Zoë\\")).text == r'(p- "a\"b" "Zoë\\")'
    assert Count(A).text == '(count (p "r" "a"))'
    less = Difference(Difference(A, B), C)
    assert less.text == '(minus (minus (p "r" "a") (p "r" "b")) (p "r" "c"))'


@each(
    ("make", "told"),
    [
        (lambda: Intersection((A, A)), r"\(and …\) has 1 different part.*Intersection\.of"),
        (lambda: Union.of([]), "has 0 different parts"), (lambda: Count(Count(A)), "only be outermost"),
        (lambda: Projection("r", False, Count(A)), "only be outermost"),
        (lambda: Union((Count(A), A)), "only be outermost"),
        (lambda: Difference(C, Projection("r", False, Difference(A, B))), "holds another minus"),
    ],
)  # fmt: skip
def test_what_is_no_query_is_refused(make, told):
    with pytest.raises(QueryError, match=told):
        make()


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
