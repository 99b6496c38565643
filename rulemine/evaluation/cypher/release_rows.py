"""Scores predictions for a release of the kind ``cypher``: queries, or tables of rows.

A query is run on the graph that was answered from; EX compares its rows with those of the gold on the
complete graph, PSJS what it binds with what the gold binds on the same graph. For the scores of answers, each
row is an answer: a predicted row that equals one of the gold is that one.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rulemine.cypher.rows import row_of
from rulemine.errors import counted
from rulemine.evaluation.cypher.constants import spelling_of
from rulemine.evaluation.cypher.judging import (
    CypherJudge,
    CypherScores,
    GoldTable,
    notes_on_provenance,
)
from rulemine.evaluation.cypher.opened_runners import opened_runner
from rulemine.evaluation.cypher.row_matching import matched_rows
from rulemine.evaluation.cypher.runners import SECONDS
from rulemine.evaluation.cypher.task_files import predicted_of
from rulemine.evaluation.metrics import Floats
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question

__all__ = [
    "OF_QUERIES",
    "ROW_COLUMNS",
    "ROW_METRICS",
    "CypherRuns",
    "RowScores",
    "gold_table",
    "score_rows",
]

OF_QUERIES = ("ex", "ex_published", "psjs", "psjs_published", "psjs_edges", "executable")
"""The scores of a query."""

ROW_METRICS = (*OF_QUERIES, "row_hhr")
"""These, and lost rows given / gold rows given, both as multisets and summed over the questions."""

ROW_COLUMNS = (*OF_QUERIES, "lost_rows_given", "gold_rows_given")
"""The scores of a question."""


@dataclass(frozen=True, slots=True)
class CypherRuns:
    """Where predicted queries are run.

    Attributes:
        url: The address of a server that has the graph; None: memory.
        neo4j: Whether a Neo4j is started.
        seconds: How long a query may take.
        note: Told of what takes long.
        tell: Told how many predictions are scored, of how many.
    """

    url: str | None = None
    neo4j: bool = False
    seconds: float = SECONDS
    note: Callable[[str], None] = lambda _text: None
    tell: Callable[[int, int], None] = lambda _done, _total: None


class RowScores(NamedTuple):
    """What became of predictions.

    Attributes:
        given: For each question the rows that are predicted: texts, as the gold's where they equal those.
        run: For each question whether it is scored.
        scores: Shape (questions, `ROW_COLUMNS`); NaN where a question does not have the score.
        notes: What a reader must know.
    """

    given: tuple[tuple[str, ...], ...]
    run: tuple[bool, ...]
    scores: Floats
    notes: tuple[str, ...]


def score_rows(
    release: Release,
    questions: Sequence[Question],
    given: Sequence[Prediction | None],
    kg: str,
    level: int,
    runs: CypherRuns,
) -> RowScores:
    """Scores predictions.

    Args:
        release: The release.
        questions: Some of its questions.
        given: The prediction for each; None: there is none.
        kg: The graph that was answered from.
        level: Lost rows are those that this level lacks, 1 … 100.
        runs: Where queries are run.

    Raises:
        ConfigError: As of `rulemine.evaluation.cypher.opened_runners.opened_runner`.
        EndpointError: The server does not answer.
        ReleaseError: The release has no such graph.
    """
    graph = release.property_graph(kg)
    elsewhere = kg != "complete"
    scored: list[CypherScores] = []
    rows: list[tuple[str, ...]] = []
    shares: list[tuple[float, float]] = []
    with opened_runner(
        graph, url=runs.url, neo4j=runs.neo4j, seconds=runs.seconds, note=runs.note
    ) as runner:
        judge = CypherJudge(runner, spelling_of(graph))
        for question, prediction in zip(questions, given, strict=True):
            scores, found = _judged(judge, question.block, prediction, elsewhere)
            scored.append(scores)
            rows.append(found)
            shares.append(_shares(question.block, found, level))
            runs.tell(len(scored), len(questions))
    values = [
        [*(_number(getattr(one, name)) for name in OF_QUERIES), *share]
        if one.scored
        else [np.nan] * len(ROW_COLUMNS)
        for one, share in zip(scored, shares, strict=True)
    ]
    return RowScores(
        tuple(rows),
        tuple(one.scored for one in scored),
        np.array(values, np.float64).reshape(len(questions), len(ROW_COLUMNS)),
        tuple(_notes(questions, given, scored, on_server=runs.neo4j or runs.url is not None)),
    )


def gold_table(block: Any) -> GoldTable:
    """The rows of a question on the complete graph."""
    keys = [row_of(key)[0] for key in block.keys] if block.ordered else None
    return GoldTable([row_of(row) for row in block.rows], keys, [row_of(row) for row in block.tied])


def _judged(
    judge: CypherJudge, block: Any, prediction: Prediction | None, elsewhere: bool
) -> tuple[CypherScores, tuple[str, ...]]:
    """The scores of a prediction, and its rows as texts."""
    table = gold_table(block)
    given = None if prediction is None else judge.spelled(predicted_of(prediction))
    if not elsewhere and isinstance(run := judge.gold(block.cypher), GoldTable):
        # As published, rows with equal keys have to come as the gold gives them there.
        table = table._replace(plain=run.rows if run.plain is None else run.plain)
    scores, found = judge.judged(block.cypher, table, given, elsewhere=elsewhere)
    if scores.state == "same":
        return scores, block.rows
    rows = () if found is None else tuple(matched_rows(table.rows, found.rows, table.tied))
    if (
        scores.state == "run" and not block.ordered
    ):  # any order will do, and each server has its own
        rows = tuple(sorted(rows))
    return scores, rows


def _shares(block: Any, given: Sequence[str], level: int) -> tuple[float, float]:
    """How many lost rows and how many rows of the gold are given."""
    lost = next((change.lost for change in reversed(block.levels) if change.level <= level), ())
    there = Counter(block.rows) & Counter(given)
    # Of equal rows, those that the graph still states are given first.
    stated = Counter(block.rows) - Counter(lost)
    return float((there - stated).total()), float(there.total())


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _notes(
    asked: Sequence[Question],
    given: Sequence[Prediction | None],
    scored: Sequence[CypherScores],
    *,
    on_server: bool,
) -> list[str]:
    notes = []
    states = Counter(one.state for one in scored)
    told = ("failed", "refused")
    if some := [f"{states[state]:,} {state}" for state in told if states[state]]:
        notes.append(f"Predictions that score 0: {', '.join(some)}.")
    if states["not run"]:
        at = next(at for at, one in enumerate(scored) if one.state == "not run")
        advice = "" if on_server else " A Neo4j may run them: --neo4j."
        notes.append(
            f"{counted(states['not run'], 'prediction')} not run, and in no score; the first, "
            f"{asked[at].id}: {scored[at].said}{advice}"
        )
    if tables := sum(one.state == "rows" for one in scored):
        notes.append(
            f"{counted(tables, 'prediction')} of rows: without PSJS, and not among what runs."
        )
    return [*notes, *notes_on_provenance(scored)]
