"""SPARQL read strictly: nothing is dropped, and what is read means what running it gives."""

from random import Random

import pytest

from checks.oracles.queries import Answerer, random_query, random_world
from rulemine.errors import BarredQueryError, NoTreeError, QueryError
from rulemine.query import Count, QueryGraph, evaluate, parse
from rulemine.query.foreign.read_sparql import tree_of_sparql
from rulemine.query.foreign.sparql_parsing import MOST_CHARACTERS, constants, parse_strictly
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import structure_of
from tests import each

NINE = {
    "1p": "ns:m.a ns:r ?x .", "2p": "ns:m.a ns:r ?y . ?y ns:s ?x .",
    "3p": "?y ns:s ?z . ns:m.a ns:r ?y . ?x ns:t ?z .", "2i": "ns:m.a ns:r ?x . ?x ns:s ns:m.b .",
    "3i": 'ns:m.a ns:r ?x . ?x ns:s ns:m.b ; ns:founded "1901" .',
    "ip": "ns:m.a ns:r ?y . ?y ns:s ns:m.b . ?y ns:t ?x .",
    "pi": "ns:m.a ns:r ?y . ?y ns:t ?x . ?x ns:s ns:m.b .",
    "2u": "{ ns:m.a ns:r ?x } UNION { ?x ns:s ns:m.b }",
    "up": "{ ns:m.a ns:r ?y } UNION { ?y ns:s ns:m.b } ?y ns:t ?x ."
}  # fmt: skip


def select(patterns, what="DISTINCT ?x", end=""):
    return f"PREFIX ns: <http://rdf.freebase.com/ns/> SELECT {what} WHERE {{ {patterns} }} {end}"


@each("name", NINE)
def test_each_of_the_nine(name):
    assert structure_of(tree_of_sparql(select(NINE[name]))).name == name


def test_names_and_literals_are_kept():
    text = select('?x ns:r "1901"^^ns:year . ?x ns:s <entity:Zo%C3%AB> ; <relation:a%20b> ns:Q1')
    assert tree_of_sparql(text).text == (
        '(and (p- "a b" "http://rdf.freebase.com/ns/Q1") (p- "http://rdf.freebase.com/ns/r" '
        '"\\"1901\\"^^<http://rdf.freebase.com/ns/year>") ' '(p- "http://rdf.freebase.com/ns/s" "Zoë"))'
    )  # fmt: skip


def test_sub_selects_have_variables_of_their_own():
    inner = "SELECT DISTINCT (?x0 AS ?k) WHERE { VALUES ?y { ns:m.a ns:m.b } ?x0 ns:r ?y }"
    query = tree_of_sparql(select(f"{{ {inner} }} ?y ns:t ?k ; ns:s ?x", "(?x AS ?value)"))
    assert structure_of(query).shape == "(3{(0)|(0)})"
    inner = f"SELECT ?x WHERE {{ {NINE['2i']} }}"
    counted = tree_of_sparql(select(inner, "(COUNT(DISTINCT ?x) AS ?n)"))
    assert structure_of(counted).shape == "#(1)(1)"


def test_paths_and_blank_nodes():
    query = tree_of_sparql("SELECT ?x { <a> (<r>|^<s>)/<t> [ ^<u> ?x ] }")
    assert query == parse('(p- "u" (p "t" (or (p "r" "a") (p- "s" "a"))))')


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
    assert tree_of_sparql(text).text == tree


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
    ("SELECT ?x { <a> <r> ?x . <b> <s> ?y }", "patterns that are not connected with the answer"),
    ("SELECT ?x { <a> <r> ?x . <b> <s> <c> }", "patterns that are not connected with the answer"),
    ("SELECT ?x { ?y <r> ?z }", "patterns that are not connected with the answer"),
    ("SELECT ?x { <a> <r> ?y . ?y <s> ?x . ?y <t> ?x }", "a cycle"),
    ("SELECT ?x { ?x <r>/<s> ?x }", "a cycle"), ("SELECT ?x { }", "no entity is named"),
    ("SELECT ?x { <b> <r> ?y . { <a> <r> ?x . ?y <s> ?x } UNION { ?x <s> <b> } }", "a UNION whose parts"),
    ("SELECT ?x { VALUES (?x ?y) { (<a> <b>) } ?x <r> ?y }", "a VALUES of"),
    ("SELECT ?x { VALUES ?x { UNDEF } }", "a VALUES of")]
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
    ("text", "expected"), [("", "query: column 1: no SPARQL from here on: the end"),
    ("SELECT ?x\nWHERE { ?x <r> }", r"line 2, column 9: no SPARQL from here on: \?x <r> }"),
    ("SELECT ?x {" + "{" * 400 + "?x <r> <a>" + "}" * 400 + "}", "nested too deep"),
    ("SELECT ?x {" + "{" * 1000 + "?x <r> <a>" + "}" * 1000 + "}", "2,007 words"),
    ("SELECT ?x { ?x " + "(" * 400 + "<r>" + ")" * 400 + " <a> }", "nested too deep"),
    ("SELECT ?x { <a> " + "/".join(["<r>"] * 200) + " ?x }", "nested (more than 100|too) deep"),
    (" UNION ".join(["SELECT ?x { {?x <r> <a>}", *["{?x <r> <b>}"] * 10_000]) + "}", "190,025 characters"),
    ("SELECT ?x {" + "?x <r> <a> . " * 200 + "}", "too many patterns"),
    ("SELECT ?x { ?x <r> " + "<a> , " * 600 + "<b> }", "1,207 words and signs; at most 1,000"),
    ("#" * MOST_CHARACTERS + "\n", "has 20,001 characters; at most 20,000"), ("DELETE", "query: "),
    ("SELECT ?x { wd:Q1 wdt:P2 ?x }", "query: "),
    ("SELECT ?x { <a> <r> 'SERVICE } INSERT DATA { ?x }", "query: ")]
)  # fmt: skip
def test_what_cannot_be_read_says_why(text, expected):
    with pytest.raises(QueryError, match=expected) as refused:
        tree_of_sparql(text)
    assert not isinstance(refused.value, NoTreeError)


def test_words_in_names_and_comments_bar_nothing():
    text = "SELECT ?x { <entity:SERVICE> <relation:LOAD%20FROM> ?x } # INSERT GRAPH"
    assert tree_of_sparql(text).text == '(p "LOAD FROM" "SERVICE")'


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
