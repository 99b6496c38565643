"""What exhibits are made from: releases, studies, predictions, filled sheets, told apart by their files."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from rulemine.errors import InputError
from rulemine.evaluation.metrics import Floats
from rulemine.evaluation.predictions import PredictionFile, read_predictions
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.scorer import Run, Scorer, opened, run_of
from rulemine.evaluation.study.run import MANIFEST, StudyFolder, open_study
from rulemine.release.reader import Release
from rulemine.release.records import Prediction

__all__ = ["Material", "ScoredSystem", "read_material"]


@dataclass(frozen=True, eq=False)
class ScoredSystem:
    """A system that answered the questions of a release from one of its graphs.

    Attributes:
        release: The release.
        called: What the system is called.
        system: The answerer with its options; "" where it is not known.
        level: The level of the graph.
        run: What its file says of itself.
        report: Its scores.
        file: Its predictions.
    """

    release: Release
    called: str
    system: str
    level: int
    run: Run
    report: Report
    file: Path

    @property
    def retrieves(self) -> bool:
        """Whether it says what it retrieved."""
        return "triple_recall" in self.report.metrics

    def column(self, metric: str) -> Floats:
        """A score of each question, shape (n,); NaN where it is not known."""
        if metric not in self.report.columns:
            return np.full(self.report.n, np.nan)
        return self.report.scores[:, self.report.columns.index(metric)]

    def predictions(self) -> dict[str, Prediction]:
        """Id of a question → what was predicted."""
        split = None if self.report.split == "all" else self.report.split
        asked = self.release.questions()
        found = {id_: Prediction(id_, answers=()) for id_ in self.report.ids}
        every = read_predictions(self.file, asked, split=split, missing="empty")
        return found | {one.id: one for one in every}


@dataclass(frozen=True)
class Material:
    """What was given to make tables from.

    Attributes:
        releases: The releases, in the order given.
        folders: The studies, each of one of the releases.
        files: The prediction files, each with its release.
        sheets: Filled sheets, see `rulemine.release.sheet`.
        split: The split that is scored and counted where a table does not name splits; None: all. A study
            has its own.
        resamples: Resamples of the intervals of prediction files; a study has its own.
        seed: Of the resamples.
        metrics: Metrics of another project that are scored too; "": none.
        embed: Texts → their vectors, shape (texts, dimensions), by an embedding model; None: there is none.
    """

    releases: tuple[Release, ...] = ()
    folders: tuple[StudyFolder, ...] = ()
    files: tuple[tuple[Release, Path], ...] = ()
    sheets: tuple[Path, ...] = ()
    split: str | None = "test"
    resamples: int = 1000
    seed: int = 0
    metrics: str = ""
    embed: Callable[[Sequence[str]], Floats] | None = None

    @cached_property
    def names(self) -> dict[Path, str]:
        """Path → what a release is called: its name; or its folder, or path, where two have the same."""
        found: dict[Path, str] = {}
        for rule in ("{0.name}", "{1.name}", "{0.path}"):
            found = {r.path: rule.format(r, r.path.resolve()) for r in self.releases}
            if len({*found.values()}) == len(found):
                break
        return found

    def of(self, *kinds: str, rows: bool = False) -> dict[str, Release]:
        """The releases of some kinds, by what they are called.

        Args:
            kinds: The kinds; none: all.
            rows: Whether answers are rows.
        """
        some = (r for r in self.releases if not kinds or r.kind in kinds)
        return {self.names[r.path]: r for r in some if (r.answers == "rows") == rows}

    @cached_property
    def answered(self) -> tuple[ScoredSystem, ...]:
        """Every system on every graph and in every naming; of studies on their first and their last graph.

        Two studies may share a system, e.g. the one without a graph: the first counts.

        Raises:
            InputError: Systems of one release were asked different questions.
        """
        found: dict[tuple[object, ...], ScoredSystem] = {}
        asked: dict[Path, dict[tuple[str, ...], str]] = {}
        for one in (*self._of_studies(), *self._of_files()):
            path, report = one.release.path, one.report
            found.setdefault((path, one.called, report.kg, report.naming), one)
            own = asked.setdefault(path, {})
            own[report.ids] = f"{report.n:,} questions ({report.split})"
            if len(own) > 1:
                raise InputError(
                    f"{path}: its systems were scored on different questions: {', '.join(own.values())}. "
                    "Give studies and predictions of the same ones; --split says which split of predictions "
                    "counts."
                )
        return tuple(found.values())

    def _of_studies(self) -> Iterator[ScoredSystem]:
        for folder in self.folders:
            plan, release = folder.plan, folder.release
            scorer = Scorer(
                release, matching=plan.matching, split=None if plan.split == "all" else plan.split,
                sample=plan.sample, resamples=plan.resamples, seed=plan.seed,
                metrics=self.metrics if release.answers == "entities" else "",
            )  # fmt: skip
            for run in folder.runs:
                if not run.damage and run.level in (plan.levels[0], plan.levels[-1]):
                    called, level = plan.called[run.system], plan.highest or 100
                    yield _scored(scorer, folder.file(run), called, run.system, level)

    def _of_files(self) -> Iterator[ScoredSystem]:
        seen: dict[tuple[object, ...], Path] = {}
        for release, path in self.files:
            header = PredictionFile(path).run or {}
            system, model = str(header.get("system") or ""), header.get("model")
            scorer = Scorer(
                release, split=self.split, sample=header.get("sample"), resamples=self.resamples,
                seed=self.seed, metrics=self.metrics if release.answers == "entities" else "",
            )  # fmt: skip
            called = f"{system or path.stem}, {model}" if model else system or path.stem
            if seen.setdefault((release.identity, called, header.get("kg")), path) != path:
                called = path.stem
            yield _scored(scorer, path, called, system, None)

    def systems(
        self, *kinds: str, rows: bool = False, namings: bool = False
    ) -> Iterator[tuple[str, list[ScoredSystem]]]:
        """Name of a release → its systems, for releases that have some.

        Args:
            kinds: See `of`.
            rows: See `of`.
            namings: Whether in every naming, or in the first of each.
        """
        for name, release in self.of(*kinds, rows=rows).items():
            own = [one for one in self.answered if one.release.path == release.path]
            keys = [(o.called, o.level, o.report.naming if namings else "") for o in own]
            first = [one for at, one in enumerate(own) if keys[at] not in keys[:at]]
            if first:
                yield name, first


def _scored(
    scorer: Scorer, path: Path, called: str, system: str, level: int | None
) -> ScoredSystem:
    file = opened(path, scorer.release)
    run = run_of(scorer.release, file)
    report = run.noted(scorer(file, kg=run.kg, level=level, naming=run.naming))
    own = scorer.release.level_of(run.kg)
    return ScoredSystem(scorer.release, called, system, own, run, report, path)


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
    folders = tuple(open_study(path, by_identity) for path in studies)
    known = by_identity | ({"": releases[0]} if len(releases) == 1 else {})
    predictions = []
    for path in files:
        identity = str((PredictionFile(path).run or {}).get("release", ""))
        if identity not in known:
            named = f"is of the release {identity[:12]}" if identity else "does not say its release"
            raise InputError(
                f"{path}: {named}, and {len(releases)} others were given. Give its release; alone, if the "
                "file does not say which."
            )
        predictions.append((known[identity], path))
    return Material(releases, folders, tuple(predictions), tuple(sheets), split, resamples, seed)
