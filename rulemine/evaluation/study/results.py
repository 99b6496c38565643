"""A study from its plan to its page: answers, scores, tables, figures, and everything on one page.

The results go into the folder of the study: what `rulemine.evaluation.reporting.files.write_document` writes.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from rulemine.errors import ConfigError, counted
from rulemine.evaluation.answerers.registry import more_room
from rulemine.evaluation.comparing.comparison import note_about
from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.reporting.files import write_document
from rulemine.evaluation.reporting.questions import SystemRun, question_rows
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.study.exhibits import figures, headline, tables
from rulemine.evaluation.study.opened import write_scoring
from rulemine.evaluation.study.plan import StudyPlan, graph_at
from rulemine.evaluation.study.run import StudyFolder, Watch, unwatched
from rulemine.evaluation.study.scores import StudyScores
from rulemine.rules.blocks import MapLike
from rulemine.text.tables import Table

__all__ = ["check_packages", "document_of", "run_study", "write_results"]


def run_study(
    plan: StudyPlan,
    folder: str | Path,
    *,
    watch: Watch = unwatched,
    note: Callable[[str], None] = lambda text: None,
) -> Document:
    """Runs a study, or goes on with it, and writes its results.

    Args:
        plan: The study.
        folder: Its folder.
        watch: Shows the progress of each step.
        note: Called with sentences for the user.

    Returns:
        What was written.

    Raises:
        OutputError: The folder holds another study or cannot be written.
        ConfigError: A system cannot be used, or a package of the extra ``report`` is missing.
        ReleaseError: A file of the release is missing or was edited.
        EndpointError: The model cannot be asked.
        LimitError: A limit was reached; everything is kept.
    """
    check_packages()
    study = StudyFolder(plan, Path(folder), watch=watch, note=note)
    study.answer()
    return write_results(study, watch=watch)


def check_packages() -> None:
    """Checks that the report can be written, before hours are spent on its contents.

    Raises:
        ConfigError: A package of the extra ``report`` is not installed.
    """
    if find_spec("matplotlib") is None:
        raise ConfigError(
            "study: its report needs the package matplotlib: pip install 'rulemine[report]'."
        )


def write_results(
    study: StudyFolder, *, watch: Watch = unwatched, spread: MapLike = map
) -> Document:
    """Scores a study that is answered, and writes its results into its folder.

    Args:
        study: The study.
        watch: Shows the progress of each step.
        spread: Scores its runs, here or in other processes.
    """
    with watch("score") as advance:
        scores = StudyScores(study, advance, spread)
    with watch("write the report"):
        document = document_of(scores)
        write_scoring(study)
        write_document(document, study.folder)
    return document


def document_of(scores: StudyScores) -> Document:
    """Everything that a study found."""
    study = scores.study
    plan, release = study.plan, study.release
    runs = [
        SystemRun(plan.called[system], graph_at(level), scores.predictions[system, level], report)
        for (system, level), report in scores.reports.items()
        if level in (plan.levels[0], plan.levels[-1])
    ]
    rows, labels = question_rows(release, runs, plan.asked_split)
    facts = {
        "release": f"{release.name} ({release.identity[:12]})",
        "split": plan.split,
        "questions": f"{len(rows):,}" + (f" (sample {plan.sample:,})" if plan.sample else ""),
        "levels": ", ".join(map(str, plan.levels)),
        "namings": ", ".join(dict.fromkeys(run.naming for run in study.runs)),
        "seed": str(plan.seed),
        **({"model": plan.model} if plan.asking else {}),
    }
    notes = [n for n in runs[0].report.notes if all(n in run.report.notes for run in runs)]
    told: dict[tuple[str, str], list[str]] = {}  # of some runs alone
    for run in runs:
        for note in (note for note in run.report.notes if note not in notes):
            told.setdefault((run.kg, note), []).append(run.system)
    warned = [
        note_about(f"{system}, {kg}", note)
        for (kg, note), systems in told.items()
        for system in systems
        if note.startswith(WARNING)
    ]
    lines = tuple((", ".join(systems), *about) for about, systems in told.items())
    header = ("systems", "graph", "note")
    about = Table("notes", "What to know about single systems", header, lines)
    return Document(
        f"A study of {release.name}",
        notes=(*_unanswered(scores), *warned, *notes),
        facts=facts,
        headline=headline(scores),
        figures=tuple(figures(scores)),
        tables=(*tables(scores), *[about] * bool(lines)),
        questions=rows,
        labels=labels,
    )


def _unanswered(scores: StudyScores) -> Iterator[str]:
    """The systems that left questions unanswered or were cut off, a sentence each."""
    study = scores.study
    for system, called in study.plan.called.items():
        runs = [run for run in study.runs if run.system == system]
        of = counted(len(runs) * len(scores.asked), "question")
        if failed := sum(map(study.unanswered, runs)):
            yield (
                f"{WARNING}{called}: {failed:,} of {of}, over all its runs, got no answer, because a "
                "program ended or a call failed. They count as answered with nothing; the same command asks "
                "them again."
            )
        if cut := scores.cut_off[system]:
            replies = [option for options in cut for option in options]
            yield (
                f"{WARNING}{called}: {counted(len(replies), 'reply', 'replies')} cut off, to {len(cut):,} of "
                f"{of} over all its runs. To ask these again with more room: "
                f"{more_room(system, sorted({*replies}))}."
            )
