"""Chi-square and Cramér's V against scipy; their interval against simulated samples."""

import numpy as np
import pytest
from scipy import stats

from rulemine.evaluation.statistics.contingency import compare_classes

TABLES = [
    ([30, 10], [20, 20]),
    ([5, 7, 9, 2], [6, 6, 8, 3]),
    ([300, 200, 100, 50, 20, 5], [310, 190, 120, 40, 10, 5]),
    ([1000, 0], [0, 1000]),
    ([12, 13, 14], [12, 13, 14]),
    ([1900, 60, 40], [1600, 300, 100]),
]


def rows(counts):
    return [i for i, n in enumerate(counts) for _ in range(n)]


@pytest.mark.parametrize(("first", "second"), TABLES)
def test_it_is_what_scipy_finds(first, second):
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


@pytest.mark.parametrize("matched", [0.0, 0.6])
@pytest.mark.parametrize("moved", [0.0, 0.1])
def test_the_interval_covers_the_true_value_as_often_as_it_says(matched, moved):
    rng = np.random.default_rng(7)
    shares = np.array([[0.5, 0.3, 0.2], [0.5 - moved, 0.3, 0.2 + moved]])
    true = float(np.sqrt(((shares[0] - shares[1]) ** 2 / shares.sum(axis=0)).sum() / 2))
    within = []
    for _ in range(100):
        one = rng.random(200)
        other = np.where(rng.random(200) < matched, one, rng.random(200))
        sides = [
            np.searchsorted(np.cumsum(p), u) for p, u in zip(shares, (one, other), strict=True)
        ]
        found = compare_classes(*(side.tolist() for side in sides))
        within.append(found.low <= true <= found.high)
    assert np.mean(within) >= 0.9
