import pytest

from rulemine.errors import NoTreeError, QueryError
from rulemine.query import parse
from rulemine.query.foreign.read_sparql import tree_of_sparql
from rulemine.query.foreign.sparql_parsing import MOST_CHARACTERS
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


NO_TREES = {
    "a cycle": ["ns:m.a ns:r ?y . ?y ns:s ?x . ?y ns:t ?x", "?x ns:r ?x", "?x ns:r/ns:s ?x"],
    "patterns that are not connected with the answer": ["ns:m.a ns:r ?x . ns:m.b ns:s ?y",
    "ns:m.a ns:r ?x . ns:m.b ns:s ns:m.c", "?y ns:r ?z"], "no entity is named": [""],
    "a variable that leads to no entity": ["ns:m.a ns:r ?x . ?x ns:s ?y"],
    "a variable in place of a relation": ["ns:m.a ?r ?x"],
    "a path with": ["ns:m.a ns:r+ ?x", "ns:m.a !ns:r ?x"],
    "an OPTIONAL": ["ns:m.a ns:r ?x OPTIONAL { ?x ns:s ns:m.b }"],
    "a BIND": ["{ BIND(ns:m.a AS ?y) } ?y ns:r ?x"], "a GRAPH": ["GRAPH ns:g { ns:m.a ns:r ?x }"],
    "a SERVICE": ["SERVICE <http://x> { ns:m.a ns:r ?x }"],
    "a UNION whose parts": ["ns:m.b ns:r ?y . { ns:m.a ns:r ?x . ?y ns:s ?x } UNION { ?x ns:s ns:m.b }"],
    "a MINUS that": ["ns:m.a ns:r ?x MINUS { ?y ns:s ns:m.b }"],
    "a VALUES of": ["VALUES (?x ?y) { (ns:m.a ns:m.b) } ?x ns:r ?y", "VALUES ?x { UNDEF }"]
}  # fmt: skip


@each("reason", NO_TREES)
def test_what_is_no_tree_is_refused_with_the_reason(reason):
    for patterns in NO_TREES[reason]:
        with pytest.raises(NoTreeError) as refused:
            tree_of_sparql(select(patterns))
        assert refused.value.reason.startswith(reason), patterns


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
    ("#" * MOST_CHARACTERS + "\n", "has 20,001 characters; at most 20,000")]
)  # fmt: skip
def test_what_cannot_be_read_says_why(text, expected):
    with pytest.raises(QueryError, match=expected) as refused:
        tree_of_sparql(text)
    assert not isinstance(refused.value, NoTreeError)
