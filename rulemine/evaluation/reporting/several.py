"""The report of several systems on the same questions, compared with each other, as a `Document`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from rulemine.evaluation.breakdown import PROOF
from rulemine.evaluation.comparing.comparison import SHOWN, Differences
from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.reporting.frame import Frame
from rulemine.evaluation.reporting.questions import SystemRun, question_rows
from rulemine.evaluation.reporting.titles import SUBSETS, TITLES
from rulemine.release.reader import Release
from rulemine.text.tables import Table

__all__ = ["document_of_comparison"]

_DRAWN = ("hits_any", "hits_hard", "hard_f1")
"""The scores of the figure."""


def document_of_comparison(
    release: Release,
    runs: Sequence[SystemRun],
    differences: Differences,
    progress: Callable[[int, int], None] | None = None,
) -> Document:
    """The report of several systems.

    Args:
        release: The release.
        runs: What they did, scored on the same questions at one level.
        differences: Each compared with each.
        progress: Called with (questions done, all questions).

    Raises:
        ReleaseError: A file of the release is missing or was edited.
    """
    rows, labels = question_rows(release, runs, None, progress)
    report = runs[0].report
    frame = Frame.of((run.system, run.report) for run in runs)
    named = Frame.of((f"{run.system}, {run.kg}", run.report) for run in runs)
    subsets = {
        row.breakdown: SUBSETS[row.breakdown] for row in report.rows if row.breakdown in SUBSETS
    }
    first, *others = (
        frame.where(breakdown=subset).table(
            f"scores-{subset}", f"Scores, {title}, percent", SHOWN, rows=("system", "graph", "n")
        )
        for subset, title in subsets.items()
    )
    headline = subsets[report.headline.breakdown]
    below = replace(
        differences.tables()[0],
        title="Differences, percentage points",
        notes=differences.notes[-1:],  # the others stand above
    )
    return Document(
        title=f"{len(runs)} systems on {release.name}",
        notes=differences.notes[:-1],
        facts={
            "release": f"{release.name} ({release.identity[:12]})",
            "split": report.split,
            "questions": f"{report.n:,}",
            "hard answers": f"those missing at level {report.level}",
        },
        headline=replace(first, id="headline"),
        figures=(
            named.where(breakdown=report.headline.breakdown, metric=_DRAWN).picture(
                "systems",
                f"Systems, {headline}",
                f"Over {headline}, with 95 % intervals. Hits@Hard and Hard F1 count what must be inferred.",
                rows=("metric",),
                columns="system",
            ),
        ),
        tables=(*others, *_by_proof(frame), below),
        questions=rows,
        labels=labels,
    )


def _by_proof(frame: Frame) -> Iterator[Table]:
    """Systems × what is left of the hard answer, where questions differ in it."""
    some = frame.where(breakdown=PROOF.key, metric="hard_f1")
    if some.rows:
        title = f"{TITLES['hard_f1']} by {PROOF.title}, percent"
        yield some.table("by-proof", title, columns="group")
