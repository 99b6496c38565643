import numpy as np
import pytest

from rulemine.evaluation.bootstrap import MeanScores, Resamples, interval
from rulemine.evaluation.estimates import estimates
from rulemine.evaluation.metrics import COLUMNS
from rulemine.seeds import stream


def by_brute_force(scores, rows, resamples, seed):
    """The means of a group in each resample, drawn and added one question at a time."""
    n = len(scores)
    draws = stream(seed, "bootstrap").uniform(resamples * n).reshape(resamples, n)
    found = []
    for line in draws:
        drawn = [int(u * n) for u in line]
        inside = [scores[i] for i in drawn if rows[i]]
        found.append(np.mean(inside, axis=0) if inside else np.full(scores.shape[1], np.nan))
    return np.array(found)


def random_case(number):
    draws = stream(number, "case")
    n = 1 + draws.below(40)
    scores = draws.uniform(n * 3).reshape(n, 3)
    scores[:, 0] = scores[:, 0] > 0.5
    cells = (draws.uniform(n) * 4).astype(np.int64)
    return scores, np.unique(cells, return_inverse=True)[1]


@pytest.mark.parametrize("number", range(20))
def test_equals_drawing_question_by_question(number):
    scores, cells = random_case(number)
    sampled = Resamples(scores, cells, 50, seed=number)
    for chosen in (set(cells.tolist()), {0}, set(range(0, 4, 2))):
        rows = np.isin(cells, list(chosen))
        expected = by_brute_force(scores, rows, 50, number)
        found = sampled.means(rows)
        np.testing.assert_allclose(found.resampled, expected, atol=1e-9, equal_nan=True)
        np.testing.assert_allclose(found.value, scores[rows].mean(axis=0), atol=1e-15)


def test_many_draws_are_made_in_parts_without_a_trace(monkeypatch):
    scores, cells = random_case(3)
    whole = Resamples(scores, cells, 30, seed=1).means(np.ones(len(scores), bool))
    monkeypatch.setattr("rulemine.evaluation.bootstrap.DRAWS_AT_ONCE", 1)
    parts = Resamples(scores, cells, 30, seed=1).means(np.ones(len(scores), bool))
    assert whole.resampled.tobytes() == parts.resampled.tobytes()


def test_partition_into_cells_does_not_change_a_bit():
    scores, cells = random_case(5)
    everything = np.ones(len(scores), bool)
    one = Resamples(scores, np.zeros_like(cells), 30, seed=1).means(everything)
    many = Resamples(scores, cells, 30, seed=1).means(everything)
    assert one.resampled.tobytes() == many.resampled.tobytes()


def test_equal_scores_have_no_spread():
    scores = np.array([[1 / 3], [1 / 3], [0.9], [1 / 3]])
    cells = np.array([0, 0, 1, 0])
    found = Resamples(scores, cells, 100, seed=0).means(cells == 0)
    assert interval(found.resampled[:, 0]) == (1 / 3, 1 / 3)


def test_coverage_is_about_95_percent():
    hits = 0
    for number in range(200):
        scores = (stream(number, "coverage").uniform(100) < 0.7).astype(float)[:, None]
        sampled = Resamples(scores, np.zeros(100, np.int64), 200, seed=number)
        low, high = interval(sampled.means(np.ones(100, bool)).resampled[:, 0])
        hits += low <= 0.7 <= high
    assert 180 <= hits <= 199


def test_interval_leaves_out_what_is_undefined():
    values = np.array([np.nan, 0.0, 1.0, np.nan, 0.5])
    assert interval(values, confidence=0.5) == (0.25, 0.75)
    assert interval(np.array([np.nan, np.nan])) is None


def test_ratio_is_resampled_as_a_ratio_and_skips_resamples_without_hits():
    scores = np.zeros((4, len(COLUMNS)))
    scores[0, COLUMNS.index("hits_any")] = scores[0, COLUMNS.index("hits_hard")] = 1
    sampled = Resamples(scores, np.zeros(4, np.int64), 200, seed=0)
    found = estimates(sampled.means(np.ones(4, bool)))
    assert found["hhr"] == (1.0, 1.0, 1.0)  # in a third of the resamples there is no hit
    assert found["hits_any"].low == 0.0


def test_ratio_without_any_hit_is_undefined():
    sampled = Resamples(np.zeros((4, len(COLUMNS))), np.zeros(4, np.int64), 20, seed=0)
    found = estimates(sampled.means(np.ones(4, bool)))
    assert found["hhr"] == (None, None, None)
    assert found["hits_any"] == (0.0, 0.0, 0.0)


def test_ratio_keeps_its_value_where_every_resample_misses_the_one_hit():
    means = MeanScores(np.eye(1, len(COLUMNS))[0], np.zeros((2, len(COLUMNS))))
    assert estimates(means)["hhr"] == (0.0, None, None)
