"""Tables in every format, by hand."""

import re

import pytest

from rulemine.errors import ConfigError
from rulemine.text.tables import (
    Cell,
    Table,
    csv_of,
    few_notes,
    fitted,
    latex_of,
    markdown_of,
    marked,
    one_decimal,
    p_value,
    percent,
    plain_of,
    points,
    text_of,
)

NONE = (None, None, None)
TABLE = Table(
    "t", "Hard F1 & more", ("system", "n", "F1", "triples", "p", "said"), (("the core",),
    ("a|b_50%", 1200, (0.5, 0.25, 0.75), (3.25, None, None), 0.0004, Cell("12", "4.0 %")), ("all questions",),
    ("<c>", 7, NONE, None, None, "=1")), notes=("A note.",), show={"triples": one_decimal, "p": p_value}
)  # fmt: skip
"""A value of each type, under headings."""


def test_fewer_than_twenty_questions_are_marked():
    assert [marked(n) for n in (0, 1, 19, 20)] == ["0", "1†", "19†", "20"]
    assert few_notes([20, 0]) == []
    assert len(few_notes([20, 19])) == 1


def test_terminal():
    assert (
        text_of(TABLE)
        == """\
Hard F1 & more

system         n         F1  triples       p   said

the core
  a|b_50%  1,200       50.0      3.2  <0.001     12
                  25.0–75.0                   4.0 %

all questions
  <c>         7†          –        –       –     =1

A note.
† Fewer than 20 questions: such a score says little.
"""
    )


def test_markdown():
    assert (
        markdown_of(TABLE, notes=["Another *note*."])
        == """\
Hard F1 & more

| system | n | F1 | triples | p | said |
|---|---:|---:|---:|---:|---:|
| **the core** |  |  |  |  |  |
| a\\|b_50% | 1,200 | 50.0 (25.0–75.0) | 3.2 | <0.001 | 12 (4.0 %) |
| **all questions** |  |  |  |  |  |
| \\<c\\> | 7† | – | – | – | =1 |

- Another \\*note\\*.
"""
    )


def test_latex():
    latex = latex_of(TABLE)
    assert r"\caption{Hard F1 \& more}" in latex
    assert r"\begin{tabular}{lrrrrl}" in latex
    assert r"\multicolumn{6}{l}{\textbf{the core}} \\" in latex
    assert (
        r"a\textbar{}b\_50\% & 1,200 & \scored{50.0}{25.0}{75.0} & 3.2 & \textless{}0.001 &" in latex
    )  # fmt: skip
    assert r"\textless{}c\textgreater{} & 7\textdagger{} & -- & -- & -- & =1 \\" in latex


def test_csv_has_every_digit_and_bounds_beside_estimates():
    assert csv_of(TABLE, joint="_") == (
        "system,n,F1,F1_low,F1_high,triples,triples_low,triples_high,p,said\n" "the core,,,,,,,,,\n"
        "a|b_50%,1200,0.5,0.25,0.75,3.25,,,0.0004,12 (4.0 %)\n" "all questions,,,,,,,,,\n"
        "<c>,7,,,,,,,,'=1\n"
    )  # fmt: skip


def test_json_has_every_digit_and_null():
    assert plain_of(TABLE)["rows"] == [
        ["the core"], [*("a|b_50%", 1200, {"value": 0.5, "low": 0.25, "high": 0.75}),
        *({"value": 3.25, "low": None, "high": None}, 0.0004, ("12", "4.0 %"))], ["all questions"],
        ["<c>", 7, {"value": None, "low": None, "high": None}, None, None, "=1"]
    ]  # fmt: skip


def test_differences_have_signs():
    rows = (("all", (0.1, -0.2, 0.3)), ("core", (-0.0001, None, None)))
    table = Table("d", "D", ("g", "F1"), rows, show={"F1": points})
    assert "| all | +10.0 (-20.0 … +30.0) |\n| core | +0.0 |" in markdown_of(table)
    assert r"\scored{+10.0}{$-$20.0}{+30.0}" in latex_of(table)


def test_a_table_fits_the_terminal_and_loses_nothing():
    header = ("system", "n", *(f"score {i}" for i in range(12)))
    rows = (
        ("by",), ("lookup", *(Cell(f"{i}", f"0–{i}" if i > 8 else "") for i in range(13))),
        ("command: python3 a_very_long_name.py", *(f"{i}" * 3 for i in range(13)))
    )  # fmt: skip
    title = "A title that is longer than the terminal is wide"
    table = Table("t", title, header, rows, ("word " * 30,))
    whole = text_of(table)
    with fitted(40):
        shown = text_of(table)
    assert max(map(len, shown.splitlines())) <= 40 < max(map(len, whole.splitlines()))
    assert set(shown.split()) == set(whole.split())
    assert shown.count("lookup") == 4  # once for each block of columns
    assert text_of(table) == whole


def test_a_row_of_another_length_is_refused():
    for row in (("x", 1, 2), (1,), ()):
        with pytest.raises(ConfigError, match=rf"has {len(row)} values; 2 were expected"):
            Table("g", "G", ("a", "b"), (row,))


def test_percentages_have_one_decimal():
    assert re.findall(r"[\d.]+", " ".join(map(percent, (0.0, -0.0, 0.12345, 1.0)))) == [
        *("0.0", "0.0", "12.3", "100.0"),
    ]
