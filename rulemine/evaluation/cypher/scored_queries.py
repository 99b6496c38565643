"""What becomes of a prediction: its scores, its rows as those of the gold, and what is wrong with it."""

from dataclasses import replace
from typing import Any, NamedTuple

from rulemine.cypher.rows import Failed, NotRun, row_of, row_text
from rulemine.evaluation.cypher.error_kinds import Diagnosis
from rulemine.evaluation.cypher.judging import (
    CypherJudge,
    CypherScores,
    GoldTable,
    Predicted,
    spelled,
)
from rulemine.evaluation.cypher.replies import cypher_of
from rulemine.evaluation.cypher.results import execution_match, matched_rows
from rulemine.evaluation.cypher.runners import TIMED_OUT, Runner
from rulemine.evaluation.spelling import Spelling
from rulemine.release.records import Prediction
from rulemine.text.visible_reply import visible_reply

__all__ = ["QueryScorer", "ScoredQuery", "predicted_of"]


class ScoredQuery(NamedTuple):
    """What became of a prediction.

    Attributes:
        scores: Its scores.
        gold: The rows of the gold, as texts; none if they are not known.
        rows: Its own, as the gold's where they equal those.
        agrees: Whether the gold gives the rows that are stated of it, if any are.
    """

    scores: CypherScores
    gold: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    agrees: bool = True

    @property
    def columns(self) -> dict[str, str]:
        """What became of it beside its scores, by column of a table."""
        scores = self.scores
        return {"state": scores.state, "kinds": "; ".join(scores.kinds), "error": scores.said}


class QueryScorer:
    """Scores predictions for questions of one graph; can be pickled if its runner can.

    Args:
        runner: Runs queries on the graph that was answered from.
        spelling: The letters of the graph's texts, which the constants of predictions are put into.
        elsewhere: Whether the gold was answered on another graph.
    """

    def __init__(self, runner: Runner, spelling: Spelling, elsewhere: bool) -> None:
        self._judge, self._diagnosis = CypherJudge(runner), Diagnosis(runner)
        self._spelling, self._elsewhere = spelling, elsewhere

    def __call__(self, asked: tuple[Any, Predicted]) -> ScoredQuery:
        """What becomes of a prediction.

        Args:
            asked: The block of a question, and what was predicted for it.

        Raises:
            EndpointError: The server does not answer any more.
        """
        block, given = asked
        if isinstance(given, str):
            given = spelled(given, self._spelling)
        table, agrees = self._gold(block)
        scores, found = self._judge.judged(block.cypher, table, given, elsewhere=self._elsewhere)
        texts = tuple(block.rows)
        if isinstance(table, GoldTable) and not block.columns:  # the file does not state the rows
            own = map(row_text, table.rows)
            texts = tuple(sorted(own) if table.keys is None else own)
        rows = texts if scores.state == "same" else ()
        if found is not None and isinstance(table, GoldTable):
            rows = tuple(matched_rows(table.rows, found.rows, table.tied))
            if scores.state == "run" and table.keys is None:
                rows = tuple(sorted(rows))  # any order will do, and each server has its own
        if isinstance(table, GoldTable) and not self._elsewhere:
            kinds = self._diagnosis.kinds(block.cypher, table, given, scores, found)
            scores = replace(scores, kinds=kinds)
        return ScoredQuery(scores, texts, rows, agrees)

    def _gold(self, block: Any) -> tuple[GoldTable | Failed | NotRun, bool]:
        """What a prediction is compared with, and whether the gold gives what is stated of it."""
        if not block.columns:
            return self._judge.gold(block.cypher), True
        keys = [row_of(key)[0] for key in block.keys] if block.ordered else None
        rows, tied = ([row_of(text) for text in texts] for texts in (block.rows, block.tied))
        stated = GoldTable(rows, keys, tied)
        if self._elsewhere:
            return stated, True
        run = self._judge.gold(block.cypher)
        if isinstance(run, Failed) and TIMED_OUT not in run.code:
            return run, True
        if not isinstance(run, GoldTable):
            return stated, True
        agrees = execution_match(rows, run.rows, keys=keys, tied=tied)
        if agrees and keys is None:  # the file need not say that their order counts
            return run, True
        # As published, rows with equal keys have to come as the gold gives them there.
        return stated._replace(plain=run.rows if run.plain is None else run.plain), agrees


def predicted_of(prediction: Prediction) -> Predicted:
    """The query or the rows of a prediction.

    Of answers these are rows of one column; of a raw output without a query, all of it but
    thoughts, which fails, or counts as no prediction where nothing is left.
    """
    if prediction.rows is not None:
        return tuple(map(row_of, prediction.rows))
    if prediction.answers is not None:
        return tuple((answer,) for answer in prediction.answers)
    if prediction.cypher is not None:
        return prediction.cypher.strip()
    output = prediction.raw_output or ""
    return cypher_of(output)[0] or visible_reply(output).strip()
