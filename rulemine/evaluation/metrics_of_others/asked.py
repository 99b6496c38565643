"""Which questions the files of other projects have.

One rule for exports and scores: a question that the export for a project leaves out is not asked there, so
whatever is predicted for it counts in no mean of that project's metrics, and neither does its absence. The
matching mode ``brink`` goes by the same rule.
"""

from collections.abc import Sequence

from rulemine.errors import ConfigError
from rulemine.release.records import Question

__all__ = [
    "LONGEST_NAME",
    "asked_by_brink",
    "asks_for_entities",
    "fits_a_folder",
    "has_hard_answer",
    "has_one_topic",
]

LONGEST_NAME = 255
"""Bytes of the name of a file or folder on common systems."""


def asks_for_entities(question: Question) -> bool:
    """Whether the answers are entities, and not their number."""
    return question.value is None


def has_hard_answer(question: Question) -> bool:
    """Whether they are, and one of them must be inferred on the incomplete graph."""
    return asks_for_entities(question) and question.hard_answer is not None


def asked_by_brink(questions: Sequence[Question]) -> tuple[Question, ...]:
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


def has_one_topic(question: Question) -> bool:
    """Whether there is a single topic entity to start from."""
    return len(question.anchors) == 1


def fits_a_folder(question: Question) -> bool:
    """Whether a folder can be named after the text, as Plan-on-Graph does."""
    return len(question.question.encode()) <= LONGEST_NAME
