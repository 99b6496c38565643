"""The export ``neo4j`` of a property graph: CSV as the import reads it, and the same in Cypher."""

import csv
import io
import json
from datetime import date
from pathlib import Path

import pytest

from rulemine.errors import UserError
from rulemine.exports.exporting import export
from rulemine.exports.formats.databases import script_of, write_property_graph
from rulemine.exports.protocol import ExportFolder
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.release.reader import Release
from tests import each
from tests.releases import built

SCHEMA = Schema(
    "odd",
    (
        EntityType("Größe", (Property("size", "str"), Property("tags", "list[str]"))),
        EntityType("Town", (Property("size", "int"), Property("m", "float"), Property("on", "date"))),
        EntityType("Zone", (Property("open", "bool"), Property("rates", "list[float]"))),
    ),
    (RelationType("in²", "Town", "Zone", (Property("since", "int"),)),),
)  # fmt: skip
GRAPH = PropertyGraph(
    SCHEMA,
    [
        GraphNode("a", "Größe", 'the "old", one', {"size": "", "tags": ("x;y", "z")}),
        GraphNode("b", "Town", "two\nlines", {"size": 2**40, "m": -0.0, "on": date(1200, 5, 1)}),
        GraphNode("c", "Zone", "\\", {"open": True, "rates": (0.1, 25e15)}),
    ],
    [GraphEdge("e1", "in²", "b", "c", {"since": -3})],
)


def test_tables_have_types_and_quotes(tmp_path: Path) -> None:
    write_property_graph(GRAPH, ExportFolder(tmp_path))
    names = ["nodes.csv", "nodes2.csv", "relations.csv"]  # size is text and number
    assert sorted(path.name for path in tmp_path.glob("*.csv")) == names
    tables = {name: (tmp_path / name).read_text("utf-8").split('\n"') for name in names}
    tables = {
        name: [rows[0], *(f'"{row}'.rstrip("\n") for row in rows[1:])]
        for name, rows in tables.items()
    }
    assert (
        tables["nodes.csv"][0]
        == "id:ID,name,:LABEL,size:string,tags:string[],open:boolean,rates:double[]"
    )
    assert tables["nodes.csv"][1] == '"a","the ""old"", one","Größe","","x;y|z",,'
    assert tables["nodes.csv"][2] == '"c","\\","Zone",,,true,"0.1|2.5e+16"'
    assert tables["nodes2.csv"][0] == "id:ID,name,:LABEL,size:long,m:double,on:date"
    assert tables["nodes2.csv"][1] == '"b","two\nlines","Town",1099511627776,0.0,1200-05-01'
    assert tables["relations.csv"] == [
        "id,:START_ID,:END_ID,:TYPE,since:long", '"e1","b","c","in²",-3',
    ]  # fmt: skip
    read = list(csv.reader(io.StringIO("\n".join(tables["nodes.csv"]))))
    assert read[1][1] == 'the "old", one'
    options = (tmp_path / "import.args").read_text().splitlines()
    assert options[1] == "--nodes=nodes2.csv"
    assert "--array-delimiter=U+007C" in options  # an item has a semicolon


def test_the_script_has_the_same() -> None:
    lines = list(script_of(GRAPH))
    assert len(lines) == len("\n".join(lines).splitlines())  # a statement each
    made = [line for line in lines if " CREATE (" in line]
    assert made[0] == (
        'UNWIND [{id: "a", name: "the \\"old\\", one", size: "", tags: ["x;y", "z"]}] AS row '
        "CREATE (n:`Größe`) SET n = row;"
    )
    assert 'name: "two\\nlines", size: 1099511627776, m: 0.0, on: date("1200-05-01")' in made[1]
    assert made[-1] == (
        'UNWIND [["b", "c", {id: "e1", since: -3}]] AS row MATCH (s:Town {id: row[0]}) '
        "MATCH (o:Zone {id: row[1]}) CREATE (s)-[r:`in²`]->(o) SET r = row[2];"
    )


@pytest.fixture(scope="module")
def coast() -> Release:
    return Release.open(built("coast") / "release")


@each("kg", ["complete", "incomplete"])
def test_a_release_is_exported_with_gold_and_rows(coast: Release, tmp_path: Path, kg: str) -> None:
    made = export(coast, "neo4j", tmp_path / "out", naming="private", kg=kg)
    graph = coast.property_graph(kg)
    assert made.counts == {"nodes": len(graph.nodes), "relationships": len(graph.edges)}
    nodes = list(csv.reader((tmp_path / "out/nodes.csv").read_text("utf-8").splitlines()))
    assert {row[0] for row in nodes[1:]} == {row.private for row in coast.entities}
    asked = [json.loads(line) for line in (tmp_path / "out/questions.jsonl").open(encoding="utf-8")]
    known = {q.id: q for q in coast.questions()}
    assert {row["id"] for row in asked} == {*known}
    assert all(len(row["rows"]) == len(known[row["id"]].block.rows) for row in asked)  # type: ignore[attr-defined]
    assert all("Person 1" not in row["cypher"] for row in asked)  # names are codes
    assert not (tmp_path / "out/reachability.jsonl").exists()


def test_without_answers_the_gold_is_elsewhere(coast: Release, tmp_path: Path) -> None:
    made = export(coast, "neo4j", tmp_path / "out", without_answers=True)
    told = "".join(path.read_text("utf-8") for path in (tmp_path / "out").glob("*.jsonl"))
    assert "MATCH" not in told
    assert made.answers is not None
    rows = [json.loads(line) for line in made.answers.read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == [q.id for q in coast.questions() if q.split == "test"]
    assert all(row["cypher"].startswith(("MATCH", "CALL")) and row["rows"] for row in rows)


def test_what_has_no_sparql_is_not_exported_as_rdf(coast: Release, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="rows"):
        export(coast, "rdf", tmp_path / "out")
