"""Fresh variants of a published release: its seed texts asked about anew, on the same graphs.

A run is a whole release, built from nothing but the published one: its graph, rules, removal, options and the
entities of the seed texts of its test split (Dynamic-KGQA, section 4). Only what is asked differs: triples
are shown in an order of the run's own, and a model writes at a temperature above 0.

Guarantees: graphs and removed triples are those of the published release, byte for byte; the same run of the
same release has the same bytes whenever it is made; what is finished is not made again.
"""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.builder.rebuild import build_again
from rulemine.errors import ConfigError, ReleaseError
from rulemine.kinds.kind import Setting
from rulemine.kinds.registry import KINDS
from rulemine.recipe.recipe import WRITERS, file_keys
from rulemine.release.outputs import replacing, working_folder
from rulemine.release.reader import Release
from rulemine.release.records import translation
from rulemine.release.seed_rows import renamed

__all__ = ["check_published", "prepare_run", "settings_of"]

KEPT = ("mine", "ground", "select")
"""The stages that all runs share."""


def prepare_run(
    release: Release,
    number: int,
    target: Path,
    given: Mapping[str, str],
    settings: Sequence[tuple[tuple[str, ...], Any]],
    context: BuildContext,
    beside: Path | None = None,
) -> Build:
    """The build of one run up to the removal; only the questions remain to be asked.

    Args:
        release: The published release, see `check_published`.
        number: Its number, ≥ 1.
        target: The folder for it.
        given: See `rulemine.builder.rebuild.rebuild`.
        settings: Keys and values of the recipe that say who writes and who judges.
        context: Resources and callbacks.
        beside: The folder of another release of this recipe; what it shares with this one is taken from its
            finished stages, if there are any.

    Raises:
        ConfigError: See `build_again`.
        ReleaseError: It has no seed text in its test split, or the removal cannot be made again.
        RulemineError: As `rulemine.builder.pipeline.Build.run`.
    """
    rows = [row for row in release.seed_rows() if row.split == "test" and row.entities]
    if not rows:
        raise ReleaseError(
            f"{release.path}: no seed text has a question in its test split, so there is nothing to ask "
            "anew. Build it with more seed texts, or with questions.split none."
        )
    changed = (
        KINDS.find(release.kind).limits.fresh(release.manifest["config"], number, len(rows)) or ()
    )
    build = build_again(release, target, given, context, [*settings, *changed])
    names = translation(release.entities, release.naming, "entity")
    build.inputs.put(seed_rows=renamed(rows, names))
    if beside is not None:
        _lend(beside.with_name(f"{beside.name}.stages"), target.with_name(f"{target.name}.stages"))
    build.run("select")
    _check_removal(release, build)
    return build


def check_published(release: Release) -> None:
    """Checks that variants can be made of a release.

    Raises:
        ConfigError: It is of another kind, or itself a variant.
    """
    limits, config = KINDS.find(release.kind).limits, release.manifest["config"]
    if limits.fresh(config, 1, 1) is None:
        raise ConfigError(
            f"{release.path}: its questions are of the kind {release.kind}; fresh variants are made of a "
            "release of the kind variants, e.g. of the recipe variants-demo. Of other kinds: rulemine build "
            "… --seed N --not-in DIR."
        )
    if run := limits.run(config):
        raise ConfigError(
            f"{release.path}: is itself a fresh variant (run {run}); name the published release that it was "
            "made of."
        )


def settings_of(
    release: Release,
    pairs: Sequence[tuple[str, Any]],
    chosen: Mapping[str, Any],
    replayed: Sequence[Setting] | None,
) -> tuple[dict[str, str], tuple[Path, ...], list[Setting]]:
    """Splits a user's settings of runs by what they set.

    Args:
        release: The published release.
        pairs: Keys and values: files that its recipe names, earlier releases (``not_in``), keys of `WRITERS`.
        chosen: More of these keys.
        replayed: How a run whose replies are taken was asked for; None: there is none.

    Returns:
        Files of the recipe, earlier releases, and what is changed of the recipe.

    Raises:
        ConfigError: Something would make another release, or has no effect.
    """
    named = {key.name for key in file_keys(release.kind)}
    files: dict[str, str] = {}
    earlier: list[Path] = []
    changed = dict(chosen)
    for key, value in pairs:
        if key == "not_in":
            earlier.append(Path(str(value)))
        elif key.startswith(WRITERS):
            changed[key] = value
        elif key in named:
            files[key] = str(value)
        else:
            raise ConfigError(
                f"--set {key}: would make another release than {release.path}; only who writes and who "
                "judges may differ (verbalizer.…, variants.judges), and files that its recipe names can be "
                "given."
            )
    temperature = changed.get("verbalizer.temperature")
    if isinstance(temperature, int | float) and temperature >= 0:
        raise ConfigError(
            "verbalizer.temperature: runs are written at 0.8, so that they differ. Leave it out, or give "
            "-1 for a model that refuses a temperature."
        )
    settings = [*(replayed or ()), *((tuple(key.split(".")), v) for key, v in changed.items())]
    published = release.manifest["config"]["verbalizer"]
    if published["name"] == "template" and published["naming"] in ("private", "numeric"):
        settings.insert(0, (("verbalizer", "naming"), ""))  # nobody chose what a model would see
    names = [value for path, value in settings if path == ("verbalizer", "name")]
    if [published["name"], *names][-1] == "template":
        idle = [key for key in changed if key.startswith(WRITERS[:2]) and key != "verbalizer.name"]
        idle += ["--replay"] * (replayed is not None)
        if idle:
            raise ConfigError(
                f"{', '.join(idle)}: is for the questions of a language model, and those of this release are "
                "templates. Give --verbalizer openai too, or leave it out."
            )
        settings.insert(0, (("verbalizer",), {"name": "template"}))
    return files, tuple(earlier), settings


def _lend(source: Path, stages: Path) -> None:
    """Copies the finished stages that runs share; their keys decide whether they are reused."""
    if not source.is_dir():
        return
    with working_folder(stages):
        for name in KEPT:
            if (source / name).is_dir() and not (stages / name).exists():
                with replacing(stages / name) as fresh:
                    shutil.copytree(source / name, fresh, dirs_exist_ok=True)


def _check_removal(release: Release, build: Build) -> None:
    """Checks, before anything is asked, that the same triples are removed, at the same levels."""
    names = {row.entity: row.name_in(release.naming) for row in release.entities}
    selection, kg = build.selection, build.inputs.kg
    made = {
        (names[s], r, names[o]): level
        for (s, r, o), level in zip(
            kg.labeled(selection.head), selection.level.tolist(), strict=True
        )
    }
    if made != {row.triple: row.level for row in release.removals()}:
        raise ReleaseError(
            f"{release.path}: its recipe does not remove the same triples again, so runs would be about "
            "another incomplete graph. It was built by another version of this program, or was edited: "
            "rulemine verify --rebuild says what differs. Build it again."
        )
