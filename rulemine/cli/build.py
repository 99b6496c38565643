"""The commands ``build``, ``build draft``, ``build keys`` and ``gloss``.

A command imports what it needs when it runs, so that ``--help`` and scoring never load what only
mining needs.
"""

import sys
import time
from argparse import Namespace
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from rulemine.cli.arguments import (
    Subcommand,
    add_resources,
    arg,
    refuse_beside_cluster,
    several,
    switch,
    within,
)
from rulemine.cli.console import (
    STANDARD_OUTPUT,
    Line,
    note,
    output_file,
    say,
    say_paragraph,
    summarize,
    written,
)
from rulemine.cli.parser import Parser, add_flags, describe_keys
from rulemine.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from rulemine.builder.stages import FinishedStage
    from rulemine.cluster.cluster import Cluster
    from rulemine.cluster.opening import Here
    from rulemine.config import Key
    from rulemine.recipe.recipe import Recipe

__all__ = ["BUILD", "DRAFT", "GLOSS", "KEYS_OF_RECIPES", "fewer_than"]

_OF_GLOSSES = [f"verbalizer.{name}" for name in ("name", "model", "temperature", "prompt")]
"""The keys that the command ``gloss`` uses."""

_MODEL = (
    "verbalization by a language model",
    "Any endpoint with OpenAI's chat API; the key is read from $OPENAI_API_KEY.",
)


_GLOSS = """\
With --verbalizer openai --model NAME, a model describes each relation from its name and ten triples.
Without, descriptions are made from the templates, for you to edit. Descriptions already in the file, or in
the recipe's verbalizer.glosses, are never changed.
To build with the file: rulemine build RECIPE --verbalizer openai --model NAME --glosses FILE
With --book, a model writes templates instead, which word questions without a model:
rulemine build GRAPH --set questions.templates=FILE
"""


LEAST_MISSING = 0.3
"""Of the questions about a graph of one's own at least this fraction misses something."""


NEARLY = 0.9
"""So much of a number of questions is as good as all of it."""


class StageTimes:
    """Prints how long each stage took, once: a draft runs stages of the build."""

    def __init__(self) -> None:
        self._before = time.monotonic()
        self._shown: set[tuple[str, str]] = set()

    def __call__(self, name: str, done: "FinishedStage") -> None:
        """Prints a line for a stage that is finished."""
        before, self._before = self._before, time.monotonic()
        if done.reused and (name, done.digest) in self._shown:
            return
        self._shown.add((name, done.digest))
        seconds = "reused" if done.reused else f"{self._before - before:.1f} s"
        say(f"{name:9} {seconds:>8}  {done.folder}", sys.stderr)


def build(arguments: Namespace) -> int:
    """Runs ``build``."""
    from rulemine.cli.recipe_options import chosen_recipe
    from rulemine.cluster import opened

    recipe = chosen_recipe(arguments)
    if arguments.cluster:
        if not recipe.amie_jar:  # which mines in this process
            refuse_beside_cluster(arguments)
        if arguments.dry_run:
            raise ConfigError("--cluster: --dry-run only estimates. Leave one of them out.")
    with opened(arguments.cluster, note) as cluster:
        return _build(arguments, recipe, cluster)


def _build(arguments: Namespace, recipe: "Recipe", cluster: "Cluster | Here") -> int:
    """Builds, with other processes if there is a cluster."""
    from rulemine.builder.pipeline import Build
    from rulemine.cli.recipe_options import MOST, building, draft_of, is_own, settings_given
    from rulemine.evaluation.reporting.made import in_short
    from rulemine.release.reader import Release

    target = arguments.output or Path("out") / recipe.name
    line = Line()
    context = building(
        arguments, line, on_finished=StageTimes(), replay=arguments.replay, replace=arguments.replace,
        earlier=tuple(arguments.not_in), on_warning=cache(line.note),
        least_missing=LEAST_MISSING * is_own(arguments.recipe, recipe), run=cluster.map,
        mines=cluster.unordered if arguments.cluster else None,
    )  # fmt: skip
    made = Build(recipe, target, context)
    drafting = draft_of(arguments, recipe, lambda drafted: Build(drafted, target, context))
    if drafting:
        made = drafting.run()
    if arguments.dry_run:
        say(made.estimate())
        return 0
    with drafting.explaining() if drafting else nullcontext():
        made.run(arguments.until)
    with line.watch("summary"):
        if arguments.until == "release":
            release = Release.open(target)
            lines = [*made.rules_left_out(), *in_short(release)]
            if wanted := settings_given(arguments).get(MOST):
                lines += fewer_than(wanted, release.manifest["counts"]["questions"], recipe)
        else:
            lines = made.summary(arguments.until).splitlines()
    if drafting:
        lines.insert(1, drafting.describe())
    for text in lines:
        say_paragraph(text, sys.stdout)
    return 0


def fewer_than(wanted: int, made: int, recipe: "Recipe") -> list[str]:
    """Says that there are fewer questions than ``--questions`` asks for; nothing if there are not."""
    from rulemine.cli.recipe_options import amount_of

    if made >= NEARLY * wanted:
        return []
    key, parts = amount_of(recipe)
    each = f", at most {-(-wanted // parts):,} of each of {parts} forms ({key})" * (parts > 1)
    return [
        f"{wanted:,} questions were wanted (--questions){each}; this graph gives {made:,} within the limits "
        "of the recipe."
    ]


def draft(arguments: Namespace) -> int:
    """Runs ``build draft``."""
    from rulemine.builder.pipeline import Build
    from rulemine.cli.recipe_options import building, chosen_recipe, draft_of
    from rulemine.draft.drafting import check_folder, write_draft

    recipe = chosen_recipe(arguments)
    check_folder(arguments.output, update=arguments.update)
    line = Line()
    context = building(
        arguments, line, on_finished=StageTimes(), on_warning=cache(line.note), replace=True
    )
    target = Path("out") / recipe.name
    drafting = draft_of(arguments, recipe, lambda drafted: Build(drafted, target, context))
    if drafting is None:
        raise ConfigError(
            f"draft: {arguments.recipe} is a recipe, or is built with rules of its own or by the published "
            "procedure: nothing is left to choose. Give a graph."
        )
    for text in write_draft(drafting, arguments.output):
        say(text)
    say(f"Next: edit what you like, then rulemine build {arguments.output}")
    return 0


def gloss(arguments: Namespace) -> int:
    """Runs ``gloss``."""
    from rulemine.cli.recipe_options import chosen_recipe
    from rulemine.llm.call import more_tokens
    from rulemine.llm.session import Session
    from rulemine.recipe.inputs import Inputs
    from rulemine.release.outputs import check_file
    from rulemine.verbalizer.prompts import Calls
    from rulemine.verbalizer.relation_words import write_book, write_glosses

    recipe = chosen_recipe(arguments)
    line = Line()
    inputs = Inputs(recipe, line.note)
    default = Path("out") / f"{recipe.name}.{'book' if arguments.book else 'glosses'}.toml"
    output: Path = arguments.output or default
    check_file(output)  # a file with descriptions is completed
    inputs.prompts  # noqa: B018  # before anything is asked
    with ExitStack() as stack:
        advance = session = None
        if recipe.verbalizer.name == "openai":
            beside = default if output == STANDARD_OUTPUT else output
            journal = beside.with_name(f"{beside.name}.journal.sqlite")
            check_file(journal)
            advance = stack.enter_context(line.watch("gloss"))
            room = f"--set verbalizer.max_tokens={more_tokens(recipe.verbalizer.max_tokens)}"
            session = stack.enter_context(Session(recipe.endpoint, journal, line.note, room=room))
        if arguments.book:
            if session is None:
                raise ConfigError(
                    "--book: a model writes it. Give --verbalizer openai --model NAME; what a build finds "
                    "without a model, rulemine build draft writes."
                )
            calls = Calls(inputs.prompts, recipe.verbalizer, recipe.seed)
            path = stack.enter_context(written(output))
            report = write_book(
                inputs.kg, inputs.templates, path, session, calls,
                labels=inputs.labels, progress=advance,
            )  # fmt: skip
            summarize(replace(report, path=output).to_text(), output)
            return 0
        report = write_glosses(
            inputs.kg,
            inputs.templates,
            inputs.glosses,
            stack.enter_context(written(output)),
            session,
            Calls(inputs.prompts, recipe.verbalizer, recipe.seed),
            labels=inputs.labels,
            progress=advance,
        )
    summarize(replace(report, path=output).to_text(), output)
    return 0


TOP = "recipe"
"""What the keys that stand in no section are called together."""


def keys(arguments: Namespace) -> int:
    """Runs ``build keys``."""
    from rulemine.kinds.registry import KINDS
    from rulemine.recipe.recipe import BASE, keys_with

    sections: dict[str, list[Key]] = {}
    for key in (BASE, *keys_with(*KINDS)):
        sections.setdefault(key.name.rpartition(".")[0] or TOP, []).append(key)
    every, wanted = [key for found in sections.values() for key in found], arguments.section
    chosen = sections.get(wanted) or [k for k in every if wanted in (k.name, k.path[-1])]
    if chosen:
        say(describe_keys(chosen))
    elif wanted is None:
        for section, found in sections.items():
            names = ", ".join(key.path[-1] for key in found)
            shown = fill(names, 79, initial_indent="  ", subsequent_indent="  ")
            say(f"{f'[{section}]' if section != TOP else 'At the top of a recipe'}\n{shown}")
        say(f"\nWhat they are: rulemine build keys SECTION (mining, {TOP}, …) or KEY")
    else:
        hint = did_you_mean(wanted, [*sections, *(key.name for key in every)])
        raise ConfigError(f"keys: {wanted!r} is no section and no key; {hint}")
    return 0


def _add_build_options(parser: Parser) -> None:
    from rulemine.cli.recipe_options import OF_MODEL
    from rulemine.kinds.registry import KINDS
    from rulemine.recipe.recipe import KEYS, keys_with

    parser.keys = lambda: keys_with(*KINDS)
    # Options of the miner are only keys here: there are too many.
    add_flags(
        parser, [k for k in KEYS if not k.name.startswith(("mining.", *OF_MODEL))], brief=True
    )
    add_resources(parser)
    group = parser.add_argument_group(*_MODEL)
    add_flags(group, [k for k in KEYS if k.name.startswith(OF_MODEL)], brief=True)
    for names, how in (
        switch("--dry-run", "estimate calls and tokens, and show three prompts"),
        arg(
            "--replay",
            "DIR",
            "take all replies from this release's journal",
            Path,
        ),
    ):
        group.add_argument(*names, **how)


def _add_draft_options(parser: Parser) -> None:
    from rulemine.cli.recipe_options import OF_MODEL
    from rulemine.kinds.registry import KINDS
    from rulemine.recipe.recipe import KEYS, keys_with

    parser.keys = lambda: keys_with(*KINDS)
    add_flags(
        parser, [k for k in KEYS if not k.name.startswith(("mining.", *OF_MODEL))], brief=True
    )
    add_resources(parser)


def _add_gloss_options(parser: Parser) -> None:
    from rulemine.recipe.recipe import KEYS

    parser.keys = lambda: KEYS
    add_flags(parser, [key for key in KEYS if key.name == "seed"])
    used = [k for k in KEYS if k.name in _OF_GLOSSES or k.name.startswith("endpoint.")]
    add_flags(parser.add_argument_group(*_MODEL), used)


STEPS = ("ground", "select", "ask", "balance", "verbalize", "split")

_LIMIT = arg(
    "--limit-seconds", "S", "end after so many seconds; run again to go on", within(0, kind=float)
)

BUILD = Subcommand(
    "build", build, "build a benchmark: all steps, resumed where an earlier run stopped",
    (
        arg("recipe", "RECIPE", "a recipe, a folder with one, a data set or a graph"),
        arg("-o --output", "DIR", "folder (out/NAME)", Path),
        arg("--until", "STAGE", f"{', '.join(STEPS)} (release)", choices=(*STEPS, "release"),
            default="release"),
        "replace set",
        arg("--effort", "UNITS", "of a graph: million joins that may be made (150)", within(1)),
        _LIMIT,
        "cluster",
        several("--not-in", "DIR", "ask no question of this release again", Path),
    ),
    options=_add_build_options,
)  # fmt: skip

DRAFT = Subcommand(
    "build draft", draft, "write the recipe that a graph is built with by itself, to edit it",
    (
        arg("recipe", "GRAPH", "a graph or a data set"),
        arg("-o --output", "DIR", "folder for recipe, templates, filter, …", Path, required=True),
        switch("--update", "show what a draft would say now; replace only files that nobody has edited"),
        "set",
        arg("--effort", "UNITS", "million joins that may be made (150)", within(1)),
        _LIMIT,
    ),
    "Then build from the folder: rulemine build DIR", _add_draft_options,
)  # fmt: skip

GLOSS = Subcommand(
    "gloss", gloss, "write relation descriptions for the prompts of a language model",
    (
        arg("recipe", "RECIPE", "as in rulemine build"),
        arg("-o --output", "FILE", "TOML (out/NAME.glosses.toml)", output_file),
        switch("--book", "write questions for the relations that no phrase book knows, by a model"),
        "set",
    ),
    _GLOSS, _add_gloss_options,
)  # fmt: skip

KEYS_OF_RECIPES = Subcommand(
    "build keys", keys, "list the keys of recipes, with meanings and defaults",
    (arg("section", "SECTION", "mining, questions, the name of a kind, …; or a key (list all)", nargs="?"),),
)  # fmt: skip
