"""What a metric of another project is: its names, what it is given of a question, and what it gives back.

A metric is a pure function of one question; the mean over questions is taken in
`rulemine.evaluation.metrics_of_others.beside_ours`. Zero cases are those of the original. Where the original
fails (most divide by the number of answers) or leaves a question out, the score is None, and the question
counts in no mean.

One rule for exports and scores: a question that the export for a project leaves out is not asked there, so
whatever is predicted for it counts in no mean of that project's metrics, and neither does its absence. The
matching mode ``brink`` goes by the same rule.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rulemine.errors import ConfigError

if TYPE_CHECKING:  # the help of a command names the metrics, and loads no graph
    from rulemine.kg.graph import Triple
    from rulemine.release.records import Question

__all__ = [
    "LONGEST_NAME",
    "Judged",
    "ProjectMetrics",
    "asked_by_brink",
    "asks_for_entities",
    "fits_a_folder",
    "has_hard_answer",
    "has_one_topic",
]

LONGEST_NAME = 255
"""Bytes of the name of a file or folder on common systems."""


def asks_for_entities(question: "Question") -> bool:
    """Whether the answers are entities, and not their number."""
    return question.value is None


def has_hard_answer(question: "Question") -> bool:
    """Whether they are, and one of them must be inferred on the incomplete graph."""
    return asks_for_entities(question) and question.hard_answer is not None


def asked_by_brink(questions: "Sequence[Question]") -> "tuple[Question, ...]":
    """The questions that the gold for BRINK's evaluator has.

    Raises:
        ConfigError: It has none of them.
    """
    asked = tuple(filter(has_hard_answer, questions))
    if asked or not questions:
        return asked
    raise ConfigError(
        "--matching brink: the public evaluator asks for hard answers, and no question here has one. Score "
        "with another --matching."
    )


def has_one_topic(question: "Question") -> bool:
    """Whether there is a single topic entity to start from."""
    return len(question.anchors) == 1


def fits_a_folder(question: "Question") -> bool:
    """Whether a folder can be named after the text, as Plan-on-Graph does."""
    return len(question.question.encode()) <= LONGEST_NAME


class Judged(NamedTuple):
    """A question with what a system gave for it: all that a metric sees.

    Attributes:
        question: Its text.
        answers: Its answers, in the naming of the predictions; of a count its number, as exports have it.
        prediction: The text of the system or its list of answers, the best first; None: it has none.
        hard_answer: The hard answer that is asked for; None if every answer is stated.
        topics: Its topic entities.
        ranking: Names with scores, the best first; None: the system gave none.
        retrieved: The triples that the system retrieved, in its order; None: it does not say.
        evidence: The triples to be retrieved, each once: those of `full_evidence` that the graph states.
    """

    question: str
    answers: tuple[str, ...]
    prediction: str | tuple[str, ...] | None
    hard_answer: str | None = None
    topics: tuple[str, ...] = ()
    ranking: tuple[tuple[str, float], ...] | None = None
    retrieved: "tuple[Triple, ...] | None" = None
    evidence: "Collection[Triple]" = ()

    def text(self, separator: str) -> str:
        """What the system wrote; a list of answers joined by a separator; "" without a prediction."""
        if isinstance(self.prediction, tuple):
            return separator.join(self.prediction)
        return self.prediction or ""


@dataclass(frozen=True)
class ProjectMetrics:
    """The metrics of one project.

    Attributes:
        source: The project, its paper, and the version of its public code, in words.
        beside: Name of a metric → the score of ours that it stands beside: of
            `rulemine.evaluation.metrics.COLUMNS` or `rulemine.evaluation.retrieval.RETRIEVAL`.
        score: From a question with a prediction to the values in the order of `beside`; None where undefined.
        missing: The value of every metric for a question without a prediction; None: it is left out,
            because the original takes its mean over the predictions there are.
        asks: Whether the project's files have a question; one that they leave out counts in no mean.
    """

    source: str
    beside: Mapping[str, str]
    score: Callable[[Judged], Sequence[float | None]]
    missing: float | None = None
    asks: "Callable[[Question], bool]" = lambda question: True
