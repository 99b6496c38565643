"""Metrics of other projects beside ours: means, intervals, and by how much theirs are higher.

What a metric flatters by is its mean minus that of the score of ours that it stands beside, and minus hard
F1, our headline. Each mean is over the questions that have the score; where the export for a project leaves
questions out, ours beside its metrics is a mean without them, too. Intervals are of the same
resamples as those of the report (`rulemine.evaluation.statistics.bootstrap`), so a difference is paired.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from rulemine.evaluation.matching.vocabulary import LONGEST_OUTPUT, bounded
from rulemine.evaluation.metrics import HEADLINE, Floats
from rulemine.evaluation.metrics_of_others.projects import normalize
from rulemine.evaluation.metrics_of_others.protocol import Judged, ProjectMetrics
from rulemine.evaluation.metrics_of_others.registry import METRICS_OF_OTHERS
from rulemine.evaluation.notes import where_any
from rulemine.evaluation.reporting.tables import Tabled
from rulemine.evaluation.reporting.titles import SUBSETS
from rulemine.evaluation.retrieval import RETRIEVAL
from rulemine.evaluation.statistics.bootstrap import (
    UNDEFINED,
    Bools,
    Ints,
    Resamples,
    difference,
    named_means,
)
from rulemine.evaluation.statistics.score import Score
from rulemine.kg.graph import Triple
from rulemine.kinds.registry import kind_named
from rulemine.release.records import Prediction, Question
from rulemine.text.tables import Table, percent, points, under_headings

__all__ = ["BesideOurs", "OtherScore", "judged_of", "score_beside_ours"]

NORMALIZING = frozenset({"rog", "gretriever", "gcr", "subgraphrag"})
"""Projects whose matching drops articles and punctuation."""

_HEADER = ("metric", "n", "theirs", "stands beside", "ours", "theirs − ours", "theirs − hard F1")
_SHOW = {"ours": percent, "theirs − ours": points, "theirs − hard F1": points}
_TITLE = "Metrics of other projects beside ours; in percent"


class OtherScore(NamedTuple):
    """A metric of another project over a set of questions.

    Attributes:
        project: The project.
        metric: The name of the metric.
        subset: ``core`` or ``all``.
        n: The questions that have it.
        score: Its mean.
        beside: The score of ours that it stands beside.
        ours: The mean of that over the questions that the project's export has.
        flatters: `score` − `ours`.
        over_hard_f1: `score` − our hard F1; undefined for metrics of what was retrieved.
    """

    project: str
    metric: str
    subset: str
    n: int
    score: Score
    beside: str
    ours: Score
    flatters: Score
    over_hard_f1: Score


@dataclass(frozen=True)
class BesideOurs(Tabled):
    """The metrics of other projects for the predictions of a report.

    Attributes:
        sources: Project → where its metrics are from.
        scores: The scores over the core, if it has a question, then over all questions.
        notes: What a reader must know, as sentences.
    """

    sources: Mapping[str, str]
    scores: tuple[OtherScore, ...] = field(repr=False)
    notes: tuple[str, ...]

    def content(self) -> dict[str, Any]:
        """Project → source, and metric → what it stands beside, and subset → values."""
        found: dict[str, Any] = {project: {"source": s} for project, s in self.sources.items()}
        for score in self.scores:
            of_metric = found[score.project].setdefault(score.metric, {"beside": score.beside})
            values = {
                name: getattr(score, name)._asdict()
                for name in ("ours", "score", "flatters", "over_hard_f1")
            }
            of_metric[score.subset] = {"n": score.n} | values
        return found | {"notes": list(self.notes)}

    def tables(self) -> list[Table]:
        """The metrics over the core, if it has a question, and over all questions."""
        rows = under_headings(
            (
                f"over {SUBSETS[s.subset]}",
                (s.metric, s.n, s.score, s.beside, s.ours.value, s.flatters, s.over_hard_f1),
            )
            for s in self.scores
            if s.n
        )
        return [Table("metrics-of-others", _TITLE, _HEADER, rows, self.notes, _SHOW)]


def judged_of(
    questions: Sequence[Question],
    predictions: Sequence[Prediction | None],
    names: Mapping[str, str],
    level: int,
    evidence: Sequence[Collection[Triple]] | None,
) -> list[Judged]:
    """What metrics of others are given of questions.

    Args:
        questions: The questions.
        predictions: The prediction for each, None where missing; of longer outputs and lists the first
            `LONGEST_OUTPUT` characters.
        names: From the names in the questions to those in the predictions.
        level: The level at which hard answers are missing.
        evidence: The triples to be retrieved for each; None where nothing was.
    """
    found: list[Judged] = []
    for q, p, own in zip(
        questions, predictions, evidence or repeat(()), strict=evidence is not None
    ):
        answer: str | tuple[str, ...] | None = None
        if p is not None:
            text = (p.raw_output or "")[:LONGEST_OUTPUT]
            answer = text if p.answers is None else (*bounded(p.answers),)
        hard = q.hard_answer if q.hard_answer and q.level <= level else None
        listed = kind_named(q.kind).published(q).listed or q.answers
        answers = (names.get(a, a) for a in listed) if q.value is None else (str(q.value),)
        found.append(
            Judged(
                q.question,
                tuple(answers),
                answer,
                names.get(hard, hard) if hard else None,
                tuple(names.get(a, a) for a in q.anchors),
                None if p is None else p.ranking,
                None if p is None else p.retrieved,
                own,
            )
        )
    return found


def score_beside_ours(
    projects: Mapping[str, ProjectMetrics],
    questions: Sequence[Question],
    judged: Sequence[Judged],
    scores: Floats,
    columns: Sequence[str],
    clusters: Ints,
    core: Bools,
    resamples: int,
    seed: int,
) -> BesideOurs:
    """Scores predictions with the metrics of other projects.

    Args:
        projects: The projects, e.g. of `rulemine.evaluation.metrics_of_others.registry.chosen`.
        questions: The questions.
        judged: These with what was predicted for them.
        scores: Our scores, shape (questions, columns).
        columns: The names of our scores.
        clusters: The cluster of each question, shape (questions,).
        core: Shape (questions,): which questions are in the core.
        resamples: See `Resamples`.
        seed: Of the resampling.

    Raises:
        ConfigError: The metrics of another package failed.
    """
    every = np.ones(len(judged), np.bool_)
    subsets = {"core": core, "all": every} if core.any() else {"all": every}
    found: dict[str, list[OtherScore]] = {subset: [] for subset in subsets}
    left_out = {}
    for name, project in projects.items():
        asked = np.array([project.asks(q) for q in questions], np.bool_)
        left_out[name] = int((~asked).sum())
        theirs = _values(name, project, judged, asked)
        both = np.column_stack((np.where(asked[:, None], scores, np.nan), theirs))
        sampled = Resamples(both, clusters, np.vstack([*subsets.values()]), resamples, seed)
        for number, (subset, members) in enumerate(subsets.items()):
            given = (*columns, *project.beside)
            means = named_means(sampled.means(number), given, subset == "core")
            for (metric, beside), values in zip(project.beside.items(), theirs.T, strict=True):
                own, ours = means[metric], means.get(beside)
                found[subset].append(
                    OtherScore(
                        name,
                        metric,
                        subset,
                        int((~np.isnan(values[members])).sum()),
                        own.score(),
                        beside,
                        ours.score() if ours else UNDEFINED,
                        difference(own, ours) if ours else UNDEFINED,
                        UNDEFINED if beside in RETRIEVAL else difference(own, means[HEADLINE]),
                    )
                )
    compared = [*chain.from_iterable(found.values())]
    sources = {name: project.source for name, project in projects.items()}
    return BesideOurs(sources, tuple(compared), tuple(_notes(compared, judged, left_out)))


def _values(name: str, project: ProjectMetrics, judged: Sequence[Judged], asked: Bools) -> Floats:
    """The metrics of a project, shape (questions, metrics), NaN where undefined or not asked there."""
    width = len(project.beside)
    found = np.full((len(judged), width), np.nan)
    with METRICS_OF_OTHERS.blaming(name):
        for at in np.flatnonzero(asked).tolist():
            one = judged[at]
            without: Sequence[float | None] = [project.missing] * width
            values = without if one.prediction is None else project.score(one)
            if len(values) != width:
                raise ValueError(f"it gave {len(values)} values for {width} metrics")
            found[at] = [np.nan if value is None else value for value in values]
        if np.isinf(found).any():
            raise ValueError("it gave an infinite value")
    return found


def _notes(
    compared: Sequence[OtherScore], judged: Sequence[Judged], left_out: Mapping[str, int]
) -> list[str]:
    each = ", ".join(f"{name} {n:,}" for name, n in left_out.items() if n)
    undefined = [s.metric for s in compared if s.subset == "all" and not s.n]
    normalizing = sorted(NORMALIZING & set(left_out))
    void = sum(any(not normalize(a) for a in one.answers) for one in judged if normalizing)
    return where_any(
        (
            sum(left_out.values()),
            "Questions that a project's export leaves out count in none of its means, nor in ours beside "
            f"them: {each} of {len(judged):,}.",
        ),
        (
            sum(one.prediction is None for one in judged),
            "Questions without a prediction score 0 in ours; most of theirs leave them out (see n).",
        ),
        (
            len(undefined),
            f"Without a value, for want of a ranking or of triples: {', '.join(undefined)}.",
        ),
        (
            void,
            "Questions with an answer that normalizes to nothing, and so is found in every output by "
            f"{', '.join(normalizing)}: {{}}.",
        ),
    )
