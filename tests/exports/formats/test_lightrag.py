"""Exports for LightRAG, read as it reads them."""

import json
from pathlib import Path

from rulemine.exports.exporting import export
from rulemine.release.reader import Release
from tests import each
from tests.evaluation.world import ANN, BOB, CID, DORA, EVE
from tests.exports.readers.lightrag import UNKNOWN, Inserted


def test_the_small_world(release: Release, tmp_path: Path) -> None:
    made = export(release, "lightrag", tmp_path / "a")
    stored = Inserted(made.folder / "custom_kg.json")
    assert {*stored.nodes} == {ANN, BOB, CID, DORA, EVE}
    assert {*stored.edges} == {
        frozenset(pair)
        for pair in (
            (ANN, BOB),
            (ANN, CID),
            (BOB, CID),
            (BOB, EVE),
            (CID, EVE),
            (DORA, EVE),
            (DORA,),
        )
    }
    wife = stored.edges[frozenset((ANN, BOB))]
    assert (wife["keywords"], wife["weight"]) == ("wife", 1.0)
    assert wife["source"] == wife["description"]  # the chunk says what the relationship says
    counts = {name: made.counts[name] for name in ("chunks", "entities", "relationships")}
    assert counts == {"chunks": 7, "entities": 5, "relationships": 7}
    rows = [json.loads(line) for line in (made.folder / "questions.jsonl").open()]
    assert [row["id"] for row in rows] == ["q00001", "q00002", "q00003"]
    assert {*rows[0]} == {"id", "question", "topics"}


@each("kg", ["incomplete", "complete"])
def test_no_triple_is_lost_among_several_of_a_pair(
    structures: Release, tmp_path: Path, kg: str
) -> None:
    folder = export(structures, "lightrag", tmp_path / "a", kg=kg).folder
    stored = Inserted(folder / "custom_kg.json")
    graph, templates = structures.kg(kg).labeled(), structures.templates()
    assert {*stored.edges} == {frozenset((s, o)) for s, _, o in graph}
    for s, r, o in graph:
        edge = stored.edges[frozenset((s, o))]
        assert templates[r].state(s, o) in edge["description"]
        assert r.replace("_", " ") in edge["keywords"].split(", ")
    assert sum(edge["weight"] for edge in stored.edges.values()) == len(graph)
    every = [*stored.nodes.values(), *stored.edges.values()]
    assert UNKNOWN not in {one["source"] for one in every}
    assert UNKNOWN not in {node["type"] for node in stored.nodes.values()}
