"""Makes a recipe from the options of the command line."""

import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulemine.cli.console import Line
from rulemine.cli.parser import given, pairs_in, release_at
from rulemine.errors import ConfigError, LimitError
from rulemine.kinds.registry import KINDS
from rulemine.recipe.loading import load_recipe, named_recipes, recipe_file
from rulemine.recipe.recipe import KEYS, Recipe

if TYPE_CHECKING:
    from rulemine.builder.pipeline import Build, BuildContext
    from rulemine.builder.stages import Progress
    from rulemine.draft.drafting import Chosen, Drafting

__all__ = [
    "MOST",
    "OF_MODEL",
    "amount_of",
    "building",
    "chosen_recipe",
    "draft_of",
    "is_own",
    "replayed",
    "settings_given",
]

MOST = "questions.max_questions"
"""The key that is called ``--questions``."""

OF_MODEL = ("verbalizer.", "endpoint.")
"""Prefixes of the keys that concern a language model."""


def chosen_recipe(arguments: Namespace, drafted: "Sequence[Chosen]" = ()) -> Recipe:
    """Loads the recipe named on the command line and applies the options.

    Args:
        arguments: Those of the command.
        drafted: What was chosen for a graph given in place of a recipe; options win.

    Raises:
        ConfigError: There is no such recipe, or an option does not apply to it.
        InputError: There is nothing to replay.
        ReleaseError: The release to replay cannot be used.
    """
    if getattr(arguments, "replay", None) is not None and arguments.replay.suffix == ".tar":
        from rulemine.release.unpacking import unpacked

        arguments.replay = unpacked(arguments.replay)
    replay: Path | None = getattr(arguments, "replay", None)
    chosen = settings_given(arguments)
    most = chosen.pop(MOST, None)
    if not isinstance(most, int | None):
        raise ConfigError(f"--questions: expected a whole number, found {most!r}.")
    set_keys = pairs_in(arguments)
    settings = [(tuple(choice.key.split(".")), choice.value) for choice in drafted]
    settings += replayed(replay) + _left_out(arguments)
    settings += [
        (("verbalizer", "name"), name) for name in [chosen.pop("verbalizer.name", None)] if name
    ]
    settings += set_keys
    settings += [(tuple(key.split(".")), value) for key, value in chosen.items()]
    recipe = load_recipe(arguments.recipe, settings)
    if most is not None:
        key, parts = amount_of(recipe)
        settings.append((tuple(key.split(".")), -(-most // parts)))
        recipe = load_recipe(arguments.recipe, settings)
    options = {key.name: key.flag for key in KEYS if key.name in chosen}
    if hasattr(arguments, "replay"):  # not for gloss, which uses only parts of a recipe
        options |= {name: f"--set {name}" for name in (".".join(key) for key, _ in set_keys)}
    if replay is not None:
        if recipe.verbalizer.name == "template":
            raise ConfigError(
                f"--replay {replay}: is no release, only replies, so it does not say how they were asked "
                "for. Give --model NAME too, and what else they were asked with."
            )
        _refuse(options, "endpoint.", "asking a model, and --replay asks none")
    if recipe.verbalizer.name == "template":
        options.pop("verbalizer.name", None)
        for prefix in OF_MODEL:
            _refuse(
                options,
                prefix,
                "the questions of a language model, and those of this recipe are templates",
                "Give --model NAME too, or leave it out.",
            )
    if recipe.rules:
        _refuse(options, "mining.", "mining, and with rules given nothing is mined")
    return recipe


def amount_of(recipe: Recipe) -> tuple[str, int]:
    """The key that ``--questions`` sets, and of how many parts of the questions it is the number."""
    kind = KINDS[recipe.kind]
    return (MOST, 1) if kind.Options.has(MOST) else (kind.limits.amount, recipe.own.parts)


def draft_of(
    arguments: Namespace, recipe: Recipe, build_of: "Callable[[Recipe], Build]"
) -> "Drafting | None":
    """The drafting of a recipe for a graph given in its place; None: nothing is drafted.

    Nothing is where nothing is mined, and in the published procedure, which has its own thresholds.

    Args:
        arguments: Those of the command.
        recipe: What they ask for, see `chosen_recipe`.
        build_of: Makes the build of a recipe.

    Raises:
        ConfigError: An effort is given, and nothing is drafted.
    """
    if recipe_file(arguments.recipe) or recipe.rules or recipe.selection.mode != "maximal":
        if arguments.effort:
            raise ConfigError(
                "--effort: is for thresholds chosen for a graph, and here they are given. Leave it out."
            )
        return None
    from rulemine.draft.drafting import Drafting

    keys = {".".join(path) for path, _ in pairs_in(arguments)}
    keys |= {amount_of(recipe)[0] if key == MOST else key for key in settings_given(arguments)}
    return Drafting(partial(chosen_recipe, arguments), build_of, keys, arguments.effort)


def is_own(name: str, recipe: Recipe) -> bool:
    """Whether a recipe is the user's own, and something is removed that its rules were mined for."""
    return not (name in named_recipes() or recipe.rules or recipe.selection.mode != "maximal")


def settings_given(arguments: Namespace) -> dict[str, Any]:
    """Key of a recipe → value, for the options that were given; a model is one that writes."""
    found = {k: v for k, v in given(arguments).items() if not k.startswith("resources.")}
    return {"verbalizer.name": "openai"} | found if "verbalizer.model" in found else found


def building(arguments: Namespace, line: Line, **more: Any) -> "BuildContext":
    """Resources and callbacks of a build, with messages on the console."""
    from rulemine.builder.pipeline import BuildContext
    from rulemine.mining import Resources

    seconds = getattr(arguments, "limit_seconds", None)
    watch = line.watch if seconds is None else _ending(line, seconds)
    usual = {"observe": watch, "on_warning": line.note, "on_status": line.status}
    return BuildContext(Resources(**given(arguments, "resources.")), **{**usual, **more})


def _ending(line: Line, seconds: float) -> "Callable[[str], AbstractContextManager[Progress]]":
    """Shows the progress of steps, as `Line.watch` does, and ends the build when its time is over."""
    end = time.monotonic() + seconds

    @contextmanager
    def watch(name: str) -> "Iterator[Progress]":
        with line.watch(name) as shown:

            def update(done: int, total: int) -> None:
                if time.monotonic() >= end:
                    raise LimitError(
                        f"{name}: the {seconds:g} seconds of --limit-seconds are over. Finished steps are "
                        "kept, so the same command goes on from there. Less work: --effort."
                    )
                shown(done, total)

            update(0, 0)
            yield update

    return watch


def _left_out(arguments: Namespace) -> list[tuple[tuple[str, ...], Any]]:
    """The identities of the earlier releases whose questions are not asked again."""
    if not getattr(arguments, "not_in", None):
        return []

    identities = {release_at(place).identity for place in arguments.not_in}
    return [(("not_in",), sorted(identities))]


def _refuse(
    options: dict[str, str], prefix: str, purpose: str, advice: str = "Leave it out."
) -> None:
    """Refuses options that have no effect."""
    for name, option in options.items():
        if name.startswith(prefix):
            raise ConfigError(f"{option}: is for {purpose}. {advice}")


def replayed(source: Path | None) -> list[tuple[tuple[str, ...], Any]]:
    """The model settings that a release was built with, to build it again."""
    if source is None:
        return []
    from rulemine.release.reader import MANIFEST  # loads numpy

    if not (source / MANIFEST).exists():
        from rulemine.llm.journal import find_journal

        find_journal(source)
        return []
    release = release_at(source)
    chosen = release.manifest["config"].get("verbalizer")
    if not isinstance(chosen, dict) or chosen.get("name") != "openai":
        raise ConfigError(
            f"--replay {source}: its questions are templates, so there is nothing to replay. Leave "
            "--replay out."
        )
    release.file("llm/journal.jsonl")  # must not have been edited
    files = {key: str(release.file(f"llm/{key}.toml")) for key in ("prompt", "glosses")}
    return [(("verbalizer", key), value) for key, value in {**chosen, **files}.items()]
