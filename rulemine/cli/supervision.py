"""The command ``supervision``: what retrievers learn from shortest paths, beside the evidence.

A command imports what it needs when it runs.
"""

import argparse
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.answer import add_model_options, split_of
from rulemine.cli.console import Line, check_output, emit, output_file, refuse_idle
from rulemine.cli.parser import Parser, add_command, add_wide, given
from rulemine.errors import ConfigError

if TYPE_CHECKING:
    from rulemine.evaluation.reporting.document import Grid
    from rulemine.evaluation.supervision import Labeling
    from rulemine.kg.graph import KnowledgeGraph
    from rulemine.release.reader import Release

__all__ = ["add_supervising"]

_MORE = """\
Retrievers are mostly trained on the triples of shortest paths from topic entities to
answers. docs/supervision.md says what every column is, and what the labels are."""


def add_supervising(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``supervision``."""
    parser = add_command(
        commands,
        "supervision",
        supervision,
        "compare the triples of shortest paths with the evidence, to train retrievers on",
        _MORE,
    )
    parser.add_argument(
        "release", type=Path, metavar="DIR", help="folder or archive of the release"
    )
    parser.add_argument("--kg", default="incomplete", metavar="GRAPH",
                        help="complete, incomplete or incomplete-LEVEL (incomplete)")  # fmt: skip
    parser.add_argument("--split", default="all", help="train, validation, test or all (all)")
    parser.add_argument("--answers", default="asked", choices=("asked", "all"),
                        help="that paths lead to: the one that the question asks for, or all that the "
                        "complete graph gives (asked)")  # fmt: skip
    parser.add_argument("--labels", type=Path, metavar="FOLDER",
                        help="write both labelings of the triples there (none)")  # fmt: skip
    parser.add_argument("--replies", type=Path, metavar="FOLDER",
                        help="where replies of --model are kept; none is asked for again")  # fmt: skip
    parser.add_argument("--sample", type=int, metavar="N",
                        help="ask --model the first N questions of one fixed order alone (all)")  # fmt: skip
    parser.add_argument("--max-tokens", type=int, metavar="N",
                        help="tokens of a reply of --model at most (256)")  # fmt: skip
    parser.add_argument("--format", default="table",
                        choices=("table", "json", "csv", "markdown", "latex", "html"),
                        help="of the report (table)")  # fmt: skip
    parser.add_argument(
        "-o", "--output", type=output_file, metavar="FILE", help="(standard output)"
    )
    add_wide(parser)
    add_model_options(parser)


def supervision(arguments: Namespace) -> int:
    """``supervision``."""
    from rulemine.evaluation.reporting.files import render, to_text
    from rulemine.evaluation.supervision import report_supervision
    from rulemine.release.outputs import real
    from rulemine.release.reader import Release

    check_output(arguments.output)
    if bool(arguments.model) != (arguments.replies is not None):
        raise ConfigError(
            "--model and --replies go together: name the model, and a folder for its replies."
        )
    if not arguments.model:
        refuse_idle(arguments, "--model", "sample", "max_tokens")
    if (arguments.max_tokens or 1) < 1:
        raise ConfigError(f"--max-tokens is {arguments.max_tokens}; expected 1 or more.")
    if arguments.labels is not None:
        for inside in (arguments.replies, arguments.output):
            if inside is not None and real(inside).is_relative_to(real(arguments.labels)):
                raise ConfigError(
                    f"--labels {arguments.labels}: is replaced as a whole, and {inside} is inside it. Name "
                    "another place for one of the two."
                )
    release = Release.open(arguments.release)
    line = Line()
    with line.watch("supervision") as tell:
        document = report_supervision(
            release,
            arguments.kg,
            split=split_of(arguments.split),
            targets=arguments.answers,
            labels=arguments.labels,
            progress=tell,
            further=_reader(arguments, release, line, tell) if arguments.model else None,
        )
    shown = to_text(document) if arguments.format == "table" else render(document, arguments.format)
    emit(shown, arguments.output)
    return 0


def _reader(
    arguments: Namespace, release: "Release", line: Line, tell: Callable[[int, int], None]
) -> "Callable[[KnowledgeGraph, Sequence[Labeling]], Grid]":
    """Has the model read the paths."""
    from rulemine.evaluation.answerers.final_answer import TOKENS
    from rulemine.evaluation.path_reader import PathReader
    from rulemine.llm.options import EndpointOptions
    from rulemine.release.outputs import check_place

    check_place(arguments.replies, [arguments.release])
    return PathReader(
        release,
        arguments.kg,
        split_of(arguments.split),
        arguments.model,
        EndpointOptions(**given(arguments, "endpoint.")),
        arguments.replies,
        arguments.sample,
        TOKENS if arguments.max_tokens is None else arguments.max_tokens,
        tell,
        line.note,
    ).table
