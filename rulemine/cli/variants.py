"""The command ``variants``: fresh variants of a release, and how they differ.

A command imports what it needs when it runs.
"""

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.arguments import Subcommand, add_resources, arg, switch, within
from rulemine.cli.console import Line, bar, check_output, emit, output_file, refuse_idle, say
from rulemine.cli.parser import Parser, add_flags, given
from rulemine.errors import ConfigError

if TYPE_CHECKING:
    from rulemine.release.reader import Release

__all__ = ["VARIANTS"]

_MORE = """\
From a release of the kind variants alone: its graphs, rules, removed triples and the entities of the seed
texts of its test split (all of them, if it has no splits). Every run is a release of its own, OUT/run-1,
OUT/run-2, …; OUT/variants.md and OUT/variants.json compare them with each other and with DIR.
The same command after an interruption goes on.
Releases that are there already: rulemine variants --compare DIR1 DIR2 …"""


def variants(arguments: Namespace) -> int:
    """Runs ``variants``."""
    from rulemine.evaluation.comparing.variant_runs import compare_runs
    from rulemine.release.reader import Release

    if arguments.compare is not None:
        if arguments.release is not None:
            raise ConfigError(
                f"--compare: found {arguments.release} before it; name all releases after --compare, or "
                "leave it out to make runs."
            )
        refuse_idle(arguments, "making runs", "runs", "replay", "dry_run", "set")
        if idle := next(iter(given(arguments)), ""):
            option = idle.rpartition(".")[2].replace("_", "-")
            raise ConfigError(
                f"--{option}: is for making runs and has no effect here. Leave it out."
            )
        if arguments.output is not None:
            arguments.output = output_file(str(arguments.output))
        check_output(arguments.output)
        with bar("compare"):
            table = compare_runs([Release.open(place) for place in arguments.compare])
        emit(getattr(table, f"to_{arguments.format or 'table'}")(), arguments.output)
        return 0
    if arguments.release is None or arguments.output is None:
        lacking = "a release" if arguments.release is None else "a folder for the runs, -o OUT"
        raise ConfigError(
            f"variants: expected {lacking}: rulemine variants DIR --runs 3 -o OUT, or rulemine variants "
            "--compare DIR1 DIR2 …"
        )
    runs = 3 if arguments.runs is None else arguments.runs
    return _make(arguments, Release.open(arguments.release), runs)


def _make(arguments: Namespace, release: "Release", runs: int) -> int:
    from rulemine.builder.rebuild import check_published, prepare_run, settings_of
    from rulemine.builder.stages import FinishedStage
    from rulemine.cli.recipe_options import building, replayed, settings_given
    from rulemine.config import parse_setting
    from rulemine.evaluation.comparing.variant_runs import compare_runs
    from rulemine.files import write_text
    from rulemine.release.outputs import check_place
    from rulemine.release.reader import Release

    check_published(release)
    output: Path = arguments.output
    check_place(output, [arguments.release])
    check_output(*(output / name for name in ("variants.md", "variants.json")))
    pairs = [(".".join(key), value) for key, value in map(parse_setting, arguments.set)]
    first = None if arguments.replay is None else arguments.replay / "run-1"
    files, earlier, settings = settings_of(
        release, pairs, settings_given(arguments), None if first is None else replayed(first)
    )
    line = Line()
    beside = release.folder
    for number in range(1, runs + 1):
        target = output / f"run-{number}"

        def finished(name: str, done: FinishedStage, target: Path = target) -> None:
            if name == "release":
                say(f"{'reused' if done.reused else 'built':6}  {target}", sys.stderr)

        context = building(
            arguments, line, on_finished=finished, earlier=earlier,
            observe=lambda name, run=number: line.watch(f"run {run}: {name}"),
            replay=None if arguments.replay is None else arguments.replay / f"run-{number}",
        )  # fmt: skip
        build = prepare_run(release, number, target, files, settings, context, beside)
        if arguments.dry_run:
            say(build.estimate())
            return 0
        build.run()
        beside = target
    with line.watch("compare"):
        made = [Release.open(output / f"run-{number}") for number in range(1, runs + 1)]
        table = compare_runs([release, *made])
    write_text(output / "variants.md", table.to_markdown())
    write_text(output / "variants.json", table.to_json())
    say(getattr(table, f"to_{arguments.format or 'table'}")(), end="")
    return 0


def _add_options(parser: Parser) -> None:
    from rulemine.recipe.recipe import KEYS, WRITERS

    parser.keys = lambda: KEYS
    group = parser.add_argument_group(
        "who writes", "The release's own way unless given: templates, or a model at any endpoint with "
        "OpenAI's chat API; the key is read from $OPENAI_API_KEY and never stored.",
    )  # fmt: skip
    add_flags(group, [key for key in KEYS if key.name.startswith(WRITERS)])
    add_resources(parser)


VARIANTS = Subcommand(
    "variants", variants, "ask the seed texts of a release anew, and compare the runs",
    (
        "release?",
        arg("--runs", "N", "how many (3)", within(1)),
        arg("-o --output", "OUT", "folder of the runs; with --compare a file (standard output)", Path),
        arg("--compare", "DIR", "make nothing: compare these releases", Path, nargs="+"),
        arg("--format", None, "of what is printed (table)", choices=("table", "markdown", "json")),
        arg("--set", "KEY=VALUE", "a file that the recipe names, e.g. rules=FILE, or not_in=DIR; or who "
            "writes and judges: verbalizer.…, variants.judges", action="append", default=[]),
        arg("--replay", "OUT2", "take all replies from the journals of earlier runs, OUT2/run-1, …", Path),
        switch("--dry-run", "say what the first run would take, ask nothing"),
    ),
    _MORE, _add_options, beside_output=True,
)  # fmt: skip
