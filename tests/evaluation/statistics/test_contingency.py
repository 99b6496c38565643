"""Chi-square, Cramér's V and its interval, against scipy and against simulated samples."""

import numpy as np
import pytest
from scipy import stats

from rulemine.evaluation.statistics.contingency import chi_square

TABLES = [
    ([30, 10], [20, 20]),
    ([5, 7, 9, 1], [6, 6, 8, 3]),
    ([300, 200, 100, 50, 20, 5], [310, 190, 120, 40, 10, 9]),
    ([1000, 0], [0, 1000]),
    ([12, 13, 14], [12, 13, 14]),
    ([1900, 60, 40], [1600, 300, 100]),
]


@pytest.mark.parametrize(("first", "second"), TABLES)
def test_it_is_what_scipy_finds(first, second):
    found = chi_square(first, second)
    known = stats.chi2_contingency([first, second], correction=False)
    assert found.statistic == pytest.approx(known.statistic, abs=1e-9)
    assert (found.dof, found.n) == (known.dof, sum(first) + sum(second))
    assert found.p == pytest.approx(known.pvalue, rel=1e-9, abs=1e-300)
    assert found.v == pytest.approx(stats.contingency.association([first, second]), abs=1e-12)


@pytest.mark.parametrize(("first", "second"), TABLES[:3] + TABLES[5:])
def test_the_bounds_leave_a_chance_of_one_in_forty_at_either_end(first, second):
    found = chi_square(first, second)
    high = stats.ncx2.sf(found.statistic, found.dof, found.n * found.high**2)
    assert high == pytest.approx(0.975, abs=1e-6)
    if found.low:
        low = stats.ncx2.sf(found.statistic, found.dof, found.n * found.low**2)
        assert low == pytest.approx(0.025, abs=1e-6)
    else:
        assert found.p >= 0.025


def test_what_is_undefined_and_what_is_at_the_ends():
    assert chi_square([5, 0], [7, 0]) is None  # one column
    assert chi_square([5, 3], [0, 0]) is None  # an empty sample
    assert chi_square([], []) is None
    assert chi_square([5, 0, 3], [2, 0, 9]) == chi_square([5, 3], [2, 9])
    same, apart = chi_square([12, 13, 14], [12, 13, 14]), chi_square([1000, 0], [0, 1000])
    assert (same.statistic, same.p, same.v, same.low) == (0, 1, 0, 0)
    assert (apart.v, apart.high, apart.p) == (1, 1, 0)
    less_than_chance = chi_square([1000, 1000, 1000], [1001, 1000, 1000])
    assert less_than_chance.low <= less_than_chance.v <= less_than_chance.high


def test_the_interval_covers_the_true_value_as_often_as_it_says():
    rng = np.random.default_rng(0)
    shares = np.array([[0.5, 0.3, 0.2], [0.4, 0.3, 0.3]])
    mean = shares.mean(axis=0)
    true = float(np.sqrt((((shares - mean) ** 2) / mean).sum() / 2))
    draws = [[rng.multinomial(300, row).tolist() for row in shares] for _ in range(200)]
    within = [(found := chi_square(*one)).low <= true <= found.high for one in draws]
    assert 0.91 < np.mean(within) < 0.985
