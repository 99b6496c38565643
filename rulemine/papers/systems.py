"""What systems answered: their scores, and what they said of a question."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rulemine.evaluation.metrics import Floats
from rulemine.evaluation.predictions import read_predictions
from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.reporting.frame import Frame
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.scoring import Run
from rulemine.evaluation.statistics.score import Score
from rulemine.kg.graph import Triple
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question
from rulemine.release.show import Views

__all__ = [
    "ScoredSystem", "answers_of", "bars", "frame_of", "proof_of", "said_of", "share",
    "triples_of",
]  # fmt: skip

MOST = 6
"""Answers and triples that an example names."""


@dataclass(frozen=True, eq=False)
class ScoredSystem:
    """A system that answered the questions of a release from one of its graphs.

    Attributes:
        release: The release.
        called: What the system is called.
        system: The answerer with its options; "" where it is not known.
        level: The level of the graph.
        run: What its file says of itself.
        report: Its scores.
        file: Its predictions.
    """

    release: Release
    called: str
    system: str
    level: int
    run: Run
    report: Report
    file: Path

    @property
    def retrieves(self) -> bool:
        """Whether it says what it retrieved."""
        return "triple_recall" in self.report.metrics

    def column(self, metric: str) -> Floats:
        """A score of each question, shape (n,); NaN where it is not known."""
        report = self.report
        if metric not in report.columns:
            return np.full(report.n, np.nan)
        return report.scores[:, report.columns.index(metric)]

    def predictions(self) -> dict[str, Prediction]:
        """Id of a question → what was predicted."""
        split = None if self.report.split == "all" else self.report.split
        found = read_predictions(
            self.file, self.release.questions(), split=split, missing="empty"
        )  # fmt: skip
        none = {id_: Prediction(id_, answers=()) for id_ in self.report.ids}
        return none | {one.id: one for one in found}


def share(part: float, whole: float) -> Score:
    """A share of a whole, without an interval; undefined of nothing."""
    return Score(part / whole if whole else None, None, None)


def bars(
    title: str,
    caption: str,
    across: str,
    up: str,
    cells: Iterable[tuple[str, str | float, Score | None]],
    sizes: Mapping[str, int] | None = None,
    *,
    kind: str = "bars",
) -> Picture:
    """A figure.

    Args:
        title: See `Picture`.
        caption: See `Picture`.
        across: See `Picture`.
        up: See `Picture`; in percent.
        cells: Series, group and score; both come in the order in which they first occur.
        sizes: Group → questions, a column of its table.
        kind: See `Picture`.
    """
    found: dict[str, dict[str | float, Score | None]] = {}
    groups: dict[str | float, None] = {}
    for name, group, score in cells:
        found.setdefault(name, {})[group] = score
        groups[group] = None
    series = (Series(name, tuple(map(own.get, groups))) for name, own in found.items())
    counts = tuple(sizes[str(group)] for group in groups) if sizes else ()
    return Picture(
        "", title, caption, kind, across, f"{up}, percent", tuple(groups), tuple(series), counts
    )


def frame_of(name: str, some: Iterable[ScoredSystem]) -> Frame:
    """All scores of systems on groups that have a question; their release is called `name`."""
    rows = Frame.of((one.called, one.report) for one in some).rows
    return Frame(tuple(row._replace(release=name) for row in rows if row.n))


def answers_of(question: Question, shown: Views) -> str:
    """The answers of a question, the hard one that is asked for first, with a star."""
    first = [question.hard_answer] if question.hard_answer else []
    ordered = [*first, *(a for a in question.answers if a not in first)]
    named = [f"{'★ ' if a in first else ''}{shown.name(a)}" for a in ordered[:MOST]]
    return ", ".join(named) + _more(len(ordered))


def proof_of(question: Question, shown: Views) -> str:
    """The published proof of what a question lacks."""
    return " ".join(
        f"{'; '.join(map(shown.sentence, proof.body))}."
        for proof in shown.proofs(question).values()
    )


def said_of(prediction: Prediction, shown: Views) -> str:
    """The answers that were given, or the text."""
    if prediction.answers is None:
        return " ".join((prediction.raw_output or prediction.sparql or "").split())[:300]
    return ", ".join(map(shown.name, prediction.answers[:MOST])) + _more(len(prediction.answers))


def triples_of(triples: Sequence[Triple] | None, shown: Views) -> str | None:
    """Triples in words, of which there may be many; None: it is not said which."""
    if triples is None:
        return None
    return "; ".join(map(shown.sentence, triples[:MOST])) + _more(len(triples))


def _more(n: int) -> str:
    return f" … ({n:,})" if n > MOST else ""
