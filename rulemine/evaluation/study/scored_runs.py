"""Scores the runs of a study, one at a time, in this process or another.

A run is the part that is sent: its file is read, scored at a few levels and resampled where it is, and what
comes back is reports. Guarantee: they are the same whatever was scored before, and where.
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.prediction_file import PredictionFile
from rulemine.evaluation.predictions import read_predictions
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.scorer import Scorer
from rulemine.evaluation.study.plan import StudyPlan, StudyRun
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from rulemine.release.storing.packed import PackedRelease

__all__ = ["RunScorer", "ScoredRun"]

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
