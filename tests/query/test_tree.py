import pytest

from rulemine.errors import QueryError
from rulemine.query import Anchor, Count, Difference, Intersection, Projection, Union, parse
from rulemine.query.cypher import to_cypher
from rulemine.query.sparql import to_sparql
from rulemine.query.tree import MOST_ATOMS, MOST_DEPTH, Query
from tests import each

A, B, C = (Projection("r", False, Anchor(name)) for name in "abc")


def test_parts_are_sorted_flattened_and_merged():
    query = Intersection((C, Intersection((B, A)), A))
    assert query.text == '(and (p "r" "a") (p "r" "b") (p "r" "c"))'
    assert query == Intersection.of([A, B, C])
    assert hash(query) == hash(Intersection((A, B, C)))
    assert query != Union((A, B, C))
    assert Union.of([A, A]) is A


def test_what_stays_as_it_is_given():
    union = Intersection((Union((A, B)), C))
    assert union.text == '(and (or (p "r" "a") (p "r" "b")) (p "r" "c"))'
    assert Projection('a"b', True, Anchor("Zoë\\")).text == r'(p- "a\"b" "Zoë\\")'
    assert Count(A).text == '(count (p "r" "a"))'
    less = Difference(Difference(A, B), C)
    assert less.text == '(minus (minus (p "r" "a") (p "r" "b")) (p "r" "c"))'


@each(
    ("make", "told"),
    [
        (lambda: Intersection((A, A)), r"\(and …\) has 1 different part.*Intersection\.of"),
        (lambda: Union.of([]), "has 0 different parts"), (lambda: Count(Count(A)), "only be outermost"),
        (lambda: Projection("r", False, Count(A)), "only be outermost"),
        (lambda: Union((Count(A), A)), "only be outermost"),
        (lambda: Difference(C, Projection("r", False, Difference(A, B))), "holds another minus"),
    ],
)  # fmt: skip
def test_what_is_no_query_is_refused(make, told):
    with pytest.raises(QueryError, match=told):
        make()


def test_depth_and_size_are_bounded():
    query: Query = Anchor("a")
    for _ in range(MOST_DEPTH):
        query = Projection("r", False, query)
    assert (query.depth, query.size) == (MOST_DEPTH, MOST_DEPTH)
    with pytest.raises(QueryError, match="nested more than 100 deep"):
        Projection("r", False, query)
    many = [Projection("r", False, Anchor(str(i))) for i in range(MOST_ATOMS // 2)]
    half = Union.of(many)
    assert half.size == MOST_ATOMS // 2
    with pytest.raises(QueryError, match="50,002 atoms; at most 50,000"):
        Intersection.of([Projection("r", False, half), Projection("s", False, half)])


@each(
    "text", ['"x"', '(p "r" "a")', '(and (p "genre" (p "sequel_of" "e00007")) (p- "directed_by" "e00012"))',
    '(count (minus (or (p "r" "a") (p- "r" "a")) (p "s" "b")))', '(p "(p \\"r\\"" "\\\\")',
    "(or " + " ".join(f'(p "r" "{i:05}")' for i in range(10_000)) + ")"]
)  # fmt: skip
def test_a_canonical_text_is_read_back(text):
    assert parse(text).text == text


def test_any_other_text_gives_its_canonical_form():
    found = parse(' ( or(p"s""b")\n\t(or (p "r" "a") (p "s" "\\u0062")) ) ')
    assert found.text == '(or (p "r" "a") (p "s" "b"))'


@each(
    ("text", "message"),
    [
        ("", "column 1: found the end, expected a query"),
        ("(and x\n\ny)", r"column 6: found x y\), expected a query"),
        ("x", 'column 1: found x, expected a query, which begins with [(] or "; names stand in'),
        ("(", "column 2: found the end, expected and, or, p"),
        ('(adn "x" "y")', "column 2: found adn .*did you mean 'and'"),
        ('(and "x")', r"column 9: found \), expected a query"),
        ('(p r "x")', r"column 4: found r .*the name of a relation in double quotes"),
        ('(p "r" "x"', "column 11: found the end, expected a closing parenthesis"),
        ('(p "r" "x") "y"', 'column 13: found "y", expected the end of the query'),
        ('(p "r" "x)', 'column 8: found "x[)], expected a closing double quote'),
        ('(p "r" "\\x")', "column 8: .*expected a JSON string"),
        ('(p "r" (count "x"))', "column 1: a count is inside another query"),
        ('(p "r" (minus "x" (minus "y" "z")))', r"column 8: what \(minus X Y\) takes away"),
        ("(p " * 1000, "column 4: found"),
        ('(p "r" ' * 1000 + '"x"' + ")" * 1000, "column 701: nested more than 100 deep"),
        ("(and " * 10**5, "column 501: nested more than 100 deep"),
        ("(or " + '"x" ' * 50_001, "column 200005: more than 50,000 entities"),
        ("(or " + '(p "r" "x") ' * 50_001 + ")", "column 600008: more than 50,000 atoms"),
    ],
)
def test_errors_name_the_column(text, message):
    with pytest.raises(QueryError, match=message) as found:
        parse(text)
    assert len(str(found.value)) < 300


ONE, TWO = '(p "r" "a")', '(p- "s" "b")'

SPARQL = {
    f"(and {ONE} {TWO})": "<entity:a> <relation:r> ?answer . ?answer <relation:s> <entity:b> .",
    f"(or {ONE} {TWO})": (
        "{ <entity:a> <relation:r> ?answer . } UNION { ?answer <relation:s> <entity:b> . }"),
    '(or (p "r" "a") (p- "r" "a"))': "<entity:a> (<relation:r>|^<relation:r>) ?answer .",
    f"(minus {ONE} {TWO})": ("<entity:a> <relation:r> ?answer . MINUS { ?answer <relation:s> <entity:b> . }"),
    '(and "c d" (p "r" "a"))': ("VALUES ?answer { <entity:c%20d> } <entity:a> <relation:r> ?answer .")
}  # fmt: skip

CYPHER = {
    '(p "r" (p- "r" "a"))': ('MATCH (:Entity {name: "a"})<-[:`r`]-(v1) MATCH (v1)-[:`r`]->(answer) '
    "RETURN DISTINCT answer.name AS answer"), f"(count (or {ONE} {TWO}))": (
    'CALL { MATCH (:Entity {name: "a"})-[:`r`]->(answer) RETURN answer UNION '
    'MATCH (:Entity {name: "b"})<-[:`s`]-(answer) RETURN answer } ' "RETURN count(DISTINCT answer) AS value"),
    '(and "a" (or "b" "c"))': (
    'MATCH (answer:Entity {name: "a"}) CALL { MATCH (v1:Entity {name: "b"}) RETURN v1 UNION '
    'MATCH (v1:Entity {name: "c"}) RETURN v1 } WITH * WHERE answer = v1 '
    "RETURN DISTINCT answer.name AS answer"), f"(minus {ONE} {TWO})": (
    'MATCH (:Entity {name: "a"})-[:`r`]->(answer) CALL { MATCH (:Entity {name: "b"})<-[:`s`]-(v1) '
    "RETURN collect(DISTINCT v1) AS v2 } WITH * WHERE NOT answer IN v2 "
    "RETURN DISTINCT answer.name AS answer"), '(p "a`b" "q\\"\\n")': (
    'MATCH (:Entity {name: "q\\"\\n"})-[:`a``b`]->(answer) RETURN DISTINCT answer.name AS answer')
}  # fmt: skip


@each("text", SPARQL)
def test_sparql(text):
    assert to_sparql(parse(text)) == f"SELECT DISTINCT ?answer WHERE {{ {SPARQL[text]} }}"


def test_a_count_in_sparql():
    assert to_sparql(parse(f"(count {ONE})")) == (
        "SELECT (COUNT(DISTINCT ?answer) AS ?value) WHERE { <entity:a> <relation:r> ?answer . }"
    )


def test_half_a_surrogate_pair_is_a_name_that_no_graph_has():
    assert "<entity:%ED%A0%80>" in to_sparql(parse('(p "r" "\\ud800")'))


@each("text", CYPHER)
def test_cypher(text):
    assert to_cypher(parse(text)) == CYPHER[text]
