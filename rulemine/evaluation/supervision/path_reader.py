"""What a model answers from the triples of shortest paths: question 2 of SynthKGQA, section 6.

The model is shown the triples of a question's shortest paths, as every answerer shows triples, and its
reply is matched exactly (`rulemine.evaluation.metrics_of_others.whole_answers`). Does it hit more often where
more of the evidence is in the paths? Pearson's correlation r says so, over questions and over shapes.
Questions that ask for a number are left out.
"""

import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from rulemine.evaluation.answerers.final_answer import TOKENS
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.evaluation.answerers.registry import answer
from rulemine.evaluation.answerers.retrieval import answer_from, fit, in_private_order
from rulemine.evaluation.metrics_of_others.protocol import Judged
from rulemine.evaluation.metrics_of_others.whole_answers import GTSQA_EXACT
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.supervision.supervision import Labeling
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.llm.call import more_tokens
from rulemine.llm.options import EndpointOptions
from rulemine.release.guessing import order_of_names
from rulemine.release.reader import Release
from rulemine.text.tables import Table, Values

__all__ = ["PathReader"]

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
        return f"--max-tokens {more_tokens(self.max_tokens)}"


@dataclass(frozen=True)
class PathReader:
    """Asks a model about the triples of shortest paths.

    Attributes:
        release: The release.
        kg: The name of the graph of the labelings.
        split: Their split; None: all.
        model: The model.
        endpoint: Where it is.
        folder: Where its replies are kept; what is there is not asked again.
        sample: How many questions, see `rulemine.release.groups`; None: all.
        max_tokens: Tokens of a reply at most.
        progress: Called with questions done and to do.
        note: Called with sentences for the user.
    """

    release: Release
    kg: str
    split: str | None
    model: str
    endpoint: EndpointOptions
    folder: Path
    sample: int | None = None
    max_tokens: int = TOKENS
    progress: Callable[[int, int], None] | None = None
    note: Callable[[str], None] = lambda text: None

    def table(self, graph: KnowledgeGraph, found: Sequence[Labeling]) -> Table:
        """Hits and the share of evidence in paths, by shape; the notes have the correlations.

        Args:
            graph: The graph of the labelings.
            found: The labelings of all questions of the split; those without evidence are left
                out.

        Raises:
            EndpointError: The endpoint cannot be used.
            LimitError: The budget of tokens is spent; every reply is kept.
        """
        rank = np.argsort(
            in_private_order(graph, order_of_names(self.release.entities, self.release.naming))
        )
        rows = {
            one.question.id: one.shortest[np.argsort(rank[one.shortest])].astype(np.int64)
            for one in found
        }
        every = {key: graph.labeled(some) for key, some in rows.items()}
        shown = {key: fit(triples, MOST_CHARACTERS) for key, triples in every.items()}
        predictions = answer(
            self.release,
            _Shown(shown, self.max_tokens),
            kg=self.kg,
            split=self.split,
            sample=self.sample,
            model=self.model,
            endpoint=self.endpoint,
            folder=self.folder,
            progress=self.progress,
            note=self.note,
        )
        texts = {prediction.id: prediction.raw_output for prediction in predictions}
        points: list[tuple[str, float, float]] = []
        for one in found:
            q, evidence = one.question, one.evidence
            if q.id in texts and q.value is None and evidence is not None and len(evidence):
                hit, _ = GTSQA_EXACT.score(Judged(q.question, q.answers, texts[q.id]))
                share = len(np.intersect1d(one.shortest, evidence)) / len(evidence)
                points.append((q.shape, hit or 0.0, share))
        cut = sum(len(shown[key]) < len(every[key]) for key in texts)
        return _table(self.model, points, cut)


def _table(model: str, points: Sequence[tuple[str, float, float]], cut: int) -> Table:
    by_shape: dict[str, list[tuple[float, float]]] = {}
    for shape, *values in points:
        by_shape.setdefault(shape, []).append((values[0], values[1]))
    means = {
        shape: [statistics.fmean(column) for column in zip(*some, strict=True)]
        for shape, some in by_shape.items()
    }
    rows: list[Values] = [
        (shape, len(by_shape[shape]), *(Score(mean, None, None) for mean in means[shape]))
        for shape in sorted(means, key=lambda shape: (-len(by_shape[shape]), shape))
    ]
    notes = [
        f"Pearson's r of hits and evidence in paths: {_pearson([p[1:] for p in points])} over questions, "
        f"{_pearson(list(means.values()))} over shapes.",
        "hits: percentage of questions with a correct answer in the reply, by exact match.",
    ]
    if cut:
        notes.append(f"Questions shown the first {MOST_CHARACTERS:,} characters alone: {cut:,}.")
    header = ("shape", "questions", "hits", "evidence in paths")
    return Table("read", f"{model}, shown the triples in paths", header, tuple(rows), tuple(notes))


def _pearson(points: Sequence[Sequence[float]]) -> str:
    """The correlation of pairs; – where either side is the same throughout."""
    columns = list(zip(*points, strict=True))
    if len(points) < 2 or any(len(set(column)) < 2 for column in columns):
        return "–"
    return f"{statistics.correlation(*columns):+.2f}"
