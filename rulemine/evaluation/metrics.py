"""The scores of one question and of a set of questions, as pure functions.

With P the predicted set, p its first answer, A the answers of a question, H ⊆ A its hard answers (those that
must be inferred on the incomplete KG), and P′ = P − (A − H), the predictions without the other correct
answers:

=============  ==============================================================================
hits_any       1 when P ∩ A is not empty, else 0
hits_at_1      1 when p ∈ A, else 0
precision      |P ∩ A| / |P|
recall         |P ∩ A| / |A|
f1             2 |P ∩ A| / (|P| + |A|), the harmonic mean of the two
hits_hard      1 when the hard answer (the one that the question asks for) is in P, else 0
hits_any_hard  1 when P ∩ H is not empty, else 0
hard_recall    |P ∩ H| / |H|
hard_f1        2 |P′ ∩ H| / (|P′| + |H|): other correct answers are neither right nor wrong here
hhr            mean hits_hard / mean hits_any: a ratio of two means, never a mean of ratios
=============  ==============================================================================

Over the core, H is the hard answers that are in the core; a hard answer that is not is one more correct
answer that P′ leaves out. ``hard_f1`` over the core is the headline: it is won neither by answering
everything (P′ grows) nor by looking up what is stated (P′ is empty).

``hits_at_1`` is H@1 of ComplexLogicalQA; ``hits_any_hard``, ``hard_recall`` and ``hard_f1`` are ours; the
others are those of Zhou et al., "What Breaks Knowledge Graph based RAG?" (arXiv 2508.08344, section 4.2).
Every score of a set of questions is the mean over its questions. Questions without a hard answer (every
answer is stated) are left out of ``hits_hard``, ``hits_any_hard``, ``hard_recall``, ``hard_f1``, and of both
means of ``hhr``.

Guarantees for the zero cases: an empty P scores 0 everywhere; so does an empty P′ in ``hard_recall`` and
``hard_f1``; an empty A or H (which no question with a hard answer has, but which a matching mode may make)
gives recall and F1 0; ``hhr`` where ``hits_any`` is 0 is undefined (None), never 0 or 1; a score of no
questions is undefined. Scores lie in [0, 1].

Where a system ranks candidates, the rank of the hard answer is 1, plus the answers with a higher score, plus
half of those with the same one: the mean of the best and the worst order of the tie, so that a constant score
earns nothing (the *realistic* rank of Berrendorf et al., arXiv 2002.06914). Other correct answers do not
count (the *filtered* setting of Bordes et al., NIPS 2013). Of questions with a hard answer, the means of

===============  ====================================================
mrr              1 / rank
hard_hits_at_1   1 when the rank is at most 1, else 0
hard_hits_at_10  1 when the rank is at most 10, else 0
===============  ====================================================

A hard answer that is not in the list scores 0 everywhere, and so does an empty list; of a name that is listed
twice the higher score counts; the order of the list changes nothing.
"""

import math
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "COLUMNS",
    "CORE",
    "COSTS",
    "HEADLINE",
    "METRICS",
    "OF_HARD_ANSWERS",
    "OF_QUERIES",
    "RANKED",
    "ROW_COLUMNS",
    "ROW_METRICS",
    "QuestionScores",
    "hard_hits_rate",
    "hard_rank",
    "mean_scores",
    "score",
    "score_ranking",
]

METRICS = (
    "hits_any",
    "hits_at_1",
    "precision",
    "recall",
    "f1",
    "hits_hard",
    "hhr",
    "hits_any_hard",
    "hard_recall",
    "hard_f1",
)
"""The scores of a set of questions, in the order in which they are reported."""

HEADLINE = "hard_f1"
"""The one score that says the most, over the core."""

OF_HARD_ANSWERS = ("hits_any_hard", "hard_recall", "hard_f1")
"""The scores that depend on which hard answers count: over the core, only those that are in it."""

CORE = "core_"
"""Prefix of the columns of `OF_HARD_ANSWERS` with the H of the core."""

COLUMNS = (
    *(metric for metric in METRICS if metric != "hhr"),
    "hits_any_asked",
    *(CORE + metric for metric in OF_HARD_ANSWERS),
)
"""The scores of a single question, in the order of `QuestionScores`: all but the ratio, what its
denominator takes the mean of, and what counts over the core instead."""

OF_QUERIES = (
    "ex", "ex_columns", "ex_published", "psjs", "psjs_published", "psjs_edges", "executable",
)  # fmt: skip
"""The scores of a query over a property graph."""

ROW_METRICS = (*OF_QUERIES, "row_hhr")
"""These, and lost rows given / gold rows given, both as multisets and summed over the questions."""

ROW_COLUMNS = (*OF_QUERIES, "lost_rows_given", "gold_rows_given")
"""The same of a question."""

COSTS = ("calls", "prompt_tokens", "completion_tokens", "seconds")
"""What an answer of a model cost, the fields of `rulemine.release.records.Cost`."""

RANKED = ("mrr", "hard_hits_at_1", "hard_hits_at_10")
"""The scores of ranked answers, in the order in which they are reported."""

_NEAR = 10


Floats = npt.NDArray[np.float64]


class QuestionScores(NamedTuple):
    """The scores of one question; see the table of the module.

    From `hits_hard` on, NaN for a question without a hard answer; `hits_any_asked` is `hits_any` for all
    others. The last three are those of the core, and NaN outside it.
    """

    hits_any: float
    hits_at_1: float
    precision: float
    recall: float
    f1: float
    hits_hard: float
    hits_any_hard: float
    hard_recall: float
    hard_f1: float
    hits_any_asked: float
    core_hits_any_hard: float
    core_hard_recall: float
    core_hard_f1: float


def score(
    given: Sequence[str],
    answers: Set[str],
    hard_answer: str | None,
    hard_answers: Set[str],
    core_answers: Set[str] | None = None,
) -> QuestionScores:
    """The scores of one question.

    Args:
        given: P, in the order given; what is repeated counts once.
        answers: A.
        hard_answer: The hard answer that the question asks for; None if every answer is stated.
        hard_answers: H.
        core_answers: Those of H that are in the core; None for a question outside the core.

    Example:
        >>> found = score(["a", "x"], {"a", "b", "c"}, "b", {"a", "b"}, {"b"})
        >>> found.precision, found.f1, found.hits_hard, found.hits_any_hard, found.hard_f1
        (0.5, 0.4, 0.0, 1.0, 0.5)
        >>> found.core_hard_f1  # "a" is out of it, and "x" is wrong
        0.0
    """
    predicted = frozenset(given)
    shared = len(predicted & answers)
    sizes = len(predicted) + len(answers)
    hits_any = float(shared > 0)
    hits_hard = of_hard = of_core = None
    if hard_answer is not None:
        hits_hard = float(hard_answer in predicted)
        of_hard = _of_hard_answers(predicted, answers, hard_answers)
        if core_answers is not None:
            of_core = _of_hard_answers(predicted, answers, core_answers)
    return QuestionScores(
        hits_any,
        float(given[0] in answers) if given else 0.0,
        shared / len(predicted) if predicted else 0.0,
        shared / len(answers) if answers else 0.0,
        2 * shared / sizes if sizes else 0.0,
        math.nan if hits_hard is None else hits_hard,
        *(of_hard or _NONE),
        math.nan if hits_hard is None else hits_any,
        *(of_core or _NONE),
    )


_NONE = (math.nan, math.nan, math.nan)


def _of_hard_answers(
    predicted: Set[str], answers: Set[str], hard: Set[str]
) -> tuple[float, float, float]:
    """The scores `OF_HARD_ANSWERS` for one H."""
    found = len(predicted & hard)
    counted = len(predicted - (answers - hard)) + len(hard)
    return (
        float(found > 0),
        found / len(hard) if hard else 0.0,
        2 * found / counted if counted else 0.0,
    )


def hard_rank(
    ranking: Iterable[tuple[str, float]], answers: Set[str], hard_answer: str
) -> float | None:
    """The rank of the hard answer, a multiple of ½ from 1 on; None if it is not in the list.

    Args:
        ranking: Names with scores, the higher the better.
        answers: All correct answers.
        hard_answer: The one whose rank is asked for.

    Example:
        >>> hard_rank([("a", 0.9), ("x", 0.8), ("h", 0.5), ("y", 0.5)], {"a", "h"}, "h")
        2.5
    """
    best: dict[str, float] = {}
    for name, value in ranking:
        if name == hard_answer or name not in answers:
            best[name] = max(value, best.get(name, -math.inf))
    if (own := best.pop(hard_answer, None)) is None:
        return None
    higher = sum(value > own for value in best.values())
    return 1 + higher + sum(value == own for value in best.values()) / 2


def score_ranking(
    ranking: Iterable[tuple[str, float]] | None, answers: Set[str], hard_answer: str | None
) -> tuple[float, float, float]:
    """The scores `RANKED` of one question.

    Args:
        ranking: Names with scores; None counts as an empty list.
        answers: All correct answers.
        hard_answer: The hard answer that the question asks for; None if every answer is stated.

    Returns:
        NaN without a hard answer.
    """
    if hard_answer is None:
        return math.nan, math.nan, math.nan
    rank = hard_rank(ranking or (), answers, hard_answer)
    if rank is None:
        return 0.0, 0.0, 0.0
    return 1 / rank, float(rank <= 1), float(rank <= _NEAR)


def mean_scores(scores: Floats) -> Floats:
    """The mean of each column, over the questions that have it.

    Args:
        scores: Shape (n, columns), finite; NaN where a question does not have the score.

    Returns:
        Shape (columns,); NaN where no question has the score. The sum is exact before it is rounded, so
        the order of the questions changes nothing.
    """
    found = np.full(scores.shape[1], np.nan)
    for column, values in enumerate(scores.T):
        defined = values[~np.isnan(values)].tolist()
        if defined:
            found[column] = math.fsum(defined) / len(defined)
    return found


def hard_hits_rate(hits_any: float, hits_hard: float) -> float | None:
    """The hard hits rate: mean hits_hard / mean hits_any, None (undefined) where the latter is 0 or NaN.

    Both means are over the questions with a hard answer.

    Example:
        >>> hard_hits_rate(0.5, 0.25), hard_hits_rate(0.0, 0.0)
        (0.5, None)
    """
    return hits_hard / hits_any if hits_any > 0 else None
