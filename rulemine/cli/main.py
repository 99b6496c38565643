"""The entry point of the command line.

Exit status: 0 success; 1 a release has faults (`verify`), a model's replies are all cut off or its calls all
refused, or this program has a bug; 2 something the user gave cannot be used, as one paragraph says; 3 a limit
set by the user ended the run early, or a batch is to be sent; 130 interrupted.
"""

import errno
import gc
import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

import rulemine
from rulemine import guard
from rulemine.cli.commands import COMMANDS, GROUPS, MOVED
from rulemine.cli.console import complain, fitting
from rulemine.cli.parser import Parser
from rulemine.errors import LimitError, RulemineError, UserError
from rulemine.registry import loaded

__all__ = ["main", "make_parser"]

END = """\
Your own graph (subject <tab> relation <tab> object), in three commands:
  rulemine build my.tsv -o out/my    mine, remove, ask: a benchmark in out/my
  rulemine verify out/my             check every proof and every answer
  rulemine show out/my q00001        look at one question
What a command takes: rulemine COMMAND --help
"""


class AllCommands(Parser):
    """The parser of all commands."""

    def format_help(self) -> str:
        """The commands, in groups."""
        lines = [f"usage: rulemine COMMAND … [--version]\n\n{self.description}\n"]
        for group, names in GROUPS.items():
            lines += [group, *(f"  {name:10} {COMMANDS[name].summary}" for name in names), ""]
        return "\n".join([*lines, END])

    def parse_known_args(  # type: ignore[override]  # only as this program calls it
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Namespace, list[str]]:
        """Finds commands of two words, and those of earlier versions."""
        words = list(sys.argv[1:] if args is None else args)
        if words[:1] in ([], ["help"]):
            words = [*words[1:], "--help"]
        two = " ".join(words[:2])
        if two in COMMANDS:
            words[:2] = [two]
        for old in (two, words[0]):
            if old in MOVED:
                complain(f"`{old}` is now `rulemine {MOVED[old]}`.")
                raise SystemExit(2)
        return super().parse_known_args(words, namespace)


def make_parser(*, whole: bool = True) -> AllCommands:
    """The parser of all commands.

    Args:
        whole: Whether to add the options of all commands at once, rather than when they are needed.
    """
    parser = AllCommands(
        prog="rulemine",
        description="Question-answering benchmarks over incomplete graphs: answers must be inferred.",
    )
    parser.add_argument("--version", action="version", version=f"rulemine {rulemine.__version__}")
    commands = parser.add_subparsers(
        dest="command", title="commands", metavar="COMMAND", required=True, parser_class=Parser
    )
    for name, command in COMMANDS.items():
        below = {n: c.summary for n, c in COMMANDS.items() if n.startswith(f"{name} ")}
        width = max(map(len, below), default=0)
        more = [f"  {n:{width}}  {summary}" for n, summary in below.items()]
        if more:
            more = ["also, each with a --help of its own:", *more, ""]
        made = commands.add_parser(
            name,
            help=command.summary,
            description=f"{command.summary[0].upper()}{command.summary[1:]}.",
            epilog="\n".join([*more, command.more]).strip() or None,
        )
        made.command = name
        if whole:
            made.complete()
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command.

    Args:
        argv: The arguments, without the program's name; None: those of the process.

    Returns:
        The exit status, see the module.
    """
    # Python looks for cycles among all objects, a sixth of the time of a build, and there are hardly any.
    gc.set_threshold(100_000, 20, 100)
    for channel in (sys.stdout, sys.stderr):
        # Labels may be any text. A terminal with another encoding shows what it can; files get UTF-8.
        if reconfigure := getattr(channel, "reconfigure", None):
            reconfigure(encoding=None if channel.isatty() else "utf-8", errors="replace")
    status = 0
    try:
        arguments = make_parser(whole=False).parse_args(argv)
        form = str(getattr(arguments, "to", None) or "").partition(":")[0]
        guard.begin(f"{arguments.command} --to {form}" if form else arguments.command)
        command = COMMANDS[arguments.command]
        if arguments.command == "mine":
            # It has no linear algebra, and each thread that numpy starts for that spins for a while.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        program = f"rulemine.cli.{command.module}:run_{arguments.command.split()[-1]}"
        with fitting(arguments, command.beside_output):
            status = loaded(program)(arguments) or 0
        sys.stdout.flush()
    except RulemineError as problem:
        complain(str(problem))
        return 3 if isinstance(problem, LimitError) else 2 if isinstance(problem, UserError) else 1
    except OSError as problem:
        name, why = problem.filename, problem.strerror
        advice = "used ({}). Check its name, its folders and the space left."
        if isinstance(problem, shutil.Error):  # of files that were copied, the first
            _, name, why = problem.args[0][0]
        elif name is None and problem.errno in (errno.EPIPE, errno.ENOSPC):
            # Python flushes standard output again at exit, which must not fail.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if problem.errno == errno.EPIPE:  # a reader that stops reading, as in ``| head``
                return status
            name = "standard output"
            advice = "written ({}). Free space, or send it elsewhere."
        if name is None:  # not about a file: a bug
            raise
        complain(f"{name}: cannot be {advice.format(why)}")
        return 2
    except KeyboardInterrupt:
        print(file=sys.stderr)
        complain(
            "interrupted. Nothing is left half-written; finished stages and all replies of a model are kept. "
            "Run the same command again."
        )
        return 130
    except MemoryError:
        complain("out of memory. Use a smaller graph or higher thresholds.")
        return 1
    return status
