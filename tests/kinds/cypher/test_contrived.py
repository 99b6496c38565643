"""Questions over a property graph that nobody would ask."""

import pytest

from rulemine.cypher import PatternQuery, ReturnClause
from rulemine.cypher.questions.joins import matched
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.cypher import contrived
from rulemine.kinds.cypher.contrived import ContrivedPatterns
from rulemine.kinds.cypher.realism import Characteristics, Realism
from tests import each
from tests.kinds.cypher.graphs import graph_of, pattern, schema_of

_NAME = ReturnClause("n_name")
_COUNTS = ReturnClause("n_m0_group_by_count")
_LEAST = ReturnClause("n_agg", "size", aggregate="min")


def _world() -> PropertyGraph:
    """Lands l0 … l7: l0 borders l1, l2, l3, and l4 borders l1; l5 … l7 are islands.

    Towns t0 and t1 lie in l0, t2 and t3 in l4. Each of p0 … p9 has two parents, p10 and p11; p10 knows p0,
    p12, p13 and p14.
    """
    relations = "borders Land Land, lies_in Town Land, parent_of Person Person, knows Person Person"
    pairs = [("l0", "l1"), ("l0", "l2"), ("l0", "l3"), ("l4", "l1")]
    edges = [f"{s} borders {o}" for one in pairs for s, o in (one, one[::-1])]
    edges += [f"t{n} lies_in {'l0' if n < 2 else 'l4'}" for n in range(4)]
    edges += [f"p{parent} parent_of p{n}" for parent in (10, 11) for n in range(10)]
    edges += [f"p10 knows p{n}" for n in (0, 12, 13, 14)]
    nodes = {
        "Land": {f"l{n}": (f"l{n}", {"size": 10 * n + 10}) for n in range(8)},
        "Town": "t0 t1 t2 t3", "Person": " ".join(f"p{n}" for n in range(15)),
    }  # fmt: skip
    return graph_of(schema_of("Land(size int) Town Person", relations), nodes, ", ".join(edges))


_ONE_LAND = {("Town", "lies_in", "Land"): Characteristics(obj_cardinality="one")}
_OF_TOWN = ("(n)<-(m0)<-(m1*)", "Land Land Town:t0", "borders lies_in")
_IN_NEXT = ("(n)->(m0)", "Land Land", "borders")


@each(
    ("asked", "result", "expected"),
    [
        # To find the land of a town is question enough.
        (_OF_TOWN, _NAME, False),
        (_OF_TOWN, ReturnClause("n_agg", aggregate="count"), False),
        (_OF_TOWN, ReturnClause("n_name_prop", "size"), True),
        (_OF_TOWN, _LEAST, True),
        # Only one land borders l2, and the lands that border it border l0 as well.
        (("(n)->(m0)->(m1*)", "Town Land Land:l2", "lies_in borders"), _NAME, True),
        (("(n)->(m0)->(m1*)", "Town Land Land:l1", "lies_in borders"), _NAME, False),
        (("(n)->(m0)->(m1*)", "Land Land Land:l0", "borders borders"), _NAME, True),
        # Those who know a child of p11 are p10 alone, and p10 is a parent of p0.
        (("(n)->(m0)<-(m1*)", "Person Person Person:p11", "knows parent_of"), _NAME, True),
        (("(n)<-(m0)->(m1*)", "Person Person Person:p0", "knows parent_of"), _NAME, True),
        # Everybody who has parents has two.
        (("(n)<-(m0)->(m1*) by n", "Person Person Person:p1", "parent_of parent_of"), _COUNTS, True),
        (("(n)<-(m1*) optional (n)<-(m0)", "Person Person Person:p10", "parent_of knows"), _COUNTS, True),
        (("(n)<-(m1*) optional (n)<-(m0)", "Person Person Person:p10", "knows parent_of"), _COUNTS, False),
        # Five of eight lands border another one.
        (_IN_NEXT, _NAME, True),
        # Of the town of a land, and of what uses the same, no more is asked for than the name.
        (("(n)<-(m0*)", "Land Town:t0", "lies_in"), _NAME, False),
        (("(n)<-(m0*)", "Land Town:t0", "lies_in"), ReturnClause("n_name_prop", "size"), True),
        (("(n)->(m0)<-(m1*)", "Town Land Town:t0", "lies_in lies_in"), _NAME, False),
        (("(n)->(m0)<-(m1*)", "Town Land Town:t0", "lies_in lies_in"), ReturnClause("n_name_prop", "size"),
         True),
    ],
)  # fmt: skip
def test_what_nobody_would_ask(asked, result, expected):
    graph, match = _world(), pattern(*asked)
    query, checks = (
        PatternQuery(match, result),
        ContrivedPatterns(graph, Realism(_ONE_LAND, places=["lies_in"])),
    )
    n = tuple(matched(graph, match).nodes.tolist())
    assert n
    found = checks.of_pattern(match, n) or checks.of_returned(match, result.template, n)
    assert (found or checks.of_result(query, n)) is expected


def test_long_lists_are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = _world()
    checks = ContrivedPatterns(graph, Realism({}))
    for match, bound, most in (
        (pattern("(n)->(m0)->(m1*)", "Town Land Land:l1", "lies_in borders"), "_MOST_LED_TO", 2),
        (
            pattern("(n)->(m1*) optional (n)<-(m0)", "Land Town Land:l1", "lies_in borders"),
            "_MOST_COUNTED", 1,
        ),
    ):  # fmt: skip
        n = tuple(matched(graph, match).nodes.tolist())
        assert not checks.of_pattern(match, n)
        assert not checks.of_returned(match, "n_name", n)
        monkeypatch.setattr(contrived, bound, most)
        assert checks.of_pattern(match, n) or checks.of_returned(match, "n_name", n)


def test_counts_that_are_mostly_zero_are_asked_for_as_far_as_the_recipe_says() -> None:
    graph = _world()
    match = pattern("(n)<-(m1*) optional (n)<-(m0)", "Person Person Person:p10", "knows parent_of")
    n = tuple(matched(graph, match).nodes.tolist())  # of ten children, one is known by somebody
    for least, expected in ((0, False), (0.1, False), (0.11, True)):
        checks = ContrivedPatterns(graph, Realism({}), least)
        assert checks.of_pattern(match, n) is expected
