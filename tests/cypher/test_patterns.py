import datetime
from dataclasses import replace

import pytest

from rulemine.cypher import (
    MatchPattern,
    PatternNode,
    PatternQuery,
    ReturnClause,
    evaluate,
    provenance_of,
    to_cypher,
)
from rulemine.cypher.interpreter.values import EvaluationError
from rulemine.cypher.questions.pattern import anchored
from rulemine.cypher.questions.render import quoted_name, quoted_value
from rulemine.cypher.questions.templates import CATEGORIES, MATCHES, RETURNS
from rulemine.errors import ConfigError
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.neo4j.bolt import Bolt
from tests import each

TOWN = (
    *(Property("people", "int"), Property("founded", "date"), Property("rivers", "list[str]")),
    *(Property("mood", "str"), Property("height", "float")),
)
YEARS = (Property("start_year", "int"), Property("end_year", "int"))
SCHEMA = Schema(
    "towns", (EntityType("Town", TOWN), EntityType("Person")),
    (RelationType("livesIn", "Person", "Town", YEARS), RelationType("likes", "Person", "Town"))
)  # fmt: skip
LARGEST = 2**63 - 1
GRAPH = PropertyGraph(
    SCHEMA, (GraphNode("t1", "Town", "Arden", {"people": 7, "mood": "gay", "rivers": ("Ise", "Aa")}),
    GraphNode("t2", "Town", "Arden", {"people": 7, "founded": datetime.date(1200, 5, 1)}),
    GraphNode("t3", "Town", "Bree", {"people": -LARGEST, "rivers": ("Aa",)}),
    GraphNode("t4", "Town", "Carn", {"mood": "gay"}), GraphNode("p1", "Person", "Bo"),
    GraphNode("p2", "Person", 'Al "O\\')), (
    GraphEdge("e1", "livesIn", "p1", "t1", {"start_year": 1990, "end_year": 1999}),
    GraphEdge("e2", "livesIn", "p1", "t1", {"start_year": 1999}),
    GraphEdge("e3", "livesIn", "p1", "t3", {"end_year": 2005}), GraphEdge("e4", "livesIn", "p2", "t4"),
    GraphEdge("e5", "likes", "p1", "t4"))
)  # fmt: skip
ALL_TOWNS = MatchPattern("(n)", (PatternNode("Town"),))


def asked(match, template, **fields):
    return PatternQuery(match, ReturnClause(template, **fields))


def rows(match, template, **fields):
    return evaluate(GRAPH, asked(match, template, **fields)).rows


def of_bo(template, *relations, time=None):
    """A pattern whose towns are fixed by nothing, whose person is Bo."""
    nodes = {
        "n": PatternNode("Town"), "m0": PatternNode("Person", "Bo"), "m1": PatternNode("Person", "Bo")
    }  # fmt: skip
    category = CATEGORIES[MATCHES[template].category]
    return MatchPattern(template, tuple(nodes[v] for v in category.nodes), relations, time)


def test_the_templates_are_those_of_the_paper_and_one_more():
    assert len(MATCHES) == 31 + sum(row.ours for row in MATCHES.values()) == 32
    assert (len(CATEGORIES), len(RETURNS)) == (12, 17)
    basic = [row for row in MATCHES.values() if CATEGORIES[row.category].basic]
    assert len(basic) == 15 + 1
    assert len({row.category for row in basic}) == 7


def test_absent_values_come_first_downward_unless_they_must_be_known():
    down = {"property": "people", "descending": True}
    assert rows(ALL_TOWNS, "n_argmax", **down, known=False) == [("Carn",)]
    result = evaluate(GRAPH, asked(ALL_TOWNS, "n_argmax", **down))
    assert (result.rows, result.tied) == ([("Arden",)], (("Arden",), ("Arden",)))
    names = [("Bree",), ("Arden",), ("Arden",), ("Carn",)]
    assert rows(ALL_TOWNS, "n_order_by", property="people", known=False) == names
    assert rows(ALL_TOWNS, "n_order_by", property="people") == names[:3]


@each(
    ("fields", "number"), [({"property": "people", "operator": "<>", "bound": 8}, 3),
    ({"property": "founded", "operator": "<", "bound": 1201, "year": True}, 1),
    ({"property": "rivers", "operator": "NOT IN", "bound": "Ise"}, 1),
    ({"property": "mood", "operator": "<>", "bound": "sad"}, 2)]
)  # fmt: skip
def test_conditions_drop_absent_values(fields, number):
    assert len(rows(ALL_TOWNS, "n_where", **fields)) == number


def test_aggregates_and_groups():
    assert rows(ALL_TOWNS, "n_agg", aggregate="count") == [(4,)]
    assert rows(ALL_TOWNS, "n_agg", aggregate="max", property="height") == [(None,)]
    assert rows(ALL_TOWNS, "n_agg", aggregate="count distinct", property="height") == [(0,)]
    assert rows(ALL_TOWNS, "n_agg", aggregate="min", property="founded", year=True) == [(1200,)]
    groups = {"key": "mood", "aggregate": "max", "property": "people"}
    assert rows(ALL_TOWNS, "n_group_by", **groups) == [("gay", 7)]
    assert rows(ALL_TOWNS, "n_group_by", **groups, known=False) == [("gay", 7), (None, 7)]


def test_time():
    now, then = "(n)<-(m0*) current", "(n)<-(m0*) in year"
    assert rows(of_bo(now, "livesIn", time="current"), "n_name_special") == [("Arden",)]
    assert rows(of_bo(then, "livesIn", time=1999), "n_name_special") == [("Arden",)]
    assert rows(of_bo(then, "livesIn", time=1989), "n_name_special") == []
    query = asked(of_bo(then, "livesIn", time=1999), "n_name_special")
    assert provenance_of(GRAPH, query) == (("p1", "t1"), ("e1", "e2"))


def test_an_edge_is_bound_once_in_a_match_and_again_in_another():
    both = of_bo("(n)<-(m0*),(n)<-(m1*)", "livesIn", "livesIn")
    assert rows(both, "n_name") == [("Arden",)]  # by parallel edges; Bree has one
    assert provenance_of(GRAPH, asked(both, "n_name")) == (("p1", "t1"), ("e1", "e2"))
    optional = "(n)<-(m1*) optional (n)<-(m0)"
    some = (PatternNode("Town"), PatternNode("Person"), PatternNode("Person", "Bo"))
    query = asked(MatchPattern(optional, some, ("livesIn", "likes")), "n_m0_group_by_count")
    assert evaluate(GRAPH, query).rows == [("Carn", 1)]
    query = asked(MatchPattern(optional, some, ("likes", "livesIn")), "n_m0_group_by_count")
    assert evaluate(GRAPH, query).rows == [("Arden", 0), ("Bree", 0)]
    assert "OPTIONAL MATCH (n)<-[r0:likes]-(m0:Person)" in to_cypher(query)


def test_a_union_and_its_provenance():
    match = of_bo("(n)<-(m0*) or (n)<-(m1*)", "likes", "livesIn")
    assert sorted(rows(match, "union_name")) == [("Arden",), ("Bree",), ("Carn",)]
    assert rows(match, "union_count") == [(3,)]
    assert provenance_of(GRAPH, asked(match, "union_count")).edges == ("e1", "e2", "e3", "e5")


def test_two_nodes_of_one_name_are_told_apart_by_id():
    first, second, third = (anchored(GRAPH, GRAPH.positions[id_]) for id_ in ("t1", "t2", "t3"))
    assert (first.id, third.id) == ("t1", None)
    assert rows(MatchPattern("(n*)", (first,)), "n_prop", property="mood") == [("gay",)]
    both = MatchPattern("(n*),(m0*)", (first, second))
    assert '(n:Town {id: "t1"}), (m0:Town {id: "t2"})' in to_cypher(
        asked(both, "comparison_boolean", property="people")
    )
    assert rows(both, "comparison_boolean", property="people") == [(True,)]
    assert rows(both, "comparison_arithmetic", property="people") == [(0,)]
    with pytest.raises(EvaluationError, match="64 bits"):
        rows(MatchPattern("(n*),(m0*)", (first, third)), "comparison_arithmetic", property="people")
    lacking = MatchPattern("(n*),(m0*)", (first, PatternNode("Town", "Carn")))
    assert rows(lacking, "comparison_argmax", property="people") == []
    assert rows(lacking, "comparison_argmax", property="people", known=False) == [("Carn",)]


def test_cypher_is_one_line_and_means_the_names():
    person = PatternNode("Person", 'Al "O\\\n\u2028')
    match = MatchPattern("(n)<-(m0*)", (PatternNode("Town"), person), ("livesIn",))
    query = asked(match, "n_argmax", property="people", descending=True)
    assert to_cypher(query) == (
        r'MATCH (n:Town)<-[r0:livesIn]-(m0:Person {name: "Al \"O\\\n\u2028"}) WITH DISTINCT n '
        "WHERE n.people IS NOT NULL RETURN n.name ORDER BY n.people DESC LIMIT 1"
    )
    unknown = replace(query, result=replace(query.result, known=False))
    assert "IS NOT NULL" not in to_cypher(unknown)
    assert quoted_name("a`b c") == "`a``b c`"
    values = (True, 3, 1e16, -0.0, datetime.date(99, 1, 2))
    assert [quoted_value(value) for value in values] == [
        "true", "3", "1e16", "0.0", 'date("0099-01-02")'
    ]  # fmt: skip


def test_trees_that_no_template_has():
    town = PatternNode("Town")
    with pytest.raises(ConfigError, match=r"'\(n\)-' is unknown; did you mean"):
        MatchPattern("(n)-", (town,))
    with pytest.raises(ConfigError, match="2 nodes and 0 relations; expected 1 nodes"):
        MatchPattern("(n)", (town, town))
    with pytest.raises(ConfigError, match="time is None; expected a year"):
        of_bo("(n)<-(m0*) in year", "livesIn")
    with pytest.raises(ConfigError, match=r"bound is missing\n.*descending is not for it"):
        ReturnClause("n_where", property="people", operator="=", descending=True)
    with pytest.raises(ConfigError, match="max needs a property"):
        ReturnClause("n_agg", aggregate="max")
    with pytest.raises(ConfigError, match="'n_name' does not go with"):
        asked(MatchPattern("(n*)", (PatternNode("Town", "Bree"),)), "n_name")


def test_a_property_that_neo4j_could_not_tell_from_the_id_is_refused():
    schema = Schema("s", (EntityType("Town", (Property("id", "int"),)),), ())
    with pytest.raises(ConfigError, match="Town has a property 'id'"):
        Bolt(None).load_properties(PropertyGraph(schema, (), ()))
