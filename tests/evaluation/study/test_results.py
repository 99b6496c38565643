import csv
import json
from dataclasses import replace
from fractions import Fraction

import pytest

from rulemine.evaluation.comparing.comparison import compare
from rulemine.evaluation.predictions import write_predictions
from rulemine.evaluation.reporting.figures import draw
from rulemine.evaluation.reporting.titles import MEANINGS, TITLES
from rulemine.evaluation.study.results import (
    StudyScores,
    document_of,
    figures,
    headline,
    tables,
    write_results,
)
from rulemine.evaluation.study.run import open_study as opened
from rulemine.evaluation.study.run import write_scoring
from rulemine.release.records import Cost, Prediction
from tests.evaluation.study.test_run import files

LOOKED_UP = {
    "1p": (3, Fraction(1, 3)),  # only where Cat was born is stated
    "2p": (1, Fraction(0)), "3p": (2, Fraction(1, 2)), "2i": (1, Fraction(0)), "3i": (1, Fraction(0)),
    "ip": (1, Fraction(0)),
    "pi": (1, Fraction(2, 3)),  # Dan of Bob and Dan
    "2u": (1, Fraction(3, 4)),  # Dan, Cat and Eve of five
    "up": (1, Fraction(2, 3)),  # Nice and Rome of four cities
}  # fmt: skip
"""Structure → its questions, and F1 of looking up on the incomplete graph, counted by hand."""


@pytest.fixture(scope="module")
def scores(shared):
    return StudyScores(shared)


def of(grids, name):
    return next(thing for thing in grids if thing.id == name)


def test_figures_say_what_evaluate_says(scores):
    figure = of(figures(scores), "figure-1-f1")
    assert figure.groups == ("lookup", "reasoner")
    assert [series.name for series in figure.series] == ["complete", "incomplete"]
    for series, level in zip(figure.series, (0, 100), strict=True):
        overall = [scores.reports[system, level].overall for system in figure.groups]
        assert [*series.scores] == [one["f1"] for one in overall]
    assert figure.series[0].scores[0].value == 1  # lookup on the complete graph
    (series,) = of(figures(scores), "figure-2-hhr").series
    assert series.name == "incomplete", "where there is something to infer"


def test_every_score_is_explained_where_it_first_stands(scores):
    known = ""
    for table in (headline(scores), *tables(scores)[2:]):  # after those of questions and levels
        known += " ".join(table.notes)
        shown = [TITLES[metric] for metric in MEANINGS if TITLES[metric] in table.header]
        assert [title for title in shown if f"{title}: " not in known] == [], table.id
    assert [row[0] for row in headline(scores).rows] == ["lookup", "reasoner"]
    assert headline(scores).rows[0][2].value == 0  # Hard F1 of looking up


def test_scores_by_structure_are_those_counted_by_hand(scores):
    table = of(tables(scores), "by-structure")
    assert table.header[:5] == ("system", "structure", "n", "H@1", "F1")
    lookup = {row[1]: row[2:] for row in table.rows if row[0] == "lookup"}
    assert [*lookup] == ["all", "mean of structures", *LOOKED_UP]
    for name, (n, f1) in LOOKED_UP.items():
        assert lookup[name][0] == n
        assert lookup[name][2].value == pytest.approx(float(f1))
    whole = sum(n * f1 for n, f1 in LOOKED_UP.values()) / 12
    mean = sum(f1 for _, f1 in LOOKED_UP.values()) / 9
    assert lookup["all"][2].value == pytest.approx(float(whole))
    assert lookup["mean of structures"][2].value == pytest.approx(float(mean))
    figure = of(figures(scores), "figure-by-structure")
    assert figure.groups[0] == "1p (3†)"
    assert figure.series[0].scores == tuple(lookup[name][2] for name in LOOKED_UP)


def test_differences_are_those_of_the_scores(scores):
    hard = [scores.reports[s, 100].headline.scores["hard_f1"].value for s in ("lookup", "reasoner")]
    (row,) = of(tables(scores), "differences").rows
    assert row[:2] == ("lookup", "reasoner")
    assert row[2].value == pytest.approx(hard[0] - hard[1])
    lost = {row[:2]: row[2:] for row in of(tables(scores), "between-graphs").rows}
    assert [title for title, system in lost if system == "lookup"] == ["Hits@Any", "F1", "HHR"]
    f1 = {level: scores.reports["lookup", level].overall["f1"].value for level in (0, 100)}
    assert lost["F1", "lookup"][0].value == pytest.approx(f1[0] - f1[100])
    p = []
    for system in ("lookup", "reasoner"):
        ends = {str(level): scores.reports[system, level] for level in (0, 100)}
        p += [row.p for row in compare(ends, ["f1"]).rows if row.breakdown == "all"]
    shown = [lost["F1", system][1] for system in ("lookup", "reasoner")]
    assert min(shown) == min(1.0, 2 * min(p))  # Holm
    assert lost["Hits@Any", "reasoner"][0].value >= 0


def test_a_curve_is_of_the_questions_missing_at_the_lowest_level(scores):
    study = scores.study
    hard = [q for q in study.release.questions() if q.hard_answer is not None and q.core]
    early = [q for q in hard if q.level <= 50]
    assert 0 < len(early) < len(hard)
    curve = of(figures(scores), "levels-hits-hard")
    assert curve.groups == (0, 50, 100)
    assert f"The same {len(early)} questions of the core" in curve.caption
    lookup = curve.series[0].scores
    # What is stated is looked up; what is missing at 50 is missing at 100.
    assert [score.value for score in lookup] == [1, 0, 0]
    own = of(figures(scores), "levels-own-hard-f1")
    assert own.groups == (50, 100)
    assert f"(50: {len(early)}, 100: {len(hard)})" in own.caption
    assert own.series[0].scores[0] == of(figures(scores), "levels-hard-f1").series[0].scores[1]


def test_what_is_missing_at_each_level_is_counted_by_hand(scores):
    release = scores.study.release
    grid = of(tables(scores), "levels")
    for level, row in zip((0, 50, 100), grid.rows, strict=True):
        gone = {r.triple for r in release.removals() if r.level <= level}
        graph = set(release.kg("complete").labeled()) - gone
        missing = [q for q in release.questions() if q.hard and not graph >= set(q.evidence)]
        assert row[:3] == (str(level), len(graph), len(gone))
        assert row[4] == sum(q.level <= level for q in missing if q.hard_answer)


def test_systems_with_a_model_may_be_asked_at_some_levels_only(open_study):
    study = open_study("lookup", "closed-book", model="m", model_levels=(100,))
    model = [run for run in study.runs if run.system == "closed-book"]
    assert [run.level for run in model] == [100]
    for run in study.runs:
        found = [
            Prediction(q.id, raw_output="?", cost=Cost(2, 30, 10, took) if run in model else None)
            for q, took in zip(study.release.questions(), (None, *[1.0] * 11), strict=True)
        ]
        study.file(run).parent.mkdir(parents=True, exist_ok=True)
        write_predictions(study.file(run), found)
    scores = StudyScores(study)
    drawn, grids = figures(scores), tables(scores)
    assert [s is None for s in of(drawn, "levels-hard-f1").series[1].scores] == [True, True, False]
    assert of(drawn, "figure-1-f1").series[0].scores[1] is None  # never on the complete graph
    for name in ("results", "by-level"):
        rows = {row[0]: row[-4:] for row in of(grids, name).rows}
        assert of(grids, name).header[-4:] == ("calls", "tokens sent", "tokens received", "seconds")
        # Seconds are of the answers that say how long they took.
        assert [v.value for v in rows["closed-book"]] == [2, 30, 10, 1.0]
        assert rows["lookup"] == (None,) * 4
    tokens = of(drawn, "levels-prompt-tokens")
    assert (tokens.up, tokens.series[0].name) == ("tokens sent, a question", "closed-book")
    assert (tokens.series[0].scores[-1].value, "tokens sent, a question" in draw(tokens)) == (
        30,
        True,
    )
    assert tokens.table().show["closed-book"](30) == "30.0"  # no percentage


def test_systems_have_the_names_that_the_user_gives_them(open_study):
    study = open_study("lookup", "reasoner", names=("my_edge", "rules"), levels=(0, 100), sample=3)
    study.answer()
    open_study("lookup", "reasoner", levels=(0, 100), sample=3)  # the same study
    document = document_of(StudyScores(study))
    assert of(document.tables, "systems").rows == (("my_edge", "lookup"), ("rules", "reasoner"))
    assert of(document.figures, "figure-1-f1").groups == ("my_edge", "rules")
    shown = [grid for grid in document.every_table() if grid.id != "systems"]
    assert not {"lookup", "reasoner"} & {v for grid in shown for row in grid.rows for v in row[:1]}
    assert {o.system for q in document.questions for o in q.outcomes} == {"my_edge", "rules"}


def test_a_note_on_one_system_is_not_told_of_all(scores, monkeypatch):
    said = {
        (system, level): replace(report, notes=(*report.notes, "Of all.", f"Of {system}."))
        for (system, level), report in scores.reports.items()
    }
    monkeypatch.setattr(scores, "reports", said)
    document = document_of(scores)
    assert "Of all." in document.notes
    assert not any("Of lookup." in note for note in document.notes)
    alone = [row[:2] for row in of(document.tables, "notes").rows if row[2] == "Of lookup."]
    assert alone == [("lookup", "complete"), ("lookup", "incomplete")]


def test_a_study_is_written_twice_alike_whatever_was_before(open_study, tmp_path):
    for folder in ("out", "again"):
        study = open_study(folder=folder, sample=4, levels=(0, 100))
        study.answer()
        write_results(study)
    written = files(tmp_path / "out")
    assert written == files(tmp_path / "again")
    assert {"report.html", "report.md", "report.tex", "questions.csv"} <= set(written)
    document = document_of(StudyScores(open_study(sample=4, levels=(0, 100))))
    assert document.facts["questions"] == "4 (sample 4)"
    for grid in document.every_table():
        with (tmp_path / "out" / "tables" / f"{grid.id}.csv").open(newline="") as file:
            assert len(list(csv.reader(file))) == len(grid.rows) + 1
    assert {f"figures/{figure.id}.svg" for figure in document.figures} <= set(written)
    assert json.loads(written["report.json"])["headline"]["rows"][1][0] == "reasoner"


def test_a_dry_run_of_the_command_writes_nothing(built, tmp_path, command):
    words = ("study", built, "--with", "lookup", "--split", "all", "-o", tmp_path / "out")
    estimate = command(*words, "--dry-run")
    assert (estimate.status, "lookup" in estimate.out) == (0, True)
    assert not list(tmp_path.iterdir())


def test_metrics_of_others_are_a_way_of_scoring(open_study):
    study = open_study("lookup", levels=(0, 100))
    study.answer()
    assert "metrics" not in {grid.id for grid in tables(StudyScores(study))}
    study = open_study("lookup", levels=(0, 100), metrics=("rog",))  # of the same study
    write_scoring(study)
    grid = of(tables(StudyScores(study)), "metrics")
    value = {(row[1], row[2]): row[4].value for row in grid.rows}
    assert value["complete", "rog_hit"] == 1
    assert value["incomplete", "rog_hit"] == pytest.approx(5 / 12)
    again = opened(study.folder, {study.release.identity: study.release})
    assert again.plan.metrics == ("rog",)
