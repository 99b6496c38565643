"""The scores of one question and of a set of questions, as pure functions.

With P the predicted set and A the answers of a question:

=============  ==============================================================================
hits_any       1 when P ∩ A is not empty, else 0
precision      |P ∩ A| / |P|
recall         |P ∩ A| / |A|
f1             2 |P ∩ A| / (|P| + |A|), the harmonic mean of the two
hits_hard      1 when the hard answer (the one the question was made from) is in P, else 0
hits_any_hard  1 when any of the hard answers (all answers whose triple is removed) is in P, else 0
hhr            mean hits_hard / mean hits_any: a ratio of two means, never a mean of ratios
=============  ==============================================================================

All but ``hits_any_hard``, which is ours, are those of Zhou et al., "What Breaks Knowledge Graph based
RAG?" (arXiv 2508.08344, section 4.2). Every score of a set of questions is the mean over its questions.

Guarantees for the zero cases: an empty P scores 0 everywhere; an empty A (which no release holds, but
which a matching mode may make) gives recall 0 and f1 0; ``hhr`` where ``hits_any`` is 0 is undefined
(None), never 0 or 1; every score of no questions is undefined. Scores lie in [0, 1].
"""

import math
from collections.abc import Set
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["COLUMNS", "METRICS", "QuestionScores", "hard_hits_rate", "mean_scores", "score"]

METRICS = ("hits_any", "precision", "recall", "f1", "hits_hard", "hhr", "hits_any_hard")
"""The scores of a set of questions, in the order in which they are reported."""

COLUMNS = ("hits_any", "precision", "recall", "f1", "hits_hard", "hits_any_hard")
"""The scores of a single question (all but the ratio), in the order of `QuestionScores`."""

Floats = npt.NDArray[np.float64]


class QuestionScores(NamedTuple):
    """The scores of one question; see the table of the module."""

    hits_any: float
    precision: float
    recall: float
    f1: float
    hits_hard: float
    hits_any_hard: float


def score(
    predicted: Set[str], answers: Set[str], hard_answer: str, hard_answers: Set[str] = frozenset()
) -> QuestionScores:
    """The scores of one question.

    Args:
        predicted: P.
        answers: A.
        hard_answer: The answer that the question was made from.
        hard_answers: All answers whose triple is removed.

    Example:
        >>> score({"a", "x"}, {"a", "b", "c"}, "b", {"a", "b"})
        QuestionScores(hits_any=1.0, precision=0.5, recall=0.3333333333333333, f1=0.4, hits_hard=0.0, \
hits_any_hard=1.0)
    """
    shared = len(predicted & answers)
    sizes = len(predicted) + len(answers)
    return QuestionScores(
        hits_any=float(shared > 0),
        precision=shared / len(predicted) if predicted else 0.0,
        recall=shared / len(answers) if answers else 0.0,
        f1=2 * shared / sizes if sizes else 0.0,
        hits_hard=float(hard_answer in predicted),
        hits_any_hard=float(not hard_answers.isdisjoint(predicted)),
    )


def mean_scores(scores: Floats) -> Floats:
    """The mean of each column.

    Args:
        scores: Shape (n, columns), values in [0, 1].

    Returns:
        Shape (columns,); NaN when n is 0. The sum is exact before it is rounded, so the order of the
        questions changes nothing.
    """
    if not len(scores):
        return np.full(scores.shape[1], np.nan)
    return np.array([math.fsum(column) / len(scores) for column in scores.T.tolist()])


def hard_hits_rate(hits_any: float, hits_hard: float) -> float | None:
    """The hard hits rate: mean hits_hard / mean hits_any, None (undefined) where the latter is 0 or NaN.

    Example:
        >>> hard_hits_rate(0.5, 0.25), hard_hits_rate(0.0, 0.0)
        (0.5, None)
    """
    return hits_hard / hits_any if hits_any > 0 else None
