import math

import numpy as np
import pytest

from rulemine.evaluation.metrics import COLUMNS, hard_hits_rate, mean_scores, score

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


@pytest.mark.parametrize(("predicted", "answers", "hard", "hards", "expected"), CASES)
def test_scores_by_hand(predicted, answers, hard, hards, expected):
    found = score(predicted, answers, hard, hards)
    assert found[:9] == pytest.approx(expected, abs=1e-15, nan_ok=True)
    assert all(map(math.isnan, found[10:]))  # not in the core
    assert found.hits_any_asked == pytest.approx(
        math.nan if hard is None else found.hits_any, nan_ok=True
    )


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


@pytest.mark.parametrize(("predicted", "left", "expected"), CORE_CASES)
def test_core_scores_by_hand(predicted, left, expected):
    answers, hard, core = set("abcde"), set("abc"), set("ab")
    assert set(predicted) - (answers - core) == left
    found = score(predicted, answers, "a", hard, core)
    assert found[10:] == pytest.approx(expected)
    assert found[:10] == score(predicted, answers, "a", hard)[:10]


def test_neither_answering_everything_nor_looking_up_wins_hard_f1():
    answers, everything = {"h", "s"}, ["h", "s", *(f"x{i}" for i in range(98))]
    flood = score(everything, answers, "h", {"h"}, {"h"})
    assert (flood.hits_any, flood.hits_hard) == (1, 1)  # HHR 1
    assert flood.core_hard_f1 == 2 / 100
    stated = score(["s"], answers, "h", {"h"}, {"h"})
    assert (stated.hits_any, stated.precision, stated.core_hard_f1) == (1, 1, 0)


def test_f1_is_the_harmonic_mean_of_precision_and_recall():
    found = score(["a", "b", "x"], {"a", "b", "c", "d", "e"}, "a", {"a"})
    assert found.f1 == pytest.approx(2 / (1 / found.precision + 1 / found.recall))


def test_mean_of_the_f1s_is_not_the_f1_of_the_means():
    scores = np.array([score(["a"], {"a", "b"}, "a", {"a"}), score(["a", "x"], {"a"}, "a", {"a"})])
    means = dict(zip(COLUMNS, mean_scores(scores), strict=True))
    assert means["f1"] == pytest.approx(2 / 3)
    assert means["precision"] == means["recall"] == 0.75


def test_no_questions_have_no_mean():
    assert np.isnan(mean_scores(np.empty((0, 6)))).all()


def test_questions_without_a_score_are_left_out_of_its_mean():
    assert mean_scores(np.array([[1.0, np.nan], [0.0, 0.25]])).tolist() == [0.5, 0.25]


def test_order_of_questions_does_not_change_a_bit():
    values = np.array([[0.1], [1e-9], [0.7], [1 / 3]] * 1001)
    assert mean_scores(values) == mean_scores(values[::-1])


@pytest.mark.parametrize(
    ("any_", "hard", "expected"),
    [(0.5, 0.25, 0.5), (1.0, 0.0, 0.0), (0.0, 0.0, None), (float("nan"), float("nan"), None)],
)
def test_hard_hits_rate_is_undefined_without_hits(any_, hard, expected):
    assert hard_hits_rate(any_, hard) == expected
