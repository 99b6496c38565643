"""All scores of all systems, graphs and groups of questions as rows of one table, made once.

Commands, studies, papers and audits make a `Frame` of reports (`Frame.of`), select rows (`Frame.where`), and
lay them out (`Frame.table`, `Frame.picture`). Whatever rows differ in can stand on either side: systems ×
scores, systems × groups, graphs × systems, levels × systems. `Frame.to_pandas` gives all of it to a notebook.

    frame = Frame.of([("lookup", report), ("prior", other)])
    frame.where(breakdown="core").table("t", "The core", ("hard_f1", "hhr"), rows=("system", "graph", "n"))
    frame.where(breakdown="hops", metric="f1").table("t", "F1 by hops", columns="group")
    frame.where(breakdown="all", metric="f1").picture("f", "F1", "…", columns="level", kind="lines")

Guarantees: rows come in the order of the reports, in each report group by group (the headline first), in each
group score by score; tables and figures keep this order. What is not there is None, never 0.

Example:
    >>> none, half = Score(None, None, None), Score(0.5, 0.4, 0.6)
    >>> first = ScoreRow("demo", "lookup", "complete", 100, "text", "core", "core", 60, 30, "hhr", half)
    >>> frame = Frame((first, first._replace(system="prior", hits=0, score=none)))
    >>> frame.table("t", "The core", ("hhr",)).header
    ('system', 'graph', 'HHR', 'hits')
    >>> frame.where(system="prior").table("t", "The core", rows=("graph",), columns="system").rows
    (('complete', Score(value=None, low=None, high=None)),)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rulemine.arrays import frame as data_frame
from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.reporting.titles import HHR_NOTE, PLAIN_NUMBERS, TITLES
from rulemine.evaluation.statistics.score import Score
from rulemine.text.escaping import csv_text
from rulemine.text.tables import (
    Table,
    Value,
    exact,
    few_notes,
    marked,
    one_decimal,
    under_headings,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Frame", "ScoreRow"]


class ScoreRow(NamedTuple):
    """A score of a system on a graph over a group of questions.

    Attributes:
        release: The name of the release.
        system: What the system is called.
        graph: What it answered from: ``complete``, ``incomplete`` or ``incomplete-LEVEL``.
        level: The level at which hard answers are missing, 1 … 100.
        naming: The naming of its answers.
        breakdown: What questions are grouped by, see `rulemine.evaluation.breakdown`; ``core``, ``granted``,
            ``likely``, ``all`` and ``mean_of_structures`` are one group each, of the same name.
        group: The group.
        n: Its questions.
        hits: Those of them with a hard answer of which the system gave some right answer: HHR is a ratio
            among these.
        metric: The score, one of those of the report, or a metric of another project.
        score: Its value and interval, fractions unless it is one of `PLAIN_NUMBERS`; None where undefined.
    """

    release: str
    system: str
    graph: str
    level: int
    naming: str
    breakdown: str
    group: str
    n: int
    hits: int
    metric: str
    score: Score


class Scores(Protocol):
    """A report, see `rulemine.evaluation.reporting.report`."""

    def score_rows(self, system: str) -> Iterator[ScoreRow]:
        """Its scores, with what its system is called."""


@dataclass(frozen=True)
class Frame:
    """Rows of scores.

    Attributes:
        rows: The rows.
    """

    rows: tuple[ScoreRow, ...]

    @classmethod
    def of(cls, reports: Iterable[tuple[str, Scores]]) -> "Frame":
        """All scores of reports, each with what its system is called; those of other projects, too."""
        return cls(tuple(row for name, report in reports for row in report.score_rows(name)))

    def where(self, **wanted: Any) -> "Frame":
        """The rows that have, in each column named, the value given, or one of several."""
        sets = {
            name: {value} if isinstance(value, str | int) else {*value}
            for name, value in wanted.items()
        }
        rows = (r for r in self.rows if all(getattr(r, n) in values for n, values in sets.items()))
        return Frame(tuple(rows))

    def to_pandas(self) -> "pd.DataFrame":
        """The rows as a data frame; ``value``, ``low`` and ``high`` in the place of ``score``.

        Raises:
            UserError: pandas is not installed.
        """
        columns = zip(*self._flat(), strict=True)
        return data_frame({name: values for name, *values in columns})

    def to_csv(self) -> str:
        """The rows as CSV with a header, every digit; what is undefined is empty."""
        return csv_text([*map(exact, row)] for row in self._flat())

    def _flat(self) -> Iterator[Sequence[Any]]:
        """A header, then the rows."""
        yield (*ScoreRow._fields[:-1], *Score._fields)
        yield from ((*row[:-1], *row.score) for row in self.rows)

    def table(
        self,
        id_: str,
        title: str,
        values: Sequence[Any] = (),
        *,
        rows: Sequence[str] = ("system", "graph"),
        columns: str = "metric",
        heading: Callable[[ScoreRow], str] = lambda row: "",
        notes: Sequence[str] = (),
    ) -> Table:
        """A table of scores; beside HHR stands the number of hits that it is a ratio of.

        Args:
            id_: Its id.
            title: Its title.
            values: The values of `columns` that are shown, in this order; what no row has is left out.
                None: all.
            rows: The columns that tell its rows apart.
            columns: The column whose values are its columns.
            heading: The heading of the table under which a row stands; "": none.
            notes: What stands below it.
        """
        lines, shown = self._grid(rows, columns, values, heading)
        header, with_hits = [*rows], columns == "metric" and "hhr" in shown
        for value in shown:
            header += [_shown(columns, value), *["hits"] * (with_hits and value == "hhr")]

        def cells(line: dict[Any, ScoreRow]) -> Iterator[Value]:
            for value in shown:
                found = line.get(value)
                yield found and found.score
                if with_hits and value == "hhr":
                    yield found.hits if found and found.score.value is not None else None

        found = under_headings(
            (head, (*(_shown(c, v) for c, v in zip(rows, key, strict=True)), *cells(line)))
            for (head, *key), line in lines.items()
        )
        show = {TITLES.get(metric, metric): one_decimal for metric in PLAIN_NUMBERS}
        below = (*notes, *[HHR_NOTE] * with_hits)
        return Table(id_, title, tuple(header), found, below, show)

    def picture(
        self,
        id_: str,
        title: str,
        caption: str,
        values: Sequence[Any] = (),
        *,
        rows: Sequence[str] = ("system",),
        columns: str = "group",
        kind: str = "bars",
        across: str = "",
        up: str = "percent",
    ) -> Picture:
        """A figure of scores: a series for each of its rows, a group of bars or a point for each column.

        Args:
            id_: Its id.
            title: Its title.
            caption: What it shows, in sentences; what a mark at a small group says is added.
            values: See `table`.
            rows: The columns that tell series apart.
            columns: The column whose values are the groups; with ``group`` each has its number of questions.
            kind: ``bars`` or ``lines``.
            across: The label of the horizontal axis; "": the name of `columns`.
            up: The label of the vertical axis.
        """
        lines, shown = self._grid(rows, columns, values)
        groups: list[Any] = [
            value if kind == "lines" else _shown(columns, value) for value in shown
        ]
        if columns == "group":
            sizes = {row.group: row.n for row in self.rows}
            groups = [f"{_shown(columns, value)} ({marked(sizes[value])})" for value in shown]
            caption = " ".join([caption, *few_notes(sizes[value] for value in shown)])
        series = tuple(
            Series(
                ", ".join(_shown(c, v) for c, v in zip(rows, key, strict=True)),
                tuple(line[value].score if value in line else None for value in shown),
            )
            for (_, *key), line in lines.items()
        )
        return Picture(id_, title, caption, kind, across or columns, up, tuple(groups), series)

    def _grid(
        self,
        rows: Sequence[str],
        columns: str,
        values: Sequence[Any],
        heading: Callable[[ScoreRow], str] = lambda row: "",
    ) -> tuple[dict[tuple[Any, ...], dict[Any, ScoreRow]], list[Any]]:
        """Heading and key of each row → its cells by column; and the columns."""
        lines: dict[tuple[Any, ...], dict[Any, ScoreRow]] = {}
        for row in self.rows:
            value = getattr(row, columns)
            if not values or value in values:
                key = (heading(row), *(getattr(row, name) for name in rows))
                if lines.setdefault(key, {}).setdefault(value, row) != row:
                    raise ValueError(f"two scores for {key}, {value}: select, or name more rows")
        there = dict.fromkeys(value for line in lines.values() for value in line)
        return lines, [value for value in values or there if value in there]


def _shown(column: str, value: Any) -> Any:
    """A value of a column as tables and figures show it; numbers of questions stay numbers."""
    if column == "metric":
        return TITLES.get(value, value)
    if column in ("breakdown", "group"):
        return value.replace("_", " ")
    return value if column == "n" else str(value)
