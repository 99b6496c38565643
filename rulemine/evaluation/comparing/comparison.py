"""Two systems, or one on two graphs, compared on the same questions."""

from collections.abc import Sequence

import numpy as np

from rulemine.errors import PredictionError
from rulemine.evaluation.breakdown import Breakdown
from rulemine.evaluation.notes import DROPPED, notes_on_rows
from rulemine.evaluation.reporting.report import Comparison, Report
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.statistics.bootstrap import Floats
from rulemine.evaluation.statistics.estimates import differences, ratio_of, rows_of
from rulemine.evaluation.statistics.significance import randomization_test

__all__ = ["compare", "note_about", "of_subsets", "p_values", "sums_of"]


def compare(
    first: Report,
    second: Report,
    *,
    names: tuple[str, str] = ("complete", "incomplete"),
    broken_down: bool = True,
) -> Comparison:
    """The paired difference of two reports on the same questions, first minus second.

    Every resample draws the same clusters for both, so what makes questions hard for both cancels.

    Args:
        first: E.g. a system's scores on the complete KG.
        second: E.g. its scores on the incomplete KG.
        names: What to call the two.
        broken_down: Whether to compare by every breakdown, beside the core and all questions.

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
    columns = tuple(column for column in first.columns if column in second.columns)
    scores = [
        report.scores[:, [report.columns.index(name) for name in columns]]
        for report in (first, second)
    ]
    notes = [note for note in first.notes if note in second.notes]
    for name, report in zip(names, (first, second), strict=True):
        notes += [note_about(name, note) for note in report.notes if note not in notes]
    if first.matching != second.matching:
        notes.append(f"Matched differently: {first.matching} and {second.matching}.")
    if first.level != second.level:
        notes.append(
            f"Hard answers are those missing at other levels: {first.level}, {second.level}."
        )
    parts = first.groups if broken_down else of_subsets(first.groups)
    rows = rows_of(
        np.column_stack(scores), first.clusters, parts, first.resamples, first.seed,
        differences, columns, metrics,
    )  # fmt: skip
    notes = [note for note in notes if DROPPED not in note] + notes_on_rows(rows)
    return Comparison(
        release=first.release,
        naming=first.naming if first.naming == second.naming else "mixed",
        split=first.split,
        sample=first.sample,
        rows=rows,
        kind=first.kind,
        kg=first.kg
        if first.kg == second.kg
        else first.kg and second.kg and f"{first.kg} and {second.kg}",
        metrics=metrics,
        resamples=first.resamples,
        seed=first.seed,
        notes=tuple(notes),
        first=names[0],
        second=names[1],
        level=min(first.level, second.level),
        p_values=p_values(first, second, metrics),
    )


def of_subsets(parts: Sequence[Breakdown]) -> tuple[Breakdown, ...]:
    """The core, if it has a question, and all questions."""
    return tuple(part for part in parts if part.name in ("core", "all"))


def sums_of(report: Report, metric: str, part: Breakdown) -> Floats:
    """What each question adds to a score over a subset, see `ratio_of`.

    Args:
        report: The scores of the system.
        metric: The score.
        part: One of `of_subsets`.
    """
    return ratio_of(report.scores, report.columns, metric, part.members[0], part.name == "core")


def p_values(
    first: Report, second: Report, metrics: Sequence[str]
) -> dict[str, dict[str, float | None]]:
    """The p-value of each difference over the core and over all questions.

    Args:
        first: The scores of one system.
        second: Those of the other, on the same questions.
        metrics: Scores of both.

    Returns:
        ``core``, if it has a question, and ``all`` → score → p; None where it is undefined.
    """
    groups = of_subsets(first.groups)
    asked = [(part, metric) for part in groups for metric in metrics]
    both = [np.stack([sums_of(r, m, part) for part, m in asked], axis=1) for r in (first, second)]
    found = iter(randomization_test(both[0], both[1], first.clusters, seed=first.seed))
    return {part.name: {metric: next(found) for metric in metrics} for part in groups}


def note_about(name: str, note: str) -> str:
    """A note with the name of the system; a warning still begins as one."""
    if note.startswith(WARNING):
        return f"{WARNING}{name}: {note.removeprefix(WARNING)}"
    return f"{name}: {note}"
