"""Ranks by hand: of the answers {h, a, b}, h is the hard one that is asked for."""

import math

import pytest

from rulemine.evaluation.metrics import hard_rank, score_ranking

ANSWERS = {"h", "a", "b"}

#    ranking                                             rank   mrr    @1 @10
CASES = [
    ([("h", 1.0)],                                       1,     1,     1, 1),
    ([("x", 0.9), ("h", 0.5)],                           2,     1 / 2, 0, 1),
    ([("a", 0.9), ("b", 0.8), ("h", 0.5)],               1,     1,     1, 1),  # other answers do not count
    ([("a", 0.9), ("x", 0.8), ("h", 0.5), ("y", 0.1)],   2,     1 / 2, 0, 1),
    ([("h", 0.5), ("x", 0.5)],                           1.5,   2 / 3, 0, 1),  # first or second: 1.5
    ([("h", 0.5), ("a", 0.5)],                           1,     1,     1, 1),  # a tie with an answer
    ([("x", 0.0), ("y", 0.0), ("h", 0.0), ("z", 0.0)],   2.5,   2 / 5, 0, 1),
    ([("h", 0.1), ("x", 0.3), ("h", 0.4)],               1,     1,     1, 1),  # twice: the higher score
    ([("x", 0.1), ("h", 0.3), ("x", 0.4)],               2,     1 / 2, 0, 1),
    ([(f"x{i}", 1.0) for i in range(9)] + [("h", 0.0)],  10,    1 / 10, 0, 1),
    ([(f"x{i}", 1.0) for i in range(10)] + [("h", 0.0)], 11,    1 / 11, 0, 0),
    ([(f"x{i}", 0.0) for i in range(19)] + [("h", 0.0)], 10.5,  2 / 21, 0, 0),  # 1 … 20: no hit for ties
    ([("x", 0.9), ("a", 0.5)],                           None,  0,     0, 0),
    ([],                                                 None,  0,     0, 0),
]  # fmt: skip


@pytest.mark.parametrize(("ranking", "rank", "mrr", "first", "ten"), CASES)
def test_ranks_by_hand(ranking, rank, mrr, first, ten):
    assert hard_rank(ranking, ANSWERS, "h") == rank
    assert hard_rank(ranking[::-1], ANSWERS, "h") == rank
    assert score_ranking(ranking, ANSWERS, "h") == pytest.approx((mrr, first, ten))


def test_no_list_scores_nothing_and_no_hard_answer_is_left_out():
    assert score_ranking(None, ANSWERS, "h") == (0, 0, 0)
    assert all(map(math.isnan, score_ranking([("a", 1.0)], ANSWERS, None)))
