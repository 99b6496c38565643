import json
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import InputError
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.simplekg import read_simplekg, write_simplekg
from tests import each
from tests.kg.property_graph.test_property_graph import DETAILED, EDGES, NODES, SCHEMA

PUBLISHED: dict[str, Any] = {
    "schema": {
        "name": "films",
        "entities": [
            {"label": "Film", "description": None,
             "properties": {"name": "str", "runtime_minute": "float"}},
            {"label": "Person", "properties": {"date_of_birth": "date", "citizenship": "list[str]"}},
        ],
        "relations": [
            {"label": "directedBy", "subj_label": "Film", "obj_label": "Person",
             "properties": {"year": "int"}}
        ],
    },
    "entities": [
        {"eid": "Person#Q2", "label": "Person", "name": "B", "aliases": ["b"], "description": None,
         "properties": {"date_of_birth": "1950-02-01", "citizenship": ["x"]}, "provenance": ["u"]},
        {"eid": "Film#Q1", "label": "Film", "name": "A", "aliases": [], "description": "d",
         "properties": {"runtime_minute": 90}, "provenance": []},
    ],
    "relations": [
        {"rid": "r1", "label": "directedBy", "subj_id": "Film#Q1", "obj_id": "Person#Q2",
         "properties": {"year": None}, "provenance": []}
    ],
}  # fmt: skip
"""As it is published: rows in any order, absent values null."""

FILM = PUBLISHED["entities"][1]


def written(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(content), "utf-8")
    return path


def changed(**rows: Any) -> dict[str, Any]:
    return json.loads(json.dumps(PUBLISHED)) | rows


def test_a_published_file_is_read(tmp_path: Path) -> None:
    graph = read_simplekg(written(tmp_path, PUBLISHED))
    assert [node.id for node in graph.nodes] == ["Film#Q1", "Person#Q2"]
    assert graph.value(0, "runtime_minute") == 90.0
    assert isinstance(graph.value(0, "runtime_minute"), float)
    assert str(graph.value(1, "date_of_birth")) == "1950-02-01"
    assert graph.nodes[1].aliases == ("b",)
    assert graph.edges[0].properties == {}


@each("graph", [PropertyGraph(SCHEMA, NODES, EDGES), PropertyGraph(DETAILED, (), ())])
def test_what_is_written_is_read_and_written_with_the_same_bytes(
    tmp_path: Path, graph: PropertyGraph
) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json.gz"
    write_simplekg(graph, first)
    again = read_simplekg(first)
    assert (again.schema, again.nodes, again.edges) == (graph.schema, graph.nodes, graph.edges)
    write_simplekg(again, second)
    write_simplekg(read_simplekg(second), tmp_path / "c.json")
    assert (tmp_path / "c.json").read_bytes() == first.read_bytes()


def test_all_faults_are_counted_by_kind(tmp_path: Path) -> None:
    film, edge = FILM, PUBLISHED["relations"][0]
    bad = [film | {"eid": f"F{i}", "properties": {"runtime_minute": "long"}} for i in range(5)]
    bad += [film | {"eid": "G", "properties": {"lenght": 3}}, film | {"name": 3}, 7]
    bad += [film | {"name": ""}, film | {"eid": "H", "label": "City"}]
    edges = [edge | {"obj_id": "Film#Q1"}, edge | {"rid": "r2", "obj_id": "nobody"}]
    people = [{"eid": "P", "label": "Person", "name": "P"}]
    edges += [edge | {"obj_id": "P", "properties": {"since": 1}}]
    with pytest.raises(InputError) as raised:
        read_simplekg(
            written(tmp_path, changed(entities=[*bad, film, film, *people], relations=edges))
        )
    for said in (
        "values that do not fit: 5", "node 'F0': runtime_minute is 'long'; expected float",
        "properties not in the schema: 2", "edge 'r1': property 'since' is not", "fields missing or wrong: 3",
        "entities[6]: Expected `str`", "types not in the schema: 1", "ids of nodes that are there twice: 1",
        "ids of edges that are there twice: 1", "ends that are no node: 1", "signatures not in the schema: 1",
    ):  # fmt: skip
        assert said in str(raised.value)
    assert "'F4'" not in str(raised.value)


@each(
    ("text", "said"),
    [
        ("[]", "a JSON list; an object"), ("{", "not valid JSON"), ("{}", "no SimpleKG: schema is missing"),
        ('{"schema": {}, "entities": {}, "relations": []}', "entities is an empty table"),
        ('{"schema": {"name": "x"}, "entities": [], "relations": []}', "schema: entities is empty"),
        ('{"schema": ' + "9" * 5000 + "}", "Integer value out of range"),
    ],
)  # fmt: skip
def test_what_is_no_simplekg(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "graph.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=said) as raised:
        read_simplekg(path)
    assert len(str(raised.value)) < 400
