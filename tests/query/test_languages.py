from rulemine.query import parse
from rulemine.query.cypher import to_cypher
from rulemine.query.sparql import to_sparql
from tests import each

A, B = '(p "r" "a")', '(p- "s" "b")'

SPARQL = {
    f"(and {A} {B})": "<entity:a> <relation:r> ?answer . ?answer <relation:s> <entity:b> .",
    f"(or {A} {B})": ("{ <entity:a> <relation:r> ?answer . } UNION { ?answer <relation:s> <entity:b> . }"),
    '(or (p "r" "a") (p- "r" "a"))': "<entity:a> (<relation:r>|^<relation:r>) ?answer .",
    f"(minus {A} {B})": ("<entity:a> <relation:r> ?answer . MINUS { ?answer <relation:s> <entity:b> . }"),
    '(and "c d" (p "r" "a"))': ("VALUES ?answer { <entity:c%20d> } <entity:a> <relation:r> ?answer .")
}  # fmt: skip

CYPHER = {
    '(p "r" (p- "r" "a"))': ('MATCH (:Entity {name: "a"})<-[:`r`]-(v1) MATCH (v1)-[:`r`]->(answer) '
    "RETURN DISTINCT answer.name AS answer"), f"(count (or {A} {B}))": (
    'CALL { MATCH (:Entity {name: "a"})-[:`r`]->(answer) RETURN answer UNION '
    'MATCH (:Entity {name: "b"})<-[:`s`]-(answer) RETURN answer } ' "RETURN count(DISTINCT answer) AS value"),
    '(and "a" (or "b" "c"))': (
    'MATCH (answer:Entity {name: "a"}) CALL { MATCH (v1:Entity {name: "b"}) RETURN v1 UNION '
    'MATCH (v1:Entity {name: "c"}) RETURN v1 } WITH * WHERE answer = v1 '
    "RETURN DISTINCT answer.name AS answer"), f"(minus {A} {B})": (
    'MATCH (:Entity {name: "a"})-[:`r`]->(answer) CALL { MATCH (:Entity {name: "b"})<-[:`s`]-(v1) '
    "RETURN collect(DISTINCT v1) AS v2 } WITH * WHERE NOT answer IN v2 "
    "RETURN DISTINCT answer.name AS answer"), '(p "a`b" "q\\"\\n")': (
    'MATCH (:Entity {name: "q\\"\\n"})-[:`a``b`]->(answer) RETURN DISTINCT answer.name AS answer')
}  # fmt: skip


@each("text", SPARQL)
def test_sparql(text):
    assert to_sparql(parse(text)) == f"SELECT DISTINCT ?answer WHERE {{ {SPARQL[text]} }}"


def test_a_count_in_sparql():
    assert to_sparql(parse(f"(count {A})")) == (
        "SELECT (COUNT(DISTINCT ?answer) AS ?value) WHERE { <entity:a> <relation:r> ?answer . }"
    )


def test_half_a_surrogate_pair_is_a_name_that_no_graph_has():
    assert "<entity:%ED%A0%80>" in to_sparql(parse('(p "r" "\\ud800")'))


@each("text", CYPHER)
def test_cypher(text):
    assert to_cypher(parse(text)) == CYPHER[text]
