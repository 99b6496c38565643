"""The report of a system: scores with intervals, overall and by group, as table, JSON, CSV and Markdown.

Guarantees: values in JSON and CSV are fractions with all their digits, in tables percentages with
one decimal; what is undefined is ``null`` in JSON, empty in CSV and ``–`` in tables, never 0. The texts
depend on the report alone: no time, no path, no locale.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.errors import counted
from rulemine.evaluation.breakdown import Breakdown, group_titles
from rulemine.evaluation.metrics import Floats
from rulemine.evaluation.reporting.frame import Frame, ScoreRow
from rulemine.evaluation.reporting.tables import Tabled
from rulemine.evaluation.reporting.titles import FURTHER, MEAN, SHOWN, SUBSETS
from rulemine.evaluation.statistics.bootstrap import CONFIDENCE
from rulemine.evaluation.statistics.score import Score
from rulemine.text.tables import Table, plain_of

if TYPE_CHECKING:
    from rulemine.evaluation.cypher.release_rows import ScoredQuery
    from rulemine.evaluation.metrics_of_others.beside_ours import BesideOurs

__all__ = ["Report", "Row"]

_INTERVAL = f"{100 * CONFIDENCE:g} % bootstrap interval over clusters of questions"

_REST = "Every group and score: --all, --format json; why a question scored what it did: --format questions."


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
            f"matching {self.matching}\nin percent, with each value its {_INTERVAL}"
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
