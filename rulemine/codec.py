"""Typed records to JSON and back: every field known, every value of its type, one form for all lines."""

import dataclasses
import functools
import json
import types
import typing
from typing import Any, TypeVar

from rulemine.errors import InputError

__all__ = ["dump_line", "from_json", "parse_object", "to_json", "why_unreadable"]


_R = TypeVar("_R")


_TEXTS = tuple[str, ...]


def to_json(record: Any) -> dict[str, Any]:
    """A record as a JSON object, fields in their order; tuples become arrays."""
    return {name: _plain(getattr(record, name)) for name in _layout(type(record))[0]}  # type: ignore[arg-type]  # classes are hashable


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind is int or kind is float:
        return value
    if isinstance(value, tuple):
        return [item if type(item) is str else _plain(item) for item in value]
    return to_json(value) if dataclasses.is_dataclass(value) else value


def from_json(kind: type[_R], row: dict[str, Any], where: str) -> _R:
    """A record out of a JSON object, every field checked for its type.

    Args:
        kind: The record class.
        row: The object.
        where: File and line, for the message.

    Raises:
        InputError: A field is missing, unknown, or of another type.
    """
    hints, fields = _layout(kind)  # type: ignore[arg-type]  # classes are hashable
    if unknown := row.keys() - hints.keys():
        raise InputError(f"{where}: unknown field(s) {', '.join(sorted(unknown))}.")
    values: dict[str, Any] = {}
    for f in fields:
        if f.name in row:
            value, hint = row[f.name], hints[f.name]
            # The common cases, worth no message: most of a release are texts and lists of answers.
            if type(value) is hint:
                values[f.name] = value
            elif hint == _TEXTS and type(value) is list and all(type(v) is str for v in value):
                values[f.name] = tuple(value)
            else:
                values[f.name] = _read(hint, value, f"{where}: field {f.name!r}")
        elif f.default is dataclasses.MISSING:
            raise InputError(f"{where}: field {f.name!r} is missing.")
    return kind(**values)


@functools.cache  # resolved anew for every line, the hints would take most of the reading time
def _layout(kind: type) -> tuple[dict[str, Any], tuple[dataclasses.Field[Any], ...]]:
    hints, fields = typing.get_type_hints(kind), dataclasses.fields(kind)
    return {f.name: hints[f.name] for f in fields}, fields


def _read(hint: Any, value: Any, where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin is types.UnionType:
        options = [o for o in typing.get_args(hint) if o is not type(None)]
        return None if value is None else _read(options[0], value, where)
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, dict):
            raise InputError(f"{where}: an object was expected, found {value!r}.")
        return from_json(typing.cast(type, hint), value, where)
    if origin is tuple:
        inner = typing.get_args(hint)
        if not isinstance(value, list):
            raise InputError(f"{where}: an array was expected, found {value!r}.")
        if inner in ((str, ...), (str,) * len(value)) and all(type(v) is str for v in value):
            return tuple(value)  # lists of answers and triples are most of a release
        if inner[-1] is Ellipsis:
            return tuple(_read(inner[0], item, where) for item in value)
        if len(value) != len(inner):
            raise InputError(f"{where}: {len(inner)} items were expected, found {value!r}.")
        return tuple(_read(h, item, where) for h, item in zip(inner, value, strict=True))
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:
        raise InputError(f"{where}: {hint.__name__} was expected, found {value!r}.")
    return value


def parse_object(text: str, where: str) -> dict[str, Any]:
    """One JSON object out of a text.

    Raises:
        InputError: It is not JSON, or not an object; the message starts with `where`.
    """
    try:
        value = json.loads(text, parse_constant=_reject_constant)
        if "\\u" in text:  # half of a surrogate pair is valid JSON, and no text
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as problem:
        raise InputError(
            f"{where} is not valid JSON ({why_unreadable(problem)}). Mend or remove it."
        ) from None
    if not isinstance(value, dict):
        raise InputError(
            f"{where} holds a JSON {type(value).__name__}; an object {{…}} was expected."
        )
    return value


def why_unreadable(problem: ValueError | RecursionError) -> str:
    """Why a reader of JSON or TOML gave up, in words about the file and not about the reader."""
    if isinstance(problem, RecursionError):
        return "it is nested too deeply"
    if isinstance(problem, UnicodeEncodeError):
        half = problem.object[problem.start]
        return f"{half!r} is half of a surrogate pair, which stands for no character"
    if "integer string conversion" in str(problem):
        return "it has a whole number of more than 4,300 digits"
    return str(problem)


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not allowed")


_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(", ", ": "))


def dump_line(value: Any) -> str:
    """A value as one line of compact JSON in UTF-8, keys in the order given."""
    return _JSON.encode(value)
