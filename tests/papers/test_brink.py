"""The tables of BRINK, on two small families counted by hand."""

from dataclasses import replace

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.predictions import write_predictions
from rulemine.papers.brink import BRINK
from rulemine.papers.material import Material
from rulemine.papers.paper import make_tables
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from tests.papers.conftest import study, table
from tests.release.test_show import release

PROOF = (("ann", "sister", "bea"), ("bea", "parent", "cy"))
RETRIEVED = [
    Prediction("q00000", answers=("dan",), retrieved=PROOF),  # the whole proof, and another answer
    Prediction("q00001", sparql="SELECT ?x { ?x relation:aunt entity:al }", retrieved=()),
    Prediction("q00002", answers=("al",), retrieved=(("ann", "lives_with", "al"),)),
]


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    folder, studies = tmp_path_factory.mktemp("brink"), []
    for name in ("first", "second"):
        path = release(folder / name, "entity", config={"name": name})
        plan = {"names": ("lookup", "mine"), "levels": (0, 100), "namings": ("entity", "text")}
        place = folder / f"study-{name}"
        studies.append(study(place, path, "lookup", "prior:k=5", split="all", **plan))
    (run,) = (r for r in studies[0].runs if r[:3] == ("prior:k=5", 100, "entity"))
    write_predictions(studies[0].file(run), RETRIEVED)
    return Material(tuple(study.release for study in studies), tuple(studies), split=None)


def test_the_tables_of_releases_and_studies(material, tmp_path):
    made = make_tables(BRINK, material)
    assert [note for note in made.notes if "needs" in note or "not made" in note] == []
    types = table(made, "table-1")
    assert types.header == ("rule type", "first", "second")
    assert {row[0].partition(":")[0]: row[1:] for row in types.rows} == {
        "symmetry": (0, 0), "inversion": (1, 1), "hierarchy": (1, 1), "composition": (1, 1),
        "other": (0, 0), "all": (3, 3),
    }  # fmt: skip
    topic, answers, removed, proof = table(made, "table-2").rows[0][2:]
    assert (topic, answers) == ("Ann", "★ Cy, Dan")
    assert removed == "The relation “aunt” leads from Ann to Cy"
    assert proof.startswith("The relation “sister” leads from Ann to Bea; The relation “parent”")
    assert table(made, "table-3").rows[:2] == (
        ("first, complete", 11, 2, 0, 1, 3),
        ("first, incomplete", 7, 2, 0, 1, 3),
    )
    assert table(made, "table-4-counts").rows == (("first", "mine", 3, 2, 1, 1),)
    lost, unsaid = [row[2:] for row in table(made, "table-4-examples").rows]
    assert (lost[0], lost[4]) == ("not retrieved", RETRIEVED[1].sparql)
    assert (unsaid[0], unsaid[4]) == ("not reasoned", "Dan")
    assert unsaid[5].startswith("The relation “sister” leads from Ann to Bea; ")
    write_predictions(tmp_path / "mine.jsonl", RETRIEVED)
    given = (material.releases[0], tmp_path / "mine.jsonl")
    made = make_tables(BRINK, Material(material.releases, (), (given,), split=None, resamples=5))
    assert table(made, "table-4-counts").rows == (("first", "mine", 3, 2, 1, 1),)


def test_hhr_by_rule_type_has_both_graphs_of_both_data_sets(material):
    made = make_tables(BRINK, material)
    lookup, mine, *_ = (figure for figure in made.figures if figure.id.startswith("figure-3"))
    assert lookup.title == "Figure 3: HHR by rule type, lookup, first"
    assert lookup.groups == ("inversion (1†)", "hierarchy (1†)", "composition (1†)")
    assert [series.name for series in lookup.series] == ["complete", "incomplete"]
    values = [[score.value for score in series.scores] for series in lookup.series]
    assert values[:2] == [[1, 1, 1], [None, None, 0]]  # only Dan is stated
    assert [score.value for score in mine.series[1].scores] == [None, 1, 0]
    assert any(note.startswith("mine: given the training and validation") for note in made.notes)
    assert len({figure.id for figure in made.figures}) == len(made.figures) == 4 + 2 + 4 + 2 + 4


def test_what_is_missing_is_said(material, tmp_path):
    alone = make_tables(BRINK, Material(material.releases, split=None))
    ids = [table.id for table in alone.tables]
    assert ids == ["table-1", "table-1-published", "table-2", "table-3", "table-3-published"]
    assert len([note for note in alone.notes if "needs" in note]) == 6
    with pytest.raises(ConfigError, match="needs a release of the kind rules"):
        make_tables(BRINK, Material())
    made = make_tables(BRINK, replace(material, split="validation"))
    assert any(n.startswith("Table 2") and "questions of the split" in n for n in made.notes)
    assert "(all)" in made.facts["studies"]
    again = Release.open(release(tmp_path / "again", "text", config={"name": "first"}))
    made = make_tables(BRINK, Material((material.releases[0], again), split=None))
    assert made.tables[0].header == ("rule type", "first", "again")  # two of one name
