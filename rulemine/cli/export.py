"""The command ``export``: what a release gives to other systems.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.answer import split_of
from rulemine.cli.arguments import FORMATS, Subcommand, add_model, arg, format_of, switch, within
from rulemine.cli.console import Line, check_output, emit, refuse_idle, say
from rulemine.cli.parser import Parser, given
from rulemine.errors import ConfigError

if TYPE_CHECKING:
    from rulemine.evaluation.supervision.supervision import Labeling
    from rulemine.kg.graph import KnowledgeGraph
    from rulemine.release.reader import Release
    from rulemine.text.tables import Table

__all__ = ["EXPORT", "SUPERVISION"]


def export(arguments: Namespace) -> int:
    """Runs ``export``."""
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
        with line.watch(f"export {name}") as advance:
            made = export_release(release, name, place, **chosen, progress=advance, note=line.note)
        say(made.to_text(name))
    return 0


def _file_name(name: str) -> str:
    """A format with its options as a file name, which an option of another program can hold."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)


_OF_SUPERVISION = """\
Retrievers are mostly trained on the triples of shortest paths from topic entities to
answers. docs/supervision.md says what every column is, and what the labels are."""


def supervision(arguments: Namespace) -> int:
    """Runs ``export supervision``."""
    from rulemine.evaluation.reporting.files import render
    from rulemine.evaluation.supervision.supervision import report_supervision
    from rulemine.release.outputs import real
    from rulemine.release.reader import Release

    check_output(arguments.output)
    if bool(arguments.model) != (arguments.replies is not None):
        raise ConfigError(
            "--model and --replies go together: name the model, and a folder for its replies."
        )
    if not arguments.model:
        refuse_idle(arguments, "--model", "sample", "max_tokens")
    if arguments.labels is not None:
        for inside in (arguments.replies, arguments.output):
            if inside is not None and real(inside).is_relative_to(real(arguments.labels)):
                raise ConfigError(
                    f"--labels {arguments.labels}: is replaced as a whole, and {inside} is inside it. Name "
                    "another place for one of the two."
                )
    release = Release.open(arguments.release)
    line = Line()
    with line.watch("supervision") as advance:
        document = report_supervision(
            release,
            arguments.kg,
            split=split_of(arguments.split),
            targets=arguments.answers,
            labels=arguments.labels,
            progress=advance,
            further=_reader(arguments, release, line, advance) if arguments.model else None,
        )
    emit(render(document, arguments.format), arguments.output)
    return 0


def _reader(
    arguments: Namespace, release: "Release", line: Line, advance: Callable[[int, int], None]
) -> "Callable[[KnowledgeGraph, Sequence[Labeling]], Table]":
    """Has the model read the paths."""
    from rulemine.evaluation.supervision.path_reader import read_paths
    from rulemine.llm.options import EndpointOptions
    from rulemine.release.outputs import check_place

    check_place(arguments.replies, [arguments.release])
    return partial(
        read_paths,
        release,
        arguments.model,
        max_tokens=arguments.max_tokens,
        kg=arguments.kg,
        split=split_of(arguments.split),
        sample=arguments.sample,
        endpoint=EndpointOptions(**given(arguments, "endpoint.")),
        folder=arguments.replies,
        progress=advance,
        note=line.note,
    )


def _add_formats(parser: Parser) -> None:
    from rulemine.exports.registry import EXPORTS

    parser.epilog = (
        f"{parser.epilog}\n\nFormats: {', '.join(EXPORTS)}.\n"
        "docs/exports.md says which system reads which, and what the options of each are."
    )


EXPORT = Subcommand(
    "export", export, "write a release in the files of other people's systems",
    (
        "release",
        arg("--to", "FORMAT[:key=value…][,…]", "the format; several write a folder each, in the one of -o",
            required=True),
        "folder kg naming seed",
        switch("--without-answers", "the test split alone, its answers in OUT.answers.jsonl"),
    ),
    options=_add_formats,
)  # fmt: skip

SUPERVISION = Subcommand(
    "export supervision", supervision,
    "compare triples of shortest paths with the evidence",
    (
        "release kg any-split",
        arg("--answers", None, "that paths lead to: the one that the question asks for, or all that the "
            "complete graph gives (asked)", choices=("asked", "all"), default="asked"),
        arg("--labels", "FOLDER", "write both labelings of the triples there (none)", Path),
        arg("--replies", "FOLDER", "where replies of --model are kept; none is asked for again", Path),
        "sample",
        arg("--max-tokens", "N", "tokens of a reply of --model at most (256)", within(1)),
        format_of(*FORMATS[:-1]), "output",
    ),
    _OF_SUPERVISION, add_model,
)  # fmt: skip
