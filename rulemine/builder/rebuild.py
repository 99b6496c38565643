"""Builds a release again from its own recipe, so that the two can be compared byte by byte.

This proves everything that follows from recipe and inputs: options, mining, selection, texts, rejections,
counts and the card. The replies of a language model are taken from the release's journal.

A recipe in a release names its files without their folders. Data sets and packaged files are found by
name; any other file must be given, or the release itself stands in for it where it has the content (see
`STAND_INS`). What a stand-in says is then not proved, and a note says so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.codec import dump_line
from rulemine.config import Key, lookup, override, packaged
from rulemine.datasets.registry import data_sets
from rulemine.errors import ConfigError, DatasetError, InputError, did_you_mean, list_problems
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.rdf import is_rdf
from rulemine.kinds.graded import Unaskable
from rulemine.kinds.registry import KINDS
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import build_recipe, of_own_kind
from rulemine.recipe.recipe import file_keys
from rulemine.release.contents import JOURNAL, read_parts
from rulemine.release.reader import Release
from rulemine.release.records import translation
from rulemine.release.seed_rows import SeedRow

__all__ = ["build_again", "rebuild", "source_seed_rows"]


StandIn = tuple[Callable[[Inputs, Release], None], str]


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
        release: As of `rebuild`, and so the next three.
        target: Likewise.
        given: Likewise.
        context: Likewise.
        settings: Keys and values that the recipe of the release does not have.
        on_stand_in: Called with a sentence for each file in whose place the release stands.

    Raises:
        ConfigError: A key of `given` names no file of this recipe, an input is not at hand, or the recipe
            is not one of this version.
        InputError: An input is another one than that of the release.
    """
    config = of_own_kind(release.manifest["config"])
    keys = {key.name: key for key in file_keys(release.kind)}
    for path, value in settings:
        config = override(config, path, value)
    values, replaced = config, []
    chosen = {path for path, _ in settings}
    kind = KINDS[release.kind]
    stand_ins = STAND_INS | dict.fromkeys(kind.stands_in[0], (_seed_rows, kind.stands_in[1]))
    fresh = kind.run(config)
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
        elif key.path in chosen:
            continue
        elif fresh and key.name in kind.stands_in[0]:
            continue  # a fresh variant is asked about what is in its own file, and nothing else
        elif not isinstance(named, str) or not named or _is_known(key, named):
            continue
        elif (place := _inside(release, key, named)) is not None:
            values = override(values, key.path, str(place))
        elif key.name in stand_ins and _may_stand_in(key.name, release):
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
        _stand_in(name, stand_ins[name], made.inputs, release, "is a file", on_stand_in)
    _fetch(made.inputs, release, set(replaced) | set(given), on_stand_in)
    if fresh:
        made.inputs.seed_rows = source_seed_rows(release)
    return made


def _is_known(key: Key, named: str) -> bool:
    """Whether a recipe finds it by its name, wherever it is built."""
    packed = key.option.packaged
    return (
        (key.option.data_set and named in data_sets())
        or (bool(packed) and packaged("datasets", named, packed).is_file())
        or named == key.option.word
    )


def _inside(release: Release, key: Key, named: str) -> Path | None:
    """The file itself, in the release or in this package."""
    if named.startswith("llm/"):
        return release.file(named)
    return next(iter(sorted(packaged("datasets").glob(f"*/{named}"))), None)


def _may_stand_in(name: str, release: Release) -> bool:
    if name == "reference":  # what it lacks, the release does not say
        return Unaskable.STALE not in dump_line(release.manifest["counts"])
    # The published procedure and AMIE follow the order of the lines, which no release keeps.
    config = release.manifest["config"]
    ordered = lookup(config, ("selection", "mode")) == "brink" or bool(config.get("amie_jar"))
    return name != "kg" or not ordered


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
            why = f"cannot be had ({problem})"
            _stand_in(name, STAND_INS[name], inputs, release, why, warn)
    stated = release.manifest["kg"].get("digest")
    if inputs.kg.digest != stated:
        raise InputError(
            f"{inputs.recipe.kg}: is another graph than that of {release.path} (digest "
            f"{inputs.kg.digest[:12]}…; expected {str(stated)[:12]}…). Give its own with --set kg=FILE."
        )


def _stand_in(
    name: str,
    stand_in: StandIn,
    inputs: Inputs,
    release: Release,
    why: str,
    warn: Callable[[str], None],
) -> None:
    source, what = stand_in
    source(inputs, release)
    warn(
        f"{name} {why}: taken from {what} of the release, so what that says is not proved. "
        f"To prove it too, give the file: --set {name}=FILE."
    )


def _graph(release: Release, which: str) -> KnowledgeGraph:
    names = {row.name_in(release.naming): row.entity for row in release.entities}
    return release.kg(which).renamed(names)


def _kg(inputs: Inputs, release: Release) -> None:
    duplicates = release.manifest["kg"].get("duplicates", 0)
    inputs.kg = replace(_graph(release, "complete"), duplicates=duplicates)
    if not inputs.recipe.labels and is_rdf(
        inputs.recipe.kg
    ):  # then the labels are in the same file
        _labels(inputs, release)


def _reference(inputs: Inputs, release: Release) -> None:
    there = "kg/reference.tsv.gz" in release.manifest["files"]
    inputs.reference = _graph(release, "reference") if there else None
    inputs.stale = None


def _labels(inputs: Inputs, release: Release) -> None:
    inputs.labels = {row.entity: row.text for row in release.entities}


def _templates(inputs: Inputs, release: Release) -> None:
    inputs.templates = read_parts(release).templates


def source_seed_rows(release: Release, split: str = "") -> tuple[SeedRow, ...]:
    """The seed texts of a release that has them, or of a split of it, in source labels."""
    labels = translation(release.entities, release.naming, "entity")
    return tuple(
        replace(row, entities=tuple(sorted(labels[name] for name in row.entities)), split="")
        for row in release.seed_rows()
        if row.split == split or not split
    )


def _seed_rows(inputs: Inputs, release: Release) -> None:
    inputs.seed_rows = source_seed_rows(release)


def _filter(inputs: Inputs, release: Release) -> None:
    inputs.excluded = dict(release.manifest["kg"].get("dropped", {}))


STAND_INS: dict[str, StandIn] = {
    "kg": (_kg, "kg/complete.tsv.gz"),
    "reference": (_reference, "kg/reference.tsv.gz"),
    "labels": (_labels, "entities.tsv"),
    "questions.templates": (_templates, "relations.tsv"),
    "questions.filter": (_filter, "kg.dropped in manifest.json"),
}
"""Key of any recipe → what puts the release's own content in place of the file, and where that is."""
