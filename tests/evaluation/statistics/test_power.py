"""Sample sizes by hand, against scipy, and against drawing."""

import math

import numpy as np
import pytest
from scipy import stats

from rulemine.errors import ConfigError
from rulemine.evaluation.statistics.power import (
    Spread,
    observed_spread,
    questions_needed,
    smallest_difference,
    spread_of_rates,
)
from rulemine.seeds import stream


def test_by_hand():
    # (1.96 + 0.8416)² / 0.1² = 784.9
    assert questions_needed(0.1, Spread(1, 1)) == 785
    assert questions_needed(0.1, Spread(1, 1, design_effect=2)) == 1570
    # 50 % and 60 %, independent: f = 0.5; (1.96 · √0.5 + 0.8416 · √0.49)² / 0.01 = 390.1 …
    wide = 1.959964 * math.sqrt(0.5) + 0.841621 * math.sqrt(0.49)
    assert questions_needed(0.1, spread_of_rates(0.5, 0.6)) == math.ceil(wide**2 / 0.01) == 391
    # … and if one is right wherever the other is, f = 0.1: 77 questions
    assert questions_needed(0.1, spread_of_rates(0.5, 0.6, differ=0.1)) == 77
    assert smallest_difference(785, Spread(1, 1)) == pytest.approx(0.1, abs=1e-4)


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9), (0.1, 0.7)])
@pytest.mark.parametrize("difference", [0.02, 0.1])
def test_power_of_the_t_test_by_scipy(alpha, power, difference):
    n = questions_needed(difference, Spread(0.6, 0.6), alpha=alpha, power=power)
    shift = difference / 0.6 * math.sqrt(n)
    critical = stats.t.ppf(1 - alpha / 2, n - 1)
    reached = stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift)
    assert reached == pytest.approx(power, abs=0.005)


def test_power_of_the_exact_test_of_rates_by_scipy():
    """Of n questions b ~ B(n, f) differ, w ~ B(b, …) of them in favor; the sign test on b and w."""
    first, second, differ = 0.6, 0.7, 0.3
    n = questions_needed(0.1, spread_of_rates(first, second, differ=differ))
    reached = 0.0
    for b in range(n + 1):
        wins = np.arange(b + 1)
        claimed = stats.binom.cdf(np.minimum(wins, b - wins), b, 0.5) * 2 <= 0.05
        of_wins = stats.binom.pmf(wins, b, (differ + 0.1) / 2 / differ)
        reached += stats.binom.pmf(b, n, differ) * of_wins[claimed].sum()
    assert 0.77 < reached < 0.82  # the exact test is a little conservative


def means(values):
    return np.stack((values, np.ones(len(values))), axis=1)


def test_observed_spread_by_hand():
    first, second = means(np.array([1.0, 1, 0, 0])), means(np.array([0.0, 0, 0, 0]))
    # Differences 1, 1, 0, 0: variance 1/3. Alone, no design effect.
    alone = observed_spread(first, second, np.arange(4))
    assert alone == pytest.approx((math.sqrt(1 / 3), math.sqrt(1 / 3), 1.0))
    # Sums of clusters {1, 1} and {0, 0} around the mean: ±1; variance of the mean 2 · 2/16 = 1/4, not 1/12.
    paired = observed_spread(first, second, np.array([0, 0, 1, 1]))
    assert paired is not None
    assert paired.design_effect == pytest.approx(3)
    assert observed_spread(first, first, np.arange(4)) == (0, 0, 1)
    assert observed_spread(first, second, np.zeros(4, int)) is None
    without = np.array([[0.0, 0.0]] * 4)
    assert observed_spread(first, without, np.arange(4)) is None
    left_out = np.vstack((first, [[np.nan, np.nan]])), np.vstack((second, [[np.nan, np.nan]]))
    assert observed_spread(*left_out, np.arange(5)) == alone


def test_observed_spread_of_a_ratio_is_that_of_drawing():
    """The standard error of a difference of ratios over clusters, against drawing anew 2,000 times."""
    found, errors = [], []
    for number in range(2000):
        draws = stream(number, "ratio")
        alike = np.repeat(draws.uniform(150), 2)
        first, second = np.zeros((300, 2)), np.zeros((300, 2))
        for scores, any_, hard in ((first, 0.8, 0.5), (second, 0.6, 0.3)):
            scores[:, 1] = draws.uniform(300) < any_
            scores[:, 0] = scores[:, 1] * (0.5 * alike + 0.5 * draws.uniform(300) < hard)
        ratios = [s[:, 0].sum() / s[:, 1].sum() for s in (first, second)]
        found.append(ratios[0] - ratios[1])
        if number < 20:
            spread = observed_spread(first, second, np.repeat(np.arange(150), 2))
            assert spread is not None
            errors.append(spread.null * math.sqrt(spread.design_effect / 300))
    assert np.mean(errors) == pytest.approx(np.std(found), rel=0.06)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: questions_needed(5, Spread(1, 1)), "0.05 is 5 points"),
        (lambda: questions_needed(0, Spread(1, 1)), "0.05 is 5 points"),
        (lambda: questions_needed(math.nan, Spread(1, 1)), "0.05 is 5 points"),
        (lambda: questions_needed(0.1, Spread(1, 1), alpha=5), "alpha is 5"),
        (lambda: questions_needed(0.1, Spread(1, 1), power=80), "power 80"),
        (lambda: spread_of_rates(60, 70), "expected fractions"),
        (lambda: spread_of_rates(0.6, 0.7, differ=0.05), "between 0.1 and 0.7"),
        (lambda: spread_of_rates(0.6, 0.7, design_effect=0), "design effect is 0"),
    ],
)
def test_numbers_out_of_range(call, told):
    with pytest.raises(ConfigError, match=told):
        call()
