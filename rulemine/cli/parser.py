"""Commands, the arguments that several of them share, and the parser of the command line."""

import argparse
import math
import re
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, get_args, get_origin

from rulemine.cli.console import complain, output_file
from rulemine.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from rulemine.config import Key
    from rulemine.release.reader import Release

__all__ = [
    "FORMATS",
    "Argument",
    "Parser",
    "Subcommand",
    "add_flags",
    "arg",
    "chosen",
    "describe_keys",
    "format_of",
    "given",
    "pairs_in",
    "settings_in",
    "several",
    "switch",
    "within",
]  # fmt: skip

FORMATS = ("table", "json", "csv", "markdown", "latex", "html", "questions")


class Argument(NamedTuple):
    """An argument of a command.

    Attributes:
        names: Its name, or the spellings of the option.
        how: The other arguments of `argparse.ArgumentParser.add_argument`.
    """

    names: Sequence[str]
    how: dict[str, Any]


def arg(
    names: str,
    metavar: str | tuple[str, ...] | None,
    text: str,
    kind: Callable[[str], Any] = str,
    **how: Any,
) -> Argument:
    """An argument with a value.

    Args:
        names: Its name, or the spellings of the option, separated by spaces.
        metavar: What its value is called in the help; None: its choices.
        text: What it is.
        kind: Converts the value.
        how: The other arguments of `argparse.ArgumentParser.add_argument`.
    """
    kind = _path if kind is Path else kind
    return Argument(names.split(), {"metavar": metavar, "help": text, "type": kind, **how})


def _path(text: str) -> Path:
    """A file or folder; an empty name would be the current folder."""
    if not text:
        raise ArgumentTypeError("nothing is named; expected a file or folder")
    return Path(text)


def switch(name: str, text: str) -> Argument:
    """An option without a value."""
    return Argument([name], {"action": "store_true", "help": text})


def several(names: str, metavar: str, text: str, kind: Callable[[str], Any] = str) -> Argument:
    """An option that may be repeated."""
    return arg(names, metavar, text, kind, action="append", default=[])


def format_of(*formats: str) -> Argument:
    """The option for the format of what is printed; the first is usual."""
    return arg("--format", "NAME", ", ".join(formats), choices=formats, default=formats[0])


def within(
    least: float, most: float = math.inf, kind: Callable[[str], Any] = int, *, above: bool = False
) -> Callable[[str], Any]:
    """Converts the value of an option to a number within bounds.

    Args:
        least: Its lower bound.
        most: Its upper bound.
        kind: ``int`` or ``float``.
        above: Whether it has to be more than `least`.
    """

    def read(text: str) -> Any:
        value = kind(text)
        if not least <= value <= most or (above and value == least):
            start = f"more than {least:,}" if above else f"{least:,}"
            end = f" … {most:,}" if most < math.inf else "" if above else " or more"
            raise ArgumentTypeError(f"is {value}; expected {start}{end}")
        return value

    read.__name__ = kind.__name__
    return read


SHARED = {
    "release": arg("release", "DIR", "folder or archive of the release", Path),
    "split": arg("--split", "SPLIT", "train, validation, test or all (test)", default="test"),
    "split?": arg("--split", "SPLIT", "train, validation, test or all (test)"),
    "sample": arg("--sample", "N", "the first N questions of one fixed order (all)", int),
    "naming": arg("--naming", "NAMING", "private, entity or text (the release's)"),
    "kg": arg("--kg", "GRAPH", "complete, incomplete or incomplete-LEVEL (incomplete)",
              default="incomplete"),
    "kg?": arg("--kg", "GRAPH", "complete, incomplete or incomplete-LEVEL (incomplete)"),
    "seed": arg("--seed", "N", "of what is drawn (0)", int, default=0),
    "output": arg("-o --output", "FILE", "(standard output)", output_file),
    "folder": arg("-o --output", "OUT", "folder to write, new or of an earlier run", Path,
                  required=True),
    "replace": switch("--replace", "replace a release of another name, or an edited one"),
    "columns": arg("--columns", "A,B,C", "of a table: subject, relation, object, by name or number",
                   lambda text: text.split(","), default=()),
    "strict": switch("--strict", "refuse RDF with lines that are not in its format"),
    "cluster": arg("--cluster", "ADDRESS", "Dask: tcp://HOST:PORT, a scheduler file or local:N"),
    "model": arg("--model", "NAME", "the model, for what asks one", default=""),
    "set": several("--set", "KEY=VALUE", "a key; rulemine build --keys lists all"),
    "endpoint": several("--set", "KEY=VALUE",
                        "of the model: endpoint.base_url, .batch, …"),
}  # fmt: skip
"""Name → argument that several commands take; with ``?`` it has no default."""


@dataclass(frozen=True)
class Subcommand:
    """A command.

    Attributes:
        name: Its words after ``rulemine``, one or two.
        run: Runs it, given the parsed arguments; returns the exit status.
        summary: What it does, in lower case, without a period.
        arguments: Its arguments; a text names shared ones, see `SHARED`.
        more: The text after its help.
        options: Adds further options when they are needed, so that no command loads those of others.
        beside_output: Whether it shows tables beside what it writes to its ``-o``, rather than there.
        takes_program: Whether a program may follow after ``--``.
    """

    name: str
    run: Callable[[Namespace], int]
    summary: str
    arguments: Sequence[Argument | str]
    more: str = ""
    options: "Callable[[Parser], None] | None" = None
    beside_output: bool = False
    takes_program: bool = False

    def complete(self, parser: "Parser") -> None:
        """Adds its arguments to its parser."""
        for one in self.arguments:
            shared = [SHARED[name] for name in one.split()] if isinstance(one, str) else [one]
            for names, how in shared:
                parser.add_argument(*names, **how)
        if self.options is not None:
            self.options(parser)


_SETS = "set "
"""Prefix of the destination of an option that sets a key; the key follows."""

_REWORDED = (
    (r"^argument (\S+): is ", r"\1 is "),
    (r"^argument ", ""),
    (r"^(.*?): invalid int value: ", r"\1: expected a whole number, found "),
    (r"^(.*?): invalid float value: ", r"\1: expected a number, found "),
    (r": expected one argument$", ": expected a value after it"),
    (r": ignored explicit argument .*$", " takes no value: leave out what is behind ="),
    (r"^the following arguments are required: ", "missing: "),
    (
        r"^unrecognized arguments: (.*)",
        r"unexpected: \1; what is written is named by -o, and values of an option are joined by commas (A,B)",
    ),
)
"""Message of argparse → message of this program."""

_CHOICE = re.compile(r"(.*?): invalid choice: (.*) \(choose from (.*)\)", re.DOTALL)
_NAME = re.compile(r"[\w-]+(?: [\w-]+)?")


class Parser(argparse.ArgumentParser):
    """The parser of a command, or of all commands.

    Attributes:
        keys: Finds the keys that ``--set`` accepts.
        options: Adds the options; called when they are first needed, so that no command loads those of
            others.
        takes_program: Whether what follows ``--`` is a program of the user's, which becomes ``program``.
        moved: Option of an earlier version → what to type now.
    """

    keys: "Callable[[], Iterable[Key]]" = tuple
    options: "Callable[[Parser], None] | None" = None
    takes_program: bool = False
    moved: Mapping[str, str] = {}

    def complete(self) -> None:
        """Adds the options, unless they have been added."""
        if self.options is not None:
            add, self.options = self.options, None
            add(self)

    def format_help(self) -> str:
        """The help: a line for each argument, and what follows them."""
        self.complete()
        actions = [action for action in self._actions if action.dest != "help"]
        names = [_invocation(action) for action in actions]
        wide = max(map(len, names), default=0) + 3
        lines = [f"usage: {self.prog} {self._needed()}", "", *wrap(self.description or "", 79), ""]
        for name, action in zip(names, actions, strict=True):
            text = wrap((action.help or "").replace("%%", "%"), 79 - wide) or [""]
            lines.append(f"  {name:{wide - 2}}{text[0]}")
            lines += [" " * wide + more for more in text[1:]]
        lines += [""] * bool(self.epilog)
        for kept, group in groupby(
            (self.epilog or "").splitlines(), lambda line: line[:1] in ("", " ")
        ):
            text = list(group)
            lines += text if kept else wrap(" ".join(text), 79, break_on_hyphens=False)
        return "\n".join([*lines, ""])

    def _needed(self) -> str:
        """The required arguments, in their order."""
        words = []
        for action in self._actions:
            if action.option_strings:
                words += [f"{action.option_strings[0]} {action.metavar}"] * action.required
            else:
                end = {"?": "[{}]", "*": "[{} …]", "+": "{} …"}.get(str(action.nargs), "{}")
                words.append(end.format(action.metavar or "|".join(action.choices or ())))
        return " ".join([*words, "[options]"])

    def error(self, message: str) -> NoReturn:
        """Ends the program with one paragraph, as other errors do."""
        for pattern, wording in _REWORDED:
            message = re.sub(pattern, wording, message, flags=re.DOTALL)
        if found := _CHOICE.fullmatch(message):
            name = found[2].strip("'")
            hint = did_you_mean(name, _NAME.findall(found[3]))
            message = f"{found[1].lower()}: {name!r} is unknown; {hint}"
        end = "" if message.endswith("?") else "."
        complain(f"{message}{end} See {self.prog} --help.")
        raise SystemExit(2)

    def parse_known_args(  # type: ignore[override]  # only as this program calls it
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Namespace, list[str]]:
        """Adds hints for unknown options."""
        self.complete()
        if self.takes_program and args is not None and "--" in args:
            at = args.index("--")
            self.set_defaults(program=args[at + 1 :])
            args = args[:at]
        parsed, rest = super().parse_known_args(args, namespace)
        unknown = next((word for word in rest if word.startswith("--")), None)
        if unknown is not None:
            name = unknown.partition("=")[0]
            self.error(f"there is no option {name}; {self._hint(name)}")
        return parsed, rest

    def _hint(self, name: str) -> str:
        wanted = name.strip("-").replace("-", "_")
        if name in self.moved:
            return f"it is now {self.moved[name]}"
        for key in self.keys():
            if key.name.rpartition(".")[2] == wanted:
                return f"{key.name} is a key: --set {key.name}=…"
        return did_you_mean(name, [o for o in self._option_string_actions if o.startswith("--")])


def _invocation(action: argparse.Action) -> str:
    """An argument as its help shows it: ``-o, --output DIR``."""
    value = "" if action.nargs == 0 else action.metavar or "|".join(action.choices or ())
    return f"{', '.join(action.option_strings)} {value}".strip()


class _Several(argparse.Action):
    """Appends the values of ``a,b,…``, or of ``@FILE`` with one per line, to those given before."""

    def __call__(
        self, _parser: object, namespace: Namespace, text: Any, _option: object = None
    ) -> None:
        """Called each time the option is given."""
        from rulemine.files import read_lines

        parts = read_lines(Path(text[1:])) if text.startswith("@") else text.split(",")
        values = [_single(self.const, part.strip()) for part in parts if part.strip()]
        if not values:
            raise ConfigError(f"{text!r} names nothing; expected a,b,… or @FILE with one per line.")
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), *values])


def add_flags(parser: Parser, keys: "Iterable[Key]") -> None:
    """Adds the command-line options of those of these keys that have one; see `given`."""
    for key in keys:
        if not key.flag:
            continue
        kind = next(k for k in (*get_args(key.hint), key.hint) if k not in (None, Ellipsis))
        usual = "FILE" if key.option.file else {int: "N", float: "X"}.get(kind, "NAME")
        how: dict[str, Any] = {"type": partial(_single, kind)}
        if key.hint is bool:
            how = {"action": "store_const", "const": True}
        elif get_origin(key.hint) is tuple:
            how, usual = {"action": _Several, "const": kind}, "A,B"
        if key.hint is not bool:
            how["metavar"] = key.option.metavar or usual
        parser.add_argument(key.flag, dest=_SETS + key.name, help=_in_short(key), **how)


def given(arguments: Namespace, section: str = "") -> dict[str, Any]:
    """Key → value, for the options of `add_flags` that were given.

    Args:
        arguments: The parsed arguments.
        section: Only keys with this prefix are returned, without it, e.g. ``mining.``.
    """
    start = _SETS + section
    return {
        place.removeprefix(start): value
        for place, value in vars(arguments).items()
        if place.startswith(start) and value is not None
    }


def release_at(place: str | Path) -> "Release":
    """Opens a release."""
    from rulemine.release.reader import Release  # loads numpy

    return Release.open(place)


def pairs_in(arguments: Namespace) -> list[tuple[tuple[str, ...], Any]]:
    """The keys and values of ``--set``.

    Raises:
        ConfigError: One has no ``=``; or the folder of a batch is empty, as an unset variable of a shell is:
            without one, calls would be sent and cost.
    """
    from rulemine.config import parse_setting

    found = [parse_setting(text) for text in arguments.set]
    if (("endpoint", "batch"), "") in found:
        raise ConfigError("--set endpoint.batch: nothing is named; expected a folder.")
    return found


def settings_in(arguments: Namespace) -> dict[str, Any]:
    """The values of ``--set``, as nested tables."""
    from rulemine.config import override

    found: dict[str, Any] = {}
    for path, value in pairs_in(arguments):
        found = override(found, path, value)
    return found


def chosen(arguments: Namespace, kind: type[Any]) -> Any:
    """The options that ``--set`` gives.

    Args:
        arguments: The parsed arguments.
        kind: A dataclass, whose fields are the keys.

    Raises:
        ConfigError: There is no such key, or a value is out of range.
    """
    from rulemine.config import build, keys_of

    names = ", ".join(key.name for key in keys_of(kind()))
    return build(kind, settings_in(arguments), "--set", f"Keys: {names}.")


def describe_keys(keys: "Iterable[Key]") -> str:
    """Lists all keys, in lines of at most 79 characters."""
    lines: list[str] = []
    for key in keys:
        head = f"{key.name} = {key.default}".removesuffix(" = ")
        lines += wrap(head, 77, initial_indent="  ", subsequent_indent="      ")
        # Choices are in the meaning.
        bounds = key.values[:1].upper() + key.values[1:] + "." if key.option.bounded else ""
        lines += [f"      {line}" for line in wrap(f"{key.meaning} {bounds}", 73)]
    return "\n".join(lines)


def _in_short(key: "Key") -> str:
    """The beginning of a key's meaning, in lower case, and its default."""
    sentence = re.split(r"\.(?: (?=[A-Z])|$)", key.meaning)[0]
    sentence = re.split(
        r"(?<=.{20})(?:: |; | \(|, (?:in|from|e\.g\.|which|where|up|as|by|whatever|writing|rather) )",
        sentence,
    )[0]
    if not re.match("[A-Z]{2}", sentence):
        sentence = sentence[:1].lower() + sentence[1:]
    default = "" if key.hint is bool else key.default.strip('"[]')
    return f"{sentence} ({default})".replace("%", "%%") if default else sentence.replace("%", "%%")


def _single(kind: type, text: str) -> Any:
    """Converts text to a type; returns it as it is if that fails, to be reported with all other problems."""
    try:
        return kind(text)
    except ValueError:
        return text
