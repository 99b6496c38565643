"""From the options of a command line to a recipe."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from rulemine.builder.recipe import Recipe, load_recipe
from rulemine.cli.console import refuse_idle
from rulemine.config import parse_setting
from rulemine.errors import ConfigError
from rulemine.release.reader import MANIFEST, Release

__all__ = ["chosen_recipe"]


_OPTIONS = {
    "selection": ("selection", "mode"),
    "rules": ("rules",),
    "reference": ("reference",),
    "share": ("selection", "share"),
    "levels": ("selection", "levels"),
    "max_answer_share": ("questions", "max_answer_share"),
    "split": ("questions", "split"),
    "naming": ("naming",),
    "seed": ("seed",),
    "verbalizer": ("verbalizer", "name"),
}
"""Option → key."""

_OF_MODEL = {
    "base_url": ("endpoint", "base_url"),
    "concurrency": ("endpoint", "concurrency"),
    "budget_tokens": ("endpoint", "budget_tokens"),
    "max_requests_per_minute": ("endpoint", "max_requests_per_minute"),
    "model": ("verbalizer", "model"),
    "temperature": ("verbalizer", "temperature"),
    "prompt": ("verbalizer", "prompt"),
    "glosses": ("verbalizer", "glosses"),
    "on_failure": ("verbalizer", "on_failure"),
    "judge_model": ("verbalizer", "judge_model"),
    "round_trip": ("verbalizer", "round_trip"),
    "paraphrases": ("verbalizer", "paraphrases"),
}
"""Options that are for the questions of a language model alone → key."""


def chosen_recipe(arguments: Namespace) -> Recipe:
    """The recipe that a command line names, with its options on top.

    Raises:
        ConfigError: There is no such recipe, or an option does not fit it.
        InputError: There is nothing to be replayed.
        ReleaseError: The release to be replayed cannot be used.
    """
    # By identity: 0 is a value like others.
    given = {o: v for o, v in vars(arguments).items() if v is not None and v is not False}
    if "levels" in given:
        given["levels"] = _levels(given["levels"])
    replay = given.get("replay")
    settings = _replayed(replay)
    settings += [parse_setting(text) for text in arguments.set]
    settings += [
        (key, given[option]) for option, key in (_OF_MODEL | _OPTIONS).items() if option in given
    ]
    recipe = load_recipe(arguments.recipe, settings)
    if replay is not None:
        of_endpoint = [option for option, key in _OF_MODEL.items() if key[0] == "endpoint"]
        refuse_idle(arguments, "asking a model, and --replay asks none", *of_endpoint)
    if recipe.verbalizer.name == "template":
        if replay is not None:
            raise ConfigError(
                f"--replay {replay}: is no release, only replies, so it does not say how they were asked "
                "for. Give --verbalizer openai --model NAME too, and what else they were asked with."
            )
        for option in [o for o in _OF_MODEL if o in given]:
            raise ConfigError(
                f"--{option.replace('_', '-')}: is for the questions of a language model, and those of "
                "this recipe are templates. Give --verbalizer openai too, or leave it out."
            )
    return recipe


def _replayed(source: Path | None) -> list[tuple[tuple[str, ...], Any]]:
    """The settings of the language model that a release was built with, to build it again."""
    if source is None:
        return []
    if not (source / MANIFEST).exists():
        from rulemine.llm.replay import find_journal  # loads asyncio

        find_journal(source)
        return []
    release = Release.open(source)
    chosen = release.manifest["config"].get("verbalizer")
    if not isinstance(chosen, dict) or chosen.get("name") != "openai":
        raise ConfigError(
            f"--replay {source}: its questions are templates, so there is nothing to replay. Leave "
            "--replay out."
        )
    release.file("llm/journal.jsonl")  # must not have been edited
    files = {key: str(release.file(f"llm/{key}.toml")) for key in ("prompt", "glosses")}
    return [(("verbalizer", key), value) for key, value in {**chosen, **files}.items()]


def _levels(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError(f"--levels {text}: expected percentages, e.g. 20,40,60,80,100.") from None
