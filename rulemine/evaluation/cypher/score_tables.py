"""Scores of text-to-Cypher questions as a report: means by group, errors, differences from EX as published.

Means are over the questions that were run; what was not is counted beside them, never as 0.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rulemine.cypher.questions.templates import CATEGORIES, RETURN_GROUPS
from rulemine.cypher.rows import ROW_GROUPS, rows_group
from rulemine.errors import counted
from rulemine.evaluation.cypher.error_kinds import ERROR_KINDS
from rulemine.evaluation.cypher.judging import STATES, CypherScores, notes_on_provenance
from rulemine.evaluation.cypher.published_differences import DIFFERENCES, PSJS_DIFFERENCES
from rulemine.evaluation.cypher.scored_items import ScoredItem
from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.reporting.groups import tables_of
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.statistics.score import Score
from rulemine.kinds.group import Group
from rulemine.text.spreadsheet import csv_text
from rulemine.text.tables import Table, Values

__all__ = ["SCORES", "document_of", "mean_of", "questions_text"]

SCORES = {
    "ex": "EX",
    "ex_published": "EX as published",
    "psjs": "PSJS",
    "psjs_published": "PSJS as published",
    "psjs_edges": "PSJS edges",
    "executable": "executable",
}
"""The scores of a prediction → their titles."""

_SHOWN = 300

_GROUPINGS = (
    ("By category of MATCH", Group("", "category", lambda item, _: item.category, tuple(CATEGORIES))),
    ("By MATCH template", Group("", "match", lambda item, _: item.match)),
    ("By RETURN, basic questions", Group("", "return", lambda item, _: item.return_group, RETURN_GROUPS)),
    ("By RETURN template", Group("", "return template", lambda item, _: item.returns)),
    ("By graph", Group("", "graph", lambda item, _: item.graph)),
    ("By rows of the gold", Group("", "rows", lambda _, row: _rows_group(row), tuple(ROW_GROUPS))),
)  # fmt: skip

_COUNTED = {"states": "state", "errors": "kind"}
"""The tables of counts whose rows have another heading than the usual one."""


def mean_of(name: str, scores: Iterable[CypherScores]) -> float | None:
    """The mean of a score over predictions that have it; None if none has."""
    known = [value for one in scores if (value := getattr(one, name)) is not None]
    return sum(known) / len(known) if known else None


def document_of(
    found: Sequence[ScoredItem], title: str, facts: Mapping[str, str], notes: Sequence[str] = ()
) -> Document:
    """The report of predictions.

    Args:
        found: What became of each question.
        title: The title.
        facts: What it is of.
        notes: What a reader must know first.
    """
    items, columns = [row.item for row in found], ("n", *SCORES.values(), "not scored")
    headline, tables = tables_of(found, items, _GROUPINGS, columns, _means)

    def differs(row: ScoredItem) -> str:
        gold = _cut(row.item.cypher)
        return f"; first {row.item.id}: {_cut(row.predicted)}, where the gold is {gold}"

    counts = (
        _counted(
            "states", "What became of predictions", found, STATES, lambda row: (row.scores.state,),
            lambda row: f"; first {row.item.id}: {_cut(row.scores.said)}" * bool(row.scores.said),
        ),
        _errors(found),
        _counted("differences", "Where EX as published differs", found, DIFFERENCES,
                 lambda row: (row.difference,), differs),
        _counted("differences-psjs", "Where PSJS as published differs", found, PSJS_DIFFERENCES,
                 lambda row: (row.psjs_difference,), differs),
    )  # fmt: skip
    return Document(
        title,
        (*notes, *_warnings(found)),
        facts,
        replace(headline, id="scores", title="Scores", notes=_said(found)),
        tables=(
            *(replace(table, id=f"by-{table.id}") for table in tables),
            *(table for table in counts if table.rows),
        ),
    )


def questions_text(found: Sequence[ScoredItem]) -> Iterator[str]:
    """Every question as CSV, in pieces; scores are empty where a prediction has none."""
    of_item = ("id", "graph", "category", "match", "return", "question", "gold")
    of_scores = ("state", *SCORES, "rows", "columns", "kinds", "said")
    yield csv_text([[*of_item, "predicted", *of_scores, "difference", "psjs_difference"]])
    for row in found:
        item, scores = row.item, row.scores
        told = [item.id, item.graph, item.category, item.match]
        told += [item.returns, item.question, item.cypher]
        given = row.predicted if isinstance(row.predicted, str) else repr(row.predicted or "")
        values = [getattr(scores, name) for name in of_scores]
        shown = [_cell(value) for value in values]
        yield csv_text([[*told, given, *shown, row.difference, row.psjs_difference]])


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        return "; ".join(value)
    return "" if value is None else value if isinstance(value, str) else repr(value)


def _rows_group(row: ScoredItem) -> str:
    return "" if row.scores.rows is None else rows_group(row.scores.rows)


def _means(some: Sequence[ScoredItem]) -> Values:
    scored = [row.scores for row in some if row.scores.scored]
    means = (Score(mean_of(name, scored), None, None) for name in SCORES)
    return len(scored), *means, len(some) - len(scored)


def _counted(
    id_: str,
    title: str,
    found: Sequence[ScoredItem],
    words: Mapping[str, str],
    of: Callable[[ScoredItem], Sequence[str]],
    first: Callable[[ScoredItem], str],
) -> Table:
    """How many are of each group, and below it what the group is and what the first of it is."""
    groups = {name: some for name in words if (some := [row for row in found if name in of(row)])}
    notes = tuple(f"{name}: {words[name]}{first(some[0])}" for name, some in groups.items())
    rows = tuple((name, len(some)) for name, some in groups.items())
    return Table(id_, title, (_COUNTED.get(id_, "why"), "n"), rows, notes)


def _errors(found: Sequence[ScoredItem]) -> Table:
    wrong = [row.scores.kinds for row in found if row.scores.kinds]
    table = _counted(
        "errors", "Kinds of errors", found, ERROR_KINDS, lambda row: row.scores.kinds,
        lambda row: f"; first {row.item.id}" + f": {_cut(row.predicted)}" * bool(row.predicted),
    )  # fmt: skip
    counts = Counter(kind for kinds in wrong for kind in kinds)
    rows = tuple((*row, Score(counts[str(row[0])] / len(wrong), None, None)) for row in table.rows)
    notes = table.notes
    if several := sum(len(kinds) > 1 for kinds in wrong):
        has = "has" if several == 1 else "have"
        told = f"{counted(several, 'prediction')} of {len(wrong):,} wrong ones {has} several kinds."
        notes = (told, *notes)
    return replace(table, header=(*table.header, "share of wrong ones"), rows=rows, notes=notes)


def _cut(said: object) -> str:
    text = " ".join(str(said).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _said(found: Sequence[ScoredItem]) -> tuple[str, ...]:
    notes = ["EX and PSJS: arXiv 2412.18702, sections 5.1 and 5.2; mended, and as published."]
    scored = [row.scores for row in found if row.scores.scored]
    notes += [note for note in notes_on_provenance(scored) if not note.startswith(WARNING)]
    if some := sum(one.psjs is None and one.binds in ("", "edges", "nodes") for one in scored):
        notes.append(
            f"{counted(some, 'prediction')} without PSJS: rows instead of a query, or what they bind cannot "
            "be found out."
        )
    for name, why in (("EX", "difference"), ("PSJS", "psjs_difference")):
        if not any(getattr(row, why) for row in found):
            notes.append(f"{name} as published differs nowhere.")
    return tuple(notes)


def _warnings(found: Sequence[ScoredItem]) -> list[str]:
    scored = [row.scores for row in found]
    notes = [note for note in notes_on_provenance(scored) if note.startswith(WARNING)]
    if bad := [row for row in found if row.scores.state == "gold failed"]:
        notes.append(
            f"Warning: the gold of {counted(len(bad), 'question')} fails, an error of the data; these are "
            f"not scored. The first, {bad[0].item.id}: {bad[0].scores.said}"
        )
    if other := [row for row in found if not row.agrees]:
        notes.append(
            f"Warning: the gold of {counted(len(other), 'question')} gives other rows here than the file "
            f"states, first {other[0].item.id}. Is this the graph that they were made from?"
        )
    if unrun := [row for row in found if row.scores.state in ("not run", "gold not run")]:
        notes.append(
            f"{counted(len(unrun), 'question')} not run, and in no mean; the first, {unrun[0].item.id}: "
            f"{unrun[0].scores.said} A Neo4j may run them: --neo4j."
        )
    return notes
