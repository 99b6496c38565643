import json
from fractions import Fraction

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.reporting.titles import TITLES
from rulemine.evaluation.study.groups import by_group, group_tables, groups_in, picture_by_group
from rulemine.evaluation.study.opened import SCORING, write_scoring
from rulemine.evaluation.study.opened import open_study as opened
from rulemine.evaluation.study.plan import StudyPlan
from rulemine.evaluation.study.results import tables
from rulemine.evaluation.study.scores import StudyScores

LOOKED_UP = {
    "1p": (3, Fraction(1, 3)),  # only where Cat was born is stated
    "2p": (1, Fraction(0)),
    "3p": (2, Fraction(1, 2)),
    "2i": (1, Fraction(0)),
    "3i": (1, Fraction(0)),
    "ip": (1, Fraction(0)),
    "pi": (1, Fraction(2, 3)),  # Dan of Bob and Dan
    "2u": (1, Fraction(3, 4)),  # Dan, Cat and Eve of five
    "up": (1, Fraction(2, 3)),  # Nice and Rome of four cities
}
"""Structure → its questions, and F1 of looking up on the incomplete graph, counted by hand."""


@pytest.fixture(scope="module")
def scores(shared):
    return StudyScores(shared)


def test_scores_by_structure_are_those_counted_by_hand(scores):
    table = by_group(scores, "structure", ("f1",))
    assert (table.id, table.header) == ("by-structure", ("system", "structure", "n", "F1"))
    lookup = {row[1]: row[2:] for row in table.rows if row[0] == "lookup"}
    assert [*lookup] == [*LOOKED_UP, "all", "mean of structures"]
    for name, (n, f1) in LOOKED_UP.items():
        assert lookup[name][0] == n
        assert lookup[name][1].value == pytest.approx(float(f1))
    whole = sum(n * f1 for n, f1 in LOOKED_UP.values()) / 12
    mean = sum(f1 for _, f1 in LOOKED_UP.values()) / 9
    assert lookup["all"][1].value == pytest.approx(float(whole))
    assert lookup["mean of structures"][1].value == pytest.approx(float(mean))
    complete = by_group(scores, "structure", ("f1", "ex"), level=0)
    assert complete.header == table.header  # no report has EX
    assert {row[3].value for row in complete.rows} == {1.0}
    assert "complete graph" in complete.title
    assert by_group(scores, "topic").rows == ()
    assert table.footnotes()[0].startswith("† Fewer than 20 questions")


def test_figures_by_group_say_what_their_tables_say(scores):
    figure = picture_by_group(scores, "hops", "hits_at_1")
    assert figure.sizes == (6, 4, 2)
    rows = by_group(scores, "hops", ("hits_at_1",)).rows
    assert figure.series[0].scores == tuple(row[3] for row in rows[:3])
    assert "(1: 6†, 2: 4†, 3: 2†)" in figure.caption
    assert picture_by_group(scores, "topic") is None


def test_every_breakdown_of_the_reports_has_a_table(scores):
    report = scores.top["lookup"]
    expected = dict.fromkeys(row.breakdown for row in report.rows)
    for apart in ("core", "all", "mean_of_structures", "level", "unseen"):  # one group
        expected.pop(apart)
    found = group_tables(scores)
    assert [grid.id for grid in found] == [f"by-{name}" for name in expected]
    for grid, name in zip(found, expected, strict=True):
        assert {row[1] for row in grid.rows} >= groups_in(scores, name).keys()
        assert set(grid.header[3:]) == {TITLES[m] for m in ("hits_at_1", "f1", "hard_f1")}


def test_metrics_of_others_are_a_way_of_scoring(open_study):
    study = open_study("lookup", levels=(0, 100))
    study.answer()
    assert "metrics" not in {grid.id for grid in tables(StudyScores(study))}
    study = open_study("lookup", levels=(0, 100), metrics=("rog",))  # of the same study
    write_scoring(study)
    (grid,) = (grid for grid in tables(StudyScores(study)) if grid.id == "metrics")
    value = {(row[1], row[2]): row[4].value for row in grid.rows}
    assert value["complete", "rog_hit"] == 1
    assert value["incomplete", "rog_hit"] == pytest.approx(5 / 12)
    assert json.loads((study.folder / SCORING).read_text())["metrics"] == ["rog"]
    again = opened(study.folder, {study.release.identity: study.release})
    assert again.plan.metrics == ("rog",)
    with pytest.raises(ConfigError, match="rgo"):
        StudyPlan(systems=("lookup",), metrics=("rgo",))
