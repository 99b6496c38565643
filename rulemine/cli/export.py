"""The command ``export``: what a release gives to other systems.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.console import (
    Line,
    check_output,
    emit,
    emit_pieces,
    output_file,
    refuse_idle,
    say,
)
from rulemine.cli.parser import Parser, Subcommand, arg, chosen, release_at, switch
from rulemine.errors import ConfigError

if TYPE_CHECKING:
    from rulemine.cli.keys import Supervision
    from rulemine.evaluation.supervision.supervision import Labeling
    from rulemine.kg.graph import KnowledgeGraph
    from rulemine.release.reader import Release
    from rulemine.text.tables import Table

__all__ = ["EXPORT", "split_of"]


def split_of(name: str) -> str | None:
    """The split of a name; None for ``all``."""
    return None if name == "all" else name


def export(arguments: Namespace) -> int:
    """Runs ``export``."""
    from rulemine.exports.exporting import check_export
    from rulemine.exports.exporting import export as export_release
    from rulemine.exports.registry import find_exporter
    from rulemine.registry import split_names

    names = list(dict.fromkeys(split_names(arguments.to)))
    if not names:
        raise ConfigError("--to names nothing; expected a format, e.g. --to rog.")
    for form, run in (("questions", _questions), ("supervision", _supervision)):
        if names[0].partition(":")[0] == form:
            if len(names) > 1:
                raise ConfigError(f"--to {form}: has no folder beside others. Name it alone.")
            return run(arguments, names[0])
    refuse_idle(arguments, "--to supervision", "set")
    if arguments.output is None:
        raise ConfigError("missing: -o/--output, the folder to write. See rulemine export --help.")
    for name in names:
        find_exporter(name)
    release = release_at(arguments.release)
    output = arguments.output
    places = {n: output / _file_name(n) if len(names) > 1 else output for n in names}
    how = {key: getattr(arguments, key) for key in ("naming", "kg", "seed", "without_answers")}
    how["kg"], how["seed"] = how["kg"] or "incomplete", how["seed"] or 0
    for name, place in places.items():  # before the first is written
        check_export(release, name, place, **how)
    for name, place in places.items():
        line = Line()
        with line.watch(f"export {name}") as advance:
            made = export_release(release, name, place, **how, progress=advance, note=line.note)
        say(made.to_text(name))
    return 0


def _file_name(name: str) -> str:
    """A format with its options as a file name, which an option of another program can hold."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)


def _questions(arguments: Namespace, form: str) -> int:
    """Runs ``export --to questions``."""
    from rulemine.cli.keys import QuestionsForm, form_of
    from rulemine.codec import dump_line
    from rulemine.release.groups import sample
    from rulemine.release.naming import questions_in
    from rulemine.release.records import asked_row

    how = form_of(form, "--to", questions=QuestionsForm)
    refuse_idle(arguments, "other formats", "kg", "seed", "without_answers", "set")
    output = arguments.output and output_file(str(arguments.output))
    check_output(output)
    release = release_at(arguments.release)
    asked = sample(release.questions(split_of(how.split)), how.sample)
    if arguments.naming not in (None, release.naming):
        asked = questions_in(release, asked, arguments.naming)
    emit_pieces((dump_line(asked_row(q)) + "\n" for q in asked), output)
    return 0


def _supervision(arguments: Namespace, form: str) -> int:
    """Runs ``export --to supervision``."""
    from rulemine.cli.keys import Supervision, form_of
    from rulemine.evaluation.reporting.files import render
    from rulemine.evaluation.supervision.supervision import report_supervision
    from rulemine.release.outputs import real

    how = form_of(form, "--to", supervision=Supervision)
    refuse_idle(arguments, "other formats", "naming", "seed", "without_answers")
    if bool(how.model) != bool(how.replies):
        raise ConfigError(
            "--to supervision: model and replies go together: name the model, and a folder for its replies."
        )
    if arguments.set and not how.model:
        raise ConfigError(f"--set {arguments.set[0]}: is for a model, supervision:model=NAME.")
    labels: Path | None = arguments.output
    if labels and how.replies and real(Path(how.replies)).is_relative_to(real(labels)):
        raise ConfigError(
            f"-o {labels}: is replaced as a whole, and {how.replies} is inside it. Name another place for "
            "one of the two."
        )
    release = release_at(arguments.release)
    line = Line()
    with line.watch("supervision") as advance:
        document = report_supervision(
            release,
            arguments.kg or "incomplete",
            split=split_of(how.split),
            targets=how.answers,
            labels=labels,
            progress=advance,
            further=_reader(arguments, how, release, line, advance) if how.model else None,
        )
    emit(render(document, how.format), None)
    return 0


def _reader(
    arguments: Namespace,
    how: "Supervision",
    release: "Release",
    line: Line,
    advance: Callable[[int, int], None],
) -> "Callable[[KnowledgeGraph, Sequence[Labeling]], Table]":
    """Has the model read the paths."""
    from rulemine.cli.keys import ModelOptions
    from rulemine.evaluation.supervision.path_reader import read_paths
    from rulemine.release.outputs import check_place

    folder = Path(how.replies)
    check_place(folder, [arguments.release])
    return partial(
        read_paths,
        release,
        how.model,
        max_tokens=how.max_tokens,
        kg=arguments.kg or "incomplete",
        split=split_of(how.split),
        sample=how.sample,
        endpoint=chosen(arguments, ModelOptions).endpoint,
        folder=folder,
        progress=advance,
        note=line.note,
    )


def _add_formats(parser: Parser) -> None:
    from rulemine.exports.registry import EXPORTS

    parser.epilog = (
        f"Formats: {', '.join(EXPORTS)}; docs/exports.md says which system reads which.\n"
        "questions[:split=test:sample=N]: what a system is given, and nothing else: id, question,\n"
        "topic_entities, a JSON object a line. The graph is kg/incomplete.tsv.gz in DIR.\n"
        "supervision[:split=all:answers=asked:model=NAME:replies=DIR …]: compares the triples of shortest\n"
        "paths, on which retrievers are mostly trained, with the evidence; -o OUT writes both labelings."
    )


EXPORT = Subcommand(
    "export", export, "write a release in the files of other people's systems",
    (
        "release",
        arg("--to", "FORMAT[:key=value…]", "the format; A,B: several, a folder each in OUT",
            required=True),
        arg("-o --output", "OUT", "folder; of questions a file (standard output)", Path),
        "kg?",
        arg("--naming", "NAMING", "private, entity or text (the release's)"),
        arg("--seed", "N", "of what is drawn (0)", int),
        switch("--without-answers", "test alone, its answers in OUT.answers.jsonl"),
        "endpoint",
    ),
    options=_add_formats,
)  # fmt: skip
