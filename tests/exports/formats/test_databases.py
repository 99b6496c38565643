"""The exports ``rdf``, ``neo4j`` and ``sparql-sft``, read back as the programs that they are for read them.

Neo4j's import of CSV doubles quotes and knows no other escape (its option ``--legacy-style-quoting`` is off);
a string of Cypher has the escapes of JSON; a name in backticks doubles them.
"""

import csv
import io
import json
import re
from datetime import date
from pathlib import Path

import pyoxigraph as ox
import pytest

from rulemine.errors import ConfigError, UserError
from rulemine.evaluation import answer
from rulemine.evaluation.sparql.running import SparqlRunner
from rulemine.exports.exporting import export
from rulemine.exports.formats.databases import script_of, write_property_graph
from rulemine.exports.iris import IRIS
from rulemine.exports.protocol import ExportFolder, ExportInput
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.neo4j.loading import property_graph_statements
from rulemine.query.cypher import to_cypher
from rulemine.query.parser import parse
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS
from tests import each
from tests.evaluation.answerers.scripted import Script
from tests.evaluation.world import write_release
from tests.exports import freebase_clients, rows

ODD = ('Jo "the `tick`" O\'Neill, \\n', "Zoë <a> {b}|^%20", "null")
RELATIONS = ('has `odd` "name", \\', "/a/b/c./d/e")


@pytest.fixture(scope="module")
def odd(home: Path) -> Release:
    """A release whose names hold every sign that some format has a use for."""
    names = [EntityNames(f"e{i:05d}", text, text) for i, text in enumerate(ODD)]
    stated = [(ODD[0], RELATIONS[0], ODD[1]), (ODD[1], RELATIONS[1], ODD[2])]
    removed = [(ODD[2], RELATIONS[1], ODD[0])]
    return write_release(
        home / "odd", [], incomplete=stated, removed=removed, rules=[], names=names, naming="text",
        removals=[],
    )  # fmt: skip


@each("iris", IRIS)
def test_the_queries_of_questions_give_their_answers(structures, tmp_path, iris):
    name = "type.object.name" if iris == "freebase" else "label"
    for kg, key in [("complete", "answers"), ("incomplete", "stated")]:
        folder = export(structures, f"rdf:iris={iris}", tmp_path / kg, kg=kg).folder
        store = ox.Store()
        store.load(path=folder / "graph.nt", format=ox.RdfFormat.N_TRIPLES)
        names = {q.subject.value: q.object.value for q in store if q.predicate.value.endswith(name)}
        for row, question in zip(
            rows(folder / "questions.jsonl"), structures.questions(), strict=True
        ):
            assert row["answers"] == list(question.answers)
            found = [names[one["answer"].value] for one in store.query(row["sparql"])]
            assert sorted(found) == sorted(getattr(question, key)), row["sparql"]


@each("iris", IRIS)
def test_names_with_any_sign_are_exact_in_rdf(odd, tmp_path, iris):
    export(odd, f"rdf:iris={iris}", tmp_path / "rdf")
    lines = (tmp_path / "rdf" / "graph.nt").read_text("utf-8").splitlines()
    quads = list(ox.parse("\n".join(lines), format=ox.RdfFormat.N_TRIPLES))
    entities, freebase = ExportInput(odd, "text").client.entities, iris == "freebase"
    found = {(q.object.value, q.object.language) for q in quads if isinstance(q.object, ox.Literal)}
    assert found == {(e.label if freebase else e.name, "en") for e in entities}
    if freebase:
        assert freebase_clients.names_in_dump(lines) == {e.label.lower(): {e.id} for e in entities}
        assert (tmp_path / "rdf" / "labels_map.tsv").read_text().count("null") == 2


TYPE = re.compile(r"CREATE \(s\)-\[:`((?:[^`]|``)+)`\]->\(o\);$")


def test_neo4j_reads_the_graph_from_both_files(structures, odd, tmp_path):
    for number, release in enumerate((structures, odd)):
        folder = export(release, "neo4j", tmp_path / str(number)).folder
        kg = release.kg("incomplete")
        expected = sorted(kg.entities), sorted(kg.labeled())

        def table(name: str, folder: Path = folder) -> list[dict[str, str]]:
            return list(csv.DictReader((folder / name).open("r", newline=""), strict=True))

        nodes = {row[":ID"]: row["name"] for row in table("nodes.csv")}
        ends = [
            (nodes[r[":START_ID"]], r[":TYPE"], nodes[r[":END_ID"]]) for r in table("relations.csv")
        ]
        assert (sorted(nodes.values()), sorted(ends)) == expected
        created, edges = [], []
        for statement in (folder / "load.cypher").read_text("utf-8").splitlines():
            assert statement.endswith(";")
            if not (text := statement.removeprefix("UNWIND ")).startswith("["):
                continue
            given, end = json.JSONDecoder().raw_decode(text)
            if found := TYPE.search(text[end:]):
                edges += [(s, found[1].replace("``", "`"), o) for s, o in given]
            else:
                assert text[end:] == " AS name CREATE (:Entity {name: name});"
                created += given
        assert (sorted(created), sorted(edges)) == expected
        assert [row["cypher"] for row in rows(folder / "questions.jsonl")] == [
            to_cypher(parse(question.query)) for question in release.questions()
        ]


# Neo4j: property graphs

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

TABLES = {  # size is text and number
    "nodes.csv": "id:ID,name,:LABEL,size:string,tags:string[],open:boolean,rates:double[]\n"
    '"a","the ""old"", one","Größe","","x;y|z",,\n'
    '"c","\\","Zone",,,true,"0.1|2.5e+16"\n',
    "nodes2.csv": "id:ID,name,:LABEL,size:long,m:double,on:date\n"
    '"b","two\nlines","Town",1099511627776,0.0,1200-05-01\n',
    "relations.csv": 'id,:START_ID,:END_ID,:TYPE,since:long\n"e1","b","c","in²",-3\n',
}


def test_tables_have_types_and_quotes(tmp_path):
    write_property_graph(GRAPH, ExportFolder(tmp_path))
    assert {path.name: path.read_text("utf-8") for path in tmp_path.glob("*.csv")} == TABLES
    assert [*csv.reader(io.StringIO(TABLES["nodes.csv"]))][1][1] == 'the "old", one'
    options = (tmp_path / "import.args").read_text().splitlines()
    assert options[1] == "--nodes=nodes2.csv"
    assert "--array-delimiter=U+007C" in options  # an item has a semicolon


def test_the_script_has_the_same():
    lines = list(script_of(property_graph_statements(GRAPH)))
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


@each("kg", ["complete", "incomplete"])
def test_a_release_is_exported_with_gold_and_rows(coast, tmp_path, kg):
    made = export(coast, "neo4j", tmp_path / "out", naming="private", kg=kg)
    graph = coast.property_graph(kg)
    assert made.counts == {"nodes": len(graph.nodes), "relationships": len(graph.edges)}
    nodes = list(csv.reader((tmp_path / "out/nodes.csv").read_text("utf-8").splitlines()))
    assert {row[0] for row in nodes[1:]} == {row.private for row in coast.entities}
    asked, known = rows(tmp_path / "out/questions.jsonl"), {q.id: q for q in coast.questions()}
    assert {row["id"] for row in asked} == {*known}
    assert all(len(row["rows"]) == len(known[row["id"]].block.rows) for row in asked)
    assert all("Person 1" not in row["cypher"] for row in asked)  # names are codes
    assert not (tmp_path / "out/reachability.jsonl").exists()


def test_without_answers_the_gold_is_elsewhere(coast, tmp_path):
    made = export(coast, "neo4j", tmp_path / "out", without_answers=True)
    told = "".join(path.read_text("utf-8") for path in (tmp_path / "out").glob("*.jsonl"))
    assert "MATCH" not in told
    assert made.answers is not None
    gold = rows(made.answers)
    assert [row["id"] for row in gold] == [q.id for q in coast.questions("test")]
    assert all(row["cypher"].startswith(("MATCH", "CALL")) and row["rows"] for row in gold)
    with pytest.raises(UserError, match="rows"):
        export(coast, "rdf", tmp_path / "rdf")


# Conversations to fine-tune a model on


@pytest.fixture(scope="module")
def tuning(structures: Release, home: Path) -> Path:
    return export(structures, "sparql-sft", home / "sparql-sft").folder


def conversations(folder: Path) -> list[list[dict[str, str]]]:
    found = rows(folder / "train.jsonl")
    assert all(row.keys() == {"messages"} for row in found)
    return [row["messages"] for row in found]


def test_no_question_of_another_split_is_in_it(structures, tuning, tmp_path):
    asked = [m[0]["content"].rpartition("Question: ")[2] for m in conversations(tuning)]
    texts = [question.question for question in structures.questions("train")]
    assert {q.split for q in structures.questions()} == {*SPLITS}
    assert [text.partition("\n")[0] for text in asked] == texts
    every = "".join(path.read_text("utf-8") for path in tuning.iterdir())
    for question in (*structures.questions("test"), *structures.questions("validation")):
        assert question.question not in every
        assert f'"{question.id}"' not in every
    with pytest.raises(ConfigError, match="writes the split train"):
        export(structures, "sparql-sft", tmp_path / "out", without_answers=True)


def test_the_prompt_is_that_of_the_answerer(structures, tuning):
    script = Script(lambda call: "none")
    answer(structures, "text-to-sparql", split="train", model="m", session=script)
    assert [m[0] for m in conversations(tuning)] == [call.messages[0] for call in script.calls]


def test_what_the_model_is_taught_gives_the_answers(structures, tuning):
    with SparqlRunner(structures.kg("complete")) as runner:
        for question, (_, taught) in zip(
            structures.questions("train"), conversations(tuning), strict=True
        ):
            assert taught["role"] == "assistant"
            assert sorted(runner.run(taught["content"]).answers) == list(question.answers)
