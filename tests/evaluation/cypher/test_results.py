"""Results of Cypher are compared as a search over all permutations does, and by the rules of the paper."""

import datetime
from itertools import permutations
from random import Random
from types import SimpleNamespace
from typing import Any

from rulemine.cypher.rows import row_text
from rulemine.evaluation.cypher.release_rows import _shares
from rulemine.evaluation.cypher.results import execution_match, matched_rows, published_match

POOL = (None, True, False, 0, 1, 1.0, "a", "1", (1, 2), [2, 1], 0.3, 0.1 + 0.2, "2000-02-29")
DAY = datetime.date(2000, 2, 29)


def one(value: Any) -> list[tuple[Any]]:
    return [(value,)]


def alike(some: Any, other: Any) -> bool:
    """Whether two values of the pool are the same, by the letter of the rules."""
    if isinstance(some, list | tuple) and isinstance(other, list | tuple):
        return sorted(some) == sorted(other)
    if isinstance(some, bool) or isinstance(other, bool):
        return some is other
    if isinstance(some, int | float) and isinstance(other, int | float):
        return abs(some - other) <= 1e-9 * max(abs(some), abs(other))
    return type(some) is type(other) and bool(some == other)


def by_search(gold: list[Any], found: list[Any], keys: list[int] | None) -> bool:
    """Over all permutations of columns and of rows."""
    if len(gold) != len(found):
        return False
    if not gold or len(gold[0]) != len(found[0]):
        return not gold
    for order in permutations(range(len(gold[0]))):
        turned = [[row[at] for at in order] for row in found]
        for places in permutations(range(len(gold))):
            kept = keys is None or [keys[at] for at in places] == keys
            if kept and all(
                all(map(alike, gold[at], row)) for at, row in zip(places, turned, strict=True)
            ):
                return True
    return False


def test_results_match_as_a_search_over_all_permutations_says():
    random, matched = Random(14), 0
    for _ in range(3000):
        height, width = random.randint(0, 4), random.randint(1, 3)
        some = random.sample(POOL, random.randint(1, 4))
        gold = [tuple(random.choices(some, k=width)) for _ in range(height)]
        order = random.sample(range(width), width)
        found = [tuple(row[at] for at in order) for row in gold]
        if random.random() < 0.6:
            random.shuffle(found)
        if found and random.random() < 0.5:
            row = list(random.choice(found))
            row[random.randrange(width)] = random.choice(some)
            found[random.randrange(height)] = tuple(row)
        keys = None
        if random.random() < 0.5:
            keys = sorted(random.choices(range(3), k=height))
        expected = by_search(gold, found, keys)
        assert execution_match(gold, found, keys=keys) == expected, (gold, found, keys)
        matched += expected
    assert 500 < matched < 2900


def test_values_are_the_same():
    for gold, found, ours, published in (
        (None, None, True, True), (None, "", False, False), (True, 1, False, True), (0, False, False, True),
        (1, 1.0, True, True), (0.3, 0.1 + 0.2, True, False), (1e-300, 2e-300, False, False),
        (10**17, 10**17 + 1, False, False), (float("inf"), float("inf"), True, True), ("1", 1, False, False),
        (DAY, "2000-02-29", True, True), ([1, 2], [2, 1], True, True), ([1, 1, 2], [1, 2, 2], False, False),
        ([True], [1], False, True), ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True, True),
        ({"a": 1}, {"a": 2}, False, False),
    ):  # fmt: skip
        assert execution_match(one(gold), one(found)) == ours, (gold, found)
        assert execution_match(one(found), one(gold)) == ours
        assert published_match(one(gold), one(found), ordered=False) == published
    node = object()  # equals nothing
    assert not execution_match(one(node), one(node))
    assert not published_match(one(node), one(node), ordered=False)
    # As published true is one only where both sort alike.
    assert published_match([(True, "a")], [(1, "a")], ordered=False)
    assert not published_match([(True, "M")], [(1, "M")], ordered=False)
    assert not published_match(one([1, "a"]), one([1, "a"]), ordered=False)
    assert execution_match(one([1, "a"]), one(["a", 1]))


def test_empty_results():
    assert execution_match([], []) is execution_match([], [], keys=[]) is True
    assert execution_match([], one(1)) is execution_match(one(None), []) is False
    assert published_match([], [], ordered=True)


def test_rows_with_equal_keys_come_in_any_order_and_any_of_tied_rows_is_the_greatest():
    gold, turned = [("a",), ("b",), ("c",)], [("b",), ("a",), ("c",)]
    for keys, same in (([1, 1, 2], True), ([None, None, 2], True), ([1, 2, 3], False)):
        assert execution_match(gold, turned, keys=keys) == same
    assert not published_match(gold, turned, ordered=True)
    assert published_match(gold, turned, ordered=False)
    for found, same in (([("b",)], True), ([("c",)], False), ([("a",), ("b",)], False)):
        assert execution_match([("a",)], found, tied=[("a",), ("b",)]) == same


def test_columns_that_hold_the_same_values_are_tried_in_every_order():
    gold = [(at, (at + 1) % 7, (at * 3) % 7, 0) for at in range(7)]
    found = [(row[3], row[2], row[0], row[1]) for row in reversed(gold)]
    assert execution_match(gold, found)
    wrong = [(row[1], row[2], row[0], row[3]) for row in gold[:-1]] + [gold[-1]]
    assert not execution_match(gold, wrong)


def texts(*rows: tuple[object, ...]) -> list[str]:
    return list(map(row_text, rows))


def test_equal_rows_get_the_text_of_the_gold():
    for gold, predicted, found in (
        ([("a", 1)], [(1.0, "a")], texts(("a", 1))),
        ([("a", 1), ("b", 2)], [(2, "b"), (1, "x")], texts(("b", 2), ("x", 1))),
        ([("2000-02-29",)], [(datetime.date(2000, 2, 29),)], texts(("2000-02-29",))),
        ([(("a", "b"),)], [(["b", "a"],)], texts((("a", "b"),))), ([(1,)], [(True,)], texts((True,))),
        ([(0.3,)], [(0.1 + 0.2,)], texts((0.3,))), ([("a",)], [("a", 1)], texts(("a", 1))),
        ([], [("a",)], texts(("a",))), ([("a",)], [], []), ([("a",), ("a",)], [("a",)], texts(("a",))),
    ):  # fmt: skip
        assert matched_rows(gold, predicted) == found, (gold, predicted)
    # Of the rows that tie one stands for the gold.
    gold, tied = [("a",)], [("a",), ("b",), ("c",)]
    for given, found in ((["c"], ["a"]), (["c", "b"], ["a", "b"]), (["x"], ["x"])):
        assert matched_rows(gold, [(g,) for g in given], tied) == texts(*((f,) for f in found))


def test_of_equal_rows_those_that_are_still_stated_are_given_first():
    level = SimpleNamespace(level=50, lost=("a",))
    block = SimpleNamespace(rows=("a", "a", "b"), levels=(level,))
    assert _shares(block, ["a", "b", "x"], 100) == (0, 2), "of lost rows, of rows of the gold"
    assert _shares(block, ["a", "a"], 50) == (1, 2)
    assert _shares(block, ["a", "a"], 40) == (0, 2), "nothing is lost yet"
