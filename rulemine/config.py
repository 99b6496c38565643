"""Typed configuration, each option written once: as a field of a frozen dataclass.

A section of a configuration derives from `Section`. A field's type, default and bounds are given by
`option`, its meaning by its line under ``Attributes:`` in the docstring of the class. Everything else is
derived from these: the checks and their messages, reading TOML (all problems at once, with a suggestion
for a misspelled key), ``--set``, command-line options with their help, and the table of the docs.
"""

import dataclasses
import datetime
import functools
import inspect
import json
import math
import re
import tomllib
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from rulemine.codec import shown, slots_of, why_unreadable
from rulemine.errors import ConfigError, InputError, UserError, did_you_mean, list_problems
from rulemine.files import read_text

__all__ = [
    "TABLES",
    "Key",
    "Option",
    "Section",
    "build",
    "decode",
    "ending",
    "hint",
    "homes",
    "keys_of",
    "lookup",
    "option",
    "override",
    "packaged",
    "parse_setting",
    "read_table",
    "read_toml",
    "read_toml_text",
    "read_value",
    "split_column",
]

MOST_BYTES = 1 << 26
"""Size limit of files that people write by hand."""

_C = TypeVar("_C")

_MOST = 2**63 - 1
"""No integer may be larger, since it would fit no array."""

_NAMES: dict[Any, str] = {
    int: "a whole number", float: "a number", str: "text", bool: "true or false", dict: "an object",
}  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Option:
    """The bounds of a field's value, and how it is given.

    Attributes:
        least: Inclusive lower bound of numbers.
        above: Exclusive lower bound of numbers.
        most: Inclusive upper bound of numbers.
        choices: The allowed strings; empty: any.
        fits_too: Called with a value within these bounds; returns whether it is allowed. None: it is.
        expected: What messages say was expected; empty: derived from the bounds.
        flag: Whether the command line has an option for it, named after the field; or that option.
        metavar: The name of the value in its help; empty: a word for its type.
        file: Whether it names a file. Recipes name files relative to themselves, releases without their
            folder.
        data_set: Whether it names a data set or else a file.
        words: Values that name no file, where the others do.
        packaged: The name of the file in the folders of packaged data sets, if the name of such a data set
            may be given in place of a file; empty: it may not.
        column: Whether it may also name a folder, or a column of a table, see `split_column`.
        secret: Whether messages may not repeat its value.
    """

    least: float = -math.inf
    above: float = -math.inf
    most: float = math.inf
    choices: Collection[str] = ()
    fits_too: Callable[[Any], bool] | None = None
    expected: str = ""
    flag: bool | str = False
    metavar: str = ""
    file: bool = False
    data_set: bool = False
    words: Collection[str] = ()
    packaged: str = ""
    column: bool = False
    secret: bool = False

    def path_of(self, value: str) -> str:
        """The file that a value names, without a column of it."""
        return split_column(value)[0] if self.column else value

    def fits(self, value: Any) -> bool:
        """Whether a value of the right type is within the bounds."""
        if value is None:  # has no bounds
            return True
        items = value if isinstance(value, tuple) else (value,)
        return all(map(self._within, items)) and (self.fits_too is None or self.fits_too(value))

    def _within(self, item: Any) -> bool:
        if isinstance(item, str):
            return (item in self.choices or not self.choices) and _is_text(item, self.file)
        if isinstance(item, bool) or not isinstance(item, int | float):
            return True
        within = self.least <= item <= self.most and self.above < item
        return within and (math.isfinite(item) if isinstance(item, float) else abs(item) <= _MOST)

    @property
    def bounded(self) -> bool:
        """Whether numbers have bounds."""
        return self.least > -math.inf or self.above > -math.inf or self.most < math.inf

    def complaint(self, hint: Any, name: str, value: object) -> str:
        """The message about a value that does not fit."""
        found = "…" if self.secret else shown(value)
        expected = self.describe(hint)
        if isinstance(value, str) and not _is_text(value, self.file):
            expected = "UTF-8 text without NUL"
        expected += f", ≤ {_MOST}" * (isinstance(value, int) and value > _MOST)
        return f"{name} is {found}; expected {expected}"

    def describe(self, hint: Any) -> str:
        """Describes the allowed values, e.g. ``a number above 0 and at most 1``."""
        if self.expected:
            return self.expected
        if self.choices:
            named = [choice or "empty" for choice in self.choices]
            return " or ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
        return _described(hint) + self._bounds()

    def _bounds(self) -> str:
        if math.isfinite(self.least):
            return (
                f" from {self.least} to {self.most}" if self.most < math.inf else f" ≥ {self.least}"
            )
        parts = [f" above {self.above}"] * math.isfinite(self.above)
        parts += [f" at most {self.most}"] * math.isfinite(self.most)
        return " and".join(parts)


_ANY = Option()


def _described(hint: Any) -> str:
    """A type in words."""
    inner = typing.get_args(hint)
    if typing.get_origin(hint) is not tuple:
        return " or ".join(
            _described(one) for one in inner if one is not types.NoneType
        ) or _NAMES.get(hint, "an object")
    if inner[-1] is not Ellipsis:
        return f"a list of {len(inner)}"
    return f"a list, each item {_described(inner[0])}"


def option(default: Any, **rules: Any) -> Any:
    """Declares a field that is an option.

    Args:
        default: Its default.
        rules: The attributes of its `Option`.
    """
    return dataclasses.field(default=default, metadata={"option": Option(**rules)})


class Section:
    """Base class of option dataclasses; checks its values, and turns lists into tuples, on construction.

    Attributes:
        fixed_values: Names of class attributes that are constants, and that a release states beside the
            options.

    Raises:
        ConfigError: Values have the wrong type or are out of bounds; lists all of them.
    """

    __slots__ = ()

    fixed_values: typing.ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        """Checks every value; a subclass with rules about several values calls this first."""
        problems: list[str] = []
        for slot in slots_of(type(self)):
            given = getattr(self, slot.name)
            value = read_value(slot.hint, given, slot.name, problems, slot.option)
            object.__setattr__(self, slot.name, value)
        if problems:
            raise ConfigError(f"{'; '.join(problems)}.")


class Key(typing.NamedTuple):
    """An option as help and documentation show it.

    Attributes:
        name: Its name with its section, e.g. ``mining.max_atoms``.
        default: Its default in TOML notation.
        meaning: A sentence or two.
        values: The allowed values, in words.
        flag: Its command-line option; empty: none.
        hint: Its type.
        option: Its bounds.
    """

    name: str
    default: str
    meaning: str
    values: str
    flag: str
    hint: Any
    option: Option

    @property
    def path(self) -> tuple[str, ...]:
        """Its name, taken apart."""
        return tuple(self.name.split("."))


_ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def keys_of(section: Any, prefix: str = "") -> Iterator[Key]:
    """The options of a configuration, those of its sections included, in order.

    Args:
        section: The configuration; its values are the defaults.
        prefix: Prefix of the names.
    """
    meanings = {
        name: text
        for kind in reversed(type(section).__mro__)
        for name, text in _ATTRIBUTE.findall(inspect.cleandoc(kind.__doc__ or ""))
    }
    for name, hint, rules, *_ in slots_of(type(section)):
        value = getattr(section, name)
        if dataclasses.is_dataclass(value):
            yield from keys_of(value, f"{prefix}{name}.")
        else:
            rules = rules or _ANY
            text = " ".join(meanings.get(name, "").replace("`", "").split())
            flag = "--" + name.replace("_", "-") if rules.flag is True else rules.flag or ""
            default = "" if value is None else json.dumps(value)
            yield Key(prefix + name, default, text, rules.describe(hint), flag, hint, rules)


def read_toml(path: Path, advice: str = "Fix that line.") -> dict[str, Any]:
    """The content of a TOML file.

    Args:
        path: The file.
        advice: What to do if it is not TOML, as a sentence.

    Raises:
        InputError: It is missing, not text, or not TOML.
    """
    return read_toml_text(path, advice)[0]


def read_toml_text(path: Path, advice: str = "Fix that line.") -> tuple[dict[str, Any], str]:
    """Returns what `read_toml` returns, and the text; a pipe can be read only once."""
    text = read_text(path, MOST_BYTES)
    try:
        return tomllib.loads(text), text
    except (ValueError, RecursionError) as problem:
        raise InputError(
            f"{path}: is not valid TOML ({why_unreadable(problem)}). {advice}"
        ) from None


def parse_setting(text: str) -> tuple[tuple[str, ...], Any]:
    """Parses a ``key=value`` of the command line.

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
    if list(table) == ["value"] and not isinstance(
        table["value"], datetime.date
    ):  # which is text here
        value = table["value"]
    return tuple(key.strip().split(".")), value


def override(values: Mapping[str, Any], key: tuple[str, ...], value: Any) -> dict[str, Any]:
    """A copy of nested tables with one value replaced; missing tables are added."""
    inner = values.get(key[0], {})
    if len(key) > 1:
        value = override(inner if isinstance(inner, dict) else {}, key[1:], value)
    return {**values, key[0]: value}


def lookup(values: Mapping[str, Any], key: tuple[str, ...]) -> Any:
    """A value of nested tables; None if it is absent."""
    inner = values.get(key[0])
    if len(key) == 1:
        return inner
    return lookup(inner, key[1:]) if isinstance(inner, Mapping) else None


def build(
    kind: type[_C],
    values: Mapping[str, Any],
    where: str,
    advice: str = "See rulemine build --keys.",
) -> _C:
    """Builds a configuration from nested tables.

    Args:
        kind: The dataclass.
        values: Keys and values as read from TOML; missing keys take their defaults.
        where: The file or command line, for the message.
        advice: Where the keys are listed, as a sentence.

    Raises:
        ConfigError: Unknown keys, wrong types, values out of range; all of them in one message.
    """
    problems: list[str] = []
    config = decode(kind, values, problems, suggest=functools.partial(hint, homes(kind)))
    if problems:
        raise ConfigError(list_problems(where, problems, advice))
    return typing.cast(_C, config)


def decode(
    kind: type[_C],
    row: Mapping[str, Any],
    problems: list[str],
    prefix: str = "",
    suggest: Callable[[str, Iterable[str]], str] = did_you_mean,
    base: _C | None = None,
) -> _C | None:
    """Decodes a table into a record.

    Args:
        kind: The record class.
        row: Its fields: strings, numbers, lists, and tables for its sections. Fixed values of the class
            may be there too, as `to_json` writes them.
        problems: Receives a line for every unknown, missing or wrong field.
        prefix: Prefix of the field names in these lines, e.g. ``selection.``.
        suggest: Called with an unknown name and the known ones; returns a hint.
        base: Supplies the fields that the row lacks; None: their defaults.

    Returns:
        The record; None if there was a problem.
    """
    before, slots = len(problems), slots_of(kind)
    fixed = {name: getattr(kind, name) for name in getattr(kind, "fixed_values", ())}
    fixed |= {name: [*value] for name, value in fixed.items() if isinstance(value, tuple)}
    row = {name: value for name, value in row.items() if fixed.get(name, ...) != value}
    values: dict[str, Any] = {}
    for name, hint, option, default in slots:
        if name not in row:
            if default is dataclasses.MISSING and base is None:
                problems.append(f"{prefix}{name} is missing")
        elif dataclasses.is_dataclass(default):
            values[name] = read_table(default, row[name], prefix + name, problems, suggest)
        else:
            values[name] = read_value(hint, row[name], prefix + name, problems, option)
    known = [slot.name for slot in slots]
    problems += [
        f"unknown key {prefix + name!r}; {suggest(name, known)}"
        for name in row
        if name not in known
    ]
    if len(problems) > before:
        return None
    try:
        return kind(**values) if base is None else dataclasses.replace(base, **values)  # type: ignore[type-var]
    except UserError as problem:  # a rule about several fields
        problems.append(f"{prefix}{problem}".rstrip("."))
        return None


def read_table(
    base: _C, value: Any, name: str, problems: list[str], suggest: Callable[..., str]
) -> _C | None:
    """Decodes a table that has the defaults of a record, and its name in messages; see `decode`."""
    if isinstance(value, Mapping):
        return decode(type(base), value, problems, f"{name}.", suggest, base)
    problems.append(f"{name} is {shown(value)}; expected a table, [{name}] and its keys below")
    return None


def read_value(
    hint: Any, value: Any, name: str, problems: list[str], option: Option | None = None
) -> Any:
    """Decodes plain data into a value of a type.

    Args:
        hint: The type.
        value: The plain value; for a tuple, a list, a tuple, a text such as ``20,50``, or a number.
        name: Its name in messages.
        problems: Receives a line if the value does not fit.
        option: Its bounds; None: none.
    """
    bounds = option or _ANY
    written = isinstance(value, str | int | float) and not isinstance(value, bool)
    listed = written and typing.get_origin(hint) is tuple
    try:
        made = msgspec.convert(str(value).split(",") if listed else value, hint, strict=not listed)
    except (msgspec.ValidationError, OverflowError):
        problems.append(bounds.complaint(hint, name, value))
        return None
    if not bounds.fits(made):
        problems.append(bounds.complaint(hint, name, value))
    return made


def homes(kind: type, prefix: str = "") -> dict[str, str]:
    """Maps the last part of every key of a configuration to the whole key, with a prefix."""
    found: dict[str, str] = {}
    for slot in slots_of(kind):
        if dataclasses.is_dataclass(slot.hint):
            found |= homes(typing.cast(type, slot.hint), f"{prefix}{slot.name}.")
    return found | {slot.name: prefix + slot.name for slot in slots_of(kind)}


def hint(homes: Mapping[str, str], key: str, known: Iterable[str]) -> str:
    """A hint for a misspelled key: a key of the same table, or of another one."""
    return f"did you mean {homes[key]!r}?" if key in homes else did_you_mean(key, known)


def _is_text(text: str, file: bool) -> bool:
    """Whether a string is UTF-8 text without NUL; of a file name, which may hold any other byte, its end."""
    end = Path(text).name if file else text
    return "\0" not in text and end == end.encode(errors="ignore").decode()


def packaged(*names: str) -> Path:
    """The path of a file or folder that comes with the package, whether it is there or not.

    Args:
        names: The parts of its path below the package, e.g. ``"datasets", "family", "recipe.toml"``.
    """
    return Path(__file__).parent.joinpath(*names)


TABLES = {".csv": ",", ".tsv": "\t", ".jsonl": ""}
"""Ending of a table → what separates its columns."""

_PACKED = (".gz", ".zst")


def split_column(named: str) -> tuple[str, str]:
    """A file and the column of it that a configuration names; "" for none.

    Example:
        >>> split_column("my.csv:abstract"), split_column("my.txt")
        (('my.csv', 'abstract'), ('my.txt', ''))
    """
    name, colon, column = named.rpartition(":")
    table = ending(Path(name)) in TABLES or Path(name).exists()
    return (name, column) if colon and table and not Path(named).exists() else (named, "")


def ending(path: Path) -> str:
    """The ending of a file's name, in lower case, but for that of its compression."""
    return Path(path.stem if path.suffix in _PACKED else path.name).suffix.lower()
