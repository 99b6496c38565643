"""Figures of an audit: a number with its definition, the questions it is over, its interval and examples.

What cannot be had is no number: it is "not available", and the figure says why. Intervals are those of
`rulemine.evaluation.statistics.bootstrap`, with questions on the same topics as a cluster. Titles and
definitions stand in ``figures.toml``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rulemine.config import read_toml
from rulemine.evaluation.statistics.bootstrap import Ints, Resamples, named_means
from rulemine.release.records import Question

__all__ = ["SECTIONS", "AuditedFigure", "Measure", "figures_of"]

EXAMPLES = 3
"""Questions that a figure names."""

DIGITS = 6
"""Decimals of a value: the same on every machine."""

SECTIONS = ("answers", "leaks", "guessing", "inference", "concentration")
"""The parts of an audit, in their order."""


@dataclass(frozen=True, slots=True)
class AuditedFigure:
    """A figure of an audit.

    Attributes:
        section: The part of the audit, one of `SECTIONS`.
        key: Names the figure.
        title: In a few words.
        definition: In a sentence.
        unit: ``share``: a fraction of questions; or ``number``.
        value: The value; None: not available.
        why: Why it is not available, a sentence; else empty.
        n: The questions it is over.
        low: Lower bound of its interval, exact where no question counts or every one does; None: it has none,
            since all questions are on the same topics, or the value is no mean over questions.
        high: Upper bound.
        examples: Ids of the first questions that count, at most `EXAMPLES`.
        counts: What there is of each form, where the figure sums that up.
    """

    section: str
    key: str
    title: str
    definition: str
    unit: str
    value: float | None = None
    why: str = ""
    n: int = 0
    low: float | None = None
    high: float | None = None
    examples: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


class Measure(NamedTuple):
    """What a figure is made of.

    Attributes:
        key: Of the figure.
        hits: What each question adds to a mean, a share if these are truth values, None for questions that
            the figure is not over; None: it cannot be had.
        why: Why it cannot be had, or why it is over no question, a sentence.
        said: What its definition says of the set: what stands in braces → text.
        counts: See `AuditedFigure`.
        total: The value, where it is no mean over the questions; then `hits` says which count.
        left_out: Ids of questions that were left out of the set, and count.
    """

    key: str
    hits: Sequence[float | None] | None
    why: str = ""
    said: Mapping[str, str] = {}
    counts: Mapping[str, int] = {}
    total: float | None = None
    left_out: Sequence[str] = ()


def figures_of(
    measures: Sequence[Measure],
    questions: Sequence[Question],
    clusters: Ints,
    resamples: int,
    seed: int,
) -> tuple[AuditedFigure, ...]:
    """The figures of measures, in the order of ``figures.toml``.

    Args:
        measures: The measures, one of each figure.
        questions: The questions, n ≥ 1.
        clusters: The cluster of each question, shape (n,), numbered from 0, none empty.
        resamples: How many resamples an interval is from, ≥ 1.
        seed: Of the resamples.
    """
    known = {one.key: one for one in measures}
    scores = {
        key: np.array([np.nan if hit is None else float(hit) for hit in one.hits])
        for key, one in known.items()
        if one.hits is not None
    }
    means = {}
    if scores:
        every = np.ones((1, len(questions)), bool)
        table = np.column_stack([*scores.values()])
        sampled = Resamples(table, clusters, every, resamples, seed).means(0, part=True)
        means = named_means(sampled, [*scores], core=False)
        spread = dict(zip(scores, (sampled.clusters > 1).tolist(), strict=True))
    figures = []
    for section, about in read_toml(Path(__file__).with_name("figures.toml")).items():
        for key, text in about.items():
            one = known[key]
            unit, definition = text.get("unit", "share"), text["definition"].format_map(one.said)
            head = (section, key, text["title"], definition, unit)
            over = ~np.isnan(scores.get(key, np.empty(0)))
            n = int(over.sum()) + len(one.left_out)
            if not n:
                why = one.why or "no question of the set has it."
                figures.append(AuditedFigure(*head, why=why, counts=one.counts))
                continue
            value, low, high = means[key].score() if spread[key] else (means[key].value, None, None)
            if one.total is not None or one.left_out:
                hits = float(np.nansum(scores[key])) + len(one.left_out)
                value, low, high = one.total or hits / n, None, None
            low, high = (None if end is None else round(end, DIGITS) for end in (low, high))
            at = np.flatnonzero(np.nan_to_num(scores[key]) > 0).tolist()
            examples = (*(questions[i].id for i in at), *one.left_out)[:EXAMPLES]
            value = round(float(value or 0), DIGITS)
            figures.append(AuditedFigure(*head, value, "", n, low, high, examples, one.counts))
    return tuple(figures)
