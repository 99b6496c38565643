"""Exports for BYOKG-RAG, read as it reads them."""

import json
from dataclasses import replace
from pathlib import Path

from rulemine.exports.exporting import export
from rulemine.release.reader import Release
from tests.evaluation.world import NAMES, write_release
from tests.exports.readers import byokg


def test_the_graph_and_the_questions(structures: Release, tmp_path: Path) -> None:
    made = export(structures, "byokg", tmp_path / "a")
    graph = byokg.graph(made.folder / "kg.tsv")
    read = {t for relations in graph.values() for triples in relations.values() for t in triples}
    assert read == {(s, f"graph.{r}", o) for s, r, o in structures.kg().labeled()}
    rows = [json.loads(line) for line in (made.folder / "questions.jsonl").open()]
    test = structures.questions("test")
    assert [tuple(row["topics"]) for row in rows] == [q.anchors for q in test]
    assert [set(row) for row in rows] == [{"id", "question", "topics"}] * len(test)
    lost = sum(topic not in graph for row in rows for topic in row["topics"])
    assert made.counts["topics_without_outgoing_edge"] == lost > 0


def test_labels_with_quotes_come_back(tmp_path: Path) -> None:
    odd = [replace(NAMES[0], text='"Ann" Lee'), replace(NAMES[1], text='Bob "B" Lee'), *NAMES[2:]]
    release = write_release(tmp_path / "r", names=odd)
    folder = export(release, "byokg", tmp_path / "a", naming="text").folder
    assert {'"Ann" Lee', 'Bob "B" Lee'} <= byokg.graph(folder / "kg.tsv").keys()
