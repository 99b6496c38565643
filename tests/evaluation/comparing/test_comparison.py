"""Two systems on the same questions."""

import csv
import io
import json

import numpy as np
import pytest

from rulemine.errors import PredictionError
from rulemine.evaluation import compare, evaluate, write_predictions
from rulemine.evaluation.metrics import COLUMNS
from rulemine.release.groups import groups_of
from rulemine.release.records import Prediction
from rulemine.seeds import stream
from tests.evaluation.test_scoring import GIVEN, random_questions, values
from tests.evaluation.world import ANN, CID, EVE, removals_of, write_release

BETTER = [
    Prediction("q00001", answers=(CID, EVE)),
    Prediction("q00002", answers=(ANN,)),
    Prediction("q00003", answers=(ANN,)),
]


def test_difference_is_paired(release):
    report, better = evaluate(release, GIVEN), evaluate(release, BETTER)
    difference = compare(better, report)
    assert [row[:3] for row in difference.rows[:2]] == [("core", "core", 1), ("all", "all", 3)]
    assert values(difference.headline)["hits_hard"] == 1
    assert values(difference.rows[1]) == pytest.approx(
        {"hits_any": 1 / 3, "hits_at_1": 1 / 3, "precision": 0.5, "recall": 0.5, "f1": 0.5,
         "hits_hard": 2 / 3, "hits_any_hard": 2 / 3, "hard_recall": 2 / 3, "hard_f1": 2 / 3, "hhr": 0.5}
    )  # fmt: skip
    assert (
        difference.overall["f1"].low == 0.0
    )  # where q00002 alone is drawn, which is equal in both
    same = compare(report, report)
    for row in same.rows:
        for name, estimate in row.scores.items():
            assert set(estimate) <= {0.0, None}, (row, name)
    assert same.row("rule_subtype", "common subject").scores["hhr"].value is None


def test_difference_equals_drawing_cluster_by_cluster(tmp_path):
    questions, given, difficulty = random_questions(60)
    other = [Prediction(p.id, answers=p.answers[:1]) for p in given]
    release = write_release(tmp_path / "r", questions, removals=removals_of(questions, difficulty))
    first, second = (evaluate(release, g, split=None, resamples=40, seed=3) for g in (given, other))
    clusters = groups_of(questions)
    assert 20 < len(clusters) < 60
    m = len(clusters)
    drawn = (stream(3, "bootstrap").uniform(40 * m).reshape(40, m) * m).astype(int)
    rows = [[i for cluster in line for i in clusters[cluster]] for line in drawn]

    def means(report, name):
        return np.array([report.scores[r, COLUMNS.index(name)].mean() for r in rows])

    for name in ("f1", "recall"):
        expected = np.quantile(means(first, name) - means(second, name), [0.025, 0.975])
        found = compare(first, second).overall[name]
        assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-9)
    rates = [means(r, "hits_hard") / means(r, "hits_any") for r in (first, second)]
    expected = np.quantile(rates[0] - rates[1], [0.025, 0.975])
    found = compare(first, second).overall["hhr"]
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-9)


def test_report_against_other_predictions(tmp_path, release):
    write_predictions(tmp_path / "better.jsonl", BETTER)
    write_predictions(tmp_path / "given.jsonl", GIVEN)
    report = evaluate(release, tmp_path / "better.jsonl", against=tmp_path / "given.jsonl")
    title = "better.jsonl − given.jsonl, paired"
    assert title in report.to_table()
    assert title in report.to_markdown()
    assert "+66.7" in report.to_table()
    content = json.loads(report.to_json())
    assert content["difference"]["headline"] == "core"
    assert content["difference"]["all"]["scores"]["hits_hard"]["value"] == pytest.approx(2 / 3)
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert {r["what"] for r in rows} == {"scores", "difference"}
    assert report.difference is not None
    assert report.difference.to_csv().splitlines()[1].startswith("difference,core,core,1,")


def test_notes_of_a_difference_say_whose_they_are(release):
    first = evaluate(release, GIVEN[:1], missing="empty", matching="ids")
    second = evaluate(release, BETTER)
    notes = compare(first, second, names=("one", "two")).notes
    assert notes[0].startswith("The questions of the headline form 1 cluster,")  # true of both
    assert notes[1].startswith("Warning: one: predictions for 1 of 3 questions")
    assert "Matched differently: ids and vocabulary." in notes


def test_different_questions_are_not_compared(release):
    with pytest.raises(PredictionError, match="0 ids in common"):
        compare(
            evaluate(release, GIVEN),
            evaluate(release, [Prediction("q00004", "")], split="train"),
        )
