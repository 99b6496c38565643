"""Reports: scores with intervals, overall and by group, as table, JSON, CSV and Markdown.

Guarantees: values in JSON and CSV are fractions with all their digits, in tables percentages with
one decimal; what is undefined is ``null`` in JSON, empty in CSV and ``–`` in tables, never 0. The texts
depend on the report alone: no time, no path, no locale.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.errors import counted
from rulemine.evaluation.breakdown import Breakdown, group_titles
from rulemine.evaluation.metrics import Floats
from rulemine.evaluation.reporting.tables import Tabled
from rulemine.evaluation.reporting.titles import FURTHER, SHOWN, SUBSETS, TITLES
from rulemine.evaluation.statistics.bootstrap import CONFIDENCE
from rulemine.evaluation.statistics.score import Score
from rulemine.kinds.registry import is_built, kind_named
from rulemine.text.tables import (
    Show,
    Table,
    Value,
    csv_of,
    one_decimal,
    p_value,
    plain_of,
    points,
    signed,
    under_headings,
)

if TYPE_CHECKING:
    from rulemine.evaluation.cypher.scored_queries import ScoredQuery
    from rulemine.evaluation.metrics_of_others.beside_ours import BesideOurs

__all__ = ["Comparison", "Report", "Row"]

_INTERVAL = (
    f"{CONFIDENCE:.0%} bootstrap interval".replace("%", " %") + " over clusters of questions"
)


class Row(NamedTuple):
    """The scores of a group of questions.

    Attributes:
        breakdown: What the questions are grouped by; for the rows of `SUBSETS`, their keys.
        group: The group; for the rows of `SUBSETS`, their keys again.
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
class _Rows(Tabled):
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
    def shown_kg(self) -> str | None:
        """What tables call that graph; where nothing is removed there is the complete one alone."""
        form = kind_named(self.kind).answers.form
        return self.kg if is_built(self.kind) or form == "entities" else "complete"

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

    def _show(self) -> dict[str, Show]:
        """How tables show scores that are no fractions, or differences."""
        return {TITLES["retrieved"]: one_decimal}

    def _what(self) -> str:
        return "scores"

    def content(self) -> dict[str, Any]:
        """What `to_json` writes.

        Keys: what was evaluated and how; ``headline``: ``core`` or ``all``; ``core`` (null if it has no
        question), ``all`` and, where they are, ``granted`` and ``mean_of_structures``: n, and scores:
        score → {value, low, high}; ``breakdowns``, over all questions: breakdown → group → {n, scores};
        ``difference``, where there is one: the same of the difference.
        """
        broken: dict[str, dict[str, Any]] = {}
        for row in self.rows:
            group = {"n": row.n, "scores": _plain(row.scores), "hhr_dropped": row.dropped}
            broken.setdefault(row.breakdown, {})[row.group] = group
        subsets = {
            name: broken.pop(name, {}).get(name) for name in SUBSETS if name in ("core", *broken)
        }
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

    def _columns(self) -> list[str]:
        """The columns of `to_csv`, a score with its bounds being one."""
        return ["what", "breakdown", "group", "n", *self.metrics]

    def _lines(self) -> Iterator[list[Value]]:
        """The lines of `to_csv`."""
        for row in self.rows:
            scores = (row.scores[metric] for metric in self.metrics)
            yield [self._what(), row.breakdown, row.group, row.n, *scores]

    def to_csv(self) -> str:
        """The report as CSV: a header, then a line for each group.

        Columns: what the line has (``scores`` or ``difference``), breakdown, group, n, and for each score
        its value and the bounds of its interval.
        """
        rows = tuple(map(tuple, self._lines()))
        return csv_of(Table("report", "", tuple(self._columns()), rows), joint="_")

    def tables(self) -> list[Table]:
        """The table of the scores of answers, and those of what else there is."""
        found = (
            self._broken_down(
                f"{self._title()}\nin percent, with each value its {_INTERVAL}", SHOWN
            ),
            *(
                self._broken_down(further.format(kg=self.shown_kg), metrics, *breakdowns)
                for further, metrics, breakdowns in FURTHER
            ),
        )
        return [table for table in found if len(table.header) > 2]

    def table(
        self, id_: str, title: str, rows: Iterable[tuple[str, str, Row]], metrics: Sequence[str]
    ) -> Table:
        """Scores of some rows, each with its heading, which may be empty, and its label."""
        shown = [metric for metric in metrics if metric in self.metrics]
        header = ("group", "n", *(TITLES.get(metric, metric) for metric in shown))
        lines = under_headings(
            (heading, (label, row.n, *(row.scores[m] for m in shown)))
            for heading, label, row in rows
        )
        return Table(id_, title, header, lines, show=self._show())

    def _broken_down(self, title: str, metrics: Sequence[str], *breakdowns: str) -> Table:
        """A table by breakdown: of all of them, or of those named."""
        titles = group_titles(self.kind)
        rows = [
            ("", row.group.replace("_", " "), row)
            if row.breakdown in SUBSETS
            else (f"{titles[row.breakdown]}, over all questions", row.group, row)
            for row in self.rows
            if not breakdowns or row.breakdown in (*SUBSETS, *breakdowns)
        ]
        return self.table("scores", title, rows, metrics)


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

    def _broken_down(self, title: str, metrics: Sequence[str], *breakdowns: str) -> Table:
        table = super()._broken_down(title, metrics, *breakdowns)
        shown = [metric for metric in metrics if metric in self.metrics]
        title = "p of the difference, paired randomization test over clusters"
        tests = (
            (title, (group, "", *(p_value(p[m]) for m in shown)))
            for group, p in self.p_values.items()
        )
        return replace(table, rows=(*table.rows, *under_headings(tests)))

    def _title(self) -> str:
        return (
            f"{self.release} · split {self.split} · {self.describe_questions()} · "
            f"{self.first} − {self.second}, paired"
        )

    def _show(self) -> dict[str, Show]:
        show: dict[str, Show] = dict.fromkeys(TITLES.values(), points)
        return show | {TITLES["retrieved"]: signed}

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
        failures: See `rulemine.evaluation.retrieval.count_failures`; empty where nothing is known of it.
        difference: The difference to other predictions, if asked for.
        others: The metrics of other projects, if asked for.
        queries: Where answers are rows: what became of the prediction for each question.
        of_queries: How many became what, and why.
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
    queries: "Mapping[str, ScoredQuery] | None" = field(default=None, repr=False)
    of_queries: tuple[Table, ...] = field(default=(), repr=False)

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

    def tables(self) -> list[Table]:
        """The tables of `_Rows`, and what became of queries."""
        return [*super().tables(), *self.of_queries]

    def content(self) -> dict[str, Any]:
        """The content of `_Rows`, with what else was scored."""
        content = super().content()
        if self.failures:
            content["failures"] = {name: dict(n) for name, n in self.failures.items()}
        if self.of_queries:
            content["queries"] = [*map(plain_of, self.of_queries)]
        if self.others is not None:
            content["metrics_of_others"] = self.others.content()
        if self.difference is not None:
            content["difference"] = self.difference.content()
        return content

    def _columns(self) -> list[str]:
        return super()._columns() + ([] if self.others is None else self.others.columns())

    def _lines(self) -> Iterator[list[Value]]:
        for line in super()._lines():
            yield line + ([] if self.others is None else self.others.values(str(line[1])))
        if self.difference is not None:
            rest = len(self._columns()) - len(super()._columns())
            yield from (line + [None] * rest for line in self.difference._lines())

    def parts(self) -> list[Tabled]:
        """The metrics of others, and the difference."""
        return [part for part in (self.others, self.difference) if part is not None]


def _plain(scores: dict[str, Score]) -> dict[str, dict[str, float | None]]:
    return {name: estimate._asdict() for name, estimate in scores.items()}
