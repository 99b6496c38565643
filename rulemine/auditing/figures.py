"""Figures of an audit: a number with its definition, the questions it is over, its interval and examples.

What cannot be had is no number: it is "not available", and the figure says why. Intervals are those of
`rulemine.evaluation.statistics.bootstrap`, with questions on the same topics as a cluster.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from rulemine.arrays import distinct
from rulemine.evaluation.metrics import Floats, mean_scores
from rulemine.evaluation.statistics.bootstrap import Ints, Resamples, interval

__all__ = [
    "DIGITS",
    "EXAMPLES",
    "NOT_AVAILABLE",
    "AuditedFigure",
    "Measure",
    "effective",
    "figures_of",
    "measure",
    "share",
]

EXAMPLES = 3
"""Questions that a figure names."""

NOT_AVAILABLE = "not available"

DIGITS = 6
"""Decimals of a value: the same on every machine."""

MOST_CELLS = 1 << 23
"""Questions × values up to which the effective number of values is resampled."""


@dataclass(frozen=True, slots=True)
class AuditedFigure:
    """A figure of an audit.

    Attributes:
        section: The part of the audit.
        key: Names the figure.
        title: In a few words.
        definition: In a sentence.
        unit: ``share``: a fraction of questions; or ``number``.
        value: The value; None: not available.
        why: Why it is not available, a sentence; else empty.
        n: The questions it is over.
        low: Lower bound of its interval; None: it has none, since resampling shows no spread, all questions
            are on the same topics, or the value is not a mean over questions or is of too many values.
        high: Upper bound.
        examples: Ids of the first questions that count, at most `EXAMPLES`.
        counts: What there is of each form, where the figure sums that up.
    """

    section: str
    key: str
    title: str
    definition: str
    unit: str = "share"
    value: float | None = None
    why: str = ""
    n: int = 0
    low: float | None = None
    high: float | None = None
    examples: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


class Measure(NamedTuple):
    """A figure and what its value is from.

    Attributes:
        figure: The figure; its value is known only where there are no scores.
        scores: The score of each question, NaN for those that the figure is not over: shape (n,), and the
            figure is their mean; or shape (n, values), rows that add up to 1, and it is the effective number
            of values; None: it cannot be had, or is known.
    """

    figure: AuditedFigure
    scores: Floats | None


def measure(
    section: str,
    key: str,
    title: str,
    definition: str,
    scores: Floats | None,
    why: str = "",
    **more: Any,
) -> Measure:
    """A figure that has its value from scores; without them it is not available, and `why` says why."""
    unit = "number" if scores is not None and scores.ndim > 1 else "share"
    figure = AuditedFigure(section, key, title, definition, why=why, **{"unit": unit} | more)
    return Measure(figure, scores)


def share(hits: Sequence[bool | None]) -> Floats:
    """Scores of a figure that is a share of questions; None: it is not over the question."""
    return np.array([np.nan if hit is None else float(hit) for hit in hits])


def effective(
    figure: AuditedFigure, values: Sequence[Sequence[str]], ids: Sequence[str]
) -> Measure:
    """The effective number of values, of which a question may have several.

    Where there are more than `MOST_CELLS`, no table of questions and values is made, and no interval.

    Args:
        figure: The figure; without any value it is not available.
        values: The values of each question, those of a question counting once together.
        ids: The ids of the questions.
    """
    places = {name: at for at, name in enumerate(sorted({v for some in values for v in some}))}
    if not places:
        return Measure(figure, None)
    small = len(values) * len(places) <= MOST_CELLS
    scores = np.full((len(values), len(places)) if small else (0, 0), np.nan)
    sums, having = np.zeros(len(places)), [at for at, some in enumerate(values) if some]
    for at in having:
        row = scores[at] if small else sums
        if small:
            row[:] = 0
        for name, number in Counter(values[at]).items():
            row[places[name]] += number / len(values[at])
    if small:
        return Measure(figure, scores)
    value = round(float(_effective(sums[None, :] / len(having))[0]), DIGITS)
    examples = tuple(ids[at] for at in having[:EXAMPLES])
    return Measure(replace(figure, why="", value=value, n=len(having), examples=examples), None)


def figures_of(
    measures: Sequence[Measure], ids: Sequence[str], clusters: Ints, resamples: int, seed: int
) -> tuple[AuditedFigure, ...]:
    """The figures of measures, in their order.

    Args:
        measures: The measures.
        ids: The ids of the questions, shape (n,), n ≥ 1.
        clusters: The cluster of each question, shape (n,), numbered from 0, none empty.
        resamples: How many resamples an interval is from, ≥ 1.
        seed: Of the resamples.
    """
    flat = [scores for _, scores in measures if scores is not None and scores.ndim == 1]
    everything = np.ones((1, len(ids)), bool)
    found = np.empty((resamples, 0))
    if flat:
        sampled = Resamples(np.column_stack(flat), clusters, everything, resamples, seed)
        found = sampled.means(0, part=True).resampled
    columns = iter(found.T)
    figures = []
    for figure, scores in measures:
        if scores is None:
            figures.append(figure)
            continue
        wide = scores.ndim > 1
        over = ~np.isnan(scores[:, 0] if wide else scores)
        drawn = np.full(resamples, np.nan) if wide else next(columns)
        if not over.any():
            figures.append(replace(figure, why=figure.why or "no question of the set has it."))
            continue
        mean = mean_scores(scores if wide else scores[:, None])
        hits = over
        if not wide:
            hits = over & (np.nan_to_num(scores) > 0)
        else:
            sampled = Resamples(scores, clusters, everything, resamples, seed)
            drawn = _effective(sampled.means(0, part=True).resampled)
        value = round(float(_effective(mean[None, :])[0] if wide else mean[0]), DIGITS)
        bounds = interval(drawn) if len(distinct(clusters[over])) > 1 else None
        low, high = (None, None) if bounds is None else (round(end, DIGITS) for end in bounds)
        if low == high:
            low = high = None
        examples = tuple(ids[i] for i in np.flatnonzero(hits)[:EXAMPLES].tolist())
        known = replace(figure, value=value, why="", n=int(over.sum()), low=low, high=high)
        figures.append(replace(known, examples=examples))
    return tuple(figures)


def _effective(shares: Floats) -> Floats:
    """The exponential of the entropy of each row, NaN where that is not defined."""
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    found: Floats = np.exp(-(shares * logs).sum(axis=1))
    return found
