"""What a release gives to other systems: ``export``, ``question-graphs`` and ``supervision``.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

import argparse
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.answer import add_model_options, split_of
from rulemine.cli.console import Line, bar, check_output, emit, output_file, refuse_idle, say
from rulemine.cli.parser import Parser, add_command, add_flags, add_wide, given
from rulemine.errors import ConfigError, counted

if TYPE_CHECKING:
    from rulemine.evaluation.supervision.supervision import Labeling
    from rulemine.exports.exporting import Exported
    from rulemine.kg.graph import KnowledgeGraph
    from rulemine.release.reader import Release
    from rulemine.text.tables import Table

__all__ = ["add_exporting", "add_question_graphs", "add_supervising"]

_REACHED = {"answer_": "hard answers that can be reached", "proof_": "with their whole proof"}

_VIEWS = {
    "undirected": "in an undirected graph",
    "digraph_2": "in a digraph (2 hops)",
    "forward_2": "forward (2 hops)",
}


def add_exporting(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``export``."""
    parser = add_command(
        commands,
        "export",
        export,
        "write a release in the files of other people's systems",
    )
    parser.options = _add_options


def _add_options(parser: Parser) -> None:
    from rulemine.exports.registry import EXPORTS

    parser.epilog = (
        f"Formats: {', '.join(EXPORTS)}.\n"
        "docs/exports.md says which system reads which, and what the options of each are."
    )
    parser.add_argument(
        "release", type=Path, metavar="DIR", help="folder or archive of the release"
    )
    parser.add_argument("--to", required=True, metavar="FORMAT[:key=value…][,…]",
                        help="the format; several write a folder each, in the one of -o")  # fmt: skip
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT",
                        help="folder to write, new or an earlier export")  # fmt: skip
    parser.add_argument("--kg", default="incomplete", metavar="GRAPH",
                        help="complete, incomplete or incomplete-LEVEL (incomplete)")  # fmt: skip
    parser.add_argument(
        "--naming", metavar="NAMING", help="private, entity or text (the release's)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N",
                        help="for what is drawn or shuffled (0)")  # fmt: skip
    parser.add_argument("--without-answers", action="store_true",
                        help="the test split alone, its answers in OUT.answers.jsonl")  # fmt: skip


def export(arguments: Namespace) -> int:
    """``export``."""
    from rulemine.exports.exporting import check_export
    from rulemine.exports.exporting import export as export_release
    from rulemine.exports.registry import find_exporter
    from rulemine.registry import split_names
    from rulemine.release.reader import Release

    names = list(dict.fromkeys(split_names(arguments.to)))
    if not names:
        raise ConfigError("--to names nothing; expected a format, e.g. --to rog.")
    for name in names:
        find_exporter(name)
    release = Release.open(arguments.release)
    several = len(names) > 1
    places = {n: arguments.output / _file_name(n) if several else arguments.output for n in names}
    chosen = {key: getattr(arguments, key) for key in ("naming", "kg", "seed", "without_answers")}
    for name, place in places.items():  # before the first is written
        check_export(release, name, place, **chosen)
    for name, place in places.items():
        line = Line()
        with line.watch(f"export {name}") as tell:
            made = export_release(release, name, place, **chosen, progress=tell, note=line.note)
        say(_summary(name, made))
    return 0


def _file_name(name: str) -> str:
    """A format with its options as a file name, which an option of another program can hold."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)


def _summary(name: str, made: "Exported") -> str:
    lines = [f"{made.folder}: {counted(made.questions, 'question')} for {name}"]
    reasons = Counter(made.left_out.values())
    lines += [f"  left out {n}: {reason}" for reason, n in sorted(reasons.items())]
    flags = {start + view for start in _REACHED for view in _VIEWS}
    lines += [
        f"  {key.replace('_', ' ')}: {value}"
        for key, value in made.counts.items()
        if key not in flags
    ]
    for start, what in _REACHED.items():
        shares = {text: made.counts.get(start + view) for view, text in _VIEWS.items()}
        told = [
            f"{100 * share:.1f} % {text}" for text, share in shares.items() if share is not None
        ]
        lines += [f"  {what}: {', '.join(told)}"] if told else []
    if made.left_out:
        lines.append(f"  {made.folder / 'left_out.tsv'} names those that were left out")
    if made.answers is not None:
        lines.append(f"  the answers are in {made.answers}")
    return "\n".join(lines)


_OF_GRAPHS = """\
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
        _OF_GRAPHS,
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
        from rulemine.exports.question_graphs.options import QuestionGraphOptions

        add_flags(parser, keys_of(QuestionGraphOptions(), ""))

    parser.options = add


def question_graphs(arguments: Namespace) -> int:
    """``question-graphs``."""
    from rulemine.evaluation.reporting.files import to_text
    from rulemine.exports.question_graphs.files import write_question_graphs
    from rulemine.exports.question_graphs.options import QuestionGraphOptions
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


_OF_SUPERVISION = """\
Retrievers are mostly trained on the triples of shortest paths from topic entities to
answers. docs/supervision.md says what every column is, and what the labels are."""


def add_supervising(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``supervision``."""
    parser = add_command(
        commands,
        "supervision",
        supervision,
        "compare the triples of shortest paths with the evidence, to train retrievers on",
        _OF_SUPERVISION,
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
    from rulemine.evaluation.reporting.files import render
    from rulemine.evaluation.supervision.supervision import report_supervision
    from rulemine.release.reader import Release
    from rulemine.release.storing.outputs import real

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
    emit(render(document, arguments.format), arguments.output)
    return 0


def _reader(
    arguments: Namespace, release: "Release", line: Line, tell: Callable[[int, int], None]
) -> "Callable[[KnowledgeGraph, Sequence[Labeling]], Table]":
    """Has the model read the paths."""
    from rulemine.evaluation.answerers.final_answer import TOKENS
    from rulemine.evaluation.supervision.path_reader import PathReader
    from rulemine.llm.options import EndpointOptions
    from rulemine.release.storing.outputs import check_place

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
