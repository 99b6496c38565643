"""Cypher in memory: what a real Neo4j 5.26 answers (recorded by hand), what is refused, and limits."""

import datetime
from typing import Any

from rulemine.cypher.rows import Failed, NotRun, ResultTable
from rulemine.evaluation.cypher.runners import InMemoryRunner
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from tests import each

GRAPH = PropertyGraph(
    Schema("towns", (EntityType("Town", (Property("people", "int"), Property("founded", "date"))),
    EntityType("Person", (Property("tags", "list[str]"),))),
    (RelationType("knows", "Person", "Person"), RelationType("livesIn", "Person", "Town"))), (
    GraphNode("t1", "Town", "Arden", {"people": 7, "founded": datetime.date(1200, 5, 1)}),
    GraphNode("t2", "Town", "Bree", {"people": 9}), GraphNode("p1", "Person", "Bo", {"tags": ("a", "b")}),
    GraphNode("p2", "Person", "Al"), GraphNode("p3", "Person", "Cy")), (GraphEdge("k1", "knows", "p1", "p2"),
    GraphEdge("k2", "knows", "p2", "p3"), GraphEdge("k3", "knows", "p3", "p1"),
    GraphEdge("k4", "knows", "p3", "p3"), GraphEdge("l1", "livesIn", "p1", "t1"),
    GraphEdge("l2", "livesIn", "p2", "t1"))
)  # fmt: skip
RUNNER = InMemoryRunner(GRAPH, seconds=20)

ANSWERS: dict[str, list[tuple[Any, ...]]] = {
    "RETURN 5/2, -5/2, -5%3, 2^3^2, -2^2, 1 = 1 = true, 1 < 2 < 3": [(2, -2, -2, 64.0, 4.0, False, True)],
    "RETURN 1 < 'a', 1 = 'a', 'a' + 1, [1] + 2, null OR true, null AND true, 2 IN [1, null]": [
    (None, False, "a1", [1, 2], True, None, None)],
    "RETURN [1,2,3][-1], [1,2,3][..-1], [1,2,3][5], size('abc'), round(-2.5), toInteger('12.7')": [
    (3, [1, 2], None, 3, -2.0, 12)],
    "UNWIND [1, true, 'a', null, [1], 2.5] AS x WITH x ORDER BY x RETURN collect(x)": [
    ([[1], "a", True, 1, 2.5],)],
    "UNWIND [1, 1.0, null, null] AS x RETURN count(x), count(DISTINCT x), sum(x), avg(x)": [(2, 1, 2.0, 1.0)],
    "RETURN CASE null WHEN null THEN 1 ELSE 2 END, any(x IN [1, null] WHERE x > 1), coalesce(null, 3)": [
    (2, None, 3)], "MATCH (n:Town) WHERE n.founded.year < 1300 RETURN n.name, n.founded": [
    ("Arden", datetime.date(1200, 5, 1))],
    "MATCH (a {name: 'Bo'})-[:knows*1..4]->(b) RETURN b.name": [("Al",), ("Cy",), ("Cy",), ("Bo",), ("Bo",)],
    "MATCH (a:Person)-[:knows]-(b) RETURN a.name, count(*) AS c": [("Bo", 2), ("Al", 2), ("Cy", 3)],
    "MATCH (a)-->(b), (c)-->(b) WHERE b:Town RETURN a.name, c.name": [("Bo", "Al"), ("Al", "Bo")],
    "MATCH (p:Person) OPTIONAL MATCH (p)-[:livesIn]->(t) WHERE t.people > 7 RETURN count(t), count(*)": [
    (0, 3)], "MATCH (p:Person) WHERE NOT EXISTS { (p)-[:livesIn]->() } RETURN p.name": [("Cy",)],
    "MATCH (p:Person) WHERE COUNT { (p)-[:knows]-() } > 2 AND (p)-->(p) RETURN p.name": [("Cy",)],
    "MATCH (t:Town) RETURN t.name ORDER BY t.founded DESC LIMIT 1": [("Bree",)],
    "MATCH (t:Town) WHERE t.people > 9 RETURN count(t), sum(t.people), max(t.people), collect(t.name)": [
    (0, 0, None, [])], "MATCH (t:Town) WHERE t.people > 9 RETURN t.name, count(*)": [],
    "UNWIND [1, 2, 3, 4] AS x RETURN x SKIP 1 LIMIT 2": [(2,), (3,)],
    "MATCH (t)<-[:livesIn]-(p) WITH t, count(p) AS c WHERE c > 1 RETURN t.name": [("Arden",)],
    "MATCH (p:Person) CALL (p) { MATCH (p)-->(x) RETURN count(x) AS c } RETURN collect(c)": [([2, 2, 2],)],
    "CALL { MATCH (n:Town) RETURN n UNION MATCH (n {name: 'Bree'}) RETURN n } RETURN count(n)": [(2,)],
    "MATCH (p:Person) UNWIND p.tags AS tag RETURN DISTINCT tag UNION ALL RETURN 'a' AS tag": [("a",), ("b",),
    ("a",)],
    "MATCH q = (:Person {name: 'Bo'})-[:knows]->()-[:livesIn]->(t) RETURN length(q), nodes(q)[1].name": [
    (2, "Al")],
    "MATCH (t:Town) RETURN t {.name, n: t.people + 1}, size([(t)<--(p) | p]) ORDER BY t.name LIMIT 1": [
    ({"name": "Arden", "n": 8}, 2)]
}  # fmt: skip

FAILS = {
    "RETURN 5/0": "ArithmeticError", "RETURN 9223372036854775807 + 1": "ArithmeticError",
    "MATCH (n) RETURN m": "SyntaxError", "MATCH (n:Nothing) RETURN size(n)": "SyntaxError",
    "MATCH (n) RETURN n.name + n.people + count(*)": "SyntaxError",
    "MATCH (n) WITH n.name RETURN 1": "SyntaxError",
    "MATCH (n) RETURN DISTINCT n.name ORDER BY n.people": "SyntaxError",
    "MATCH (n) RETURN n.name ORDER BY count(*)": "SyntaxError",
    "MATCH (n) WHERE n.name RETURN n": "TypeError", "MATCH (n) RETURN toUpper(n.people)": "TypeError",
    "RETURN foo(1)": "SyntaxError", "RETURN $x": "ParameterMissing", "MATCH (n": "SyntaxError",
    "MATCH (n) DETACH DELETE n": "refused.write", "UNWIND range(1, 1000000000) AS x RETURN x": "OutOfMemory"
}  # fmt: skip

NOT_RUN = (
    "MATCH p = shortestPath((a)-[*]-(b)) RETURN p", "MATCH (n)-->{1,3}(m) RETURN n", "RETURN duration('P1D')",
    "MATCH (n) RETURN apoc.text.join([], '')", "MATCH (n:Person) WHERE n.name =~ '(a+)+b' RETURN n",
    "RETURN 1 IS :: INTEGER", "EXPLAIN MATCH (n) RETURN n"
)  # fmt: skip


@each("query", ANSWERS)
def test_rows_are_neo4j_s(query):
    found = RUNNER.rows(query)
    assert isinstance(found, ResultTable), found
    assert sorted(map(repr, found.rows)) == sorted(map(repr, ANSWERS[query]))


@each("query", FAILS)
def test_what_neo4j_refuses_fails(query):
    found = RUNNER.rows(query)
    assert isinstance(found, Failed), found
    assert found.code == FAILS[query]


@each("query", NOT_RUN)
def test_what_is_not_taken_is_not_run(query):
    found = RUNNER.rows(query)
    assert isinstance(found, NotRun), found
    assert "line 1, column " in found.reason


def test_what_sorts_distinct_groups_may_see_the_aggregates():
    query = "MATCH (n:Town) RETURN DISTINCT collect(n.name) ORDER BY size([(n)-->(x) | x.name])"
    assert isinstance(RUNNER.rows(query), ResultTable)


def test_queries_without_end_and_of_many_rows_fail():
    endless = InMemoryRunner(GRAPH, seconds=0.2)
    many = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b "
    for query in (
        f"{many} RETURN sum(a * b)", f"MATCH {', '.join(f'(a{n})' for n in range(40))} RETURN count(*)"
    ):  # fmt: skip
        found = endless.rows(query)
        assert isinstance(found, Failed)
        assert found.code == "TimedOut"
    found = InMemoryRunner(GRAPH, most=1000).rows(f"{many} RETURN a")
    assert isinstance(found, Failed)
    assert found.code == "TooManyRows"
