"""What a query is sorted by becomes columns of another query that gives the same rows."""

from rulemine.cypher.language.elements import elements_of, turned
from rulemine.cypher.language.parser import parse
from rulemine.cypher.language.rewriting import keyed_query
from tests import each


@each(
    ("query", "text", "first"), [(
    "MATCH (n) RETURN n.name AS n, count(*) AS c ORDER BY c * 2 desc, n SKIP 3 LIMIT 1;",
    "MATCH (n) RETURN n.name AS n, count(*) AS c, (count(*)) * 2 AS `key 0`, (n.name) AS `key 1` "
    "ORDER BY c * 2 desc, n SKIP 3 LIMIT 1", False), (
    "match (n) return distinct n.x order  by n.x /* limit 2 */ limit  1",
    "match (n) return distinct n.x, n.x AS `key 0` order  by n.x /* limit 2 */ LIMIT 10000", True), (
    "MATCH (n) RETURN * ORDER BY n.limit LIMIT 12",
    "MATCH (n) RETURN *, n.limit AS `key 0` ORDER BY n.limit LIMIT 12", False)]
)  # fmt: skip
def test_keys_are_columns(query, text, first):
    found = keyed_query(parse(query))
    assert found is not None
    assert (found.text, found.first) == (text, first)
    parse(found.text)


@each(
    "query", ["MATCH (n) RETURN n.name", "MATCH (n) WITH n ORDER BY n.x RETURN n.name",
    "MATCH (n) RETURN n.x AS x ORDER BY x UNION MATCH (n) RETURN n.y AS x ORDER BY x"]
)  # fmt: skip
def test_no_keys_where_order_is_not_asked_for(query):
    assert keyed_query(parse(query)) is None


def test_what_a_query_names():
    query = (
        "MATCH (n:City)<-[r:X|Y*1..2 {since: 'a\\'b'}]-(m:Town)--({name: \"Ü\\u0041\"}) "
        "WHERE n.name = 'Rome' AND EXISTS { (n)-[:Z]->(:Sea {depth: 3}) } "
        "RETURN n.size, count(DISTINCT m), date.truncate('day', n.day) ORDER BY n.size LIMIT 2"
    )
    found = elements_of(query)
    assert sorted(triple for _, triple in found.edges()) == [
        ("City", "Z", "Sea"), ("Town", "", ""), ("Town", "X", "City"), ("Town", "Y", "City")
    ]  # fmt: skip
    assert [look.name for one in found.conditions for look in one.looks] == ["ÜA", "Rome"]
    assert ("r", "since") in found.properties
    assert ("n", "size") in found.properties
    assert ("date", "truncate") not in found.properties
    assert found.aggregates == ("count distinct",)
    assert found.returned == ("day", "size")
    assert "LIMIT 2" in [condition.text for condition in found.conditions]
    directed = [part for part in found.relations if part.direction]
    twice = turned(query, directed)
    assert "(n:City)-[r:X|Y*1..2 {since: 'a\\'b'}]->(m:Town)--(" in twice
    assert "(n)<-[:Z]-(" in twice
    again = [part for part in elements_of(twice).relations if part.direction]
    assert turned(twice, again) == query
