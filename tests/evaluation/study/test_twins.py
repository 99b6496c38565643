"""A study of the demo whose systems are also asked where no answer can be inferred."""

import pytest

from rulemine.errors import OutputError, ReleaseError
from rulemine.evaluation.study.plan import StudyPlan
from rulemine.evaluation.study.results import run_study
from rulemine.evaluation.study.run import StudyFolder, open_study
from rulemine.evaluation.twins import TWIN_SCORES, score_files
from rulemine.release import Release
from tests.releases import built

SYSTEMS = ("lookup", "reasoner")


def plan(**more):
    usual = {
        "release": str(built("demo") / "demo"),
        "systems": SYSTEMS,
        "levels": (100,),
        "twins": True,
    }
    return StudyPlan(**usual | {"resamples": 50} | more)


def test_a_row_and_a_figure(tmp_path):
    document = run_study(plan(names=("a", "b")), tmp_path)
    (table,) = (one for one in document.tables if one.id == "twins")
    assert [row[:2] for row in table.rows] == [("a", 8), ("b", 8)]
    (figure,) = (one for one in document.figures if one.id == "figure-twins")
    assert [series.scores for series in figure.series] == [row[2:5] for row in table.rows]
    release = Release.open(built("demo") / "demo")
    folder = tmp_path / "predictions" / "text" / "02-reasoner"
    alone = score_files(release, folder / "control.jsonl", folder / "unprovable.jsonl")
    values = [[score[0] for score in one.rows[-1][2:]] for one in (alone, table)]
    assert values[0] == values[1]
    assert len(values[0]) == len(TWIN_SCORES)
    assert len(document.headline.rows) == 2, "of the incomplete graph alone"
    again = open_study(tmp_path, {release.identity: release})
    assert again.plan.twins
    with pytest.raises(OutputError, match="holds another study: twins is true there"):
        StudyFolder(plan(twins=False), tmp_path)


def test_without_twins_nothing_is_asked(tmp_path):
    with pytest.raises(ReleaseError, match="none of the 48 questions has a twin"):
        StudyFolder(plan(split="validation"), tmp_path)
