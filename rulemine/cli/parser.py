"""The parser of the command line; options are made from the fields that they set."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NoReturn, get_args, get_origin

from rulemine.cli.console import complain
from rulemine.errors import ConfigError, did_you_mean
from rulemine.files import read_lines

if TYPE_CHECKING:
    from rulemine.config import Key

__all__ = ["Parser", "add_flags", "describe_keys", "given"]

_SETS = "set "
"""Prefix of the destination of an option that sets a key; the key follows."""

Arguments = argparse.ArgumentParser | argparse._ArgumentGroup


_REWORDED = (
    (r"^argument (\S+): is ", r"\1 is "),
    (r"^argument ", ""),
    (r"^(.*?): invalid int value: ", r"\1: expected a whole number, found "),
    (r"^(.*?): invalid float value: ", r"\1: expected a number, found "),
    (r": expected one argument$", ": expected a value after it"),
    (r"^the following arguments are required: ", "missing: "),
    (
        r"^unrecognized arguments: (.*)",
        r"unexpected: \1; what is written is named by -o, and values of an option are joined by commas (A,B)",
    ),
)
"""Message of argparse → message of this program."""

_CHOICE = re.compile(r"(.*?): invalid choice: (.*) \(choose from (.*)\)", re.DOTALL)
_NAME = re.compile(r"[\w-]+(?: [\w-]+)?")


class _Layout(argparse.HelpFormatter):
    """Fits paragraphs to the terminal; indented lines stay as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines: list[str] = []
        for kept, group in groupby(text.splitlines(), lambda line: line[:1] in ("", " ")):
            rows = list(group)
            lines += rows if kept else wrap(" ".join(rows), width, break_on_hyphens=False)
        return "\n".join(f"{indent}{line}" for line in lines)


class Parser(argparse.ArgumentParser):
    """The parser of a command, or of all commands.

    Attributes:
        keys: Finds the keys that ``--set`` accepts.
        options: Adds the options; called when they are first needed, so that no command loads those of
            others.
        ending: The text after the options, where it is expensive to find.
        takes_program: Whether what follows ``--`` is a program of the user's, which becomes ``program``.
    """

    def __init__(self, **how: Any) -> None:
        super().__init__(**how, formatter_class=_Layout)

    keys: "Callable[[], Iterable[Key]]" = tuple
    options: "Callable[[Parser], None] | None" = None
    takes_program: bool = False
    ending: "Callable[[], str] | None" = None

    def complete(self) -> None:
        """Adds the options, unless they have been added."""
        if self.options is not None:
            add, self.options = self.options, None
            add(self)

    def format_help(self) -> str:
        """The help, all options included."""
        self.complete()
        self.usage = self.usage or f"{self.prog} {self._needed()}"
        if self.ending is not None:
            self.epilog = self.ending()
        return super().format_help()

    def _needed(self) -> str:
        """The required arguments, in their order."""
        words = []
        for action in self._actions:
            value = action.metavar or "|".join(action.choices or ())
            if action.option_strings:
                words += [f"{action.option_strings[0]} {value}"] * action.required
            else:
                end = {"?": "[{}]", "*": "[{} …]", "+": "{} …"}.get(str(action.nargs), "{}")
                words.append(end.format(value))
        return " ".join([*words, "[options]"]).replace("%", "%%")

    def error(self, message: str) -> NoReturn:
        """Ends the program with one paragraph, as other errors do; with the help if no command was given."""
        if message == "the following arguments are required: COMMAND":
            self.print_help(sys.stderr)
            raise SystemExit(2)
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
    ) -> tuple[argparse.Namespace, list[str]]:
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
        for key in self.keys():
            if key.name.rpartition(".")[2] == wanted:
                return f"{key.name} is a key: --set {key.name}=…"
        return did_you_mean(name, [o for o in self._option_string_actions if o.startswith("--")])


class _Several(argparse.Action):
    """Appends the values of ``a,b,…``, or of ``@FILE`` with one per line, to those given before."""

    def __call__(
        self, _parser: object, namespace: argparse.Namespace, text: Any, _option: object = None
    ) -> None:
        """Called each time the option is given."""
        parts = text.split(",")
        if text.startswith("@"):
            parts = read_lines(Path(text[1:]))
        values = [_single(self.const, part.strip()) for part in parts if part.strip()]
        if not values:
            raise ConfigError(f"{text!r} names nothing; expected a,b,… or @FILE with one per line.")
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), *values])


def add_flags(parser: Arguments, keys: "Iterable[Key]", *, brief: bool = False) -> None:
    """Adds the command-line options of those of these keys that have one; see `given`.

    Args:
        parser: What gets them.
        keys: The keys.
        brief: Whether their help is shortened, rather than the whole first sentence.
    """
    for key in keys:
        if not key.flag:
            continue
        place, text = _SETS + key.name, _in_short(key, brief=brief)
        kind = next(k for k in (*get_args(key.hint), key.hint) if k not in (None, Ellipsis))
        if key.hint is bool:
            parser.add_argument(
                key.flag, dest=place, action=argparse.BooleanOptionalAction, default=None, help=text
            )
            continue
        named = "{" + ",".join(key.option.choices) + "}" if key.option.choices else ""
        usual = "FILE" if key.option.file else {int: "N", float: "X"}.get(kind, "NAME")
        several = get_origin(key.hint) is tuple
        how: dict[str, Any] = (
            {"action": _Several, "const": kind} if several else {"type": partial(_single, kind)}
        )
        if key.option.metavar == "FOLDER":
            how = {"type": _folder}
        parser.add_argument(
            key.flag,
            dest=place,
            **how,
            metavar=key.option.metavar or named or ("A,B|@FILE" if several else usual),
            help=text,
        )


def given(arguments: argparse.Namespace, section: str = "") -> dict[str, Any]:
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


def describe_keys(keys: "Iterable[Key]") -> str:
    """Lists all keys, in lines of at most 79 characters."""
    lines: list[str] = []
    for key in keys:
        lines += wrap(
            f"{key.name} = {key.default}".removesuffix(" = "),
            77,
            initial_indent="  ",
            subsequent_indent="      ",
        )
        # Choices are in the meaning.
        bounds = key.values[:1].upper() + key.values[1:] + "." if key.option.bounded else ""
        lines += [f"      {line}" for line in wrap(f"{key.meaning} {bounds}", 73)]
    return "\n".join(lines)


def _in_short(key: "Key", *, brief: bool) -> str:
    """The first sentence of a key's meaning, or its beginning, in lower case, and its default."""
    sentence = re.split(r"\.(?: (?=[A-Z])|$)", key.meaning)[0]
    if brief:
        sentence = re.split(
            r"(?<=.{20})(?:: |; | \(|, (?:in|from|e\.g\.|which|where|up) )", sentence
        )[0]
    if not re.match("[A-Z]{2}", sentence):
        sentence = sentence[:1].lower() + sentence[1:]
    default = key.default.strip('"[]')
    return f"{sentence} ({default})".replace("%", "%%") if default else sentence.replace("%", "%%")


def _single(kind: type, text: str) -> Any:
    """Converts text to a type; returns it as it is if that fails, to be reported with all other problems."""
    try:
        return kind(text)
    except ValueError:
        return text


def _folder(text: str) -> str:
    """A name, which an unset variable of a shell is not: without one, calls would be sent and cost."""
    if not text:
        raise argparse.ArgumentTypeError("nothing is named; expected a folder")
    return text
