"""From mean scores and their resamples to rows of a report: the ratio, the intervals, the groups."""

from collections.abc import Callable, Sequence

import numpy as np

from rulemine.evaluation.bootstrap import Ints, MeanScores, Resamples, interval
from rulemine.evaluation.breakdown import Breakdown
from rulemine.evaluation.metrics import COLUMNS, METRICS, Floats, hard_hits_rate
from rulemine.evaluation.reporting.report import Row, Score

__all__ = ["differences", "estimates", "rows_of"]

UNDEFINED = Score(None, None, None)

_ANY = COLUMNS.index("hits_any_asked")
_HARD = COLUMNS.index("hits_hard")


def rows_of(
    scores: Floats,
    clusters: Ints,
    parts: Sequence[Breakdown],
    resamples: int,
    seed: int,
    estimate: Callable[[MeanScores], dict[str, Score]],
) -> tuple[Row, ...]:
    """A row for every group of every breakdown, in their order.

    Args:
        scores: The scores of each question, shape (n, columns).
        clusters: The cluster of each question, shape (n,).
        parts: The breakdowns.
        resamples: See `Resamples`.
        seed: Likewise.
        estimate: From the means of a group, which has a question, to its scores.
    """
    members = np.vstack([part.members for part in parts])
    sampled = Resamples(scores, clusters, members, resamples, seed)
    sizes = members.sum(axis=1).tolist()
    names = [(part.name, group) for part in parts for group in part.groups]
    return tuple(
        Row(
            *names[i],
            size,
            estimate(sampled.means(i)) if size else dict.fromkeys(METRICS, UNDEFINED),
        )
        for i, size in enumerate(sizes)
    )


def estimates(means: MeanScores) -> dict[str, Score]:
    """Score → estimate, for means whose columns are `COLUMNS`."""
    value, resampled = _with_rate(means)
    return {m: _estimate(value[m], resampled[m]) for m in METRICS}


def differences(means: MeanScores) -> dict[str, Score]:
    """Score → estimate of the paired difference.

    Args:
        means: The columns are `COLUMNS` of the first system, then those of the second.
    """
    half = len(COLUMNS)
    a, drawn_a = _with_rate(MeanScores(means.value[:half], means.resampled[:, :half]))
    b, drawn_b = _with_rate(MeanScores(means.value[half:], means.resampled[:, half:]))
    return {m: _estimate(a[m] - b[m], drawn_a[m] - drawn_b[m]) for m in METRICS}


def _with_rate(means: MeanScores) -> tuple[dict[str, float], dict[str, Floats]]:
    """Value and resampled values by score, the ratio among them; NaN where undefined."""
    value = dict(zip(COLUMNS, means.value.tolist(), strict=True))
    resampled = dict(zip(COLUMNS, means.resampled.T, strict=True))
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
