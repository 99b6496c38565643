"""The reports of one system, of several compared, and of the questions of a release alone, as documents."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from rulemine.evaluation.breakdown import PROOF, group_titles
from rulemine.evaluation.comparing.comparison import SHOWN, Differences
from rulemine.evaluation.predictions import PredictionFile, read_predictions
from rulemine.evaluation.reporting.document import Document, Picture
from rulemine.evaluation.reporting.frame import Frame
from rulemine.evaluation.reporting.questions import SystemRun, question_rows
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.titles import FURTHER, SUBSETS, TITLES
from rulemine.evaluation.statistics.bootstrap import CONFIDENCE
from rulemine.kinds.registry import is_built, kind_named
from rulemine.release.reader import Release
from rulemine.text.tables import Table

__all__ = ["document_of_comparison", "document_of_questions", "document_of_run", "run_of_file"]

_DRAWN = ("hits_any", "hits_hard", "hard_f1")
"""The scores of the figures."""

_FIGURES = ("rule_type", "structure", "missing")
"""The breakdowns that are drawn."""

_FIRST = ("hard_f1", "hits_hard", "hhr", "hits_any", "f1", "precision", "recall")
"""The scores that tables begin with; the others follow in the order of the report."""

Progress = Callable[[int, int], None]


def document_of_run(release: Release, run: SystemRun, progress: Progress | None = None) -> Document:
    """The report of one system: its scores, by group too, and every question.

    Args:
        release: The release.
        run: What the system did.
        progress: Called with (questions done, all questions).

    Raises:
        ReleaseError: A file of the release is missing or was edited.
    """
    report = run.report
    rows, labels = question_rows(release, [run], None, progress)
    tables = [*_tables(report), *report.of_queries]
    if report.others is not None:
        tables += report.others.tables()
    return Document(
        title=f"{run.system} on the {run.kg} graph of {release.name}",
        notes=report.notes,
        facts={
            "system": run.system,
            "graph": run.kg,
            "release": release.name,
            "split": report.split,
            "sample": "all questions" if report.sample is None else f"{report.sample:,} questions",
            "naming": report.naming,
            "matching": report.matching,
            "intervals": f"{100 * CONFIDENCE:g} % bootstrap, {report.resamples:,} resamples of clusters, "
            f"seed {report.seed}",
        },
        headline=report.frame.where(breakdown=SUBSETS).table(
            "headline", "Scores, percent", _metrics(report), rows=("group", "n")
        ),
        figures=tuple(_figures(report)),
        tables=tuple(tables),
        questions=rows,
        labels=labels,
    )


def document_of_questions(
    release: Release, split: str | None = "test", progress: Progress | None = None
) -> Document:
    """The questions of a release with their proofs.

    Args:
        release: The release.
        split: The split; None for all.
        progress: Called with (questions done, all questions).

    Raises:
        ReleaseError: There is no such split, or a file is missing or was edited.
    """
    rows, labels = question_rows(release, (), split, progress)
    forms: dict[str, list[int]] = {}
    for row in rows:
        counts = forms.setdefault(row.form, [0, 0])
        counts[0] += 1
        counts[1] += row.core
    form, built = kind_named(release.kind).groups[0], is_built(release.kind)
    forms["all"] = [len(rows), sum(row.core for row in rows)]
    header = (form.title, "questions", *(("core",) if built else ()))
    numbers = tuple(
        (name, n, core) if built else (name, n)
        for name, (n, core) in sorted(forms.items(), key=_all_last)
    )
    return Document(
        title=f"Questions of {release.name}",
        facts={
            "release": release.name,
            "split": split or "all",
            "naming": release.naming,
            "kind": release.kind,
        },
        headline=Table("headline", f"Questions by {header[0]}", header, numbers),
        questions=rows,
        labels=labels,
    )


def _all_last(counted: tuple[str, list[int]]) -> tuple[bool, str]:
    return counted[0] == "all", counted[0]


def run_of_file(
    release: Release,
    file: PredictionFile,
    report: Report,
) -> SystemRun:
    """What a system did, as its prediction file says.

    Args:
        release: The release.
        file: The file.
        report: How it was scored.

    Raises:
        PredictionError: A prediction is malformed.
    """
    predictions = read_predictions(
        file,
        release.questions(),
        split=None,
        missing="empty",
        official=report.matching == "brink",
    )
    return SystemRun(report.system or file.path.stem, report.kg, predictions, report)


def _metrics(report: Report) -> list[str]:
    apart = {metric for _, metrics, _ in FURTHER for metric in metrics}
    of_answers = [m for m in report.metrics if m in TITLES and m not in apart]
    return sorted(of_answers, key=lambda m: _FIRST.index(m) if m in _FIRST else len(_FIRST))


def _all(report: Report) -> str:
    """All questions that were asked, in words."""
    return "all questions" if report.sample is None else f"the {report.n:,} questions of the sample"


def _tables(report: Report) -> Iterator[Table]:
    """The further tables and one for each breakdown."""
    subsets = report.frame.where(breakdown=SUBSETS)
    for number, (about, metrics, _) in enumerate(FURTHER, start=1):
        if not set(metrics).isdisjoint(report.metrics):
            title = about.format(kg=report.kg)
            title = title[0].upper() + title[1:]
            yield subsets.table(f"further-{number}", title, metrics, rows=("group", "n"))
    for breakdown, called in group_titles(report.kind).items():
        some = report.frame.where(breakdown=breakdown)
        if some.rows and breakdown not in SUBSETS:
            title = f"By {called}, {_all(report)}, percent"
            yield some.table(breakdown, title, _metrics(report), rows=("group", "n"))


def _figures(report: Report) -> Iterator[Picture]:
    for breakdown in _FIGURES:
        some = report.frame.where(breakdown=breakdown, metric=_DRAWN)
        if len({row.group for row in some.rows}) > 1:
            title = group_titles(report.kind)[breakdown]
            yield some.picture(
                f"figure-{breakdown}",
                f"Scores by {title}",
                f"Over {_all(report)}, by {title}; bars with {100 * CONFIDENCE:g} % intervals. "
                "Hits@Hard and hard F1 count what must be inferred.",
                rows=("metric",),
                across=title,
            )


def document_of_comparison(
    release: Release,
    runs: Sequence[SystemRun],
    differences: Differences,
    progress: Progress | None = None,
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
