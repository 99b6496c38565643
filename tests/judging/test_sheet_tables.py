"""The tables of sheets that people filled in."""

from rulemine.judging.sheets import FilledSheet, SheetVerdict, agreement_table, pass_table

GOOD, BAD = (SheetVerdict("1p", fluency=yes, consistency=yes) for yes in (True, False))
ANN = FilledSheet("ann", {"q1": GOOD, "q2": GOOD, "q3": BAD}, 0)
BOB = FilledSheet("bob", {"q1": GOOD, "q2": BAD}, 1)


def test_agreement_is_over_the_questions_that_all_of_them_checked() -> None:
    rows = agreement_table("t", "agreement", [ANN, BOB], 0).rows
    assert [row[:4] for row in rows] == [
        ("ann, bob", aspect, 2, 0.5) for aspect in ("fluency", "consistency", "both")
    ]


def test_shares_are_of_verdicts_and_rows_without_one_are_left_out() -> None:
    table = pass_table("t", "passed", [ANN, BOB])
    assert table.rows[-1] == ("all", 3, 5, 0.6, 0.6, 0.6)
    assert table.notes[-1] == "Rows without a verdict are left out: 1."
