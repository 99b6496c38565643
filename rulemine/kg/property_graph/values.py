"""The values of properties and their datatypes, those of CypherBench's SimpleKG."""

import datetime
import math
import re
from typing import Any, NamedTuple

__all__ = [
    "DATATYPES",
    "Measured",
    "Scalar",
    "Strange",
    "Value",
    "fits",
    "from_plain",
    "from_text",
    "is_list",
    "to_plain",
]

Scalar = str | int | float | bool | datetime.date
Value = Scalar | tuple[Scalar, ...]
"""What a property may be. A list is a tuple of scalars of one datatype."""

DATATYPES = (
    "str", "int", "float", "bool", "date", "list[str]", "list[int]", "list[float]", "list[date]",
)  # fmt: skip

_CLASSES = {"str": str, "int": int, "float": float, "bool": bool, "date": datetime.date}

_LARGEST = 10**300
"""Larger integers are no floating point numbers."""

_LONGEST_NUMBER = 400
"""Digits that a number in a table may have."""


class Strange(NamedTuple):
    """A value that no property can have: what it is, in the plural, and its text."""

    kind: str
    text: str


class Measured(NamedTuple):
    """A number with its unit, as ``pint`` calls it; "": none."""

    number: int | float
    unit: str


def is_list(datatype: str) -> bool:
    """Whether values of a datatype are lists."""
    return datatype.startswith("list[")


def fits(value: object, datatype: str) -> bool:
    """Whether a value is of a datatype; truth values are no numbers, integers have 64 bits."""
    if is_list(datatype):
        inner = datatype[5:-1]
        return isinstance(value, tuple) and all(fits(item, inner) for item in value)
    if isinstance(value, bool | datetime.datetime):
        return datatype == "bool" and isinstance(value, bool)
    if isinstance(value, float) and not math.isfinite(value):
        return False
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return False
    return isinstance(value, _CLASSES[datatype])


def from_plain(plain: Any, datatype: str) -> Value | None:
    """The value that a JSON value stands for: dates are ISO texts, integers may stand for floats.

    Returns:
        None: It is no value of the datatype.
    """
    if is_list(datatype):
        if not isinstance(plain, list | tuple):
            return None
        items = [from_plain(item, datatype[5:-1]) for item in plain]
        known = tuple(item for item in items if item is not None and not isinstance(item, tuple))
        return known if len(known) == len(items) else None
    if datatype == "date" and isinstance(plain, str):
        try:
            return datetime.date.fromisoformat(plain) if len(plain) == len("2000-01-01") else None
        except ValueError:
            return None
    if datatype == "float" and isinstance(plain, int) and not isinstance(plain, bool):
        return float(plain) if abs(plain) < _LARGEST else None
    return plain if fits(plain, datatype) else None


_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_FIRST_DAYS = {4: "-01-01", 7: "-01"}


def from_text(text: str, datatype: str, precision: str = "", separator: str = ";") -> Value | None:
    """The value that a cell of a table stands for.

    Args:
        text: The cell; dates are ISO dates, truth values true, yes, 1, false, no or 0.
        datatype: Its datatype.
        precision: ``year``: dates may lack the day, or month and day, and stand for the first.
        separator: What separates the items of lists; empty items are none.

    Returns:
        None: It is no value of the datatype.
    """
    text = text.strip()
    plain: Any = text
    if is_list(datatype):
        items = [item for item in text.split(separator) if item.strip()]
        plain = [from_text(item, datatype[5:-1], precision) for item in items]
        plain = [to_plain(item) for item in plain if item is not None]
        return from_plain(plain, datatype) if len(plain) == len(items) else None
    if datatype == "int":
        plain = int(text) if _INTEGER.fullmatch(text) else None
    elif datatype == "float":
        plain = float(text) if len(text) < _LONGEST_NUMBER and _NUMBER.fullmatch(text) else None
    elif datatype == "bool":
        plain = _TRUTH.get(text.casefold())
    elif datatype == "date" and precision == "year":
        plain = text + _FIRST_DAYS.get(len(text), "")
    return from_plain(plain, datatype)


def to_plain(value: Value) -> Any:
    """A value as JSON has it."""
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime.date) else value
