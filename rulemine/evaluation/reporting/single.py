"""The report of one system, or of the questions of a release alone, as a `Document`."""

from collections.abc import Callable, Iterator

from rulemine.evaluation.breakdown import group_titles
from rulemine.evaluation.predictions import PredictionFile, read_predictions
from rulemine.evaluation.reporting.document import Document, Picture
from rulemine.evaluation.reporting.questions import SystemRun, question_rows
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.titles import FURTHER, SUBSETS, TITLES
from rulemine.evaluation.statistics.bootstrap import CONFIDENCE
from rulemine.kinds.registry import is_built, kind_named
from rulemine.release.reader import Release
from rulemine.text.tables import Table

__all__ = ["document_of_questions", "document_of_run", "run_of_file"]

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
