"""Options are checked when they are made, and the message names the option and its range."""

import math
import re

import pytest

from rulemine.codec import shown
from rulemine.errors import ConfigError, HeapError
from rulemine.mining import MiningOptions, Resources
from rulemine.mining.options import parse_heap
from tests import each


@each(
    ("name", "value"), [("max_atoms", 3.0), ("max_atoms", True), ("min_head_coverage", math.nan),
    ("min_std_confidence", math.inf), ("min_pca_confidence", "0.4"), ("constants", 1)]
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_named(name, value):
    with pytest.raises(ConfigError, match=f"^{name} is {re.escape(shown(value))}; expected "):
        MiningOptions(**{name: value})


@each(("text", "size"), [("16m", 2**24), ("512M", 2**29), ("4g", 2**32), ("1G", 2**30)])
def test_a_heap_is_a_size(text, size):
    assert parse_heap(text) == size
    assert Resources(heap=text).heap == text


@each("text", ["", "4", "g", "4 g", "4gb", "-4g", "0.5g", "1m", "15m", "4t", "٤g"])
def test_what_is_no_heap_size_is_refused(text):
    with pytest.raises(ConfigError, match=r"heap is .* for example 512m or 4g"):
        Resources(heap=text)
    with pytest.raises(HeapError, match="for example 512m or 4g"):
        parse_heap(text)


def test_threads_are_counted_by_default():
    assert Resources().thread_count >= 1
    assert Resources(threads=7).thread_count == 7


def test_what_does_not_go_together():
    with pytest.raises(ConfigError, match="with constants, expected at most 3"):
        MiningOptions(4, constants=True)
    with pytest.raises(ConfigError, match="choose one"):
        MiningOptions(constants=True, injective=True)
