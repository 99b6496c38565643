"""How many questions a comparison needs, and what the questions at hand can show.

A difference d of two systems on the same questions is seen with the chance ``power`` by a two-sided test at
the level ``alpha`` if there are at least

    n = design effect · ((z(1 − alpha/2) · s₀ + z(power) · s₁) / d)²

questions, where s is the standard deviation of the paired difference of a question's scores, s₀ without and
s₁ with the difference d, and z the quantiles of the normal distribution. Measured on two systems, both are
the one that was observed. For scores of 0 and 1 with the rates p and q, which differ on a fraction f of the
questions, s₀² = f and s₁² = f − (p − q)² (Miettinen, Biometrics 1968; Connor, Biometrics 1987, for McNemar's
test); f = p(1 − q) + q(1 − p) where the systems are independent, and less where the same questions are hard
for both. The *design effect* (Kish, "Survey Sampling", 1965) is what clusters cost: the variance of the mean
over clusters of questions, divided by that of as many questions one by one.

A score that is a ratio of two means is treated by its linear part: the difference of (numerator − ratio ·
denominator) / mean denominator.
"""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from rulemine.errors import ConfigError
from rulemine.evaluation.statistics.bootstrap import Floats, Ints

__all__ = [
    "Spread",
    "observed_spread",
    "questions_needed",
    "smallest_difference",
    "spread_of_rates",
]

ALPHA = 0.05
"""Level of the test."""

POWER = 0.8
"""Chance of seeing the difference."""


class Spread(NamedTuple):
    """What the number of questions depends on, beside the difference.

    Attributes:
        null: Standard deviation of the paired difference of a question if there is no difference, ≥ 0.
        alternative: The same if there is.
        design_effect: What clusters cost, > 0; 1 without clusters.
    """

    null: float
    alternative: float
    design_effect: float = 1.0


def spread_of_rates(
    first: float, second: float, *, differ: float | None = None, design_effect: float = 1.0
) -> Spread:
    """The spread of two systems that answer given fractions of the questions.

    Args:
        first: The fraction of one, in [0, 1].
        second: That of the other.
        differ: On which fraction of the questions just one of them is right; None as if independent.
        design_effect: What clusters cost.

    Raises:
        ConfigError: A number is out of range, or no two such systems can differ so much or so little.

    Example:
        >>> questions_needed(0.1, spread_of_rates(0.5, 0.6))
        391
    """
    if not (0 <= first <= 1 and 0 <= second <= 1):
        raise ConfigError(
            f"rates are {first:g} and {second:g}; expected fractions from 0 to 1, e.g. 0.62."
        )
    if not (design_effect > 0 and math.isfinite(design_effect)):
        raise ConfigError(f"design effect is {design_effect:g}; expected a number above 0.")
    least, most = abs(first - second), min(first + second, 2 - first - second)
    if differ is None:
        differ = first * (1 - second) + second * (1 - first)
    elif not least - 1e-12 <= differ <= most + 1e-12:
        raise ConfigError(
            f"the systems cannot differ on {differ:g} of the questions: with the rates {first:g} and "
            f"{second:g} the share is between {least:g} and {most:g}."
        )
    return Spread(math.sqrt(differ), math.sqrt(max(0.0, differ - least**2)), design_effect)


def observed_spread(first: Floats, second: Floats, clusters: Ints) -> Spread | None:
    """The spread of two systems that answered the same questions.

    Args:
        first: The scores of one, shape (n, 2): numerator and denominator of each question, as in
            `rulemine.evaluation.statistics.significance.randomization_test`; NaN where it does not have the
            score.
        second: Those of the other.
        clusters: Shape (n,): the cluster of each question.

    Returns:
        None where a score is undefined, or fewer than two clusters have one.
    """
    having = ~(np.isnan(first[:, 0]) & np.isnan(second[:, 0]))
    a, b = np.nan_to_num(first[having]), np.nan_to_num(second[having])
    clusters, members = np.unique(clusters[having], return_inverse=True)
    n, count = len(members), len(clusters)
    if count < 2 or not (a[:, 1].sum() > 0 and b[:, 1].sum() > 0):
        return None
    apart = _linear(a) - _linear(b)  # around 0
    squares = math.fsum((apart**2).tolist())
    if squares == 0:
        return Spread(0.0, 0.0)
    deviation = math.sqrt(squares / (n - 1))
    sums = np.bincount(members, apart, count)
    of_mean = math.fsum((sums**2).tolist()) * count / (count - 1) / n**2
    return Spread(deviation, deviation, of_mean / (deviation**2 / n))


def _linear(score: Floats) -> Floats:
    """What each question adds to a ratio of means, times the number of questions; around 0."""
    numerator, denominator = score.T
    whole = math.fsum(denominator.tolist())
    ratio = math.fsum(numerator.tolist()) / whole
    found: Floats = (numerator - ratio * denominator) * (len(score) / whole)
    return found


def questions_needed(
    difference: float, spread: Spread, *, alpha: float = ALPHA, power: float = POWER
) -> int:
    """How many questions show a difference.

    Args:
        difference: The difference of the scores, 0 < d ≤ 1: 0.05 is 5 points.
        spread: The spread of the systems.
        alpha: Level of the two-sided test, in (0, 1).
        power: Chance of seeing it, in (0, 1), above `alpha` / 2.

    Returns:
        At least 2.

    Raises:
        ConfigError: A number is out of range.
    """
    if not 0 < difference <= 1:
        raise ConfigError(
            f"difference is {difference:g}; expected a fraction above 0, at most 1: 0.05 is 5 points."
        )
    z = _quantiles(alpha, power)
    width = z[0] * spread.null + z[1] * spread.alternative
    return max(2, math.ceil(spread.design_effect * (width / difference) ** 2 - 1e-9))


def smallest_difference(
    questions: int, spread: Spread, *, alpha: float = ALPHA, power: float = POWER
) -> float:
    """The smallest difference that a number of questions shows; the inverse of `questions_needed`.

    Args:
        questions: How many there are, ≥ 1.
        spread: The spread of the systems.
        alpha: Level of the two-sided test.
        power: Chance of seeing it.
    """
    z = _quantiles(alpha, power)
    width = z[0] * spread.null + z[1] * spread.alternative
    return width * math.sqrt(spread.design_effect / questions)


def _quantiles(alpha: float, power: float) -> tuple[float, float]:
    if not 0 < alpha < 1 or not alpha / 2 < power < 1:
        raise ConfigError(
            f"alpha is {alpha:g} and power {power:g}; expected fractions above 0 and below 1, and a power "
            "above alpha / 2."
        )
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(power)
