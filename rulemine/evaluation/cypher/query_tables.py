"""What became of predicted queries: states, kinds of errors, and where published scores differ."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from rulemine.errors import counted
from rulemine.evaluation.cypher.error_kinds import ERROR_KINDS
from rulemine.evaluation.cypher.judging import STATES, notes_on_provenance
from rulemine.evaluation.cypher.published_differences import DIFFERENCES, PSJS_DIFFERENCES
from rulemine.evaluation.cypher.scored_queries import ScoredQuery
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.statistics.score import Score
from rulemine.text.tables import Table

__all__ = ["AskedQuery", "notes_on_queries", "tables_of_queries"]

_SHOWN = 300


class AskedQuery(NamedTuple):
    """A prediction with what became of it.

    Attributes:
        id: The id of its question.
        gold: The gold query.
        predicted: What was predicted, as text.
        found: What became of it.
    """

    id: str
    gold: str
    predicted: str
    found: ScoredQuery


def tables_of_queries(asked: Sequence[AskedQuery]) -> tuple[Table, ...]:
    """The tables that have a row."""

    def differs(row: AskedQuery) -> str:
        return f"; first {row.id}: {_cut(row.predicted)}, where the gold is {_cut(row.gold)}"

    tables = (
        _counted(
            "states", "What became of predictions", "state", asked, STATES,
            lambda row: (row.found.scores.state,),
            lambda row: f"; first {row.id}: {_cut(message)}" if (message := row.found.scores.said) else "",
        ),
        _errors(asked),
        _counted("differences", "Where EX as published differs", "why", asked, DIFFERENCES,
                 lambda row: (row.found.difference,), differs),
        _counted("differences-psjs", "Where PSJS as published differs", "why", asked, PSJS_DIFFERENCES,
                 lambda row: (row.found.psjs_difference,), differs),
    )  # fmt: skip
    return tuple(table for table in tables if table.rows)


def notes_on_queries(asked: Sequence[AskedQuery], *, on_server: bool) -> list[str]:
    """What a reader of the scores must know."""
    scores = [row.found.scores for row in asked]
    notes = notes_on_provenance(scores)
    if bad := [row for row in asked if row.found.scores.state == "gold failed"]:
        notes.append(
            f"{WARNING}the gold of {counted(len(bad), 'question')} fails, an error of the data; these are "
            f"not scored. The first, {bad[0].id}: {bad[0].found.scores.said}"
        )
    if other := [row for row in asked if not row.found.agrees]:
        notes.append(
            f"{WARNING}the gold of {counted(len(other), 'question')} gives other rows here than are stated "
            f"of it, first {other[0].id}. Is this the graph that they were made from?"
        )
    if unrun := [row for row in asked if row.found.scores.state in ("not run", "gold not run")]:
        advice = "" if on_server else " A Neo4j may run them: --neo4j."
        notes.append(
            f"{counted(len(unrun), 'prediction')} not run, and in no score; the first, {unrun[0].id}: "
            f"{unrun[0].found.scores.said}{advice}"
        )
    scored = [one for one in scores if one.scored]
    if tables := sum(one.state == "rows" for one in scored):
        notes.append(
            f"{counted(tables, 'prediction')} of rows: without PSJS, and not among what runs."
        )
    if lost := sum(
        one.psjs is None and one.binds in ("", "edges", "nodes") and one.state != "rows"
        for one in scored
    ):
        notes.append(
            f"{counted(lost, 'prediction')} without PSJS: what they bind cannot be found out."
        )
    return notes


def _counted(
    id_: str,
    title: str,
    heading: str,
    asked: Sequence[AskedQuery],
    words: Mapping[str, str],
    of: Callable[[AskedQuery], Sequence[str]],
    first: Callable[[AskedQuery], str],
) -> Table:
    """How many are of each group, and below it what the group is and what the first of it is."""
    groups = {name: some for name in words if (some := [row for row in asked if name in of(row)])}
    notes = tuple(f"{name}: {words[name]}{first(some[0])}" for name, some in groups.items())
    rows = tuple((name, len(some)) for name, some in groups.items())
    return Table(id_, title, (heading, "n"), rows, notes)


def _errors(asked: Sequence[AskedQuery]) -> Table:
    wrong = [row.found.scores.kinds for row in asked if row.found.scores.kinds]
    table = _counted(
        "errors", "Kinds of errors", "kind", asked, ERROR_KINDS, lambda row: row.found.scores.kinds,
        lambda row: f"; first {row.id}" + f": {_cut(row.predicted)}" * bool(row.predicted),
    )  # fmt: skip
    counts = Counter(kind for kinds in wrong for kind in kinds)
    rows = tuple((*row, Score(counts[str(row[0])] / len(wrong), None, None)) for row in table.rows)
    notes = table.notes
    if several := sum(len(kinds) > 1 for kinds in wrong):
        has = "has" if several == 1 else "have"
        note = f"{counted(several, 'prediction')} of {len(wrong):,} wrong ones {has} several kinds."
        notes = (note, *notes)
    return replace(table, header=(*table.header, "share of wrong ones"), rows=rows, notes=notes)


def _cut(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
