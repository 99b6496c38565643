"""Two systems on the same questions."""

import numpy as np
import pytest

from rulemine.errors import PredictionError
from rulemine.evaluation import compare, evaluate
from rulemine.evaluation.metrics import COLUMNS
from rulemine.release.groups import groups_of
from rulemine.release.records import Prediction
from rulemine.seeds import stream
from tests.evaluation.test_scoring import GIVEN, random_questions
from tests.evaluation.world import ANN, CID, EVE, removals_of, write_release

BETTER = [
    Prediction("q00001", answers=(CID, EVE)),
    Prediction("q00002", answers=(ANN,)),
    Prediction("q00003", answers=(ANN,)),
]


def differences(first, second, metrics=(), **options):
    """(group, score) → the difference of two reports."""
    found = compare({"first": first, "second": second}, metrics, **options)
    return {(row.group, row.metric): row for row in found.rows}


def test_difference_is_paired(release):
    report, better = evaluate(release, GIVEN), evaluate(release, BETTER)
    found = differences(better, report)
    assert (found["core", "f1"].n, found["all", "f1"].n) == (1, 3)
    assert found["core", "hits_hard"].difference.value == 1
    assert {m: row.difference.value for (g, m), row in found.items() if g == "all"} == pytest.approx(
        {"hits_any": 1 / 3, "hits_at_1": 1 / 3, "precision": 0.5, "recall": 0.5, "f1": 0.5,
         "hits_hard": 2 / 3, "hits_any_hard": 2 / 3, "hard_recall": 2 / 3, "hard_f1": 2 / 3, "hhr": 0.5}
    )  # fmt: skip
    # where q00002 alone is drawn, which is equal in both
    assert found["all", "f1"].difference.low == 0.0
    assert found["all", "hhr"].n == 2  # the hits of the system that has fewer
    same = differences(report, report, broken_down=True)
    for key, row in same.items():
        assert set(row.difference) <= {0.0, None}, key
    assert same["common subject", "hhr"].difference.value is None


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
        found = differences(first, second)["all", name].difference
        assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-9)
    rates = [means(r, "hits_hard") / means(r, "hits_any") for r in (first, second)]
    expected = np.quantile(rates[0] - rates[1], [0.025, 0.975])
    found = differences(first, second)["all", "hhr"].difference
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-9)


def test_different_questions_are_not_compared(release):
    other = evaluate(release, [Prediction("q00004", "")], split="train")
    with pytest.raises(PredictionError, match="0 ids in common"):
        differences(evaluate(release, GIVEN), other)
