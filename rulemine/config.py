"""Typed configuration out of TOML: every key known, every value of its type and in its range.

A configuration is a frozen dataclass whose fields are plain values or further such dataclasses
(TOML tables). Reading reports all problems at once; a misspelt key gets a suggestion. Rules about
values belong to the dataclasses, which raise `ConfigError` from ``__post_init__``.
"""

import dataclasses
import datetime
import difflib
import math
import tomllib
import types
import typing
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from textwrap import shorten
from typing import Any, TypeVar

from rulemine.codec import why_unreadable
from rulemine.errors import ConfigError, InputError, UserError, did_you_mean, list_problems
from rulemine.files import read_text

__all__ = [
    "build",
    "override",
    "packaged",
    "packaged_or_given",
    "parse_setting",
    "read_toml",
    "to_plain",
]

MOST_BYTES = 1 << 26
"""Of what people write by hand."""

_C = TypeVar("_C")


def read_toml(path: Path, advice: str = "Mend that line.") -> dict[str, Any]:
    """The content of a TOML file.

    Args:
        path: The file.
        advice: What to do where it is not TOML, as a sentence.

    Raises:
        InputError: It is missing, not text, or not TOML.
    """
    text = read_text(path, MOST_BYTES)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InputError(
            f"{path}: is not valid TOML ({why_unreadable(problem)}). {advice}"
        ) from None


def parse_setting(text: str) -> tuple[tuple[str, ...], Any]:
    """A ``key=value`` of the command line.

    Args:
        text: E.g. ``mining.max_atoms=4``; the value is TOML (``true``, ``0.5``, ``[20, 100]``), and
            anything that is not TOML is taken as a string.

    Returns:
        The parts of the key, and the value.

    Raises:
        ConfigError: There is no ``=``, or no key before it.

    Example:
        >>> parse_setting("selection.levels=[50, 100]")
        (('selection', 'levels'), [50, 100])
    """
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"--set {text}: expected key=value, e.g. --set mining.max_atoms=4.")
    try:
        table = tomllib.loads(f"value = {value}")
    except tomllib.TOMLDecodeError:
        table = {}
    except (ValueError, RecursionError) as problem:
        raise ConfigError(f"--set {key}: cannot be read: {why_unreadable(problem)}.") from None
    return tuple(key.strip().split(".")), table["value"] if list(table) == ["value"] else value


def override(values: Mapping[str, Any], key: tuple[str, ...], value: Any) -> dict[str, Any]:
    """A copy of nested tables with one value replaced; missing tables are made."""
    inner = values.get(key[0], {})
    if len(key) > 1:
        value = override(inner if isinstance(inner, dict) else {}, key[1:], value)
    return {**values, key[0]: value}


def build(kind: type[_C], values: Mapping[str, Any], where: str) -> _C:
    """A configuration out of nested tables.

    Args:
        kind: The dataclass.
        values: Keys and values as TOML gives them; what is missing takes its default.
        where: The file or command line, for the message.

    Raises:
        ConfigError: Unknown keys, wrong types, values out of range; all of them in one message.
    """
    problems: list[str] = []
    config = _build(kind, values, "", problems, _homes(kind))
    if problems:
        raise ConfigError(list_problems(where, problems, "See rulemine build --help for the keys."))
    return typing.cast(_C, config)


def _homes(kind: type) -> dict[str, str]:
    """The last part of every key → the whole key."""
    homes: dict[str, str] = {}
    hints = typing.get_type_hints(kind)
    for f in dataclasses.fields(kind):
        if dataclasses.is_dataclass(inner := hints[f.name]):
            nested = _homes(typing.cast(type, inner))
            homes |= {key: f"{f.name}.{whole}" for key, whole in nested.items()}
    return homes | {f.name: f.name for f in dataclasses.fields(kind)}


def _hint(key: str, known: set[str], homes: Mapping[str, str]) -> str:
    """What a misspelt key should have been: one beside it, or one of another table."""
    if key in homes:
        return f"did you mean {homes[key]!r}?"
    beside = did_you_mean(key, known)
    if beside.startswith("known") and (close := difflib.get_close_matches(key, homes, n=1)):
        return f"did you mean {homes[close[0]]!r}?"
    return beside


def _build(
    kind: type,
    values: Mapping[str, Any],
    prefix: str,
    problems: list[str],
    homes: Mapping[str, str],
) -> object:
    hints = typing.get_type_hints(kind)
    known = {f.name for f in dataclasses.fields(kind)}
    given: dict[str, Any] = {}
    before = len(problems)
    for key, value in values.items():
        name = f"{prefix}{key}"
        if key not in known:
            problems.append(f"unknown key {name!r}; {_hint(key, known, homes)}")
        elif dataclasses.is_dataclass(hints[key]):
            if isinstance(value, Mapping):
                inner = typing.cast(type, hints[key])
                given[key] = _build(inner, value, f"{name}.", problems, homes)
            else:
                problems.append(
                    f"{name} must be a table, [{name}] and its keys below; found {_as_toml(value)}"
                )
        else:
            given[key] = _value(hints[key], value, name, problems)
    if len(problems) > before:
        return None
    try:
        made: object = kind(**given)
    except UserError as problem:
        problems.append(f"{prefix}{problem}".rstrip("."))
        return None
    return made


def _value(hint: Any, value: Any, name: str, problems: list[str]) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is types.UnionType:
        return _value(arguments[0], value, name, problems)
    if origin is tuple and isinstance(value, list):
        return tuple(_value(arguments[0], item, f"an item of {name}", problems) for item in value)
    if hint is float and type(value) is int:
        return float(value)
    if origin is None and type(value) is hint:
        return value
    wanted = "a list" if origin is tuple else {int: "a whole number", float: "a number"}.get(hint)
    wanted = wanted or {str: "text", bool: "true or false"}.get(hint, str(hint))
    problems.append(f"{name} must be {wanted}; found {_as_toml(value)}")
    return None


def _as_toml(value: Any) -> str:
    """A value much as its writer wrote it, short enough for a message."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Mapping):
        return f"a table with the keys {', '.join(value)}" if value else "an empty table"
    if isinstance(value, list):
        return shorten(f"[{', '.join(map(_as_toml, value))}]", 80, placeholder=" …]")
    return repr(value)


def to_plain(config: Any) -> dict[str, Any]:
    """A configuration as nested dictionaries of plain values, every key present, in field order."""
    plain: dict[str, Any] = {}
    for f in dataclasses.fields(config):
        value = getattr(config, f.name)
        if dataclasses.is_dataclass(value):
            value = to_plain(value)
        plain[f.name] = list(value) if isinstance(value, tuple) else value
    return plain


def _check(ok: bool, name: str, value: object, expected: str) -> None:
    if not ok:
        raise ConfigError(f"{name} is {value!r}; expected {expected}")


def _is_share(value: float) -> bool:
    return math.isfinite(value) and 0 < value <= 1


def _is_text(name: str) -> bool:
    """Whether a file name can be written down: on Linux it may hold any bytes."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def packaged(*names: str) -> Path:
    """The path of a file or folder that comes with the package, whether it is there or not.

    Args:
        names: The way to it below the package, e.g. ``"datasets", "family", "recipe.toml"``.
    """
    return Path(str(resources.files("rulemine"))).joinpath(*names)


def packaged_or_given(source: str, name: str) -> Path:
    """The file of a packaged data set, or else the file that the user means.

    Args:
        source: The name of a data set of the package (a folder of ``rulemine/datasets``), or a path.
        name: The name of the file in that folder.
    """
    path = packaged("datasets", source, name)
    return path if source.isidentifier() and path.is_file() else Path(source)
