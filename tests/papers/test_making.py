"""What was given is told apart, made into what a paper shows, and never overwritten."""

from pathlib import Path

import pytest

from rulemine.errors import ConfigError, InputError, OutputError
from rulemine.papers.making import check_tables, make_tables
from rulemine.papers.material import Material, read_material
from rulemine.papers.paper import Exhibit, LackingError, Made, Paper
from rulemine.text.tables import Table


def lacking(_: Material) -> Made:
    raise LackingError("a study")


def made(_: Material) -> Made:
    return [Table("", "", ("a", "n"), (("x", 1),)), Table("more", "More", ("a", "n"), (("y", 2),))]


def test_tables_have_the_numbers_of_the_paper_and_say_what_is_missing() -> None:
    exhibits = (
        Exhibit("Table 2", "sizes", made),
        Exhibit("Figure 1", "scores", lacking),
        Exhibit("Table 9", "people", why="Nobody was asked."),
    )
    found = make_tables(Paper("p", "P", "v1", exhibits), Material())
    assert [(t.id, t.title) for t in found.tables] == [
        ("table-2", "Table 2: sizes"),
        ("table-2-more", "Table 2: More"),
    ]
    assert found.notes == (
        "Figure 1 (scores): needs a study.",
        "Table 9 (people): not made. Nobody was asked.",
    )
    with pytest.raises(ConfigError, match=r"nothing of p can be made.*needs a study"):
        make_tables(Paper("p", "P", "v1", exhibits[1:]), Material())


def test_a_folder_of_something_else_is_not_written(tmp_path: Path) -> None:
    check_tables(tmp_path / "new", [])
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="did not write"):
        check_tables(tmp_path / "old", [])
    (tmp_path / "old" / "report.json").write_text('{"facts": {"paper": "brink"}}')
    check_tables(tmp_path / "old", [])


def test_a_study_needs_its_release(tmp_path: Path) -> None:
    (tmp_path / "study.json").write_text('{"release": "abcdef"}')
    with pytest.raises(InputError, match="is a study of the release abcdef, which was not given"):
        read_material([tmp_path])


def test_nothing_counts_twice(tmp_path: Path) -> None:
    sheet = tmp_path / "ann.tsv"
    with pytest.raises(InputError, match="was given twice"):
        read_material([sheet, sheet])
