"""The command ``analyze``."""

import argparse
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.console import bar, check_output, emit, output_file
from rulemine.cli.parser import Parser, add_command

if TYPE_CHECKING:
    from rulemine.kg.facts import Declarations

__all__ = ["add_analyzing"]

_INPUT = """\
FILE has one query a line, JSON Lines, or is the JSON of WebQSP, CWQ or GrailQA. A query
is SPARQL, an S-expression, or what "rulemine query" reads, in a field s_expression, query,
sparql or sparql_query; WebQSP's first parse counts.
"""


def add_analyzing(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``analyze``."""
    parser = add_command(commands, "analyze", analyze,
                         "count the logical structures of the queries of a data set", _INPUT)  # fmt: skip
    parser.add_argument("file", type=Path, metavar="FILE", help="the queries or questions")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="(table)")
    parser.add_argument(
        "-o", "--output", type=output_file, metavar="FILE", help="(standard output)"
    )


def analyze(arguments: Namespace) -> int:
    """``analyze``."""
    from rulemine.query.analysis import analyze as analyze_file

    check_output(arguments.output)
    with bar("analyze") as tell:
        report = analyze_file(arguments.file, _declared(arguments.file), tell)
    emit(report.to_json() if arguments.format == "json" else report.to_table(), arguments.output)
    return 0


def _declared(file: Path) -> "Declarations":
    """What the release of a file of questions declares about relations; of other files nothing."""
    from rulemine.kg.facts import Declarations
    from rulemine.phrasing.templates import Templates
    from rulemine.release.reader import MANIFEST, Release

    folder = file.resolve().parent.parent
    if file.parent.name != "questions" or not (folder / MANIFEST).is_file():
        return Declarations()
    release = Release.open(folder)
    return Templates.from_plain(release.relations().values()).declarations
