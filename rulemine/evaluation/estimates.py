"""From mean scores and their resamples to rows of a report: the ratio, the intervals, the groups."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.bootstrap import MeanScores, interval
from rulemine.evaluation.breakdown import Breakdown
from rulemine.evaluation.metrics import COLUMNS, METRICS, Floats, hard_hits_rate
from rulemine.evaluation.reporting.report import Row, Score

__all__ = ["differences", "estimates", "rows_of"]

UNDEFINED = Score(None, None, None)

_ANY = COLUMNS.index("hits_any")
_HARD = COLUMNS.index("hits_hard")


def rows_of(
    parts: Sequence[Breakdown],
    n: int,
    estimate: Callable[[npt.NDArray[np.bool_]], dict[str, Score]],
) -> list[Row]:
    """The row of all questions, then one for every group of every breakdown.

    Args:
        parts: The breakdowns.
        n: How many questions there are, ≥ 1.
        estimate: From a mask of questions, shape (n,), never empty, to the scores of these questions.
    """
    rows = [Row("all", "all", n, estimate(np.ones(n, bool)))]
    for part in parts:
        for code, group in enumerate(part.groups):
            inside = part.codes == code
            size = int(inside.sum())
            scores = estimate(inside) if size else dict.fromkeys(METRICS, UNDEFINED)
            rows.append(Row(part.name, group, size, scores))
    return rows


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
    rate = hard_hits_rate(value["hits_any"], value["hits_hard"])
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
