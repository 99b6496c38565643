"""The command ``question-graphs``: a graph for each question, with its evidence, as row numbers.

A command imports what it needs when it runs.
"""

import argparse
from argparse import Namespace
from pathlib import Path

from rulemine.cli.answer import split_of
from rulemine.cli.console import bar, say
from rulemine.cli.parser import Parser, add_command, add_flags, add_wide, given

__all__ = ["add_question_graphs"]

_MORE = """\
Near its topic entities by personalized PageRank, with all of its evidence, and what looks like
evidence: to train retrievers on, and to compare them. docs/question-graphs.md says how the
graphs are made, and what the files and columns are."""


def add_question_graphs(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``question-graphs``."""
    parser = add_command(
        commands,
        "question-graphs",
        question_graphs,
        "cut a graph for each question out of a graph of the release",
        _MORE,
    )
    parser.add_argument(
        "release", type=Path, metavar="DIR", help="folder or archive of the release"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT",
                        help="folder to write, new or of earlier question graphs")  # fmt: skip
    add_wide(parser, beside_output=True)
    parser.add_argument("--kg", default="incomplete", metavar="GRAPH",
                        help="complete, incomplete or incomplete-LEVEL (incomplete)")  # fmt: skip
    parser.add_argument("--split", default="all", help="train, validation, test or all (all)")

    def add(parser: Parser) -> None:
        from rulemine.config import keys_of
        from rulemine.exports.question_graph_options import QuestionGraphOptions

        add_flags(parser, keys_of(QuestionGraphOptions(), ""))

    parser.options = add


def question_graphs(arguments: Namespace) -> int:
    """``question-graphs``."""
    from rulemine.evaluation.reporting.files import to_text
    from rulemine.exports.question_graph_files import write_question_graphs
    from rulemine.exports.question_graph_options import QuestionGraphOptions
    from rulemine.release.reader import Release

    options = QuestionGraphOptions(**given(arguments))
    release = Release.open(arguments.release)
    with bar("question graphs") as tell:
        document = write_question_graphs(
            release,
            arguments.output,
            arguments.kg,
            split=split_of(arguments.split),
            options=options,
            progress=tell,
        )
    say(to_text(document), end="")
    return 0
