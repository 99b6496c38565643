"""Answers blocks of questions in other processes, for answerers that ask no model.

A block is all that one call is told beside the release. Answerers that say ``spreads = "questions"`` are
asked a block at a time, since their answers to a question depend on no other question; those that say
``"run"`` learn first, and are asked all questions at once, so that runs go side by side. All others answer
where the command runs, where the journal is, or the program that they start.

Guarantees: the predictions are those of `rulemine.evaluation.answerers.registry.answer`, whatever the number
of processes and the order in which blocks end.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from rulemine.errors import ConfigError
from rulemine.evaluation.answerers.asked import (
    AskedQuestions,
    prediction,
    questions_with_what_is_needed,
)
from rulemine.evaluation.answerers.registry import blaming, checked, find_answerer, needs_of
from rulemine.release.archive import PackedRelease
from rulemine.release.groups import sample as sample_of
from rulemine.release.reader import Release
from rulemine.release.records import Prediction

__all__ = [
    "AnswererRun",
    "BlockAnswers",
    "QuestionBlock",
    "answer_block",
    "answer_runs",
    "only_spreading",
    "spreads",
]

MOST_QUESTIONS = 5000
"""Questions in a block; each worker reads the graph anew for each run of which it has one."""


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


class QuestionBlock(NamedTuple):
    """Questions of a run.

    Attributes:
        run: The run.
        first: The position of the first question among those that can be asked.
        last: That of the one after the last.
    """

    run: AnswererRun
    first: int
    last: int


class BlockAnswers(NamedTuple):
    """What was found for a block.

    Attributes:
        block: The block.
        predictions: Those of its questions, sorted by id.
        notes: Sentences for the user.
    """

    block: QuestionBlock
    predictions: list[Prediction]
    notes: list[str]


Away = Callable[
    [Callable[[QuestionBlock], BlockAnswers], Sequence[QuestionBlock]], Iterable[BlockAnswers]
]
"""Calls a function with blocks in other processes, in any order."""


def spreads(written: str, release: Release) -> str:
    """What of an answerer goes to other processes: ``questions``, a whole ``run``, or "" for nothing.

    Args:
        written: The answerer.
        release: What it is asked about. Questions about one of several property graphs stay here.
    """
    return "" if release.named_graphs else str(getattr(find_answerer(written), "spreads", ""))


def only_spreading(systems: Sequence[str], release: Release) -> list[str]:
    """Those of some answerers of which something goes to other processes.

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
        away: Calls a function with blocks, which begin in the order given and may end in any.
        progress: Called with questions answered, and all of them.
        note: Called with a run and a sentence about it.

    Yields:
        Each run as it is done, with its predictions, sorted by id.

    Raises:
        ConfigError: An answerer cannot be used. ReleaseError: A release has no such graph, or a file is
        missing or was edited.
    """
    nothing: dict[AnswererRun, list[Prediction]] = {}
    blocks: list[QuestionBlock] = []
    for run in runs:
        release, needs = releases[run.naming], needs_of(find_answerer(run.with_))
        checked(release, run.with_, run.split, run.seed)
        questions = sample_of(release.questions(run.split), run.sample)
        asked = questions_with_what_is_needed(release, questions, needs, partial(note, run))
        without = {*range(len(questions))}.difference(asked)
        nothing[run] = [Prediction(questions[at].id, answers=()) for at in sorted(without)]
        most = MOST_QUESTIONS
        if spreads(run.with_, release) == "run":
            most = len(asked)
            if run.folder is not None:  # what is learned is kept where this folder is to be seen
                run.folder.mkdir(parents=True, exist_ok=True)
        starts = range(0, len(asked), max(1, most)) or [0]
        blocks += [QuestionBlock(run, at, min(len(asked), at + most)) for at in starts]
    # What learns first begins first. Blocks of a run stay together: a worker keeps what it read for one.
    blocks.sort(key=lambda one: spreads(one.run.with_, releases[one.run.naming]) != "run")
    open_blocks = {run: sum(block.run == run for block in blocks) for run in runs}
    notes: dict[AnswererRun, dict[str, None]] = {run: {} for run in runs}
    done, total = 0, sum(block.last - block.first for block in blocks)
    packed = {naming: PackedRelease(releases[naming]) for naming in {run.naming for run in runs}}
    progress(0, total)
    for found in away(partial(answer_block, packed), blocks):
        run, first, last = found.block
        done += last - first
        progress(done, total)
        nothing[run] += found.predictions
        notes[run].update(dict.fromkeys(found.notes))
        open_blocks[run] -= 1
        if not open_blocks[run]:
            for text in notes[run]:
                note(run, text)
            yield run, sorted(nothing.pop(run), key=lambda one: one.id)


def answer_block(releases: Mapping[str, PackedRelease], block: QuestionBlock) -> BlockAnswers:
    """Answers the questions of a block.

    Args:
        releases: Naming → the release in it.
        block: The block.

    Raises:
        ReleaseError: A file was edited. ConfigError: The answerer of another package failed.
    """
    run, first, last = block
    release = releases[run.naming].release
    about, asked = _asked(releases[run.naming], run)
    here = asked[first:last]
    answerer, notes = find_answerer(run.with_), list[str]()
    with blaming(release, run.with_):
        told = about.found(answerer, replace(about.given, note=notes.append), here)
        given = about.given
        found = [
            prediction(about.questions[at].id, one, given.kg, given.order)
            for at, one in zip(here, told, strict=True)
        ]
    return BlockAnswers(block, found, notes)


@lru_cache(maxsize=1)
def _asked(packed: PackedRelease, run: AnswererRun) -> tuple[AskedQuestions, list[int]]:
    """What is asked in a run and given for it, and the positions of the questions that can be asked."""
    release = packed.release
    seen = run.folder if run.folder is not None and run.folder.is_dir() else None
    needs = needs_of(find_answerer(run.with_))
    about = AskedQuestions.of(
        release, needs, kg=run.kg, split=run.split, sample=run.sample, seed=run.seed, folder=seen
    )
    asked = questions_with_what_is_needed(release, about.questions, needs, lambda text: None)
    return about, asked
