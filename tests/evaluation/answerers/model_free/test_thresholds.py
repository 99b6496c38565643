import numpy as np

from rulemine.evaluation.answerers.model_free.thresholds import best_threshold, try_thresholds

HALVES = 2.0 ** -np.arange(5)


def test_threshold_by_hand():
    # From the truest: a right one, a wrong one, a right one, and one below every threshold.
    first = try_thresholds(np.array([1, 0.5, 0.25, 0.125, 1e-9]), [0, 1, 3], 3, HALVES)
    assert first.wanted == 2
    # F1 with the first, the first two, all three: 2/3, 1/2, 4/5.
    assert best_threshold([first], HALVES, 0.3) == 0.125
    second = try_thresholds(np.array([1, 0.5, 0.25, 0.125, 1e-9]), [1], 1, HALVES)
    # Together: 2/3 + 1, 1/2 + 2/3, 4/5 + 1/2.
    assert best_threshold([first, second], HALVES, 0.3) == 0.5
    nothing_to_infer = try_thresholds(np.array([1, 0.5]), [0], 1, HALVES)
    assert best_threshold([nothing_to_infer], HALVES, 0.3) == 1
    assert best_threshold([first, second, nothing_to_infer], HALVES, 0.3) == 0.5
    assert best_threshold([], HALVES, 0.3) == 0.3
