"""What exhibits are made from: releases, studies, predictions, filled sheets, told apart by their files."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rulemine.errors import InputError
from rulemine.evaluation.metrics import Floats
from rulemine.evaluation.predictions import PredictionFile
from rulemine.evaluation.scorer import Scorer
from rulemine.evaluation.scoring import opened, run_of
from rulemine.evaluation.study.run import MANIFEST, StudyFolder, open_study
from rulemine.papers.systems import ScoredSystem
from rulemine.release.reader import Release

__all__ = ["Material", "read_material"]


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
        rules: tuple[Callable[[Release], str], ...] = (
            lambda release: release.name,
            lambda release: release.path.resolve().name,
            lambda release: str(release.path),
        )
        for rule in rules:
            found = list(map(rule, self.releases))
            if len(set(found)) == len(found):
                break
        return dict(zip((r.path for r in self.releases), found, strict=True))

    def of(self, *kinds: str) -> dict[str, Release]:
        """The releases of some kinds, by what they are called."""
        return {self.names[r.path]: r for r in self.releases if r.kind in kinds}

    @cached_property
    def answered(self) -> tuple[ScoredSystem, ...]:
        """Every system on every graph and in every naming; of studies on their first and their last graph.

        Two studies may share a system, e.g. the one without a graph: the first counts.

        Raises:
            InputError: Systems of one release were asked different questions.
        """
        every = [*self._of_studies(), *self._of_files()]
        for release in self.releases:
            reports = [one.report for one in every if one.release.path == release.path]
            asked = {one.ids: f"{one.n:,} questions ({one.split})" for one in reports}
            if len(asked) > 1:
                raise InputError(
                    f"{release.path}: its systems were scored on different questions: "
                    f"{', '.join(asked.values())}. Give studies and predictions of the same ones; --split "
                    "says which split of predictions counts."
                )
        found: dict[tuple[object, ...], ScoredSystem] = {}
        for one in every:
            found.setdefault((one.release.path, one.called, one.report.kg, one.report.naming), one)
        return tuple(found.values())

    def _of_studies(self) -> Iterator[ScoredSystem]:
        for folder in self.folders:
            plan, release = folder.plan, folder.release
            scorer = Scorer(
                release, matching=plan.matching, split=None if plan.split == "all" else plan.split,
                sample=plan.sample, resamples=plan.resamples, seed=plan.seed, metrics=self._metrics(release),
            )  # fmt: skip
            for run in folder.runs:
                if run.level in (plan.levels[0], plan.levels[-1]):
                    called, level = plan.called[run.system], plan.highest or 100
                    yield _scored(scorer, folder.file(run), called, run.system, level)

    def _of_files(self) -> Iterator[ScoredSystem]:
        seen: dict[tuple[object, ...], Path] = {}
        for release, path in self.files:
            header = PredictionFile(path).run or {}
            system, model = str(header.get("system") or ""), header.get("model")
            scorer = Scorer(
                release, split=self.split, sample=header.get("sample"), resamples=self.resamples,
                seed=self.seed, metrics=self._metrics(release),
            )  # fmt: skip
            called = f"{system or path.stem}, {model}" if model else system or path.stem
            if seen.setdefault((release.identity, called, header.get("kg")), path) != path:
                called = path.stem
            yield _scored(scorer, path, called, system, None)

    def _metrics(self, release: Release) -> str:
        return "" if release.answers == "rows" else self.metrics

    def systems(self, *kinds: str, rows: bool = False) -> Iterator[tuple[str, list[ScoredSystem]]]:
        """Name of a release → its systems, in the first naming of each, for releases that have some.

        Args:
            kinds: The kinds of releases; none: all whose answers are of the form asked for.
            rows: Whether answers are rows.
        """
        for release in self.releases:
            if (kinds and release.kind not in kinds) or (release.answers == "rows") != rows:
                continue
            first: dict[tuple[str, int], ScoredSystem] = {}
            for one in self.answered:
                if one.release.path == release.path:
                    first.setdefault((one.called, one.level), one)
            if first:
                yield self.names[release.path], list(first.values())


def _scored(
    scorer: Scorer, path: Path, called: str, system: str, level: int | None
) -> ScoredSystem:
    release = scorer.release
    file = opened(path, release)
    run = run_of(release, file)
    report = run.noted(scorer(file, kg=run.kg, level=level, naming=run.naming))
    return ScoredSystem(release, called, system, release.level_of(run.kg), run, report, path)


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
    predictions = []
    for path in files:
        run = PredictionFile(path).run
        identity = str((run or {}).get("release"))
        if run and identity not in by_identity:
            raise InputError(
                f"{path}: is of the release {run.get('name') or ''} {identity[:12]}, which was not given. "
                "Give the folder of that release too."
            )
        if not run and len(releases) != 1:
            raise InputError(
                f"{path}: does not say which release it is for, and {len(releases)} releases were given. "
                "Give its release alone, or predictions of rulemine answer."
            )
        predictions.append((by_identity[identity] if run else releases[0], path))
    return Material(releases, folders, tuple(predictions), tuple(sheets), split, resamples, seed)
