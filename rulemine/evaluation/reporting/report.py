"""The report of a system, and all scores of all systems, graphs and groups of questions as rows of one table.

A `Report` has the scores of one system, with intervals, overall and by group. Commands, studies, papers and
audits make a `Frame` of reports (`Frame.of`), select rows (`Frame.where`), and lay them out (`Frame.table`,
`Frame.picture`). Whatever rows differ in can stand on either side: systems × scores, systems × groups, graphs
× systems, levels × systems. `Frame.to_pandas` gives all of it to a notebook.

    frame = Frame.of([("lookup", report), ("prior", other)])
    frame.where(breakdown="core").table("t", "The core", ("hard_f1", "hhr"), rows=("system", "graph", "n"))
    frame.where(breakdown="hops", metric="f1").table("t", "F1 by hops", columns="group")
    frame.where(breakdown="all", metric="f1").picture("f", "F1", "…", columns="level", kind="lines")

Guarantees: rows come in the order of the reports, in each report group by group (the headline first), in each
group score by score; tables and figures keep this order. Values in JSON and CSV are fractions with all their
digits, in tables percentages with one decimal; what is undefined is ``null`` in JSON, empty in CSV and ``–``
in tables, never 0. The texts depend on the reports alone: no time, no path, no locale.

Example:
    >>> none, half = Score(None, None, None), Score(0.5, 0.4, 0.6)
    >>> first = ScoreRow("demo", "lookup", "complete", 100, "text", "core", "core", 60, 30, "hhr", half)
    >>> frame = Frame((first, first._replace(system="prior", hits=0, score=none)))
    >>> frame.table("t", "The core", ("hhr",)).header
    ('system', 'graph', 'HHR', 'hits')
    >>> frame.where(system="prior").table("t", "The core", rows=("graph",), columns="system").rows
    (('complete', Score(value=None, low=None, high=None)),)
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import frame as data_frame
from rulemine.errors import counted
from rulemine.evaluation.breakdown import Breakdown, group_titles
from rulemine.evaluation.metrics import Floats
from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.reporting.tables import Tabled
from rulemine.evaluation.reporting.titles import (
    FURTHER,
    HHR_NOTE,
    MEAN,
    PLAIN_NUMBERS,
    SHOWN,
    SUBSETS,
    TITLES,
)
from rulemine.evaluation.statistics.bootstrap import CONFIDENCE, Row
from rulemine.evaluation.statistics.score import Score
from rulemine.text.escaping import csv_text
from rulemine.text.tables import (
    Table,
    Value,
    exact,
    few_notes,
    marked,
    one_decimal,
    plain_of,
    under_headings,
)

if TYPE_CHECKING:
    import pandas as pd

    from rulemine.evaluation.cypher.release_rows import ScoredQuery
    from rulemine.evaluation.metrics_of_others.beside_ours import BesideOurs

__all__ = ["Frame", "Report", "ScoreRow"]

_INTERVAL = f"{100 * CONFIDENCE:g} % bootstrap interval over clusters of questions"

_REST = "Every group and score: --all, --format json; why a question scored what it did: --format questions."


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


@dataclass(frozen=True)
class Frame:
    """Rows of scores.

    Attributes:
        rows: The rows.
    """

    rows: tuple[ScoreRow, ...]

    @classmethod
    def of(cls, reports: "Iterable[tuple[str, Report]]") -> "Frame":
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


@dataclass(frozen=True, eq=False)
class Report(Tabled):
    """The scores of one system; made by `rulemine.evaluation.evaluate`.

    Attributes:
        release: Name of the release.
        system: What the system says that it is called; "" where it does not.
        naming: The naming of the predictions.
        split: The split evaluated; "all" for all.
        sample: How many of its questions; None for all.
        kind: The kind of the questions.
        metrics: The scores of the report.
        kg: The graph that was answered from; ``complete`` where nothing was removed.
        rows: The headline first: the core, if it has a question, then all questions, the mean of structures
            if there are several, and the breakdowns of all questions.
        resamples: How many resamples the intervals rest on.
        seed: Their seed.
        notes: What a reader of the numbers must know, as sentences.
        matching: The matching mode.
        level: The level at which hard answers are missing.
        missing: Questions without a prediction, scored as empty.
        without_hard_answer: Questions without a hard answer, left out of the hard scores.
        ids: The questions evaluated, sorted.
        columns: The names of the columns of `scores`: first those of `rulemine.evaluation.metrics.COLUMNS`.
        scores: Per question; NaN where it does not have the score; shape (n, columns).
        clusters: The cluster of every question, numbered from 0; the intervals resample these.
        groups: The groups of questions, in the order of `rows`.
        answers: What was read of the prediction for each question, each answer once, in the order given and
            in the naming of the release; what is no entity as it stands there.
        failures: See `rulemine.evaluation.retrieval.count_failures`; empty where nothing is known of it.
        others: The metrics of other projects, if asked for.
        queries: Where answers are rows: what became of the prediction for each question.
        of_queries: How many became what, and why.
        brief: Whether its tables have no breakdowns.
    """

    release: str
    naming: str
    split: str
    sample: int | None
    kind: str
    metrics: tuple[str, ...]
    kg: str
    rows: tuple[Row, ...] = field(repr=False)
    resamples: int
    seed: int
    notes: tuple[str, ...]
    matching: str
    level: int
    missing: int
    without_hard_answer: int
    ids: tuple[str, ...] = field(repr=False)
    columns: tuple[str, ...] = field(repr=False)
    scores: Floats = field(repr=False)
    clusters: npt.NDArray[np.int64] = field(repr=False)
    groups: tuple[Breakdown, ...] = field(repr=False)
    answers: tuple[tuple[str, ...], ...] = field(repr=False)
    system: str = ""
    failures: Mapping[str, Mapping[str, int]] = field(default_factory=dict, repr=False)
    others: "BesideOurs | None" = None
    queries: "Mapping[str, ScoredQuery] | None" = field(default=None, repr=False)
    of_queries: tuple[Table, ...] = field(default=(), repr=False)
    brief: bool = False

    @property
    def n(self) -> int:
        """Questions evaluated."""
        return len(self.ids)

    @property
    def headline(self) -> Row:
        """The row of the core, or that of all questions if none of them is in the core."""
        return self.rows[0]

    @property
    def overall(self) -> dict[str, Score]:
        """The scores over all questions: score → estimate."""
        return self.row("all", "all").scores

    def row(self, breakdown: str, group: str) -> Row:
        """The row of a group.

        Raises:
            KeyError: There is no such group in the report.
        """
        return {row[:2]: row for row in self.rows}[breakdown, group]

    @cached_property
    def hits(self) -> dict[tuple[str, str], int]:
        """Breakdown and group → its questions with a hard answer and a hit, of which HHR is a ratio."""
        hit = np.nan_to_num(self.scores[:, self.columns.index("hits_any_asked")])
        found = {
            (part.name, group): int(hit[members].sum())
            for part in self.groups
            for group, members in zip(part.groups, part.members, strict=True)
        }
        return found | {(MEAN, MEAN): found.get(("all", "all"), 0)}

    @property
    def frame(self) -> Frame:
        """Its scores as rows of a table."""
        return Frame.of([(self.system, self)])

    def score_rows(self, system: str) -> Iterator[ScoreRow]:
        """Its scores and those of other projects, with what its system is called."""
        about = (self.release, system, self.kg, self.level, self.naming)
        for row in self.rows:
            for metric, score in row.scores.items():
                yield ScoreRow(*about, *row[:3], self.hits.get(row[:2], 0), metric, score)
        for one in () if self.others is None else self.others.scores:
            group, hits = (one.subset, one.subset), self.hits[one.subset, one.subset]
            yield ScoreRow(*about, *group, one.n, hits, one.metric, one.score)

    def describe_questions(self) -> str:
        """How many questions there are, in words."""
        core = self.headline.n if self.headline.group == "core" else 0
        sample = "" if self.sample is None else "a sample of "
        return f"{sample}{counted(self.n, 'question')}, {core:,} in the core"

    def content(self) -> dict[str, Any]:
        """What `to_json` writes.

        Keys: what was evaluated and how; ``headline``: ``core`` or ``all``; ``core`` (null if it has no
        question), ``all`` and, where they are, ``granted``, ``likely`` and ``mean_of_structures``: n,
        hits, and scores: score → {value, low, high}; ``breakdowns``, over all questions: breakdown → group →
        the same.
        """
        broken: dict[str, dict[str, Any]] = {}
        for row in self.rows:
            broken.setdefault(row.breakdown, {})[row.group] = {
                "n": row.n,
                "hits": self.hits.get(row[:2], 0),
                "scores": {name: score._asdict() for name, score in row.scores.items()},
                "hhr_dropped": row.dropped,
            }
        subsets = {
            name: broken.pop(name, {}).get(name) for name in SUBSETS if name in ("core", *broken)
        }
        content = {
            "release": self.release,
            "matching": self.matching,
            "kg": self.kg,
            "level": self.level,
            "missing": self.missing,
            "coverage": 1 - self.missing / self.n,
            "without_hard_answer": self.without_hard_answer,
            "clusters": int(self.clusters.max()) + 1,
            "naming": self.naming,
            "split": self.split,
            "sample": self.sample,
            "n": self.n,
            "confidence": CONFIDENCE,
            "resamples": self.resamples,
            "seed": self.seed,
            "notes": list(self.notes),
            "headline": self.headline.group,
            **subsets,
            "breakdowns_over": "all",
            "breakdowns": broken,
        }
        if self.failures:
            content["failures"] = {name: dict(n) for name, n in self.failures.items()}
        if self.of_queries:
            content["queries"] = [*map(plain_of, self.of_queries)]
        if self.others is not None:
            content["metrics_of_others"] = self.others.content()
        return content

    def to_csv(self) -> str:
        """The report as CSV, a line for each score, see `Frame.to_csv`."""
        return self.frame.to_csv()

    def tables(self) -> list[Table]:
        """The scores of answers and of what else there is, what became of queries, and metrics of others."""
        titles, frame = group_titles(self.kind), self.frame
        if self.brief:
            frame = frame.where(breakdown=SUBSETS)

        def heading(row: ScoreRow) -> str:
            alone = row.breakdown in SUBSETS
            return "" if alone else f"{titles[row.breakdown]}, over all questions"

        title = (
            f"{self.release} · split {self.split} · {self.describe_questions()} · naming {self.naming} · "
            f"matching {self.matching}\nin percent, each value with its {_INTERVAL}"
        )
        found = [frame.table("scores", title, SHOWN, rows=("group", "n"), heading=heading)]
        found += [
            frame.where(breakdown=(*SUBSETS, *breakdowns)).table(
                "scores", what.format(kg=self.kg), metrics, rows=("group", "n"), heading=heading
            )
            for what, metrics, breakdowns in FURTHER
            if not set(metrics).isdisjoint(self.metrics)
        ]
        others = [] if self.others is None else self.others.tables()
        if not self.brief:
            return [*found, *self.of_queries, *others]
        found += [*self.of_queries[:1], *others]
        return [*found[:-1], replace(found[-1], notes=(*found[-1].notes, _REST))]
