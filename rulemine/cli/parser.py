"""The parser of the command line: a misspelt option gets a hint, long help is made when somebody reads it."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from rulemine.cli.console import complain
from rulemine.errors import did_you_mean

__all__ = ["Parser", "add_command", "add_means"]


_REWORDED = (
    (r"^argument ", ""),
    (r"^(.*?): invalid int value: ", r"\1: expected a whole number, found "),
    (r"^(.*?): invalid float value: ", r"\1: expected a number, found "),
    (r": expected one argument$", ": expected a value after it"),
    (r"^the following arguments are required: ", "missing: "),
)
"""What argparse says → what this program says."""

_CHOICE = re.compile(r"(.*?): invalid choice: (.*) \(choose from (.*)\)", re.DOTALL)
_NAME = re.compile(r"[\w-]+")


class Parser(argparse.ArgumentParser):
    """A parser of a command, or of all of them.

    Attributes:
        make_epilog: Makes the end of its help, where that takes long.
        takes_keys: Whether it has ``--set``, for the keys of recipes.
    """

    make_epilog: Callable[[], str] | None = None
    takes_keys = False

    def format_help(self) -> str:
        """The help, its end included."""
        if self.make_epilog is not None:
            self.epilog = self.make_epilog()
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Ends the program with one paragraph, as every other mistake does; without a command, with help."""
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
        """Also says what was meant, perhaps, by an option that there is not."""
        parsed, rest = super().parse_known_args(args, namespace)
        unknown = next((word for word in rest if word.startswith("--")), None)
        if unknown is not None:
            name = unknown.partition("=")[0]
            self.error(f"there is no option {name}; {self._hint(name)}")
        return parsed, rest

    def _hint(self, name: str) -> str:
        if self.takes_keys:
            from rulemine.builder.recipe import Recipe  # loads numpy
            from rulemine.builder.recipe_help import keys_of

            wanted = name.strip("-").replace("-", "_")
            for key in keys_of(Recipe(name="NAME", kg="KG")):
                if key.name.rpartition(".")[2] == wanted:
                    return f"{key.name} is a key: --set {key.name}=…"
        return did_you_mean(name, [o for o in self._option_string_actions if o.startswith("--")])


def add_command(
    commands: "argparse._SubParsersAction[Parser]",
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    more: str = "",
) -> Parser:
    """Adds a command; `run` is its function, `more` the end of its help."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=more or None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_means(parser: argparse.ArgumentParser) -> None:
    """Adds the options for the resources of the miner."""
    parser.add_argument("--threads", type=int, metavar="N", help="threads of the miner (all)")
    parser.add_argument("--heap", metavar="SIZE", help="Java heap, e.g. 4g (half of the memory)")
