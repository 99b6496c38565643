"""The operators of Cypher on values, as Neo4j 5.26 has them."""

import datetime
import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from rulemine.cypher.interpreter.limits import MOST_KEPT, fits
from rulemine.cypher.interpreter.values import (
    EdgeValue,
    EvaluationError,
    NodeValue,
    compared,
    equal,
    kind_of,
)

__all__ = [
    "ARITHMETIC",
    "COMPARISONS",
    "at",
    "get",
    "inside",
    "sliced",
    "text_of",
    "truth",
    "whole",
]

_LEAST, _MOST = -(2**63), 2**63 - 1

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


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _plus(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return None
    if _is_number(one) and _is_number(other):
        found = one + other
        return whole(found) if type(found) is int else found
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
    raise wrong("add", one, other)


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
    def checked(one: Any, other: Any) -> Any:
        if one is None or other is None:
            return None
        if not (_is_number(one) and _is_number(other)):
            raise wrong(action, one, other)
        return do(one, other)

    return checked


def _minus(one: Any, other: Any) -> Any:
    found = one - other
    return whole(found) if type(found) is int else found


def _times(one: Any, other: Any) -> Any:
    found = one * other
    return whole(found) if type(found) is int else found


def _divided(one: Any, other: Any) -> Any:
    if type(one) is int and type(other) is int:
        if other == 0:
            raise EvaluationError("ArithmeticError", "division by zero.")
        found = abs(one) // abs(other)
        return whole(found if (one < 0) == (other < 0) else -found)
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


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": _plus,
    "||": _joined,
    "-": _numeric("subtract", _minus),
    "*": _numeric("multiply", _times),
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


def _unequal(one: Any, other: Any) -> bool | None:
    found = equal(one, other)
    return None if found is None else not found


def inside(value: Any, items: Any) -> bool | None:
    """``value IN items``; a value that is no list is a list of one."""
    if items is None:
        return None
    known: bool | None = False
    for item in items if isinstance(items, list | tuple) else (items,):
        same = equal(value, item)
        if same:
            return True
        if same is None:
            known = None
    return known


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
    "<>": _unequal,
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
