"""Property graphs and their schemas, what joins their nodes, and what declarations add to their edges."""

import datetime
import math
import random
from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.errors import ConfigError
from rulemine.kg.facts import Declarations
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph, closed_edges
from rulemine.kg.property_graph.schema import (
    EntityType,
    Property,
    RelationType,
    Schema,
    read_schema,
    schema_text,
)  # fmt: skip
from rulemine.kg.property_graph.values import DATATYPES, fits, from_plain, to_plain
from tests import each

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


def test_what_joins_nodes() -> None:
    graph = PropertyGraph(SCHEMA, NODES, EDGES)
    assert [row.id for row in (*graph.nodes, *graph.edges)] == ["p1", "t1", "t2", "e1", "e2"]
    assert graph.of_type("Town") == graph.named("Town", "Arden") == (1, 2)
    assert graph.leading_out(0, "livesIn") == ((0, 1), (1, 2))
    assert graph.leading_in(2, "livesIn") == ((1, 0),)
    assert graph.leading_out(1, "livesIn") == graph.leading_out(0, "r") == ()
    assert graph.beside(1, "livesIn", "Person", outward=False) == {0}
    found = graph.of_signature("Person", "livesIn", "Town")
    assert [column.tolist() for column in found] == [[0, 1], [0, 0], [1, 2]]
    assert (graph.value(1, "name"), graph.value(1, "people")) == ("Arden", None)
    assert graph.triples().labeled() == [("p1", "livesIn", "t1"), ("p1", "livesIn", "t2")]
    less = graph.without([("p1", "livesIn", "t2"), ("p1", "livesIn", "t9"), ("x", "livesIn", "t1")])
    assert ([edge.id for edge in less.edges], less.nodes) == (["e1"], graph.nodes)
    assert len(graph.without([]).edges) == len(graph.edges) == 2


VALUES = {
    "str": "a", "int": 3, "float": 0.5, "bool": True, "date": datetime.date(2020, 2, 29),
    "list[str]": ("a", "b"), "list[int]": (1,), "list[float]": (0.5, 2.0),
    "list[date]": (datetime.date(1, 1, 1),),
}  # fmt: skip


@each("datatype", DATATYPES)
def test_values_survive_json_and_fit_their_datatype_alone(datatype: str) -> None:
    value = VALUES[datatype]
    assert from_plain(to_plain(value), datatype) == value
    assert [name for name in DATATYPES if fits(value, name)] == [datatype]


@each(
    ("plain", "datatype", "value"),
    [
        *((plain, "int", None) for plain in (1.5, True, 2**63)),
        *((plain, "date", None) for plain in ("2020-02-30", "2020")),
        (1, "bool", None), (math.inf, "float", None), ("ab", "list[str]", None), (None, "str", None),
        *((plain, "float", None) for plain in (10**400, True, [1], {"a": 1}, "90")),
        (["a", None], "list[str]", None), ([1.5], "list[int]", None), ([1, 2.5], "list[float]", (1.0, 2.5)),
    ],
)  # fmt: skip
def test_what_is_a_value(plain: object, datatype: str, value: object) -> None:
    assert from_plain(plain, datatype) == value


DETAILED = Schema(
    'quoted "towns"\x7f',
    (
        EntityType("Town", (Property("h_m", "float", "m", from_unit="ft"), Property("größe", "int")), "a\nb"),
        EntityType("Person", (Property("born", "date", precision="year", sources=("b", "c")),)),
    ),
    (
        RelationType("livesIn", "Person", "Town", (Property("start_year", "int"),), sources=("a/b",)),
        RelationType("livesIn", "Town", "Town", description="odd"),
    ),
)  # fmt: skip


def test_a_schema_survives_its_file(tmp_path: Path) -> None:
    (tmp_path / "schema.toml").write_text(schema_text(DETAILED), "utf-8")
    assert read_schema(tmp_path / "schema.toml") == DETAILED


TOWN = '[[entities]]\nlabel = "Town"\n'
BAD = {
    f"""{TOWN}desciption = "x"
        properties = {{ name = "str", people = "integer", size = {{ datatype = "int", units = "m" }} }}
        [[relations]]\nlabel = "i n"\nsubject = "Town"\nobject = "Land" """: (
        "unknown key 'Town.desciption'; did you mean 'description'?",
        "unknown key 'Town.size.units'; did you mean 'unit'?",
        "relation i n: 'Land' is no entity type", "label 'i n'", "name is ''; expected the name",
    ),
    f'colour = 1\n{TOWN}properties = {{ name = "str", people = "integer" }}\n{TOWN}': (
        "'Town' is there 2 times", "Town.name", "datatype 'integer'", "unknown key 'colour'",
    ),
    "": ("entities is empty",),
    "entities = 1": ("entities is 1; expected tables",),
    "entities = [1]": ("entities[0] is 1; expected a table",),
    "[[entities]]\nlabel = 1": ("entities[0].label is 1; expected text",),
    TOWN + "properties = 1": ("Town.properties is 1",),
    TOWN + 'table = "towns.csv"': ("Town.table",),
    TOWN + "".join(
        f'[[relations]]\nlabel = "r"\nsubject = "Town"\nobject = "{o}"\nproperties = {{ p = "{d}" }}\n'
        for o, d in (("Town", "int"), ("Land", "str"))
    ) + '[[entities]]\nlabel = "Land"': ("r.p: int in one signature, str in another",),
}  # fmt: skip


@each(("text", "said"), BAD.items())
def test_all_problems_of_a_schema_are_in_one_message(
    tmp_path: Path, text: str, said: tuple[str, ...]
) -> None:
    (tmp_path / "schema.toml").write_text(text, "utf-8")
    with pytest.raises(ConfigError) as raised:
        read_schema(tmp_path / "schema.toml")
    assert [line for line in said if line not in str(raised.value)] == []
    assert "'Town' is no entity type" not in str(raised.value)


YEARS = (Property("start_year", "int"), Property("end_year", "int"))
WORKS = Schema(
    "works",
    (EntityType("Person"), EntityType("Robot")),
    (
        *(RelationType(f"{role}_of", "Person", "Person") for role in ("child", "father", "parent")),
        RelationType("works_with", "Person", "Robot", YEARS, "a colleague", ("with",)),
        RelationType("works_with", "Person", "Person", YEARS),
    ),
)
PEOPLE = [GraphNode(id_, "Person", id_) for id_ in "abc"] + [GraphNode("r", "Robot", "r")]
DECLARED = Declarations.of(
    symmetric=["works_with"], inverse=[("parent_of", "child_of")], same=[("father_of", "parent_of")]
)


def closed(*edges: GraphEdge, schema: Schema = WORKS) -> tuple[Schema, set[tuple[object, ...]]]:
    """The schema, and what the edges say; the edges come out the same in every order."""
    made = []
    for seed in range(4):
        some = random.Random(seed).sample(edges, len(edges))
        made.append(closed_edges(PropertyGraph(schema, PEOPLE, some), DECLARED))
    assert made[1:] == made[:-1]
    found, stated = made[0]
    rows = [(e.type, e.subject, e.object, *sorted(e.properties.items())) for e in stated]
    assert len(rows) == len({*rows})
    whole = PropertyGraph(found, PEOPLE, (replace(e, id=str(n)) for n, e in enumerate(stated)))
    assert len(closed_edges(whole, DECLARED)[1]) == len(rows)  # nothing more is added
    return found, {*rows}


def test_every_statement_of_a_fact_is_an_edge() -> None:
    schema, rows = closed(
        GraphEdge("1", "child_of", "a", "b"),
        GraphEdge("2", "father_of", "c", "a"),
        GraphEdge("3", "parent_of", "c", "a"),
    )
    assert rows == {
        ("child_of", "a", "b"), ("parent_of", "b", "a"), ("father_of", "b", "a"),
        ("father_of", "c", "a"), ("parent_of", "c", "a"), ("child_of", "a", "c"),
    }  # fmt: skip
    assert schema == WORKS
    alone = GraphEdge("1", "child_of", "a", "b"), GraphEdge("2", "child_of", "b", "b")
    assert closed(*alone)[1] == {("child_of", "a", "b"), ("child_of", "b", "b")}


def test_properties_carry_over_once() -> None:
    first, second = {"start_year": 1900, "end_year": 1910}, {"start_year": 1920}
    stated = [("ab", first), ("ab", second), ("ba", second), ("ba", {}), ("bc", {})]
    _, rows = closed(*(GraphEdge(f"{n}", "works_with", *e, p) for n, (e, p) in enumerate(stated)))
    told = [tuple(sorted(one.items())) for one in (first, second)]
    assert rows == {
        *(("works_with", *ends, *one) for ends in ("ab", "ba") for one in told),
        # What is given stays; without properties it adds nothing to what is stated with some.
        ("works_with", "b", "a"), ("works_with", "b", "c"), ("works_with", "c", "b"),
    }  # fmt: skip


def test_a_signature_is_added_with_the_properties_that_can_be_restated() -> None:
    schema, rows = closed(GraphEdge("1", "works_with", "a", "r", {"start_year": 1900}))
    assert rows == {("works_with", *ends, ("start_year", 1900)) for ends in ("ar", "ra")}
    added = schema.relation("Robot", "works_with", "Person")
    assert added is not None
    assert {p.name for p in added.properties} == {"start_year", "end_year"}
    assert {*schema.relations} == {*WORKS.relations, added}
    since, date = (Property("since", datatype) for datatype in ("int", "date"))
    edges = (
        GraphEdge("1", "child_of", "a", "b"),
        GraphEdge("2", "parent_of", "c", "a", {"since": 1}),
    )
    both = [RelationType(f"{role}_of", "Person", "Person", (own,))
            for role, own in (("child", date), ("parent", since))]  # fmt: skip
    with pytest.raises(ConfigError, match=r"relation child_of: .* since is date, but int where"):
        closed(*edges, schema=Schema("kin", WORKS.entities, tuple(both)))
