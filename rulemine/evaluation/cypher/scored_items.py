"""Scores the predictions for questions of a file, and keeps each score as it comes.

Guarantee: what a journal has is not asked again, whatever ended the run that wrote it; what it has of other
questions, predictions or graphs is not used.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

from rulemine.cypher.rows import NotRun
from rulemine.errors import OutputError
from rulemine.evaluation.cypher.error_kinds import Diagnosis
from rulemine.evaluation.cypher.judging import CypherJudge, CypherScores, GoldTable
from rulemine.evaluation.cypher.published_differences import difference, psjs_difference
from rulemine.evaluation.cypher.results import execution_match
from rulemine.evaluation.cypher.runners import Runner
from rulemine.evaluation.cypher.task_files import CypherItem, Predicted
from rulemine.evaluation.spelling import Spelling
from rulemine.files import digest_of

__all__ = ["ScoreJournal", "ScoredItem", "score_items"]


_FORM = 3
"""Of a line of the journal; lines of another are not used."""


class ScoredItem(NamedTuple):
    """What became of a question.

    Attributes:
        item: The question.
        predicted: What was predicted.
        scores: Its scores.
        difference: Why EX as published differs, of
            `rulemine.evaluation.cypher.published_differences.DIFFERENCES`; "" if it does not.
        psjs_difference: Why PSJS as published differs, of `PSJS_DIFFERENCES` there; likewise.
        agrees: Whether the gold gives the rows that the file states; True if it states none.
    """

    item: CypherItem
    predicted: Predicted
    scores: CypherScores
    difference: str = ""
    psjs_difference: str = ""
    agrees: bool = True


class ScoreJournal:
    """A file of scores, each written when it is known; made by the first one.

    Args:
        path: The file; None: nothing is kept.

    Raises:
        OutputError: The file cannot be read or written.
    """

    def __init__(self, path: Path | None) -> None:
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

    def get(self, key: str, item: CypherItem, predicted: Predicted) -> ScoredItem | None:
        """What is known of a question."""
        row = self._known.get(key)
        if row is None:
            return None
        told = row["scores"]
        scores = CypherScores(**{**told, "kinds": tuple(told["kinds"])})
        why = row["difference"], row["psjs_difference"]
        return ScoredItem(item, predicted, scores, *why, agrees=row["agrees"])

    def add(self, key: str, found: ScoredItem) -> None:
        """Keeps what became of a question.

        Raises:
            OutputError: As of the class.
        """
        told = {
            "scores": asdict(found.scores),
            "difference": found.difference,
            "psjs_difference": found.psjs_difference,
            "agrees": found.agrees,
        }
        self._known[key] = {"key": key, "id": found.item.id, **told}
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


def score_items(
    items: Sequence[CypherItem],
    predicted: Mapping[str, Predicted],
    runner: Runner,
    *,
    place: str,
    spelling: Spelling | None = None,
    journal: ScoreJournal,
    tell: Callable[[int], None] = lambda _done: None,
) -> list[ScoredItem]:
    """Scores the predictions for questions of one graph.

    Args:
        items: The questions.
        predicted: Id → what is predicted; questions that are not in it have no prediction.
        runner: Runs queries on the graph.
        spelling: As of `rulemine.evaluation.cypher.judging.CypherJudge`.
        place: What tells this graph and the limits of the runner from others.
        journal: What is known, and where what comes is kept.
        tell: Called with the number of questions that are scored.

    Raises:
        EndpointError: The server does not answer any more; the journal has what came before.
        OutputError: As of the journal.
    """
    judge, diagnosis = CypherJudge(runner, spelling), Diagnosis(runner)
    found: list[ScoredItem] = []
    for item in items:
        given = predicted.get(item.id)
        key = digest_of(repr((_FORM, item, given, place)).encode("utf-8", "replace"))
        known = journal.get(key, item, given)
        if known is None:
            known = _scored(judge, diagnosis, item, given)
            journal.add(key, known)
        found.append(known)
        tell(len(found))
    return found


def _scored(
    judge: CypherJudge, diagnosis: Diagnosis, item: CypherItem, given: Predicted
) -> ScoredItem:
    table = judge.gold(item.cypher)
    agrees = True
    if item.stated is not None and isinstance(table, NotRun):
        table = item.stated
    elif item.stated is not None and isinstance(table, GoldTable):
        known = item.stated
        agrees = execution_match(known.rows, table.rows, keys=known.keys, tied=known.tied)
    asked = judge.spelled(given)
    scores, rows = judge.judged(item.cypher, table, asked)
    why, other = "", ""
    if isinstance(table, GoldTable):
        kinds = diagnosis.kinds(item.cypher, table, asked, scores, rows)
        scores = replace(scores, kinds=kinds)
        why = "" if rows is None else difference(item.cypher, table, rows, scores)
    if isinstance(asked, str):
        other = psjs_difference(item.cypher, asked, scores)
    return ScoredItem(item, given, scores, why, other, agrees)
