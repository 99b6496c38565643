import numpy as np
import pytest

from rulemine.evaluation.metrics import COLUMNS, METRICS
from rulemine.evaluation.statistics.bootstrap import (
    Mean,
    MeanScores,
    Resamples,
    difference,
    differences,
    estimates,
    exact_bound,
    interval,
)
from rulemine.seeds import stream
from tests import each, some_seeds


def by_brute_force(scores, clusters, rows, resamples, seed):
    """The means of a group in each resample, drawn one cluster and added one question at a time."""
    n = int(clusters.max()) + 1
    draws = stream(seed, "bootstrap").uniform(resamples * n).reshape(resamples, n)
    found = []
    for line in draws:
        inside = [scores[i] for u in line for i in np.flatnonzero((clusters == int(u * n)) & rows)]
        columns = np.array(inside).reshape(-1, scores.shape[1]).T
        found.append([c[~np.isnan(c)].mean() if (~np.isnan(c)).any() else np.nan for c in columns])
    return np.array(found)


def random_case(number):
    """Scores, some undefined; clusters of one to many questions; groups that overlap."""
    draws = stream(number, "case")
    n = 3 + draws.below(40)
    scores = draws.uniform(n * 3).reshape(n, 3)
    scores[:, 0] = scores[:, 0] > 0.5
    scores[draws.uniform(n) < 0.2, 2] = np.nan
    clusters = np.unique((draws.uniform(n) ** 2 * n).astype(np.int64), return_inverse=True)[1]
    groups = draws.uniform(3 * n).reshape(3, n) < 0.5
    return scores, clusters, np.vstack((np.ones(n, bool), groups))


def on_its_own(n):
    """Every question a cluster, and the group of all."""
    return np.arange(n), np.ones((1, n), bool)


@each("number", some_seeds(20))
def test_equals_drawing_cluster_by_cluster(number):
    scores, clusters, groups = random_case(number)
    sampled = Resamples(scores, clusters, groups, 50, seed=number)
    for i, rows in enumerate(groups):
        found = sampled.means(i)
        expected = by_brute_force(scores, clusters, rows, 50, number)
        if len(set(clusters[rows].tolist())) < 2:
            expected[:] = np.nan
        np.testing.assert_allclose(found.resampled, expected, atol=1e-7, equal_nan=True)
        value = [c[~np.isnan(c)].mean() if (~np.isnan(c)).any() else np.nan for c in scores[rows].T]
        np.testing.assert_allclose(found.value, value, atol=1e-15, equal_nan=True)


def test_neither_parts_nor_other_groups_leave_a_trace(monkeypatch):
    scores, clusters, groups = random_case(3)
    whole = Resamples(scores, clusters, groups, 30, seed=1).means(0)
    alone = Resamples(scores, clusters, groups[:1], 30, seed=1).means(0)
    monkeypatch.setattr("rulemine.evaluation.statistics.bootstrap.KEPT", 0)
    monkeypatch.setattr("rulemine.evaluation.statistics.bootstrap.DRAWS_AT_ONCE", 1)
    parts = Resamples(scores, clusters, groups, 30, seed=1).means(0)
    assert len({found.resampled.tobytes() for found in (whole, alone, parts)}) == 1


def test_equal_scores_have_no_spread_and_no_bound_lies_outside_the_scores():
    scores = np.array([[1 / 3], [1 / 3], [0.9], [1 / 3]])
    rows = np.array([[True, True, False, True]])
    found = Resamples(scores, np.array([0, 0, 1, 2]), rows, 100, seed=0).means(0)
    assert interval(found.resampled[:, 0]) == (1 / 3, 1 / 3)
    scores = np.zeros((30, 3))
    scores[:3] = np.array([2 / 3, 1 / 7, 2 / 3])[:, None]
    scores[:, 1] = 1 - scores[:, 1]
    scores[:3, 2] /= 2
    low, high, other = Resamples(scores, *on_its_own(30), 200, seed=0).means(0).resampled.T
    # As added up: −1.8e-16, 1 + 2.2e-16, 4.5e-16.
    assert (low.min(), high.max(), other.min()) == (0, 1, 0)


def test_interval_leaves_out_what_is_undefined():
    values = np.array([np.nan, 0.0, 1.0, np.nan, 0.5])
    assert interval(values, confidence=0.5) == (0.25, 0.75)
    assert interval(np.array([np.nan, np.nan])) is None


def test_ratio_is_resampled_as_a_ratio_and_skips_resamples_without_hits():
    def of(scores, resamples=200):
        found = Resamples(scores, *on_its_own(4), resamples, seed=0).means(0)
        return estimates(found, COLUMNS, METRICS)

    scores = np.zeros((4, len(COLUMNS)))
    none = of(scores, 20)
    assert none["hhr"] == (None, None, None)
    assert none["hits_any"] == (0.0, 0.0, pytest.approx(1 - 0.05 ** (1 / 4)))
    for column in ("hits_any", "hits_hard", "hits_any_asked"):
        scores[0, COLUMNS.index(column)] = 1
    # In a third of the resamples there is no hit; one cluster with a hit says little.
    assert of(scores)["hhr"] == (1.0, pytest.approx(0.05), 1.0)
    assert of(scores)["hits_any"].low == 0.0
    value = np.zeros(len(COLUMNS))  # every resample misses the one hit
    value[COLUMNS.index("hits_any_asked")] = 1.0
    ones = np.ones(len(COLUMNS), np.int64)
    means = MeanScores(value, np.zeros((2, len(COLUMNS))), ones, ones)
    assert estimates(means, COLUMNS, METRICS)["hhr"] == (0.0, None, None)


def at_the_ends(*rates):
    """Sixty questions in thirty clusters; systems that are right in all, in none, or in the first ones."""
    columns = [np.where(np.arange(60) < 60 * rate, 1.0, 0.0) for rate in rates]
    scores = np.column_stack([np.repeat(of[:, None], len(COLUMNS), axis=1) for of in columns])
    return Resamples(scores, np.arange(60) // 2, np.ones((1, 60), bool), 50, seed=0).means(0)


def test_a_score_of_0_or_1_has_an_exact_interval():
    bound = exact_bound(30)
    assert (1 - bound) ** 30 == pytest.approx(0.05)  # such a system fails in all with this chance
    assert estimates(at_the_ends(0), COLUMNS, ["f1"])["f1"] == (0, 0, bound)
    names = (*COLUMNS[:-2], "retrieved", "calls")
    found = estimates(at_the_ends(1), names, ["f1", "hhr", "retrieved", "calls"])
    assert found["f1"] == found["hhr"] == (1, 1 - bound, 1)
    assert found["retrieved"] == found["calls"] == (1, 1, 1)  # one each, no share of anything
    assert estimates(at_the_ends(0.5), COLUMNS, ["f1"])["f1"].low > 0.2


def test_a_difference_of_scores_of_0_or_1_has_an_exact_interval():
    bound = exact_bound(30)
    same = differences(at_the_ends(1, 1), COLUMNS, ["f1"])["f1"]
    assert same == (0, 0, 0)
    few, many = (Mean(1.0, np.ones(9), exact_bound(hits)) for hits in (3, 60))
    found = difference(few, many)  # both infer all that they hit
    assert found == (0, pytest.approx(-exact_bound(3)), pytest.approx(exact_bound(60)))
    apart = differences(at_the_ends(1, 0), COLUMNS, ["f1"])["f1"]
    assert apart == (1, pytest.approx(1 - 2 * bound), 1)
    assert differences(at_the_ends(0.5, 0.5), COLUMNS, ["f1"])["f1"] == (0, 0, 0)
