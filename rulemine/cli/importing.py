"""The command ``import``: question sets that others published, as releases.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

from argparse import Namespace
from pathlib import Path

from rulemine.cli.arguments import Subcommand, arg
from rulemine.cli.console import bar, note, say
from rulemine.cli.parser import Parser
from rulemine.errors import counted

__all__ = ["IMPORT"]


def import_(arguments: Namespace) -> int:
    """Runs ``import``."""
    from rulemine.importing.importer import import_set

    with bar("import") as advance:
        release = import_set(
            arguments.form, arguments.path, arguments.output, kg=arguments.kg,
            incomplete=arguments.incomplete, replace=arguments.replace, progress=advance,
        )  # fmt: skip
    counts = release.manifest["counts"]
    splits = ", ".join(f"{n:,} {split}" for split, n in counts["questions_by_split"].items())
    say(f"{arguments.output}: {counted(counts['questions'], 'question')} ({splits})")
    for text in release.manifest["config"][release.kind]["notes"]:
        note(text)
    if left := counts["rejected"]:
        note("left out: " + "; ".join(f"{n:,} × {why}" for why, n in left.items()))
    if not counts["graded"]:
        note("which answers the incomplete graph states is not known, so there are no hard answers")
    return 0


def _add_forms(parser: Parser) -> None:
    from rulemine.importing.registry import IMPORTS

    parser.epilog = (
        f"Forms: {', '.join(IMPORTS)}.\n"
        "docs/importing.md says what each reads, and what its options are."
    )


IMPORT = Subcommand(
    "import", import_, "read a question set that others published, as a release",
    (
        arg("form", "FORM[:key=value…]", "the form of its files"),
        arg("path", "PATH", "its file or folder", Path),
        arg("--kg", "FILE", "the complete graph, where the form has none or another is wanted", Path),
        arg("--incomplete", "FILE", "the incomplete graph, a part of the complete one", Path),
        arg("-o --output", "DIR", "folder of the release", Path, required=True),
        "replace",
    ),
    options=_add_forms,
)  # fmt: skip
