"""The exports ``rdf`` and ``neo4j``, read back as the programs that they are for read them."""

import json
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from rulemine.exports.exporting import export
from rulemine.exports.iris import IRIS
from rulemine.exports.protocol import ExportInput
from rulemine.kg.entity_names import EntityNames
from rulemine.query.cypher import to_cypher
from rulemine.query.parser import parse
from rulemine.release.reader import Release
from tests import each
from tests.evaluation.world import write_release
from tests.exports.readers import freebase_clients, neo4j

ODD = ('Jo "the `tick`" O\'Neill, \\n', "Zoë <a> {b}|^%20", "null")
RELATIONS = ('has `odd` "name", \\', "/a/b/c./d/e")


@pytest.fixture
def odd(tmp_path: Path) -> Release:
    """A release whose names hold every sign that some format has a use for."""
    names = [EntityNames(f"e{i:05d}", text, text) for i, text in enumerate(ODD)]
    stated = [(ODD[0], RELATIONS[0], ODD[1]), (ODD[1], RELATIONS[1], ODD[2])]
    removed = [(ODD[2], RELATIONS[1], ODD[0])]
    return write_release(
        tmp_path / "odd", [], incomplete=stated, removed=removed, rules=[], names=names,
        naming="text", removals=[],
    )  # fmt: skip


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@each("iris", IRIS)
def test_the_queries_of_questions_give_their_answers(
    structures: Release, tmp_path: Path, iris: str
) -> None:
    name = "type.object.name" if iris == "freebase" else "label"
    for kg, key in [("complete", "answers"), ("incomplete", "stated")]:
        export(structures, f"rdf:iris={iris}", tmp_path / kg, kg=kg)
        store = ox.Store()
        store.load(path=tmp_path / kg / "graph.nt", format=ox.RdfFormat.N_TRIPLES)
        names = {
            quad.subject.value: quad.object.value  # type: ignore[union-attr]
            for quad in store
            if quad.predicate.value.endswith(name)
        }
        asked = rows(tmp_path / kg / "questions.jsonl")
        assert len(asked) == len(structures.questions()) > 9
        for row, question in zip(asked, structures.questions(), strict=True):
            assert row["answers"] == list(question.answers)
            found = store.query(row["sparql"])
            assert sorted(names[answer["answer"].value] for answer in found) == sorted(  # type: ignore[union-attr]
                getattr(question, key)
            ), row["sparql"]


@each("iris", IRIS)
def test_names_with_any_sign_are_exact_in_rdf(odd: Release, tmp_path: Path, iris: str) -> None:
    export(odd, f"rdf:iris={iris}", tmp_path / "rdf")
    lines = (tmp_path / "rdf" / "graph.nt").read_text("utf-8").splitlines()
    quads = list(ox.parse("\n".join(lines), format=ox.RdfFormat.N_TRIPLES))
    client = ExportInput(odd, "text").client
    labels = (
        {e.name: e.label for e in client.entities} if iris == "freebase" else {n: n for n in ODD}
    )
    found = {q.object.value for q in quads if isinstance(q.object, ox.Literal)}
    assert found == set(labels.values())
    assert {q.object.language for q in quads if isinstance(q.object, ox.Literal)} == {"en"}
    if iris == "freebase":
        dumped = freebase_clients.names_in_dump(lines)
        assert dumped == {e.label.lower(): {e.id} for e in client.entities}
        assert (tmp_path / "rdf" / "labels_map.tsv").read_text().count("null") == 2


def test_neo4j_reads_the_graph_from_both_files(
    structures: Release, odd: Release, tmp_path: Path
) -> None:
    for number, release in enumerate((structures, odd)):
        folder = tmp_path / str(number)
        export(release, "neo4j", folder)
        kg = release.kg("incomplete")
        expected = sorted(kg.entities), sorted(kg.labeled())
        assert neo4j.from_csv(folder) == expected
        assert neo4j.from_script((folder / "load.cypher").read_text("utf-8")) == expected
        assert [row["cypher"] for row in rows(folder / "questions.jsonl")] == [
            to_cypher(parse(question.query)) for question in release.questions()
        ]


def test_without_answers_nothing_tells_them(structures: Release, tmp_path: Path) -> None:
    for name in ("rdf", "neo4j"):
        export(structures, name, tmp_path / name, without_answers=True)
        asked = rows(tmp_path / name / "questions.jsonl")
        assert {row["split"] for row in asked} == {"test"}
        assert not any({"answers", "hard_answer"} & row.keys() for row in asked)
