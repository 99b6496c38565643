"""The entry point of the command line.

Exit status: 0 success; 1 a release has faults (`verify`), two miners differ (`mine --compare`), or this
program has a bug; 2 something the user gave cannot be used, as one paragraph says; 3 a limit set by the
user ended the run early; 130 interrupted.
"""

import argparse
import contextlib
import errno
import os
import sys
from collections.abc import Iterator, Sequence

import rulemine
from rulemine.cli.answer import add_answering
from rulemine.cli.build import add_building
from rulemine.cli.compare import add_comparing
from rulemine.cli.console import complain, fitting
from rulemine.cli.data import add_data
from rulemine.cli.evaluate import add_cypher_score, add_scoring
from rulemine.cli.export import add_exporting, add_question_graphs, add_supervising
from rulemine.cli.graph import add_cypher_tasks, add_graphing
from rulemine.cli.judge import add_judging
from rulemine.cli.mine import add_mining
from rulemine.cli.parser import Parser
from rulemine.cli.query import add_analyzing, add_checking_candidates, add_querying
from rulemine.cli.release import add_reading
from rulemine.cli.seeds import add_seeding
from rulemine.cli.serve import add_neo4j, add_serving
from rulemine.cli.study import add_studying
from rulemine.cli.variants import add_variants
from rulemine.errors import LimitError, OutputError, RulemineError, UserError
from rulemine.guard import watching

__all__ = ["main", "make_parser"]

EPILOG = """\
three commands for your own knowledge graph (subject <tab> relation <tab> object):
  rulemine build my.tsv -o out/my        mine, remove, ask: a benchmark in out/my
  rulemine verify out/my                 check every proof and every answer
  rulemine show out/my q00001            look at one question
"""


def make_parser(*, whole: bool = True) -> Parser:
    """The parser of all commands; ``run`` is the command's function.

    Args:
        whole: Whether to add the options of all commands at once, rather than when they are needed.
    """
    parser = Parser(
        prog="rulemine",
        description="Question-answering benchmarks over incomplete graphs: answers must be inferred.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rulemine {rulemine.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_building(commands)
    add_mining(commands)
    add_reading(commands)
    add_querying(commands)
    add_analyzing(commands)
    add_checking_candidates(commands)
    add_answering(commands)
    add_scoring(commands)
    add_comparing(commands)
    add_serving(commands)
    add_studying(commands)
    add_supervising(commands)
    add_question_graphs(commands)
    add_judging(commands)
    add_variants(commands)
    add_exporting(commands)
    add_seeding(commands)
    add_graphing(commands)
    add_cypher_tasks(commands)
    add_cypher_score(commands)
    add_neo4j(commands)
    add_data(commands)
    for command in commands.choices.values() if whole else ():
        command.complete()
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
    for channel in (sys.stdout, sys.stderr):
        # Labels may be any text. A terminal with another encoding shows what it can; files get UTF-8.
        reconfigure = getattr(channel, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding=None if channel.isatty() else "utf-8", errors="replace")
    try:
        with watching():
            arguments = make_parser(whole=False).parse_args(argv)
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
        if problem.filename is None:  # not about a file: a bug
            raise
        complain(
            f"{problem.filename}: cannot be used ({problem.strerror}). Check the name and the permissions "
            "of its folders."
        )
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
