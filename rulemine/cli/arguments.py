"""Commands, their arguments, and those that several commands share."""

import math
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rulemine.cli.console import output_file
from rulemine.cli.parser import Parser, add_flags, given
from rulemine.errors import ConfigError

if TYPE_CHECKING:
    from rulemine.config import Key

__all__ = ["Argument", "Subcommand", "arg", "switch", "within"]

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
    return Argument(names.split(), {"metavar": metavar, "help": text, "type": kind, **how})


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


def switch(name: str, text: str) -> Argument:
    """An option without a value."""
    return Argument([name], {"action": "store_true", "help": text})


def several(names: str, metavar: str, text: str, kind: Callable[[str], Any] = str) -> Argument:
    """An option that may be repeated."""
    return arg(names, metavar, f"{text} (repeatable)", kind, action="append", default=[])


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
    options: Callable[[Parser], None] | None = None
    beside_output: bool = False
    takes_program: bool = False

    def complete(self, parser: Parser) -> None:
        """Adds its arguments to its parser."""
        for one in self.arguments:
            shared = [SHARED[name] for name in one.split()] if isinstance(one, str) else [one]
            for names, how in shared:
                parser.add_argument(*names, **how)
        if self.options is not None:
            self.options(parser)


_OF_RELEASE = "folder or archive of the release"
_SPLITS = "train, validation, test or all"
_KG = "complete, incomplete or incomplete-LEVEL (incomplete)"

SHARED = {
    "release": arg("release", "DIR", _OF_RELEASE, Path),
    "release?": arg("release", "DIR", _OF_RELEASE, Path, nargs="?"),
    "split": arg("--split", "SPLIT", f"{_SPLITS} (test)", default="test"),
    "split?": arg("--split", "SPLIT", f"{_SPLITS} (test)"),
    "any-split": arg("--split", "SPLIT", f"{_SPLITS} (all)", default="all"),
    "sample": arg("--sample", "N", "the first N questions of one fixed order, the core first (all)", int),
    "naming": arg("--naming", "NAMING", "private, entity or text (the release's)"),
    "kg": arg("--kg", "GRAPH", _KG, default="incomplete"),
    "kg?": arg("--kg", "GRAPH", _KG),
    "seed": arg("--seed", "N", "of what is drawn (0)", int, default=0),
    "output": arg("-o --output", "FILE", "(standard output)", output_file),
    "folder": arg("-o --output", "OUT", "folder to write, new or of an earlier run", Path, required=True),
    "replace": switch("--replace", "replace a release that has another name or was edited"),
    "columns": arg("--columns", "A,B,C", "which columns of a table are subject, relation, object: names or "
        "numbers (known names, else 1,2,3)", lambda text: text.split(","), default=()),
    "strict": switch("--strict", "refuse RDF with lines that are not in its format"),
    "cluster": arg("--cluster", "ADDRESS", "Dask: tcp://HOST:PORT, a scheduler file or local:N"),
    "set": several("--set", "KEY=VALUE", "override a key, see rulemine build keys"),
}  # fmt: skip
"""Name → argument that several commands take; with ``?`` it may be left out, or has no default."""


def format_of(*formats: str, more: str = "") -> Argument:
    """The option for the format of what is printed; the first is usual."""
    return arg("--format", None, f"({formats[0]}){more}", choices=formats, default=formats[0])


def add_endpoint(parser: Parser, title: str, *further: Argument) -> None:
    """Adds the options of a model: further ones, and its endpoint."""
    from rulemine.config import keys_of
    from rulemine.llm.options import EndpointOptions

    group = parser.add_argument_group(title)
    for names, how in further:
        group.add_argument(*names, **how)
    add_flags(group, keys_of(EndpointOptions(), "endpoint."))


def add_model(parser: Parser) -> None:
    """Adds the options of a model that answers."""
    name = arg("--model", "NAME", "its name at the endpoint", default="")
    add_endpoint(parser, "a model, for answerers that ask one", name)


def add_resources(parser: Parser) -> None:
    """Adds the options that limit the resources of a build."""
    add_flags(parser, resources())


def refuse_beside_cluster(arguments: Namespace) -> None:
    """Refuses resources of this process where workers have theirs.

    Raises:
        ConfigError: There is a cluster, and such an option.
    """
    if arguments.cluster and (idle := sorted(given(arguments, "resources."))):
        option = f"--{idle[0].replace('_', '-')}"
        raise ConfigError(
            f"{option}: is for mining in this process. With --cluster, threads and memory are those that the "
            "workers were started with, and there is no limit of time. Leave it out."
        )


def resources() -> "Iterator[Key]":
    """The resources that a build may use."""
    from rulemine.config import keys_of
    from rulemine.mining import Resources

    keys = keys_of(Resources(), "resources.")
    return (key for key in keys if key.name != "resources.limit_seconds")
