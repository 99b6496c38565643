"""The randomization test against all exchanges one by one, by hand, and against scipy; chi-square and
Cramér's V against scipy, their interval against simulated samples."""

import itertools

import numpy as np
import pytest
from scipy import stats

from rulemine.evaluation.statistics.significance import compare_classes, holm, randomization_test
from rulemine.seeds import stream
from tests import each, some_seeds


def means(values):
    """Numerators and denominators of means: shape (n, 1, 2)."""
    values = np.asarray(values, float)
    return np.stack((values, np.where(np.isnan(values), np.nan, 1.0)), axis=1)[:, None, :]


def p_of(first, second, clusters=None, **options):
    clusters = np.arange(len(first)) if clusters is None else np.asarray(clusters)
    (found,) = randomization_test(means(first), means(second), clusters, **options)
    return found


def test_exact_by_hand():
    for first, second, expected in (
        ([1, 1, 1], [0, 0, 0], 2 / 8),  # only ±(1, 1, 1) is as large
        ([1, 1, 0], [0, 0, 1], 1),  # 1/3: ±1 apart is the least there is
        ([1, 1, 1, 0], [0, 0, 0, 1], 10 / 16),  # 2 of 4: |sum| 2 or 4 in 8 + 2 exchanges
        ([1, 0, 1], [1, 0, 1], 1),
        ([1, 0.5, 1 / 3], [0, 0, 0], 2 / 8),
        ([1, 1, 1, np.nan], [0, 0, 0, np.nan], 2 / 8),  # a question without the score
        ([1] * 6, [0] * 6, 2 / 64),
    ):
        assert p_of(first, second) == p_of(second, first) == expected
    assert p_of([1] * 6, [0] * 6, [0, 0, 0, 1, 1, 1]) == 2 / 4  # clusters are exchanged whole


def test_p_of_drawn_exchanges_is_never_0():
    assert p_of([1] * 100, [0] * 100, exchanges=50) == 1 / 51


def by_brute_force(first, second, clusters):
    """All exchanges of a ratio, one by one."""

    def difference(kept):
        a = np.where(np.array(kept)[clusters, None], first, second)
        b = np.where(np.array(kept)[clusters, None], second, first)
        (x, u), (y, v) = np.nansum(a, axis=0), np.nansum(b, axis=0)
        return x / u - y / v if u and v else np.inf

    count = clusters.max() + 1
    observed = abs(difference([True] * count))
    all_of_them = list(itertools.product([True, False], repeat=count))
    return np.mean([abs(difference(kept)) >= observed - 1e-9 for kept in all_of_them])


@each("number", some_seeds(20))
def test_ratios_equal_all_exchanges_one_by_one(number):
    draws = stream(number, "ratios")
    n, count = 16, 7
    clusters = np.concatenate((np.arange(count), (draws.uniform(n - count) * count).astype(int)))
    first, second = np.zeros((n, 2)), np.zeros((n, 2))
    for scores, rate in ((first, 0.7), (second, 0.4)):
        scores[:, 1] = draws.uniform(n) < 0.8
        scores[:, 0] = scores[:, 1] * (draws.uniform(n) < rate)
    (found,) = randomization_test(first[:, None], second[:, None], clusters)
    assert found == pytest.approx(by_brute_force(first, second, clusters), abs=1e-12)


def test_drawn_exchanges_of_0_and_1_come_to_a_sign_test():
    draws = stream(1, "scipy")
    apart = (draws.uniform(300) < 0.3) * np.sign(draws.uniform(300) - 0.4)
    wins, losses = int((apart > 0).sum()), int((apart < 0).sum())
    sign_test = stats.binomtest(wins, wins + losses).pvalue
    assert p_of(np.maximum(apart, 0), np.maximum(-apart, 0)) == pytest.approx(sign_test, abs=0.01)


def test_undefined_ratios_have_no_p_and_exchanges_without_hits_count_as_large():
    first, second = np.array([[1.0, 1], [0, 0]]), np.array([[0.0, 0], [0, 0]])
    assert randomization_test(first[:, None], second[:, None], np.arange(2)) == [None]
    second[1] = 0, 1
    # Exchanging one of the two leaves one system without a hit: undefined.
    assert randomization_test(first[:, None], second[:, None], np.arange(2)) == [1.0]


def test_many_scores_at_once_and_parts_leave_no_trace(monkeypatch):
    draws = stream(3, "many")
    first, second = (
        np.concatenate([means(draws.uniform(50)) for _ in range(3)], axis=1) for _ in "ab"
    )
    together = randomization_test(first, second, np.arange(50), exchanges=500, seed=4)
    alone = [p_of(first[:, i, 0], second[:, i, 0], exchanges=500, seed=4) for i in range(3)]
    assert together == alone
    monkeypatch.setattr("rulemine.evaluation.statistics.significance.AT_ONCE", 1)
    assert randomization_test(first, second, np.arange(50), exchanges=500, seed=4) == together


def test_holm_by_hand_and_against_scipy():
    # 4 · 0.005, 3 · 0.01, 2 · 0.03, then not below what came before
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert (holm([0.6, None, 0.7]), holm([])) == ([1.0, None, 1.0], [])
    p = np.sort(stream(0, "holm").uniform(9) ** 2)
    # Holm's is the largest Bonferroni so far; Hochberg-type procedures are never above it.
    largest = np.minimum(1, np.maximum.accumulate(p * np.arange(9, 0, -1)))
    assert holm(p.tolist()) == pytest.approx(largest)
    assert all(np.array(holm(p.tolist())) >= stats.false_discovery_control(p, method="bh") - 1e-12)


TABLES = [
    ([30, 10], [20, 20]), ([5, 7, 9, 2], [6, 6, 8, 3]), ([1000, 0], [0, 1000]), ([12, 13, 14], [12, 13, 14]),
    ([300, 200, 100, 50, 20, 5], [310, 190, 120, 40, 10, 5]), ([1900, 60, 40], [1600, 300, 100]),
]  # fmt: skip


def rows(counts):
    return [i for i, n in enumerate(counts) for _ in range(n)]


def test_it_is_what_scipy_finds():
    for first, second in TABLES:
        found = compare_classes(rows(first), rows(second))
        known = stats.chi2_contingency([first, second], correction=False)
        assert found.statistic == pytest.approx(known.statistic, abs=1e-9)
        assert (found.dof, found.n) == (known.dof, sum(first) + sum(second))
        assert found.p == pytest.approx(known.pvalue, rel=1e-9, abs=1e-300)
        assert found.v == pytest.approx(stats.contingency.association([first, second]), abs=1e-12)
        assert found.least == pytest.approx(known.expected_freq.min())
        assert 0 <= found.low <= found.v <= found.high <= 1


def test_what_is_undefined_and_what_is_at_the_ends():
    assert compare_classes(["a"] * 5, ["a"] * 5) is None
    assert compare_classes([], []) is None
    same = compare_classes(["a", "b"] * 9, ["a", "b"] * 9)
    assert (same.statistic, same.p, same.v, same.low, same.high) == (0, 1, 0, 0, 0)
    mixed = compare_classes(["a", "b"] * 9, ["b", "a"] * 9)
    assert (mixed.v, mixed.low) == (0, 0)
    assert mixed.high > 0.2  # the same counts, by chance


@pytest.mark.slow
def test_the_interval_covers_the_true_value_as_often_as_it_says():
    for matched, moved in itertools.product((0.0, 0.6), (0.0, 0.1)):
        rng = np.random.default_rng(7)
        shares = np.array([[0.5, 0.3, 0.2], [0.5 - moved, 0.3, 0.2 + moved]])
        true = float(np.sqrt(((shares[0] - shares[1]) ** 2 / shares.sum(axis=0)).sum() / 2))
        within = 0
        for _ in range(100):
            one = rng.random(200)
            other = np.where(rng.random(200) < matched, one, rng.random(200))
            ends = (
                np.searchsorted(np.cumsum(p), u) for p, u in zip(shares, (one, other), strict=True)
            )
            found = compare_classes(*(side.tolist() for side in ends))
            within += found.low <= true <= found.high
        assert within >= 90
