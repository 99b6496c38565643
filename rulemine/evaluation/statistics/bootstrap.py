"""Bootstrap resampling of clusters of questions, vectorized, with bit-for-bit reproducible results.

Questions that ask about the same thing are not independent: their clusters (`rulemine.release.groups`) are
drawn, all clusters out of all with replacement, `resamples` times, and a question counts as often as its
cluster was drawn. Every group of a breakdown is scored on those of its questions that were drawn, so one
set of draws serves the whole report, and two systems are compared on the same draws (a paired
bootstrap). The number of questions varies from draw to draw; a mean is a ratio of two sums, both
resampled. Intervals are percentile intervals (Efron & Tibshirani 1993, chapter 13; for clusters Davison &
Hinkley 1997, section 3.8) over the resamples in which the score is defined: a resample without a question
of the group, or for a ratio with denominator 0, is left out. A group that lies in a single cluster has no
interval. Where a score is 0, or 1, in all resamples, its interval is exact (`exact_bound`); of the difference
of two such scores, which are not the same over the same clusters, both bounds are added.

Guarantees: scores are rounded to multiples of a power of two so small (about 10⁻¹⁰ for 100,000 clusters of
one question, and for scores above 1 larger by their size) that every sum of them is exact in double
precision; hence no order of summation, number of threads or processor changes a bit. Zeros and ones stay
exact. Where every question is a cluster of its own, this is the ordinary bootstrap of questions.

The row ``mean_of_structures`` is the plain mean over the groups of the breakdown by structure, for each score
over those that have it, and in every resample over those of which it has questions. Its exact interval is
that of groups which are all as small as the smallest.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.evaluation.breakdown import OF_CORE, Breakdown
from rulemine.evaluation.metrics import CORE, COSTS, hard_hits_rate, mean_scores
from rulemine.evaluation.statistics.score import Score
from rulemine.seeds import stream

__all__ = [
    "CONFIDENCE",
    "MEAN",
    "RATIOS",
    "UNDEFINED",
    "Mean",
    "MeanScores",
    "Resamples",
    "Row",
    "difference",
    "differences",
    "estimates",
    "exact_bound",
    "exact_product",
    "interval",
    "named_means",
    "ratio_of",
    "rounded_for_sums",
    "rows_of",
    "with_published_rate",
]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MEAN = "mean_of_structures"
"""Breakdown and group of the plain mean over structures."""

UNDEFINED = Score(None, None, None)

RATIOS = {"hhr": ("hits_hard", "hits_any_asked"), "row_hhr": ("lost_rows_given", "gold_rows_given")}
"""The scores that are a ratio of two means over the same questions: the columns of both."""

UNBOUNDED = frozenset({"retrieved", *COSTS})
"""Scores that are numbers of things, not in [0, 1]."""

CONFIDENCE = 0.95
"""Coverage of the intervals."""

DRAWS_AT_ONCE = 1 << 20
"""About how many clusters are drawn at once, to bound memory."""

AT_ONCE = 1 << 18
"""Multiplications of one product of matrices: so few that libraries make them on one thread. Several wait for
each other, busily, for longer than the product takes."""

ROWS = 128
"""Rows of one product."""

KEPT = 1 << 23
"""How many counts of drawn clusters are kept for the next system at most: 64 MiB."""

EXACT_BITS = 52
"""Bits that a sum may use: doubles carry 53."""


def rounded_for_sums(scores: Floats, most: int) -> Floats:
    """Scores rounded so little, and so much, that sums of them are exact in any order.

    Args:
        scores: Shape (n, columns), n ≥ 1; NaN is kept.
        most: How many of a column are added at most.
    """
    largest = np.maximum(1.0, np.abs(np.nan_to_num(scores)).max(axis=0))  # of each column
    grain = 2.0 ** (EXACT_BITS - 1 - np.ceil(np.log2(most * largest + 1)))
    rounded: Floats = np.rint(scores * grain) / grain
    return rounded


def exact_product(a: Floats, b: Floats) -> Floats:
    """The product of two matrices whose sums are exact in any order (see `rounded_for_sums`)."""
    found = np.zeros((len(a), b.shape[1]))
    for row in range(0, len(a), ROWS):
        part = found[row : row + ROWS]
        step = max(1, AT_ONCE // max(1, part.size))
        for at in range(0, len(b), step):
            part += a[row : row + ROWS, at : at + step] @ b[at : at + step]
    return found


class MeanScores(NamedTuple):
    """Mean scores of a group of questions.

    Attributes:
        value: Shape (columns,): the mean over the questions of the group that have the score; NaN when
            there is none.
        resampled: Shape (resamples, columns): the mean in each resample; NaN where the resample has no
            such question, and everywhere if the group lies in one cluster.
        clusters: Shape (columns,): in how many clusters some question of the group has the score.
        scoring: Shape (columns,): in how many some question has more than 0.
    """

    value: Floats
    resampled: Floats
    clusters: Ints
    scoring: Ints


class Resamples:
    """Resampled mean scores of groups of questions.

    Args:
        scores: Shape (n, columns), n ≥ 1, finite, NaN where a question does not have the score; rows in a
            fixed order (question ids).
        clusters: Shape (n,): the cluster of each question, numbered from 0, none empty.
        groups: Shape (groups, n): which questions are in each group.
        resamples: Number of resamples, ≥ 1.
        seed: Seed of the draws, which depend on nothing else but the number of clusters and `resamples`.
    """

    def __init__(
        self, scores: Floats, clusters: Ints, groups: Bools, resamples: int, seed: int
    ) -> None:
        sizes = np.bincount(clusters)
        most = len(sizes) * int(sizes.max())  # questions in the largest resample that can be drawn
        self._scores, self._clusters, self._groups = scores, clusters, groups
        self._rounded, having = rounded_for_sums(scores, most), ~np.isnan(scores).T
        # Columns that the same questions have share a sum of weights.
        who = [column.tobytes() for column in having]
        firsts = [*dict.fromkeys(map(who.index, who))]
        self._weight_of = [firsts.index(who.index(column)) for column in who]
        weighted = np.vstack((np.nan_to_num(self._rounded).T, having[firsts]))
        # Of every cluster of a group, the sums of the columns and of the weights over its questions in it.
        self._of_cluster = []
        for rows in groups:
            present, members = np.unique(clusters[rows], return_inverse=True)
            added = [np.bincount(members, values, len(present)) for values in weighted[:, rows]]
            self._of_cluster.append((present, np.array(added, np.float64)))
        self._sums = np.empty((resamples, len(groups), len(weighted)))
        for start, counts in _draws(len(sizes), resamples, seed):
            for group, (present, of_present) in enumerate(self._of_cluster):
                sums = exact_product(of_present, counts[present])
                self._sums[start : start + counts.shape[1], group] = sums.T

    def means(self, group: int, part: bool = False) -> MeanScores:
        """The means of a group, given by its position in `groups`.

        Args:
            group: The group.
            part: Whether it is a part of something that lies in several clusters, so that its means are
                resampled even if it lies in one.
        """
        rows = self._groups[group]
        value = mean_scores(self._scores[rows])
        columns = len(value)
        sums, weights = self._sums[:, group, :columns], self._sums[:, group, columns:]
        weight = weights[:, self._weight_of]
        resampled = np.full(sums.shape, np.nan)
        if len(distinct(self._clusters if part else self._clusters[rows])) > 1:
            np.divide(sums, weight, out=resampled, where=weight > 0)
        # Undoes the shift from rounding, so that a group of equal scores has no spread at all.
        scores, rounded = self._scores[rows], self._rounded[rows]
        shifted = resampled + (value - mean_scores(rounded))
        # A resample of the least scores alone has that mean, and none lies below it; above, the greatest.
        for end, inside in ((np.fmin, np.maximum), (np.fmax, np.minimum)):
            bound = end(end.reduce(scores), value)
            shifted = np.where(resampled == end.reduce(rounded), bound, inside(shifted, bound))
        added = self._of_cluster[group][1]
        present = (added > 0).sum(axis=1)
        return MeanScores(value, shifted, present[columns:][self._weight_of], present[:columns])


def _draws(clusters: int, resamples: int, seed: int) -> Iterable[tuple[int, Floats]]:
    """The first resample of each part, and how often each cluster is drawn: shape (clusters, resamples)."""
    few = clusters * resamples <= KEPT
    return (_kept_draws if few else _fresh_draws)(clusters, resamples, seed)


def _fresh_draws(clusters: int, resamples: int, seed: int) -> Iterator[tuple[int, Floats]]:
    draws = stream(seed, "bootstrap")
    at_once = max(1, DRAWS_AT_ONCE // clusters)
    for start in range(0, resamples, at_once):
        part = min(resamples, start + at_once) - start
        drawn = (draws.uniform(part * clusters) * clusters).astype(np.int64)
        drawn = drawn * part + np.repeat(np.arange(part), clusters)
        counts = np.bincount(drawn, minlength=part * clusters).reshape(clusters, part)
        yield start, counts.astype(np.float64)


@functools.lru_cache(maxsize=1)
def _kept_draws(clusters: int, resamples: int, seed: int) -> list[tuple[int, Floats]]:
    """As `_fresh_draws`; the next system's questions are drawn alike."""
    return list(_fresh_draws(clusters, resamples, seed))


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


def exact_bound(clusters: int, confidence: float = CONFIDENCE) -> float:
    """How high the mean of a score in [0, 1] may be that is 0 in every cluster that was drawn.

    Scores above 0 are at most so frequent that none in so many draws still has the chance 1 - confidence:
    about 3 / clusters ("the rule of three", Hanley & Lippman-Hand, JAMA 249, 1983). Where all are 1, the mean
    may be as far below 1.

    Args:
        clusters: How many clusters have the score; 0: the bound is 1.
        confidence: Coverage, in (0, 1).

    Example:
        >>> round(exact_bound(60), 3)
        0.049
    """
    return 1 - (1 - confidence) ** (1 / clusters) if clusters else 1.0


class Mean(NamedTuple):
    """The mean of one score over a group of questions; NaN where undefined.

    Attributes:
        value: The mean.
        resampled: Shape (resamples,): that of each resample.
        bound: How far from it the exact interval ends, if it is 0 or 1.
    """

    value: float
    resampled: Floats
    bound: float = 0.0

    def score(self) -> Score:
        """The mean with its interval."""
        if np.isnan(self.value):
            return UNDEFINED
        # Few resamples may all miss the one hit, so that a ratio has a value and no interval.
        low, high = interval(self.resampled) or (None, None)
        if low == high == self.value == 0:
            high = self.bound
        elif low == high == self.value == 1:
            low = 1 - self.bound
        return Score(float(self.value), low, high)


def named_means(means: MeanScores, columns: Sequence[str], core: bool) -> dict[str, Mean]:
    """Score → its mean, the ratios among them."""
    of_column = zip(columns, means.value.tolist(), means.resampled.T, means.clusters, strict=True)
    found = {
        name: Mean(value, drawn, 0.0 if name in UNBOUNDED else exact_bound(int(n)))
        for name, value, drawn, n in of_column
    }
    if core:  # what the core counts as a hard answer
        of_core = {name: mean for name, mean in found.items() if name.startswith(CORE)}
        found |= {name.removeprefix(CORE): mean for name, mean in of_core.items()}
    for name, (above, below) in RATIOS.items():
        if below in found:
            rate = hard_hits_rate(found[below].value, found[above].value)
            drawn = np.full(len(means.resampled), np.nan)
            hits = found[below].resampled
            np.divide(found[above].resampled, hits, out=drawn, where=hits > 0)
            bound = exact_bound(int(means.scoring[columns.index(below)]))
            found[name] = Mean(np.nan if rate is None else rate, drawn, bound)
    return found


def difference(first: Mean, second: Mean) -> Score:
    """The first mean less the second, over the same resamples."""
    less = Mean(first.value - second.value, first.resampled - second.resampled).score()
    apart = (first.value, first.bound) != (second.value, second.bound)
    if apart and less.low == less.high is not None and {first.value, second.value} <= {0, 1}:
        (_, low, high), (_, least, most) = first.score(), second.score()
        return Score(less.value, (low or 0.0) - (most or 0.0), (high or 0.0) - (least or 0.0))
    return less


class Row(NamedTuple):
    """The scores of a group of questions.

    Attributes:
        breakdown: What the questions are grouped by; for the core, its parts, all questions and the mean of
            structures the group again.
        group: The group.
        n: Questions in the group; with 0 every score is undefined.
        scores: Score → estimate, for the scores of the report.
        dropped: The share of the resamples that are left out of the interval of HHR, because no question is
            hit in them.
    """

    breakdown: str
    group: str
    n: int
    scores: dict[str, Score]
    dropped: float = 0.0


Estimate = Callable[[MeanScores, Sequence[str], Sequence[str], bool], dict[str, Score]]
"""From the means of a group, which has a question, the names of their columns, the names of scores, and
whether the group is the core, to the estimates of these scores."""


def rows_of(
    scores: Floats,
    clusters: Ints,
    parts: Sequence[Breakdown],
    resamples: int,
    seed: int,
    estimate: Estimate,
    columns: Sequence[str],
    metrics: Sequence[str],
) -> tuple[Row, ...]:
    """A row for every group of every breakdown, in their order; after all questions the mean of structures.

    Args:
        scores: The scores of each question, shape (n, columns).
        clusters: The cluster of each question, shape (n,).
        parts: The breakdowns.
        resamples: See `Resamples`.
        seed: See `Resamples`.
        estimate: `estimates` or `differences`.
        columns: The names of the columns, once where there are two systems.
        metrics: The scores of a row.
    """
    members = np.vstack([part.members for part in parts])
    sampled = Resamples(scores, clusters, members, resamples, seed)
    sizes = members.sum(axis=1).tolist()
    names = [(part.name, group) for part in parts for group in part.groups]
    rows: list[Row] = []
    of_structures: list[MeanScores] = []
    for i, size in enumerate(sizes):
        if not size:
            rows.append(Row(*names[i], size, dict.fromkeys(metrics, UNDEFINED)))
            continue
        means = sampled.means(i)
        found = estimate(means, columns, metrics, names[i][0] in OF_CORE)
        rows.append(Row(*names[i], size, found, _without_hits(means, columns)))
        if names[i][0] == "structure":
            of_structures.append(sampled.means(i, part=True))
    if of_structures:
        at = names.index(("all", "all"))
        mean = _mean(of_structures)
        found = estimate(mean, columns, metrics, False)
        rows.insert(at + 1, Row(MEAN, MEAN, sizes[at], found, _without_hits(mean, columns)))
    return tuple(rows)


def _without_hits(means: MeanScores, columns: Sequence[str]) -> float:
    """The share of the resamples in which a system hits no question, so that its rate is undefined."""
    at = columns.index("hits_any_asked")
    hits = means.resampled[:, at :: len(columns)]
    drawn = hits[~np.isnan(hits).any(axis=1)]
    return float((drawn == 0).any(axis=1).mean()) if len(drawn) else 0.0


def _mean(groups: Sequence[MeanScores]) -> MeanScores:
    """The plain mean over groups, for each column and resample over those that have it."""
    value, resampled = (
        np.ma.masked_invalid([own[part] for own in groups]).mean(axis=0).filled(np.nan)
        for part in (0, 1)
    )
    clusters, scoring = (np.ma.masked_equal([own[part] for own in groups], 0) for part in (2, 3))
    numbers = [(n.min(axis=0) * n.count(axis=0)).filled(0) for n in (clusters, scoring)]
    return MeanScores(value, resampled, *numbers)


def estimates(
    means: MeanScores, columns: Sequence[str], metrics: Sequence[str], core: bool = False
) -> dict[str, Score]:
    """Score → estimate, for means of the columns named."""
    found = named_means(means, columns, core)
    return {metric: found[metric].score() for metric in metrics}


def differences(
    means: MeanScores, columns: Sequence[str], metrics: Sequence[str], core: bool = False
) -> dict[str, Score]:
    """Score → estimate of the paired difference.

    Args:
        means: The columns are those of the first system, then those of the second.
        columns: Their names, once.
        metrics: The scores.
        core: Whether these are means over the core.
    """
    half = len(columns)
    first, second = (
        named_means(MeanScores._make(part[..., own] for part in means), columns, core)
        for own in (slice(half), slice(half, None))
    )
    return {metric: difference(first[metric], second[metric]) for metric in metrics}


def ratio_of(
    scores: Floats, columns: Sequence[str], metric: str, members: Bools, core: bool
) -> Floats:
    """A score as a ratio of sums over a group of questions.

    Args:
        scores: Shape (n, columns).
        columns: The names of the columns.
        metric: The score.
        members: Shape (n,): which questions are in the group.
        core: Whether it is the core.

    Returns:
        Shape (n, 2): numerator and denominator of each question; NaN for those without the score.
    """
    if metric in RATIOS:
        numerator, denominator = (scores[:, columns.index(name)] for name in RATIOS[metric])
    else:
        name = CORE + metric if core and CORE + metric in columns else metric
        numerator = scores[:, columns.index(name)]
        denominator = np.ones(len(scores))
    having = members & ~np.isnan(numerator)
    return np.where(having[:, None], np.column_stack((numerator, denominator)), np.nan)


def with_published_rate(row: Row) -> Row:
    """A row whose hard hits rate is 0 where it is undefined, as the public evaluator of BRINK has it."""
    unhit = row.scores["hits_hard"].value is not None and row.scores["hhr"].value is None
    return row._replace(scores=row.scores | {"hhr": Score(0.0, None, None)}) if unhit else row
