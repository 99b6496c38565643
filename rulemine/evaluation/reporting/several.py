"""The report of several systems on the same questions, compared with each other, as a `Document`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from rulemine.evaluation.breakdown import PROOF
from rulemine.evaluation.comparing.differences import Differences
from rulemine.evaluation.comparing.pairwise import SHOWN
from rulemine.evaluation.reporting.document import Document, Picture, Series
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
    first, *others = _by_subset(runs)
    subset = SUBSETS[report.headline.breakdown]
    below = replace(
        differences.tables()[0],
        title="Differences, percentage points",
        notes=differences.notes[-1:],  # the others are those of the systems
    )
    return Document(
        title=f"{len(runs)} systems on {release.name}",
        notes=tuple(_notes(runs)),
        facts={
            "release": f"{release.name} ({release.identity[:12]})",
            "split": report.split,
            "questions": f"{report.n:,}",
            "hard answers": f"those missing at level {report.level}",
        },
        headline=first,
        figures=(
            Picture(
                "systems",
                f"Systems, {subset}",
                f"Over {subset}, with 95 % intervals. Hits@Hard and Hard F1 count what must be inferred.",
                "bars",
                "system",
                "percent",
                tuple(f"{run.system}, {run.kg}" for run in runs),
                tuple(
                    Series(TITLES[m], tuple(run.report.headline.scores.get(m) for run in runs))
                    for m in _DRAWN
                ),
            ),
        ),
        tables=(*others, *_by_proof(runs), below),
        questions=rows,
        labels=labels,
    )


def _notes(runs: Sequence[SystemRun]) -> Iterator[str]:
    """What is true of all, then of each."""
    shared = [n for n in runs[0].report.notes if all(n in run.report.notes for run in runs)]
    yield from shared
    for run in runs:
        for note in run.report.notes:
            if note not in shared:
                yield f"{run.system}, {run.kg}: {note}"


def _by_subset(runs: Sequence[SystemRun]) -> Iterator[Table]:
    """Systems × scores, the subset of the headline first."""
    subsets = [row.breakdown for row in runs[0].report.rows if row.breakdown in SUBSETS]
    for subset in subsets:
        found = [(run, run.report.row(subset, subset)) for run in runs]
        yield Table(
            "headline" if subset == subsets[0] else f"scores-{subset}",
            f"Scores, {SUBSETS[subset]}, percent",
            ("system", "graph", "n", *(TITLES[m] for m in SHOWN)),
            tuple(
                (run.system, run.kg, row.n, *(row.scores.get(m) for m in SHOWN))
                for run, row in found
            ),
        )


def _by_proof(runs: Sequence[SystemRun]) -> Iterator[Table]:
    """Systems × what is left of the hard answer, where questions differ in it."""
    groups = [row.group for row in runs[0].report.rows if row.breakdown == "proof"]
    if groups:
        rows = tuple(
            (
                run.system,
                run.kg,
                *(run.report.row("proof", group).scores.get("hard_f1") for group in groups),
            )
            for run in runs
        )
        title = f"{TITLES['hard_f1']} by {PROOF.title}, percent"
        yield Table("by-proof", title, ("system", "graph", *groups), rows)
