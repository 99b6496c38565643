"""Figures of an audit: a number with its definition, the questions it is over, its interval and examples.

What cannot be had is no number: it is "not available", and the figure says why. Intervals are those of
`rulemine.evaluation.statistics.bootstrap`, with questions on the same topics as a cluster.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rulemine.arrays import distinct
from rulemine.evaluation.metrics import Floats, mean_scores
from rulemine.evaluation.statistics.bootstrap import Ints, Resamples, interval

__all__ = ["EXAMPLES", "NOT_AVAILABLE", "AuditedFigure", "Measure", "figures_of", "share", "spread"]

EXAMPLES = 3
"""Questions that a figure names."""

NOT_AVAILABLE = "not available"

DIGITS = 6
"""Decimals of a value: the same on every machine."""

MOST_CELLS = 1 << 25
"""Questions × values up to which the effective number of values is resampled."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure before it is resampled.

    Attributes:
        section: The part of the audit.
        key: Names the figure.
        title: In a few words.
        definition: In a sentence.
        scores: The score of each question, NaN for those that the figure is not over: shape (n,), and the
            figure is their mean; or shape (n, values), rows that add up to 1, and it is the effective number
            of values; None: it cannot be had.
        why: Why it cannot.
        counts: What there is of each form, where the figure sums that up.
        known: The value, the questions it is over and the ids of those that count, of a figure that is over
            others than the questions of the set, and has no interval; else None.
        unit: As in `AuditedFigure`.
    """

    section: str
    key: str
    title: str
    definition: str
    scores: Floats | None
    why: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    known: tuple[float, int, tuple[str, ...]] | None = None
    unit: str = "share"


@dataclass(frozen=True, slots=True)
class AuditedFigure:
    """A figure of an audit.

    Attributes:
        section: As in `Measure`.
        key: As in `Measure`.
        title: As in `Measure`.
        definition: As in `Measure`.
        unit: ``share``: a fraction of questions; or ``number``.
        value: The value; None: not available.
        why: Why it is not available, a sentence; else empty.
        n: The questions it is over.
        low: Lower bound of its interval; None: all questions are on the same topics.
        high: Upper bound.
        examples: Ids of the first questions that count, at most `EXAMPLES`.
        counts: As in `Measure`.
    """

    section: str
    key: str
    title: str
    definition: str
    unit: str
    value: float | None
    why: str = ""
    n: int = 0
    low: float | None = None
    high: float | None = None
    examples: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


def share(hits: Sequence[bool | None]) -> Floats:
    """Scores of a figure that is a share of questions; None: it is not over the question."""
    return np.array([np.nan if hit is None else float(hit) for hit in hits])


def spread(values: Sequence[Sequence[str]]) -> Floats | None:
    """Scores of an effective number of values; a question may have several; None: no question has any."""
    places = {name: at for at, name in enumerate(sorted({v for some in values for v in some}))}
    if not places:
        return None
    scores = np.full((len(values), len(places)), np.nan)
    for row, some in zip(scores, values, strict=True):
        if some:
            row[:] = 0.0
            for name, number in Counter(some).items():
                row[places[name]] = number / len(some)
    return scores


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
    flat = [m.scores for m in measures if m.scores is not None and m.scores.ndim == 1]
    everything = np.ones((1, len(ids)), bool)
    found = np.empty((resamples, 0))
    if flat:
        sampled = Resamples(np.column_stack(flat), clusters, everything, resamples, seed)
        found = sampled.means(0, part=True).resampled
    columns = iter(found.T)
    figures = []
    for m in measures:
        if m.known is not None:
            value, n, counting = m.known
            named = tuple(counting[:EXAMPLES])
            figures.append(_figure(m, "share", value=round(value, DIGITS), n=n, examples=named))
            continue
        if m.scores is None:
            figures.append(_figure(m, "share", why=m.why))
            continue
        wide = m.scores.ndim > 1
        over = ~np.isnan(m.scores[:, 0] if wide else m.scores)
        drawn = np.full(resamples, np.nan) if wide else next(columns)
        if not over.any():
            figures.append(_figure(m, "share", why=m.why or "no question of the set has it."))
            continue
        if wide:
            if m.scores.size <= MOST_CELLS:
                sampled = Resamples(m.scores, clusters, everything, resamples, seed)
                drawn = _effective(sampled.means(0, part=True).resampled)
            value = float(_effective(mean_scores(m.scores)[None, :])[0])
            hits = over
        else:
            value = float(mean_scores(m.scores[:, None])[0])
            hits = over & (np.nan_to_num(m.scores) > 0)
        bounds = interval(drawn) if len(distinct(clusters[over])) > 1 else None
        low, high = (None, None) if bounds is None else (round(end, DIGITS) for end in bounds)
        value = round(value, DIGITS)
        examples = tuple(ids[i] for i in np.flatnonzero(hits)[:EXAMPLES].tolist())
        unit = "number" if wide else m.unit
        figures.append(
            _figure(m, unit, value=value, n=int(over.sum()), low=low, high=high, examples=examples)
        )
    return tuple(figures)


def _figure(of: Measure, unit: str, **more: Any) -> AuditedFigure:
    more.setdefault("value", None)
    return AuditedFigure(
        of.section, of.key, of.title, of.definition, unit, counts=of.counts, **more
    )


def _effective(shares: Floats) -> Floats:
    """The exponential of the entropy of each row, NaN where that is not defined."""
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    found: Floats = np.exp(-(shares * logs).sum(axis=1))
    return found
