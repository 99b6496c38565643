"""The export for GNN-RAG, by a reader of our own, and joined with the export for RoG as it joins them."""

import json
from dataclasses import replace
from pathlib import Path

from rulemine.exports.exporting import export
from rulemine.release.reader import Release
from tests import each
from tests.evaluation.world import write_structures
from tests.exports.readers import rog
from tests.exports.readers.gnnrag import load, numbered, of_lstm, relation_words
from tests.structures import structure_question

SPLITS = {"train": "train", "validation": "dev", "test": "test"}


@each("options", ["", ":max_triples=9"])
def test_questions_and_graphs_are_those_of_rog(
    structures: Release, tmp_path: Path, options: str
) -> None:
    folder = export(structures, f"gnnrag{options}", tmp_path / "a").folder
    beside = export(structures, f"rog{options}", tmp_path / "b").folder
    label = json.loads((folder / "entities_names.json").read_text())
    assert len({*label.values()}) == len(label)  # it inverts them
    for split, name in SPLITS.items():
        rows = rog.parquet(beside, split)
        loaded = load(folder, name)
        assert [one.id for one in loaded] == [row["id"] for row in rows]
        for one, row in zip(loaded, rows, strict=True):
            assert [[label[h], r, label[t]] for h, r, t in one.edges] == row["graph"]
            assert {label[e] for e in one.seeds} == {*row["q_entity"]}
            assert [label[e] for e in one.answers] == row["answer"]
            ends = {e for h, _, t in one.edges for e in (h, t)}
            assert one.candidates | one.seeds == ends | one.seeds  # no answer beside the graph
    assert (folder / "reachability.jsonl").read_bytes() == (
        beside / "reachability.jsonl"
    ).read_bytes()


def test_every_word_has_a_number(structures: Release, tmp_path: Path) -> None:
    folder = export(structures, "gnnrag", tmp_path / "a").folder
    vocabulary = numbered(folder, "vocab.txt")
    for name in SPLITS.values():
        for line, one in zip((folder / f"{name}.json").open(), load(folder, name), strict=True):
            text = json.loads(line)["question"]
            assert len(one.words) == len(of_lstm(text)) > 1
    said = relation_words(folder)
    assert ["UNK"] not in said
    assert {word for words in said for word in words} <= vocabulary.keys()


def test_without_answers(structures: Release, tmp_path: Path) -> None:
    folder = export(
        structures, "gnnrag:word_vectors=0", tmp_path / "a", without_answers=True
    ).folder
    full = export(structures, "gnnrag", tmp_path / "b").folder
    rows = [json.loads(line) for line in (folder / "test.json").open()]
    assert rows == [json.loads(line) | {"answers": []} for line in (full / "test.json").open()]
    assert {path.name for path in folder.iterdir()} == {
        "entities.txt", "entities_names.json", "export.json", "labels_map.tsv", "relations.txt",
        "relations_map.tsv", "test.json", "vocab.txt",
    }  # fmt: skip


def test_numbers_are_no_answers(tmp_path: Path) -> None:
    number = replace(structure_question(2, '(p- "won" "palme")', "test"), value=4, stated_value=4)
    made = export(write_structures(tmp_path / "w", [number]), "gnnrag", tmp_path / "a")
    assert list(made.left_out) == [number.id]
    assert [load(made.folder, name) for name in SPLITS.values()] == [[], [], []]
