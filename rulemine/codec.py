"""JSON by msgspec: one-line texts, and the typed records that they hold.

Guarantees: the same value gives the same text; characters are written as they are, in UTF-8; NaN, infinities
and halves of surrogate pairs are neither written nor read.
"""

import dataclasses
import datetime
import functools
import json
import typing
from collections.abc import Mapping
from textwrap import shorten
from typing import Any, NamedTuple, TypeVar

import msgspec

from rulemine.errors import InputError

__all__ = [
    "Slot",
    "dump_line",
    "from_json",
    "parse_object",
    "shown",
    "slots_of",
    "to_json",
    "why_unreadable",
]

_R = TypeVar("_R")

_HUGE = 10**300
_SHORT = 80  # characters of a value that a message shows


class Slot(NamedTuple):
    """A field of a record class.

    Attributes:
        name: Its name.
        hint: Its type, resolved.
        option: What its metadata have under ``option``.
        default: Its default; ``dataclasses.MISSING``: it has none.
    """

    name: str
    hint: Any
    option: Any
    default: Any


@functools.cache  # resolving types takes long
def _slots(kind: type) -> tuple[Slot, ...]:
    hints, missing = typing.get_type_hints(kind), dataclasses.MISSING
    return tuple(
        Slot(
            f.name,
            hints[f.name],
            f.metadata.get("option"),
            f.default if f.default_factory is missing else f.default_factory(),
        )
        for f in dataclasses.fields(kind)
        if not f.metadata.get("aside")
    )


def slots_of(kind: type) -> tuple[Slot, ...]:
    """The fields of a record class, in order, but for those whose metadata say ``aside``."""
    return _slots(kind)


def to_json(record: Any) -> dict[str, Any]:
    """A record as a JSON object: its fields in their order, then what its class names in ``fixed_values``."""
    names = [slot.name for slot in slots_of(type(record))]
    return {n: _plain(getattr(record, n)) for n in (*names, *getattr(record, "fixed_values", ()))}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return to_json(value) if dataclasses.is_dataclass(value) else value


def from_json(kind: type[_R], row: Any, where: str) -> _R:
    """Decodes a JSON object into a record; keys that it does not know are passed over.

    Args:
        kind: The record class.
        row: The object.
        where: File and line, for the message.

    Raises:
        InputError: A field is missing or of another type; names the first one.
    """
    try:
        return msgspec.convert(row, kind)
    except msgspec.ValidationError as problem:
        raise InputError(f"{where}: {problem}.") from None


def shown(value: object) -> str:
    """A value about as it was written in TOML, short enough for a message."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Mapping):
        keys = shorten(", ".join(map(str, value)), _SHORT, placeholder=" …")
        return f"a table with the keys {keys}" if value else "an empty table"
    if isinstance(value, list | tuple):
        items = ", ".join(map(shown, value))
        return f"[{items if len(items) <= _SHORT else items[:_SHORT] + '…'}]"
    if isinstance(value, int) and abs(value) > _HUGE:
        return "a huge number"
    text = repr(value)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def parse_object(text: str, where: str) -> dict[str, Any]:
    """Parses a JSON object; of a key that it has twice the last value counts.

    Args:
        text: The text.
        where: What messages start with.

    Raises:
        InputError: The text is not JSON, or not an object; the message starts with `where`.
    """
    try:
        value = msgspec.json.decode(text)
    except (ValueError, RecursionError) as problem:
        raise InputError(
            f"{where} is not valid JSON ({why_unreadable(problem)}). Fix or remove it."
        ) from None
    if not isinstance(value, dict):
        raise InputError(
            f"{where} holds a JSON {type(value).__name__}; an object {{…}} was expected."
        )
    return value


def why_unreadable(problem: Exception) -> str:
    """Why JSON or TOML could not be parsed, in terms of the file rather than the parser."""
    if isinstance(problem, RecursionError):
        return "it is nested too deeply"
    if isinstance(problem, UnicodeEncodeError):
        half = problem.object[problem.start]
        return f"{half!r} is half of a surrogate pair, not a character"
    if "integer string conversion" in str(problem):
        return "it has an integer of more than 4,300 digits"
    return str(problem)


def dump_line(value: Any) -> str:
    """A value or a record as one line of compact JSON, keys in the order given.

    Raises:
        ValueError: It has NaN, an infinity, or half of a surrogate pair.
    """
    text = msgspec.json.encode(value).decode()
    if "null" in text and not dataclasses.is_dataclass(value):
        # To msgspec NaN is null, which is refused where a record is read.
        json.dumps(msgspec.to_builtins(value), allow_nan=False)
    return text
