import math

import numpy as np
import pytest

from rulemine.evaluation.metrics import hard_hits_rate, hard_rank, mean_scores, score, score_ranking

#    P                  A                hard hard answers   any @1 prec   recall f1    hard any  rec. F1
CASES = [
    (["a"],            {"a"},           "a", {"a"},      (1, 1, 1,     1,     1,     1,   1,   1,   1)),
    (["a", "x"],       {"a", "b"},      "a", {"a"},      (1, 1, 1 / 2, 1 / 2, 1 / 2, 1,   1,   1,   2 / 3)),
    (["x", "a"],       {"a", "b"},      "a", {"a"},      (1, 0, 1 / 2, 1 / 2, 1 / 2, 1,   1,   1,   2 / 3)),
    (["x", "a", "x"],  {"a", "b"},      "a", {"a"},      (1, 0, 1 / 2, 1 / 2, 1 / 2, 1,   1,   1,   2 / 3)),
    (["b"],            {"a", "b"},      "a", {"a"},      (1, 1, 1,     1 / 2, 2 / 3, 0,   0,   0,   0)),
    (["a", "b"],       {"a", "b"},      "a", {"a"},      (1, 1, 1,     1,     1,     1,   1,   1,   1)),
    (["b"],            {"a", "b"},      "a", {"a", "b"}, (1, 1, 1,     1 / 2, 2 / 3, 0,   1,   1 / 2, 2 / 3)),
    (["a", "b", "x"],  {"a", "b", "c"}, "c", {"c"},      (1, 1, 2 / 3, 2 / 3, 2 / 3, 0,   0,   0,   0)),
    (["c", "b", "x"],  {"a", "b", "c"}, "c", {"a", "c"}, (1, 1, 2 / 3, 2 / 3, 2 / 3, 1,   1,   1 / 2, 1 / 2)),
    (["x", "a", "y", "z"], {"a", "b"},  "a", {"a"},      (1, 0, 1 / 4, 1 / 2, 1 / 3, 1,   1,   1,   2 / 5)),
    (["x"],            {"a"},           "a", {"a"},      (0, 0, 0,     0,     0,     0,   0,   0,   0)),
    ([],               {"a"},           "a", {"a"},      (0, 0, 0,     0,     0,     0,   0,   0,   0)),
    (["x"],            set(),           "",  set(),      (0, 0, 0,     0,     0,     0,   0,   0,   0)),
    ([],               set(),           "",  set(),      (0, 0, 0,     0,     0,     0,   0,   0,   0)),
    (["a"],            {"a", "b"},      None, set(),     (1, 1, 1,     1 / 2, 2 / 3, *[math.nan] * 4)),
]  # fmt: skip


def test_scores_by_hand():
    for predicted, answers, hard, hards, expected in CASES:
        found = score(predicted, answers, hard, hards)
        any_asked = math.nan if hard is None else found.hits_any
        assert found[:10] == pytest.approx((*expected, any_asked), abs=1e-15, nan_ok=True), (
            predicted
        )
        assert all(map(math.isnan, found[10:]))  # not in the core


# A = {a, b, c, d, e}; hard are a, b, c, of which a (asked for) and b are in the core; d, e are stated.
#    P                          P′ of the core  any  recall F1
CORE_CASES = [
    (["a"],                     {"a"},          (1,  1 / 2, 2 / 3)),
    (["a", "b"],                {"a", "b"},     (1,  1,     1)),
    (["a", "b", "c", "d", "e"], {"a", "b"},     (1,  1,     1)),  # other correct answers are neither
    (["c", "d"],                set(),          (0,  0,     0)),  # right nor wrong
    (["c", "x"],                {"x"},          (0,  0,     0)),
    (["b", "c", "x", "y"],      {"b", "x", "y"}, (1, 1 / 2, 2 / 5)),
    ([],                        set(),          (0,  0,     0)),
]  # fmt: skip


def test_core_scores_by_hand():
    answers, hard, core = set("abcde"), set("abc"), set("ab")
    for predicted, left, expected in CORE_CASES:
        assert set(predicted) - (answers - core) == left
        found = score(predicted, answers, "a", hard, core)
        assert found[10:] == pytest.approx(expected), predicted
        assert found[:10] == score(predicted, answers, "a", hard)[:10]


def test_questions_without_a_score_are_left_out_of_its_mean():
    assert np.isnan(mean_scores(np.empty((0, 6)))).all()
    assert mean_scores(np.array([[1.0, np.nan], [0.0, 0.25]])).tolist() == [0.5, 0.25]
    assert hard_hits_rate(0.5, 0.25) == 0.5
    assert hard_hits_rate(1.0, 0.0) == 0.0
    assert hard_hits_rate(0.0, 0.0) is hard_hits_rate(math.nan, math.nan) is None


def test_order_of_questions_does_not_change_a_bit():
    values = np.array([[0.1], [1e-9], [0.7], [1 / 3]] * 1001)
    assert mean_scores(values) == mean_scores(values[::-1])


# Ranks: of the answers {h, a, b}, h is the hard one that is asked for.

ANSWERS = {"h", "a", "b"}

#    ranking                                             rank   mrr    @1 @10
RANKINGS = [
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


def test_ranks_by_hand():
    for ranking, rank, *scores in RANKINGS:
        assert hard_rank(ranking, ANSWERS, "h") == hard_rank(ranking[::-1], ANSWERS, "h") == rank
        assert score_ranking(ranking, ANSWERS, "h") == pytest.approx(scores), ranking
    assert score_ranking(None, ANSWERS, "h") == (0, 0, 0)
    assert all(map(math.isnan, score_ranking([("a", 1.0)], ANSWERS, None))), "no hard answer"
