"""From mean scores and their resamples to rows of a report: the ratio, the intervals, the groups.

The row ``mean_of_structures`` is the plain mean over the groups of the breakdown by structure, for each score
over those that have it, and in every resample over those of which it has questions.
"""

from collections.abc import Callable, Sequence

import numpy as np

from rulemine.evaluation.bootstrap import Ints, MeanScores, Resamples, interval
from rulemine.evaluation.breakdown import Breakdown
from rulemine.evaluation.metrics import COLUMNS, Floats, hard_hits_rate
from rulemine.evaluation.reporting.report import MEAN, Row, Score
from rulemine.evaluation.retrieval import RETRIEVAL

__all__ = ["differences", "estimates", "rows_of"]

UNDEFINED = Score(None, None, None)

Estimate = Callable[[MeanScores, Sequence[str]], dict[str, Score]]
"""From the means of a group, which has a question, and the names of scores to their estimates."""

_ANY = COLUMNS.index("hits_any_asked")
_HARD = COLUMNS.index("hits_hard")


def rows_of(
    scores: Floats,
    clusters: Ints,
    parts: Sequence[Breakdown],
    resamples: int,
    seed: int,
    estimate: Estimate,
    metrics: Sequence[str],
) -> tuple[Row, ...]:
    """A row for every group of every breakdown, in their order; after all questions the mean of structures.

    Args:
        scores: The scores of each question, shape (n, columns).
        clusters: The cluster of each question, shape (n,).
        parts: The breakdowns.
        resamples: See `Resamples`.
        seed: Likewise.
        estimate: `estimates` or `differences`.
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
        rows.append(Row(*names[i], size, estimate(sampled.means(i), metrics)))
        if names[i][0] == "structure":
            of_structures.append(sampled.means(i, part=True))
    if of_structures:
        at = names.index(("all", "all"))
        mean = estimate(_mean(of_structures), metrics)
        rows.insert(at + 1, Row(MEAN, MEAN, sizes[at], mean))
    return tuple(rows)


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


def estimates(means: MeanScores, metrics: Sequence[str]) -> dict[str, Score]:
    """Score → estimate, for means whose columns are `COLUMNS`, or these and `RETRIEVAL`."""
    value, resampled = _with_rate(means)
    return {m: _estimate(value[m], resampled[m]) for m in metrics}


def differences(means: MeanScores, metrics: Sequence[str]) -> dict[str, Score]:
    """Score → estimate of the paired difference.

    Args:
        means: The columns are those of the first system, as for `estimates`, then those of the second.
        metrics: The scores.
    """
    half = len(means.value) // 2
    a, drawn_a = _with_rate(MeanScores(means.value[:half], means.resampled[:, :half]))
    b, drawn_b = _with_rate(MeanScores(means.value[half:], means.resampled[:, half:]))
    return {m: _estimate(a[m] - b[m], drawn_a[m] - drawn_b[m]) for m in metrics}


def _with_rate(means: MeanScores) -> tuple[dict[str, float], dict[str, Floats]]:
    """Value and resampled values by score, the ratio among them; NaN where undefined."""
    names = (*COLUMNS, *RETRIEVAL)[: len(means.value)]
    value = dict(zip(names, means.value.tolist(), strict=True))
    resampled = dict(zip(names, means.resampled.T, strict=True))
    rate = hard_hits_rate(value["hits_any_asked"], value["hits_hard"])
    value["hhr"] = np.nan if rate is None else rate
    hits, hard = means.resampled[:, _ANY], means.resampled[:, _HARD]
    resampled["hhr"] = np.full(len(hits), np.nan)
    np.divide(hard, hits, out=resampled["hhr"], where=hits > 0)
    return value, resampled


def _estimate(value: float, resampled: Floats) -> Score:
    if np.isnan(value):
        return UNDEFINED
    # Few resamples may all miss the one hit, so that a ratio has a value and no interval.
    low, high = interval(resampled) or (None, None)
    return Score(float(value), low, high)
