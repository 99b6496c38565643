"""The reports of a study: every run scored, and what its curves and figures take from them.

Runs are scored one at a time, in this process or another. A run is the part that is sent: its file is read,
scored at a few levels and resampled where it is, and what comes back is reports. Guarantee: they are the same
whatever was scored before, and where.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.prediction_file import PredictionFile
from rulemine.evaluation.predictions import read_predictions
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.scorer import Scorer
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.study.plan import StudyPlan, StudyRun
from rulemine.evaluation.study.run import StudyFolder
from rulemine.release.archive import PackedRelease
from rulemine.release.groups import sample
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from rulemine.rules.blocks import MapLike

__all__ = ["RunScorer", "ScoredRun", "StudyScores", "score_in"]

Bytes = npt.NDArray[np.uint8]


class ScoredRun(NamedTuple):
    """What is scored at once.

    Attributes:
        run: The run.
        levels: Hard answers are those that are missing at one of these, a report for each.
    """

    run: StudyRun
    levels: tuple[int, ...]


class RunScorer:
    """Scores runs; can be pickled with all that it reads, and keeps the predictions that were read last.

    Args:
        plan: The study.
        release: Its release.
        files: Run → its prediction file, or what that has.
    """

    def __init__(
        self,
        plan: StudyPlan,
        release: Release | PackedRelease,
        files: Mapping[StudyRun, Path | Bytes],
    ) -> None:
        self._plan, self._release, self._files = plan, release, files
        self._last: tuple[StudyRun | None, tuple[Prediction, ...]] = None, ()

    def __reduce__(self) -> tuple[Any, ...]:
        files = {
            run: np.memmap(file, np.uint8, "r").view(np.ndarray) if isinstance(file, Path) else file
            for run, file in self._files.items()
        }
        release = self._release
        packed = PackedRelease(release) if isinstance(release, Release) else release
        return RunScorer, (self._plan, packed, files)

    def __call__(self, scored: ScoredRun) -> list[Report]:
        """The report of a run at each of its levels.

        Raises:
            PredictionError: Its file is malformed. ReleaseError: A file of the release was edited.
        """
        run, levels = scored
        return self._scorer.at_levels(self.predictions(run), levels, kg=run.kg, naming=run.naming)

    def predictions(self, run: StudyRun) -> tuple[Prediction, ...]:
        """The predictions of a run."""
        if self._last[0] != run:
            given = self._files[run]
            path, content = (given, None) if isinstance(given, Path) else (Path(run.file), given)
            found = read_predictions(
                PredictionFile(path, None if content is None else content.tobytes()),
                self._opened.questions(),
                split=self._split,
                missing="empty",
            )
            self._last = run, found
        return self._last[1]

    @property
    def _split(self) -> str | None:
        return None if self._plan.split == "all" else self._plan.split

    @property
    def _opened(self) -> Release:
        release = self._release
        return release if isinstance(release, Release) else release.release

    @cached_property
    def _scorer(self) -> Scorer:
        plan = self._plan
        return Scorer(
            self._opened,
            matching=plan.matching,
            split=self._split,
            sample=plan.sample,
            resamples=plan.resamples,
            seed=plan.seed,
            metrics=plan.metrics,
        )


class StudyScores:
    """The reports of the runs of a study, made when it is opened.

    Args:
        study: The study, answered.
        progress: Called with (runs scored, all runs).
        spread: Scores runs, here or in other processes.

    Attributes:
        study: The study.
        naming: Its first naming, the one of all tables but that of namings.
        asked: The questions, sorted by id.
        called: System → what it is called.
        cut_off: System → `Prediction.cut_off` of the answers of its runs that have one.
    """

    def __init__(
        self,
        study: StudyFolder,
        progress: Callable[[int, int], None] = lambda done, total: None,
        spread: MapLike = map,
    ) -> None:
        self.study, self.naming = study, study.runs[0].naming
        self._reports: dict[tuple[str, int, str, int], Report] = {}
        self._predictions: dict[tuple[str, int], tuple[Prediction, ...]] = {}
        self.cut_off: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        plan = study.plan
        self.called = plan.called
        self._split = None if plan.split == "all" else plan.split
        self.asked = sample(study.release.questions(self._split), plan.sample)
        runs = []
        for run in study.runs:
            at = {plan.highest or 100}
            if run.naming == self.naming:
                at |= {plan.lowest or 100, run.level or 100}
            runs.append(ScoredRun(run, tuple(sorted(at))))
        scorer = RunScorer(plan, study.release, {run: study.file(run) for run in study.runs})
        if study.release.named_graphs:  # which are in no folder of the release
            spread = map
        first: dict[int, Report] = {}
        for number, ((run, levels), reports) in enumerate(
            zip(runs, spread(scorer, runs), strict=True)
        ):
            progress(number, len(runs))
            found = scorer.predictions(run)
            self.cut_off[run.system] += [p.cut_off for p in found if p.cut_off]
            if run.naming == self.naming:
                self._predictions[run.system, run.level] = found
            for level, report in zip(levels, reports, strict=True):
                same = first.setdefault(level, report)  # what all have in common is kept once
                self._reports[run.system, run.level, run.naming, level] = replace(
                    report, ids=same.ids, clusters=same.clusters, groups=same.groups
                )

    def predictions(self, system: str, level: int) -> tuple[Prediction, ...]:
        """What a system answered on the graph of a level, in the first naming; () without such a run."""
        return self._predictions.get((system, level), ())

    def report(
        self, system: str, level: int, *, missing_at: int | None = None, naming: str | None = None
    ) -> Report | None:
        """The report of a system on the graph of a level; None where the study has no such run.

        Args:
            system: The system.
            level: The level of the graph.
            missing_at: Hard answers are those that are missing at this level: the highest of the study
                (None), the lowest above 0, or that of the graph.
            naming: The naming; None for the first.
        """
        at = missing_at or self.study.plan.highest or 100
        return self._reports.get((system, level, naming or self.naming, at))

    def on(self, level: int) -> dict[str, Report]:
        """System → its report on the graph of a level, for those with such a run."""
        found = {system: self.report(system, level) for system in self.study.plan.systems}
        return {system: report for system, report in found.items() if report is not None}

    @property
    def top(self) -> dict[str, Report]:
        """System → its report on the graph that lacks most."""
        return self.on(self.study.plan.levels[-1])

    @property
    def subset(self) -> str:
        """What the headline is over: ``core``, or ``all`` where no question is in it."""
        return next(iter(self._reports.values())).headline.group

    @property
    def everything(self) -> str:
        """All questions that were asked, in words: those of the split, or of a sample."""
        whole = len(self.study.release.questions(self._split))
        if len(self.asked) == whole:
            return "all questions"
        return f"{len(self.asked):,} of {whole:,} questions, the core first"

    @property
    def over(self) -> str:
        """What the headline is over, in words."""
        return "the core" if self.subset == "core" else self.everything


def score_in(
    report: Report | None, metric: str, breakdown: str = "all", group: str = ""
) -> Score | None:
    """A score of a group of questions; None where the report does not have it, or there is no report.

    Args:
        report: The report.
        metric: The score.
        breakdown: ``all``, ``core`` (the headline: all, if there is no core), or a breakdown.
        group: The group in the breakdown.
    """
    if report is None:
        return None
    if breakdown == "core":
        return report.headline.scores.get(metric)
    try:
        return report.row(breakdown, group or breakdown).scores.get(metric)
    except KeyError:
        return None
