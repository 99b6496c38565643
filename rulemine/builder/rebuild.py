"""Builds made from a release: the same again, to compare them byte by byte, and fresh variants of it.

The first proves everything that follows from recipe and inputs: options, mining, selection, texts,
rejections, counts and the card. The replies of a language model are taken from the release's journal. A
fresh variant asks about the seed texts of a published release anew (Dynamic-KGQA, section 4): triples are
shown in an order of its own, and a model writes at a temperature above 0. Graphs and removed triples are
those of the published release, byte for byte; the same run has the same bytes whenever it is made.

A recipe in a release names its files without their folders. Data sets and packaged files are found by
name; any other file must be given, or the release itself stands in for it where it has the content (see
`STAND_INS` and `rulemine.kinds.kind.Input`). What a stand-in says is then not proved, and a note says so.
"""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.codec import dump_line
from rulemine.config import Key, build, lookup, override, packaged
from rulemine.datasets.labels import LabelFile, Labels
from rulemine.datasets.registry import data_sets
from rulemine.errors import (
    ConfigError,
    DatasetError,
    InputError,
    ReleaseError,
    did_you_mean,
    list_problems,
)
from rulemine.kg.facts import FoundDeclaration
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.rdf import is_rdf
from rulemine.kinds.checks import Unaskable
from rulemine.kinds.kind import Input, Setting
from rulemine.kinds.registry import KINDS
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import build_recipe
from rulemine.recipe.recipe import WRITERS, file_keys
from rulemine.registry import packaged_or_given
from rulemine.release.contents import JOURNAL
from rulemine.release.outputs import replacing, working_folder
from rulemine.release.reader import Release
from rulemine.release.records import translation
from rulemine.rules.confidence import Standard

__all__ = ["build_again", "check_published", "prepare_run", "rebuild", "settings_of"]

KEPT = ("mine", "ground", "select")
"""The stages that all runs share."""


def rebuild(
    release: Release, target: Path, given: Mapping[str, str], context: BuildContext
) -> None:
    """Builds a release again, in its naming.

    Args:
        release: The release.
        target: The folder for the new one.
        given: Keys of the recipe → the files that the recipe of the release names.
        context: Resources and callbacks; each stand-in is a warning.

    Raises:
        ConfigError: As `build_again`.
        RulemineError: As `rulemine.builder.pipeline.Build.run`.
    """
    made = build_again(release, target, given, context, on_stand_in=context.on_warning)
    if JOURNAL in release.manifest["files"]:
        made.context = replace(made.context, replay=release.folder)
    made.run()


def build_again(
    release: Release,
    target: Path,
    given: Mapping[str, str],
    context: BuildContext,
    settings: Sequence[tuple[tuple[str, ...], Any]] = (),
    on_stand_in: Callable[[str], None] = lambda _text: None,
) -> Build:
    """The build of a release from its own recipe, its inputs read, no stage run.

    Args:
        release: See `rebuild`.
        target: See `rebuild`.
        given: See `rebuild`.
        context: See `rebuild`.
        settings: Keys and values that the recipe of the release does not have.
        on_stand_in: Called with a sentence for each file in whose place the release stands.

    Raises:
        ConfigError: A key of `given` names no file of this recipe, an input is not at hand, or the recipe
            is not one of this version.
        InputError: An input is another one than that of the release.
    """
    config = dict(release.manifest["config"])
    keys = {key.name: key for key in file_keys(release.kind)}
    for path, value in settings:
        config = override(config, path, value)
    values, replaced = config, []
    kind = KINDS.find(release.kind)
    # A fresh variant is made of what the published release has, and of nothing else.
    whole = [one for one in kind.inputs if one.stand_in is not None and kind.limits.run(config)]
    settled = {".".join(path) for path, _ in settings}.union(*(one.keys for one in whole))
    problems = [
        f"{name}: names no file of a recipe; {did_you_mean(name, keys)}"
        for name in given.keys() - keys.keys()
    ]
    for key in (key for key in keys.values() if key.name not in settled - given.keys()):
        named, file = lookup(config, key.path), given.get(key.name)
        if file is not None and Path(file).name != named:
            problems.append(f'{key.name}={file}: the recipe names "{named or "none"}"')
        elif file is not None:
            values = override(values, key.path, file)
        elif _is_known(key, named):
            continue
        elif (place := _inside(release, key, named)) is not None:
            values = override(values, key.path, str(place))
        elif _may_stand_in(key.name, release):
            replaced.append(key.name)
        else:
            problems.append(f"{key.name} names {named}: give the file, --set {key.name}=…/{named}")
    where = f"the recipe of {release.path}"
    if problems:
        raise ConfigError(
            list_problems(where, problems, "To build it again, all inputs are needed.")
        )
    made = Build(build_recipe(values, where), target, context)
    for name in replaced:
        _stand_in(name, made.inputs, release, "is a file", on_stand_in)
    _fetch(made.inputs, release, set(replaced) | set(given), on_stand_in)
    for one in whole:
        made.inputs.put(**_own(one, release))
    return made


def _is_known(key: Key, named: Any) -> bool:
    """Whether the name alone finds it on every machine, or is empty."""
    packed = key.option.packaged
    return (
        not isinstance(named, str)
        or named in ("", *key.option.words)
        or (key.option.data_set and named in data_sets())
        or (bool(packed) and packaged_or_given(named, packed) != Path(named))
    )


def _inside(release: Release, key: Key, named: str) -> Path | None:
    """The file itself, in the release or in this package."""
    if named.startswith("llm/"):
        return release.file(named)
    if named == key.option.packaged:  # packaged ones are called as their data set
        return None
    return next(iter(sorted(packaged("datasets").glob(f"*/{named}"))), None)


def _may_stand_in(name: str, release: Release) -> bool:
    if name == "reference":  # what it lacks, the release does not say
        return Unaskable.STALE not in dump_line(release.manifest["counts"])
    # The published procedure and AMIE follow the order of the lines, which no release keeps, nor does it keep
    # what is missing and not proved.
    config = release.manifest["config"]
    mode = lookup(config, ("selection", "mode"))
    lost = mode in ("brink", "given") or bool(config.get("amie_jar"))
    return name in _stand_ins(release) and (name != "kg" or not lost)


def _fetch(inputs: Inputs, release: Release, done: set[str], warn: Callable[[str], None]) -> None:
    """Reads the named data sets; the release stands in for one that cannot be had."""
    for name in ("kg", "reference", "labels"):
        if name in done or not getattr(inputs.recipe, name):
            continue
        try:
            getattr(inputs, name)
        except DatasetError as problem:
            if not _may_stand_in(name, release):
                raise
            _stand_in(name, inputs, release, f"cannot be had ({problem})", warn)
    # Where a user named what is missing, the complete graph is another one than the given one.
    stated = release.manifest["kg"].get("digest") if inputs.missing is None else inputs.kg.digest
    if inputs.kg.digest != stated:
        raise InputError(
            f"{inputs.recipe.kg}: is another graph than that of {release.path} (digest "
            f"{inputs.kg.digest[:12]}…; expected {str(stated)[:12]}…). Give its own with --set kg=FILE."
        )


def _stand_in(
    name: str, inputs: Inputs, release: Release, why: str, warn: Callable[[str], None]
) -> None:
    source, what = _stand_ins(release)[name]
    inputs.put(**source(release))
    warn(
        f"{name} {why}: taken from {what} of the release, so what that says is not proved. "
        f"To prove it too, give the file: --set {name}=FILE."
    )


def _graph(release: Release, which: str) -> KnowledgeGraph:
    names = {row.name_in(release.naming): row.entity for row in release.entities}
    return release.kg(which).renamed(names)


def _kg(release: Release) -> dict[str, Any]:
    config, about = release.manifest["config"], release.manifest["kg"]
    iris, twice = about.get("relation_iris", {}), about.get("duplicates", 0)
    made = {
        "kg": replace(_graph(release, "complete"), duplicates=twice, relation_iris=iris),
        "inverses": about.get("inverses", {}),
        "aliases": {row.entity: row.aliases for row in release.entities if row.aliases},
    }
    if about.get("labels"):  # which were beside the graph
        return made | _labels(release)
    same = not config["labels"] and is_rdf(config["kg"])  # then they are in the same file
    return made | (_names(release) if same else {})


def _reference(release: Release) -> dict[str, Any]:
    there = "kg/reference.tsv.gz" in release.manifest["files"]
    return {"reference": _graph(release, "reference") if there else None, "stale": None}


def _names(release: Release) -> dict[str, Any]:
    texts = {row.entity: row.text for row in release.entities}
    files = tuple(LabelFile(**row) for row in release.manifest["kg"].get("labels", ()))
    return {"labels": texts, "named": Labels(texts, {}, files)}


def _labels(release: Release) -> dict[str, Any]:
    """Those of relations are not in the release; what they are for, templates from names, is."""
    templates = release.manifest["config"]["questions"]["templates"]
    return _names(release) | ({} if templates else _templates(release))


def _templates(release: Release) -> dict[str, Any]:
    found = release.manifest["kg"].get("found", ())
    declared = tuple(FoundDeclaration(**row) for row in found)
    return {"templates": release.templates(), "found": declared}


def _filter(release: Release) -> dict[str, Any]:
    kg = release.manifest["kg"]
    standards = tuple(build(Standard, row, "manifest.json") for row in kg.get("standards", ()))
    return {"excluded": dict(kg.get("dropped", {})), "standards": standards}


_StandIn = tuple[Callable[[Release], dict[str, Any]], str]

STAND_INS: dict[str, _StandIn] = {
    "kg": (_kg, "kg/complete.tsv.gz"),
    "reference": (_reference, "kg/reference.tsv.gz"),
    "labels": (_labels, "entities.tsv"),
    "questions.templates": (_templates, "relations.tsv"),
    "questions.filter": (_filter, "kg.dropped in manifest.json"),
}
"""Key of a recipe → what the release itself has to take the place of what `Inputs` reads, and where."""


def _stand_ins(release: Release) -> dict[str, _StandIn]:
    """The stand-ins for a release; inputs that its kind reads itself have their own, or none."""
    found = dict(STAND_INS)
    for one in KINDS[release.kind].inputs:
        for key in one.keys:
            found.pop(key, None)
            if one.stand_in is not None:
                found[key] = (partial(_own, one), one.place)
    return found


def _own(one: Input, release: Release) -> dict[str, Any]:
    return {one.name: one.stand_in and one.stand_in(release)}


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
        given: See `rebuild`.
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
    fresh = KINDS.find(release.kind).limits.fresh
    changed = fresh(release.manifest["config"], number, len(rows)) or ()
    build = build_again(release, target, given, context, [*settings, *changed])
    names = translation(release.entities, release.naming, "entity")
    build.inputs.put(seed_rows=tuple(row.renamed(names) for row in rows))
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
    replayed: Sequence[Setting] | None,
) -> tuple[dict[str, str], tuple[Path, ...], list[Setting]]:
    """Splits a user's settings of runs by what they set.

    Args:
        release: The published release.
        pairs: Keys and values: files that its recipe names, earlier releases (``not_in``), keys of `WRITERS`.
        replayed: How a run whose replies are taken was asked for; None: there is none.

    Returns:
        Files of the recipe, earlier releases, and what is changed of the recipe.

    Raises:
        ConfigError: Something would make another release, or has no effect.
    """
    named = {key.name for key in file_keys(release.kind)}
    files, earlier, changed = dict[str, str](), list[Path](), dict[str, Any]()
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
                "templates. Give --model NAME too, or leave it out."
            )
        settings.insert(0, (("verbalizer",), {"name": "template"}))
    return files, tuple(earlier), settings


def _lend(source: Path, stages: Path) -> None:
    """Copies the finished stages that runs share; their keys decide whether they are reused."""
    kept = [name for name in KEPT if (source / name).is_dir() and not (stages / name).exists()]
    if kept:
        with working_folder(stages):
            for name in kept:
                with replacing(stages / name) as fresh:
                    shutil.copytree(source / name, fresh, dirs_exist_ok=True)


def _check_removal(release: Release, build: Build) -> None:
    """Checks, before anything is asked, that the same triples are removed, at the same levels."""
    names = {row.entity: row.name_in(release.naming) for row in release.entities}
    triples = build.inputs.kg.labeled(build.selection.head)
    levels = zip(triples, build.selection.level.tolist(), strict=True)
    made = {(names[s], r, names[o]): level for (s, r, o), level in levels}
    if made != {row.triple: row.level for row in release.removals()}:
        raise ReleaseError(
            f"{release.path}: its recipe does not remove the same triples again, so runs would be about "
            "another incomplete graph. It was built by another version of this program, or was edited: "
            "rulemine verify --rebuild says what differs. Build it again."
        )
