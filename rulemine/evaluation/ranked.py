"""Scores of ranked answers: where the hard answer stands in a list with scores.

The rank of the hard answer is 1, plus the answers with a higher score, plus half of those with the same one:
the mean of the best and the worst order of the tie, so that a constant score earns nothing (the
*realistic* rank of Berrendorf et al., arXiv 2002.06914). Other correct answers do not count (the *filtered*
setting of Bordes et al., NIPS 2013). Then

===============  ====================================================
mrr              1 / rank
hard_hits_at_1   1 when the rank is at most 1, else 0
hard_hits_at_10  1 when the rank is at most 10, else 0
===============  ====================================================

and over a set of questions the means, of those that have a hard answer.

Guarantees: a hard answer that is not in the list scores 0 everywhere, and so does an empty list; of a name
that is listed twice the higher score counts; the order of the list changes nothing.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from operator import itemgetter

import numpy as np

from rulemine.evaluation.metrics import Floats
from rulemine.evaluation.targets import Gold
from rulemine.release.records import Prediction

__all__ = ["RANKED", "hard_rank", "score_ranking", "score_rankings"]

RANKED = ("mrr", "hard_hits_at_1", "hard_hits_at_10")
"""The scores of ranked answers, in the order in which they are reported."""

_NEAR = 10


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


def score_rankings(
    given: Sequence[Prediction | None],
    golds: Sequence[Gold],
    keys: Mapping[str, str],
    key: Callable[[str], str],
) -> Floats:
    """The scores of rankings, shape (questions, `RANKED`); the keys of entities, and of other names."""
    found: list[tuple[float, float, float]] = []
    for p, gold in zip(given, golds, strict=True):
        ranking = (p and p.ranking) or ()
        named = [*map(keys.get, map(itemgetter(0), ranking))]
        if gold.hard_answer not in named and None not in named:
            ranking = ()  # as most do not have it
        listed = [(keys.get(name) or key(name), value) for name, value in ranking]
        found.append(score_ranking(listed, gold.answers, gold.hard_answer))
    return np.array(found, np.float64).reshape(len(found), len(RANKED))
