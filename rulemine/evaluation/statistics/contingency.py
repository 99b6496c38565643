"""Whether two samples have the same distribution over classes: chi-square and Cramér's V, with an interval.

The statistic is Pearson's, of the 2 × c table of counts without the columns that are empty in both samples,
not corrected; V = √(χ² / n) (Cramér, "Mathematical Methods of Statistics", 1946), as the smaller side of the
table is 2. With fewer than two columns or an empty sample all is undefined.

The interval of V is made of the noncentral chi-square distributions under which a statistic as large, or
as small, has a chance of 2.5 % (Steiger and Fouladi 1997; Smithson, "Confidence Intervals", 2003): χ² / n of
the population is the noncentrality divided by n. It is not a bootstrap: resampling adds differences of its
own to those that are there, so resampled V are too large near zero, which is where they are of interest, and
never reach it. Where the statistic is smaller than chance makes it even under equality, the interval is
widened to have V in it.

Rows are taken as independent. Where they are matched across samples, as the questions on one seed text are,
counts differ less than that, so that p is too large and the interval too wide rather than the reverse.

Guarantee: no sum depends on anything but the counts.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["ChiSquare", "chi_square"]

TAIL = 0.025
"""Chance left out at either end of the interval."""

HALVINGS = 40
"""Of the range of the noncentrality: far below a thousandth of V."""

SPREADS = 12
"""Standard deviations of the Poisson distribution beyond which its terms are nothing."""


class ChiSquare(NamedTuple):
    """A comparison of two samples.

    Attributes:
        n: Rows of both samples.
        statistic: Pearson's statistic, ≥ 0.
        dof: Degrees of freedom: columns that are not empty, less one.
        p: The chance of a statistic as large if the distributions are equal.
        v: Cramér's V, 0 … 1.
        low: Lower bound of its 95 % interval.
        high: Upper bound.
        least: The smallest count that is expected; below 5 the distribution of the statistic is rough.
    """

    n: int
    statistic: float
    dof: int
    p: float
    v: float
    low: float
    high: float
    least: float


def chi_square(first: Sequence[int], second: Sequence[int]) -> ChiSquare | None:
    """Compares two samples.

    Args:
        first: Counts of one sample, of each class.
        second: Those of the other, of the same classes.

    Returns:
        None where nothing is defined.

    Example:
        >>> found = chi_square([30, 10, 0], [20, 20, 0])
        >>> found.dof, round(found.statistic, 3), round(found.p, 4), round(found.v, 3)
        (1, 5.333, 0.0209, 0.258)
    """
    columns = [(a, b) for a, b in zip(first, second, strict=True) if a + b]
    sums = [sum(side) for side in zip(*columns, strict=True)]
    if len(columns) < 2 or not all(sums):
        return None
    n, dof = sum(sums), len(columns) - 1
    # (a − expected)² / expected over both rows of a column is (a·B − b·A)² / (A·B·(a + b)).
    statistic = math.fsum(
        (a * sums[1] - b * sums[0]) ** 2 / (sums[0] * sums[1] * (a + b)) for a, b in columns
    )
    least = min(sums) * min(a + b for a, b in columns) / n
    tails = _Tails(statistic, dof, n)
    v = min(1.0, math.sqrt(statistic / n))
    low = math.sqrt(tails.noncentrality(TAIL) / n)
    high = math.sqrt(tails.noncentrality(1 - TAIL) / n)
    return ChiSquare(n, statistic, dof, tails.chance(0.0), v, min(low, v), max(high, v), least)


class _Tails:
    """The chance of a noncentral chi-square at least as large as a statistic.

    It is that of central ones with two degrees of freedom more each time, weighted by a Poisson distribution
    (Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", 1995, chapter 29).
    """

    def __init__(self, statistic: float, dof: int, most: float) -> None:
        """For noncentralities from 0 to `most`."""
        self._most = most
        half = statistic / 2
        terms = int(most / 2 + SPREADS * math.sqrt(most / 2)) + SPREADS
        # Chances with 1 or 2 degrees of freedom, to which two at a time are added.
        chance = math.erfc(math.sqrt(half)) if dof % 2 else math.exp(-half)
        shape = (dof % 2 or 2) / 2
        self._central = []
        for _ in range((dof - 1) // 2 + terms):
            self._central.append(min(1.0, chance))
            if half:
                chance += math.exp(shape * math.log(half) - half - math.lgamma(shape + 1))
            shape += 1
        if not half:
            self._central = [1.0] * len(self._central)
        del self._central[: (dof - 1) // 2]

    def chance(self, noncentrality: float) -> float:
        """The chance under a noncentrality."""
        mean = noncentrality / 2
        if not mean:
            return self._central[0]
        spread = SPREADS * math.sqrt(mean) + SPREADS
        places = range(max(0, int(mean - spread)), min(len(self._central), int(mean + spread) + 1))
        return math.fsum(
            math.exp(j * math.log(mean) - mean - math.lgamma(j + 1)) * self._central[j]
            for j in places
        )

    def noncentrality(self, chance: float) -> float:
        """The noncentrality under which the chance is the one given; within the range."""
        if self.chance(0.0) >= chance:
            return 0.0
        low, high = 0.0, self._most
        if self.chance(high) <= chance:
            return high
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.chance(middle) < chance else (low, middle)
        return low
