"""The tables of ComplexLogicalQA, from a small world with one question or two of each structure."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest

from rulemine.errors import InputError
from rulemine.evaluation.study.plan import StudyPlan
from rulemine.evaluation.study.run import StudyFolder
from rulemine.papers.complexlogicalqa import COMPLEXLOGICALQA, _shares
from rulemine.papers.material import read_material
from rulemine.papers.paper import make_tables
from rulemine.query.structures import STRUCTURES
from rulemine.release.writer import write_release
from rulemine.text.tables import Table
from tests.structures import structure_question, world

Floats = npt.NDArray[np.float64]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "world"
    place.mkdir()
    write_release(place, world(), "entity")
    return place


def tables(*paths: Path, split: str | None = "test") -> dict[str, Table]:
    material = read_material(paths, split=split, resamples=20)
    made = make_tables(COMPLEXLOGICALQA, material)
    return {table.id: table for table in made.every_table()}


def predicted(tmp_path: Path) -> Path:
    """Of the test split, one question is half answered and the others are not."""
    path = tmp_path / "half.jsonl"
    row = {
        "id": "q00006",  # of ann and bob, who are citizens of France and have won the Oscar
        "answers": ["ann"],
        "retrieved": [["ann", "won", "oscar"], ["bob", "won", "palme"], ["cat", "won", "palme"]],
    }
    path.write_text(json.dumps(row) + "\n")
    return path


def test_anchors_of_unions_are_compared_with_random_pairs(folder: Path) -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> Floats:
        asked.extend(texts)
        return np.array([[3.0, 4.0], [8.0, 6.0]])  # a cosine of 0.6 · 0.8 + 0.8 · 0.6

    material = replace(read_material([folder]), embed=embed)
    table = make_tables(COMPLEXLOGICALQA, material).tables[-2]
    assert table.title == "Section 5.4: cosine of the anchors, world"
    assert asked == ["France", "Italy"]
    near = pytest.approx(0.96)
    assert table.rows == (("2u", 1, near), ("up", 1, near), ("random pairs", 2, near))


def test_definitions_are_of_the_structures_that_they_name(folder: Path) -> None:
    rows = tables(folder)["table-1"].rows
    assert [row[0] for row in rows] == [*STRUCTURES]
    assert [row[2] for row in rows] == [*STRUCTURES.values()]
    assert [row[4] for row in rows] == [1, 2, 3, 2, 3, 3, 3, 2, 3]


def test_shares_are_per_1000_of_all_splits_beside_those_published(folder: Path) -> None:
    table = tables(folder)["table-2"]
    assert tables(folder)["table-2-published"].rows[1][1:4] == (55, 504, 201)
    # 12 questions: three of 1p (a symmetric relation is one link), two of 3p, one of each other.
    named, row = dict.fromkeys(STRUCTURES, 1) | {"1p": 3, "3p": 2}, table.rows[0]
    assert row[:2] == ("world", 12)
    assert row[2:11] == tuple(pytest.approx(1000 * n / 12) for n in named.values())
    assert row[11:] == (0.0, 0)


def test_questions_without_a_query_are_counted_apart() -> None:
    asked = [structure_question(n, '(p "born_in" "cat")') for n in range(3)]
    release = SimpleNamespace(
        path="r", questions=lambda: [*asked[:2], replace(asked[2], structure="")]
    )
    (table,) = _shares(SimpleNamespace(releases=[release], names={"r": "r"}))  # type: ignore[arg-type]
    row = dict(zip(table.header, table.rows[-1], strict=True))
    assert (row["questions"], row["1p"], row["other"], row["no query"]) == (2, 1000, 0, 1)


def test_statistics_are_those_of_the_release(folder: Path) -> None:
    rows = {row[0]: row for row in tables(folder)["table-3"].rows}
    # ann, bob: 2 answers; france, oscar, ann, bob in 4 triples.
    assert (rows["2i"][1], *rows["2i"][3:]) == (1, 2.0, 4.0, 4)
    assert rows["all"][1] == 12


def test_scores_by_structure_and_their_plain_mean(tmp_path: Path, folder: Path) -> None:
    found = tables(folder, predicted(tmp_path))
    assert found["table-4-f1"].header == (
        "system", "graph", "2i", "3i", "ip", "pi", "2u", "up", "mean of structures",
    )  # fmt: skip
    assert found["table-4-f1"].notes[0].startswith("Questions: 2i 1†, 3i 1†")
    (first,) = found["table-4-hits-at-1"].rows
    (f1,) = found["table-4-f1"].rows
    assert first[:2] == ("half", "incomplete")
    assert [value[0] for value in first[2:]] == [1, 0, 0, 0, 0, 0, pytest.approx(1 / 6)]
    assert [value[0] for value in f1[2:]] == [
        pytest.approx(2 / 3), 0, 0, 0, 0, 0, pytest.approx(1 / 9),
    ]  # fmt: skip


def test_a_figure_of_what_was_retrieved_by_structure(tmp_path: Path, folder: Path) -> None:
    found = tables(folder, predicted(tmp_path))
    precision = found["figure-3-2"]
    assert precision.header == ("structure", "half, incomplete")
    assert (precision.rows[0][0], precision.rows[0][1][0]) == ("2i (1†)", pytest.approx(1 / 3))
    assert found["figure-3"].rows[0][1][0] == 1 / 2  # of what is stated
    assert "figure-3" not in tables(folder)


def test_cases_show_what_was_retrieved_and_said(tmp_path: Path, folder: Path) -> None:
    gold, half = tables(folder, predicted(tmp_path))["table-5-pi"].rows
    assert gold[0] == "gold"
    assert (half[:3], half[3]) == (("half", "incomplete", ""), None)
    samples = tables(folder)["table-7"].rows
    assert [row[0] for row in samples] == ["2i", "3i", "ip", "pi", "2u", "up"]
    assert samples[0][2:] == ("★ Ann, Bob", samples[0][3])
    assert "Ann" in samples[0][3]


def test_sheets_of_three_people(tmp_path: Path, folder: Path) -> None:
    head = "id\tstructure\tfluency\tconsistency\r\n"
    said = {  # by question: fluency and consistency of each person
        "q00000\t1p": ("pass pass", "PASS Yes", "1 1"),
        "q00003\t2p": ("pass fail", "pass pass", "1 0"),
        "q00011\tup": ("fail fail", "no NO", "0 1"),
    }
    paths = []
    for person in range(3):
        rows = "".join(f"{q}\t{v[person].replace(' ', chr(9))}\r\n" for q, v in said.items())
        paths.append(tmp_path / f"person{person}.tsv")
        paths[-1].write_text(("\ufeff" if person else "") + head + rows, "utf-8", newline="")
    found = tables(folder, *paths)
    assert found["table-6-passed"].rows == (
        ("1p–3p", 2, 6, 1.0, pytest.approx(4 / 6), pytest.approx(4 / 6)),
        ("2u up", 1, 3, 0.0, pytest.approx(1 / 3), 0.0),
        ("all", 3, 9, pytest.approx(6 / 9), pytest.approx(5 / 9), pytest.approx(4 / 9)),
    )
    rows = {row[:2]: row[2:] for row in found["table-6-agreement"].rows}
    assert rows["all", "fluency"][:2] == (3, 1.0)
    assert rows["all", "fluency"][2][0] == 1.0
    # Pairs that agree: 3 of 3, 1 of 3, 1 of 3. By chance (5/9)² + (4/9)² = 41/81.
    assert rows["all", "consistency"][1] == pytest.approx(5 / 9)
    assert rows["all", "consistency"][2][0] == pytest.approx((5 / 9 - 41 / 81) / (1 - 41 / 81))
    assert rows["person0, person2", "consistency"][1] == pytest.approx(2 / 3)


@pytest.mark.parametrize("row", ["q00006\t1p", "q99999\t2i"])
def test_a_sheet_of_another_release_is_refused(tmp_path: Path, folder: Path, row: str) -> None:
    sheet = tmp_path / "ann.tsv"
    sheet.write_text(f"id\tstructure\tfluency\tconsistency\n{row}\t1\t1\n")
    with pytest.raises(InputError, match="those of none of the releases"):
        tables(folder, sheet)
    assert "table-6-passed" in tables(sheet)
    sheet.write_text(sheet.read_text().replace("2i", "(n)-(m0)").replace("1p", "(n)"))
    with pytest.raises(InputError, match="none of its questions has one of the structures 1p, 2p"):
        tables(sheet)


def test_systems_asked_different_questions_are_not_side_by_side(
    tmp_path: Path, folder: Path
) -> None:
    plan = StudyPlan(release=str(folder), systems=("lookup",), split="all", resamples=5)
    StudyFolder(plan, tmp_path / "study").answer()
    with pytest.raises(InputError, match=r"12 questions \(all\), 6 questions \(test\)"):
        tables(folder, tmp_path / "study", predicted(tmp_path))
