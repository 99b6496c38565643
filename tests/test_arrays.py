"""Sets of values, against numpy's."""

import numpy as np

from rulemine import arrays
from tests import each


@each(
    "values",
    [
        np.array([], np.int64),
        np.array([7], np.int32),
        np.random.default_rng(1).integers(-5, 5, (40, 3)),
        np.array([0.5, 1.0, 0.5]),
        np.array([True, True]),
    ],
)
def test_distinct_values_are_those_of_numpy(values):
    found, expected = arrays.distinct(values), np.unique(values)
    assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())


@each("others", [[], [4], [-3, 0, 1, 2, 9]])
def test_values_among_others_are_those_of_numpy(others):
    values, ordered = np.arange(-5, 12)[::-1], np.array(others, np.int64)
    assert arrays.among(values, ordered).tolist() == np.isin(values, ordered).tolist()
    assert not len(arrays.among(ordered[:0], ordered))


def test_places_are_found_whatever_else_has_the_same_hash(monkeypatch):
    ordered = np.unique(np.random.default_rng(1).integers(-(2**62), 2**62, 5000))
    asked = np.concatenate((ordered[::-3], ordered + 1, np.arange(9)))
    expected = {value: place for place, value in enumerate(ordered.tolist())}
    for most in (arrays.MOST_HASHED, 0):
        monkeypatch.setattr(arrays, "MOST_HASHED", most)
        found = arrays.Places(ordered).of(asked)
        assert found.tolist() == [expected.get(value, -1) for value in asked.tolist()]
        assert arrays.Places(ordered[:0]).of(asked[:2]).tolist() == [-1, -1]
    assert arrays.Places(np.array([b"a", b"c"])).of(np.array([b"b", b"c"])).tolist() == [-1, 1]
