"""Literals of RDF as values of properties.

Integers of every kind are int, decimals without a fraction too, other numbers float. A ``dateTime`` is the
day that it is written with, whatever its zone; a ``gYear`` is an int. What has no such value is `Strange`.
"""

import datetime
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from rulemine.kg.property_graph.observed import Strange

__all__ = ["Text", "in_language", "language_rank", "literal_value"]

_XSD = "http://www.w3.org/2001/XMLSchema#"
_INTEGERS = frozenset(
    (
        "integer", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger",
        "nonPositiveInteger", "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort",
        "unsignedByte",
    )
)  # fmt: skip
_TEXTS = frozenset(("string", "langString", "normalizedString", "token", "anyURI", "language"))
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_DOUBLE = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF|NaN")
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_ZONE = r"(Z|[+-][0-9]{2}:[0-9]{2})?"
_DATE = re.compile(rf"([+-]?[0-9]{{4,}})-([0-9]{{2}})-([0-9]{{2}})(T[0-9:.]+)?{_ZONE}")
_YEAR = re.compile(rf"([+-]?[0-9]{{4,}}){_ZONE}")


class Text(NamedTuple):
    """A text with its language, in lower case; "": none."""

    text: str
    language: str


def literal_value(text: str, datatype: str, language: str = "") -> Any:
    """The value of a literal: an int, float, bool, date or `Text`; `Strange` if it has none.

    Args:
        text: As it is written.
        datatype: The IRI of its datatype.
        language: Its language; "": none.

    Example:
        >>> literal_value("2000-05-01T23:30:00-05:00", "http://www.w3.org/2001/XMLSchema#dateTime")
        datetime.date(2000, 5, 1)
    """
    kind = re.split("[/#]", datatype)[-1]
    if kind in _TEXTS:
        return Text(text, language.lower()) if text.strip() else Strange("empty", text)
    read = (
        _READERS.get("integer" if kind in _INTEGERS else kind)
        if datatype.startswith(_XSD)
        else None
    )
    if read is None:
        return Strange(f"of the datatype {kind}", text)
    found = read(text.strip())
    return Strange(f"not written as {kind} is", text) if found is None else found


def _integer(text: str) -> Any:
    if not _INTEGER.fullmatch(text):
        return None
    return int(text) if -(2**63) <= int(text) < 2**63 else Strange("of more than 64 bits", text)


def _decimal(text: str) -> Any:
    if _INTEGER.fullmatch(text):
        return _integer(text)
    return float(text) if _DECIMAL.fullmatch(text) else None


def _double(text: str) -> Any:
    if not _DOUBLE.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else Strange("not finite", text)


def _date(text: str) -> Any:
    if not (found := _DATE.fullmatch(text)):
        return None
    try:
        return datetime.date(*map(int, found.groups()[:3]))
    except ValueError:
        return Strange("dates out of bounds", text)


def _year(text: str) -> Any:
    return int(found[1]) if (found := _YEAR.fullmatch(text)) else None


_READERS: Mapping[str, Callable[[str], Any]] = {
    "integer": _integer,
    "decimal": _decimal,
    "double": _double,
    "float": _double,
    "boolean": _TRUTH.get,
    "date": _date,
    "dateTime": _date,
    "dateTimeStamp": _date,
    "gYear": _year,
}


def language_rank(language: str, wanted: str) -> tuple[int, str]:
    """How well a language fits, the least best: the wanted one, its varieties, none, then others by name."""
    if language == wanted:
        return 0, ""
    if language.startswith(f"{wanted}-"):
        return 1, language
    return (3, language) if language else (2, "")


def in_language(values: Iterable[Any], wanted: str) -> tuple[Any, ...]:
    """Values, of their texts only those in the language that fits best, as plain texts; none twice."""
    values = list(values)
    ranks = [language_rank(value.language, wanted) for value in values if isinstance(value, Text)]
    best = min(ranks, default=None)
    kept = (
        value.text if isinstance(value, Text) else value
        for value in values
        if not isinstance(value, Text) or language_rank(value.language, wanted) == best
    )
    return tuple(dict.fromkeys(kept))
