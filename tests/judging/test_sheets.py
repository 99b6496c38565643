"""Sheets that people filled in: how they are read, and the tables of them."""

import pytest

from rulemine.errors import InputError
from rulemine.judging.sheets import (
    FilledSheet,
    SheetVerdict,
    agreement_table,
    pass_table,
    read_sheet,
    read_sheets,
)

HEAD = "id\tstructure\tquestion\tfluency\tconsistency\tcomment\n"
ROW = "q1\t1p\t\t1\t1\t\n"
GOOD, BAD = (SheetVerdict("1p", fluency=yes, consistency=yes) for yes in (True, False))


def sheet(folder, text, name="ann.tsv"):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8", newline="")
    return path


def test_rows_without_a_verdict_are_left_out(tmp_path):
    rows = 'q1\t1p\t"Tis" who?\tPass\tno\t\nq2\t1p\tWho?\t\t\t\n\t\t\t\t\t\n'
    found = read_sheet(sheet(tmp_path, HEAD + rows))
    verdict = SheetVerdict("1p", fluency=True, consistency=False)
    assert (found.name, found.checked, found.empty) == ("ann", {"q1": verdict}, 1)


def test_a_comment_of_two_lines_as_a_spreadsheet_saves_it(tmp_path):
    rows = 'q1\t1p\t"(p ""x"")"\tTRUE\t1\t"one\ttwo\r\nthree"\r\nq2\t1p\tWho?\t0\tFALSE\t\r\n'
    found = read_sheet(sheet(tmp_path, "\ufeff" + HEAD.replace("\n", "\r\n") + rows))
    assert found.checked == {"q1": GOOD, "q2": BAD}


def test_what_is_no_verdict_is_named_with_its_line(tmp_path):
    for text, said in (
        (HEAD + "q1\t1p\tWho?\tpass\tmaybe\t\n", "line 2: consistency is 'maybe'"),
        (HEAD + "q1\t1p\tWho?\tpass\t\t\n", "line 2: consistency is ''"),
        (HEAD + ROW + ROW, "line 3: the id 'q1'"),
        ("id;structure\nq1;1p\n", "line 1: the column id is missing; found id;structure"),
        (HEAD, "holds no verdict"),
    ):
        with pytest.raises(InputError) as problem:
            read_sheet(sheet(tmp_path, text))
        assert f"{tmp_path}/ann.tsv" in str(problem.value)
        assert said in str(problem.value)


def test_sheets_are_of_one_release_and_have_a_question_in_common(tmp_path):
    ann = sheet(tmp_path, HEAD + ROW)
    for row in (ROW.replace("q1", "q2"), ROW.replace("1p", "2u")):
        with pytest.raises(InputError, match=r"no question was checked|q1 has the structure '2u'"):
            read_sheets([ann, sheet(tmp_path, HEAD + row, "bob.tsv")])


def test_sheets_of_one_name_are_told_apart_by_their_folders(tmp_path):
    paths = [sheet(tmp_path, HEAD + ROW, f"{person}/sheet.tsv") for person in ("ann", "bob")]
    assert [s.name for s in read_sheets(paths)] == [f"{tmp_path}/{p}/sheet" for p in ("ann", "bob")]


def test_agreement_is_over_what_all_checked_and_shares_are_of_verdicts():
    people = [
        FilledSheet("ann", {"q1": GOOD, "q2": GOOD, "q3": BAD}, 0),
        FilledSheet("bob", {"q1": GOOD, "q2": BAD}, 1),
    ]
    rows = agreement_table("t", "agreement", people, 0).rows
    aspects = ("fluency", "consistency", "both")
    assert [row[:4] for row in rows] == [("ann, bob", aspect, 2, 0.5) for aspect in aspects]
    passed = pass_table("t", "passed", people)
    assert passed.rows[-1] == ("all", 3, 5, 0.6, 0.6, 0.6)
    assert passed.notes[-1] == "Rows without a verdict are left out: 1."
