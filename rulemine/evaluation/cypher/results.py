"""Compares the result of a predicted query with that of the gold: execution accuracy.

From CypherBench (Feng, Papicchio, Rahman, arXiv 2412.18702, section 5.1): 1 if some permutation of the
columns makes both results equal, as multisets of rows, or as sequences where the gold's order counts. Names
of columns do not count. `published_match` decides as published; `execution_match` mends it.
"""

import datetime
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from rulemine.cypher.rows import row_text
from rulemine.evaluation.matching.vocabulary import composed

__all__ = ["alike", "execution_match", "matched_rows", "published_match"]

Row = Sequence[Any]

_RELATIVE = 1e-9

_MOST_COLUMNS = 6
"""Columns whose permutations are tried by `matched_rows`; a gold query has three at most."""


def execution_match(
    gold: Sequence[Row],
    predicted: Sequence[Row],
    *,
    keys: Sequence[Any] | None = None,
    tied: Sequence[Row] = (),
    more_columns: bool = False,
) -> bool:
    """Whether a predicted result is the gold's.

    null equals null, 1 equals 1.0, no boolean equals a number, floats are equal within a relative 1e-9. Lists
    are multisets, maps sets of pairs, dates and times equal their ISO text, composed letters equal
    decomposed ones. Nodes, relations and paths equal nothing.

    Args:
        gold: The rows of the gold.
        predicted: The predicted rows.
        keys: What each row of the gold is sorted by, if its order counts: rows with equal keys may come in
            any order. None: the order of rows does not count.
        tied: Rows of which any one may be the result, as of a gold query that asks for the greatest.
        more_columns: Whether the prediction may have columns beside the gold's.

    Returns:
        True if a permutation of columns (or of some, with `more_columns`) makes them equal. Both empty:
        True; one empty: False. Results with other numbers of rows, or otherwise of columns: False.

    Raises:
        ValueError: The rows of one result differ in length, or there are not as many keys as rows.

    Example:
        >>> execution_match([("Ada", 1815), ("Alan", 1912)], [(1912.0, "Alan"), (1815, "Ada")])
        True
        >>> execution_match([("a",), ("b",)], [("b",), ("a",)], keys=[1, 2])
        False
        >>> execution_match([("a",)], [("b",)], tied=[("a",), ("b",)])
        True
        >>> execution_match([("Ada",)], [(1815, "Ada")], more_columns=True)
        True
    """
    if keys is not None and len(keys) != len(gold):
        raise ValueError(f"{len(keys)} keys for {len(gold)} rows")
    if tied:
        return any(
            execution_match([row], predicted, more_columns=more_columns) for row in [*gold, *tied]
        )
    runs = [0] * len(gold) if keys is None else _runs(keys)
    return _match(gold, predicted, runs, _reader([*gold, *predicted]), more_columns)


def published_match(gold: Sequence[Row], predicted: Sequence[Row], *, ordered: bool) -> bool:
    """Whether a predicted result is the gold's, as the paper decides.

    Unlike `execution_match`: true equals 1, floats are equal only if they are the same, and rows with equal
    keys must come in the gold's order. As published, results are first compared with the values of each row
    sorted as text, so that true equals 1 in some rows only. A list of values that Python cannot sort, a time
    with a date, a node, and what else has no rule, equal nothing.

    Args:
        gold: The rows of the gold.
        predicted: The predicted rows.
        ordered: Whether the order of rows counts; as published, whether the gold query has the text
            ``ORDER BY`` anywhere.

    Raises:
        ValueError: The rows of one result differ in length.
    """
    runs = list(range(len(gold))) if ordered else [0] * len(gold)
    try:
        first, second = ([_unordered(row) for row in rows] for rows in (gold, predicted))
    except TypeError:
        return False
    alike = first == second if ordered else set(first) == set(second)
    return alike and _match(gold, predicted, runs, _published)


def matched_rows(
    gold: Sequence[Sequence[Any]],
    predicted: Sequence[Sequence[Any]],
    tied: Sequence[Sequence[Any]] = (),
) -> list[str]:
    """A predicted result as texts of rows: where a row equals one of the gold, the gold's text.

    Cells are equal as `execution_match` says. The columns are put in the
    order in which most rows match, as multisets; of several such orders, the first.

    Args:
        gold: The gold's rows.
        predicted: The predicted rows; with another number of columns, none matches.
        tied: Rows that are as good as the gold's only one: the first of them that is given is that.

    Example:
        >>> matched_rows([("Arden", 1200), ("Bree", 1450)], [(1450.0, "Bree"), (7, "Carn")])
        ['["Bree",1450]', '["Carn",7]']
    """
    if not gold or not predicted or len(gold[0]) != len(predicted[0]):
        return [row_text(row) for row in predicted]
    read = _reader([*gold, *predicted, *tied])
    texts = {tuple(map(read, row)): row_text(row) for row in reversed(gold)}
    wanted = Counter(tuple(map(read, row)) for row in gold)
    cells = [[read(cell) for cell in row] for row in predicted]
    width = len(gold[0])
    orders = permutations(range(width)) if width <= _MOST_COLUMNS else [tuple(range(width))]

    def shared(order: Sequence[int]) -> int:
        return (wanted & Counter(tuple(row[at] for at in order) for row in cells)).total()

    best = max(orders, key=shared)  # the first of several
    others = {tuple(map(read, row)) for row in tied} - wanted.keys()
    found: list[str] = []
    for row, own in zip(predicted, cells, strict=True):
        key = tuple(own[at] for at in best)
        if key in others:
            texts.setdefault(key, row_text(gold[0]))
            others = set()  # a second one is one too many
        found.append(texts.get(key) or row_text([row[at] for at in best]))
    return found


def alike(values: Sequence[Any]) -> bool:
    """Whether values are all the same, as `execution_match` has it."""
    read = _reader([values])
    return len(set(map(read, values))) < 2


def _runs(keys: Sequence[Any]) -> list[int]:
    """For each row the number of its run of equal keys."""
    read = _reader([keys])
    found: list[int] = []
    for at, key in enumerate(keys):
        new = at > 0 and read(key) != read(keys[at - 1])
        found.append(found[-1] + new if found else 0)
    return found


def _match(
    gold: Sequence[Row],
    predicted: Sequence[Row],
    runs: list[int],
    read: Callable[[Any], Hashable],
    more_columns: bool = False,
) -> bool:
    for rows in (gold, predicted):
        if len({len(row) for row in rows}) > 1:
            raise ValueError("the rows of a result differ in length")
    if len(gold) != len(predicted) or not gold:
        return len(gold) == len(predicted)
    if len(gold[0]) > len(predicted[0]) or (not more_columns and len(gold[0]) < len(predicted[0])):
        return False
    ours, theirs = (
        [[read(row[at]) for row in rows] for at in range(len(rows[0]))]
        for rows in (gold, predicted)
    )
    return _permuted(ours, theirs, list(runs), list(runs))


def _permuted(
    gold: list[list[Hashable]],
    theirs: list[list[Hashable]],
    wanted: Sequence[Hashable],
    found: Sequence[Hashable],
) -> bool:
    """Whether columns of theirs can be put beside those of the gold, rows being equal up to there."""
    if not gold:
        return True
    longer = list(zip(wanted, gold[0], strict=True))
    counts = Counter(longer)
    for at, column in enumerate(theirs):
        if column in theirs[:at]:
            continue
        other = list(zip(found, column, strict=True))
        if Counter(other) == counts:
            rest = theirs[:at] + theirs[at + 1 :]
            if _permuted(gold[1:], rest, longer, other):
                return True
    return False


def _reader(rows: Sequence[Row]) -> Callable[[Any], Hashable]:
    """What makes values equal that are the same.

    Args:
        rows: All rows that are compared: numbers of theirs that are close, or joined by such, are one.

    Returns:
        From a value to what equals that of another value if, and only if, they are the same.
    """
    numbers = sorted({(value, isinstance(value, float)) for row in rows for value in _numbers(row)})
    place: dict[int | float, int] = {}
    last: tuple[int | float, bool] | None = None
    for value, real in numbers:
        close = last is not None and (
            value == last[0] or ((real or last[1]) and _close(value, last[0]))
        )
        place[value] = len(place) if last is None else place[last[0]] + (not close)
        last = value, real

    def read(value: Any) -> Hashable:
        if isinstance(value, bool):
            return "bool", value
        if isinstance(value, int | float):
            return "number", place.get(value, -1)
        return _canonical(value, read)

    return read


def _close(one: float, other: float) -> bool:
    try:
        return math.isclose(one, other, rel_tol=_RELATIVE)
    except OverflowError:  # an int beyond floats
        return False


def _numbers(value: Any) -> Iterator[int | float]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool) and value == value:
        yield value


def _published(value: Any) -> Any:
    """As Python compares: True is 1. Raises TypeError for nodes and for lists that Python cannot sort."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return tuple(sorted((key, _published(of)) for key, of in value.items()))
    if type(value) in (list, tuple):
        return tuple(sorted(map(_published, value)))
    if type(value).__name__ == "Duration":  # the driver's, a kind of tuple
        return tuple(value)
    if type(value).__name__ == "Date":  # of the driver too
        return value.iso_format()
    raise TypeError(type(value).__name__)


def _unordered(row: Row) -> tuple[Any, ...]:
    return tuple(sorted((_published(value) for value in row), key=lambda own: f"{own}{type(own)}"))


def _canonical(value: Any, read: Callable[[Any], Hashable]) -> Hashable:
    """A value that is no number, so that equal ones are the same."""
    if value is None:
        return ("null",)
    if isinstance(value, str):
        return "text", composed(value)
    if isinstance(value, datetime.date | datetime.time):
        return "text", value.isoformat()
    if isinstance(value, Mapping) and not hasattr(value, "element_id"):  # as the driver's nodes
        return "map", tuple(sorted(((str(key), read(of)) for key, of in value.items()), key=repr))
    if isinstance(value, list | tuple):
        return "list", tuple(sorted(map(read, value), key=repr))
    if hasattr(value, "iso_format"):  # the driver's dates, times and durations
        return "text", value.iso_format()
    return "thing", object()  # a node, a relation, a path
