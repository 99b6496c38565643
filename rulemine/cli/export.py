"""The command ``export``: a release in the format of another system.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

import argparse
from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.console import Line, say
from rulemine.cli.parser import Parser, add_command
from rulemine.errors import ConfigError, counted

if TYPE_CHECKING:
    from rulemine.exports.exporting import Exported

__all__ = ["add_exporting"]

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
