"""What a model answers from the triples of shortest paths: question 2 of SynthKGQA, section 6.

The model is shown the triples of a question's shortest paths, as every answerer shows triples, and its
reply is matched exactly (`rulemine.evaluation.metrics_of_others.projects`). Does it hit more often where
more of the evidence is in the paths? Pearson's correlation r says so, over questions and over shapes.
Questions that ask for a number are left out.
"""

import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from rulemine.evaluation.answerers.final_answer import TOKENS
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.evaluation.answerers.registry import answer
from rulemine.evaluation.answerers.retrieval import answer_from, fit, in_private_order
from rulemine.evaluation.metrics_of_others.projects import GTSQA_EXACT
from rulemine.evaluation.metrics_of_others.protocol import Judged
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.supervision.supervision import Labeling
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.llm.call import more_tokens
from rulemine.release.guessing import order_of_names
from rulemine.release.reader import Release
from rulemine.text.tables import Table, Values

__all__ = ["read_paths"]

MOST_CHARACTERS = 12_000
"""Characters of the triples shown at most, as of answerers that show triples."""


@dataclass(frozen=True, eq=False)
class _Shown:
    """An answerer that shows the triples of each question."""

    triples: Mapping[str, Sequence[Triple]]
    max_tokens: int

    uses_model: ClassVar[bool] = True

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        return answer_from(given, questions, self.triples, self.max_tokens)

    def room(self, options: Collection[str]) -> str:
        """What gives replies more room, as of `Context`."""
        return f"max_tokens={more_tokens(self.max_tokens)}"


def read_paths(
    release: Release,
    model: str,
    graph: KnowledgeGraph,
    found: Sequence[Labeling],
    *,
    max_tokens: int | None = None,
    **how: Any,
) -> Table:
    """Hits and the share of evidence in paths, by shape; the notes have the correlations.

    Args:
        release: The release.
        model: The model that is asked.
        graph: The graph of the labelings.
        found: The labelings of all questions of the split; those without evidence are left out.
        max_tokens: Tokens of a reply at most; None: as many as of other final answers.
        how: Graph, split, sample, endpoint and the like, see
            `rulemine.evaluation.answerers.registry.answer`.

    Raises:
        EndpointError: The endpoint cannot be used.
        LimitError: The budget of tokens is spent; every reply is kept.
    """
    order = order_of_names(release.entities, release.naming)
    rank = np.argsort(in_private_order(graph, order))
    every = {
        one.question.id: graph.labeled(
            one.shortest[np.argsort(rank[one.shortest])].astype(np.int64)
        )
        for one in found
    }
    shown = {key: fit(triples, MOST_CHARACTERS) for key, triples in every.items()}
    asked = _Shown(shown, TOKENS if max_tokens is None else max_tokens)
    replies = {p.id: p.raw_output for p in answer(release, asked, model=model, **how)}
    points: dict[str, list[tuple[float, float]]] = {}
    for one in found:
        q, evidence = one.question, one.evidence
        if q.id in replies and q.value is None and evidence is not None and len(evidence):
            hit, _ = GTSQA_EXACT.score(Judged(q.question, q.answers, replies[q.id]))
            share = len(np.intersect1d(one.shortest, evidence)) / len(evidence)
            points.setdefault(q.shape, []).append((hit or 0.0, share))
    means = {
        shape: [statistics.fmean(column) for column in zip(*some, strict=True)]
        for shape, some in points.items()
    }
    shapes = sorted(means, key=lambda shape: (-len(points[shape]), shape))
    rows: list[Values] = [
        (shape, len(points[shape]), *(Score(mean, None, None) for mean in means[shape]))
        for shape in shapes
    ]
    notes = [
        f"Pearson's r of hits and evidence in paths: {_pearson([*chain(*points.values())])} over questions, "
        f"{_pearson([*means.values()])} over shapes.",
        "hits: percentage of questions with a correct answer in the reply, by exact match.",
    ]
    if cut := sum(len(shown[key]) < len(every[key]) for key in replies):
        notes.append(f"Questions shown the first {MOST_CHARACTERS:,} characters alone: {cut:,}.")
    header = ("shape", "questions", "hits", "evidence in paths")
    return Table("read", f"{model}, shown the triples in paths", header, tuple(rows), tuple(notes))


def _pearson(points: Sequence[Sequence[float]]) -> str:
    """The correlation of pairs; – where either side is the same throughout."""
    columns = list(zip(*points, strict=True))
    if len(points) < 2 or any(len(set(column)) < 2 for column in columns):
        return "–"
    return f"{statistics.correlation(*columns):+.2f}"
