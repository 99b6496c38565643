"""Options are checked when they are made, and the message names the option and its range."""

import math
import re
from typing import Any

import pytest

from rulemine.errors import HeapError, MiningError, UserError
from rulemine.mining import MiningOptions, Resources
from rulemine.mining.options import parse_heap


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_atoms", 1),
        ("max_atoms", 6),
        ("max_atoms", 9),
        ("max_atoms", 3.0),
        ("max_atoms", True),
        ("min_head_coverage", -0.1),
        ("min_head_coverage", 1.5),
        ("min_head_coverage", math.nan),
        ("min_std_confidence", math.inf),
        ("min_pca_confidence", "0.4"),
        ("min_initial_support", 0),
        ("min_initial_support", 2**31),
    ],
)
def test_a_value_out_of_range_is_named(name: str, value: Any) -> None:
    expected = f"{name} is {re.escape(repr(value))}; expected a .*number from"
    with pytest.raises(MiningError, match=expected):
        MiningOptions(**{name: value})


@pytest.mark.parametrize("threads", [0, -2, 1025, 1.0])
def test_threads_out_of_range(threads: Any) -> None:
    with pytest.raises(MiningError, match="expected a whole number from 1 to 1024"):
        Resources(threads)


@pytest.mark.parametrize(
    ("text", "size"), [("16m", 2**24), ("512M", 2**29), ("4g", 2**32), ("1G", 2**30)]
)
def test_a_heap_is_a_size(text: str, size: int) -> None:
    assert parse_heap(text) == size
    assert Resources(heap=text).heap == text


@pytest.mark.parametrize(
    "text", ["", "4", "g", "4 g", "4gb", "-4g", "0.5g", "1m", "15m", "4t", "٤g"]
)
def test_what_is_no_heap_size_is_refused(text: str) -> None:
    with pytest.raises(HeapError, match="for example 512m or 4g"):
        Resources(heap=text)


def test_mistakes_are_user_errors() -> None:
    assert issubclass(MiningError, UserError)
    assert issubclass(HeapError, UserError)


def test_threads_are_counted_by_default() -> None:
    assert Resources().thread_count >= 1
    assert Resources(threads=7).thread_count == 7


def test_what_does_not_go_together() -> None:
    with pytest.raises(MiningError, match="with constants, expected at most 3"):
        MiningOptions(4, constants=True)
    with pytest.raises(MiningError, match="choose one"):
        MiningOptions(constants=True, injective=True)
    for name in ("skyline", "perfect_pruning", "constants", "injective"):
        with pytest.raises(MiningError, match=f"{name} is 1; expected True or False"):
            MiningOptions(**{name: 1})  # type: ignore[arg-type]
    with pytest.raises(MiningError, match="head_relations is 'aunt'; expected a tuple"):
        MiningOptions(head_relations="aunt")  # type: ignore[arg-type]
