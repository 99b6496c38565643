"""Cypher is read as models write it, refused with its place, and asked for its provenance."""

import re
from pathlib import Path

import pytest

from checks.oracles.random_patterns import random_graph, random_queries
from rulemine.cypher import to_cypher
from rulemine.cypher.language.parser import parse
from rulemine.cypher.language.rewriting import provenance_query
from rulemine.cypher.language.syntax import CypherError, Match, SubqueryClause, UnsupportedError
from tests import each

READ = (
    """
MATCH (n) RETURN n;
match (n:City {name: 'O\\'Hare'})-[r:`in country`*1..3]->(m) where n.a >= 3 and not m:Big return
    distinct n.name as x order by x desc skip 1 limit 2
MATCH (a)-->(b)<--(c)--(d)<-[:A|B]-(e), (f) RETURN *
MATCH p = shortestPath((a:A {name: "x"})-[*..4]-(b)) RETURN length(p), [n IN nodes(p) | n.name]
MATCH (n) WHERE n.born < date('1990-01-01') AND (n)-[:knows]->(:P {name: "X"}) AND n.x IS NOT NULL
    RETURN count(*) AS `how many`
MATCH (n) WHERE EXISTS { MATCH (n)-[:R]->(m) WHERE m.a = 1 } AND COUNT { (n)--() } > 2 AND
    exists((n)-[:S]-()) RETURN n
UNWIND [1, .5, 2e3, 0x1F, -3] AS x WITH x WHERE x > 1 MATCH (n {v: x}) RETURN n.v, x ^ 2 % 3
WITH "a" AS name MATCH (n {name: name}) RETURN CASE n.k WHEN 1 THEN 'a' ELSE 'b' END, CASE WHEN n.a > 1
    THEN 2 END
MATCH (n) RETURN n {.name, .*, x: 1, m: [(n)-->(m) WHERE m.a | m.name]}, {a: 1, `b c`: [1, 2][0..1]}[$key]
MATCH (n) WITH n, count(DISTINCT n.x) AS c ORDER BY c DESC LIMIT 1 RETURN n.name UNION ALL MATCH (m)
    RETURN m.name
CALL { MATCH (n) RETURN n UNION MATCH (n:B) RETURN n } WITH DISTINCT n RETURN n.name // so
MATCH (n) CALL { WITH n MATCH (n)--(m) RETURN count(m) AS c } CALL (n) { MATCH (n)--(k) RETURN k }
    RETURN c /* so */
MATCH (n) WHERE any(x IN n.l WHERE x STARTS WITH 'a' OR x =~ '.*') RETURN reduce(s = 0, x IN n.l | s +
    x), [x IN n.l WHERE x:A | x.b], n.l[-1], (n.a + 1) * 2
MATCH (n:A&!B|C)-[r WHERE r.x > 1]->(m IS D) WHERE n:A|B RETURN point.distance(n.p, m.p), date().year,
    n.order, type(r) IN ['a']
MATCH (count)-[:R]->(end) WHERE count.x = end.x RETURN count, end, [1 IN [2], 3], size([(count)--(x) | x])
""".strip()
    .replace("\n    ", " ")
    .splitlines()
)

REFUSED = (
    ("MATCH (n)\nDETACH DELETE n", "write", (2, 1)), ("create (n)", "write", (1, 1)),
    ("MATCH (n) SET n.x = 1 RETURN n", "write", (1, 11)),
    ("MATCH (n) CALL { WITH n MERGE (m) RETURN m } RETURN n", "write", (1, 25)),
    ("LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l", "load", (1, 1)),
    ("CALL db.labels() YIELD label RETURN label", "procedure", (1, 1)),
    ("USE neo4j MATCH (n) RETURN n", "graph", (1, 1)), ("MATCH (n) RETURN", "syntax", (1, 17)),
    ("MATCH (n RETURN n", "syntax", (1, 10)), ("MATCH (n) WHERE RETURN n", "syntax", (1, 17)),
    ("MATCH (n)\n RETURN 'a", "syntax", (2, 9)), ("MATCH (n) RETURN n /* ", "syntax", (1, 20)),
    ("MATCH (n) RETURN n MATCH (m) RETURN m", "syntax", (1, 20)),
    ("MATCH (n) RETURN n UNION MATCH (n) RETURN n UNION ALL MATCH (n) RETURN n", "syntax", None),
    ("MATCH (n)->(m) RETURN n", "syntax", (1, 11)), ("MATCH (n) RETURN n.name,", "syntax", (1, 25)),
    ("MATCH (n) RETURN " + "(" * 500 + "1" + ")" * 500, "syntax", None),
    ("MATCH (n) RETURN " + "({a: " * 39 + "1", "syntax", None),
    ("MATCH (n) RETURN " + "[({a: " * 15 + "1", "syntax", None), ("", "syntax", (1, 1)),
    ("SELECT * FROM t", "syntax", (1, 1))
)  # fmt: skip


@each("text", READ)
def test_what_models_write_is_read(text):
    assert parse(text).arms
    assert parse(text.split(" //")[0].replace(" ", "\n\t ")).arms


@each(("text", "kind", "place"), REFUSED)
def test_other_text_is_refused_with_its_place(text, kind, place):
    with pytest.raises(CypherError) as caught:
        parse(text)
    problem = caught.value
    assert problem.kind == kind
    assert place in (None, (problem.line, problem.column))
    assert str(problem).startswith(f"query, line {problem.line}, column {problem.column}: ")


def test_every_question_of_ours_is_read_and_keeps_its_order():
    for seed in range(3):
        for query in random_queries(random_graph(seed), seed):
            statement = parse(to_cypher(query))
            assert statement.ordered == (query.result.template in ("n_order_by", "n_argmax"))
            assert provenance_query(statement)


def test_queries_of_the_documentation_are_read():
    page = (Path(__file__).parents[2] / "docs" / "cypher.md").read_text()
    found = re.findall(r"^MATCH \(.*", page, re.M)
    assert found
    assert all(parse(text) for text in found)


def test_clauses_have_their_place_and_variables():
    text = "MATCH p = (n)-[r]->(), (m) WHERE (n)--(x) CALL { MATCH (k) RETURN k } RETURN k"
    match, call, _ = parse(text).arms[0]
    assert isinstance(match, Match)
    assert match.variables == ("p", "n", "r", "m")
    assert text[match.start : match.end] == "MATCH p = (n)-[r]->(), (m) WHERE (n)--(x)"
    assert isinstance(call, SubqueryClause)
    assert text[call.start : call.end] == "CALL { MATCH (k) RETURN k }"


def test_an_order_inside_a_subquery_is_not_the_order_of_the_result():
    assert not parse("MATCH (n) WITH n ORDER BY n.a RETURN n").ordered
    assert not parse("MATCH (n) WHERE n.x = 'ORDER BY' RETURN n").ordered
    assert parse("MATCH (n) RETURN n order\nby n.a").ordered


TAIL = re.compile(r"\nUNWIND .*\nRETURN DISTINCT .*")
BOUND = {
    "MATCH (n)--() RETURN n": "MATCH p = (n)--()", "match (p) optional match (p)--(q) where q.x return p": (
    "match p1 = (p)\noptional match p2 = (p)--(q) where q.x"),
    "MATCH (n) WITH DISTINCT n WHERE n.a > 1 RETURN n LIMIT 1": "MATCH p = (n)\nWITH * WHERE n.a > 1",
    "MATCH (n) WITH n.a AS a WHERE a > 1 MATCH (m) RETURN m": "MATCH p = (n)",
    "MATCH (n) WITH n LIMIT 1 MATCH (m) RETURN m": "MATCH p = (n)",
    "MATCH (n) UNWIND n.l AS x MATCH (m {v: x}) RETURN m": "MATCH p = (n)",
    "MATCH (n)--(m) WITH n, count(m) AS c WHERE c > 1 RETURN n": "MATCH p = (n)--(m)",
    "UNWIND [1] AS x WITH x + 1 AS y MATCH (n {v: y}) RETURN n": (
    "UNWIND [1] AS x\nWITH x + 1 AS y\nMATCH p = (n {v: y})"),
    "MATCH (n)--(m) WITH n MATCH (n)-->(m) WHERE m.x AND [m IN n.l | m] RETURN m": (
    "MATCH p = (n)--(m)\nMATCH p1 = (n)-->(m1) WHERE m1.x AND [m1 IN n.l | m1]"),
    "MATCH (n) RETURN n.a UNION MATCH q = (m) RETURN m.a": "MATCH p = (n)\nUNION\nMATCH q = (m)",
    "CALL { MATCH (n:A) RETURN n UNION MATCH (n:B) RETURN n } WITH n WHERE n.x RETURN count(n)": (
    "MATCH p = (n:A)\nWITH * WHERE n.x\nUNION\nMATCH p = (n:B)\nWITH * WHERE n.x"),
    "MATCH (n), (m) CALL { WITH n MATCH (n)--(m) RETURN m AS k } MATCH (o) RETURN k": (
    "MATCH p = (n), p1 = (m)\nMATCH p2 = (n)--(m1)"),
    "MATCH (n), (m) CALL (n) { MATCH (n)--(m) RETURN n AS n } MATCH (m)-->() RETURN m": (
    "MATCH p = (n), p1 = (m)\nMATCH p2 = (n)--(m1)\nMATCH p3 = (m)-->()")
}  # fmt: skip


@each("query", BOUND)
def test_provenance_is_what_is_bound_before_rows_change(query):
    text = provenance_query(parse(query), "id")
    assert text is not None
    assert parse(text)
    assert TAIL.sub("", text) == BOUND[query]


def test_a_query_that_matches_nothing_has_no_provenance():
    assert provenance_query(parse("RETURN 1")) is None
    assert provenance_query(parse("UNWIND [1] AS x RETURN x")) is None


def test_long_queries_and_many_arms_end():
    long = provenance_query(parse("MATCH (n) " * 2000 + "RETURN n"))
    assert long is not None
    assert long.count("MATCH p") == 2000
    with pytest.raises(CypherError, match="more than 100 ways"):
        provenance_query(
            parse("CALL { MATCH (n) RETURN n UNION MATCH (n) RETURN n } " * 30 + "RETURN n")
        )


@each(
    ("text", "problem"), [("MATCH ((n:City) RETURN n", "'(' is not closed."),
    ("MATCH ((n:City)-->(m)]) RETURN n", "']' closes nothing."),
    ("MATCH ((n:City)-->(m)) RETURN n", "paths in parentheses are not read.")]
)  # fmt: skip
def test_brackets_that_do_not_match_are_no_cypher(text, problem):
    """Also where something before them is not read, of which it would be unknown whether it runs."""
    with pytest.raises(CypherError, match=re.escape(problem)) as found:
        parse(text)
    assert isinstance(found.value, UnsupportedError) == problem.endswith("not read.")
