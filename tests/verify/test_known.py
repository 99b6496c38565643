"""Names looked up in bulk get the numbers that looking up one after another would give, and no others."""

import random

import numpy as np
import pytest

from rulemine.verify import known
from rulemine.verify.known import Known, padded
from rulemine.verify.triples import Terms


@pytest.mark.parametrize("factor", [0xD6E8FEB86659FD93, 1])
def test_names_are_found_whatever_the_hashes_are(
    factor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known, "_FACTOR", np.uint64(factor))
    drawn = random.Random(factor)
    every = ["a", "b", "é", "日本語", *("x" * size for size in (7, 8, 9, 16, 17, 200))]
    every += [str(drawn.randrange(10**11)) for _ in range(300 if factor > 1 else 9)]
    names = sorted({*every})
    asked = [*drawn.choices(names, k=900), "", "c", "xx", "x" * 18, "x" * 199, "日本", "123"]
    encoded = [name.encode() for name in asked]
    lengths = np.array([len(name) for name in encoded])
    found = Known(names).numbers(padded(b"".join(encoded)), lengths.cumsum() - lengths, lengths)
    numbers = {name: number for number, name in enumerate(names)}
    assert found.tolist() == [numbers.get(name, -1) for name in asked]


@pytest.mark.parametrize(
    ("lines", "columns"),
    [
        (b"b\tr\ta\na\tr\ta\n", [[1, 0, 0], [0, 0, 0]]),
        (b"b\tr\tc\n", None),
        (b"a\tr \ta\n", None),
        (b"a\tr\ta\r\n", None),
        (b"a\tr\n\ta\n", None),
        (b"a\tr\n", None),
        (b"\n", None),
    ],
)
def test_only_lines_of_known_names_are_read_in_bulk(
    lines: bytes, columns: list[list[int]] | None
) -> None:
    found = Terms(["b", "a"], ["r"]).known_columns(lines)
    assert (None if found is None else found.tolist()) == columns


def test_relations_with_white_space_are_left_to_the_reader_of_single_lines() -> None:
    assert Terms(["a"], ["r "]).known_columns(b"a\tr \ta\n") is None
