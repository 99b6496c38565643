"""Numbers for labels in bulk are those that looking up one label after another would give."""

import random

import numpy as np
import pytest

from rulemine.kg import vocabulary
from rulemine.kg.vocabulary import Fields, Vocabulary

LABELS = [
    "",
    "a",
    "a\0",
    "\0a",
    "é",
    "日本語",
    "x" * 8,
    "x" * 9,
    "x" * 8 + "y",
    "x" * 16,
    *("x" * size for size in (255, 256, 257, 300)),
    "x" * 300 + "y",
]


@pytest.mark.parametrize("factor", [0x9E3779B97F4A7C15, 0, 1])
def test_numbers_are_right_whatever_the_hashes_are(
    factor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "_FACTOR", np.uint64(factor))  # 0: all labels have one hash
    drawn, known = random.Random(factor), Vocabulary()
    every = [*LABELS, *(str(drawn.randrange(10**12)) for _ in range(600))]
    seen: dict[str, int] = {}
    for size in (1, 3, 40, 700, 2000):
        block = drawn.choices(every, k=size)
        numbers = known.numbers(Fields.of(block)).tolist()
        for label, number in zip(block, numbers, strict=True):
            assert seen.setdefault(label, number) == number
    assert sorted(seen.values()) == list(range(len(seen))) == list(range(len(known)))
    labels, place = known.settle()
    assert list(labels) == sorted(seen)
    assert all(labels[place[number]] == label for label, number in seen.items())


def test_nothing_has_no_labels() -> None:
    labels, place = Vocabulary().settle()
    assert (labels, place.tolist()) == ((), [])
