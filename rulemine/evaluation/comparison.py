"""Two systems, or one on two graphs, compared on the same questions."""

import numpy as np

from rulemine.errors import PredictionError
from rulemine.evaluation.estimates import differences, rows_of
from rulemine.evaluation.reporting.report import Comparison, Report

__all__ = ["compare"]


def compare(
    first: Report, second: Report, *, names: tuple[str, str] = ("complete", "incomplete")
) -> Comparison:
    """The paired difference of two reports on the same questions, first minus second.

    Every resample draws the same clusters for both, so what makes questions hard for both cancels.

    Args:
        first: E.g. a system's scores on the complete KG.
        second: E.g. its scores on the incomplete KG.
        names: What to call the two.

    Raises:
        PredictionError: The reports are not on the same questions.
    """
    if (first.release, first.ids) != (second.release, second.ids):
        shared = len(set(first.ids) & set(second.ids))
        raise PredictionError(
            f"compare: {first.n} questions of {first.release!r} and {second.n} of {second.release!r} "
            f"with {shared} ids in common; the same questions were expected. Evaluate both files on "
            "one release and one split."
        )
    metrics = tuple(metric for metric in first.metrics if metric in second.metrics)
    width = min(first.scores.shape[1], second.scores.shape[1])  # one may not say what it retrieved
    both = np.column_stack((first.scores[:, :width], second.scores[:, :width]))
    notes = [note for note in first.notes if note in second.notes]
    for name, report in zip(names, (first, second), strict=True):
        notes += [f"{name}: {note}" for note in report.notes if note not in notes]
    if first.matching != second.matching:
        notes.append(f"Matched differently: {first.matching} and {second.matching}.")
    return Comparison(
        release=first.release,
        naming=first.naming if first.naming == second.naming else "mixed",
        split=first.split,
        rows=rows_of(
            both, first.clusters, first.groups, first.resamples, first.seed, differences, metrics
        ),
        kind=first.kind,
        kg=first.kg and second.kg,
        metrics=metrics,
        resamples=first.resamples,
        seed=first.seed,
        notes=tuple(notes),
        first=names[0],
        second=names[1],
    )
