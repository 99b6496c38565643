"""Predicted rows are those of the gold that they equal, whatever the order of columns."""

import datetime
from collections import Counter
from itertools import permutations
from random import Random
from types import SimpleNamespace

from rulemine.cypher.rows import row_text
from rulemine.evaluation.cypher.release_rows import _shares
from rulemine.evaluation.cypher.results import execution_match, matched_rows


def texts(*rows: tuple[object, ...]) -> list[str]:
    return list(map(row_text, rows))


def test_equal_rows_get_the_text_of_the_gold():
    for gold, predicted, found in (
        ([("a", 1)], [(1.0, "a")], texts(("a", 1))),
        ([("a", 1), ("b", 2)], [(2, "b"), (1, "x")], texts(("b", 2), ("x", 1))),
        ([("2000-02-29",)], [(datetime.date(2000, 2, 29),)], texts(("2000-02-29",))),
        ([(("a", "b"),)], [(["b", "a"],)], texts((("a", "b"),))),
        ([(1,)], [(True,)], texts((True,))),
        ([(0.3,)], [(0.1 + 0.2,)], texts((0.3,))),
        ([("a",)], [("a", 1)], texts(("a", 1))),
        ([], [("a",)], texts(("a",))),
        ([("a",)], [], []),
        ([("a",), ("a",)], [("a",)], texts(("a",))),
    ):
        assert matched_rows(gold, predicted) == found, (gold, predicted)
    # Of the rows that tie one stands for the gold.
    gold, tied = [("a",)], [("a",), ("b",), ("c",)]
    for given, found in ((["c"], ["a"]), (["c", "b"], ["a", "b"]), (["x"], ["x"])):
        assert matched_rows(gold, [(g,) for g in given], tied) == texts(*((f,) for f in found))


def test_as_many_rows_match_as_a_search_over_all_orders_of_columns_finds():
    random, whole = Random(5), 0
    for _ in range(400):
        width, pool = random.randint(1, 3), random.sample(["a", 1, 1.0, None, True, "b"], 3)
        gold = [tuple(random.choices(pool, k=width)) for _ in range(random.randint(1, 4))]
        order = random.sample(range(width), width)
        given = [tuple(row[at] for at in order) for row in gold]
        given = random.sample(given, random.randint(1, len(given)))
        given += [tuple(random.choices(pool, k=width)) for _ in range(random.randint(0, 2))]
        found = Counter(matched_rows(gold, given)) & Counter(matched_rows(gold, gold))
        most = max(
            sum(execution_match([row], [left.pop(at)]) for row in gold
                for at in [next((at for at, own in enumerate(left) if execution_match([row], [own])
                                 and all(map(same, row, own))), None)] if at is not None)
            for turned in permutations(range(width))
            for left in [[tuple(row[at] for at in turned) for row in given]]
        )  # fmt: skip
        assert found.total() == most
        whole += most == len(gold)
    assert whole > 100


def same(one: object, other: object) -> bool:
    """Whether two cells of the pool are equal."""
    return execution_match([(one,)], [(other,)])


def test_of_equal_rows_those_that_are_still_stated_are_given_first():
    level = SimpleNamespace(level=50, lost=("a",))
    block = SimpleNamespace(rows=("a", "a", "b"), levels=(level,))
    assert _shares(block, ["a", "b", "x"], 100) == (0, 2), "of lost rows, of rows of the gold"
    assert _shares(block, ["a", "a"], 50) == (1, 2)
    assert _shares(block, ["a", "a"], 40) == (0, 2), "nothing is lost yet"
