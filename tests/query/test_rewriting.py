"""Queries are rewritten by token, and mean what they meant."""

import random

import pyoxigraph as ox
import pytest

from rulemine.query.oxigraph.rewriting import FREEBASE, RefusedQueryError, rewrite
from tests import each

NAME = f"<{FREEBASE}type.object.name>"


@each(
    ("query", "expected"), [("ASK { ?e ns:type.object.name ?n }", f"ASK {{ ?e {NAME} ?n }}"), (
    "prefix ns: <http://x/>\nASK { ?e ns:a.b.c ?n }",
    "prefix ns: <http://x/>\nASK { ?e <http://x/a.b.c> ?n }"), ("PREFIX : <http://x/> ASK { :a.b.c a :. }",
    "PREFIX : <http://x/> ASK { <http://x/a.b.c> a <http://x/>. }"),
    ("ASK { ?e ns:a-b.c%20d\\-e ns:m.01. }", f"ASK {{ ?e <{FREEBASE}a-b.c%20d-e> <{FREEBASE}m.01>. }}"),
    ("ASK { ?e ^ns:a/(ns:b|ns:c)* ?n }", f"ASK {{ ?e ^<{FREEBASE}a>/(<{FREEBASE}b>|<{FREEBASE}c>)* ?n }}"),
    ("ASK { _:b.c other:a ?n FILTER(?n<3&&?n>-1) }", "ASK { _:b.c other:a ?n FILTER(?n<3&&?n>-1) }"), (
    "ASK { ?e ?p ?o FILTER REGEX ( ?p , 'regex(?p, ns:a)') }",
    "ASK { ?e ?p ?o FILTER REGEX ( str(?p) , 'regex(?p, ns:a)') }"),
    ("ASK { ?e ?p ?o FILTER regex(str(?p), 'a') }", "ASK { ?e ?p ?o FILTER regex(str(?p), 'a') }")]
)  # fmt: skip
def test_names_become_iris(query, expected):
    assert rewrite(query) == expected


@each(
    "inert", ['"ns:a.b SERVICE"@en', "'ns:a \\' ns:b'", '"""ns:a "q" \\""" ns:b"""', "'''ns:a ' '' ns:b'''",
    "<http://x/ns:a#ns:b>", "?o # ns:a SERVICE <x> { FROM }\n", '"FILTER(?e = ns:a)"', "?service"]
)  # fmt: skip
def test_literals_comments_and_iris_stay(inert):
    query = f"SELECT * {{ ?e ?p {inert} }}"
    assert rewrite(query) == query
    assert rewrite(f"{query} LIMIT 3") == f"{query} LIMIT 3"


@each(
    ("query", "status", "told"), [("PREFIX ns: <x>\n# a\nDELETE DATA { <a> <b> <c> }", 403, "only reads"),
    ("insert { ?s ?p ?o } where { select * {} }", 403, "INSERT would change"),
    ("LOAD <http://x>", 403, "LOAD"), ("SELECT * { Service <http://x> { ?s ?p ?o } }", 400, "another server"),
    ("SELECT * { ?s ?p 5SERVICE<http://x> { } }", 400, "another server"),
    ("SELECT * FROM <http://x> { ?s ?p ?o }", 400, "Leave FROM out"),
    ("SELECT * { GRAPH ?g { ?s ?p ?o } }", 400, "Leave GRAPH out")]
)  # fmt: skip
def test_other_servers_graphs_and_updates_are_refused(query, status, told):
    with pytest.raises(RefusedQueryError, match=told) as refused:
        rewrite(query)
    assert refused.value.status == status


def test_looking_a_name_up_gives_the_rows_of_the_filter():
    rng = random.Random(7)
    terms = [ox.NamedNode(f"http://x/{i}") for i in range(6)]
    store = ox.Store()
    store.extend(ox.Quad(*(rng.choice(terms) for _ in range(3))) for _ in range(40))
    prefix = "PREFIX x: <http://x/> SELECT * "
    arm = "{{ ?e {p} ?t {dot} FILTER ( ?{v} = {x} ) {dot} }}"
    for number in range(200):
        arms = [
            arm.format(
                p=rng.choice(["x:0", "x:1"]), dot=rng.choice([".", ""]),
                v=rng.choice(["e", "e", "e", "t", "z"]), x=f"x:{rng.randrange(7)}",
            )
            for _ in range(3)
        ]  # fmt: skip
        shape = rng.choice(
            ["{a} UNION {b}", "?t ?p ?u OPTIONAL {a}", "{a} MINUS {b}", "?e ?q ?t {c}"]
        )
        query = f"{prefix}{{ {shape.format(a=arms[0], b=arms[1], c=arms[2])} }}"
        rewritten = rewrite(query)
        assert ("VALUES" in rewritten) == any("?e =" in part for part in arms if part in query)
        expected, found = (
            sorted(sorted(f"{v}={row[v]}" for v in rows.variables) for row in rows)
            for rows in (store.query(text) for text in (query, rewritten))
        )
        assert found == expected, f"{number}: {query}"
