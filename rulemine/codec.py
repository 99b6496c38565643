"""Converts between typed records and plain data, checking every field's name and type.

`decode` is the only decoder: of the objects of JSON files, and of the tables of TOML files.
"""

import dataclasses
import datetime
import functools
import json
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from textwrap import shorten
from typing import Any, NamedTuple, Protocol, TypeVar

from rulemine.errors import InputError, UserError, did_you_mean

__all__ = [
    "TYPE_NAMES",
    "Bounds",
    "Slot",
    "decode",
    "dump_line",
    "from_json",
    "parse_object",
    "read_table",
    "read_value",
    "shown",
    "slots_of",
    "to_json",
    "unique_keys",
    "why_unreadable",
]

_R = TypeVar("_R")

_LARGEST = 10**300  # larger integers cannot be converted to floating point
_SHORT = 80  # characters of a value that a message shows

TYPE_NAMES: dict[Any, str] = {
    int: "a whole number", float: "a number", str: "text",
    bool: "true or false", dict: "an object", list: "a list",
}  # fmt: skip
"""Names of plain types in messages."""


def to_json(record: Any) -> dict[str, Any]:
    """A record as a JSON object, fields in their order, then its fixed values; tuples become arrays."""
    return {name: _plain(getattr(record, name)) for name in _names(typing.cast(type, type(record)))}


@functools.cache
def _names(kind: type) -> tuple[str, ...]:
    """What is written of a record class: its fields, and the class attributes that it names as fixed."""
    return (*(slot.name for slot in slots_of(kind)), *getattr(kind, "fixed_values", ()))


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind is int or kind is float:
        return value
    if isinstance(value, tuple):
        return [item if type(item) is str else _plain(item) for item in value]
    return to_json(value) if dataclasses.is_dataclass(value) else value


class Bounds(Protocol):
    """Bounds of a field's value beyond its type; under ``option`` in the field's metadata."""

    def fits(self, value: Any) -> bool:
        """Whether a value of the right type is allowed."""

    def complaint(self, hint: Any, name: str, value: object) -> str:
        """The message about a value that is not."""


class Slot(NamedTuple):
    """A field of a record class.

    Attributes:
        name: Its name.
        hint: Its type, resolved.
        option: The bounds of its value; None: none.
        factory: Makes its default if that is a record; None otherwise.
        required: Whether it has no default.
    """

    name: str
    hint: Any
    option: Any
    factory: Callable[[], Any] | None
    required: bool


@functools.cache  # resolved anew for every line, the types would take most of the reading time
def _slots(kind: type) -> tuple[Slot, ...]:
    hints, missing = typing.get_type_hints(kind), dataclasses.MISSING
    return tuple(
        Slot(
            f.name,
            hints[f.name],
            f.metadata.get("option"),
            None if f.default_factory is missing else f.default_factory,
            f.default is missing and f.default_factory is missing,
        )
        for f in dataclasses.fields(kind)
        if not f.metadata.get("aside")
    )


def slots_of(kind: type) -> tuple[Slot, ...]:
    """The fields of a record class, in order, but for those whose metadata say ``aside``."""
    return _slots(kind)


def from_json(kind: type[_R], row: dict[str, Any], where: str) -> _R:
    """Decodes a JSON object into a record, checking the type of every field.

    Args:
        kind: The record class.
        row: The object.
        where: File and line, for the message.

    Raises:
        InputError: A field is missing, unknown, or of the wrong type; names the first such field.
    """
    try:
        return typing.cast(_R, _quick(typing.cast(Any, kind))(row))
    except _UnusualError:
        pass  # the careful way says what is wrong, or finds it is right after all
    problems: list[str] = []
    record = decode(kind, row, problems)
    if problems:
        raise InputError(f"{where}: {problems[0]}{'' if problems[0].endswith('?') else '.'}")
    return typing.cast(_R, record)


class _UnusualError(Exception):
    """A value that the quick way leaves to the careful one."""


@functools.cache
def _quick(hint: Any) -> Callable[[Any], Any]:
    """A reader of values of a type that are exactly as `to_json` writes them; others are `_UnusualError`.

    Made once for a type, because most of the time of reading a release goes into records.
    """
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return _as_it_is
    if dataclasses.is_dataclass(hint):
        slots = slots_of(typing.cast(type, hint))
        if any(slot.option is not None or slot.factory for slot in slots):
            return _refuse
        return functools.partial(
            _quick_record,
            typing.cast(type, hint),
            tuple((slot.name, _quick(slot.hint)) for slot in slots),
        )
    if origin is types.UnionType:
        return functools.partial(_quick_or_null, _quick(inner[0]))
    if inner and set(inner) <= {str, ...}:
        return functools.partial(_quick_texts, None if ... in inner else len(inner))
    if origin is tuple and inner[-1] is ...:
        return functools.partial(_quick_list, _quick(inner[0]))
    return functools.partial(_quick_value, hint) if origin is None else _refuse


def _as_it_is(value: Any) -> Any:
    return value


def _refuse(_: Any) -> Any:
    raise _UnusualError


def _quick_record(kind: type, slots: tuple[tuple[str, Callable[[Any], Any]], ...], row: Any) -> Any:
    if type(row) is not dict or len(row) != len(slots):
        raise _UnusualError
    try:
        return kind(*[read(row[name]) for name, read in slots])
    except (KeyError, UserError):
        raise _UnusualError from None


def _quick_or_null(read: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else read(value)


def _quick_texts(length: int | None, value: Any) -> Any:
    if type(value) is not list or (length is not None and len(value) != length):
        raise _UnusualError
    if value and set(map(type, value)) != {str}:
        raise _UnusualError
    return tuple(value)


def _quick_list(read: Callable[[Any], Any], value: Any) -> Any:
    if type(value) is not list:
        raise _UnusualError
    return tuple(map(read, value))


def _quick_value(hint: type, value: Any) -> Any:
    if type(value) is not hint:
        raise _UnusualError
    return value


def decode(
    kind: type[_R],
    row: Mapping[str, Any],
    problems: list[str],
    prefix: str = "",
    suggest: Callable[[str, Iterable[str]], str] = did_you_mean,
    base: _R | None = None,
) -> _R | None:
    """Decodes plain data into a record.

    Args:
        kind: The record class.
        row: Its fields: strings, numbers, lists, and objects for nested records. Fixed values of the class
            may be there too, as `to_json` writes them.
        problems: Receives a line for every unknown, missing or wrong field.
        prefix: Prefix of the field names in these lines, e.g. ``selection.``.
        suggest: Called with an unknown name and the known ones; returns a hint.
        base: Supplies the fields that the row lacks; None: their defaults.

    Returns:
        The record; None if there was a problem.
    """
    fixed = {name: _plain(getattr(kind, name)) for name in getattr(kind, "fixed_values", ())}
    row = {name: value for name, value in row.items() if fixed.get(name, ...) != value}
    before, slots = len(problems), slots_of(kind)
    values: dict[str, Any] = {}
    for name, hint, option, factory, required in slots:
        if name not in row:
            if required and base is None:
                problems.append(f"{prefix}{name} is missing")
            continue
        value = row[name]
        if factory is not None:  # a section with defaults of its own
            values[name] = read_table(factory(), value, prefix + name, problems, suggest)
        else:
            values[name] = read_value(hint, value, f"{prefix}{name}", problems, option)
    if len(values) < len(row):
        known = [slot.name for slot in slots]
        for name in row:
            if name not in known:
                problems.append(f"unknown key {prefix + name!r}; {suggest(name, known)}")
    if len(problems) > before:
        return None
    try:
        return kind(**values) if base is None else dataclasses.replace(base, **values)  # type: ignore[type-var]
    except UserError as problem:  # a rule about several fields
        problems.append(f"{prefix}{problem}".rstrip("."))
        return None


def read_table(
    base: _R, value: Any, name: str, problems: list[str], suggest: Callable[..., str]
) -> _R | None:
    """Decodes a table that has the defaults of a record, and its name in messages; see `decode`."""
    if isinstance(value, Mapping):
        return decode(type(base), value, problems, f"{name}.", suggest, base)
    problems.append(f"{name} is {shown(value)}; expected a table, [{name}] and its keys below")
    return None


def read_value(
    hint: Any, value: Any, name: str, problems: list[str], option: Bounds | None = None
) -> Any:
    """Decodes plain data into a value of a type.

    Args:
        hint: The type.
        value: The plain value; for a tuple, a list or a tuple.
        name: Its name in messages.
        problems: Receives a line for each problem; for an option, at most one.
        option: Its bounds.
    """
    if option is None:
        return _read(hint, value, name, problems)
    inner: list[str] = []
    made = _read(hint, value, name, inner)
    if inner or not option.fits(made):
        problems.append(option.complaint(hint, name, value))
    return made


def _read(hint: Any, value: Any, name: str, problems: list[str]) -> Any:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin is types.UnionType:
        return None if value is None else _read(inner[0], value, name, problems)
    if dataclasses.is_dataclass(hint):
        if isinstance(value, typing.cast(type, hint)):
            return value
        if isinstance(value, Mapping):
            return decode(typing.cast(type, hint), value, problems, f"{name}.")
        expected = "an object"
    elif origin is tuple:
        expected = "a list"
        if type(value) in (list, tuple):
            if inner[-1] is Ellipsis:
                inner = inner[:1] * len(value)
            if len(value) == len(inner):
                return tuple(
                    _read(kind, item, f"{name}[{at}]", problems)
                    for at, (kind, item) in enumerate(zip(inner, value, strict=True))
                )
            expected = f"{len(inner)} items"
    elif hint is float and type(value) is int and abs(value) < _LARGEST:
        return float(value)
    elif type(value) is hint:
        return value
    else:
        expected = TYPE_NAMES.get(hint, str(hint))
    problems.append(f"{name} is {shown(value)}; expected {expected}")
    return None


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
    if isinstance(value, int) and abs(value) > _LARGEST:
        return "a huge number"
    text = repr(value)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def parse_object(text: str, where: str, *, unique: bool = False) -> dict[str, Any]:
    """Parses a JSON object.

    Args:
        text: The text.
        where: What messages start with.
        unique: Whether a key that an object has twice is an error; else its last value counts.

    Raises:
        InputError: The text is not JSON, or not an object; the message starts with `where`.
    """
    try:
        value = json.loads(
            text,
            parse_constant=_reject_constant,
            object_pairs_hook=unique_keys if unique else None,
        )
        if "\\u" in text:  # half of a surrogate pair is valid JSON but not valid text
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as problem:
        raise InputError(
            f"{where} is not valid JSON ({why_unreadable(problem)}). Fix or remove it."
        ) from None
    if not isinstance(value, dict):
        raise InputError(
            f"{where} holds a JSON {type(value).__name__}; an object {{…}} was expected."
        )
    return value


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Makes an object of its keys and values; for ``object_pairs_hook``.

    Raises:
        ValueError: A key occurs twice.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} occurs twice")
    return found


def why_unreadable(problem: ValueError | RecursionError) -> str:
    """Why JSON or TOML could not be parsed, in terms of the file rather than the parser."""
    if isinstance(problem, RecursionError):
        return "it is nested too deeply"
    if isinstance(problem, UnicodeEncodeError):
        half = problem.object[problem.start]
        return f"{half!r} is half of a surrogate pair, not a character"
    if "integer string conversion" in str(problem):
        return "it has an integer of more than 4,300 digits"
    return str(problem)


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not allowed")


_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(", ", ": "))


def dump_line(value: Any) -> str:
    """Formats a value as one line of compact JSON in UTF-8, keys in the order given."""
    return _JSON.encode(value)
