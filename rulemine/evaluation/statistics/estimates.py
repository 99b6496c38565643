"""From mean scores and their resamples to rows of a report.

The row ``mean_of_structures`` is the plain mean over the groups of the breakdown by structure, for each score
over those that have it, and in every resample over those of which it has questions. Its exact interval is
that of groups which are all as small as the smallest.
"""

from collections.abc import Callable, Sequence

import numpy as np

from rulemine.evaluation.breakdown import OF_CORE, Breakdown
from rulemine.evaluation.metrics import CORE, Floats
from rulemine.evaluation.reporting.report import Row
from rulemine.evaluation.reporting.titles import MEAN
from rulemine.evaluation.statistics.bootstrap import (
    RATIOS,
    UNDEFINED,
    Bools,
    Ints,
    MeanScores,
    Resamples,
    difference,
    named_means,
)
from rulemine.evaluation.statistics.score import Score

__all__ = ["UNDEFINED", "differences", "estimates", "ratio_of", "rows_of", "with_published_rate"]

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
