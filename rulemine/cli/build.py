"""The command ``build``: a benchmark, the draft of one, or fresh variants of a release.

A command imports what it needs when it runs, so that ``--help`` and scoring never load what only
mining needs.
"""

import argparse
import sys
import time
from argparse import Namespace
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from rulemine.cli.console import Line, check_output, note, refuse_idle, say, say_paragraph
from rulemine.cli.parser import (
    Parser,
    Subcommand,
    add_flags,
    arg,
    describe_keys,
    given,
    pairs_in,
    release_at,
    several,
    switch,
    within,
)
from rulemine.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from rulemine.builder.stages import FinishedStage
    from rulemine.cluster.cluster import Cluster
    from rulemine.cluster.opening import Here
    from rulemine.config import Key
    from rulemine.recipe.recipe import Recipe

__all__ = ["BUILD", "add_resources", "fewer_than", "refuse_beside_cluster"]

LEAST_MISSING = 0.3
"""Of the questions about a graph of one's own at least this fraction misses something."""

NEARLY = 0.9
"""So much of a number of questions is as good as all of it."""

DRAFT, RELEASE = "draft", "release"
"""The first and the last step that ``--until`` names."""


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

    if arguments.runs is not None:
        return _runs(arguments)
    if (Path(arguments.recipe) / "manifest.json").is_file():
        raise ConfigError(
            f"{arguments.recipe}: is a release. Fresh questions about its seed texts: --runs N -o OUT; its "
            f"graph: rulemine build {Path(arguments.recipe) / 'kg' / 'complete.tsv.gz'}"
        )
    recipe = chosen_recipe(arguments)
    if arguments.until == DRAFT:
        refuse_idle(arguments, "a build", "replace", "cluster", "not_in", "dry_run", "replay")
        return _draft(arguments, recipe)
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
        if arguments.until == RELEASE:
            release = release_at(target)
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


def _draft(arguments: Namespace, recipe: "Recipe") -> int:
    """Runs ``build --until draft``."""
    from rulemine.builder.pipeline import Build
    from rulemine.cli.recipe_options import building, draft_of
    from rulemine.draft.drafting import write_draft
    from rulemine.release.outputs import check_place

    folder = arguments.output or Path("out") / f"{recipe.name}.draft"
    check_place(folder)
    context = building(
        arguments, line := Line(), on_finished=StageTimes(), on_warning=cache(line.note), replace=True
    )  # fmt: skip
    target = Path("out") / recipe.name
    drafting = draft_of(arguments, recipe, lambda drafted: Build(drafted, target, context))
    if drafting is None:
        raise ConfigError(
            f"--until draft: {arguments.recipe} is a recipe, or is built with rules of its own or by the "
            "published procedure: nothing is left to choose. Give a graph."
        )
    for text in write_draft(drafting, folder):
        say(text)
    say(f"Next: edit what you like, then rulemine build {folder}")
    return 0


def _runs(arguments: Namespace) -> int:
    """Runs ``build DIR --runs N``."""
    from rulemine.builder.rebuild import check_published, prepare_run, settings_of
    from rulemine.builder.stages import FinishedStage
    from rulemine.cli.recipe_options import building, replayed, settings_given
    from rulemine.evaluation.comparing.variant_runs import compare_runs
    from rulemine.files import write_text
    from rulemine.release.outputs import check_place

    refuse_idle(arguments, "a build", "replace", "effort", "cluster", "not_in")
    if arguments.output is None:
        raise ConfigError(
            f"rulemine build {arguments.recipe} --runs {arguments.runs} -o OUT: a folder for the runs is "
            "missing."
        )
    output: Path = arguments.output
    release = release_at(Path(arguments.recipe))
    check_published(release)
    check_place(output, [release.path])
    check_output(*(output / name for name in ("variants.md", "variants.json")))
    pairs = [*settings_given(arguments).items()]
    pairs += [(".".join(key), value) for key, value in pairs_in(arguments)]
    first = None if arguments.replay is None else arguments.replay / "run-1"
    files, earlier, settings = settings_of(
        release, pairs, None if first is None else replayed(first)
    )
    line = Line()
    beside = release.folder
    for number in range(1, arguments.runs + 1):
        target = output / f"run-{number}"

        def finished(name: str, done: FinishedStage, target: Path = target) -> None:
            if name == RELEASE:
                say(f"{'reused' if done.reused else 'built':6}  {target}", sys.stderr)

        context = building(
            arguments, line, on_finished=finished, earlier=earlier,
            observe=lambda name, run=number: line.watch(f"run {run}: {name}"),
            replay=None if arguments.replay is None else arguments.replay / f"run-{number}",
        )  # fmt: skip
        made = prepare_run(release, number, target, files, settings, context, beside)
        if arguments.dry_run:
            say(made.estimate())
            return 0
        made.run()
        beside = target
    with line.watch("compare"):
        runs = [release_at(output / f"run-{number}") for number in range(1, arguments.runs + 1)]
        table = compare_runs([release, *runs])
    write_text(output / "variants.md", table.to_markdown())
    write_text(output / "variants.json", table.to_json())
    say(table.to_table(), end="")
    return 0


TOP = "recipe"
"""What the keys that stand in no section are called together."""


class _Keys(argparse.Action):
    """``--keys``: lists the keys of recipes, and ends the program."""

    def __call__(
        self, _parser: object, _namespace: Namespace, wanted: Any, _option: object = None
    ) -> None:
        """Called where the option is given."""
        from rulemine.kinds.registry import KINDS
        from rulemine.recipe.recipe import BASE, keys_with

        sections: dict[str, list[Key]] = {}
        for key in (BASE, *keys_with(*KINDS)):
            sections.setdefault(key.name.rpartition(".")[0] or TOP, []).append(key)
        every = [key for found in sections.values() for key in found]
        listed = sections.get(wanted) or [k for k in every if wanted in (k.name, k.path[-1])]
        if listed:
            say(describe_keys(listed))
        elif wanted is None:
            for section, found in sections.items():
                names = ", ".join(key.path[-1] for key in found)
                shown = fill(names, 79, initial_indent="  ", subsequent_indent="  ")
                say(f"{f'[{section}]' if section != TOP else 'At the top of a recipe'}\n{shown}")
            say(f"\nWhat they are: rulemine build --keys SECTION (mining, {TOP}, …) or KEY")
        else:
            hint = did_you_mean(wanted, [*sections, *(key.name for key in every)])
            raise ConfigError(f"--keys: {wanted!r} is no section and no key; {hint}")
        raise SystemExit(0)


def add_resources(parser: Parser) -> None:
    """Adds the options that limit the resources of a build."""
    from rulemine.config import keys_of
    from rulemine.mining import Resources

    keys = keys_of(Resources(), "resources.")
    add_flags(parser, (key for key in keys if key.name != "resources.limit_seconds"))


def refuse_beside_cluster(arguments: Namespace) -> None:
    """Refuses resources of this process where workers have theirs.

    Raises:
        ConfigError: There is a cluster, and such an option.
    """
    if arguments.cluster and (idle := sorted(given(arguments, "resources."))):
        option = f"--{idle[0].replace('_', '-')}"
        raise ConfigError(
            f"{option}: is for mining in this process. With --cluster, threads and memory are those that the "
            "workers were started with, and there is no limit of time. Leave it out."
        )


def _add_options(parser: Parser) -> None:
    from rulemine.kinds.registry import KINDS
    from rulemine.recipe.recipe import KEYS, keys_with

    parser.keys = lambda: keys_with(*KINDS)
    # Options of the miner are only keys here: there are too many.
    add_flags(parser, [key for key in KEYS if not key.name.startswith("mining.")])
    add_resources(parser)


STEPS = ("ground", "select", "ask", "balance", "verbalize", "split")

BUILD = Subcommand(
    "build", build, "build a benchmark: all steps, resumed where an earlier run stopped",
    (
        arg("recipe", "RECIPE", "a recipe, a folder with one, a data set or a graph"),
        arg("-o --output", "DIR", "folder (out/NAME)", Path),
        arg("--until", "STAGE", f"draft (a recipe to edit), {', '.join(STEPS)}",
            choices=(DRAFT, *STEPS, RELEASE), default=RELEASE),
        "replace set",
        arg("--keys", "SECTION", "list the keys of recipes", nargs="?", action=_Keys),
        arg("--runs", "N", "of a release: ask its seed texts anew, N times", within(1)),
        arg("--effort", "UNITS", "of a graph: million joins that may be made (150)", within(1)),
        arg("--limit-seconds", "S", "end after so many seconds; run again to go on",
            within(0, kind=float)),
        "cluster",
        several("--not-in", "DIR", "ask no question of this release again", Path),
        switch("--dry-run", "estimate calls and tokens, and show three prompts"),
        arg("--replay", "DIR", "take all replies from this release's journal", Path),
    ),
    options=_add_options, beside_output=True,
)  # fmt: skip
