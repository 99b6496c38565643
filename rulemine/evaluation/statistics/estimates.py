"""From mean scores and their resamples to rows of a report: the ratio, the intervals, the groups.

The row ``mean_of_structures`` is the plain mean over the groups of the breakdown by structure, for each score
over those that have it, and in every resample over those of which it has questions.
"""

from collections.abc import Callable, Sequence

import numpy as np

from rulemine.evaluation.breakdown import Breakdown
from rulemine.evaluation.metrics import CORE, Floats, hard_hits_rate
from rulemine.evaluation.reporting.report import Row
from rulemine.evaluation.reporting.titles import MEAN
from rulemine.evaluation.statistics.bootstrap import Bools, Ints, MeanScores, Resamples, interval
from rulemine.evaluation.statistics.score import Score

__all__ = [
    "RATIOS",
    "differences",
    "estimates",
    "ratio_of",
    "rows_of",
    "with_published_rate",
    "without_rate",
]

UNDEFINED = Score(None, None, None)

RATIOS = {"hhr": ("hits_hard", "hits_any_asked"), "row_hhr": ("lost_rows_given", "gold_rows_given")}
"""The scores that are a ratio of two means over the same questions: the columns of both."""

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
        found = estimate(means, columns, metrics, names[i][0] in ("core", "granted"))
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
    value = np.full_like(groups[0].value, np.nan)
    resampled = np.full_like(groups[0].resampled, np.nan)
    for mean, parts in (
        (value, [means.value for means in groups]),
        (resampled, [means.resampled for means in groups]),
    ):
        having = sum((~np.isnan(part)).astype(np.int64) for part in parts)
        np.divide(sum(np.nan_to_num(part) for part in parts), having, out=mean, where=having > 0)
    return MeanScores(value, resampled)


def estimates(
    means: MeanScores, columns: Sequence[str], metrics: Sequence[str], core: bool = False
) -> dict[str, Score]:
    """Score → estimate, for means of the columns named."""
    value, resampled = _with_rate(means, columns, core)
    return {m: _estimate(value[m], resampled[m]) for m in metrics}


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
    a, drawn_a = _with_rate(
        MeanScores(means.value[:half], means.resampled[:, :half]), columns, core
    )
    b, drawn_b = _with_rate(
        MeanScores(means.value[half:], means.resampled[:, half:]), columns, core
    )
    return {m: _estimate(a[m] - b[m], drawn_a[m] - drawn_b[m]) for m in metrics}


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


def _with_rate(
    means: MeanScores, columns: Sequence[str], core: bool
) -> tuple[dict[str, float], dict[str, Floats]]:
    """Value and resampled values by score, the ratio among them; NaN where undefined."""
    value = dict(zip(columns, means.value.tolist(), strict=True))
    resampled = dict(zip(columns, means.resampled.T, strict=True))
    if core:  # what the core counts as a hard answer
        for name in [name for name in columns if name.startswith(CORE)]:
            value[name.removeprefix(CORE)] = value[name]
            resampled[name.removeprefix(CORE)] = resampled[name]
    for rate, (above, below) in RATIOS.items():
        if below in value:
            found = hard_hits_rate(value[below], value[above])
            value[rate] = np.nan if found is None else found
            hits, hard = resampled[below], resampled[above]
            resampled[rate] = np.full(len(hits), np.nan)
            np.divide(hard, hits, out=resampled[rate], where=hits > 0)
    return value, resampled


def _estimate(value: float, resampled: Floats) -> Score:
    if np.isnan(value):
        return UNDEFINED
    # Few resamples may all miss the one hit, so that a ratio has a value and no interval.
    low, high = interval(resampled) or (None, None)
    return Score(float(value), low, high)


def without_rate(row: Row) -> bool:
    """Whether the hard hits rate of a row is undefined for want of a hit."""
    return row.scores["hits_hard"].value is not None and row.scores["hhr"].value is None


def with_published_rate(row: Row) -> Row:
    """A row whose hard hits rate is 0 where it is undefined, as the public evaluator of BRINK has it."""
    zero = {"hhr": Score(0.0, None, None)}
    return row._replace(scores=row.scores | zero) if without_rate(row) else row
