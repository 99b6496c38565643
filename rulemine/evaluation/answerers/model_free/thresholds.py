"""From which score on a candidate is an answer: chosen on questions whose answers are known."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Trial", "best_threshold", "try_thresholds"]

Floats = npt.NDArray[np.float64]


class Trial(NamedTuple):
    """A question whose answers are known.

    Attributes:
        wanted: How many answers the graph does not state.
        given: How many others are answers from each threshold on.
        right: How many of these are wanted.
    """

    wanted: int
    given: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]


def try_thresholds(
    truth: Floats, right: Collection[int], answers: int, thresholds: Floats
) -> Trial:
    """How a question fares with each threshold.

    Args:
        truth: Of each candidate; 1: the graph states it.
        right: The positions of answers among the candidates.
        answers: The number of all answers.
        thresholds: To try.
    """
    is_right = np.zeros(len(truth), bool)
    is_right[list(right)] = True
    open_ = truth < 1
    given = [np.count_nonzero(truth[open_] >= least) for least in thresholds]
    hit = [np.count_nonzero(truth[open_ & is_right] >= least) for least in thresholds]
    stated = int(np.count_nonzero(~open_ & is_right))
    return Trial(answers - stated, np.array(given), np.array(hit))


def best_threshold(tried: Sequence[Trial], thresholds: Floats, usual: float) -> float:
    """The threshold with the best mean F1 of what the graph does not state, the first of equal ones.

    Questions whose answers are all stated say nothing about it. Without others it is the first; without any
    question it is the usual one.
    """
    if not tried:
        return usual
    scores = np.zeros(len(thresholds))
    for question in tried:
        if question.wanted:
            scores += 2 * question.right / (question.given + question.wanted)
    return float(thresholds[np.argmax(scores)])
