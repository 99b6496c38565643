"""The export for RoG and those who read its data, read as they read it."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rulemine.errors import ConfigError
from rulemine.exports.exporting import export
from rulemine.files import read_jsonl
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS
from tests import each
from tests.evaluation.world import write_structures
from tests.exports.readers import rog as read
from tests.structures import structure_question


def test_rows_are_those_of_the_questions_in_a_plain_schema(
    structures: Release, tmp_path: Path
) -> None:
    folder = export(structures, "rog", tmp_path / "a").folder
    for split in SPLITS:
        rows = read.parquet(folder, split)
        asked = structures.questions(split)
        assert [row["id"] for row in rows] == [q.id for q in asked]
        for row, q in zip(rows, asked, strict=True):
            assert [*row] == [
                "id", "question", "answer", "q_entity", "a_entity", "graph", "choices",
            ]  # fmt: skip
            assert row["answer"] == row["a_entity"] == list(q.answers)
            assert row["q_entity"] == list(q.anchors)
            assert (row["question"], row["choices"]) == (q.question, [])
        assert pq.read_metadata(folder / f"{split}.parquet").metadata is None
    head = (folder / "README.md").read_text().split("---\n")[1]
    assert [line.split(": ")[1] for line in head.splitlines() if "path" in line] == [
        f"{split}.parquet" for split in SPLITS
    ]


def test_graphs_are_of_the_graph_that_is_named(structures: Release, tmp_path: Path) -> None:
    names = dict(
        line.split("\t")
        for line in (export(structures, "rog", tmp_path / "a").folder / "relations_map.tsv")
        .read_text()
        .splitlines()[1:]
    )
    for which in ("incomplete", "incomplete-50", "complete"):
        folder = export(structures, "rog", tmp_path / which, kg=which).folder
        stated = [[h, names[r], t] for h, r, t in structures.kg(which).labeled()]
        rows = [row for split in SPLITS for row in read.parquet(folder, split)]
        seen = [triple for row in rows for triple in row["graph"]]
        assert {tuple(t) for t in seen} == {tuple(t) for t in stated}  # it is small
        assert all(len(row["graph"]) == len({*map(tuple, row["graph"])}) for row in rows)
        assert any(row["graph"] != sorted(row["graph"]) for row in rows)


def test_a_smaller_graph_is_the_same_in_every_naming(tmp_path: Path) -> None:
    release = write_structures(tmp_path / "w")
    graphs = []
    for naming in ("private", "entity"):
        folder = export(release, "rog:max_triples=9", tmp_path / naming, naming=naming).folder
        label = {e.name_in(naming): e.private for e in release.entities}
        graphs.append(
            [
                [(label[h], r, label[t]) for h, r, t in row["graph"]]
                for row in read.parquet(folder, "test")
            ]
        )
    assert graphs[0] == graphs[1]
    assert {len(graph) for graph in graphs[0]} == {9}
    to = "rog:max_triples=9"
    again = export(release, to, tmp_path / "seed", naming="private", seed=1).folder
    others = [[*map(tuple, row["graph"])] for row in read.parquet(again, "test")]
    assert others != graphs[0]
    assert [*map(sorted, others)] == [*map(sorted, graphs[0])]


def test_oracle_plans_lead_to_the_hard_answers_that_can_be_reached(
    structures: Release, tmp_path: Path
) -> None:
    made = export(structures, "rog:oracle_plans=true", tmp_path / "a")
    plans = {row["id"]: row for _, row in read_jsonl(made.folder / "rule_paths_test.jsonl")}
    flags = {row["id"]: row for _, row in read_jsonl(made.folder / "reachability.jsonl")}
    reached = 0
    for row, q in zip(read.parquet(made.folder, "test"), structures.questions("test"), strict=True):
        found = read.direct_answer(row, plans[q.id]["prediction"])
        if q.hard_answer is not None and flags[q.id]["proof_undirected"]:
            assert q.hard_answer in found
            reached += 1
        assert set(q.answers) & set(read.direct_answer(row, plans[q.id]["ground_paths"]))
    assert reached
    with pytest.raises(ConfigError, match="oracle_plans gives the answers away"):
        export(structures, "rog:oracle_plans=true", tmp_path / "b", without_answers=True)


def test_the_shares_are_those_of_the_rows(structures: Release, tmp_path: Path) -> None:
    made = export(structures, "rog:max_triples=12", tmp_path / "a")
    rows = [row for split in SPLITS for row in read.parquet(made.folder, split)]
    assert made.counts["triples_a_question"] == 12
    flags = {row["id"]: row for _, row in read_jsonl(made.folder / "reachability.jsonl")}
    hard = {q.id: q.hard_answer for q in structures.questions() if q.hard_answer}
    for row in rows:
        if row["id"] not in hard:
            assert set(flags[row["id"]].values()) == {row["id"], None}
            continue
        directed = read.build_graph(row, undirected=False)
        near = set(row["q_entity"])
        for _ in range(2):
            near |= {t for h in near for t in directed.get(h, {})}
        near &= directed.keys()
        assert flags[row["id"]]["answer_digraph_2"] == (hard[row["id"]] in near)
    assert 0 < made.counts["proofs_inside"] < 1
    whole = export(structures, "rog", tmp_path / "b")
    assert whole.counts["proofs_inside"] == 1


@each("naming", ["private", "text"])
def test_subgraph_rag_and_g_retriever_find_every_name(
    release: Release, tmp_path: Path, naming: str
) -> None:
    folder = export(release, "rog", tmp_path / "a", naming=naming).folder
    identifiers = set((folder / "entity_identifiers.txt").read_text().splitlines())
    for row in read.parquet(folder, "test"):
        sample = read.process_sample(row, identifiers)
        assert sample.topics
        assert sample.answers
        assert not (sample.text_entities if naming == "private" else sample.other_entities)
        names = read.nodes(row)
        assert len(names) == len({*names}) == len(sample.text_entities + sample.other_entities)
        assert {*names} == {e.lower() for h, _, t in row["graph"] for e in (h, t)}


def test_without_answers_there_is_none(structures: Release, tmp_path: Path) -> None:
    folder = export(structures, "rog", tmp_path / "a", without_answers=True).folder
    full = export(structures, "rog", tmp_path / "b").folder
    rows = read.parquet(folder, "test")
    assert rows == [row | {"answer": [], "a_entity": []} for row in read.parquet(full, "test")]
    assert {path.name for path in folder.iterdir()} == {
        "README.md", "entity_identifiers.txt", "export.json", "labels_map.tsv", "relations_map.tsv",
        "test.parquet",
    }  # fmt: skip
    assert "proofs_inside" not in json.loads((folder / "export.json").read_text())["counts"]


def test_what_it_cannot_say(tmp_path: Path) -> None:
    asked = structure_question(1, '(p- "won" "oscar")', "test")
    number = replace(structure_question(2, '(p- "won" "palme")', "test"), value=4, stated_value=4)
    made = export(write_structures(tmp_path / "w", [asked, number]), "rog", tmp_path / "a")
    assert made.left_out == {number.id: "it asks for a number; answers here are entities"}
    rows = {split: [row["id"] for row in read.parquet(made.folder, split)] for split in SPLITS}
    assert rows == {"train": [], "validation": [], "test": [asked.id]}


def test_no_two_exports_look_alike_to_a_cache(structures: Release, tmp_path: Path) -> None:
    heads = []
    for name, seed in (("a", 0), ("b", 1), ("c", 0)):
        folder = export(structures, "rog", tmp_path / name / "rog", seed=seed).folder
        heads.append((folder / "README.md").read_text())
    assert heads[0] == heads[2] != heads[1]


def test_row_groups_change_nothing(
    structures: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read.parquet(export(structures, "rog", tmp_path / "b").folder, "test")
    monkeypatch.setattr("rulemine.exports.formats.graph_per_question.TRIPLES_AT_ONCE", 50)
    folder = export(structures, "rog", tmp_path / "a").folder
    file = pq.ParquetFile(folder / "test.parquet")
    assert file.num_row_groups > 1
    assert read.parquet(folder, "test") == whole
    ids = [row["id"] for row in read.parquet(folder, "test")]
    assert all(a < b for a, b in pairwise(ids))
