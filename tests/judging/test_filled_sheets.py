from pathlib import Path

import pytest

from rulemine.errors import InputError
from rulemine.judging.sheets import SheetVerdict, read_sheet, read_sheets

HEAD = "id\tstructure\tquestion\tfluency\tconsistency\tcomment\n"


def sheet(folder: Path, text: str, name: str = "ann.tsv") -> Path:
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    return path


def test_rows_without_a_verdict_are_left_out(tmp_path: Path) -> None:
    rows = 'q1\t1p\t"Tis" who?\tPass\tno\t\nq2\t1p\tWho?\t\t\t\n\t\t\t\t\t\n'
    found = read_sheet(sheet(tmp_path, HEAD + rows))
    assert (found.name, found.checked, found.empty) == (
        "ann", {"q1": SheetVerdict("1p", fluency=True, consistency=False)}, 1,
    )  # fmt: skip


def test_a_comment_of_two_lines_as_a_spreadsheet_saves_it(tmp_path: Path) -> None:
    rows = 'q1\t1p\t"(p ""x"")"\tTRUE\t1\t"one\ttwo\r\nthree"\r\nq2\t2u\tWho?\t0\tFALSE\t\r\n'
    found = read_sheet(sheet(tmp_path, "\ufeff" + HEAD.replace("\n", "\r\n") + rows))
    assert found.checked == {
        "q1": SheetVerdict("1p", fluency=True, consistency=True),
        "q2": SheetVerdict("2u", fluency=False, consistency=False),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "q1\t1p\tWho?\tpass\tmaybe\t\n", "line 2: consistency is 'maybe'"),
        (HEAD + "q1\t1p\tWho?\tpass\t\t\n", "line 2: consistency is ''"),
        (HEAD + "q1\t1p\t\t1\t1\t\nq1\t1p\t\t1\t1\t\n", "line 3: the id 'q1'"),
        ("id;structure\nq1;1p\n", "line 1: the column id is missing; found id;structure"),
        (HEAD, "holds no verdict"),
    ],
)
def test_what_is_no_verdict_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as problem:
        read_sheet(sheet(tmp_path, text))
    assert f"{tmp_path}/ann.tsv" in str(problem.value)
    assert said in str(problem.value)


def test_people_need_a_question_in_common(tmp_path: Path) -> None:
    ann = sheet(tmp_path, HEAD + "q1\t1p\t\t1\t1\t\n")
    bob = sheet(tmp_path, HEAD + "q2\t1p\t\t1\t1\t\n", "bob.tsv")
    with pytest.raises(InputError, match="no question was checked in all"):
        read_sheets([ann, bob])


def test_sheets_of_two_releases_are_refused(tmp_path: Path) -> None:
    ann = sheet(tmp_path, HEAD + "q1\t1p\t\t1\t1\t\n")
    bob = sheet(tmp_path, HEAD + "q1\t2u\t\t1\t1\t\n", "bob.tsv")
    with pytest.raises(InputError, match="q1 has the structure '2u', in another sheet '1p'"):
        read_sheets([ann, bob])


def test_sheets_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    paths = []
    for person in ("ann", "bob"):
        (tmp_path / person).mkdir()
        paths.append(sheet(tmp_path / person, HEAD + "q1\t1p\t\t1\t1\t\n", "sheet.tsv"))
    assert [s.name for s in read_sheets(paths)] == [f"{tmp_path}/{p}/sheet" for p in ("ann", "bob")]
