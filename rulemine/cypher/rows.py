"""The rows that a query gives, wherever it runs; rows as text, and the objects of files with such rows."""

import datetime
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from rulemine.codec import parse_object, why_unreadable
from rulemine.errors import InputError

__all__ = [
    "ROW_GROUPS", "Failed", "NotRun", "ResultTable", "in_order", "objects_of", "row_of", "row_text",
    "rows_group",
]  # fmt: skip

ROW_GROUPS = {
    "none": 0, "1": 1, "2–5": 5, "6–20": 20, "21–100": 100, ">100": math.inf,
}  # fmt: skip
"""Groups of results by how many rows they have, ascending → most rows."""


def rows_group(rows: int) -> str:
    """The group of a result with so many rows."""
    return next(name for name, most in ROW_GROUPS.items() if rows <= most)


class ResultTable(NamedTuple):
    """The result of a query.

    Attributes:
        columns: The names of its columns.
        rows: Its rows, in the order in which they came.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


class Failed(NamedTuple):
    """A query without a result.

    Attributes:
        code: What kind of failure: the server's code, e.g. ``Neo.ClientError.Statement.SyntaxError``.
        text: The message.
    """

    code: str
    text: str


class NotRun(NamedTuple):
    """A query that was not run because it is outside what is taken here; that says nothing about it.

    Attributes:
        reason: What it has that is not taken, and where.
    """

    reason: str


def row_text(row: Sequence[Any]) -> str:
    """A row as compact JSON: dates and times in ISO form, lists as arrays, maps by their sorted keys.

    -0.0 is 0.0. A node, a relation or a path is an object that says only what it is.

    Example:
        >>> row_text(("Arden", 1200, -0.0, None, ("a", "b"), datetime.date(1200, 5, 1)))
        '["Arden",1200,0.0,null,["a","b"],"1200-05-01"]'
    """
    return json.dumps(
        [_plain(value) for value in row],
        ensure_ascii=False,
        separators=(",", ":"),
        sort_keys=True,
    )


def row_of(text: str) -> tuple[Any, ...]:
    """The row of a text; dates stay texts, lists are tuples.

    Raises:
        ValueError: The text is no JSON array.

    Example:
        >>> row_of('["Arden",1200,null,["a","b"]]')
        ('Arden', 1200, None, ('a', 'b'))
    """
    row = json.loads(text)
    if not isinstance(row, list):
        raise ValueError(f"no JSON array: {text[:40]!r}")
    return tuple(tuple(value) if isinstance(value, list) else value for value in row)


def objects_of(text: str) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """The objects of JSON Lines or of a JSON array, each with its place; a text: why there is none."""
    if text.lstrip().startswith("["):
        try:
            items = json.loads(text)
            json.dumps(items, ensure_ascii=False).encode()  # refuses half of a surrogate pair
        except (ValueError, RecursionError) as problem:
            yield "array", f"is not valid JSON ({why_unreadable(problem)})"
            return
        for number, item in enumerate(items, start=1):
            yield f"item {number}", item if type(item) is dict else f"{item!r:.60} is not an object"
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"line {number}", parse_object(line, "")
            except InputError as problem:
                yield f"line {number}", str(problem).removesuffix(" Fix or remove it.").strip(" .")


def in_order(rows: Iterable[str], keys: Sequence[str]) -> list[str]:
    """Rows as a release has them: in order, but those with equal keys sorted; without keys all sorted."""
    if not keys:
        return sorted(rows)
    runs = groupby(zip(keys, rows, strict=True), key=itemgetter(0))
    return [row for _, run in runs for _, row in sorted(run)]


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if hasattr(value, "iso_format"):  # the driver's dates, times and durations
        return value.iso_format()
    if type(value) in (list, tuple):
        return [_plain(item) for item in value]
    if type(value) is dict:
        return {str(key): _plain(of) for key, of in value.items()}
    return {"type": type(value).__name__}  # a node, a relation, a path
