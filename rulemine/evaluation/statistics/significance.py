"""Is a difference more than chance? A randomization test for systems, chi-square for samples of classes.

**Systems.** If it made no difference which system gave which answers, the two could be exchanged on any
cluster of questions (`rulemine.release.groups`) without a trace. So they are, on every cluster with
probability ½ and independently, many times; p is the fraction of the exchanges whose difference is at least
as large, in either direction, as the one that was observed (Fisher 1935; Noreen, "Computer-Intensive Methods
for Testing Hypotheses", 1989; for retrieval Smucker et al., CIKM 2007). With few clusters that differ, all
exchanges are made and p is exact; else p = (1 + as large) / (1 + exchanges), which is never 0.

Many comparisons at once need a correction: `holm` (Holm 1979) keeps the chance of even one false claim among
all at the level tested.

**Classes.** The statistic is Pearson's, of the 2 × c table of counts without the columns that are empty in
both samples, not corrected; V = √(χ² / n) (Cramér, "Mathematical Methods of Statistics", 1946), as the
smaller side of the table is 2. With fewer than two columns all is undefined.

The test takes rows as independent. Where they are matched across samples, as the questions on one seed text
are, counts differ less than that, so that p is too large. The interval of V draws matched rows together, with
replacement. Resampling adds differences of its own to those that are there: V² is too large by their mean in
the sample, and by twice that in a resample. So twice the mean excess is taken off every resampled V² (0 at
least) before the percentiles. For matched and independent rows, n of 90 to 4,000 and V of 0 to 0.12, such
intervals had V in them in 93 % of simulated samples or more; those from the noncentral χ², which knows no
matching, in 89 %.

Guarantees: the same scores and seed give the same p to the last bit, whatever the order of summation (sums
are exact, as in `rulemine.evaluation.statistics.bootstrap`); exchanging the systems changes nothing. A
comparison of classes depends on nothing but the counts, which rows are matched, and the seed.
"""

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.statistics.bootstrap import (
    Bools,
    Floats,
    Ints,
    exact_product,
    interval,
    rounded_for_sums,
)
from rulemine.seeds import stream

__all__ = ["EXCHANGES", "ChiSquare", "compare_classes", "holm", "randomization_test"]

EXCHANGES = 10_000
"""Exchanges of a test; all are made where there are no more."""

RESAMPLES = 1000
"""Of the interval of Cramér's V."""

AT_ONCE = 1 << 22
"""About how many clusters are exchanged or kept at once, to bound memory."""

_SAME = 1e-9  # differences this close are equal: thirds are not exact


def randomization_test(
    first: Floats, second: Floats, clusters: Ints, *, exchanges: int = EXCHANGES, seed: int = 0
) -> list[float | None]:
    """The p-value of the paired difference of each score, two-sided.

    Args:
        first: The scores of one system, shape (n, scores, 2): of each question the numerator and the
            denominator, NaN where it does not have the score; the score of a set of questions is the
            ratio of their sums. A mean has denominators 1.
        second: Those of the other, on the same questions.
        clusters: Shape (n,): the cluster of each question, numbered from 0.
        exchanges: How many exchanges are made at most, ≥ 1.
        seed: Seed of the draws, ≥ 0.

    Returns:
        Of each score, in (0, 1]; None where it is undefined for one of the systems. An exchange that
        makes it undefined counts as large.

    Example:
        >>> ones = np.ones((3, 1))
        >>> better, worse = (np.stack((k * ones, ones), axis=2) for k in (1, 0))
        >>> randomization_test(better, worse, np.arange(3))  # of 8 exchanges, 2 are as large
        [0.25]
    """
    n, scores, _ = first.shape
    count = int(clusters.max()) + 1 if n else 0
    flat = np.concatenate((first.reshape(n, -1), second.reshape(n, -1)), axis=1)
    values = rounded_for_sums(np.nan_to_num(flat), n)
    sums = np.empty((values.shape[1], count))
    for column, of_question in enumerate(values.T):
        sums[column] = np.bincount(clusters, of_question, count)
    a, b = sums.reshape(2, scores, 2, count)
    both, apart = (a + b).sum(axis=2) / 2, (a - b) / 2  # sums of the first: both ± apart
    observed = _differences(both, apart.sum(axis=2))
    found: list[float | None] = [None] * scores
    differing = (apart != 0).any(axis=1)
    drawn: list[int] = []
    for score in range(scores):
        if np.isnan(observed[score]):
            continue
        few = int(differing[score].sum())
        if few < 63 and 1 << few <= exchanges:
            kept = np.arange(1 << few)[:, None] >> np.arange(few) & 1
            shift = (1.0 - 2.0 * kept) @ apart[score][:, differing[score]].T
            differences = _differences(both[score], shift)
            found[score] = float(_as_large(differences, observed[score]).sum()) / len(differences)
        else:
            drawn.append(score)
    if drawn:
        large = np.ones(len(drawn), np.int64)
        apart_drawn = apart[drawn].reshape(-1, count)
        some = apart_drawn.any(axis=0)  # exchanging the others changes nothing
        for signs in _signs(count, exchanges, seed):
            shift = exact_product(signs[:, some].astype(np.float64), apart_drawn[:, some].T)
            differences = _differences(both[drawn], shift.reshape(-1, len(drawn), 2))
            large += _as_large(differences, observed[drawn]).sum(axis=0)
        for score, many in zip(drawn, large.tolist(), strict=True):
            found[score] = many / (1 + exchanges)
    return found


def _differences(both: Floats, shift: Floats) -> Floats:
    """The differences of the ratios whose sums are ``both + shift`` and ``both - shift``; NaN undefined."""
    a, b = both + shift, both - shift
    found = np.full(a.shape[:-1], np.nan)
    defined = (a[..., 1] > 0) & (b[..., 1] > 0)
    found[defined] = a[defined, 0] / a[defined, 1] - b[defined, 0] / b[defined, 1]
    return found


def _as_large(differences: Floats, observed: Floats) -> Bools:
    """Whether differences are as large as the observed one, either way; undefined ones (NaN) are."""
    limit = np.abs(observed) * (1 - _SAME) - _SAME
    return np.isnan(differences) | (np.abs(differences) >= limit)


def _signs(clusters: int, exchanges: int, seed: int) -> Iterator[npt.NDArray[np.int8]]:
    """1 or −1 for each cluster in each exchange, in parts of the rows."""
    draws = stream(seed, "randomization test")
    at_once = max(1, AT_ONCE // max(1, clusters))
    for start in range(0, exchanges, at_once):
        part = min(exchanges, start + at_once) - start
        yield 1 - 2 * draws.coins(part, clusters).astype(np.int8)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values: to be compared with the level as they are.

    Args:
        p_values: p of each comparison of the family; None where undefined, which is no comparison.

    Returns:
        In the same order; at most 1, None where undefined.

    Example:
        >>> holm([0.01, 0.04, None, 0.03])
        [0.03, 0.06, None, 0.06]
    """
    found: list[float | None] = [None] * len(p_values)
    defined = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    most = 0.0
    for rank, (p, i) in enumerate(defined):
        most = max(most, min(1.0, (len(defined) - rank) * p))
        found[i] = most
    return found


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


def compare_classes(
    first: Sequence[Hashable], second: Sequence[Hashable], seed: int = 0
) -> ChiSquare | None:
    """Compares two samples.

    Args:
        first: The class of each row of one sample.
        second: Those of the other; rows at one place are matched.
        seed: Of the resamples.

    Returns:
        None where nothing is defined.

    Example:
        >>> found = compare_classes(["film"] * 30 + ["music"] * 10, ["film"] * 20 + ["music"] * 20)
        >>> found.dof, round(found.statistic, 3), round(found.p, 4), round(found.v, 3)
        (1, 5.333, 0.0209, 0.258)
    """
    place: dict[Hashable, int] = {}
    sides = np.array(
        [[place.setdefault(row, len(place)) for row in side] for side in (first, second)], np.int64
    )
    rows, classes = sides.shape[1], len(place)
    if classes < 2:
        return None
    share = _squared(sides, classes)
    statistic, v = share * 2 * rows, math.sqrt(share)
    draws = stream(seed, "classes")
    drawn = ((draws.uniform(rows) * rows).astype(np.int64) for _ in range(RESAMPLES))
    resampled = np.array([_squared(sides[:, places], classes) for places in drawn])
    excess = max(0.0, math.fsum(resampled.tolist()) / RESAMPLES - share)
    low, high = interval(np.sqrt(np.maximum(0.0, resampled - 2 * excess))) or (v, v)
    least = float(np.bincount(sides.ravel()).min()) / 2
    chance = _chance(statistic, classes - 1)
    return ChiSquare(2 * rows, statistic, classes - 1, chance, v, min(low, v), max(high, v), least)


def _squared(sides: Ints, classes: int) -> float:
    """V² of two samples; with as many rows in both χ² is Σ (a − b)² / (a + b)."""
    a, b = (np.bincount(side, minlength=classes) for side in sides)
    return math.fsum(((a - b) ** 2 / np.maximum(1, a + b)).tolist()) / sides.size


def _chance(statistic: float, dof: int) -> float:
    """The chance of a χ² at least as large, in closed form: a sum over every second degree of freedom."""
    half = statistic / 2
    if not half:
        return 1.0
    chance = math.erfc(math.sqrt(half)) if dof % 2 else math.exp(-half)
    shape = (dof % 2 or 2) / 2
    while shape < dof / 2:
        chance += math.exp(shape * math.log(half) - half - math.lgamma(shape + 1))
        shape += 1
    return min(1.0, chance)
