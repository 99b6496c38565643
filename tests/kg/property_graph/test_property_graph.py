import datetime
import math

import pytest

from rulemine.errors import ConfigError, InputError
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.kg.property_graph.values import DATATYPES, fits, from_plain, to_plain

SCHEMA = Schema(
    "towns",
    (
        EntityType("Town", (Property("people", "int"), Property("founded", "date"))),
        EntityType("Person", (Property("languages", "list[str]"),)),
    ),
    (RelationType("livesIn", "Person", "Town", (Property("start_year", "int"),)),),
)
NODES = (
    GraphNode("t2", "Town", "Arden", {"people": 7}),
    GraphNode("t1", "Town", "Arden", {"founded": datetime.date(1200, 5, 1)}),
    GraphNode("p1", "Person", "Bo", {"languages": ("da", "no")}),
)
EDGES = (
    GraphEdge("e2", "livesIn", "p1", "t2", {"start_year": 1999}),
    GraphEdge("e1", "livesIn", "p1", "t1"),
)


def test_the_order_of_nodes_and_edges_does_not_matter() -> None:
    one, other = (
        PropertyGraph(SCHEMA, NODES, EDGES),
        PropertyGraph(SCHEMA, NODES[::-1], EDGES[::-1]),
    )
    assert (one.nodes, one.edges) == (other.nodes, other.edges)
    assert [node.id for node in one.nodes] == ["p1", "t1", "t2"]
    assert [edge.id for edge in one.edges] == ["e1", "e2"]


def test_what_joins_nodes() -> None:
    graph = PropertyGraph(SCHEMA, NODES, EDGES)
    assert graph.of_type("Town") == graph.named("Town", "Arden") == (1, 2)
    assert graph.leading_out(0, "livesIn") == ((0, 1), (1, 2))
    assert graph.leading_in(2, "livesIn") == ((1, 0),)
    assert graph.leading_out(1, "livesIn") == ()
    assert graph.value(1, "name") == "Arden"
    assert graph.value(1, "people") is None
    assert graph.triples().labeled() == [("p1", "livesIn", "t1"), ("p1", "livesIn", "t2")]


def test_less_is_stated() -> None:
    graph = PropertyGraph(SCHEMA, NODES, EDGES)
    less = graph.without([("p1", "livesIn", "t2"), ("p1", "livesIn", "t9"), ("x", "livesIn", "t1")])
    assert [edge.id for edge in less.edges] == ["e1"]
    assert less.nodes == graph.nodes
    assert len(graph.without([]).edges) == len(graph.edges) == 2


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (GraphNode("x", "City", "X"), "type 'City' is not in the schema"),
        (GraphNode("x", "Town", "X", {"size": 1}), "property 'size' is not in the schema"),
        (GraphNode("x", "Town", "X", {"people": "many"}), "people is 'many'; expected int"),
        (GraphNode("x", "Town", "X", {"people": True}), "people is true; expected int"),
        (GraphNode("t1", "Town", "X"), "node 't1' is there twice"),
    ],
)
def test_nodes_that_break_the_schema(node: GraphNode, said: str) -> None:
    with pytest.raises(InputError, match=said):
        PropertyGraph(SCHEMA, (*NODES, node), ())


@pytest.mark.parametrize(
    ("edge", "said"),
    [
        (GraphEdge("x", "livesIn", "p1", "q"), "'q' is no node"),
        (GraphEdge("x", "livesIn", "t1", "t2"), "Town livesIn Town is not in the schema"),
        (GraphEdge("x", "livesIn", "p1", "t1", {"since": 1}), "property 'since'"),
        (GraphEdge("e1", "livesIn", "p1", "t2"), "edge 'e1' is there twice"),
    ],
)
def test_edges_that_break_the_schema(edge: GraphEdge, said: str) -> None:
    with pytest.raises(InputError, match=said):
        PropertyGraph(SCHEMA, NODES, (*EDGES, edge))


def test_all_problems_of_a_schema_are_in_one_message() -> None:
    with pytest.raises(ConfigError) as raised:
        Schema(
            "bad",
            (EntityType("A", (Property("name", "str"), Property("x", "text"))), EntityType("A")),
            (RelationType("r s", "A", "B"),),
        )
    for said in (
        "'A' is there 2 times",
        "A.name",
        "datatype 'text'",
        "'r s'",
        "'B' is no entity type",
    ):
        assert said in str(raised.value)


VALUES = {
    "str": "a",
    "int": 3,
    "float": 0.5,
    "bool": True,
    "date": datetime.date(2020, 2, 29),
    "list[str]": ("a", "b"),
    "list[int]": (1,),
    "list[float]": (0.5, 2.0),
    "list[date]": (datetime.date(1, 1, 1),),
}


@pytest.mark.parametrize("datatype", DATATYPES)
def test_values_survive_json_and_fit_their_datatype_alone(datatype: str) -> None:
    value = VALUES[datatype]
    assert from_plain(to_plain(value), datatype) == value
    assert [name for name in DATATYPES if fits(value, name)] == [datatype]


@pytest.mark.parametrize(
    ("plain", "datatype"),
    [
        (1.5, "int"), (True, "int"), (1, "bool"), ("2020-02-30", "date"), ("2020", "date"),
        (math.inf, "float"), (2**63, "int"), ("ab", "list[str]"), (["a", None], "list[str]"),
        ([1.5], "list[int]"), (None, "str"),
    ],
)  # fmt: skip
def test_what_is_no_value(plain: object, datatype: str) -> None:
    assert from_plain(plain, datatype) is None


def test_whole_numbers_stand_for_floats() -> None:
    assert from_plain([1, 2.5], "list[float]") == (1.0, 2.5)
