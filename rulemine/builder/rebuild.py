"""Builds a release again from its own recipe, so that the two can be compared byte by byte.

This proves everything that follows from recipe and inputs: options, mining, selection, texts, rejections,
counts and the card. The replies of a language model are taken from the release's journal.

A recipe in a release names its files without their folders. Data sets and packaged files are found by
name; any other file must be given, or the release itself stands in for it where it has the content (see
`STAND_INS` and `rulemine.kinds.kind.Input`). What a stand-in says is then not proved, and a note says so.
"""

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
from rulemine.errors import ConfigError, DatasetError, InputError, did_you_mean, list_problems
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.rdf import is_rdf
from rulemine.kg.relation_overlap import FoundDeclaration
from rulemine.kinds.graded import Unaskable
from rulemine.kinds.kind import Input
from rulemine.kinds.registry import KINDS
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import build_recipe
from rulemine.recipe.recipe import file_keys
from rulemine.registry import packaged_or_given
from rulemine.release.contents import JOURNAL, read_parts
from rulemine.release.reader import Release
from rulemine.rules.standards import Standard

__all__ = ["build_again", "rebuild"]


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
    for key in keys.values():
        named = lookup(config, key.path)
        if key.name in given and Path(given[key.name]).name != named:
            problems.append(f'{key.name}={given[key.name]}: the recipe names "{named or "none"}"')
        elif key.name in given:
            values = override(values, key.path, given[key.name])
        elif key.name in settled or _is_known(key, named):
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
    # The published procedure and AMIE follow the order of the lines, which no release keeps.
    config = release.manifest["config"]
    ordered = lookup(config, ("selection", "mode")) == "brink" or bool(config.get("amie_jar"))
    return name in _stand_ins(release) and (name != "kg" or not ordered)


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
    stated = release.manifest["kg"].get("digest")
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
    kg = replace(
        _graph(release, "complete"),
        duplicates=about.get("duplicates", 0),
        relation_iris=about.get("relation_iris", {}),
    )
    same = not config["labels"] and is_rdf(config["kg"])  # then the labels are in the same file
    if release.manifest["kg"].get("labels"):  # and here they were beside it
        return {"kg": kg} | _given_labels(release)
    return {"kg": kg} | (_labels(release) if same else {})


def _reference(release: Release) -> dict[str, Any]:
    there = "kg/reference.tsv.gz" in release.manifest["files"]
    return {"reference": _graph(release, "reference") if there else None, "stale": None}


def _labels(release: Release) -> dict[str, Any]:
    texts = {row.entity: row.text for row in release.entities}
    files = tuple(LabelFile(**row) for row in release.manifest["kg"].get("labels", ()))
    return {"labels": texts, "named": Labels(texts, {}, files)}


def _given_labels(release: Release) -> dict[str, Any]:
    """Those of relations are not in the release; what they are for, templates from names, is."""
    made = {} if release.manifest["config"]["questions"]["templates"] else _templates(release)
    return _labels(release) | made


def _templates(release: Release) -> dict[str, Any]:
    return {"templates": read_parts(release).templates, "found": _found(release)}


def _filter(release: Release) -> dict[str, Any]:
    kg = release.manifest["kg"]
    standards = (build(Standard, row, "manifest.json") for row in kg.get("standards", ()))
    classes = {name: tuple(of) for name, of in kg.get("classes", {}).items()}
    dropped = dict(kg.get("dropped", {}))
    return {"excluded": dropped, "classes": classes, "standards": tuple(standards)}


def _found(release: Release) -> tuple[FoundDeclaration, ...]:
    rows = release.manifest["kg"].get("found", ())
    return tuple(FoundDeclaration(**row) for row in rows)


_StandIn = tuple[Callable[[Release], dict[str, Any]], str]

STAND_INS: dict[str, _StandIn] = {
    "kg": (_kg, "kg/complete.tsv.gz"),
    "reference": (_reference, "kg/reference.tsv.gz"),
    "labels": (_given_labels, "entities.tsv"),
    "questions.templates": (_templates, "relations.tsv"),
    "questions.declarations": (
        lambda release: {"declared": read_parts(release).templates.declarations},
        "relations.tsv",
    ),
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
