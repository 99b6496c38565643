"""What tables are made from: releases, studies, predictions and filled sheets, told apart by their files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.errors import InputError
from rulemine.evaluation.comparing.comparison import evaluate_all
from rulemine.evaluation.predictions import read_run
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.study.opened import open_study
from rulemine.evaluation.study.run import MANIFEST, StudyFolder
from rulemine.evaluation.study.scores import StudyScores
from rulemine.release.reader import Release

__all__ = ["Material", "check_same_questions", "read_material"]


@dataclass(frozen=True)
class Material:
    """What was given to make tables from.

    Attributes:
        releases: The releases, in the order given.
        folders: The studies, each of one of the releases.
        predictions: The prediction files, each with its release.
        sheets: Filled sheets, see `rulemine.release.sheet`.
        split: The split that is scored and counted where a table does not name splits; None: all.
        resamples: Resamples of the intervals of prediction files; a study has its own.
        seed: Of the resamples.
        embed: Texts → their vectors, shape (texts, dimensions), by an embedding model; None: there is none.
    """

    releases: tuple[Release, ...] = ()
    folders: tuple[StudyFolder, ...] = ()
    predictions: tuple[tuple[Release, Path], ...] = ()
    sheets: tuple[Path, ...] = ()
    split: str | None = "test"
    resamples: int = 1000
    seed: int = 0
    embed: Callable[[Sequence[str]], npt.NDArray[np.float64]] | None = None

    @cached_property
    def studies(self) -> tuple[StudyScores, ...]:
        """The studies, scored."""
        return tuple(map(StudyScores, self.folders))

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What several tables of a paper are made from and is made once, by name."""
        return {}

    @cached_property
    def reports(self) -> Mapping[str, Mapping[str, tuple[Path, Report]]]:
        """Identity of a release → system → its prediction file, and how it scores."""
        found: dict[str, dict[str, tuple[Path, Report]]] = {}
        for release in self.releases:
            paths = [path for own, path in self.predictions if own.identity == release.identity]
            if paths:
                scored = evaluate_all(
                    release, paths, split=self.split, resamples=self.resamples, seed=self.seed
                )
                pairs = zip(paths, scored.values(), strict=True)
                found[release.identity] = dict(zip(scored, pairs, strict=True))
        return found

    def of_kind(self, *kinds: str) -> Iterator[Release]:
        """The releases of some kinds."""
        return (release for release in self.releases if release.kind in kinds)

    def studies_of(self, *kinds: str) -> Iterator[StudyScores]:
        """The studies of releases of some kinds."""
        return (study for study in self.studies if study.study.release.kind in kinds)


def read_material(
    paths: Sequence[Path], *, split: str | None = "test", resamples: int = 1000, seed: int = 0
) -> Material:
    """Opens what was given.

    Args:
        paths: Folders or archives of releases, folders of studies, prediction files (``.jsonl``, or
            ``.json`` as CypherBench has them) and filled sheets (``.tsv``), in any order.
        split: See `Material`.
        resamples: See `Material`.
        seed: See `Material`.

    Raises:
        InputError: A path is none of these or given twice, or the release of a study or of predictions is
            not among them.
        ReleaseError: A release cannot be read.
    """
    for place, path in enumerate(paths):
        if path in paths[:place]:
            raise InputError(f"{path}: was given twice. Give it once.")
    studies = [path for path in paths if (path / MANIFEST).is_file()]
    files = [path for path in paths if path.suffix in (".jsonl", ".json")]
    sheets = [path for path in paths if path.suffix == ".tsv"]
    others = [path for path in paths if path not in (*studies, *files, *sheets)]
    releases = tuple(map(Release.open, others))
    by_identity = {release.identity: release for release in releases}

    def release_of(path: Path, identity: object, name: object) -> Release:
        if (found := by_identity.get(str(identity))) is None:
            raise InputError(
                f"{path}: is of the release {name or ''} {str(identity)[:12]}, which was not given. Give the "
                "folder of that release too."
            )
        return found

    folders = tuple(open_study(path, by_identity) for path in studies)
    predictions = []
    for path in files:
        run = read_run(path) or {}
        if not run and len(releases) == 1:
            predictions.append((releases[0], path))
        elif not run:
            raise InputError(
                f"{path}: does not say which release it is for, and {len(releases)} releases were given. "
                "Give its release alone, or predictions of rulemine answer."
            )
        else:
            predictions.append((release_of(path, run.get("release"), run.get("name")), path))
    return Material(releases, folders, tuple(predictions), tuple(sheets), split, resamples, seed)


def check_same_questions(release: Release, reports: Iterable[Report]) -> None:
    """Checks that systems which a table has side by side were asked the same questions.

    Args:
        release: Their release.
        reports: How they score.

    Raises:
        InputError: One was scored on other questions than the first.
    """
    asked = {one.ids: f"{len(one.ids):,} questions ({one.split})" for one in reports}
    if len(asked) > 1:
        raise InputError(
            f"{release.path}: its systems were scored on different questions: {', '.join(asked.values())}. "
            "Give studies and predictions of the same ones; --split says which split of predictions counts."
        )
