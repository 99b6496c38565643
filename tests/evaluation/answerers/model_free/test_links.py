import numpy as np

from rulemine.evaluation.answerers.model_free.links import best_threshold, f1_scores

HALVES = 2.0 ** -np.arange(5)


def test_threshold_by_hand():
    # From the truest: a right one, a wrong one, a right one, and one below every threshold.
    truth = np.array([1, 0.5, 0.25, 0.125, 1e-9])
    first = f1_scores(truth, np.array([1, 1, 0, 1, 0], bool), 3, HALVES)
    assert first.tolist() == [0, 2 / 3, 1 / 2, 4 / 5, 4 / 5]
    assert best_threshold([first], HALVES) == 0.125
    second = f1_scores(truth, np.array([0, 1, 0, 0, 0], bool), 1, HALVES)
    # Together: 2/3 + 1, 1/2 + 2/3, 4/5 + 1/2.
    assert best_threshold([first, second], HALVES) == 0.5
    nothing_to_infer = f1_scores(np.array([1, 0.5]), np.array([1, 0], bool), 1, HALVES)
    assert best_threshold([nothing_to_infer], HALVES) == 1
    assert best_threshold([first, second, nothing_to_infer], HALVES) == 0.5
    assert best_threshold([], HALVES) == 0.5
