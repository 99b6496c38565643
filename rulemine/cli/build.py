"""The commands that build: ``build``, its single stages, and ``gloss``.

A command imports what it needs when it runs, so that ``--help`` and scoring never load what only
mining needs. Every command takes the parsed arguments and returns the exit status.
"""

import argparse
import sys
import time
from argparse import Namespace
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.cli.console import (
    STANDARD_OUTPUT,
    Line,
    check_output,
    output_file,
    say,
    summarize,
    written,
)
from rulemine.cli.parser import Parser, add_command, add_flags, given
from rulemine.errors import counted

__all__ = ["add_building"]

_KEYS = """\
keys for --set, with their defaults; in a recipe's TOML file the part before the dot is a [section]:
{keys}
"""

_OF_GLOSSES = [f"verbalizer.{name}" for name in ("name", "model", "temperature", "prompt")]
"""The keys that the command ``gloss`` uses."""

_SET: dict[str, Any] = {"action": "append", "default": [], "metavar": "KEY=VALUE"}

_MODEL = (
    "verbalization by a language model",
    "Any endpoint with OpenAI's chat API; the key is read from $OPENAI_API_KEY and never stored.",
)


def add_building(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the commands that build."""
    steps = {
        "build": "build a benchmark: all steps, resumed where an earlier run stopped",
        "ground": "build up to the groundings of the rules",
        "select": "build up to the selection of triples to remove",
        "ask": "build up to the questions with their answers",
        "balance": "build up to the balanced questions",
        "verbalize": "build up to the questions as verbalized by a language model",
        "split": "build up to the split into train, validation and test",
    }
    for step, summary in steps.items():
        parser = add_command(commands, step, build, summary)
        parser.options = _add_build_options
        parser.set_defaults(until="release" if step == "build" else step)
    parser = add_command(
        commands,
        "gloss",
        gloss,
        "write relation descriptions for the prompts of a language model",
        _GLOSS,
    )
    parser.options = _add_gloss_options


def _add_build_options(parser: Parser) -> None:
    from rulemine.cli.recipe_options import OF_MODEL
    from rulemine.config import keys_of
    from rulemine.kinds.registry import KINDS
    from rulemine.mining import Resources
    from rulemine.recipe.recipe import KEYS, keys_with

    parser.keys, parser.epilog = lambda: keys_with(*KINDS), _KEYS
    parser.add_argument(
        "recipe",
        metavar="RECIPE",
        help="a recipe (demo, family, fb15k237, structures-demo, …), a .toml file, a data set or a graph",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder (out/NAME)")
    parser.add_argument(
        "--replace",
        action="store_true",
        help="replace a release that has another name or was edited",
    )
    parser.add_argument("--set", **_SET, help="override a key, see below")
    parser.add_argument(
        "--not-in",
        action="append",
        default=[],
        type=Path,
        metavar="DIR",
        help="ask no question of this release of the recipe (folder or archive; repeatable)",
    )
    # Options of the miner are only keys here: there are too many.
    add_flags(parser, [k for k in KEYS if not k.name.startswith(("mining.", *OF_MODEL))])
    group = parser.add_argument_group(*_MODEL)
    add_flags(group, [k for k in KEYS if k.name.startswith(OF_MODEL)])
    group.add_argument(
        "--dry-run",
        action="store_true",
        help="estimate calls and tokens, and show three prompts, without calling the model",
    )
    group.add_argument(
        "--replay",
        type=Path,
        metavar="DIR",
        help="take all replies from this release's journal: no network, no key",
    )
    resources = keys_of(Resources(), "resources.")
    add_flags(parser, [k for k in resources if k.name != "resources.limit_seconds"])


def _add_gloss_options(parser: Parser) -> None:
    from rulemine.recipe.recipe import KEYS

    parser.keys = lambda: KEYS
    parser.add_argument("recipe", metavar="RECIPE", help="as in rulemine build")
    parser.add_argument(
        "-o", "--output", type=output_file, metavar="FILE", help="TOML (out/NAME.glosses.toml)"
    )
    parser.add_argument("--set", **_SET, help="override a key, see rulemine build --help")
    add_flags(parser, [key for key in KEYS if key.name == "seed"])
    used = [k for k in KEYS if k.name in _OF_GLOSSES or k.name.startswith("endpoint.")]
    add_flags(parser.add_argument_group(*_MODEL), used)


_GLOSS = """\
With --verbalizer openai --model NAME, a model describes each relation from its name and ten triples.
Without, descriptions are made from the templates, for you to edit. Descriptions already in the file, or in
the recipe's verbalizer.glosses, are never changed.
To build with the file: rulemine build RECIPE --verbalizer openai --model NAME --glosses FILE
"""


def build(arguments: Namespace) -> int:
    """Runs ``build``, or one of its steps."""
    from rulemine.builder.pipeline import Build, BuildContext
    from rulemine.builder.stage import Done
    from rulemine.cli.recipe_options import chosen_recipe
    from rulemine.mining import Resources

    recipe = chosen_recipe(arguments)
    target = arguments.output or Path("out") / recipe.name
    before = time.monotonic()

    def finished(name: str, done: Done) -> None:
        nonlocal before
        now = time.monotonic()
        seconds = "reused" if done.reused else f"{now - before:.1f} s"
        before = now
        say(f"{name:9} {seconds:>8}  {done.folder}", sys.stderr)

    line = Line()
    context = BuildContext(
        resources=Resources(**given(arguments, "resources.")),
        observe=line.watch,
        on_finished=finished,
        on_warning=line.note,
        on_status=line.status,
        replay=arguments.replay,
        replace=arguments.replace,
        earlier=tuple(arguments.not_in),
    )
    made = Build(recipe, target, context)
    if arguments.dry_run:
        say(made.estimate())
        return 0
    made.run(arguments.until)
    with line.watch("summary"):
        text = made.summary(arguments.until)
    if arguments.until == "release" and (note := _little(target)):
        said, _, place = text.rpartition("\n")
        text = f"{said}\n{note}\n{place}"
    say(text)
    return 0


FEW_QUESTIONS = 100
"""With fewer questions to score on, a build says what differences they show."""


def _little(folder: Path) -> str:
    """What differences the test split shows, where it is small; else nothing."""
    from rulemine.evaluation.statistics.power import smallest_difference, spread_of_rates
    from rulemine.kinds.registry import KINDS
    from rulemine.release.reader import Release

    release = Release.open(folder)
    counts = release.manifest["counts"]
    questions, core = (counts[f"{of}_by_split"]["test"] for of in ("questions", "core"))
    n = core or questions
    if n >= FEW_QUESTIONS:
        return ""
    least = smallest_difference(n, spread_of_rates(0.5, 0.5)) if n else 1.0
    shows = (
        f"can be told apart by {100 * least:.0f} points or more"
        if least < 1
        else "cannot be told apart"
    )
    keys = f"questions.test_core, questions.ratios, {KINDS[release.kind].amount}"
    return (
        f"test has {counted(questions, 'question')}, {core:,} in the core: on {counted(n, 'question')}, two "
        f"independent systems that are right in half of them {shows} (80 % power, level 0.05; see rulemine "
        f"power). Keys for more: {keys}"
    )


def gloss(arguments: Namespace) -> int:
    """Runs ``gloss``."""
    from rulemine.cli.recipe_options import chosen_recipe
    from rulemine.llm.call import more_tokens
    from rulemine.llm.session import Session
    from rulemine.recipe.inputs import Inputs
    from rulemine.release.storing.outputs import check_file
    from rulemine.verbalizer.gloss_writer import write_glosses
    from rulemine.verbalizer.requests import Calls

    recipe = chosen_recipe(arguments)
    line = Line()
    inputs = Inputs(recipe, line.note)
    default = Path("out") / f"{recipe.name}.glosses.toml"
    output: Path = arguments.output or default
    glosses = Path(recipe.verbalizer.glosses)  # completing them in their place loses none
    read = [path for path in inputs.files() if path != glosses]
    check_file(output, [Path(arguments.recipe), *read])
    inputs.prompts  # noqa: B018  # before anything is asked
    with ExitStack() as stack:
        tell = session = None
        if recipe.verbalizer.name == "openai":
            beside = default if output == STANDARD_OUTPUT else output
            journal = beside.with_name(f"{beside.name}.journal.sqlite")
            check_output(journal)
            tell = stack.enter_context(line.watch("gloss"))
            room = f"--set verbalizer.max_tokens={more_tokens(recipe.verbalizer.max_tokens)}"
            session = stack.enter_context(Session(recipe.endpoint, journal, line.note, room=room))
        report = write_glosses(
            inputs.kg,
            inputs.templates,
            inputs.glosses,
            stack.enter_context(written(output)),
            session,
            Calls(inputs.prompts, recipe.verbalizer, recipe.seed),
            labels=inputs.labels,
            progress=tell,
        )
    summarize(replace(report, path=output).to_text(), output)
    return 0
