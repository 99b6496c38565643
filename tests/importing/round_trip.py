"""What our exports write, our imports read, with the same scores of the answerers that ask no model."""

import math
from collections.abc import Collection, Mapping

import numpy as np

from rulemine import Release, answer, evaluate
from rulemine.evaluation.metrics import COLUMNS

__all__ = ["WITHOUT_QUERIES", "differing_scores", "scores_of"]

WITHOUT_QUERIES = ("neighbors", "neighbors:hops=2", "random")
"""Answerers that look at texts, topic entities and the graph alone."""

Scores = Mapping[str, Mapping[str, float | None]]
"""Id of a question → score → its value; None: the question does not have it."""

OF_CORE = frozenset(name for name in COLUMNS if name.startswith("core_"))
"""Nothing imported is in the core."""

OF_BOTH = tuple(name for name in COLUMNS if name not in OF_CORE)


def scores_of(
    release: Release, system: str, kg: str = "incomplete", only: Collection[str] = ()
) -> Scores:
    """The scores of an answerer on all splits, question by question.

    Args:
        release: The release.
        system: The answerer.
        kg: The graph that it is given.
        only: Ids of the questions that count; none: all.
    """
    report = evaluate(
        release, answer(release, system, kg=kg, split=None), kg=kg, split=None, resamples=1
    )
    rows = dict(zip(report.ids, report.scores.tolist(), strict=True))
    return {
        id_: {
            name: None if math.isnan(value) else round(value, 12)
            for name, value in zip(report.columns, row, strict=True)
            if name not in OF_CORE
        }
        for id_, row in rows.items()
        if not only or id_ in only
    }


def differing_scores(release: Release, made: Release, system: str, kg: str) -> dict[str, set[str]]:
    """Score → the questions of entities that have another value of it on what was imported.

    The predictions are the same, by their labels: those of an answerer on the release, whose naming is
    ``text``.
    """
    predictions = answer(release, system, kg=kg, split=None)
    entities = {q.id for q in release.questions() if q.value is None}
    found: dict[str, set[str]] = {}
    before, after = (
        evaluate(one, predictions, kg=kg, split=None, resamples=1, naming="text")
        for one in (release, made)
    )
    assert before.ids == after.ids
    for column in OF_BOTH:
        one, other = (rows.scores[:, rows.columns.index(column)] for rows in (before, after))
        differ = ~((one == other) | (np.isnan(one) & np.isnan(other)))
        if some := {id_ for id_, so in zip(before.ids, differ, strict=True) if so} & entities:
            found[column] = some
    return found
