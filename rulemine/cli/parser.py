"""The parser of the command line: help in short lines, and errors as one paragraph."""

import argparse
import re
from argparse import Namespace
from collections.abc import Sequence
from itertools import groupby
from textwrap import wrap
from typing import Any, NoReturn

from rulemine.cli.commands import COMMANDS, MOVED_OPTIONS, SHARED
from rulemine.cli.console import complain
from rulemine.errors import did_you_mean

__all__ = ["Parser"]

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
        command: The name of the command; "" for all.
    """

    command = ""
    _whole = False

    def complete(self) -> None:
        """Adds the arguments, unless they have been added: no command loads the keys of others."""
        if self.command and not self._whole:
            from rulemine.cli.keys import add_keys

            self._whole = True
            for one in COMMANDS[self.command].arguments:
                shared = [SHARED[name] for name in one.split()] if isinstance(one, str) else [one]
                for names, how in shared:
                    self.add_argument(*names, **how)
            add_keys(self, self.command)

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
        """Adds hints for unknown options; what follows ``--`` is a program of the user's in some commands."""
        self.complete()
        if args is not None and self.command and COMMANDS[self.command].takes_program:
            at = [*args, "--"].index("--")
            self.set_defaults(program=args[at + 1 :])
            args = args[:at]
        parsed, rest = super().parse_known_args(args, namespace)
        unknown = next((word for word in rest if word.startswith("--")), None)
        if unknown is not None:
            name = unknown.partition("=")[0]
            self.error(f"there is no option {name}; {self._hint(name)}")
        return parsed, rest

    def _hint(self, name: str) -> str:
        if name in MOVED_OPTIONS:
            return f"it is now {MOVED_OPTIONS[name]}"
        from rulemine.cli.keys import settable

        wanted = name.strip("-").replace("-", "_")
        for key in settable(self.command):
            if key.name.rpartition(".")[2] == wanted:
                return f"{key.name} is a key: --set {key.name}=…"
        return did_you_mean(name, [o for o in self._option_string_actions if o.startswith("--")])


def _invocation(action: argparse.Action) -> str:
    """An argument as its help shows it: ``-o, --output DIR``."""
    value = "" if action.nargs == 0 else action.metavar or "|".join(action.choices or ())
    return f"{', '.join(action.option_strings)} {value}".strip()
