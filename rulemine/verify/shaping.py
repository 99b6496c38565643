"""What the shapes of records are made of; see `rulemine.verify.shapes`."""

import math
import re
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from rulemine.verify.report import shown

__all__ = [
    "Misfit", "Shape", "anything", "array", "integer", "is_name", "like", "line", "mapping", "misfit_of",
    "name", "nothing", "nullable", "number", "one_of", "positive", "record", "rule_id", "share", "text",
    "triple", "truth", "value",
]  # fmt: skip

_NAME = re.compile(r"\S(?:[^\t\n\r]*\S)?")


class Misfit(NamedTuple):
    """Why a value does not fit a shape."""

    found: str
    expected: str


Shape = Callable[[Any, str], Misfit | None]


def misfit_of(value: Any, place: str, expected: str) -> Misfit:
    """Why a value does not fit."""
    return Misfit(f"{place or 'the line'} = {shown(value)}", expected)


def record(required: dict[str, Shape], optional: dict[str, Shape] | None = None) -> Shape:
    """An object with all required keys, maybe some optional ones, and no others."""
    known = {**required, **(optional or {})}

    def fits(value: Any, place: str) -> Misfit | None:
        if not isinstance(value, dict):
            return misfit_of(value, place, "an object")
        missing = [key for key in required if key not in value]
        unknown = [key for key in value if key not in known]
        if missing or unknown:
            parts = [f"no key {', '.join(map(repr, missing))}"] if missing else []
            parts += [f"unknown key {', '.join(map(shown, unknown))}"] if unknown else []
            return Misfit(" and ".join(parts), f"the keys {', '.join(required)}")
        prefix = f"{place}." if place else ""
        for key, item in value.items():
            if (misfit := known[key](item, prefix + key)) is not None:
                return misfit
        return None

    return fits


def array(item: Shape, least: int = 0, length: int | None = None) -> Shape:
    """An array of items of one shape, of a minimal or an exact length."""

    def fits(value: Any, place: str) -> Misfit | None:
        if not isinstance(value, list):
            return misfit_of(value, place, "an array")
        if len(value) < least or (length is not None and len(value) != length):
            wanted = f"at least {least}" if length is None else str(length)
            return misfit_of(value, place, f"{wanted} item(s)")
        for position, entry in enumerate(value):
            if (misfit := item(entry, f"{place}[{position}]")) is not None:
                return misfit
        return None

    return fits


def value(fits: Callable[[Any], bool], expected: str) -> Shape:
    """A value that passes a test."""
    return lambda value, place: None if fits(value) else misfit_of(value, place, expected)


def integer(low: int, high: float = math.inf) -> Shape:
    """An integer in a range; true and false are not integers."""
    expected = f"an integer {low} … {'' if high == math.inf else high}".rstrip()
    return value(lambda value: type(value) is int and low <= value <= high, expected)


def nullable(shape: Shape) -> Shape:
    """null, or a value of a shape."""
    return lambda value, place: None if value is None else shape(value, place)


def is_name(value: str) -> bool:
    """Whether a text can be a label in a TSV file."""
    return _NAME.fullmatch(value) is not None


def one_of(values: Collection[str]) -> Shape:
    """One of the given texts."""
    fits = frozenset(values)
    return value(lambda v: isinstance(v, str) and v in fits, f"one of {', '.join(values)}")


def like(pattern: str, expected: str) -> Shape:
    """Text that matches a whole pattern."""
    matches = re.compile(pattern).fullmatch
    return value(lambda v: isinstance(v, str) and matches(v) is not None, expected)


_is_number = frozenset((int, float)).__contains__  # true and false are none
share = value(lambda v: _is_number(type(v)) and 0 < v <= 1, "a number above 0 and at most 1")
positive = value(lambda v: _is_number(type(v)) and 0 < v < math.inf, "a number above 0")
nothing = value(lambda v: v is None, "null")
text = value(lambda v: isinstance(v, str), "text")
_a_name = "a name (text without tab, line break or blanks at its ends)"
name = value(lambda v: isinstance(v, str) and is_name(v), _a_name)
truth = value(lambda v: isinstance(v, bool), "true or false")
anything = value(lambda _: True, "any JSON value")


def mapping(item: Shape) -> Shape:
    """An object with any keys and values of one shape."""

    def fits(value: Any, place: str) -> Misfit | None:
        if not isinstance(value, dict):
            return misfit_of(value, place, "an object")
        for key, entry in value.items():
            if (misfit := item(entry, f"{place}[{shown(key)}]")) is not None:
                return misfit
        return None

    return fits


line = like(r"[^\t\n\r]+", "a line of text")
rule_id = like(r"[0-9a-f]{12}", "12 hexadecimal digits")
triple = array(name, length=3)


def number(low: float, high: float) -> Shape:
    """A number in a range."""
    expected = f"a number from {low:g} to {high:g}"
    return value(lambda v: _is_number(type(v)) and low <= v <= high, expected)
