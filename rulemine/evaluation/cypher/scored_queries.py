"""Scores predictions one by one, and keeps each score as it comes.

Guarantee: what a journal has is not asked again, whatever ended the run that wrote it; what it has of other
questions, predictions or graphs is not used.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import permutations
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

from rulemine.cypher.rows import Failed, NotRun, row_of, row_text
from rulemine.errors import OutputError
from rulemine.evaluation.cypher.error_kinds import Diagnosis
from rulemine.evaluation.cypher.judging import CypherJudge, CypherScores, GoldTable
from rulemine.evaluation.cypher.published_differences import difference, psjs_difference
from rulemine.evaluation.cypher.replies import cypher_of
from rulemine.evaluation.cypher.results import execution_match, reader_of
from rulemine.evaluation.cypher.runners import TIMED_OUT, Runner
from rulemine.evaluation.spelling import Spelling
from rulemine.files import digest_of
from rulemine.release.records import Prediction, Question
from rulemine.rules.blocks import MapLike
from rulemine.text.visible_reply import visible_reply

__all__ = [
    "QueryScorer",
    "ScoreJournal",
    "ScoredQuery",
    "matched_rows",
    "predicted_of",
    "score_queries",
]

_FORM = 5
"""Of a line of the journal; lines of another are not used."""

_MOST_COLUMNS = 6
"""Columns whose permutations are tried; a gold query has three at most."""

Predicted = str | Sequence[Sequence[Any]] | None
"""A query, or rows; None: neither is known."""


class ScoredQuery(NamedTuple):
    """What became of a prediction.

    Attributes:
        scores: Its scores.
        gold: The rows of the gold, as texts; none if they are not known.
        rows: Its own, as the gold's where they equal those.
        difference: Why EX as published differs, of
            `rulemine.evaluation.cypher.published_differences.DIFFERENCES`; "" if it does not.
        psjs_difference: Why PSJS as published differs, of `PSJS_DIFFERENCES` there; "" if it does not.
        agrees: Whether the gold gives the rows that are stated of it, if any are.
    """

    scores: CypherScores
    gold: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    difference: str = ""
    psjs_difference: str = ""
    agrees: bool = True

    @property
    def columns(self) -> dict[str, str]:
        """What became of it beside its scores, by column of a table."""
        return {
            "state": self.scores.state,
            "kinds": "; ".join(self.scores.kinds),
            "error": self.scores.said,
            "difference": self.difference,
            "psjs_difference": self.psjs_difference,
        }


class ScoreJournal:
    """A file of scores, each written when it is known; made by the first one.

    Args:
        path: The file; None: nothing is kept.

    Raises:
        OutputError: The file cannot be read or written.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._known: dict[str, dict[str, Any]] = {}
        self._file: IO[str] | None = None
        try:
            lines = path.read_text("utf-8", "replace").split("\n") if path and path.exists() else []
        except OSError as problem:
            raise OutputError(f"{path}: cannot be read: {problem.strerror}.") from None
        for line in lines:
            with suppress(
                ValueError, TypeError, KeyError
            ):  # a line that was cut off is asked again
                row = json.loads(line)
                self._known[row["key"]] = row
        if not self._known and any(lines[:-1]):  # more than a first line that was cut off
            raise OutputError(
                f"{path}: was not made by this program, which needs that name. Move it away, or choose "
                "another place with -o."
            )

    def __enter__(self) -> "ScoreJournal":
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: str) -> ScoredQuery | None:
        """What is known of a prediction."""
        row = self._known.get(key)
        if row is None:
            return None
        fields = {name: value for name, value in row.items() if name not in ("key", "id")}
        scores = CypherScores(**{**fields["scores"], "kinds": tuple(fields["scores"]["kinds"])})
        rows = {name: tuple(fields[name]) for name in ("gold", "rows")}
        return ScoredQuery(**{**fields, **rows, "scores": scores})

    def add(self, key: str, id_: str, found: ScoredQuery) -> None:
        """Keeps what became of a prediction.

        Raises:
            OutputError: The file cannot be written.
        """
        fields = {**found._asdict(), "scores": asdict(found.scores)}
        self._known[key] = {"key": key, "id": id_, **fields}
        if self.path is None:
            return
        try:
            if self._file is None:
                cut = self.path.exists() and not self.path.read_bytes().endswith(b"\n")
                self._file = self.path.open("a", encoding="utf-8", newline="\n")
                self._file.write("\n" * cut)
            self._file.write(json.dumps(self._known[key], ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as problem:
            raise OutputError(f"{self.path}: cannot be written: {problem.strerror}.") from None

    def remove(self) -> None:
        """Deletes the file, once what it has is in a report."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


class AskedBlock(NamedTuple):
    """What is known of a question, and what was predicted for it."""

    block: Any
    given: Predicted


class QueryScorer:
    """Scores predictions for questions of one graph; can be pickled if its runner can.

    Args:
        runner: Runs queries on the graph that was answered from.
        spelling: See `rulemine.evaluation.cypher.judging.CypherJudge`.
        elsewhere: Whether the gold was answered on another graph.
    """

    def __init__(self, runner: Runner, spelling: Spelling, elsewhere: bool) -> None:
        self._of = runner, spelling, elsewhere
        self._judge, self._diagnosis = CypherJudge(runner, spelling), Diagnosis(runner)
        self._elsewhere = elsewhere

    def __reduce__(self) -> tuple[Any, ...]:
        return QueryScorer, self._of

    def __call__(self, asked: AskedBlock) -> ScoredQuery:
        """What becomes of a prediction.

        Raises:
            EndpointError: The server does not answer any more.
        """
        return self._scored(asked.block, self._judge.spelled(asked.given))

    def _scored(self, block: Any, given: Predicted) -> ScoredQuery:
        gold: str = block.cypher
        table, agrees = self._gold(block)
        scores, found = self._judge.judged(gold, table, given, elsewhere=self._elsewhere)
        texts = _texts(block, table)
        rows = texts if scores.state == "same" else ()
        if found is not None and isinstance(table, GoldTable):
            rows = tuple(matched_rows(table.rows, found.rows, table.tied))
            if scores.state == "run" and table.keys is None:
                rows = tuple(sorted(rows))  # any order will do, and each server has its own
        why = other = ""
        if not self._elsewhere:
            if isinstance(table, GoldTable):
                kinds = self._diagnosis.kinds(gold, table, given, scores, found)
                scores = replace(scores, kinds=kinds)
                why = "" if found is None else difference(gold, table, found, scores)
            other = psjs_difference(gold, given, scores) if isinstance(given, str) else ""
        return ScoredQuery(scores, texts, rows, why, other, agrees)

    def _gold(self, block: Any) -> tuple[GoldTable | Failed | NotRun, bool]:
        """What a prediction is compared with, and whether the gold gives what is stated of it."""
        stated = gold_table(block) if block.columns else None
        if self._elsewhere and stated is not None:
            return stated, True
        run = self._judge.gold(block.cypher)
        if stated is None or (isinstance(run, Failed) and TIMED_OUT not in run.code):
            return run, True
        if not isinstance(run, GoldTable):
            return stated, True
        # As published, rows with equal keys have to come as the gold gives them there.
        plain = run.rows if run.plain is None else run.plain
        agrees = execution_match(stated.rows, run.rows, keys=stated.keys, tied=stated.tied)
        if agrees and stated.keys is None:  # the file need not say that their order counts
            return run, True
        return stated._replace(plain=plain), agrees


def score_queries(
    scorer: QueryScorer,
    asked: Sequence[tuple[Question, Prediction | None]],
    journal: ScoreJournal,
    place: str,
    spread: MapLike = map,
) -> Iterator[ScoredQuery]:
    """What becomes of predictions, in their order.

    Args:
        scorer: Scores them.
        asked: Questions of one graph, and the prediction for each; None: there is none.
        journal: What is known, and where what comes is kept.
        place: Identifies this graph and the limits of its runner.
        spread: Calls the scorer with predictions, one at a time.

    Raises:
        EndpointError: The server does not answer any more; the journal has what came before.
        OutputError: The journal cannot be written.
    """
    keys: list[str] = []
    waiting: list[AskedBlock] = []
    for question, prediction in asked:
        given = None if prediction is None else predicted_of(prediction)
        what = (_FORM, question.id, question.block, given, place)
        keys.append(digest_of(repr(what).encode("utf-8", "replace")))
        if journal.get(keys[-1]) is None:
            waiting.append(AskedBlock(question.block, given))
    coming = iter(spread(scorer, waiting))
    for key, (question, _) in zip(keys, asked, strict=True):
        if (found := journal.get(key)) is None:
            found = next(coming)
            journal.add(key, question.id, found)
        yield found


def gold_table(block: Any) -> GoldTable:
    """The rows of a question on the complete graph."""
    keys = [row_of(key)[0] for key in block.keys] if block.ordered else None
    return GoldTable([row_of(row) for row in block.rows], keys, [row_of(row) for row in block.tied])


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


def _texts(block: Any, table: GoldTable | Failed | NotRun) -> tuple[str, ...]:
    if block.columns or not isinstance(table, GoldTable):
        return tuple(block.rows)
    rows = map(row_text, table.rows)
    return tuple(sorted(rows) if table.keys is None else rows)


def matched_rows(
    gold: Sequence[Sequence[Any]],
    predicted: Sequence[Sequence[Any]],
    tied: Sequence[Sequence[Any]] = (),
) -> list[str]:
    """A predicted result as texts of rows: where a row equals one of the gold, the gold's text.

    Cells are equal as `rulemine.evaluation.cypher.results.execution_match` says. The columns are put in the
    order in which most rows match, as multisets; of several such orders, the first.

    Args:
        gold: The gold's rows.
        predicted: The predicted rows; with another number of columns, none matches.
        tied: Rows that are as good as the gold's only one: the first of them that is given is that.

    Example:
        >>> matched_rows([("Arden", 1200), ("Bree", 1450)], [(1450.0, "Bree"), (7, "Carn")])
        ['["Bree",1450]', '["Carn",7]']
    """
    if not gold or not predicted or len(gold[0]) != len(predicted[0]):
        return [row_text(row) for row in predicted]
    read = reader_of([*gold, *predicted, *tied])
    texts = {tuple(map(read, row)): row_text(row) for row in reversed(gold)}
    wanted = Counter(tuple(map(read, row)) for row in gold)
    cells = [[read(cell) for cell in row] for row in predicted]
    width = len(gold[0])
    orders = permutations(range(width)) if width <= _MOST_COLUMNS else [tuple(range(width))]

    def shared(order: Sequence[int]) -> int:
        return (wanted & Counter(tuple(row[at] for at in order) for row in cells)).total()

    best = max(orders, key=shared)  # the first of several
    others = {tuple(map(read, row)) for row in tied} - wanted.keys()
    found: list[str] = []
    for row, own in zip(predicted, cells, strict=True):
        key = tuple(own[at] for at in best)
        if key in others:
            texts.setdefault(key, row_text(gold[0]))
            others = set()  # a second one is one too many
        found.append(texts.get(key) or row_text([row[at] for at in best]))
    return found
