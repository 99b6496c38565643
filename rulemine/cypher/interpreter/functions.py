"""The functions of Cypher on values: how many arguments of which kinds they take, and what they give."""

import datetime
import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from rulemine.cypher.interpreter.limits import fits
from rulemine.cypher.interpreter.operators import text_of, whole, wrong
from rulemine.cypher.interpreter.values import EvaluationError, PathValue, equal

__all__ = ["FUNCTIONS", "Signature"]


class Signature(NamedTuple):
    """A function.

    Attributes:
        do: What it does with its arguments.
        takes: For each argument, the kinds that it may be, in one text; empty: any.
        gives: The kind of its value; empty: several.
        least: How many arguments it needs.
        nulls: Whether it is asked about null, too; else it gives null for it.
    """

    do: Callable[..., Any]
    takes: tuple[str, ...]
    gives: str = ""
    least: int = -1
    nulls: bool = False


_NUMBER, _TEXT, _LIST, _WHOLE = "Integer Float", "String", "List", "Integer"

_MOST = 2**63 - 1


def _size(value: Any) -> int:
    return len(value)


def _reversed(value: Any) -> Any:
    if isinstance(value, tuple):
        raise EvaluationError("TypeError", "reverse() of a list that a property holds.")
    return value[::-1] if isinstance(value, str) else list(value[::-1])


def _to_integer(value: Any) -> int | None:
    if isinstance(value, str):
        if re.fullmatch(r"[+-]?\d+", value, re.ASCII):
            found = int(value)
            if not -_MOST - 1 <= found <= _MOST:
                raise EvaluationError("TypeError", f"the integer {value} is too large.")
            return found
        number = _to_float(value)
        return None if number is None or math.isnan(number) else _to_integer(number)
    if isinstance(value, float):
        if math.isnan(value):
            return 0
        return int(max(-_MOST - 1, min(_MOST, value))) if abs(value) < _MOST else _capped(value)
    return int(value)


def _capped(value: float) -> int:
    return _MOST if value > 0 else -_MOST - 1


_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def _to_float(value: str | int | float) -> float | None:
    if isinstance(value, str):
        text = value.strip()
        if _FLOAT.fullmatch(text) or text in ("NaN", "Infinity", "-Infinity"):
            return float(text)
        if re.fullmatch(r".*\d[dfDF]|.*0[xX].*[pP].*", text):
            raise NotImplementedError(f"the number {text!r}")
        return None
    return float(value)


def _to_boolean(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return bool(value)


def _substring(text: str, first: int, length: int | None = None) -> str:
    if first < 0 or (length is not None and length < 0):
        raise EvaluationError("ExecutionFailed", "a start or length is negative.")
    return text[first:] if length is None else text[first : first + length]


def _right(text: str, length: int) -> str:
    if length < 0:
        raise EvaluationError("ExecutionFailed", "a length is negative.")
    return text[max(0, len(text) - length) :]


def _replaced(text: str, old: str, new: str) -> str:
    fits((text.count(old) * len(new) + len(text)) // 16)
    return text.replace(old, new)


def _split(text: str, by: Any) -> list[str]:
    if not isinstance(by, str):
        raise NotImplementedError("split() by several texts")
    return text.split(by) if by else list(text)


def _range(first: int, last: int, step: int = 1) -> list[int]:
    if step == 0:
        raise EvaluationError("ArgumentError", "a range with steps of 0.")
    found = range(first, last + (1 if step > 0 else -1), step)
    fits(min(len(found), 2**62) if (last - first) // step < 2**62 else 2**62)
    return list(found)


def _absolute(value: int | float) -> int | float:
    return whole(abs(value)) if isinstance(value, int) else abs(value)


def _rounded(value: float, precision: int = 0, mode: str | None = None) -> float:
    if mode is not None:
        raise NotImplementedError("round() with a mode")
    if precision < 0:
        raise EvaluationError("ArgumentError", "a negative precision of round().")
    value = float(value)
    if not math.isfinite(value):
        return value
    if precision == 0:
        return value if abs(value) >= 2**52 else float(math.floor(value + 0.5))
    with_digits = Decimal(repr(value)).quantize(
        Decimal(1).scaleb(-min(precision, 300)), ROUND_HALF_UP
    )
    return float(with_digits)


def _log(value: float) -> float:
    return -math.inf if value == 0 else math.nan if value < 0 else math.log(value)


def _log10(value: float) -> float:
    return -math.inf if value == 0 else math.nan if value < 0 else math.log10(value)


def _root(value: float) -> float:
    return math.sqrt(value) if value >= 0 else math.nan


def _keys(thing: Any) -> list[str]:
    return sorted(thing if isinstance(thing, dict) else thing.properties)


def _properties(thing: Any) -> dict[str, Any]:
    return dict(thing if isinstance(thing, dict) else thing.properties)


_DATE = re.compile(r"\+?(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?|(\d{2})(\d{2})?)?", re.ASCII)


def _date(value: Any = "") -> datetime.date:
    if isinstance(value, datetime.date):
        return value
    if value == "":
        return datetime.datetime.now(datetime.UTC).date()
    if isinstance(value, dict):
        if not set(value) <= {"year", "month", "day"}:
            raise NotImplementedError("date() of a map with other keys than year, month and day")
        parts = [value.get(name) for name in ("year", "month", "day")]
        if any(part is not None and type(part) is not int for part in parts):
            raise wrong("make a date of", *parts)
        if parts[0] is None or (parts[1] is None and parts[2] is not None):
            raise EvaluationError("ArgumentError", "a date without a year or a month.")
        year, month, day = (1 if part is None else part for part in parts)
    else:
        found = _DATE.fullmatch(value)
        if found is None:
            if re.fullmatch(r"[-+]?\d{4,}(-?[WQ\d]\d*(-?\d+)?)?(-\d+)*", value, re.ASCII):
                raise NotImplementedError(f"the date {value!r}")
            raise EvaluationError("SyntaxError", f"{value[:40]!r} is no date.")
        year = int(found[1])
        month, day = int(found[2] or found[4] or 1), int(found[3] or found[5] or 1)
    if year < 1 or year > 9999:
        raise NotImplementedError("years before 1 and after 9999")
    try:
        return datetime.date(year, month, day)
    except ValueError as problem:
        raise EvaluationError("SyntaxError", f"no date: {problem}.") from None


def _nodes(path: PathValue) -> list[Any]:
    return list(path.nodes)


def _null_if(one: Any, other: Any) -> Any:
    return None if equal(one, other) else one


_ENTITY = "Node Relationship Map"

FUNCTIONS: dict[str, Signature] = {
    "size": Signature(_size, ("String List",), "Integer"),
    "char_length": Signature(_size, (_TEXT,), "Integer"),
    "character_length": Signature(_size, (_TEXT,), "Integer"),
    "isempty": Signature(lambda value: not value, ("String List Map",), "Boolean"),
    "length": Signature(lambda path: len(path.edges), ("Path",), "Integer"),
    "nodes": Signature(_nodes, ("Path",), "List<Node>"),
    "relationships": Signature(lambda path: list(path.edges), ("Path",), "List<Relationship>"),
    "head": Signature(lambda items: items[0] if items else None, (_LIST,)),
    "last": Signature(lambda items: items[-1] if items else None, (_LIST,)),
    "tail": Signature(lambda items: list(items[1:]), (_LIST,), "List"),
    "reverse": Signature(_reversed, ("String List",)),
    "range": Signature(_range, (_WHOLE, _WHOLE, _WHOLE), "List<Integer>", 2, nulls=True),
    "tolower": Signature(str.lower, (_TEXT,), "String"),
    "toupper": Signature(str.upper, (_TEXT,), "String"),
    "lower": Signature(str.lower, (_TEXT,), "String"),
    "upper": Signature(str.upper, (_TEXT,), "String"),
    "trim": Signature(str.strip, (_TEXT,), "String"),
    "ltrim": Signature(str.lstrip, (_TEXT,), "String"),
    "rtrim": Signature(str.rstrip, (_TEXT,), "String"),
    "btrim": Signature(str.strip, (_TEXT,), "String"),
    "substring": Signature(_substring, (_TEXT, _WHOLE, _WHOLE), "String", 2),
    "left": Signature(lambda text, length: _substring(text, 0, length), (_TEXT, _WHOLE), "String"),
    "right": Signature(_right, (_TEXT, _WHOLE), "String"),
    "replace": Signature(_replaced, (_TEXT, _TEXT, _TEXT), "String"),
    "split": Signature(_split, (_TEXT, "String List"), "List<String>"),
    "tointeger": Signature(_to_integer, ("Integer Float String Boolean",), "Integer"),
    "tofloat": Signature(_to_float, ("Integer Float String",), "Float"),
    "tostring": Signature(text_of, ("Integer Float String Boolean Date",), "String"),
    "toboolean": Signature(_to_boolean, ("Boolean String Integer",), "Boolean"),
    "abs": Signature(_absolute, (_NUMBER,), "Integer|Float"),
    "sign": Signature(lambda value: (value > 0) - (value < 0), (_NUMBER,), "Integer"),
    "round": Signature(_rounded, (_NUMBER, _WHOLE, _TEXT), "Float", 1),
    "floor": Signature(lambda value: _towards(math.floor, value), (_NUMBER,), "Float"),
    "ceil": Signature(lambda value: _towards(math.ceil, value), (_NUMBER,), "Float"),
    "sqrt": Signature(_root, (_NUMBER,), "Float"),
    "log": Signature(_log, (_NUMBER,), "Float"),
    "log10": Signature(_log10, (_NUMBER,), "Float"),
    "date": Signature(_date, ("String Map Date",), "Date", 0),
    "labels": Signature(lambda node: [node.type], ("Node",), "List<String>"),
    "type": Signature(lambda edge: edge.type, ("Relationship",), "String"),
    "id": Signature(lambda thing: thing.at, ("Node Relationship",), "Integer"),
    "elementid": Signature(
        lambda thing: f"{'4' if hasattr(thing, 'out') else '5'}::{thing.at}",
        ("Node Relationship",),
        "String",
    ),
    "startnode": Signature(lambda edge: edge.start, ("Relationship",), "Node"),
    "endnode": Signature(lambda edge: edge.end, ("Relationship",), "Node"),
    "properties": Signature(_properties, (_ENTITY,), "Map"),
    "keys": Signature(_keys, (_ENTITY,), "List<String>"),
    "nullif": Signature(_null_if, ("", ""), nulls=True),
}
"""Function in lower case → its signature."""


def _towards(which: Callable[[float], int], value: Any) -> float:
    value = float(value)
    return math.copysign(float(which(value)), value) if math.isfinite(value) else value
