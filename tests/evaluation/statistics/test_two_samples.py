"""Differences of two independent samples: by hand, against all exchanges one by one, and against scipy."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from rulemine.evaluation.statistics.two_samples import Sample, standardized_differences, strata_of
from rulemine.seeds import stream


def sample(values, strata=None, clusters=None):
    """A sample of one mean."""
    n = len(values)
    scores = np.stack((np.asarray(values, float), np.ones(n)), axis=1)[:, None, :]
    clusters = np.arange(n) if clusters is None else np.asarray(clusters)
    return Sample(scores, clusters, np.zeros(n, int) if strata is None else np.asarray(strata))


def compared(first, second, **options):
    (found,) = standardized_differences(
        first, second, **{"resamples": 50, "exchanges": 50} | options
    )
    return found


def test_strata_by_hand():
    one, two = (0, 1), (0, 2)
    first = (
        [("a", one)] * 5 + [("a", two)] * 5 + [("b", one)] * 3 + [("b", two)] * 4 + [("c", one)] * 9
    )
    second = (
        [("a", one)] * 6 + [("a", two)] * 5 + [("b", one)] * 9 + [("b", two)] * 9 + [("c", one)] * 4
    )
    a, b = strata_of(first, second)
    assert (
        a.tolist() == [0] * 5 + [1] * 5 + [2] * 7 + [-1] * 9
    )  # b only joined, c in the first alone
    assert b.tolist() == [0] * 6 + [1] * 5 + [2] * 18 + [-1] * 4
    last = strata_of([("a", one)] * 5 + [("a", two)], [("a", one)] * 5)[0]
    assert last.tolist() == [0] * 6  # what is left joins the last


def test_another_mix_is_no_difference():
    """Half are right in one stratum and all in the other, in both sets, 1:3 and 3:1."""
    first = sample([1, 0] * 5 + [1] * 30, [0] * 10 + [1] * 30)
    second = sample([1, 0] * 15 + [1] * 10, [0] * 30 + [1] * 10)
    found = compared(first, second)
    assert (found.first, found.second, found.difference.value) == (0.875, 0.875, 0)
    assert found.p == 1
    assert compared(second, first).first == 0.625  # the mix is that of the first


def test_a_ratio_is_that_of_the_standardized_means():
    strata = np.array([0, 0, 1, 1])
    first = Sample(np.array([[[1, 1]], [[0, 1]], [[1, 1]], [[0, 0]]], float), np.arange(4), strata)
    second = Sample(np.array([[[0, 1]], [[0, 0]], [[1, 1]], [[1, 1]]], float), np.arange(4), strata)
    found = compared(first, second)
    assert found.first == 2 / 3
    assert found.second == (0.5 * 0 + 0.5 * 1) / (0.5 * 0.5 + 0.5 * 1)
    none = Sample(np.zeros((4, 1, 2)), np.arange(4), strata)
    found = compared(first, none)
    assert (found.second, found.difference.value, found.p, found.seen) == (None,) * 4


def by_brute_force(first, second):
    """P of all exchanges of clusters within strata, one by one."""
    clusters = [
        [
            (x.scores[x.clusters == c, 0, 0], x.strata[x.clusters == c])
            for c in np.unique(x.clusters)
        ]
        for x in (first, second)
    ]
    units, of_first = clusters[0] + clusters[1], len(clusters[0])
    block = [int(np.bincount(strata).argmax()) for _, strata in units]
    shares = np.bincount(first.strata) / len(first.strata)

    def difference(chosen):
        total = 0.0
        for sign, side in ((1, chosen), (-1, set(range(len(units))) - chosen)):
            scores = np.concatenate([units[i][0] for i in side])
            strata = np.concatenate([units[i][1] for i in side])
            here = [s for s in range(len(shares)) if (strata == s).any()]
            mean = sum(shares[s] * scores[strata == s].mean() for s in here)
            total += sign * mean / sum(shares[s] for s in here)
        return abs(total)

    choices = []
    for stratum in range(len(shares)):
        members = [i for i, b in enumerate(block) if b == stratum]
        stay = sum(i < of_first for i in members)
        choices.append(list(itertools.combinations(members, stay)))
    observed = difference(set(range(of_first)))
    every = [difference({*itertools.chain(*one)}) for one in itertools.product(*choices)]
    return np.mean([one >= observed - 1e-9 for one in every])


@pytest.mark.parametrize("number", range(4))
def test_p_equals_all_exchanges_one_by_one(number):
    draws = stream(number, "two samples")

    def drawn(rate):
        strata = [0, 0, 0, 1, 1, 1, 1, 0]
        clusters = [0, 0, 1, 2, 2, 3, 4, 4]  # the last lies in both strata
        return sample(draws.uniform(8) < rate, strata, clusters)

    first, second = drawn(0.9), drawn(0.3)
    found = compared(first, second, exchanges=20_000)
    assert found.p == pytest.approx(by_brute_force(first, second), abs=0.015)


def test_p_and_interval_equal_scipy():
    draws = stream(3, "scipy")
    first, second = draws.uniform(40), draws.uniform(30) * 0.8
    found = compared(sample(first), sample(second), resamples=4_000, exchanges=10_000)

    def statistic(a, b, axis):
        return np.mean(a, axis) - np.mean(b, axis)

    test = stats.permutation_test(
        (first, second),
        statistic,
        vectorized=True,
        n_resamples=10_000,
        rng=np.random.default_rng(0),
    )
    assert found.p == pytest.approx(test.pvalue, abs=0.01)
    drawn = stats.bootstrap(
        (first, second), statistic, n_resamples=4_000, method="percentile", vectorized=True,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    interval = drawn.confidence_interval
    assert found.difference[1:] == pytest.approx((interval.low, interval.high), abs=0.012)
    spread = math.sqrt(first.var() / 40 + second.var() / 30)
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert found.seen == pytest.approx(z * spread, rel=0.05)


def test_clusters_widen_and_the_two_sets_are_drawn_apart():
    values = [0, 1] * 20
    alone = compared(sample(values), sample(values), resamples=500)
    assert alone.difference.low < -0.1 < 0.1 < alone.difference.high  # one set of draws: 0 … 0
    sixfold = sample(np.repeat(values, 6), clusters=np.repeat(np.arange(40), 6))
    many = compared(sixfold, sixfold, resamples=500)
    assert many.difference.high == pytest.approx(alone.difference.high, abs=1e-9)
    assert many.seen == pytest.approx(alone.seen, abs=1e-6)
    one = sample(values, clusters=np.zeros(40, int))
    assert compared(one, sample(values)).difference == (0, None, None)


def test_what_never_varies_has_no_power():
    found = compared(sample([0] * 9), sample([0] * 7))
    assert (found.difference, found.p, found.seen) == ((0, 0, 0), 1, None)


def test_the_order_of_questions_changes_no_bit():
    draws = stream(5, "order")
    n = 60
    first, second = (
        sample(draws.uniform(n) / 3, (draws.uniform(n) * 3).astype(int), np.arange(n) // 2)
        for _ in range(2)
    )
    order = draws.permutation(n)
    turned = Sample(*(part[order] for part in first))
    assert compared(first, second) == compared(turned, second)


def test_level_is_kept_where_nothing_differs():
    """With clusters of three that are alike and other mixes, 5 % of the tests claim a difference at 5 %."""
    claims = 0
    for number in range(100):
        draws = stream(number, "null")
        samples = []
        for share in (0.3, 0.7):
            strata = np.arange(30) < 30 * share
            right = draws.uniform(30) < np.where(strata, 0.8, 0.2)
            samples.append(
                sample(np.repeat(right, 3), np.repeat(strata, 3).astype(int), np.arange(90) // 3)
            )
        claims += compared(*samples, resamples=2, exchanges=200).p <= 0.05
    assert 1 <= claims <= 11
