"""Twins: does a system answer where it can, and say nothing where it cannot?

A twin is asked on two graphs (`rulemine.release.records.Twin`): the control graph proves its answers, the
twin graph none of them. A pair is right if the reply on the control graph has a hard answer and the reply on
the twin graph no name at all; so who always answers and who never does get 0. Beside it are both halves, and
what is left of hard F1 on the control graph if each reply with names and no hard answer costs a price: with
the price 0 it is hard F1, with the price 1 whoever knows all answers and is never silent gets 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rulemine.errors import PredictionError, ReleaseError
from rulemine.evaluation.comparing.comparison import note_about
from rulemine.evaluation.predictions import PredictionFile
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.scorer import Scorer, opened, run_of
from rulemine.evaluation.statistics.bootstrap import Resamples, named_means
from rulemine.evaluation.statistics.score import Score
from rulemine.release.reader import Release
from rulemine.text.tables import Table, Values

__all__ = ["FEW_TWINS", "TWIN_SCORES", "score_files", "twin_scores", "twins_among", "twins_table"]

FEW_TWINS = 50
"""With fewer twins systems can hardly be told apart."""

PRICES = (0, 1, 2)

TWIN_SCORES = (
    "right pairs", "answers when provable", "silent when not", *(f"price {n}" for n in PRICES),
)  # fmt: skip


def twins_among(release: Release, ids: Sequence[str]) -> list[int]:
    """Which questions, by position, are twins.

    Raises:
        ReleaseError: None of them is.
    """
    twins = {row.question for row in release.twins()}
    if not (found := [place for place, key in enumerate(ids) if key in twins]):
        raise ReleaseError(
            f"{release.path}: none of the {len(ids):,} questions has a twin; the card says how many there "
            "are. Take a release of the kind rules with twins, and its split test."
        )
    return found


def twin_scores(release: Release, control: Report, unprovable: Report) -> dict[str, Score]:
    """The scores of a system over the twins among the questions, with intervals over their clusters.

    Args:
        release: The release.
        control: How it did on the control graph.
        unprovable: How it did on the twin graph, of the same questions.

    Returns:
        One for each of `TWIN_SCORES`.

    Raises:
        ReleaseError: None of the questions has a twin.
    """
    at = twins_among(release, control.ids)
    hard = control.scores[at, control.columns.index("hard_f1")]
    named, spoke = (np.array([bool(one.answers[n]) for n in at]) for one in (control, unprovable))
    wrong = (named & (hard == 0)) * 1.0 + spoke
    columns = ((hard > 0) & ~spoke, hard > 0, ~spoke, *(hard - price * wrong for price in PRICES))
    clusters = np.unique(control.clusters[at], return_inverse=True)[1]
    sampled = Resamples(
        np.column_stack(columns).astype(float), clusters, np.ones((1, len(at)), bool), control.resamples,
        control.seed,
    )  # fmt: skip
    means = named_means(sampled.means(0), TWIN_SCORES, core=False)
    return {name: mean.score() for name, mean in means.items()}


def twins_table(release: Release, systems: Mapping[str, Mapping[str, Score]], n: int) -> Table:
    """The scores of systems over so many twins, see `twin_scores`."""
    notes = (
        "Right pairs: a hard answer on the graph control, and no name on the graph unprovable, where no rule "
        "of the release leads to one by true facts. Price: hard F1 on control, less that much for each "
        "reply, on either graph, with names and no hard answer.",
        *[f"Fewer than {FEW_TWINS} twins are too few to compare systems."] * (n < FEW_TWINS),
    )
    rows: tuple[Values, ...] = tuple(
        (name, n, *(own[score] for score in TWIN_SCORES)) for name, own in systems.items()
    )
    title = f"{release.name} · {n:,} twins · in percent"
    return Table("twins", title, ("system", "n", *TWIN_SCORES), rows, notes)


def score_files(
    release: Release,
    control: Path,
    unprovable: Path,
    *,
    matching: str = "vocabulary",
    naming: str | None = None,
    missing: str = "empty",
    seed: int = 0,
) -> Table:
    """Scores what one system answered on both graphs.

    Args:
        release: The release.
        control: Its predictions on the control graph.
        unprovable: Those on the twin graph.
        matching: As of `rulemine.evaluation.evaluate`, and so are the others.
        naming: The naming of the predictions; None: what their files say, or that of the release.
        missing: What about questions without a prediction.
        seed: Of the intervals.

    Raises:
        PredictionError: A file says that it is from another graph; or see `rulemine.evaluation.evaluate`.
        ReleaseError: There are no twins, or a file is missing or was edited.
    """
    scorer = Scorer(release, matching=matching, missing=missing, seed=seed)
    reports, system = dict[str, Report](), ""
    for graph, path in (("control", control), ("unprovable", unprovable)):
        file = PredictionFile(path)
        if (said := (file.run or {}).get("kg", graph)) != graph:
            raise PredictionError(
                f"{path}: its first line says that it was answered from the graph {said}; expected {graph}. "
                "Name the predictions from control first, then those from unprovable."
            )
        run = run_of(release, opened(file, release), graph, naming)
        reports[graph], system = scorer(file, kg=graph, naming=run.naming), system or run.system
    scores = {system or "system": twin_scores(release, *reports.values())}
    table = twins_table(release, scores, len(release.twins()))
    warnings = (
        note_about(graph, note)
        for graph, report in reports.items()
        for note in report.notes
        if note.startswith(WARNING)
    )
    return replace(table, notes=(*table.notes, *warnings))
