"""Reports: scores with intervals, overall and by group, as table, JSON, CSV and Markdown.

Guarantees: values in JSON and CSV are fractions with all their digits, in tables percentages with
one decimal; what is undefined is ``null`` in JSON, empty in CSV and ``–`` in tables, never 0. The texts
depend on the report alone: no time, no path, no locale.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.errors import counted
from rulemine.evaluation.breakdown import Breakdown
from rulemine.evaluation.metrics import Floats
from rulemine.evaluation.reporting.tables import (
    Section,
    few_notes,
    format_cell,
    format_markdown,
    format_p,
    format_table,
    marked,
    wrapped,
)
from rulemine.evaluation.reporting.titles import (
    BREAKDOWN_TITLES,
    FURTHER,
    IN_TABLES,
    MEAN,
    SUBSETS,
    TITLES,
)
from rulemine.evaluation.statistics.bootstrap import CONFIDENCE
from rulemine.evaluation.statistics.score import Score
from rulemine.text.markdown import plain
from rulemine.text.spreadsheet import csv_text

if TYPE_CHECKING:
    from rulemine.evaluation.metrics_of_others.beside_ours import BesideOurs

__all__ = ["WARNING", "Comparison", "Report", "Row"]

_INTERVAL = (
    f"{CONFIDENCE:.0%} bootstrap interval".replace("%", " %") + " over clusters of questions"
)

WARNING = "Warning: "
"""What a note begins with that tables have above all numbers."""


class Row(NamedTuple):
    """The scores of a group of questions.

    Attributes:
        breakdown: What the questions are grouped by; for the rows of `SUBSETS`, their keys.
        group: The group; for the rows of `SUBSETS` likewise.
        n: Questions in the group; with 0 every score is undefined.
        scores: Score → estimate, for the scores of the report.
        dropped: The share of the resamples that are left out of the interval of HHR, because no question is
            hit in them.
    """

    breakdown: str
    group: str
    n: int
    scores: dict[str, Score]
    dropped: float = 0.0


@dataclass(frozen=True, eq=False)
class _Rows(ABC):
    """What reports and comparisons share.

    Attributes:
        release: Name of the release.
        naming: The naming of the predictions.
        split: The split evaluated; "all" for all.
        sample: How many of its questions; None for all.
        kind: The kind of the questions.
        metrics: The scores of the report: of `METRICS` and, where predictions say what was retrieved,
            `RETRIEVAL`.
        kg: The graph that triples were retrieved from, or queries run on; None without such scores.
        rows: The headline first: the core, if it has a question, then all questions, the mean of structures
            if there are several, and the breakdowns of all questions.
        resamples: How many resamples the intervals rest on.
        seed: Their seed.
        notes: What a reader of the numbers must know, as sentences.
    """

    release: str
    naming: str
    split: str
    sample: int | None
    kind: str
    metrics: tuple[str, ...]
    kg: str | None
    rows: tuple[Row, ...] = field(repr=False)
    resamples: int
    seed: int
    notes: tuple[str, ...]

    @property
    def n(self) -> int:
        """Questions evaluated."""
        return self.row("all", "all").n

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
        for row in self.rows:
            if (row.breakdown, row.group) == (breakdown, group):
                return row
        raise KeyError((breakdown, group))

    @abstractmethod
    def _head(self) -> dict[str, Any]: ...

    @abstractmethod
    def _title(self) -> str: ...

    def describe_questions(self) -> str:
        """How many questions there are, in words."""
        core = self.headline.n if self.headline.group == "core" else 0
        sample = "" if self.sample is None else "a sample of "
        return f"{sample}{counted(self.n, 'question')}, {core:,} in the core"

    def _signed(self) -> bool:
        return False

    def _what(self) -> str:
        return "scores"

    def _content(self) -> dict[str, Any]:
        """What `to_json` writes."""
        broken: dict[str, dict[str, Any]] = {}
        for row in self.rows:
            group = {"n": row.n, "scores": _plain(row.scores), "hhr_dropped": row.dropped}
            broken.setdefault(row.breakdown, {})[row.group] = group
        subsets = {name: broken.pop(name, {}).get(name) for name in SUBSETS}
        if subsets[MEAN] is None:
            del subsets[MEAN]
        return self._head() | {
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

    def _header(self) -> list[str]:
        """The first line of `to_csv`."""
        bounds = [f"{m}{part}" for m in self.metrics for part in ("", "_low", "_high")]
        return ["what", "breakdown", "group", "n", *bounds]

    def _lines(self) -> list[list[str]]:
        """The other lines of `to_csv`."""
        return [
            [self._what(), row.breakdown, row.group, str(row.n)]
            + ["" if v is None else repr(v) for m in self.metrics for v in row.scores[m]]
            for row in self.rows
        ]

    def to_json(self) -> str:
        """The report as indented JSON with LF at the end.

        Keys: what was evaluated and how; ``headline``: ``core`` or ``all``; ``core`` (null if it has no
        question), ``all`` and, where there are several structures, ``mean_of_structures``: n, and scores:
        score → {value, low, high}; ``breakdowns``, over all questions: breakdown → group → {n, scores};
        ``difference``, where there is one: the same of the difference.
        """
        return json.dumps(self._content(), ensure_ascii=False, allow_nan=False, indent=2) + "\n"

    def to_csv(self) -> str:
        """The report as CSV: a header, then a line for each group.

        Columns: what the line has (``scores`` or ``difference``), breakdown, group, n, and for each score
        its value and the bounds of its interval.
        """
        return csv_text([self._header(), *self._lines()])

    def to_table(self) -> str:
        """The report for a terminal, about 100 columns: percentages, below each its interval."""
        return self._tables(
            format_table, f"{self._title()}\nin percent; below each value its {_INTERVAL}", ""
        )

    def to_markdown(self) -> str:
        """The report as Markdown tables: percentages, intervals in parentheses."""
        return self._tables(format_markdown, f"{self._title()} · in percent ({_INTERVAL})", "group")

    def _tables(self, layout: Callable[..., str], title: str, label: str) -> str:
        """The table of the scores of answers, and those of what else there is; notes below the last."""
        shown = [m for m in IN_TABLES[self.kind] if m in self.metrics]
        tables = [(title, shown, self._sections(shown))]
        for further, metrics, breakdowns in FURTHER:
            if shown := [m for m in metrics if m in self.metrics]:
                sections = self._sections(shown, *breakdowns)
                tables.append((further.format(kg=self.kg), shown, sections))
        said = plain if layout is format_markdown else wrapped
        texts = [f"{said(note)}\n" for note in self.notes if note.startswith(WARNING)]
        below = [note for note in self.notes if not note.startswith(WARNING)]
        below += few_notes(row.n for row in self.rows)
        for number, (name, shown, sections) in enumerate(tables, start=1):
            notes = below if number == len(tables) else ()
            texts.append(layout(name, [label, "n", *(TITLES[m] for m in shown)], sections, notes))
        return "\n".join(texts)

    def _sections(self, metrics: Sequence[str], *breakdowns: str) -> list[Section]:
        """Rows of cells of a value and an interval, by breakdown: of all of them, or of those named."""
        sections: list[Section] = []
        for row in self.rows:
            if row.breakdown in SUBSETS:
                title, label = "", row.group.replace("_", " ")
            elif not breakdowns or row.breakdown in breakdowns:
                title, label = f"{BREAKDOWN_TITLES[row.breakdown]}, over all questions", row.group
            else:
                continue
            if not sections or sections[-1][0] != title:
                sections.append((title, []))
            cells = [(marked(row.n), "")]
            cells += [
                format_cell(row.scores[m], self._signed(), 1 if m == "retrieved" else 100)
                for m in metrics
            ]
            sections[-1][1].append((label, cells))
        return sections


@dataclass(frozen=True, eq=False)
class Comparison(_Rows):
    """The difference of two systems, first minus second; made by `rulemine.evaluation.compare`.

    Attributes:
        first: What the first report is of, e.g. "complete".
        second: What the second is of.
        level: The level at which hard answers are missing.
        p_values: ``core`` and ``all`` → score → p of the paired randomization test
            (`rulemine.evaluation.statistics.significance`), None where undefined; not corrected.
    """

    first: str
    second: str
    level: int
    p_values: Mapping[str, Mapping[str, float | None]] = field(repr=False)

    def _head(self) -> dict[str, Any]:
        return {
            "release": self.release,
            "first": self.first,
            "second": self.second,
            "level": self.level,
            "p_values": {group: dict(p) for group, p in self.p_values.items()},
        }

    def _sections(self, metrics: Sequence[str], *breakdowns: str) -> list[Section]:
        rows = [
            (group, [("", ""), *((format_p(p[metric]), "") for metric in metrics)])
            for group, p in self.p_values.items()
        ]
        tested = ("p of the difference, paired randomization test over clusters", rows)
        return [*super()._sections(metrics, *breakdowns), tested]

    def _title(self) -> str:
        return (
            f"{self.release} · split {self.split} · {self.describe_questions()} · "
            f"{self.first} − {self.second}, paired"
        )

    def _signed(self) -> bool:
        return True

    def _what(self) -> str:
        return "difference"


@dataclass(frozen=True, eq=False)
class Report(_Rows):
    """The scores of one system; made by `rulemine.evaluation.evaluate`.

    Attributes:
        matching: The matching mode.
        level: The level at which hard answers are missing.
        missing: Questions without a prediction, scored as empty.
        without_hard_answer: Questions without a hard answer, left out of the hard scores.
        ids: The questions evaluated, sorted.
        columns: The names of the columns of `scores`: first those of `rulemine.evaluation.metrics.COLUMNS`.
        scores: Per question; NaN where it does not have the score; shape (n, columns).
        clusters: The cluster of every question, numbered from 0; the intervals resample these.
        groups: The groups of questions, in the order of `rows`.
        failures: See `rulemine.evaluation.retrieval.count_failures`; empty where nothing is said of it.
        difference: The difference to other predictions, if asked for.
        others: The metrics of other projects, likewise.
        rows_given: Of the kind ``cypher``: the rows predicted for each question, as texts.
    """

    matching: str
    level: int
    missing: int
    without_hard_answer: int
    ids: tuple[str, ...] = field(repr=False)
    columns: tuple[str, ...] = field(repr=False)
    scores: Floats = field(repr=False)
    clusters: npt.NDArray[np.int64] = field(repr=False)
    groups: tuple[Breakdown, ...] = field(repr=False)
    failures: Mapping[str, Mapping[str, int]] = field(default_factory=dict, repr=False)
    difference: "Comparison | None" = None
    others: "BesideOurs | None" = None
    rows_given: Mapping[str, tuple[str, ...]] | None = field(default=None, repr=False)

    def _head(self) -> dict[str, Any]:
        return {
            "release": self.release,
            "matching": self.matching,
            "kg": self.kg,
            "level": self.level,
            "missing": self.missing,
            "coverage": 1 - self.missing / self.n,
            "without_hard_answer": self.without_hard_answer,
            "clusters": int(self.clusters.max()) + 1,
        }

    def _title(self) -> str:
        return (
            f"{self.release} · split {self.split} · {self.describe_questions()} · naming {self.naming} · "
            f"matching {self.matching}"
        )

    def _content(self) -> dict[str, Any]:
        content = super()._content()
        if self.failures:
            content["failures"] = {name: dict(n) for name, n in self.failures.items()}
        if self.others is not None:
            content["metrics_of_others"] = self.others.to_plain()
        if self.difference is not None:
            content["difference"] = self.difference._content()
        return content

    def _header(self) -> list[str]:
        return super()._header() + ([] if self.others is None else self.others.csv_header())

    def _lines(self) -> list[list[str]]:
        lines = super()._lines()
        if self.others is not None:
            lines = [line + self.others.csv_cells(line[1]) for line in lines]
        if self.difference is not None:
            rest = [""] * (len(self._header()) - len(super()._header()))
            lines += [line + rest for line in self.difference._lines()]
        return lines

    def _tables(self, layout: Callable[..., str], title: str, label: str) -> str:
        """As of `_Rows`, with the metrics of others and the difference below."""
        texts = [super()._tables(layout, title, label)]
        if self.others is not None:
            texts.append(self.others.table(layout, label))
        if self.difference is not None:
            below = self.difference
            texts.append(below.to_markdown() if layout is format_markdown else below.to_table())
        return "\n".join(texts)


def _plain(scores: dict[str, Score]) -> dict[str, dict[str, float | None]]:
    return {name: estimate._asdict() for name, estimate in scores.items()}
