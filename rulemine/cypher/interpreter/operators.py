"""The operators and functions of Cypher on values, as Neo4j 5.26 has them."""

import datetime
import math
import operator
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from rulemine.cypher.interpreter.values import (
    MOST_KEPT,
    EdgeValue,
    EvaluationError,
    NodeValue,
    compared,
    decided,
    equal,
    fits,
    kind_of,
)

__all__ = [
    "ARITHMETIC",
    "COMPARISONS",
    "FUNCTIONS",
    "Signature",
    "at",
    "get",
    "inside",
    "sliced",
    "text_of",
    "truth",
    "whole",
]

_LEAST, _MOST = -(2**63), 2**63 - 1

_NUMBERS = {int, float}

_LONGEST = 16 * MOST_KEPT
"""Characters of a text."""

_TRIES = 10**8
"""Ways to match a regular expression, at worst, that are tried."""


def wrong(action: str, *values: Any) -> EvaluationError:
    """The error of values that something cannot be done with."""
    return EvaluationError("TypeError", f"cannot {action} {' and '.join(map(kind_of, values))}.")


def whole(number: int) -> int:
    """An integer of 64 bits.

    Raises:
        EvaluationError: It has more.
    """
    if not _LEAST <= number <= _MOST:
        raise EvaluationError("ArithmeticError", f"{number} has more than 64 bits.")
    return number


def truth(value: Any) -> bool | None:
    """A value as a condition.

    Raises:
        EvaluationError: It is none.
        NotImplementedError: It is a list, which Neo4j may take for one.
    """
    if value is None or value is True or value is False:
        return value
    if isinstance(value, list | tuple):
        raise NotImplementedError("a list as a condition")
    raise EvaluationError("TypeError", f"a {kind_of(value)} is no condition.")


def text_of(value: Any) -> str:
    """A text, number, truth value or date as Neo4j writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float_text(value)
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def _float_text(value: float) -> str:
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else "-Infinity" if value < 0 else "Infinity"
    sign, digits, exponent = ("-" if math.copysign(1, value) < 0 else ""), "", 0
    mantissa, _, power = f"{abs(value)!r}".partition("e")
    first, _, rest = mantissa.partition(".")
    if not power and 1e-3 <= abs(value) < 1e7:
        return f"{sign}{first}.{rest or '0'}"
    if not value:
        return f"{sign}0.0"
    digits = (first + rest).lstrip("0")
    exponent = int(power or 0) + len(first) - 1
    if first == "0":
        exponent = int(power or 0) - 1 - (len(rest) - len(rest.lstrip("0")))
    digits = digits.rstrip("0") or "0"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"


def _plus(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return None
    lists = isinstance(one, list | tuple), isinstance(other, list | tuple)
    if any(lists):
        left = [*one] if lists[0] else [one]
        right = other if lists[1] else [other]
        fits(len(left) + len(right))
        return [*left, *right]
    if isinstance(one, str) or isinstance(other, str):
        for value in (one, other):
            if not isinstance(value, str | int | float | bool | datetime.date):
                raise wrong("add", one, other)
        return _fitting(text_of(one) + text_of(other))
    return _added(one, other)


def _fitting(text: str) -> str:
    fits(len(text) * MOST_KEPT // _LONGEST)
    return text


def _joined(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return None
    for kinds in (str, (list, tuple)):
        if isinstance(one, kinds) and isinstance(other, kinds):
            return _plus(one, other)
    raise wrong("concatenate", one, other)


def _numeric(action: str, do: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator on numbers alone; null of null."""

    def checked(one: Any, other: Any) -> Any:
        if one is None or other is None:
            return None
        if not {type(one), type(other)} <= _NUMBERS:
            raise wrong(action, one, other)
        found = do(one, other)
        return whole(found) if type(found) is int else found

    return checked


def _divided(one: Any, other: Any) -> Any:
    if type(one) is int and type(other) is int:
        if other == 0:
            raise EvaluationError("ArithmeticError", "division by zero.")
        found = abs(one) // abs(other)
        return found if (one < 0) == (other < 0) else -found
    if other == 0:
        if one == 0 or one != one:
            return math.nan
        return math.copysign(math.inf, one) * math.copysign(1, other)
    return one / other


def _remainder(one: Any, other: Any) -> Any:
    if type(one) is int and type(other) is int:
        if other == 0:
            raise EvaluationError("ArithmeticError", "division by zero.")
        found = abs(one) % abs(other)
        return found if one >= 0 else -found
    return math.nan if other == 0 or math.isinf(one) else math.fmod(one, other)


def _power(one: Any, other: Any) -> float:
    try:
        return math.pow(one, other)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.inf if one == 0 else math.nan


_added = _numeric("add", operator.add)

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": _plus,
    "||": _joined,
    "-": _numeric("subtract", operator.sub),
    "*": _numeric("multiply", operator.mul),
    "/": _numeric("divide", _divided),
    "%": _numeric("calculate the remainder of", _remainder),
    "^": _numeric("raise", _power),
}
"""Operator → what it makes of two values."""


def _ordered(holds: Callable[[int], bool]) -> Callable[[Any, Any], bool | None]:
    def compare(one: Any, other: Any) -> bool | None:
        found = compared(one, other)
        if found == 0 and (one != one or other != other):  # NaN
            return False
        return None if found is None else holds(found)

    return compare


def inside(value: Any, items: Any) -> bool | None:
    """``value IN items``; a value that is no list is a list of one."""
    if items is None:
        return None
    listed = items if isinstance(items, list | tuple) else (items,)
    return decided((equal(value, item) for item in listed), True)


def _texts(test: Callable[[str, str], bool]) -> Callable[[Any, Any], bool | None]:
    def check(one: Any, other: Any) -> bool | None:
        return test(one, other) if isinstance(one, str) and isinstance(other, str) else None

    return check


def _fits_pattern(text: Any, pattern: Any) -> bool | None:
    if text is None or pattern is None:
        return None
    if not isinstance(pattern, str) or not isinstance(text, str):
        raise wrong("match", text, pattern)
    read, loops = _pattern(pattern)
    if (len(text) + 1) ** loops > _TRIES:
        raise NotImplementedError("a regular expression that may take very long")
    return read.fullmatch(text) is not None


_SIMPLE = re.compile(
    r"(?:\(\?[is]+\))?(?:[^\\()\[\]{}*+?|^$]|\\[dwsDWSbB]|\\\W|\[\^?[^\\\[\]&]+\]|\(\?:|[()|^$]|[*+?]"
    r"|\{\d+(?:,\d*)?\})*+"
)
"""Regular expressions that mean the same in Java and here."""


@lru_cache(maxsize=64)
def _pattern(text: str) -> tuple[re.Pattern[str], int]:
    """A regular expression that means the same in Java, and how many loops it has."""
    if not _SIMPLE.fullmatch(text) or re.search(r"\)[*+{]|[*+?}][*+{]", text):
        raise NotImplementedError(f"the regular expression {text!r}")
    line = r"[^\n\r\u0085\u2028\u2029]"
    flags = re.match(r"\(\?([is]+)\)", text)
    every = flags is not None and "s" in flags[1]
    body = text if every else re.sub(r"(\\.|\[[^\]]*\])|\.", lambda found: found[1] or line, text)
    try:
        return re.compile(body, re.ASCII), len(re.findall(r"(?<!\\)[*+]|\{\d+,", text))
    except re.error as problem:
        raise EvaluationError("SemanticError", f"invalid regular expression: {problem}.") from None


COMPARISONS: dict[str, Callable[[Any, Any], bool | None]] = {
    "=": equal,
    "<>": lambda one, other: None if (same := equal(one, other)) is None else not same,
    "<": _ordered(lambda found: found < 0),
    "<=": _ordered(lambda found: found <= 0),
    ">": _ordered(lambda found: found > 0),
    ">=": _ordered(lambda found: found >= 0),
    "in": inside,
    "starts": _texts(str.startswith),
    "ends": _texts(str.endswith),
    "contains": _texts(str.__contains__),
    "=~": _fits_pattern,
}
"""Operator → whether it holds of two values; None: it is not known."""

_DATE_FIELDS: dict[str, Callable[[datetime.date], int]] = {
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month + 2) // 3,
    "month": lambda day: day.month,
    "week": lambda day: day.isocalendar()[1],
    "weekYear": lambda day: day.isocalendar()[0],
    "dayOfQuarter": lambda day: (
        (day - datetime.date(day.year, (day.month - 1) // 3 * 3 + 1, 1)).days + 1
    ),
    "day": lambda day: day.day,
    "ordinalDay": lambda day: day.timetuple().tm_yday,
    "dayOfWeek": datetime.date.isoweekday,
    "weekDay": datetime.date.isoweekday,
    "weekday": datetime.date.isoweekday,
}


def get(thing: Any, name: str) -> Any:
    """``thing.name``."""
    if isinstance(thing, NodeValue | EdgeValue):
        return thing.properties.get(name)
    if thing is None:
        return None
    if isinstance(thing, dict):
        return thing.get(name)
    if isinstance(thing, datetime.date):
        if name not in _DATE_FIELDS:
            raise EvaluationError("TypeError", f"dates have no field {name}.")
        return _DATE_FIELDS[name](thing)
    raise EvaluationError("TypeError", f"a {kind_of(thing)} has no property {name}.")


def at(thing: Any, index: Any) -> Any:
    """``thing[index]``."""
    if thing is None or index is None:
        return None
    if isinstance(thing, list | tuple):
        if type(index) is not int:
            raise EvaluationError("TypeError", f"a {kind_of(index)} is no index of a list.")
        return thing[index] if -len(thing) <= index < len(thing) else None
    if isinstance(index, str):
        return get(thing, index)
    raise EvaluationError("TypeError", f"a {kind_of(index)} is no index of a {kind_of(thing)}.")


def sliced(thing: Any, first: Any, last: Any) -> Any:
    """``thing[first..last]``."""
    if thing is None or first is None or last is None:
        return None
    if not isinstance(thing, list | tuple) or type(first) is not int or type(last) is not int:
        raise wrong("slice", thing, first, last)
    return list(thing[first:last])


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


def _reversed(value: Any) -> Any:
    if isinstance(value, tuple):
        raise EvaluationError("TypeError", "reverse() of a list that a property holds.")
    return value[::-1] if isinstance(value, str) else list(value[::-1])


def _to_integer(value: Any) -> int | None:
    if isinstance(value, str):
        if re.fullmatch(r"[+-]?\d+", value, re.ASCII):
            found = int(value)
            if not _LEAST <= found <= _MOST:
                raise EvaluationError("TypeError", f"the integer {value} is too large.")
            return found
        number = _to_float(value)
        return None if number is None or math.isnan(number) else _to_integer(number)
    if isinstance(value, float):
        if abs(value) < _MOST:
            return int(value)
        return 0 if math.isnan(value) else _MOST if value > 0 else _LEAST
    return int(value)


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


_BOOLEANS = {"true": True, "false": False}


def _substring(text: str, first: int, length: int | None = None) -> str:
    if first < 0 or (length is not None and length < 0):
        raise EvaluationError("ExecutionFailed", "a start or length is negative.")
    return text[first:] if length is None else text[first : first + length]


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


def _logarithm(of: Callable[[float], float], value: float) -> float:
    return -math.inf if value == 0 else math.nan if value < 0 else of(value)


def _held(thing: Any) -> Any:
    """The properties of a node or relation; a map itself."""
    return thing if isinstance(thing, dict) else thing.properties


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


_ENTITY = "Node Relationship Map"

FUNCTIONS: dict[str, Signature] = {
    "size": Signature(len, ("String List",), "Integer"),
    "char_length": Signature(len, (_TEXT,), "Integer"),
    "character_length": Signature(len, (_TEXT,), "Integer"),
    "isempty": Signature(lambda value: not value, ("String List Map",), "Boolean"),
    "length": Signature(lambda path: len(path.edges), ("Path",), "Integer"),
    "nodes": Signature(lambda path: list(path.nodes), ("Path",), "List<Node>"),
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
    "right": Signature(
        lambda text, n: _substring(text, max(0, len(text) - n), n), (_TEXT, _WHOLE), "String"
    ),
    "replace": Signature(_replaced, (_TEXT, _TEXT, _TEXT), "String"),
    "split": Signature(_split, (_TEXT, "String List"), "List<String>"),
    "tointeger": Signature(_to_integer, ("Integer Float String Boolean",), "Integer"),
    "tofloat": Signature(_to_float, ("Integer Float String",), "Float"),
    "tostring": Signature(text_of, ("Integer Float String Boolean Date",), "String"),
    "toboolean": Signature(
        lambda value: (
            _BOOLEANS.get(value.strip().lower()) if isinstance(value, str) else bool(value)
        ),
        ("Boolean String Integer",),
        "Boolean",
    ),
    "abs": Signature(
        lambda v: whole(abs(v)) if isinstance(v, int) else abs(v), (_NUMBER,), "Integer|Float"
    ),
    "sign": Signature(lambda value: (value > 0) - (value < 0), (_NUMBER,), "Integer"),
    "round": Signature(_rounded, (_NUMBER, _WHOLE, _TEXT), "Float", 1),
    "floor": Signature(lambda value: _towards(math.floor, value), (_NUMBER,), "Float"),
    "ceil": Signature(lambda value: _towards(math.ceil, value), (_NUMBER,), "Float"),
    "sqrt": Signature(
        lambda value: math.sqrt(value) if value >= 0 else math.nan, (_NUMBER,), "Float"
    ),
    "log": Signature(lambda value: _logarithm(math.log, value), (_NUMBER,), "Float"),
    "log10": Signature(lambda value: _logarithm(math.log10, value), (_NUMBER,), "Float"),
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
    "properties": Signature(lambda thing: dict(_held(thing)), (_ENTITY,), "Map"),
    "keys": Signature(lambda thing: sorted(_held(thing)), (_ENTITY,), "List<String>"),
    "nullif": Signature(
        lambda one, other: None if equal(one, other) else one, ("", ""), nulls=True
    ),
}
"""Function in lower case → its signature."""


def _towards(which: Callable[[float], int], value: Any) -> float:
    value = float(value)
    return math.copysign(float(which(value)), value) if math.isfinite(value) else value
