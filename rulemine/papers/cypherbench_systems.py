"""What CypherBench's tables show of systems: scores, by template, and kinds of errors.

The authors run queries on whole graphs. So a study counts with its most complete graph; predictions count
with the graph that they say.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from rulemine.cypher.questions.templates import CATEGORIES, RETURN_GROUPS
from rulemine.evaluation.comparing.comparison import note_about
from rulemine.evaluation.comparing.pairwise import compare_all
from rulemine.evaluation.cypher.error_kinds import ERROR_KINDS
from rulemine.evaluation.cypher.scored_queries import predicted_of
from rulemine.evaluation.predictions import read_predictions
from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.titles import TITLES
from rulemine.evaluation.statistics.score import Score
from rulemine.papers.material import Material
from rulemine.papers.paper import LackingError, Made
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from rulemine.text.tables import Cell, Table, Value, percent, under_headings

__all__ = ["NAMES_OF_ERRORS", "by_template", "error_shares", "errors", "examples", "scores"]

_SCORES = ("ex_published", "psjs_published", "executable", "ex", "ex_columns", "psjs")
"""The paper's three, as its program has them; then ours."""

NAMES_OF_ERRORS = {
    "syntax": ("syntax", "limit", "runtime"),
    "schema violation": ("schema:type", "schema:relation", "schema:property"),
    "reversed direction": ("direction",),
    "entity linking": ("name", "wrong:name"),
    "wrong type or relation": ("wrong:type", "wrong:relation"),
    "node objects": ("nodes",),
    "results not aligned": ("columns",),
    "no deduplication": ("duplicates", "order"),
    "grouping": ("grouping",),
    "pattern": ("pattern",),
    "others": ("wrong:property", "filter", "missing", "refused", "unread"),
}
"""What errors are called here, after the paper → our kinds of them."""

LEVELS_OF_ERRORS = {
    "not in the graph": ("schema:type", "schema:relation", "schema:property", "direction", "name"),
    "there, not meant": (
        "wrong:name", "wrong:type", "wrong:relation", "wrong:property", "filter", "grouping", "pattern",
    ),
    "form of the rows": ("nodes", "columns", "duplicates", "order"),
    "does not run": ("missing", "refused", "syntax", "limit", "runtime"),
    "not known": ("unread",),
}  # fmt: skip
"""The first level: what a query names that the graph lacks, or has the other way round; what it has, and the
question does not mean; and so on."""


_ORDER = {name: at for at, name in enumerate((*CATEGORIES, *RETURN_GROUPS))}


class _Systems(NamedTuple):
    """Systems that were scored on the same questions.

    Attributes:
        id: Of their tables; "" if there are no others.
        title: What they were scored on.
        release: The release.
        reports: System → report.
        given: System → its predictions.
    """

    id: str
    title: str
    release: Release
    reports: Mapping[str, Report]
    given: Mapping[str, Sequence[Prediction]]


def _systems(material: Material) -> list[_Systems]:
    found: list[_Systems] = []
    for study in material.studies:
        if study.study.release.answers != "rows":
            continue
        level = min(study.study.plan.levels)
        reports = {study.called[name]: report for name, report in study.on(level).items()}
        given = {study.called[name]: study.predictions(name, level) for name in study.on(level)}
        found.append(_Systems("", "", study.study.release, reports, given))
    for release in material.releases:
        scored = material.reports.get(release.identity)
        if scored and release.answers == "rows":
            given = {
                name: read_predictions(
                    path, release.questions(), split=material.split, missing="empty"
                )
                for name, (path, _) in scored.items()
            }
            reports = {name: report for name, (_, report) in scored.items()}
            found.append(_Systems("", "", release, reports, given))
    if not found:
        raise LackingError(
            "a study of a release whose questions ask property graphs for rows, or predictions for one"
        )
    several = len(found) > 1
    return [
        one._replace(id=str(number) if several else "", title=_title(one))
        for number, one in enumerate(found, start=1)
    ]


def _title(systems: _Systems) -> str:
    report = next(iter(systems.reports.values()))
    graphs = dict.fromkeys(str(one.shown_kg) for one in systems.reports.values())
    return f"{systems.release.name}, {report.split} questions, {' and '.join(graphs)} graph"


def scores(material: Material) -> Iterator[Table]:
    """Table 3: systems side by side, and each with each."""
    for one in _systems(material):
        rows: list[tuple[Value, ...]] = []
        notes: dict[str, None] = {}
        for name, report in one.reports.items():
            rows.append((name, report.n, *(report.overall[metric] for metric in _SCORES)))
            for note in report.notes:
                shared = all(note in other.notes for other in one.reports.values())
                notes[note if shared else note_about(name, note)] = None
        header = ("system", "n", *(TITLES[metric] for metric in _SCORES))
        yield Table(one.id, f"scores on {one.title}", header, tuple(rows), tuple(notes))
        if len(one.reports) > 1:
            pairs = compare_all(one.reports, ("ex_published", "psjs_published", "ex"))
            for table in pairs.tables():
                yield replace(table, id=f"{one.id}-pairs".strip("-"))


def by_template(material: Material) -> Iterator[Picture]:
    """Figure 5: EX by category of MATCH, by RETURN of basic questions, and by graph."""
    for one in _systems(material):
        any_of = next(iter(one.reports.values()))
        match = "match" if any(row.breakdown == "match" for row in any_of.rows) else "structure"
        for breakdown, id_, across in (
            (match, "match", "MATCH"),
            ("return", "return", "RETURN, basic questions"),
            ("graph", "graph", "graph"),
        ):
            rows = [row for row in any_of.rows if row.breakdown == breakdown and row.n]
            rows.sort(key=lambda row: _ORDER.get(row.group.removeprefix("basic_"), len(_ORDER)))
            if not rows:
                continue
            series = []
            for name, report in one.reports.items():
                found = [report.row(breakdown, row.group).scores["ex_published"] for row in rows]
                series.append(Series(name, tuple(found)))
            yield Picture(
                f"{one.id}-{id_}".strip("-"),
                f"EX as published by {across}, {one.title}",
                "In percent, with 95 % bootstrap intervals.",
                "bars",
                across,
                "EX as published",
                tuple(row.group for row in rows),
                tuple(series),
                tuple(row.n for row in rows),
            )


class _Errors(NamedTuple):
    """The kinds of the wrong predictions of a system."""

    kinds: Mapping[str, Sequence[str]]

    def of(self, kinds: Sequence[str]) -> int:
        """Wrong predictions that have one of some kinds."""
        return sum(any(kind in kinds for kind in own) for own in self.kinds.values())

    def share(self, kinds: Sequence[str]) -> float | None:
        return self.of(kinds) / len(self.kinds) if self.kinds else None


def _errors(systems: _Systems) -> dict[str, _Errors]:
    """System → its errors, for those whose errors are known: those that ran on the graph of the gold."""
    found = {}
    for name, report in systems.reports.items():
        queries = report.queries or {}
        kinds = {id_: query.scores.kinds for id_, query in queries.items() if query.scores.kinds}
        wrong = [id_ for id_, query in queries.items() if query.scores.ex == 0.0]
        if kinds or not wrong:
            found[name] = _Errors(kinds)
    return found


def _with_errors(material: Material) -> list[tuple[_Systems, dict[str, _Errors]]]:
    found = [(one, known) for one in _systems(material) if (known := _errors(one))]
    if not found:
        raise LackingError("predictions on the complete graph, where kinds of errors are known")
    return found


def examples(material: Material) -> Iterator[Table]:
    """Table 4: the first wrong prediction of each system that has an error of the paper's."""
    for one, known in _with_errors(material):
        questions = {question.id: question for question in one.release.questions()}
        rows: list[tuple[str, tuple[Value, ...]]] = []
        for system, errors_ in known.items():
            given = {prediction.id: prediction for prediction in one.given[system]}
            for name, kinds in NAMES_OF_ERRORS.items():
                ids = (id_ for id_, own in errors_.kinds.items() if any(k in kinds for k in own))
                if (id_ := next(ids, None)) is None:
                    continue
                asked = questions[id_]
                what = predicted_of(given[id_]) if id_ in given else None
                shown = what if isinstance(what, str) else "–" if what is None else str([*what])
                row = (
                    name,
                    "; ".join(errors_.kinds[id_]),
                    id_,
                    asked.question,
                    asked.block.cypher,
                    shown,
                )
                rows.append((system, row))
        header = ("error", "our kinds", "question", "text", "gold", "predicted")
        yield Table(one.id, f"wrong predictions on {one.title}", header, under_headings(rows))


def errors(material: Material) -> Iterator[Table]:
    """Table 13: the errors, with our kinds, and how many wrong predictions have each."""
    for one, known in _with_errors(material):
        header = ("error", "found by", *known)
        wrong = [len(own.kinds) for own in known.values()]
        rows: list[tuple[Value, ...]] = [("wrong predictions", "EX is 0", *wrong)]
        for name, kinds in NAMES_OF_ERRORS.items():
            rows.append((name,))
            if len(kinds) > 1:
                rows.append(("all", "any of these", *_numbers(known, kinds)))
            rows += [(kind, ERROR_KINDS[kind], *_numbers(known, (kind,))) for kind in kinds]
        note = (
            "A prediction may have several errors. The paper sorts errors by hand; here all wrong "
            "predictions are sorted, by parsing and running them."
        )
        yield Table(one.id, f"errors on {one.title}", header, tuple(rows), (note,))


def _numbers(known: Mapping[str, _Errors], kinds: Sequence[str]) -> list[Value]:
    found: list[Value] = []
    for own in known.values():
        share = own.share(kinds)
        found.append(Cell(f"{own.of(kinds):,}", "" if share is None else f"{percent(share)} %"))
    return found


def error_shares(material: Material) -> Made:
    """Figure 6: shares of wrong predictions that have an error, by system."""
    for one, known in _with_errors(material):
        wrong = ", ".join(f"{name} {len(own.kinds):,}" for name, own in known.items())
        for id_, groups, what in (
            ("", NAMES_OF_ERRORS, "errors"),
            ("level", LEVELS_OF_ERRORS, "errors, first level"),
        ):
            used = {
                name: kinds
                for name, kinds in groups.items()
                if any(own.of(kinds) for own in known.values())
            }
            if not used:
                continue
            yield Picture(
                "-".join(part for part in (one.id, id_) if part),
                f"{what} on {one.title}",
                f"Shares of the wrong predictions ({wrong}) that have the error; one may have several.",
                "bars",
                "error",
                "% of wrong predictions",
                tuple(used),
                tuple(
                    Series(
                        name,
                        tuple(Score(own.share(kinds), None, None) for kinds in used.values()),
                    )
                    for name, own in known.items()
                ),
            )
