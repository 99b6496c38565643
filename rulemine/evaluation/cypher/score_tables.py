"""Scores of text-to-Cypher questions as a report: means by group, errors, differences from EX as published.

Means are over the questions that were run; what was not is counted beside them, never as 0.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rulemine.cypher.questions.templates import CATEGORIES, RETURN_GROUPS
from rulemine.cypher.rows import ROW_GROUPS, rows_group
from rulemine.errors import counted
from rulemine.evaluation.cypher.error_kinds import ERROR_KINDS
from rulemine.evaluation.cypher.judging import STATES, CypherScores, notes_on_provenance
from rulemine.evaluation.cypher.published_differences import DIFFERENCES, PSJS_DIFFERENCES
from rulemine.evaluation.cypher.scored_items import ScoredItem
from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.statistics.score import Score
from rulemine.text.spreadsheet import csv_text
from rulemine.text.tables import Table, Value

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
    groups: list[tuple[str, str, Callable[[ScoredItem], str], Sequence[str]]] = [
        ("category", "By category of MATCH", lambda row: row.item.category, tuple(CATEGORIES)),
        ("match", "By MATCH template", lambda row: row.item.match, ()),
        ("return", "By RETURN, basic questions", lambda row: row.item.return_group, RETURN_GROUPS),
        ("return-template", "By RETURN template", lambda row: row.item.returns, ()),
        ("graph", "By graph", lambda row: row.item.graph, ()),
        ("rows", "By rows of the gold", _rows_group, tuple(ROW_GROUPS)),
    ]  # fmt: skip
    tables: list[Table | None] = [
        table
        for id_, heading, of, order in groups
        if (table := _by(found, id_, heading, of, order))
    ]
    tables += [_states(found), _errors(found)]
    tables.append(_differences("EX", found, [row.difference for row in found], DIFFERENCES))
    others = [row.psjs_difference for row in found]
    tables.append(_differences("PSJS", found, others, PSJS_DIFFERENCES))
    headline = Table("scores", "Scores", _header(""), (_row("all", found),), _said(found))
    return Document(
        title, (*notes, *_warnings(found)), facts, headline, tables=tuple(t for t in tables if t)
    )


def questions_text(found: Sequence[ScoredItem]) -> Iterator[str]:
    """Every question as CSV, in pieces; scores are empty where a prediction has none."""
    of_item = ("id", "graph", "category", "match", "return", "question", "gold")
    of_scores = ("state", *SCORES, "rows", "columns", "kinds", "said")
    yield csv_text([[*of_item, "predicted", *of_scores, "difference", "psjs_difference"]])
    for row in found:
        item, scores = row.item, row.scores
        told = [
            item.id,
            item.graph,
            item.category,
            item.match,
            item.returns,
            item.question,
            item.cypher,
        ]
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


def _header(first: str) -> tuple[str, ...]:
    return first, "n", *SCORES.values(), "not scored"


def _row(label: str, some: Sequence[ScoredItem]) -> tuple[Value, ...]:
    scored = [row.scores for row in some if row.scores.scored]
    means = (Score(mean_of(name, scored), None, None) for name in SCORES)
    return label, len(scored), *means, len(some) - len(scored)


def _by(
    found: Sequence[ScoredItem],
    id_: str,
    heading: str,
    of: Callable[[ScoredItem], str],
    order: Sequence[str],
) -> Table | None:
    """The scores of groups; None unless there are several."""
    groups: dict[str, list[ScoredItem]] = {}
    for row in found:
        groups.setdefault(of(row), []).append(row)
    groups.pop("", None)
    names = [n for n in order if n in groups] + sorted(set(groups) - set(order))
    if len(names) < 2:
        return None
    rows = tuple(_row(name, groups[name]) for name in names)
    return Table(f"by-{id_}", heading, _header(id_.replace("-", " ")), rows)


def _states(found: Sequence[ScoredItem]) -> Table:
    groups = {state: [row for row in found if row.scores.state == state] for state in STATES}
    rows = tuple((state, len(some)) for state, some in groups.items() if some)
    notes = tuple(
        f"{state}: {STATES[state]}"
        + f"; first {some[0].item.id}: {_cut(some[0].scores.said)}" * bool(some[0].scores.said)
        for state, some in groups.items()
        if some
    )
    return Table("states", "What became of predictions", ("state", "n"), rows, notes)


def _errors(found: Sequence[ScoredItem]) -> Table | None:
    wrong = [row for row in found if row.scores.kinds]
    groups = {kind: [row for row in wrong if kind in row.scores.kinds] for kind in ERROR_KINDS}
    rows = tuple(
        (kind, len(some), Score(len(some) / len(wrong), None, None))
        for kind, some in groups.items()
        if some
    )
    several = sum(len(row.scores.kinds) > 1 for row in wrong)
    notes = tuple(
        f"{kind}: {ERROR_KINDS[kind]}; first {some[0].item.id}"
        + f": {_cut(some[0].predicted)}" * bool(some[0].predicted)
        for kind, some in groups.items()
        if some
    )
    if several:
        has = "has" if several == 1 else "have"
        told = f"{counted(several, 'prediction')} of {len(wrong):,} wrong ones {has} several kinds."
        notes = (told, *notes)
    header = "kind", "n", "share of wrong ones"
    return Table("errors", "Kinds of errors", header, rows, notes) if rows else None


def _differences(
    name: str, found: Sequence[ScoredItem], causes: Sequence[str], words: Mapping[str, str]
) -> Table | None:
    """Why a score as published differs."""
    groups = {
        why: [row for row, its in zip(found, causes, strict=True) if its == why] for why in words
    }
    rows = tuple((why, len(some)) for why, some in groups.items() if some)
    notes = tuple(
        f"{why}: {words[why]}; first {some[0].item.id}: {_cut(some[0].predicted)}, where the gold is "
        f"{_cut(some[0].item.cypher)}"
        for why, some in groups.items()
        if some
    )
    id_ = "differences" if name == "EX" else f"differences-{name.lower()}"
    heading = f"Where {name} as published differs"
    return Table(id_, heading, ("why", "n"), rows, notes) if rows else None


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
