"""Exports for Think-on-Graph and Plan-on-Graph, read as they read them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.errors import ConfigError
from rulemine.exports.exporting import export
from rulemine.release.reader import Release
from tests.evaluation.world import QUESTIONS, write_release, write_structures
from tests.exports.readers.tog import plan_on_graph, think_on_graph
from tests.structures import structure_question


def test_both_systems_find_topics_and_gold_in_both_formats(
    structures: Release, tmp_path: Path
) -> None:
    folder = export(structures, "tog:model=gpt-4", tmp_path / "a").folder
    private = {e.entity: f"m.{e.private}" for e in structures.entities}
    test = structures.questions("test")
    assert len({len(q.anchors) for q in test}) > 1
    for data in ("cwq", "webqsp"):
        memory = tmp_path / f"mem-{data}"
        for asked in (
            think_on_graph(folder, data),
            plan_on_graph(folder, data, "gpt-4", memory),
        ):
            assert [row.text for row in asked] == [q.question for q in test]
            assert [row.topics for row in asked] == [
                {private[name]: name for name in q.anchors} for q in test
            ]
            assert [row.gold for row in asked] == [set(q.answers) for q in test]


def test_another_split_and_no_answers_without_it(structures: Release, tmp_path: Path) -> None:
    made = export(structures, "tog:split=train", tmp_path / "a")
    assert made.questions == len(structures.questions("train"))
    with pytest.raises(ConfigError, match="writes the split train; without answers there is"):
        export(structures, "tog:split=train", tmp_path / "b", without_answers=True)


def test_the_gold_of_a_count_is_its_number(tmp_path: Path) -> None:
    asked = replace(structure_question(1, '(p- "won" "oscar")', "test"), value=3, stated_value=2)
    folder = export(write_structures(tmp_path / "w", [asked]), "tog", tmp_path / "a").folder
    for data in ("cwq", "webqsp"):
        assert [row.gold for row in think_on_graph(folder, data)] == [{"3"}]


def test_texts_are_unique_and_fit_a_file_name(tmp_path: Path) -> None:
    same = [replace(q, question="Who is it?") for q in QUESTIONS[:2]]
    long = replace(QUESTIONS[2], question="Ü" * 128)
    fits = replace(QUESTIONS[2], id="q00009", question="Ü" * 127 + "?")
    made = export(write_release(tmp_path / "r", [*same, long, fits]), "tog", tmp_path / "a")
    assert list(made.left_out) == [long.id]
    assert made.counts["texts_made_unique"] == 2
    asked = plan_on_graph(made.folder, "cwq", "gpt-3.5-turbo", tmp_path / "mem")
    assert [row.text for row in asked] == [
        f"Who is it? ({same[0].id})",
        f"Who is it? ({same[1].id})",
        fits.question,
    ]
    assert asked[0].gold != asked[1].gold


def test_without_answers_nothing_tells_them(structures: Release, tmp_path: Path) -> None:
    folder = export(structures, "tog", tmp_path / "a", without_answers=True).folder
    told = [q for q in structures.questions("test") if {*q.answers} - {*q.anchors}]
    assert told
    for file in ("cwq.json", "PoG/cwq.json", "WebQSP.json"):
        rows = json.loads((folder / file).read_text())
        assert len(rows) == len(structures.questions("test"))
        assert not any(row.get("answer") or row.get("compositionality_type") for row in rows)
        assert all(parse["Answers"] == [] for row in rows for parse in row.get("Parses", ()))
    names = json.loads((folder / "cope_alias/cwq_aname_dict.json").read_text())
    assert set(map(len, names.values())) == {0}
    assert (folder / "cope_alias/WQSP_aliase_data.json").read_text() == "{}\n"


def test_the_model_must_be_a_file_name(structures: Release, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="becomes part of a file's name"):
        export(structures, "tog:model=org/gpt", tmp_path / "a")
