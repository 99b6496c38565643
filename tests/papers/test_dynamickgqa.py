"""The tables of Dynamic-KGQA, with cells counted by hand."""

import json
from pathlib import Path

import pytest

from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.study.plan import StudyPlan
from rulemine.evaluation.study.run import StudyFolder
from rulemine.papers.dynamickgqa import DYNAMICKGQA
from rulemine.papers.material import read_material
from rulemine.papers.paper import make_tables
from rulemine.release.reader import Release
from rulemine.release.writer import write_release as write_parts
from tests import structures
from tests.evaluation.world import ANN, BOB, CID, EVE, write_release
from tests.variants import rows_of, variant_question, write_variants
from tests.written_releases import written_world


def made(*paths: Path) -> Document:
    return make_tables(DYNAMICKGQA, read_material(paths, resamples=20))


def rows(document: Document, id_: str) -> dict[object, tuple[object, ...]]:
    (table,) = (table for table in document.every_table() if table.id == id_)
    return {row[0]: row[1:] for row in table.rows}


def written(folder: Path) -> Release:
    """Two test questions of the kind variants, each judged by three."""
    folder.mkdir()
    write_parts(folder, written_world("variants"), "entity")
    return Release.open(folder)


def test_fields_and_topics_of_a_release(tmp_path: Path) -> None:
    judged = made(written(tmp_path / "judged").path)
    fields = rows(judged, "table-2")
    assert len(fields) == 1 + 33 + 1  # the questions, the fields of the paper, and one that is ours
    assert fields["questions"] == (2, None)
    assert fields["answer"][0] == 2
    assert fields["redundancy_flag_llm_judge3"] == (2, "False")
    # Of the reasons that the judges are given here, one is a text and three are empty.
    given = [name for name, row in fields.items() if "reasoning" in str(name) and row[0]]
    assert given == [f"logical_structure_reasoning_llm_judge{n}" for n in (1, 2, 3)]
    # One question is about lyon and one about film3.
    (figure,) = judged.figures
    assert (figure.id, figure.groups) == ("figure-4", ("films", "people"))
    assert [score and score.value for score in figure.series[0].scores] == [0.5, 0.5]
    (sizes,) = rows(judged, "table-1").values()
    assert (sizes[1], sizes[-2:]) == (2, ("yes", "yes"))
    assert [note for note in judged.notes if note.startswith(("Table 3", "Table 4"))] == [
        "Table 3 (hits of systems on data sets): needs a study, or predictions, of a release whose answers "
        "are entities.",
        "Table 4 (questions and topics of fresh runs, in pairs): needs two or more runs of one release: "
        "rulemine variants DIR --runs 3 -o OUT.",
    ]


def test_topics_of_other_kinds_are_those_of_types(tmp_path: Path) -> None:
    judged, plain = written(tmp_path / "judged").path, tmp_path / "plain"
    plain.mkdir()
    write_parts(plain, structures.world(), "entity")
    document = made(judged, plain)
    of_both = rows(document, "figure-4")
    asked = len(Release.open(plain).questions("test"))
    assert asked > 0
    assert sum(row[1][0] for row in of_both.values()) == pytest.approx(1)  # type: ignore[index]
    assert (of_both["films"][0], of_both["people"][0]) == ((0.5, None, None),) * 2
    assert f"{asked}." in document.figures[0].caption


def test_runs_in_pairs(tmp_path: Path) -> None:
    seeds = rows_of({"t1": [ANN, BOB], "t2": [ANN, BOB], "t3": [ANN, BOB]})
    one = [
        variant_question(1, "t1", ANN, "mother", CID),
        variant_question(2, "t2", ANN, "mother", EVE),
        variant_question(3, "t3", BOB, "father", CID),
    ]
    other = [
        variant_question(1, "t1", ANN, "mother", CID),  # identical
        variant_question(2, "t2", ANN, "mother", EVE, text="Whose child is {topic}?"),
        variant_question(3, "t3", BOB, "father", EVE, topic="places"),  # unique
    ]
    paths = [
        write_variants(tmp_path / f"run-{n}", asked, seeds, n).path
        for n, asked in ((1, one), (2, other), (3, one))
    ]
    document = make_tables(DYNAMICKGQA, read_material(paths))
    pairs = rows(document, "table-4-pairs")
    assert [*pairs] == ["run-1 × run-2", "run-1 × run-3", "run-2 × run-3"]
    assert pairs["run-1 × run-2"][:2] == (3, 0)
    assert [str(cell) for cell in pairs["run-1 × run-2"][2:5]] == ["1 (33.3 %)"] * 3
    assert [str(cell) for cell in pairs["run-1 × run-3"][2:5]] == [
        "3 (100.0 %)", "0 (0.0 %)", "0 (0.0 %)",
    ]  # fmt: skip
    assert rows(document, "table-4-topics")["run-2"] == (3, 0, 3, 2, 1)


def test_hits_of_systems_by_data_set(tmp_path: Path) -> None:
    first = write_release(tmp_path / "first")
    given = [
        {"id": "q00001", "raw_output": "It is e00002."},  # Cid, one of two answers
        {"id": "q00002", "answers": ["e00001"]},  # Bob, not Ann; q00003 has no prediction
    ]
    header = {"run": {"release": first.identity, "system": "mine", "kg": "incomplete"}}
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in [header, *given]))
    second = tmp_path / "second"
    second.mkdir()
    write_parts(second, structures.world(), "private")
    plan = StudyPlan(
        release=str(second), systems=("lookup",), levels=(0, 100), split="all", resamples=20
    )
    study = StudyFolder(plan, tmp_path / "study")
    study.answer()
    hits = make_tables(
        DYNAMICKGQA, read_material([first.path, second, file, study.folder], resamples=20)
    )
    (table,) = (table for table in hits.tables if table.id == "table-3")
    assert table.header == ("system", first.name, Release.open(second).name)
    found = [(row[0], *(cell and cell[0] for cell in row[1:])) for row in table.rows]  # type: ignore[index]
    asked = Release.open(second).questions()
    stated = sum(bool(q.stated) for q in asked) / len(asked)
    assert 0 < stated < 1
    assert found == [
        ("on the graph complete",),
        ("lookup", None, 1.0),
        ("on the graph incomplete",),
        ("mine", 0.5, None),
        ("lookup", None, pytest.approx(stated)),
    ]
    assert f"{first.name} 2, {Release.open(second).name} 12" in table.notes[1]
