"""The entry point of the command line.

Exit status: 0 success; 1 a release has faults (`verify`), a model's replies are all cut off or its calls all
refused, or this program has a bug; 2 something the user gave cannot be used, as one paragraph says; 3 a limit
set by the user ended the run early, or a batch is to be sent; 130 interrupted.
"""

import contextlib
import errno
import gc
import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

import rulemine
from rulemine import guard
from rulemine.cli.answer import ANSWER
from rulemine.cli.build import BUILD
from rulemine.cli.console import complain, fitting
from rulemine.cli.data import DATA, GLOSS, GRAPH, NEO4J, QUERY
from rulemine.cli.evaluate import EVALUATE
from rulemine.cli.export import EXPORT
from rulemine.cli.mine import MINE
from rulemine.cli.parser import Parser, Subcommand
from rulemine.cli.release import ARCHIVE, AUDIT, IMPORT, RENAME, SHOW, VERIFY
from rulemine.cli.study import STUDY, TABLES
from rulemine.errors import LimitError, OutputError, RulemineError, UserError

__all__ = ["main", "make_parser"]

GROUPS: dict[str, tuple[Subcommand, ...]] = {
    "Build": (BUILD, VERIFY, SHOW, MINE, DATA),
    "Share": (RENAME, ARCHIVE, EXPORT, IMPORT),
    "Test a system": (ANSWER, EVALUATE, STUDY, TABLES, AUDIT),
}
"""The commands."""

COMMANDS = {
    command.name: command
    for command in (
        *(command for group in GROUPS.values() for command in group),
        *(GRAPH, QUERY, NEO4J, GLOSS),
    )
}

MOVED = {
    "build draft": "build GRAPH --until draft -o DIR",
    "build keys": "build --keys",
    "data path": "data get",
    "draft": "build GRAPH --until draft -o DIR",
    "variants": "build DIR --runs N -o OUT",
    "gloss": "data gloss",
    "questions": "export DIR --to questions",
    "export supervision": "export DIR --to supervision",
    "compare": "evaluate DIR FILE FILE …",
    "judge": "evaluate DIR --judge NAME -o FILE",
    "serve neo4j": "data neo4j",
    "serve sparql": "show DIR --serve sparql",
    "serve": "show DIR --serve page",
    "graph": "data graph",
    "query": "data query",
}
"""Command of an earlier version → what to type now."""

MOVED_OPTIONS = {
    "--verbalizer": "--model NAME",
    "--selection": "--set selection.mode=…",
    "--estimate": "--dry-run",
    "--update": "what --until draft does by itself",
}
"""Option of an earlier version → what to type now, where no key is called so."""

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
        for group, commands in GROUPS.items():
            lines += [group, *(f"  {c.name:10} {c.summary}" for c in commands), ""]
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
    """The parser of all commands; ``run`` is the command's function.

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
        below = [c for c in COMMANDS.values() if c.name.startswith(f"{name} ")]
        width = max((len(c.name) for c in below), default=0)
        more = [f"  {c.name:{width}}  {c.summary}" for c in below]
        if more:
            more = ["also, each with a --help of its own:", *more, ""]
        made = commands.add_parser(
            name,
            help=command.summary,
            description=f"{command.summary[0].upper()}{command.summary[1:]}.",
            epilog="\n".join([*more, command.more]).strip() or None,
        )
        made.options, made.takes_program = command.complete, command.takes_program
        made.moved = MOVED_OPTIONS
        made.set_defaults(run=command.run, beside_output=command.beside_output)
        if command.takes_program:
            made.set_defaults(program=())
        if whole:
            made.complete()
    return parser


@contextlib.contextmanager
def _standard_output() -> Iterator[None]:
    """Ignores a reader that stops reading (``| head``); reports a full disk as a user's error."""
    try:
        yield
        sys.stdout.flush()
    except OSError as problem:
        if problem.filename is not None or problem.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        # Python flushes standard output again at exit, which must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if problem.errno == errno.ENOSPC:
            raise OutputError(
                f"standard output: cannot be written ({problem.strerror}). Free space, or send it "
                "elsewhere."
            ) from None


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
        reconfigure = getattr(channel, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding=None if channel.isatty() else "utf-8", errors="replace")
    try:
        arguments = make_parser(whole=False).parse_args(argv)
        form = str(getattr(arguments, "to", None) or "").partition(":")[0]
        guard.begin(f"{arguments.command} --to {form}" if form else arguments.command)
        with _standard_output(), fitting(arguments):
            return int(arguments.run(arguments))
    except LimitError as problem:
        complain(str(problem))
        return 3
    except UserError as problem:
        complain(str(problem))
        return 2
    except RulemineError as problem:
        complain(str(problem))
        return 1
    except OSError as problem:
        name, why = problem.filename, problem.strerror
        if isinstance(problem, shutil.Error):  # of files that were copied, the first
            _, name, why = problem.args[0][0]
        if name is None:  # not about a file: a bug
            raise
        complain(f"{name}: cannot be used ({why}). Check its name, its folders and the space left.")
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
    return 0
