"""Writes a draft as files for people to read and edit, with a comment for every choice.

`draft_recipe` is the draft as a function; the command ``rulemine build draft`` gives the same bytes.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any

import numpy as np

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.codec import dump_line
from rulemine.config import lookup
from rulemine.draft.drafting import Chosen, Drafting
from rulemine.errors import ConfigError, OutputError, counted
from rulemine.files import read_text, write_text
from rulemine.phrasing.books import known_tables
from rulemine.phrasing.declarations import found_lines
from rulemine.phrasing.roles import says_no_end
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import is_untouched, load_recipe, recipe_file, sealed
from rulemine.recipe.recipe import Recipe, keys_with
from rulemine.recipe.relation_filter import found_filter, standard_lines
from rulemine.release.outputs import check_place

__all__ = ["check_folder", "draft_recipe", "drafted_files", "write_draft"]

FILES = ("recipe.toml", "templates.toml", "filter.toml")
"""What a draft has."""

_TEXTS = (
    "statement", "ask_subject", "ask_object", "ask_subjects", "ask_objects", "describe_subject",
    "describe_object",
)  # fmt: skip
"""Keys of a template file; plural forms are left out where they are as the singular."""

_SOURCES = {"book": "by a phrase book", "derived": "from its name", "written": "by hand"}


def drafted_files(
    build: Build, choices: Iterable[Chosen], given: Collection[str], folder: Path
) -> dict[str, str]:
    """The files of a draft.

    Args:
        build: The build of its recipe.
        choices: What was chosen.
        given: The keys that the user gave.
        folder: Where the files will be; paths in them are relative to it.

    Returns:
        File → its text. Kinds that read a graph in their own way have the recipe alone.
    """
    inputs, name = build.inputs, Path(build.recipe.kg).name
    files, chosen = {}, {choice.key: choice for choice in choices}
    if inputs.own.keys().isdisjoint(("kg", "stated", "relations")):
        texts: dict[str, tuple[str, Iterable[str]]] = {
            "templates": ("How its relations are put into words", _templates(inputs)),
            "filter": ("Which relations are not asked about", _filter(inputs)),
        }
        for stem, (about, lines) in texts.items():
            key = f"questions.{stem}"
            if key not in given:
                file = f"{stem}.toml"
                files[file] = sealed("\n".join([*lines, ""]), f"{about}, drafted from {name}")
                chosen[key] = Chosen(key, file, about.lower())
    lines = [*_recipe(build, chosen, given, folder), ""]
    head = [f"# How to build a benchmark from {name}. Every key: rulemine build keys"]
    if inputs.inverses:
        named = ", ".join(f"{one} (of {other})" for one, other in inputs.inverses.items())
        head.append(f"# Left out, as each says only what another one says backwards: {named}.")
    return {FILES[0]: "\n".join([*head, *lines]), **files}


def _recipe(
    build: Build, chosen: Mapping[str, Chosen], given: Collection[str], folder: Path
) -> Iterator[str]:
    """Yields the lines of the recipe."""
    plain, section = build.recipe.plain(), ""
    for key in keys_with(build.recipe.kind):
        if key.name in chosen:
            _, value, why = chosen[key.name]
        elif key.name in {*given, "name", "kg"}:
            value, why = lookup(plain, key.path), "as given" * (key.name in given)
            if key.option.file and value and Path(value).exists():
                value = os.path.relpath(value, folder)
        else:
            continue
        if (above := key.name.rpartition(".")[0]) != section:
            section = above
            yield f"\n[{section}]"
        yield f"{key.path[-1]} = {dump_line(value)}" + f"  # {why}" * bool(why)


def _templates(inputs: Inputs) -> Iterator[str]:
    kg, labels, names = inputs.stated, inputs.labels, inputs.named.relations
    sizes = dict(zip(kg.relations, kg.relation_sizes().tolist(), strict=True))
    books = known_tables(kg.relations, {**names, **kg.relation_iris}, sizes)
    rows = np.unique(kg.triples[:, 1], return_index=True)[1]
    first = {relation: (s, o) for s, relation, o in kg.labeled(rows)}
    for row in inputs.templates.to_plain():
        relation = row["relation"]
        s, o = (labels.get(entity, entity) for entity in first[relation])
        example = dump_line([s, names.get(relation, relation), o])
        yield f"\n# {counted(sizes[relation], 'triple')}, as {example}"
        yield f"# worded {_SOURCES[row['source']]}"
        if row["source"] == "derived" and says_no_end(row["statement"]):
            yield "# The name does not say which end is what: put it into words of your own."
        yield f"[{dump_line(relation)}]"
        for key in _TEXTS:
            if row[key] != row.get(key.removesuffix("s")) or not key.endswith("s"):
                yield f"{key} = {dump_line(row[key])}"
        if row["ask"] != "both":
            told = books[relation].ask_reason if relation in books else ""
            yield f"ask = {dump_line(row['ask'])}"
            yield f"ask_reason = {dump_line(told or 'as what states the same')}"
        if row["place"]:
            yield "place = true"
        own = [found for found in inputs.found if found.relation == relation]
        yield from (line for line in found_lines(own) if not line.startswith("["))


def _filter(inputs: Inputs) -> Iterator[str]:
    found = found_filter(inputs.kg, inputs.named.relations)
    yield "[drop]"
    for relation, why in found.drop.items():
        yield f"{dump_line(relation)} = {dump_line(why)}"
    for relation, why in inputs.excluded.items():
        if relation not in found.drop:
            yield f"# by the triples: {dump_line(relation)}, {why}"
    yield from standard_lines(found.standards)


def check_folder(folder: Path, *, update: bool) -> None:
    """Refuses a folder for a draft, before anything is worked out.

    Args:
        folder: The folder; it may be missing.
        update: Whether there may be files of a draft.

    Raises:
        OutputError: There are such files, and it is no update; or nothing can be written there.
    """
    check_place(folder)
    there = [folder / name for name in FILES if (folder / name).exists()]
    if there and not update:
        raise OutputError(
            f"{there[0]}: is there already. See what has changed with --update, which keeps every file that "
            "you edited, or name another folder with -o."
        )


def write_draft(folder: Path, files: Mapping[str, str]) -> Iterator[str]:
    """Writes the files of a draft; none that anybody has edited.

    Args:
        folder: Where to; made if it is missing.
        files: File → its text.

    Yields:
        What was done, in lines; before a file is replaced, or kept, how the new one differs.
    """
    for name, text in files.items():
        path = folder / name
        before = read_text(path) if path.exists() else ""
        if before and before != text:
            lines = before.splitlines(), text.splitlines()
            yield from unified_diff(*lines, str(path), "drafted now", lineterm="", n=1)
        if before and before != text and not is_untouched(path):
            yield f"{path}: kept, because it may have been edited"
        elif before != text:
            folder.mkdir(parents=True, exist_ok=True)
            write_text(path, text)
            yield f"{path}: written"


def draft_recipe(
    graph: str | Path,
    folder: str | Path,
    settings: Mapping[str, Any] | None = None,
    *,
    effort: int | None = None,
    update: bool = False,
    context: BuildContext | None = None,
) -> list[str]:
    """Writes the recipe that a graph is built with by itself, with a comment for every choice.

    Args:
        graph: A graph or the name of a data set.
        folder: Where the recipe, templates, declarations and filter go.
        settings: Key of a recipe → value, such as ``{"kind": "structures"}``; they win over what is chosen.
        effort: Work that may be spent, in millions of joins; None: as the command.
        update: Whether there may be a draft: files that nobody has edited are replaced.
        context: Resources and callbacks. Stages are kept in ``out/NAME.stages`` of the current folder.

    Returns:
        What was written or kept, in lines.

    Raises:
        ConfigError: It is a recipe, or rules are given: nothing is left to choose.
        OutputError: There is such a draft, and it is no update.
        RulemineError: As of a build.
    """
    given = {tuple(key.split(".")): value for key, value in (settings or {}).items()}

    def recipe_with(choices: Sequence[Chosen]) -> Recipe:
        chosen = [(tuple(choice.key.split(".")), choice.value) for choice in choices]
        return load_recipe(str(graph), [*chosen, *given.items()])

    recipe, folder = recipe_with(()), Path(folder)
    if recipe_file(str(graph)) or recipe.rules or recipe.selection.mode != "maximal":
        raise ConfigError(
            f"{graph}: is a recipe, or has rules: nothing is left to choose. Give a graph."
        )
    check_folder(folder, update=update)
    target = Path("out") / recipe.name
    drafting = Drafting(
        recipe_with, lambda drafted: Build(drafted, target, context), settings or (), effort
    )
    made = drafting.run()
    files = drafted_files(made, drafting.choices, drafting.given, folder)
    return list(write_draft(folder, files))
