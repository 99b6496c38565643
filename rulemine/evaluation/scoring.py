"""Scoring predictions on a release: what a file says of itself, and one system."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rulemine.errors import PredictionError
from rulemine.evaluation.predictions import NEEDS, PredictionFile, Predictions
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.scorer import RESAMPLES, Scorer
from rulemine.kinds.registry import tool
from rulemine.release.reader import MANIFEST, Release
from rulemine.rules.blocks import MapLike

if TYPE_CHECKING:
    from rulemine.evaluation.cypher.release_rows import CypherRuns

__all__ = ["Run", "benchmark_at", "evaluate", "opened", "run_of", "shared_level"]


def evaluate(
    release: Release,
    predictions: Predictions,
    *,
    matching: str = "vocabulary",
    split: str | None = "test",
    sample: int | None = None,
    naming: str | None = None,
    missing: str = "empty",
    kg: str | None = None,
    level: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    metrics: str | Sequence[str] = (),
    cypher: "CypherRuns | None" = None,
    spread: MapLike = map,
) -> Report:
    """Scores predictions.

    Args:
        release: The release.
        predictions: A prediction file, or predictions, at most one for each question; those for other
            questions of the release are left out. In the mode ``brink`` a file that is a JSON array is read
            as the public evaluator reads it (`rulemine.evaluation.predictions.read_predictions`).
        matching: How a raw output becomes a set of entities, see `rulemine.evaluation.matching.matching`.
        split: The split evaluated; None for all.
        sample: How many of its questions, see `rulemine.release.groups`; None: as many as the file
            says, or all.
        naming: The naming that the predictions use; None for that of the release.
        missing: What about questions without a prediction: ``empty``, they score as an empty one, and a note
            says how many; ``error``, they are refused. At least one must have one.
        kg: The graph that was answered from: ``complete``, ``incomplete`` or ``incomplete-LEVEL``. None: what
            the file says, or ``incomplete``.
        level: Hard answers are those that are missing at this level, 1 … 100; None: at that of the graph,
            100 if it lacks nothing.
        resamples: Resamples of the bootstrap, 1 … 100,000.
        seed: Its seed, ≥ 0.
        metrics: Projects whose metrics are shown beside ours, e.g. ``("rog", "tog")``, or ``all``.
        cypher: Of the kind ``cypher``: where predicted queries are run; None: in memory.
        spread: Reads texts and runs queries a part at a time, here or in other processes.

    Returns:
        The report: the core first, where the questions have one, then all questions, then the breakdowns
        of all. In the mode ``brink`` the hard hits rate is 0 where no question is hit, as the public
        evaluator has it (in all others it is undefined there), and H@1, ranks and what was retrieved are not
        scored.

    Raises:
        InputError: A file is missing or not UTF-8 text.
        PredictionError: The predictions are malformed or do not fit the questions or the release, or name no
            entity in the naming expected but do in another.
        ConfigError: An option is out of range.
        ReleaseError: The release has no such graph, or a file is missing or was edited.
    """
    predictions = opened(predictions, release)
    run = run_of(release, predictions, kg, naming)
    scorer = Scorer(
        release,
        matching=matching,
        split=split,
        sample=run.sample if sample is None else sample,
        missing=missing,
        resamples=resamples,
        seed=seed,
        metrics=metrics,
        cypher=cypher,
        spread=spread,
    )
    return run.noted(scorer(predictions, kg=run.kg, level=level, naming=run.naming))


def benchmark_at(path: Path) -> Release:
    """A release; or questions that others publish, as a kind reads them.

    Raises:
        ReleaseError: As of `Release.open`.
        InputError: Questions are malformed.
    """
    if not (path / MANIFEST).exists():
        found = tool("published").published_questions(path)
        if isinstance(found, Release):
            return found
    return Release.open(path)


class Run(NamedTuple):
    """What is known about predictions before they are read.

    Attributes:
        kg: The graph that was answered from.
        naming: The naming that they use; None for that of the release, unless they look otherwise.
        sample: How many questions were asked; None for all.
        system: The name of the system; "" where the file does not say.
        needs: What it was given beyond what every system is, of
            `rulemine.evaluation.predictions.NEEDS`.
    """

    kg: str
    naming: str | None
    sample: int | None
    system: str
    needs: tuple[str, ...] = ()

    def noted(self, report: Report) -> Report:
        """The report with the name of the system, and a note on what it was given."""
        if not self.needs:
            return replace(report, system=self.system)
        note = f"The system is given {' and '.join(NEEDS[need] for need in self.needs)}."
        return replace(report, system=self.system, notes=(note, *report.notes))


def opened(predictions: Predictions, release: Release) -> Predictions:
    """Predictions, of a file its content, read once and with the ids of the release.

    Args:
        predictions: The file, or predictions.
        release: The full release: what answers one with hidden answers has other ids.

    Raises:
        InputError: A file is missing or not UTF-8 text.
    """
    if not isinstance(predictions, str | Path | PredictionFile):
        return predictions
    found = predictions if isinstance(predictions, PredictionFile) else PredictionFile(predictions)
    for _, row in found.rows:
        if isinstance(row, dict) and isinstance(id_ := row.get("id"), str):
            row["id"] = release.hidden_ids.get(id_, id_)
    return found


def run_of(
    release: Release,
    predictions: Predictions,
    kg: str | None = None,
    naming: str | None = None,
) -> Run:
    """What a prediction file says of itself, checked.

    Args:
        release: The release.
        predictions: The file, see `opened`, or predictions, which say nothing.
        kg: The graph that was answered from, as the user says; None to believe the file.
        naming: The naming, as the user says; None to believe the file.

    Raises:
        PredictionError: The file is for another release, or it contradicts the user.
        ReleaseError: The release has no such graph.
    """
    header, file = {}, ""
    if isinstance(predictions, PredictionFile):
        header, file = predictions.run or {}, str(predictions.path)
    identity = header.get("release")
    if identity is not None and identity != release.identity:
        raise PredictionError(
            f"{file}: its first line says that it is for another release ({header.get('name')!r}, "
            f"{str(identity)[:12]}…) than {release.path} ({release.name!r}, {release.identity[:12]}…). Score "
            "it on the release that it was made from, or answer these questions again."
        )
    found = {"kg": kg, "naming": naming}
    for name, given in list(found.items()):
        if not isinstance(by_file := header.get(name), str):
            continue
        if given not in (None, by_file):
            raise PredictionError(
                f"{file}: its first line says {name} {by_file!r}, and --{name} says {given!r}. Leave "
                f"out --{name}."
            )
        found[name] = by_file
    graph = found["kg"] or "incomplete"
    release.level_of(graph)  # an unknown graph is an error even where nothing was retrieved
    sample = header.get("sample")
    return Run(
        graph,
        found["naming"],
        sample if type(sample) is int and sample > 0 else None,
        str(header.get("system") or ""),
        _needs(header.get("needs")),
    )


def _needs(needs: object) -> tuple[str, ...]:
    return tuple(need for need in NEEDS if isinstance(needs, list) and need in needs)


def shared_level(release: Release, *graphs: str) -> int:
    """The level at which systems on these graphs are compared: the lowest of those that lack something.

    Returns:
        1 … 100; 100 if no graph lacks anything.
    """
    levels = [release.level_of(kg) for kg in graphs]
    return min((level for level in levels if level), default=100)
