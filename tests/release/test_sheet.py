"""The files that only releases of the kind ``structures`` have: types and the sheet for checking by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.query.structures import STRUCTURES
from rulemine.release.contents import read_parts
from rulemine.release.reader import Release
from rulemine.release.sheet import SHEET_COLUMNS, sheet_rows, sheet_text
from rulemine.release.writer import write_release
from tests.structures import ASKED, TYPES, structure_question, world


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_release(tmp_path, world(), "entity")
    return tmp_path


def test_types_are_read_as_they_were_written(folder: Path) -> None:
    assert Release.open(folder).types() == TYPES
    assert (folder / "types.tsv").read_text().startswith("entity\ttype\nann\tperson\nbob\tperson\n")
    parts = read_parts(Release.open(folder))
    assert parts.kind == "structures"
    assert (parts.types, parts.questions) == (TYPES, world().questions)


def test_the_sheet_has_a_row_for_each_question_and_no_verdict(folder: Path) -> None:
    header, *rows = [line.split("\t") for line in (folder / "sheet.tsv").read_text().splitlines()]
    assert header == list(SHEET_COLUMNS)
    assert len(rows) == len(ASKED)
    assert rows[3] == [
        "q00003", "2p", world().questions[3].question, '(p "citizen_of" (p- "wrote" "film1"))',
        "(ann, citizen_of, france); (ann, wrote, film1)", "france", "", "", "",
    ]  # fmt: skip


def test_a_sample_of_each_structure_by_the_seed_alone() -> None:
    questions = [structure_question(n, ASKED[n % 2][1], "test") for n in range(60)]
    questions += [structure_question(n, ASKED[3][1], "test") for n in range(60, 75)]
    parts = world(questions=tuple(questions))
    rows = list(sheet_rows(parts))
    assert [row[1] for row in rows] == ["1p"] * 10 + ["2p"] * 10
    assert [row[0] for row in rows] == [*sorted(row[0] for row in rows)]
    assert list(sheet_rows(replace(parts, questions=parts.questions[::-1]))) == rows
    assert list(sheet_rows(replace(parts, config=parts.config | {"seed": 8}))) != rows


def test_a_sheet_of_any_size(folder: Path) -> None:
    release = Release.open(folder)
    one, two, all_of_them = (
        {line.split("\t")[0] for line in sheet_text(release, number).splitlines()[1:]}
        for number in (1, 2, 100)
    )
    assert len(one) == len(STRUCTURES)
    assert one < two < all_of_them
    assert sheet_text(release, 100) == (folder / "sheet.tsv").read_text()
