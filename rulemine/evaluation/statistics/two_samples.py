"""The difference of a score on two sets of questions that share none, given the same mix of questions.

The two sets are independent samples, so nothing is paired. What can be made equal is the mix: questions are
put into strata, the mean of a score is taken in every stratum of each set, and the means are added up with
the shares that the strata have in the *first* set (direct standardization; Cochran, Biometrics 1968). A ratio
of two means is the ratio of the two sums.

- Interval: clusters of questions (`rulemine.release.groups`) are drawn in each set on its own, as in
  `rulemine.evaluation.statistics.bootstrap`, and the difference is standardized anew with the same shares.
- p: if it made no difference from which set a question comes, clusters could change sets. So they do, at
  random among those that lie mostly in the same stratum, as many staying in each set as there are; p is the
  share of the exchanges whose difference is at least as large, (1 + as large) / (1 + exchanges)
  (Fisher 1935; Good, "Permutation, Parametric and Bootstrap Tests of Hypotheses", 2005, chapter 3).
- What could have been seen: the difference that a two-sided test at 5 % sees with a chance of 80 %, from
  the standard deviation of the resampled difference (`rulemine.evaluation.statistics.power`).

A stratum that has no question left in a resample or an exchange is left out of that set there, and the others
count for it. Guarantees: as in `rulemine.evaluation.statistics.bootstrap`, the bits do not depend on the
order of sums.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rulemine.evaluation.statistics.bootstrap import (
    Bools,
    Floats,
    Ints,
    Resamples,
    exact_product,
    interval,
    rounded_for_sums,
)
from rulemine.evaluation.statistics.power import Spread, smallest_difference
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.statistics.significance import EXCHANGES, as_large
from rulemine.seeds import stream

__all__ = ["FEW", "Sample", "Standardized", "standardized_differences", "strata_of"]

FEW = 5
"""A stratum has at least so many questions in each set: the spread of fewer cannot be seen."""

AT_ONCE = 1 << 20
"""About how many clusters are exchanged at once, to bound memory."""


class Sample(NamedTuple):
    """One of the two sets of questions.

    Attributes:
        scores: Shape (n, scores, 2): numerator and denominator of each question, finite; a mean has the
            denominators 1.
        clusters: Shape (n,): the cluster of each question.
        strata: Shape (n,): its stratum, numbered from 0; each has questions in both sets.
    """

    scores: Floats
    clusters: Ints
    strata: Ints


class Standardized(NamedTuple):
    """A score on both sets.

    Attributes:
        first: On the first set.
        second: On the second, with the mix of the first.
        difference: First minus second, with its interval; None where one of them is undefined, and so are
            those below.
        p: Of the randomization test.
        seen: The smallest difference that sets of these sizes show; None too where nothing varies.
    """

    first: float | None
    second: float | None
    difference: Score
    p: float | None
    seen: float | None


def strata_of(
    first: Sequence[tuple[str, tuple[int, ...]]], second: Sequence[tuple[str, tuple[int, ...]]]
) -> tuple[Ints, Ints]:
    """The strata of two sets of questions: those of a form, divided where both have enough.

    Parts of a form are joined with the next ones until there are `FEW` questions of both sets; what is left
    at the end joins the last. A form that has fewer in one of the sets is no stratum.

    Args:
        first: Form and part of each question of one set.
        second: Of the other.

    Returns:
        The stratum of each question, numbered from 0; −1 for none.

    Example:
        >>> strata_of([("a", (1,))] * 5 + [("b", (1,))], [("a", (0,))] * 6)
        (array([ 0,  0,  0,  0,  0, -1]), array([0, 0, 0, 0, 0, 0]))
    """
    counts: dict[str, dict[tuple[int, ...], list[int]]] = {}
    for side, questions in enumerate((first, second)):
        for form, part in questions:
            counts.setdefault(form, {}).setdefault(part, [0, 0])[side] += 1
    number: dict[tuple[str, tuple[int, ...]], int] = {}
    strata = 0
    for form in sorted(counts):
        waiting: list[tuple[int, ...]] = []
        have, begun = [0, 0], strata
        for part, there in sorted(counts[form].items()):
            waiting.append(part)
            have = [a + b for a, b in zip(have, there, strict=True)]
            if min(have) >= FEW:
                number |= {(form, one): strata for one in waiting}
                waiting, have, strata = [], [0, 0], strata + 1
        if strata > begun:
            number |= {(form, one): strata - 1 for one in waiting}
    a, b = (
        np.array([number.get(q, -1) for q in questions], np.int64) for questions in (first, second)
    )
    return a, b


def standardized_differences(
    first: Sample,
    second: Sample,
    *,
    resamples: int,
    exchanges: int = EXCHANGES,
    seed: int = 0,
) -> list[Standardized]:
    """Every score on two sets of questions, the second with the mix of the first.

    Args:
        first: One set, at least one question.
        second: The other, with the same scores and strata.
        resamples: Resamples of the bootstrap, ≥ 1.
        exchanges: Exchanges of the test, ≥ 1.
        seed: Seed of both, ≥ 0.

    Returns:
        A difference for each score. A set that is one cluster has no interval.
    """
    shares = np.bincount(first.strata) / len(first.strata)
    # Draws depend on the number of clusters and the seed alone; those of the two sets must not be the same.
    seeds = (seed, stream(seed, "second sample").below(1 << 52))
    (a, drawn_a), (b, drawn_b) = (
        _resampled(sample, shares, resamples, one)
        for sample, one in zip((first, second), seeds, strict=True)
    )
    p_values = _p_values(first, second, shares, exchanges, seed)
    found = []
    for i, (x, y, p) in enumerate(zip(a.tolist(), b.tolist(), p_values, strict=True)):
        drawn = drawn_a[:, i] - drawn_b[:, i]
        undefined = math.isnan(x - y)
        low, high = (None, None) if undefined else interval(drawn) or (None, None)
        found.append(
            Standardized(
                None if math.isnan(x) else x,
                None if math.isnan(y) else y,
                Score(None if undefined else x - y, low, high),
                None if undefined else p,
                None if undefined else _seen(drawn[~np.isnan(drawn)].tolist()),
            )
        )
    return found


def _resampled(sample: Sample, shares: Floats, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """The standardized scores, shape (scores,), and those of each resample, shape (resamples, scores)."""
    n, scores, _ = sample.scores.shape
    clusters = np.unique(sample.clusters, return_inverse=True)[1].reshape(n)
    groups = sample.strata == np.arange(len(shares))[:, None]
    drawn = Resamples(sample.scores.reshape(n, -1), clusters, groups, resamples, seed)
    value, resampled = np.zeros(2 * scores), np.zeros((resamples, 2 * scores))
    for stratum, share in enumerate(shares.tolist()):
        means = drawn.means(stratum, part=True)
        value += share * means.value
        resampled += share * np.nan_to_num(means.resampled)
    return _ratios(value), _ratios(resampled)


def _ratios(sums: Floats) -> Floats:
    """Numerators by denominators, side by side on the last axis; NaN where a denominator is 0."""
    found = np.full((*sums.shape[:-1], sums.shape[-1] // 2), np.nan)
    np.divide(sums[..., ::2], sums[..., 1::2], out=found, where=sums[..., 1::2] > 0)
    return found


def _seen(drawn: list[float]) -> float | None:
    if len(drawn) < 2:
        return None
    mean = math.fsum(drawn) / len(drawn)
    spread = math.sqrt(math.fsum((one - mean) ** 2 for one in drawn) / (len(drawn) - 1))
    # The spread of the difference itself, so it counts like a single question's.
    return smallest_difference(1, Spread(spread, spread)) if spread > 1e-9 else None


def _p_values(
    first: Sample, second: Sample, shares: Floats, exchanges: int, seed: int
) -> list[float]:
    """The p of each score; an exchange that makes it undefined counts as large."""
    sides = [np.unique(s.clusters, return_inverse=True)[1].reshape(-1) for s in (first, second)]
    of_first = int(sides[0].max()) + 1
    unit = np.concatenate((sides[0], sides[1] + of_first))  # a cluster of either set
    units = int(unit.max()) + 1
    strata = np.concatenate((first.strata, second.strata))
    n = len(strata)
    scores = np.concatenate((first.scores, second.scores)).reshape(n, -1)
    values = rounded_for_sums(np.column_stack((scores, np.ones(n))), n)
    # Of every stratum, the clusters that have questions in it and their sums of scores and questions.
    sums = []
    for stratum in range(len(shares)):
        rows = strata == stratum
        present, members = np.unique(unit[rows], return_inverse=True)
        added = [np.bincount(members.reshape(-1), v, len(present)) for v in values[rows].T]
        sums.append((present, np.array(added, np.float64).T))
    sizes = np.zeros((units, len(shares)), np.int64)
    np.add.at(sizes, (unit, strata), 1)
    blocks = [np.flatnonzero(sizes.argmax(axis=1) == s) for s in range(len(shares))]

    def difference(kept: Bools) -> Floats:
        a, b = (np.zeros((len(kept), scores.shape[1])) for _ in range(2))
        for share, (present, of_present) in zip(shares.tolist(), sums, strict=True):
            here = exact_product(kept[:, present].astype(np.float64), of_present)
            for side, total in ((a, here), (b, of_present.sum(axis=0) - here)):
                means = np.zeros_like(side)
                np.divide(total[:, :-1], total[:, -1:], out=means, where=total[:, -1:] > 0)
                side += share * means
        return _ratios(a) - _ratios(b)

    actual = np.arange(units) < of_first
    observed = difference(actual[None])[0]
    large = np.ones(len(observed), np.int64)
    draws = stream(seed, "two-sample randomization test")
    at_once = max(1, AT_ONCE // units)
    for start in range(0, exchanges, at_once):
        part = min(exchanges, start + at_once) - start
        order = draws.uniform(part * units).reshape(part, units)
        kept = np.zeros((part, units), bool)
        for block in blocks:
            ranks = np.argsort(order[:, block], axis=1, kind="stable")
            stay = ranks[:, : int(actual[block].sum())]
            np.put_along_axis(kept, block[stay], True, axis=1)
        large += as_large(difference(kept), observed).sum(axis=0)
    return [float(one) for one in (large / (1 + exchanges)).tolist()]
