"""Questions over a property graph that nobody would ask."""

import pytest

from rulemine.cypher import MatchPattern, PatternNode, PatternQuery, ReturnClause, evaluate
from rulemine.cypher.questions.joins import matched
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.kinds.cypher import contrived
from rulemine.kinds.cypher.contrived import ContrivedPatterns
from rulemine.kinds.cypher.realism import Characteristics, Realism

_TYPES = {"l": "Land", "t": "Town", "p": "Person"}
_NAME = ReturnClause("n_name")
_COUNTS = ReturnClause("n_m0_group_by_count")
_LEAST = ReturnClause("n_agg", "size", aggregate="min")


def _world() -> PropertyGraph:
    """Lands l0 … l7: l0 borders l1, l2, l3, and l4 borders l1; l5 … l7 are islands.

    Towns t0 and t1 lie in l0, t2 and t3 in l4. Each of p0 … p9 has two parents, p10 and p11; p10 knows p0,
    p12, p13 and p14.
    """
    schema = Schema(
        "lands",
        (EntityType("Land", (Property("size", "int"),)), EntityType("Town"), EntityType("Person")),
        (
            RelationType("borders", "Land", "Land"), RelationType("lies_in", "Town", "Land"),
            RelationType("parent_of", "Person", "Person"), RelationType("knows", "Person", "Person"),
        ),
    )  # fmt: skip
    nodes = [GraphNode(f"l{n}", "Land", f"l{n}", {"size": 10 * n + 10}) for n in range(8)]
    nodes += [GraphNode(f"t{n}", "Town", f"t{n}") for n in range(4)]
    nodes += [GraphNode(f"p{n}", "Person", f"p{n}") for n in range(15)]
    pairs = [("l0", "l1"), ("l0", "l2"), ("l0", "l3"), ("l4", "l1")]
    edges = [(s, "borders", o) for one in pairs for s, o in (one, one[::-1])]
    edges += [(f"t{n}", "lies_in", "l0" if n < 2 else "l4") for n in range(4)]
    edges += [(f"p{parent}", "parent_of", f"p{n}") for parent in (10, 11) for n in range(10)]
    edges += [("p10", "knows", f"p{n}") for n in (0, 12, 13, 14)]
    return PropertyGraph(
        schema, nodes, [GraphEdge(f"e{n}", r, s, o) for n, (s, r, o) in enumerate(edges)]
    )


_ONE_LAND = {("Town", "lies_in", "Land"): Characteristics(obj_cardinality="one")}


@pytest.mark.parametrize(
    ("template", "nodes", "relations", "result", "expected"),
    [
        # To find the land of a town is question enough.
        ("(n)<-(m0)<-(m1*)", "L L t0", "borders lies_in", _NAME, False),
        ("(n)<-(m0)<-(m1*)", "L L t0", "borders lies_in", ReturnClause("n_agg", aggregate="count"), False),
        ("(n)<-(m0)<-(m1*)", "L L t0", "borders lies_in", ReturnClause("n_name_prop", "size"), True),
        ("(n)<-(m0)<-(m1*)", "L L t0", "borders lies_in", _LEAST, True),
        # Only one land borders l2, and the lands that border it border l0 as well.
        ("(n)->(m0)->(m1*)", "T L l2", "lies_in borders", _NAME, True),
        ("(n)->(m0)->(m1*)", "T L l1", "lies_in borders", _NAME, False),
        ("(n)->(m0)->(m1*)", "L L l0", "borders borders", _NAME, True),
        # Those who know a child of p11 are p10 alone, and p10 is a parent of p0.
        ("(n)->(m0)<-(m1*)", "P P p11", "knows parent_of", _NAME, True),
        ("(n)<-(m0)->(m1*)", "P P p0", "knows parent_of", _NAME, True),
        # Everybody who has parents has two.
        ("(n)<-(m0)->(m1*) by n", "P P p1", "parent_of parent_of", _COUNTS, True),
        ("(n)<-(m1*) optional (n)<-(m0)", "P P p10", "parent_of knows", _COUNTS, True),
        ("(n)<-(m1*) optional (n)<-(m0)", "P P p10", "knows parent_of", _COUNTS, False),
        # Five of eight lands border another one, and the smallest is one of them.
        ("(n)->(m0)", "L L", "borders", _NAME, True),
        ("(n)->(m0)", "L L", "borders", ReturnClause("n_argmax", "size"), True),
        ("(n)->(m0)", "L L", "borders", ReturnClause("n_argmax", "size", descending=True), False),
        ("(n)->(m0)", "L L", "borders", ReturnClause("n_where", "size", operator=">", bound=40), False),
        ("(n)->(m0)", "L L", "borders", ReturnClause("n_where", "size", operator="<", bound=40), True),
    ],
)  # fmt: skip
def test_what_nobody_would_ask(
    template: str, nodes: str, relations: str, result: ReturnClause, expected: bool
) -> None:
    graph = _world()
    made = [
        PatternNode(_TYPES[one[0].lower()], None if one.isupper() else one) for one in nodes.split()
    ]
    match = MatchPattern(template, tuple(made), tuple(relations.split()))
    query, checks = PatternQuery(match, result), ContrivedPatterns(graph, Realism(_ONE_LAND))
    n = tuple(matched(graph, match).nodes.tolist())
    assert n
    found = checks.of_pattern(match, n) or checks.of_returned(match, result.template, n)
    assert (found or checks.of_result(query, evaluate(graph, query), n)) is expected


def test_long_lists_are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = _world()
    checks = ContrivedPatterns(graph, Realism({}))
    chain = MatchPattern(
        "(n)->(m0)->(m1*)",
        (PatternNode("Town"), PatternNode("Land"), PatternNode("Land", "l1")),
        ("lies_in", "borders"),
    )
    n = tuple(matched(graph, chain).nodes.tolist())
    assert not checks.of_pattern(chain, n)
    monkeypatch.setattr(contrived, "_MOST_LED_TO", 2)
    assert checks.of_pattern(chain, n)
    counted = MatchPattern(
        "(n)->(m1*) optional (n)<-(m0)",
        (PatternNode("Land"), PatternNode("Town"), PatternNode("Land", "l1")),
        ("lies_in", "borders"),
    )
    n = tuple(matched(graph, counted).nodes.tolist())
    assert not checks.of_pattern(counted, n)
    monkeypatch.setattr(contrived, "_MOST_COUNTED", 1)
    assert checks.of_pattern(counted, n)


def test_counts_that_are_mostly_zero_are_asked_for_as_far_as_the_recipe_says() -> None:
    graph = _world()
    people = (PatternNode("Person"), PatternNode("Person"), PatternNode("Person", "p10"))
    match = MatchPattern("(n)<-(m1*) optional (n)<-(m0)", people, ("knows", "parent_of"))
    n = tuple(matched(graph, match).nodes.tolist())  # of ten children, one is known by somebody
    for least, expected in ((0, False), (0.1, False), (0.11, True)):
        checks = ContrivedPatterns(graph, Realism({}), least)
        assert checks.of_pattern(match, n) is expected
