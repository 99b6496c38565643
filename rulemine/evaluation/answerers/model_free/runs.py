"""Answers runs in other processes, for answerers that ask no model and say ``spreads = True``.

A run is all that one call of `rulemine.evaluation.answerers.registry.answer` is told beside the release. All
other answerers answer where the command runs, where the journal is, or the program that they start.

Guarantees: the predictions are those of `answer`, whatever the number of processes and the order in which
runs end.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rulemine.errors import ConfigError
from rulemine.evaluation.answerers.registry import answer, checked, find_answerer
from rulemine.release.archive import PackedRelease
from rulemine.release.reader import Release
from rulemine.release.records import Prediction

__all__ = ["AnswererRun", "RunAnswers", "answer_run", "answer_runs", "only_spreading", "spreads"]


class AnswererRun(NamedTuple):
    """What an answerer is asked; see `rulemine.evaluation.answerers.registry.answer`.

    Attributes:
        with_: The answerer, as written.
        naming: The naming of the release.
        kg: The graph.
        split: The split; None for all.
        sample: How many of its questions; None for all.
        seed: For what is drawn.
        folder: Where it keeps what it learned; used where it is to be seen.
    """

    with_: str
    naming: str
    kg: str
    split: str | None
    sample: int | None
    seed: int
    folder: Path | None


class RunAnswers(NamedTuple):
    """What was found in a run.

    Attributes:
        run: The run.
        predictions: Those of its questions, sorted by id.
        notes: Sentences for the user.
    """

    run: AnswererRun
    predictions: list[Prediction]
    notes: list[str]


Away = Callable[[Callable[[AnswererRun], RunAnswers], Sequence[AnswererRun]], Iterable[RunAnswers]]
"""Calls a function with runs in other processes, in any order."""


def spreads(written: str, release: Release) -> bool:
    """Whether the runs of an answerer go to other processes.

    Args:
        written: The answerer.
        release: What it is asked about. Questions about one of several property graphs stay here.
    """
    return not release.named_graphs and bool(getattr(find_answerer(written), "spreads", False))


def only_spreading(systems: Sequence[str], release: Release) -> list[str]:
    """Those of some answerers whose runs go to other processes.

    Raises:
        ConfigError: There is none.
    """
    if found := [name for name in systems if spreads(name, release)]:
        return found
    raise ConfigError(
        f"--cluster: nothing of {', '.join(systems)} can be done by workers: systems that ask a model do so "
        "where their journal is, and programs run where they are. Leave it out."
    )


def answer_runs(
    runs: Sequence[AnswererRun],
    releases: Mapping[str, Release],
    away: Away,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
    note: Callable[[AnswererRun, str], None] = lambda run, text: None,
) -> Iterator[tuple[AnswererRun, list[Prediction]]]:
    """Answers runs in other processes.

    Args:
        runs: Each of an answerer that spreads.
        releases: Naming → the release in it.
        away: Calls a function with runs, which begin in the order given and may end in any.
        progress: Called with runs done, and all of them.
        note: Called with a run and a sentence about it.

    Yields:
        Each run as it is done, with its predictions, sorted by id.

    Raises:
        ConfigError: An answerer cannot be used. ReleaseError: A release has no such graph, or a file is
        missing or was edited.
    """
    for run in runs:
        checked(releases[run.naming], run.with_, run.split, run.seed)
        if run.folder is not None:  # what is learned is kept where this folder is to be seen
            run.folder.mkdir(parents=True, exist_ok=True)
    packed = {naming: PackedRelease(releases[naming]) for naming in {run.naming for run in runs}}
    progress(0, len(runs))
    for done, found in enumerate(away(partial(answer_run, packed), runs), start=1):
        progress(done, len(runs))
        for text in found.notes:
            note(found.run, text)
        yield found.run, found.predictions


def answer_run(releases: Mapping[str, PackedRelease], run: AnswererRun) -> RunAnswers:
    """Answers the questions of a run.

    Args:
        releases: Naming → the release in it.
        run: The run.

    Raises:
        ReleaseError: A file was edited. ConfigError: The answerer of another package failed.
    """
    notes: list[str] = []
    found = answer(
        releases[run.naming].release,
        run.with_,
        kg=run.kg,
        split=run.split,
        sample=run.sample,
        seed=run.seed,
        folder=run.folder if run.folder is not None and run.folder.is_dir() else None,
        note=notes.append,
    )
    return RunAnswers(run, found, notes)
