"""SPARQL read strictly: nothing is dropped, and what is read means what running it gives."""

from random import Random

import pytest

from checks.oracles.queries import Answerer, random_query, random_world
from rulemine.errors import BarredQueryError, NoTreeError, QueryError
from rulemine.query import Count, QueryGraph, evaluate
from rulemine.query.foreign.read_sparql import tree_of_sparql
from rulemine.query.foreign.sparql_parsing import constants, parse_strictly
from rulemine.query.sparql import to_sparql
from tests import each


def strict(text):
    return tree_of_sparql(text).text


@each(
    ("text", "tree"), [("SELECT DISTINCT ?x { <a> <r> ?x }", '(p "r" "a")'),
    ("SELECT REDUCED ?x { <a> (<r>|^<s>)/<t> ?x }", '(p "t" (or (p "r" "a") (p- "s" "a")))'), (
    "SELECT ?x { ?x a <b> ; <r> <a> }",
    '(and (p- "http://www.w3.org/1999/02/22-rdf-syntax-ns#type" "b") (p- "r" "a"))'),
    ("SELECT ?x { <a> <r> ?x FILTER NOT EXISTS { ?x <s> <b> } }", '(minus (p "r" "a") (p- "s" "b"))'), (
    "SELECT ?x { FILTER NOT EXISTS { <b> <s> ?y } <a> <r> ?y . ?y <t> ?x }",
    '(p "t" (minus (p "r" "a") (p "s" "b")))'), (
    "SELECT ?x { <a> <r> ?x FILTER NOT EXISTS { ?x <s> <b> } FILTER NOT EXISTS { ?x <s> <c> } }",
    '(minus (minus (p "r" "a") (p- "s" "b")) (p- "s" "c"))'),
    ("SELECT ?x { <a> <r> ?x MINUS { ?x <s>/<t> <b> } }", '(minus (p "r" "a") (p- "s" (p- "t" "b")))'),
    ("SELECT (COUNT(DISTINCT ?x) AS ?n) { <a> <r> ?x }", '(count (p "r" "a"))'),
    ("SELECT (?x AS ?z) { { SELECT DISTINCT ?x { <a> <r> ?x } } } ", '(p "r" "a")'),
    ("SELECT ?x { ?y <r> ?x } VALUES ?y { <a> }", '(p "r" "a")')]
)  # fmt: skip
def test_what_a_tree_can_say_is_read(text, tree):
    assert strict(text) == tree


@each(
    ("text", "reason"), [("SELECT ?x { <a> <r> ?x } LIMIT 3", "a LIMIT"),
    ("SELECT ?x { <a> <r> ?x } OFFSET 3", "an OFFSET"),
    ("SELECT ?x { <a> <r> ?x } ORDER BY ?x", "an ORDER BY"),
    ("SELECT ?x { <a> <r> ?x } GROUP BY ?x", "a GROUP BY"),
    ("SELECT ?x { <a> <r> ?x FILTER(?x != <a>) }", "a FILTER"),
    ("SELECT ?x { <a> <r> ?x FILTER EXISTS { ?x <s> <b> } }", "a FILTER"),
    ("SELECT ?x { <a> <r> ?x FILTER(!EXISTS { ?x <s> <b> } || 1 = 1) }", "a FILTER"),
    ("SELECT ?x { <a> <r> ?x FILTER NOT EXISTS { ?x <s> <b> } FILTER(?x != <b>) }", "a FILTER"),
    ("SELECT ?x { <a> <r> ?x FILTER NOT EXISTS { ?x <s> ?y FILTER(?y = <b>) } }", "a FILTER"),
    ("SELECT ?x { <a> <r> ?x FILTER NOT EXISTS { <c> <s> <b> } }", "a MINUS that does not share"),
    ("SELECT ?x { <a> <r> ?x OPTIONAL { ?x <s> <b> } }", "an OPTIONAL"),
    ("SELECT ?x { <a> <r>+ ?x }", "a path with +"), ("SELECT ?x { <a> <r>* ?x }", "a path with *"),
    ("SELECT ?x { <a> <r>? ?x }", "a path with ?"), ("SELECT ?x { <a> !<r> ?x }", "a path with !"),
    ("SELECT ?x { <a> ?r ?x }", "a variable in place of a relation"),
    ("SELECT ?x { <a> <r> ?x BIND(<b> AS ?y) }", "a BIND"),
    ("SELECT ?x { { SELECT ?x (1 AS ?n) { <a> <r> ?x } } }", "a BIND"),
    ("SELECT ?x { <a> <r> ?x { SELECT (COUNT(?y) AS ?n) { ?y <s> <b> } } }", "a sub-SELECT that"),
    ("SELECT ?x { <a> <r> ?x { SELECT ?y { ?y <s> <b> } GROUP BY ?y } }", "a sub-SELECT that"),
    ("SELECT (COUNT(?x) AS ?n) { <a> <r> ?x }", "a COUNT without DISTINCT"),
    ("SELECT (COUNT(*) AS ?n) { <a> <r> ?x }", "an aggregate as the answer: COUNT"),
    ("SELECT (SUM(?x) AS ?n) { <a> <r> ?x }", "an aggregate as the answer: SUM"),
    ("SELECT ?x ?y { <a> <r> ?x . ?x <s> ?y }", "several answer variables"),
    ("SELECT * { <a> <r> ?x . ?x <s> ?y }", "several answer variables"),
    ("ASK { <a> <r> <b> }", "a ASK query"), ("SELECT ?x { ?x <r> ?x . ?x <s> <a> }", "a cycle"),
    ("SELECT ?x { <a> <r> ?x . ?x <s> ?y }", "a variable that leads to no entity"),
    ("SELECT ?x { <a> <r> ?x . <b> <s> ?y }", "patterns that are not connected")]
)  # fmt: skip
def test_what_would_be_dropped_is_refused_by_its_name(text, reason):
    with pytest.raises(NoTreeError) as refused:
        tree_of_sparql(text)
    assert refused.value.reason.startswith(reason)
    assert not isinstance(refused.value, BarredQueryError)


@each(
    ("text", "reason"), [("INSERT DATA { <a> <r> <b> }", "an update"),
    ("DELETE WHERE { ?s ?p ?o }", "an update"), ("CLEAR ALL", "an update"),
    ("INSERT DATA { <a> <r> <b> } ; LOAD <http://x>", "a LOAD"), ("LOAD <file:///etc/passwd>", "a LOAD"),
    ("SELECT ?x FROM <http://x> { <a> <r> ?x }", "a FROM"),
    ("SELECT ?x FROM NAMED <http://x> { <a> <r> ?x }", "a FROM"),
    ("SELECT ?x { GRAPH ?g { <a> <r> ?x } }", "a GRAPH"),
    ("SELECT ?x { <a> <r> ?x FILTER NOT EXISTS { GRAPH <g> { ?x <s> <b> } } }", "a GRAPH"),
    ("SELECT ?x { SERVICE <http://x> { <a> <r> ?x } }", "a SERVICE"),
    ("SELECT ?x { { SELECT ?x { SERVICE SILENT ?y { <a> <r> ?x } } } }", "a SERVICE"),
    ("SELECT ?x { <a> <r> ?x FILTER(!EXISTS { ?x <s> <b> OPTIONAL { SERVICE <x> {} } }) }", "a SERVICE"),
    ("ASK { SERVICE <http://x> { } }", "a SERVICE")]
)  # fmt: skip
def test_what_would_change_or_ask_something_else_is_barred(text, reason):
    with pytest.raises(BarredQueryError) as refused:
        tree_of_sparql(text)
    assert refused.value.reason == reason


@each(
    "text", ["", "# nothing", "SELECT ?x { wd:Q1 wdt:P2 ?x }", "SELECT ?x { <a> <r> ?x OR }",
    "SELECT ?x { <a> <r> 'SERVICE } INSERT DATA { ?x }",
    "SELECT ?x {" + "{" * 400 + "?x <r> <a>" + "}" * 400 + "}",
    "SELECT ?x { <a> <r> ?x FILTER(" + "(" * 300 + "1" + ")" * 300 + ") }", "DELETE"]
)  # fmt: skip
def test_what_is_no_sparql_is_said_to_be_none(text):
    with pytest.raises(QueryError) as refused:
        tree_of_sparql(text)
    assert not isinstance(refused.value, NoTreeError)


def test_words_in_names_and_comments_bar_nothing():
    text = "SELECT ?x { <entity:SERVICE> <relation:LOAD%20FROM> ?x } # INSERT GRAPH"
    assert strict(text) == '(p "LOAD FROM" "SERVICE")'


def test_constants_are_all_that_stands_where_an_entity_can():
    text = """PREFIX e: <entity:> SELECT ?x {
        e:a <r>/<r2> ?x . VALUES ?y { e:b "c" } ?x ^<s> ?y FILTER(?x != e:d && <xsd:f>(?x) = "no") .
        FILTER NOT EXISTS { ?x <t> e:f . { SELECT ?x { ?x <t> [ <u> e:g ] } } } BIND(e:h AS ?z)
        { ?x <r> 1 } UNION { ?x <r> e:i OPTIONAL { ?x <r> e:j } } }"""
    found = constants(parse_strictly(text))
    assert {c.removeprefix("entity:") for c in found if c.startswith("entity:")} == {*"abdfghij"}
    assert sorted(c for c in found if not c.startswith("entity:")) == [
        '"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"c"',
    ]  # fmt: skip


def test_what_is_read_means_what_running_it_gives():
    rng = Random(7)
    minus = 0
    for seed in range(6):
        world = random_world(seed, 15)
        graph, answerer = QueryGraph(world.kg), Answerer(world)
        for _ in range(7):
            query = random_query(world, rng)
            minus += query.subtracts
            for text in (to_sparql(query), to_sparql(query).replace("MINUS", "FILTER NOT EXISTS")):
                read = tree_of_sparql(text)
                grades = evaluate(graph, read)
                found = grades.value if isinstance(read, Count) else list(grades.answers)
                assert found == answerer.answers(query, True), text
    assert minus > 3
