"""Bootstrap resampling of questions, vectorized, with bit-for-bit reproducible results.

The questions of an evaluation are drawn n out of n with replacement, `resamples` times; every group of
a breakdown is scored on those of its questions that were drawn, so one set of draws serves the whole
report, and two systems are compared on the same draws (a paired bootstrap). Intervals are percentile
intervals (Efron & Tibshirani 1993, chapter 13) over the resamples in which the score is defined: a
resample without a question of the group, or for a ratio with denominator 0, is left out.

Guarantees: scores are rounded to multiples of a power of two so small (about 10⁻¹⁰ for
100,000 questions) that every sum of them is exact in double precision; hence no
order of summation, number of threads or processor changes a bit. Zeros and ones stay exact.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.metrics import mean_scores
from rulemine.seeds import stream

__all__ = ["CONFIDENCE", "MeanScores", "Resamples", "interval"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

CONFIDENCE = 0.95
"""Coverage of the intervals."""

DRAWS_AT_ONCE = 1 << 21
"""About how many questions are drawn at once, to bound memory."""

EXACT_BITS = 52
"""Bits that a sum may use: doubles carry 53."""


class MeanScores(NamedTuple):
    """Mean scores of a group of questions.

    Attributes:
        value: Shape (columns,): the mean over the group; NaN when it has no question.
        resampled: Shape (resamples, columns): the mean in each resample; NaN where the resample has no
            question of the group.
    """

    value: Floats
    resampled: Floats


class Resamples:
    """Resampled sums of scores, for any group made of whole strata.

    Args:
        scores: Shape (n, columns), n ≥ 1, values in [−1, 1]; rows in a fixed order (question ids).
        strata: Shape (n,): the stratum of each question, numbered from 0. Groups are unions of strata.
        resamples: Number of resamples, ≥ 1.
        seed: Seed of the draws, which depend on nothing else but n and `resamples`.
    """

    def __init__(self, scores: Floats, strata: Ints, resamples: int, seed: int) -> None:
        n, columns = scores.shape
        grain = 2.0 ** (EXACT_BITS - 1 - math.ceil(math.log2(n + 1)))
        rounded = np.rint(scores * grain) / grain
        self._scores = scores
        self._rounded = rounded
        self._strata = strata
        order = np.argsort(strata, kind="stable")
        ends = np.cumsum(np.bincount(strata, minlength=int(strata.max()) + 1))
        weighted = np.column_stack((rounded, np.ones(n)))[order]
        # Sum of every column, and of the weights, for every resample and stratum.
        self._sums = np.zeros((resamples, len(ends), columns + 1))
        draws = stream(seed, "bootstrap")
        at_once = max(1, DRAWS_AT_ONCE // n)
        for start in range(0, resamples, at_once):
            stop = min(resamples, start + at_once)
            drawn = (draws.uniform((stop - start) * n) * n).astype(np.int64)
            drawn += np.repeat(np.arange(stop - start) * n, n)
            counts = np.bincount(drawn, minlength=(stop - start) * n).reshape(-1, n)
            weights = counts[:, order].astype(np.float64)
            low = 0
            for stratum, high in enumerate(ends.tolist()):
                self._sums[start:stop, stratum] = weights[:, low:high] @ weighted[low:high]
                low = high

    def means(self, rows: npt.NDArray[np.bool_]) -> MeanScores:
        """The means of a group.

        Args:
            rows: Shape (n,): which questions are in the group; a union of whole strata.
        """
        chosen = np.unique(self._strata[rows])
        sums = self._sums[:, chosen].sum(axis=1)
        weight = sums[:, -1:]
        value = mean_scores(self._scores[rows])
        resampled = np.full((len(sums), len(value)), np.nan)
        np.divide(sums[:, :-1], weight, out=resampled, where=weight > 0)
        # Undoes the shift from rounding, so that a group of equal scores has no spread at all.
        return MeanScores(value, resampled + (value - mean_scores(self._rounded[rows])))


def interval(values: Floats, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """The percentile interval of resampled values.

    Args:
        values: Shape (resamples,); NaN where undefined, which is left out.
        confidence: Coverage, in (0, 1).

    Returns:
        Lower and upper bound (linear between neighboring values), or None when no value is defined.
    """
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)
