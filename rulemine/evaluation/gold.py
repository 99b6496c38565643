"""What predictions are scored against, at a level of the removal, and the scores of sets of answers.

The hard answers of a question at a level are those that the graph of this level no longer states. A question
whose `hard_answer` is still stated there has no hard answer at this level.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rulemine.errors import ReleaseError
from rulemine.evaluation.metrics import COLUMNS, Floats, QuestionScores, score
from rulemine.release.records import Question

__all__ = ["Gold", "golds_of", "score_questions"]


class Gold(NamedTuple):
    """What predictions for a question are scored against.

    Attributes:
        answers: Its answers.
        hard_answer: The hard answer that it asks for; None if that is stated.
        hard_answers: Its hard answers.
        core_answers: Those of them that are in the core; None if the question is not.
    """

    answers: frozenset[str]
    hard_answer: str | None
    hard_answers: frozenset[str]
    core_answers: frozenset[str] | None = None


def golds_of(
    questions: Sequence[Question],
    key: Callable[[str], str],
    names: Mapping[str, str] | None = None,
    level: int = 100,
) -> list[Gold]:
    """What the predictions for questions are scored against.

    Args:
        questions: The questions.
        key: From a name to what predictions are compared by; names with the key "" are left out.
        names: From the names in the questions to those in the predictions; None where they are the same.
        level: The percentage of the removal, 1 … 100.

    Raises:
        ReleaseError: An answer has no name in the predictions' naming.
    """
    keys: dict[str, str] = {}

    def key_of(name: str) -> str:
        if name not in keys:
            keys[name] = key(name if names is None else names[name])
        return keys[name]

    found: list[Gold] = []
    try:
        for q in questions:
            hard = [row for row in q.hard if row.level <= level]
            missing = q.hard_answer is not None and q.level <= level
            of_core = frozenset(key_of(row.answer) for row in hard if row.core) - {""}
            found.append(
                Gold(
                    frozenset(map(key_of, q.answers)) - {""},
                    key_of(q.hard_answer) if q.hard_answer is not None and missing else None,
                    frozenset(key_of(row.answer) for row in hard) - {""},
                    of_core if q.core else None,
                )
            )
    except KeyError as unknown:
        raise ReleaseError(
            f"entities.tsv: lacks the answer {unknown}. Check the release: rulemine verify."
        ) from None
    return found


def score_questions(golds: Sequence[Gold], matched: Sequence[Sequence[str]]) -> Floats:
    """The scores of each question.

    Args:
        golds: What each is scored against.
        matched: What is predicted for each, in the order given, as keys.

    Returns:
        Shape (questions, `COLUMNS`).
    """
    found: list[QuestionScores] = [
        score(predicted, *gold) for gold, predicted in zip(golds, matched, strict=True)
    ]
    return np.array(found, np.float64).reshape(len(found), len(COLUMNS))
