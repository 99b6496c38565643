"""The tables of BRINK, on two small families counted by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.predictions import write_predictions
from rulemine.evaluation.study.plan import StudyPlan
from rulemine.evaluation.study.run import StudyFolder
from rulemine.papers.brink import BRINK
from rulemine.papers.material import Material
from rulemine.papers.paper import make_tables
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from tests.release.test_show import release

RETRIEVED = {
    "q00000": Prediction(
        "q00000", answers=("dan",), retrieved=(("ann", "sister", "bea"), ("bea", "parent", "cy"))
    ),  # the whole proof, and another answer
    "q00001": Prediction("q00001", sparql="SELECT ?x { ?x relation:aunt entity:al }", retrieved=()),
    "q00002": Prediction("q00002", answers=("al",), retrieved=(("ann", "lives_with", "al"),)),
}


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    folder = tmp_path_factory.mktemp("brink")
    studies = []
    for name in ("first", "second"):
        path = release(folder / name, "entity", config={"name": name})
        plan = StudyPlan(
            release=str(path), systems=("lookup", "prior:k=5"), names=("lookup", "mine"), levels=(0, 100),
            split="all", resamples=5, namings=("entity", "text"),
        )  # fmt: skip
        study = StudyFolder(plan, folder / f"study-{name}")
        study.answer()
        studies.append(study)
    (run,) = (r for r in studies[0].runs if r[:3] == ("prior:k=5", 100, "entity"))
    write_predictions(studies[0].file(run), RETRIEVED.values())
    return Material(tuple(study.release for study in studies), tuple(studies), split=None)


def test_the_tables_of_releases_and_studies(material: Material) -> None:
    made = make_tables(BRINK, material)
    assert [note for note in made.notes if "needs" in note or "not made" in note] == []
    grids = {table.id: table for table in made.tables}
    assert grids["table-1"].header == ("rule type", "first", "second")
    rules = {row[0].partition(":")[0]: row[1:] for row in grids["table-1"].rows}
    assert rules == {
        "symmetry": (0, 0), "inversion": (1, 1), "hierarchy": (1, 1), "composition": (1, 1),
        "other": (0, 0), "all": (3, 3),
    }  # fmt: skip
    assert grids["table-2"].rows[0][2:] == (
        "Ann",
        "★ Cy, Dan",
        "The relation “aunt” leads from Ann to Cy",
        "The relation “sister” leads from Ann to Bea; The relation “parent” leads from Bea to Cy.",
    )
    assert grids["table-3"].rows[:2] == (
        ("first, complete", 11, 2, 0, 1, 3),
        ("first, incomplete", 7, 2, 0, 1, 3),
    )
    assert grids["table-4-counts"].rows == (("first", "mine", 3, 2, 1, 1),)
    failed = [row[2:] for row in grids["table-4-examples"].rows]
    assert [row[0] for row in failed] == ["not retrieved", "not reasoned"]
    assert failed[0][4] == RETRIEVED["q00001"].sparql
    assert failed[1][4:] == (
        "Dan",
        "The relation “sister” leads from Ann to Bea; The relation “parent” leads from Bea to Cy",
    )


def test_hhr_by_rule_type_has_both_graphs_of_both_data_sets(material: Material) -> None:
    made = make_tables(BRINK, material)
    lookup, mine, *_ = (figure for figure in made.figures if figure.id.startswith("figure-3"))
    assert lookup.title == "Figure 3: HHR by rule type, lookup, first"
    assert lookup.groups == ("inversion (1†)", "hierarchy (1†)", "composition (1†)")
    assert [series.name for series in lookup.series] == ["complete", "incomplete"]
    values = [[score.value for score in series.scores] for series in lookup.series]
    assert values[:2] == [[1, 1, 1], [None, None, 0]]  # only Dan is stated
    assert [score.value for score in mine.series[1].scores] == [None, 1, 0]
    given = "mine: given the training and validation questions with their answers, which were asked too."
    assert given in made.notes
    assert len({figure.id for figure in made.figures}) == len(made.figures) == 4 + 2 + 4 + 2 + 4


def test_failures_of_predictions_are_counted_too(material: Material, tmp_path: Path) -> None:
    write_predictions(tmp_path / "mine.jsonl", RETRIEVED.values())
    given = (material.releases[0], tmp_path / "mine.jsonl")
    made = make_tables(BRINK, Material(material.releases, (), (given,), split=None, resamples=5))
    grid = next(table for table in made.tables if table.id == "table-4-counts")
    assert grid.rows == (("first", "mine", 3, 2, 1, 1),)


def test_what_is_missing_is_said(material: Material) -> None:
    alone = make_tables(BRINK, Material(material.releases, split=None))
    ids = [table.id for table in alone.tables]
    assert ids == ["table-1", "table-1-published", "table-2", "table-3", "table-3-published"]
    assert len([note for note in alone.notes if "needs" in note]) == 6
    with pytest.raises(ConfigError, match="needs a release of the kind rules"):
        make_tables(BRINK, Material())


def test_two_releases_of_one_name_are_told_apart(tmp_path: Path, material: Material) -> None:
    again = Release.open(release(tmp_path / "again", "text", config={"name": "first"}))
    made = make_tables(BRINK, Material((material.releases[0], again), split=None))
    assert made.tables[0].header == ("rule type", "first", "again")


def test_a_split_without_questions_has_no_example(material: Material) -> None:
    made = make_tables(BRINK, replace(material, split="validation"))
    lacking = "needs a release of the kind rules, with questions of the split."
    assert f"Table 2 (an example of each data set): {lacking}" in made.notes
    assert "(all)" in made.facts["studies"]
