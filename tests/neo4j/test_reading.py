"""A graph from what a driver returns; `checks.isolated.patterns` reads graphs back from a real Neo4j."""

import random
from datetime import date
from typing import Any

import pytest
from neo4j.spatial import CartesianPoint
from neo4j.time import Date, DateTime, Duration, Time

from rulemine.datasets.property_graphs import load_property_graph
from rulemine.errors import ConfigError, EndpointError, InputError
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.neo4j.bolt import Bolt, is_bolt
from rulemine.neo4j.reading import EdgeRow, NodeRow, graph_of_rows, read_bolt
from tests import each

POINT = CartesianPoint((1.0, 2.0))
NODES = [
    NodeRow("4:0", ["Person"], {"name": "Ann", "id": "a", "born": Date(1950, 2, 1), "tall": 1}),
    NodeRow("4:1", ["Person", "Actor"], {"name": "Bo", "id": "b", "born": "1950", "tall": 1.5}),
    NodeRow("4:2", ["Actor", "Person"], {"name": 7, "id": 3, "born": Date(1951, 2, 1), "at": POINT}),
    NodeRow("4:3", ["Film noir"], {"id": "f", "of": [1, 2], "seen": DateTime(2000, 1, 1), "no": [True]}),
]  # fmt: skip
EDGES = [
    EdgeRow("acts in", "4:1", "4:3", {"pay": float("nan"), "from": 1999}),
    EdgeRow("acts in", "4:1", "4:3", {"from": 1999}),
    EdgeRow("acts in", "4:1", "4:3", {"from": 2001, "runs": Duration(days=1), "at": Time(1, 2, 3)}),
    EdgeRow("knows", "4:0", "4:2", {}), EdgeRow("knows", "4:0", "4:2", {})
]  # fmt: skip


def test_types_names_and_values_are_those_of_the_rows_and_the_rest_is_counted():
    left_out = Faults()
    graph = graph_of_rows(NODES, EDGES, "films", left_out=left_out)
    assert [(node.id, node.type, node.name, node.properties) for node in graph.nodes] == [
        ("3", "Person", "7", {"born": date(1951, 2, 1)}),
        ("a", "Person", "Ann", {"born": date(1950, 2, 1), "tall": 1.0}), ("b", "Person", "Bo", {"tall": 1.5}),
        ("f", "Film_noir", "f", {"of": (1, 2)})
    ]  # fmt: skip
    assert [(edge.id, edge.properties) for edge in graph.edges] == [
        ("acts_in#b#f", {"from": 1999}), ("acts_in#b#f#2", {"from": 2001}), ("knows#a#3", {}),
    ]  # fmt: skip
    assert graph.schema.entity("Film_noir").sources == ("Film noir",)
    assert left_out.counts == {
        "nodes without a name, called by their ids": 1, "values of Person.born that are no date": 1,
        "values that are points": 1, "values that are times": 1, "values that are lists of truth values": 1,
        "values that are not finite": 1, "values that are durations": 1, "values that are times of day": 1,
        "edges that are there twice": 2
    }  # fmt: skip


def test_a_list_with_what_is_no_value_and_an_infinite_number_are_left_out():
    left_out = Faults()
    values = {"seen": [DateTime(2000, 1, 1)], "tall": float("inf"), "of": [1, 2]}
    graph = graph_of_rows([NodeRow("4:0", ["A"], {"name": "a", **values})], [], left_out=left_out)
    assert graph.nodes[0].properties == {"of": (1, 2)}
    assert left_out.counts == {"values that are times": 1, "values that are not finite": 1}


def test_the_order_of_rows_does_not_matter():
    dice = random.Random(1)
    shuffled = dice.sample(NODES, len(NODES)), dice.sample(EDGES, len(EDGES))
    one, other = graph_of_rows(NODES, EDGES), graph_of_rows(*shuffled)
    assert (one.schema, one.nodes, one.edges) == (other.schema, other.nodes, other.edges)


def test_a_schema_chooses_among_labels_and_leaves_out():
    schema = Schema(
        "s", (EntityType("Star", (Property("born_year", "int", sources=("born",)),), sources=("Actor",)),
        EntityType("Film", sources=("Film noir",))),
        (RelationType("actsIn", "Star", "Film", (Property("from", "int"),), sources=("acts in",)),)
    )  # fmt: skip
    left_out = Faults()
    graph = graph_of_rows(NODES, EDGES, schema=schema, left_out=left_out)
    assert [(node.id, node.type, node.properties) for node in graph.nodes] == [
        ("3", "Star", {"born_year": 1951}), ("b", "Star", {}), ("f", "Film", {}),
    ]  # fmt: skip
    assert [edge.id for edge in graph.edges] == ["actsIn#b#f", "actsIn#b#f#2"]
    assert left_out.counts["nodes of types not in the schema"] == 1
    assert left_out.counts["edges of signatures not in the schema"] == 2
    assert left_out.counts["values of Star.born_year that are no int"] == 1


@each(
    ("given", "ids", "lost"), [([("A", 1), ("A", "2")], ["1", "2"], 0),
    ([("A", 1), ("B", 1)], ["A#1", "B#1"], 0), ([("A", 1), ("A", 1)], ["4:0", "4:1"], 2),
    ([("A", 1), ("A", "1")], ["4:0", "4:1"], 2), ([("A", 1), ("A", None)], ["4:0", "4:1"], 1),
    ([("A", 1), ("A", True)], ["4:0", "4:1"], 2)]
)  # fmt: skip
def test_ids_are_the_nodes_own_if_no_two_are_the_same(given, ids, lost):
    rows = [
        NodeRow(f"4:{at}", [label], {} if id_ is None else {"id": id_})
        for at, (label, id_) in enumerate(given)
    ]
    left_out = Faults()
    assert [node.id for node in graph_of_rows(rows, [], left_out=left_out).nodes] == ids
    assert left_out.counts["values of id, which some nodes lack or share"] == lost


def test_nodes_are_called_by_another_property():
    row = NodeRow("4:0", ["A"], {"title": "T", "name": "N"})
    graph = graph_of_rows([row], [], name_property="title")
    assert graph.nodes[0].name == "T"
    assert graph.nodes[0].properties == {"other_name": "N"}


class _Told:
    """A driver whose server tells counts, nodes and edges, and then breaks off if it is to."""

    def __init__(self, breaks):
        self._breaks = breaks

    def session(self, **_):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run(self, query):
        from neo4j import Record
        from neo4j.exceptions import ServiceUnavailable

        rows: list[Any] = (
            [(4,), (5,)] if "count" in query else NODES if "labels" in query else EDGES
        )
        for row in rows:
            yield Record(zip("abcd", row, strict=False))
        if self._breaks:
            raise ServiceUnavailable("gone")


def test_a_server_is_read_to_its_end_or_not_at_all():
    read = read_bolt(Bolt(_Told(breaks=False)))
    assert (read.nodes, read.edges) == (
        graph_of_rows(NODES, EDGES).nodes, graph_of_rows(NODES, EDGES).edges
    )  # fmt: skip
    with pytest.raises(EndpointError, match="broke off: gone"):
        read_bolt(Bolt(_Told(breaks=True)))


def test_what_is_no_graph_says_so():
    with pytest.raises(InputError, match="1 nodes, none of which has a label"):
        graph_of_rows([NodeRow("4:0", [], {})], [])
    with pytest.raises(EndpointError, match="no Neo4j answers"):
        load_property_graph("bolt://127.0.0.1:1/films")
    with pytest.raises(ConfigError, match="takes no labels"):
        load_property_graph("neo4j+s://127.0.0.1", labels="x")
    with pytest.raises(ConfigError, match="only nodes of a database"):
        load_property_graph("demo", name_property="title")
    assert not any(map(is_bolt, ("http://127.0.0.1", "bolt.tsv", "bolt:x")))
