"""Answers what a study asks, run by run, into one folder.

The folder has ``study.json`` (which study it is, and how it was last scored),
``predictions/NAMING/SYSTEM/GRAPH.jsonl``, ``calls.sqlite`` (the one journal of all calls of a model) and
``work`` (what systems keep, the release in other namings).

Guarantees: a run that is finished is not run again, and a call that was answered is not asked again, however
the study ended before; a run with questions that a program or an endpoint failed to answer is not finished,
and says so in its first line (``unanswered``); a folder holds one study; nothing outside the folder is
written.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from rulemine.codec import parse_object
from rulemine.errors import (
    AwaitedError,
    ConfigError,
    InputError,
    OutputError,
    ReleaseError,
    counted,
)
from rulemine.evaluation.answerers.model_free.runs import AnswererRun, Away, answer_runs, spreads
from rulemine.evaluation.answerers.registry import (
    JOURNAL,
    answer,
    asks_model,
    find_answerer,
    needs_of,
    without_limits,
)
from rulemine.evaluation.predictions import read_run, write_predictions
from rulemine.evaluation.study.damage import DamagedRelease
from rulemine.evaluation.study.plan import (
    StudyPlan,
    StudyRun,
    header_of,
    identity_of,
    runs_of,
)
from rulemine.evaluation.twins import twins_among
from rulemine.files import read_text, take_lock, write_text
from rulemine.llm.session import Session
from rulemine.release.outputs import check_file
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.release.records import Prediction

__all__ = [
    "MANIFEST",
    "StudyFolder",
    "Watch",
    "open_study",
    "unwatched",
    "write_scoring",
]

Watch = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Shows the progress of one step, given its name; yields what is called with done and total."""

MANIFEST = "study.json"

_SCORED = ("names", "matching", "resamples", "metrics")
"""The options of how a study is scored, which may change from one run to the next."""


@contextmanager
def unwatched(_name: str) -> Iterator[Callable[[int, int], None]]:
    """Shows nothing."""
    yield lambda done, total: None


class StudyFolder:
    """A study and its folder; opening it makes the folder or checks that it holds this study.

    Args:
        plan: The study.
        folder: Its folder.
        watch: Shows the progress of each step.
        note: Called with sentences for the user.

    Raises:
        OutputError: The folder holds another study, or other files, or cannot be written.
        ReleaseError: There is no such release.
        ReleaseError: Twins are asked for, and no question has one.
        ConfigError: Its answers are rows, and other namings or another matching are asked for; or a system
            executes queries, and no question has one.
    """

    def __init__(
        self,
        plan: StudyPlan,
        folder: Path,
        *,
        watch: Watch = unwatched,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.plan, self.folder = plan, folder
        self.release = self._opened(plan.release)
        if plan.damage:
            self.release.expect_entities("--damage")
            self.release.expect_certificates("--damage")
            self.release.expect_answers("--damage", plan.asked_split)
        others = {*plan.namings} - {self.release.naming}
        if self.release.answers == "rows" and (
            others or plan.matching != "vocabulary" or plan.metrics
        ):
            raise ConfigError(
                "namings, matching, metrics: the answers of this release are rows, in its own naming "
                f"{self.release.naming!r}, and are compared cell by cell. Leave these out."
            )
        asked = self.release.questions(plan.asked_split)
        if plan.twins:
            twins_among(self.release, [q.id for q in asked])
        executing = [name for name in plan.systems if "query" in needs_of(find_answerer(name))]
        if executing and not any(q.query for q in asked):
            raise ConfigError(
                f"systems: {', '.join(executing)} executes queries, and no question of {plan.release} has "
                "one. Leave it out."
            )
        self.runs = runs_of(plan, self.release.naming)
        self._watch, self._note = watch, note
        self._releases: dict[str, DamagedRelease] = {self.release.naming: self.release}
        self._check()

    def _opened(self, path: str | Path) -> DamagedRelease:
        """A release with the graphs that this study may damage."""
        plan, found = self.plan, Release.open(path)
        asked = plan.asked_split, plan.sample, plan.seed
        return DamagedRelease(found.path, found.folder, found.manifest, *asked)

    def _check(self) -> None:
        file, ours = self.folder / MANIFEST, identity_of(self.plan, self.release)
        check_file(file)
        if not file.exists():
            if self.folder.is_dir() and any(self.folder.iterdir()):
                raise OutputError(
                    f"{self.folder}: has files and no {MANIFEST}, so it holds no study. Name an empty or new "
                    "folder with -o."
                )
            return
        try:
            theirs = parse_object(read_text(file), str(file))
        except InputError as problem:
            raise OutputError(f"{problem} Choose another folder with -o.") from None
        differ = [
            f"{key} is {json.dumps(theirs.get(key), ensure_ascii=False)} there and "
            f"{json.dumps(value, ensure_ascii=False)} here"
            for key, value in ours.items()
            if _bare(theirs.get(key) or []) != _bare(value or [])
        ]
        if differ:
            raise OutputError(
                f"{self.folder}: holds another study: {'; '.join(differ)}. Choose another folder with -o, or "
                "ask what it asked."
            )

    def file(self, run: StudyRun) -> Path:
        """The prediction file of a run."""
        return self.folder / run.file

    def is_done(self, run: StudyRun) -> bool:
        """Whether a run is finished."""
        release, header = self._releases.get(run.naming, self.release), self._header_of(run)
        return header == header_of(self.plan, release, run) | {"naming": run.naming}

    def unanswered(self, run: StudyRun) -> int:
        """The questions of a run that were asked, got no answer, and are asked again."""
        count = (self._header_of(run) or {}).get("unanswered")
        return count if type(count) is int else 0

    def _header_of(self, run: StudyRun) -> dict[str, Any] | None:
        return read_run(self.file(run)) if self.file(run).is_file() else None

    def answer(self, away: Away | None = None) -> None:
        """Answers what is not answered yet.

        Args:
            away: Calls a function with blocks of questions in other processes, those of systems that spread,
                see `rulemine.evaluation.answerers.model_free.runs`; None: all are answered here.

        Raises:
            ConfigError: A system cannot be used.
            NoReplyError: The first replies of a system were all cut off, or all calls refused.
            ReleaseError: A file of the release is missing or was edited.
            OutputError: Something cannot be written, or another process works on this study.
            EndpointError: The model cannot be asked.
            LimitError: The budget of tokens is spent; every reply is kept.
            AwaitedError: Calls are to be sent as a batch; what needs none is finished.
        """
        waiting = [run for run in self.runs if not self.is_done(run)]
        awaited: AwaitedError | None = None
        with ExitStack() as opened:
            opened.enter_context(self._locked())
            session = None
            if any(asks_model(find_answerer(run.system)) for run in waiting):
                session = opened.enter_context(
                    Session(self.plan.endpoint, self.folder / JOURNAL, self._note)
                )
            if len(waiting) < len(self.runs):
                done = len(self.runs) - len(waiting)
                self._note(f"{done} of {len(self.runs)} runs were finished before.")
            if again := sum(map(self.unanswered, waiting)):
                self._note(f"{counted(again, 'question')} got no answer before: asked again.")
            if away is not None:
                spread = [
                    run
                    for run in waiting
                    if not run.damage and spreads(run.system, self.named(run.naming))
                ]  # workers have the graphs of the release alone
                waiting = [run for run in waiting if run not in spread]
                if spread:
                    self._answer_away(spread, away, len(self.runs) - len(waiting) - len(spread))
            for number, run in enumerate(waiting, start=len(self.runs) - len(waiting) + 1):
                try:
                    self._answer(run, session, f"{number} of {len(self.runs)}")
                except AwaitedError as found:  # its calls and those of other runs are sent together
                    awaited = found
        if awaited is not None:
            raise awaited

    def _answer_away(self, runs: Sequence[StudyRun], away: Away, done: int) -> None:
        """Answers runs in other processes; so many runs are done."""
        plan = self.plan
        asked = {
            AnswererRun(
                run.system,
                run.naming,
                run.kg,
                plan.asked_split,
                plan.sample,
                plan.seed,
                self.folder.absolute() / "work",
            ): run
            for run in runs
        }
        place = f"{done + 1} to {done + len(runs)} of {len(self.runs)}"
        with self._watch(f"{place}, by workers") as advance:
            for one, predictions in answer_runs(
                list(asked),
                {run.naming: self.named(run.naming) for run in runs},
                away,
                progress=advance,
                note=lambda one, text: self._note(f"{self._label(asked[one])}: {text}"),
            ):
                self._write(asked[one], predictions)

    def _label(self, run: StudyRun) -> str:
        label = f"{run.system}, {run.kg}"
        return f"{label}, {run.naming}" if len(self.plan.namings) > 1 else label

    def _answer(self, run: StudyRun, session: Session | None, place: str) -> None:
        plan, label = self.plan, self._label(run)
        unanswered: list[str] = []
        with self._watch(f"{place}: {label}") as advance:
            predictions = answer(
                self.named(run.naming),
                run.system,
                kg=run.kg,
                split=plan.asked_split,
                sample=plan.sample,
                seed=plan.seed,
                model=plan.model,
                session=session,
                folder=self.folder / "work",
                progress=advance,
                note=lambda text: self._note(f"{label}: {text}"),
                unanswered=unanswered.append,
            )
        self._write(run, predictions, len(unanswered))

    def _write(self, run: StudyRun, predictions: Sequence[Prediction], unanswered: int = 0) -> None:
        header = header_of(self.plan, self.named(run.naming), run)
        self.file(run).parent.mkdir(parents=True, exist_ok=True)
        failed = {"unanswered": unanswered} if unanswered else {}
        write_predictions(self.file(run), predictions, header | failed)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if not (file := self.folder / MANIFEST).exists():
            _write_json(file, identity_of(self.plan, self.release))
        with file.open("rb") as held:
            if not take_lock(held.fileno()):
                raise OutputError(
                    f"{self.folder}: another process works on this study. Wait for its end, or choose "
                    "another folder with -o."
                )
            yield

    def named(self, naming: str) -> DamagedRelease:
        """The release in a naming, made in the folder when it is first needed."""
        if naming not in self._releases:
            target = self.folder / "work" / "releases" / naming
            try:
                found = self._opened(target)
            except ReleaseError:
                with self._watch(f"rename to {naming}"):
                    rename(self.release, target, naming, replace=True)
                found = self._opened(target)
            self._releases[naming] = found
        return self._releases[naming]


def _bare(value: Any) -> Any:
    """Systems without the limits of their replies: raising one continues the same study."""
    return [without_limits(str(item)) for item in value] if isinstance(value, list) else value


def _write_json(file: Path, content: Mapping[str, Any]) -> None:
    write_text(file, json.dumps(content, ensure_ascii=False, indent=2) + "\n")


def write_scoring(study: StudyFolder) -> None:
    """Writes down how a study was last scored, beside which study it is."""
    scored = {key: getattr(study.plan, key) for key in _SCORED}
    _write_json(study.folder / MANIFEST, identity_of(study.plan, study.release) | scored)


def open_study(folder: Path, releases: Mapping[str, Release]) -> StudyFolder:
    """A study that was run, from its folder.

    Args:
        folder: The folder.
        releases: Identity → release.

    Raises:
        InputError: It holds no study, its release is not among these, or it is not finished.
    """
    file = folder / MANIFEST
    options = parse_object(read_text(file), str(file))
    identity, _ = options.pop("release", None), options.pop("format", None)
    if not isinstance(identity, str):
        raise InputError(
            f"{file}: names no release, so it is of no study. Name the folder of a study."
        )
    if (release := releases.get(identity)) is None:
        raise InputError(
            f"{folder}: is a study of the release {identity[:12]}, which was not given. Give the folder of "
            "that release too."
        )
    if options.get("namings") == [release.naming]:
        del options["namings"]
    given: dict[str, Any] = {
        key: tuple(v) if isinstance(v, list) else v for key, v in options.items()
    }
    try:
        study = StudyFolder(StudyPlan(release=str(release.path), **given), folder)
    except (ConfigError, TypeError) as problem:
        raise InputError(f"{file}: cannot be read: {problem}") from None
    if waiting := [run.file for run in study.runs if not study.is_done(run)]:
        raise InputError(
            f"{folder}: {waiting[0]} is not finished. Run rulemine study with the same options again."
        )
    return study
