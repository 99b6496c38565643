"""What was given is told apart, made into what a paper shows, and never overwritten."""

from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.errors import ConfigError, InputError, OutputError
from rulemine.papers.material import Material, read_material
from rulemine.papers.paper import PAPERS, Paper, check_tables, make_tables
from rulemine.text.tables import Table, text_of

LISTED = """
title = "P"
version = "v1"
exhibits."Table 2" = { shows = "sizes", needs = "a release", header = ["a", "n"], published = [["z", 61.59]] }
exhibits."Figure 1" = { shows = "scores", needs = "a study" }
exhibits."Table 9" = { shows = "people", why = "Nobody was asked." }
"""


def two(material):
    table = Table("", "", ("a", "n"), (("x", 1),))
    return [table, Table("more", "More", ("a", "n"), (("y", 2),)), table, replace(table, rows=())]


def test_tables_have_the_numbers_of_the_paper_and_say_what_is_missing(monkeypatch, tmp_path):
    (tmp_path / "p.toml").write_text(LISTED)
    monkeypatch.setattr("rulemine.papers.paper.__file__", str(tmp_path / "paper.py"))
    paper = Paper("p", {"Table 2": two, "Figure 1": lambda material: []})
    found = make_tables(paper, Material())
    assert [(t.id, t.title.removeprefix("Table 2: ")) for t in found.tables] == [
        ("table-2", "sizes"), ("table-2-more", "More"), ("table-2-2", "sizes"),
        ("table-2-published", "as published"),
    ]  # fmt: skip
    assert "61.59" in text_of(found.tables[-1])
    assert found.notes == (
        "Figure 1 (scores): needs a study.",
        "Table 9 (people): not made. Nobody was asked.",
    )
    notes = make_tables(paper, Material(sheets=(Path("ann.tsv"),))).notes
    assert "Filled sheets were given" in notes[-1]
    with pytest.raises(ConfigError, match=r"nothing of p can be made.*needs a study"):
        make_tables(Paper("p", {"Figure 1": lambda material: []}), Material())


def test_every_exhibit_is_listed_and_made_or_says_why():
    page = Path("docs/papers.md").read_text()
    for name, *counts in (
        ("brink", 4, 5), ("synthkgqa", 9, 16), ("dynamickgqa", 4, 4), ("complexlogicalqa", 7, 4),
        ("cypherbench", 15, 6),
    ):  # fmt: skip
        listed, kinds = PAPERS.find(name).exhibits, zip(("Table", "Figure"), counts, strict=True)
        numbers = [f"{kind} {n + 1}" for kind, count in kinds for n in range(count)]
        assert [number for number in listed if not number.startswith("Section")] == numbers
        assert {n for n, exhibit in listed.items() if exhibit.needs} == {*PAPERS.find(name).makers}
        assert all(exhibit.needs or exhibit.why for exhibit in listed.values())
        section = page[page.index(f"<!-- tables-{name} -->") :].partition("\n## ")[0]
        assert [number for number in listed if f"| {number} |" not in section] == []


def test_a_folder_of_something_else_is_not_written(tmp_path):
    check_tables(tmp_path / "new", [])
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="did not write"):
        check_tables(tmp_path, [])
    (tmp_path / "report.json").write_text('{"facts": {"paper": "brink"}}')
    check_tables(tmp_path, [])


def test_a_study_needs_its_release_and_nothing_counts_twice(tmp_path):
    (tmp_path / "study.json").write_text('{"release": "abcdef"}')
    with pytest.raises(InputError, match="is a study of the release abcdef, which was not given"):
        read_material([tmp_path])
    with pytest.raises(InputError, match="was given twice"):
        read_material([tmp_path / "ann.tsv"] * 2)
