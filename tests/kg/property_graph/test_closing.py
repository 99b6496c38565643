"""Property graphs closed under declarations."""

import random
from dataclasses import replace

import pytest

from rulemine.errors import ConfigError
from rulemine.kg.facts import Declarations
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph, closed_edges
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema

YEARS = (Property("start_year", "int"), Property("end_year", "int"))
SCHEMA = Schema(
    "works",
    (EntityType("Person"), EntityType("Robot")),
    (
        RelationType("child_of", "Person", "Person"),
        RelationType("father_of", "Person", "Person"),
        RelationType("parent_of", "Person", "Person"),
        RelationType("works_with", "Person", "Robot", YEARS, "a colleague", ("with",)),
        RelationType("works_with", "Person", "Person", YEARS),
    ),
)
NODES = [GraphNode(id_, "Person", id_) for id_ in "abc"] + [GraphNode("r", "Robot", "r")]
DECLARED = Declarations.of(
    symmetric=["works_with"], inverse=[("parent_of", "child_of")], same=[("father_of", "parent_of")]
)


def _closed(*edges: GraphEdge, schema: Schema = SCHEMA) -> tuple[Schema, set[tuple[object, ...]]]:
    """The schema, and what the edges say; the edges come out the same in every order."""
    made = []
    for seed in range(4):
        some = list(edges)
        random.Random(seed).shuffle(some)
        made.append(closed_edges(PropertyGraph(schema, NODES, some), DECLARED))
    assert made[1:] == made[:-1]
    found, stated = made[0]
    rows = [(e.type, e.subject, e.object, *sorted(e.properties.items())) for e in stated]
    assert len(rows) == len({*rows})
    whole = PropertyGraph(found, NODES, (replace(e, id=str(n)) for n, e in enumerate(stated)))
    assert len(closed_edges(whole, DECLARED)[1]) == len(rows)  # nothing more is added
    return found, {*rows}


def test_every_statement_of_a_fact_is_an_edge() -> None:
    schema, rows = _closed(
        GraphEdge("1", "child_of", "a", "b"),
        GraphEdge("2", "father_of", "c", "a"),
        GraphEdge("3", "parent_of", "c", "a"),
    )
    assert rows == {
        ("child_of", "a", "b"), ("parent_of", "b", "a"), ("father_of", "b", "a"),
        ("father_of", "c", "a"), ("parent_of", "c", "a"), ("child_of", "a", "c"),
    }  # fmt: skip
    assert schema == SCHEMA


def test_a_relation_without_edges_gets_none() -> None:
    _, rows = _closed(GraphEdge("1", "child_of", "a", "b"), GraphEdge("2", "child_of", "b", "b"))
    assert rows == {("child_of", "a", "b"), ("child_of", "b", "b")}


def test_properties_carry_over_once() -> None:
    first, second = {"start_year": 1900, "end_year": 1910}, {"start_year": 1920}
    _, rows = _closed(
        GraphEdge("1", "works_with", "a", "b", first),
        GraphEdge("2", "works_with", "a", "b", second),
        GraphEdge("3", "works_with", "b", "a", second),
        GraphEdge("4", "works_with", "b", "a"),
        GraphEdge("5", "works_with", "b", "c"),
    )
    told = [tuple(sorted(one.items())) for one in (first, second)]
    assert rows == {
        ("works_with", "a", "b", *told[0]), ("works_with", "a", "b", *told[1]),
        ("works_with", "b", "a", *told[0]), ("works_with", "b", "a", *told[1]),
        # What is given stays; without properties it adds nothing to what is stated with some.
        ("works_with", "b", "a"), ("works_with", "b", "c"), ("works_with", "c", "b"),
    }  # fmt: skip


def test_a_signature_is_added_with_the_properties() -> None:
    schema, rows = _closed(GraphEdge("1", "works_with", "a", "r", {"start_year": 1900}))
    assert rows == {
        ("works_with", "a", "r", ("start_year", 1900)), ("works_with", "r", "a", ("start_year", 1900)),
    }  # fmt: skip
    added = schema.relation("Robot", "works_with", "Person")
    assert added is not None
    assert {p.name for p in added.properties} == {"start_year", "end_year"}
    assert {row.signature for row in schema.relations} == {
        *(row.signature for row in SCHEMA.relations), ("Robot", "works_with", "Person"),
    }  # fmt: skip


def test_values_that_cannot_be_restated_are_refused() -> None:
    since, date = (Property("since", datatype) for datatype in ("int", "date"))
    ends = "Person", "Person"
    rows = (RelationType("child_of", *ends, (date,)), RelationType("parent_of", *ends, (since,)))
    edges = (
        GraphEdge("1", "child_of", "a", "b"),
        GraphEdge("2", "parent_of", "c", "a", {"since": 1}),
    )
    with pytest.raises(ConfigError, match=r"relation child_of: .* since is date, but int where"):
        _closed(*edges, schema=Schema("kin", SCHEMA.entities, rows))
