"""Reports: scores with intervals, overall and by group, as table, JSON, CSV and Markdown.

Guarantees: values in JSON and CSV are fractions with all their digits, in tables percentages with
one decimal; what is undefined is ``null`` in JSON, empty in CSV and ``–`` in tables, never 0. The texts
depend on the report alone: no time, no path, no locale.
"""

import csv
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.bootstrap import CONFIDENCE
from rulemine.evaluation.breakdown import Breakdown
from rulemine.evaluation.metrics import Floats
from rulemine.evaluation.reporting.tables import Cell, Section, format_markdown, format_table
from rulemine.evaluation.retrieval import RETRIEVAL

__all__ = ["Comparison", "Report", "Row", "Score"]

TITLES = {
    "hits_any": "Hits@Any",
    "hits_at_1": "H@1",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "hits_hard": "Hits@Hard",
    "hhr": "HHR",
    "hard_f1": "Hard F1",
    "triple_recall": "recall",
    "triple_precision": "precision",
    "triple_f1": "F1",
    "certificate_recall": "certificates",
    "answer_hit": "answer hit",
    "answer_recall": "answers",
    "retrieved": "triples",
}
"""Headings of the columns of tables."""

IN_TABLES = {
    "rules": ("hits_any", "precision", "recall", "f1", "hits_hard", "hhr"),
    "structures": ("hits_at_1", "hits_any", "f1", "hits_hard", "hhr", "hard_f1"),
}
"""Kind of the questions → the scores of answers in tables; JSON and CSV have all."""

MEAN = "mean_of_structures"
"""Breakdown and group of the plain mean over structures."""

SUBSETS = {"core": "the core", "all": "all questions", MEAN: "mean of structures"}
"""The breakdowns that are one row each and come first, in words; all others are over all questions."""

BREAKDOWN_TITLES = {
    "structure": "structure",
    "hops": "hops",
    "missing": "missing links",
    "inference": "inference",
    "rule_type": "rule type",
    "rule_subtype": "other rules by shape",
    "proofs": "proofs left",
    "inverse_edge": "inverse edge",
    "unseen": "unseen in training",
    "split": "split",
    "level": "level",
}

_INTERVAL = (
    f"{CONFIDENCE:.0%} bootstrap interval".replace("%", " %") + " over clusters of questions"
)


class Score(NamedTuple):
    """A score and its interval.

    Attributes:
        value: The score; None where undefined.
        low: Lower bound of the interval; None where undefined.
        high: Upper bound.
    """

    value: float | None
    low: float | None
    high: float | None


class Row(NamedTuple):
    """The scores of a group of questions.

    Attributes:
        breakdown: What the questions are grouped by; for the rows of `SUBSETS`, their keys.
        group: The group; for the rows of `SUBSETS` likewise.
        n: Questions in the group; with 0 every score is undefined.
        scores: Score → estimate, for the scores of the report.
    """

    breakdown: str
    group: str
    n: int
    scores: dict[str, Score]


@dataclass(frozen=True, eq=False)
class _Rows(ABC):
    """What reports and comparisons share.

    Attributes:
        release: Name of the release.
        naming: The naming of the predictions.
        split: The split evaluated; "all" for all.
        kind: The kind of the questions.
        metrics: The scores of the report: of `METRICS` and, where predictions say what was retrieved,
            `RETRIEVAL`.
        kg: The graph that triples were retrieved from; None without such scores.
        rows: The headline first: the core, if it has a question, then all questions, the mean of structures
            if there are several, and the breakdowns of all questions.
        resamples: How many resamples the intervals rest on.
        seed: Their seed.
        notes: What a reader of the numbers must know, as sentences.
    """

    release: str
    naming: str
    split: str
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

    def _questions(self) -> str:
        core = self.headline.n if self.headline.group == "core" else 0
        return f"{self.n:,} questions, {core:,} in the core"

    def _first(self) -> str:
        """The notes that come before the numbers: those without which they mislead."""
        return "".join(f"{note}\n" for note in self.notes if note.startswith("Warning: "))

    def _signed(self) -> bool:
        return False

    def _what(self) -> str:
        return "scores"

    def _content(self) -> dict[str, Any]:
        """What `to_json` writes."""
        broken: dict[str, dict[str, Any]] = {}
        for row in self.rows:
            group = {"n": row.n, "scores": _plain(row.scores)}
            broken.setdefault(row.breakdown, {})[row.group] = group
        subsets = {name: broken.pop(name, {}).get(name) for name in SUBSETS}
        if subsets[MEAN] is None:
            del subsets[MEAN]
        return self._head() | {
            "naming": self.naming,
            "split": self.split,
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

    def _lines(self) -> list[list[str]]:
        """The lines of `to_csv`."""
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
        bounds = [f"{m}{part}" for m in self.metrics for part in ("", "_low", "_high")]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["what", "breakdown", "group", "n", *bounds])
        writer.writerows(self._lines())
        return out.getvalue()

    def to_table(self) -> str:
        """The report for a terminal, about 100 columns: percentages, below each its interval."""
        return format_table(
            f"{self._title()}\n{self._first()}in percent; below each value its {_INTERVAL}",
            ["", "n", *(TITLES[m] for m in self._in_table())],
            self._sections(self._in_table()),
            () if self.kg else self.notes,
        ) + (f"\n{self._retrieval(format_table, '')}" if self.kg else "")

    def to_markdown(self) -> str:
        """The report as Markdown tables: percentages, intervals in parentheses."""
        return format_markdown(
            f"{self._first()}{self._title()} · in percent ({_INTERVAL})",
            ["group", "n", *(TITLES[m] for m in self._in_table())],
            self._sections(self._in_table()),
            () if self.kg else self.notes,
        ) + (f"\n{self._retrieval(format_markdown, 'group')}" if self.kg else "")

    def _in_table(self) -> list[str]:
        """The scores of answers that tables have."""
        return [m for m in IN_TABLES[self.kind] if m in self.metrics]

    def _retrieval(self, layout: Callable[..., str], label: str) -> str:
        """The table of what was retrieved."""
        shown = [m for m in self.metrics if m in RETRIEVAL]
        sections = self._sections(shown, "structure")
        header = [label, "n", *(TITLES[m] for m in shown)]
        return layout(
            f"retrieved from the {self.kg} graph; in percent, triples as a number",
            header,
            sections,
            self.notes,
        )

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
            cells = [(f"{row.n:,}", "")]
            cells += [
                _cell(row.scores[m], self._signed(), 1 if m == "retrieved" else 100)
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
    """

    first: str
    second: str

    def _head(self) -> dict[str, Any]:
        return {"release": self.release, "first": self.first, "second": self.second}

    def _title(self) -> str:
        return (
            f"{self.release} · split {self.split} · {self._questions()} · "
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
        missing: Questions without a prediction, scored as empty.
        without_hard_answer: Questions without a hard answer, left out of the hard scores.
        ids: The questions evaluated, sorted.
        scores: Per question, the columns of `rulemine.evaluation.metrics.COLUMNS`, then of
            `rulemine.evaluation.retrieval.RETRIEVAL` if there are such scores; shape (n, columns).
        clusters: The cluster of every question, numbered from 0; the intervals resample these.
        groups: The groups of questions, in the order of `rows`.
        difference: The difference to other predictions, where that was asked for.
    """

    matching: str
    missing: int
    without_hard_answer: int
    ids: tuple[str, ...] = field(repr=False)
    scores: Floats = field(repr=False)
    clusters: npt.NDArray[np.int64] = field(repr=False)
    groups: tuple[Breakdown, ...] = field(repr=False)
    difference: "Comparison | None" = None

    def _head(self) -> dict[str, Any]:
        return {
            "release": self.release,
            "matching": self.matching,
            "kg": self.kg,
            "missing": self.missing,
            "without_hard_answer": self.without_hard_answer,
            "clusters": int(self.clusters.max()) + 1,
        }

    def _title(self) -> str:
        return (
            f"{self.release} · split {self.split} · {self._questions()} · naming {self.naming} · "
            f"matching {self.matching}"
        )

    def _content(self) -> dict[str, Any]:
        content = super()._content()
        if self.difference is not None:
            content["difference"] = self.difference._content()
        return content

    def _lines(self) -> list[list[str]]:
        lines = super()._lines()
        return lines if self.difference is None else lines + self.difference._lines()

    def to_table(self) -> str:
        """As `_Rows.to_table`, with the difference below."""
        below = "" if self.difference is None else "\n" + self.difference.to_table()
        return super().to_table() + below

    def to_markdown(self) -> str:
        """As `_Rows.to_markdown`, with the difference below."""
        below = "" if self.difference is None else "\n" + self.difference.to_markdown()
        return super().to_markdown() + below


def _plain(scores: dict[str, Score]) -> dict[str, dict[str, float | None]]:
    return {name: estimate._asdict() for name, estimate in scores.items()}


def _cell(estimate: Score, signed: bool, scale: int) -> Cell:
    """Value and interval as text, multiplied by a scale."""

    def text(value: float) -> str:
        rounded = round(scale * value, 1) + 0.0  # −0.0 becomes 0.0
        return f"{rounded:+.1f}" if signed else f"{rounded:.1f}"

    value, low, high = estimate
    if value is None:
        return "–", ""
    between = " … " if signed else "–"
    return text(value), "" if low is None or high is None else f"{text(low)}{between}{text(high)}"
