"""Literals and Wikidata's statements as values of property graphs."""

import random
from datetime import date
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from rulemine.errors import ConfigError, InputError
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.observed import Strange
from rulemine.kg.property_graph.rdf_graph import literal_value, read_rdf
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from tests import each

XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = """
@prefix x: <http://x.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix wikibase: <http://wikiba.se/ontology#> .
@prefix wd: <http://www.wikidata.org/entity/> . @prefix wds: <http://www.wikidata.org/entity/statement/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> . @prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> . @prefix wdv: <http://www.wikidata.org/value/> .
@prefix psv: <http://www.wikidata.org/prop/statement/value/> .
@prefix wdno: <http://www.wikidata.org/prop/novalue/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix pqv: <http://www.wikidata.org/prop/qualifier/value/> .
"""
PEOPLE = """
x:ann a x:Person ; rdfs:label "Ann"@en, "Anna"@de ; x:born "1950-02-01"^^xsd:date ; x:height 170 ;
  x:nick "Annie"@en, "Ann B."@en, "Än"@de ; x:livesIn x:arden, x:bree ; x:active true .
x:bo a x:Person, x:Actor ; x:born "1950"^^xsd:gYear ; x:height 180.5 ; x:livesIn x:arden .
x:cy a x:Person ; x:born "1950-02-01T23:30:00-05:00"^^xsd:dateTime .
x:arden a x:Town ; x:at "POINT(1 2)"^^x:wkt ; x:people "many"^^xsd:integer, 1200, 300 ; x:near _:b .
x:bree a x:Town ; x:people 10 .
x:lost x:people 5 .
"""


def read(folder: Path, text: str, schema: Schema | None = None, **more: Any) -> PropertyGraph:
    path = folder / "my.ttl"
    path.write_text(PREFIXES + text, "utf-8")
    return read_rdf(path, "my", schema, **more)


def rows(graph: PropertyGraph) -> dict[str, tuple[str, str, Any]]:
    return {node.id.split("/")[-1]: (node.type, node.name, node.properties) for node in graph.nodes}


def test_literals_become_properties_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    left_out = Faults()
    graph = read(tmp_path, PEOPLE, left_out=left_out)
    nick, born = ("Ann B.", "Annie"), date(1950, 2, 1)
    assert rows(graph) == {
        "ann": ("Person", "Ann", {"active": True, "born": born, "height": 170.0, "nick": nick}),
        "cy": ("Person", "cy", {"born": born}),
        "bo": ("Person", "bo", {"height": 180.5}),
        "arden": ("Town", "arden", {"people": (300, 1200)}),
        "bree": ("Town", "bree", {"people": (10,)}),
    }  # fmt: skip
    assert left_out.counts == dict.fromkeys(
        (
            "triples with a blank node or a triple", "values of what has neither type nor relation",
            "values that are of the datatype wkt", "values that are not written as integer is",
            "values of Person.born that are no date",
        ), 1,
    )  # fmt: skip
    assert graph.schema.entity("Town").sources == ("http://x.org/Town",)


def test_a_schema_says_units_datatypes_and_which_type(tmp_path: Path) -> None:
    pytest.importorskip("pint", reason="pint is not installed")
    schema = Schema(
        "s",
        (
            EntityType("Actor", (Property("born", "date", precision="year"),
                                 Property("height_m", "float", "m", sources=("height",), from_unit="cm"))),
            EntityType("Place", (Property("people", "int"),), sources=("Town",)),
            EntityType("Person", (Property("birth_year", "int", sources=("http://x.org/born",)),
                                  Property("nick", "str")))
        ),
        (RelationType("home", "Actor", "Place", sources=("livesIn",)),),
    )  # fmt: skip
    left_out = Faults()
    graph = read(tmp_path, PEOPLE, schema, left_out=left_out, language="de")
    assert rows(graph) == {
        "ann": ("Person", "Anna", {"birth_year": 1950, "nick": "Än"}),
        "bo": ("Person", "bo", {"birth_year": 1950}),
        "cy": ("Person", "cy", {"birth_year": 1950}),
        "arden": ("Place", "arden", {"people": 300}),
        "bree": ("Place", "bree", {"people": 10}),
    }
    assert left_out.counts["properties of several values, of which one was taken"] == 1
    assert left_out.counts["edges of signatures not in the schema"] == 3
    wrong = EntityType("Person", (Property("height", "float", "m", from_unit="kg"),))
    with pytest.raises(ConfigError, match=r"'s': Person.height: from_unit 'kg' does not become"):
        read(tmp_path, PEOPLE, Schema("s", (wrong,), ()))
    only = Schema("s", (schema.entities[0], schema.entities[2]), schema.relations)
    graph = read(tmp_path, PEOPLE, only)
    assert rows(graph)["bo"] == ("Actor", "bo", {"born": date(1950, 1, 1), "height_m": 1.805})
    assert [edge.id for edge in graph.edges] == ["home#http://x.org/bo#http://x.org/arden"]


@each(
    ("text", "kind", "value"),
    [
        ("+007", "integer", 7), ("5", "decimal", 5), ("5.0", "decimal", 5.0), (".5", "double", 0.5),
        ("1E3", "float", 1000.0), ("1", "boolean", True), ("1999", "gYear", 1999),
        ("2000-02-29Z", "date", date(2000, 2, 29)),
        ("2000-01-01T00:00:00+05:00", "dateTime", date(2000, 1, 1)),
        ("12", "nonNegativeInteger", 12), ("TRUE", "boolean", "not written as boolean is"),
        ("NaN", "double", "not finite"), ("9223372036854775808", "integer", "of more than 64 bits"),
        ("-0044-03-15", "date", "dates out of bounds"), ("2001-02-29", "date", "dates out of bounds"),
        ("1999-05", "gYearMonth", "of the datatype gYearMonth"),
        ("P1D", "duration", "of the datatype duration"),
        ("1,5", "decimal", "not written as decimal is"), (" ", "string", "empty"),
    ],
)  # fmt: skip
def test_literals(text: str, kind: str, value: Any) -> None:
    found = literal_value(text, XSD + kind)
    expected = found.kind if isinstance(found, Strange) else found
    assert (type(expected), expected) == (type(value), value)


WIKIDATA = """
wd:P39 a wikibase:Property ; rdfs:label "position held"@en ; wdt:P31 wd:Q9 .
wd:Q5 rdfs:label "human"@en . wd:Q4 rdfs:label "office"@en . wd:Q3 rdfs:label "lake"@en .
wd:Q1 wdt:P31 wd:Q5 ; rdfs:label "Ann"@en ; wdt:P39 wd:Q12 ; p:P39 wds:a, wds:b, wds:c, wds:d ;
  p:P569 wds:e ; wdt:P569 "1950-01-01T00:00:00Z"^^xsd:dateTime ; wikibase:statements 3 ; a wdno:P40 .
wd:Q2 wdt:P31 wd:Q5 ; p:P569 wds:f ; wdt:P39 wd:Q11 . wd:Q11 wdt:P31 wd:Q4 . wd:Q12 wdt:P31 wd:Q4 .
wds:a a wikibase:Statement ; wikibase:rank wikibase:NormalRank ; ps:P39 wd:Q11 ;
  pq:P580 "1980-01-01T00:00:00Z"^^xsd:dateTime ; pqv:P580 wdv:y1980 ;
  pq:P582 "1985-03-01T00:00:00Z"^^xsd:dateTime ; pqv:P582 wdv:m1985 ; pq:P1365 wd:Q2 .
wds:b wikibase:rank wikibase:PreferredRank ; ps:P39 wd:Q12 ;
  pq:P580 "1990-05-02T00:00:00Z"^^xsd:dateTime ; pqv:P580 wdv:d1990 .
wds:c wikibase:rank wikibase:DeprecatedRank ; ps:P39 wd:Q11 .
wds:d wikibase:rank wikibase:NormalRank ; ps:P39 _:unknown .
wds:e wikibase:rank wikibase:NormalRank ; ps:P569 "1950-01-01T00:00:00Z"^^xsd:dateTime ; psv:P569 wdv:y1950 .
wds:f wikibase:rank wikibase:NormalRank ; ps:P569 "1951-07-01T00:00:00Z"^^xsd:dateTime ; psv:P569 wdv:d1951 .
wdv:y1980 wikibase:timeValue "1980-01-01T00:00:00Z"^^xsd:dateTime ; wikibase:timePrecision 9 .
wdv:y1950 a wikibase:TimeValue ; wikibase:timePrecision 9 ;
  wikibase:timeValue "1950-01-01T00:00:00Z"^^xsd:dateTime .
wdv:m1985 wikibase:timeValue "1985-03-01T00:00:00Z"^^xsd:dateTime ; wikibase:timePrecision 10 .
wdv:d1990 wikibase:timeValue "1990-05-02T00:00:00Z"^^xsd:dateTime ; wikibase:timePrecision 11 .
wdv:d1951 wikibase:timeValue "1951-07-01T00:00:00Z"^^xsd:dateTime ; wikibase:timePrecision 11 .
wd:Q21 wdt:P31 wd:Q3 ; p:P2043 wds:g . wds:g ps:P2043 "+1500"^^xsd:decimal ; psv:P2043 wdv:m .
wd:Q22 wdt:P31 wd:Q3 ; p:P2043 wds:h, wds:i . wds:h ps:P2043 "+2"^^xsd:decimal ; psv:P2043 wdv:mi .
wds:i ps:P2043 "+9"^^xsd:decimal ; psv:P2043 wdv:odd .
wdv:m wikibase:quantityAmount "+1500"^^xsd:decimal ; wikibase:quantityUnit wd:Q11573 .
wdv:mi wikibase:quantityAmount "+2"^^xsd:decimal ; wikibase:quantityUnit wd:Q253276 .
wdv:odd wikibase:quantityAmount "+9"^^xsd:decimal ; wikibase:quantityUnit wd:Q1 .
"""
YEARS = (Property("start_year", "int"), Property("end_year", "int", sources=("P582",)))


def edges(graph: PropertyGraph) -> list[Any]:
    return [(e.type, e.subject[-2:], e.object[-3:], dict(e.properties)) for e in graph.edges]


def test_a_draft_of_statements_has_years_ranks_and_precision(tmp_path: Path) -> None:
    left_out = Faults()
    graph = read(tmp_path, WIKIDATA, left_out=left_out)
    assert edges(graph) == [
        ("position_held", "Q1", "Q11", {"start_year": 1980}),
        ("position_held", "Q1", "Q12", {"start_year": 1990}),
        ("position_held", "Q2", "Q11", {}),
    ]
    assert {key: row[0] for key, row in rows(graph).items()} == {
        "Q1": "Human", "Q2": "Human", "Q11": "Office", "Q12": "Office", "Q21": "Lake", "Q22": "Lake",
    }  # fmt: skip
    (start,) = graph.schema.relations[0].properties
    assert start == Property("start_year", "int", sources=("P580",))
    for kind in ("known to the month", "entities", "in a unit that is not known"):
        assert left_out.counts[f"values that are {kind}"] == 1
    assert left_out.counts["triples with a blank node or a triple"] == 1


def test_a_schema_for_wikidata_says_time_units_and_precision(tmp_path: Path) -> None:
    pytest.importorskip("pint", reason="pint is not installed")
    entities = (
        EntityType("Person", (Property("born", "date", sources=("P569",)),), sources=("Q5",)),
        EntityType("Office", sources=("office",)),
        EntityType("Lake", (Property("length_km", "float", "km", sources=("P2043",)),), sources=("lake",)),
    )  # fmt: skip
    left_out = Faults()
    held = RelationType("held", "Person", "Office", YEARS, sources=("P39",))
    graph = read(tmp_path, WIKIDATA, Schema("w", entities, (held,)), left_out=left_out)
    assert [row[2] for row in edges(graph)] == ["Q11", "Q12", "Q11"]
    nodes = rows(graph)
    assert (nodes["Q1"][2], nodes["Q2"][2]) == ({}, {"born": date(1951, 7, 1)})
    assert left_out.counts["values of Person.born that are no date"] == 1
    assert [nodes[key][2]["length_km"] for key in ("Q21", "Q22")] == [1.5, 3.218688]
    # Without time only the highest rank counts.
    held = RelationType("held", "Person", "Office", sources=("position_held",))
    assert edges(read(tmp_path, WIKIDATA, Schema("w", entities, (held,)))) == [
        ("held", "Q1", "Q12", {}), ("held", "Q2", "Q11", {}),
    ]  # fmt: skip


@each("text", [PEOPLE, WIKIDATA])
def test_the_order_of_triples_does_not_matter(tmp_path: Path, text: str) -> None:
    parsed = ox.parse(PREFIXES + text, format=ox.RdfFormat.TURTLE)
    triples, one = [f"{quad.triple} .\n" for quad in parsed], read(tmp_path, text)
    for seed in range(3):
        path = tmp_path / "my.nt"
        path.write_text("".join(random.Random(seed).sample(triples, len(triples))), "utf-8")
        other = read_rdf(path, "my")
        assert (other.schema, other.nodes, other.edges) == (one.schema, one.nodes, one.edges)
    with pytest.raises(InputError, match="no triple joins two entities or states a type"):
        read(tmp_path, "x:a x:people 5 .")
