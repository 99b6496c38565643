"""Writes a draft as files for people to read and edit, with a comment for every choice."""

import os
from collections.abc import Collection, Iterable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import numpy as np

from rulemine.builder.pipeline import Build
from rulemine.codec import dump_line
from rulemine.config import lookup
from rulemine.draft.drafting import Chosen
from rulemine.errors import OutputError, counted
from rulemine.files import read_text, write_text
from rulemine.phrasing.books import known_tables
from rulemine.phrasing.declarations import found_lines
from rulemine.phrasing.roles import says_no_end
from rulemine.phrasing.templates import RelationTemplates
from rulemine.recipe.drafted import is_untouched, sealed
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.recipe import file_keys, keys_with
from rulemine.recipe.relation_filter import found_filter, standard_lines

__all__ = ["RECIPE", "drafted_files", "write_draft"]

RECIPE = "recipe.toml"

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
    return {RECIPE: "\n".join([*head, *lines]), **files}


def _recipe(
    build: Build, chosen: dict[str, Chosen], given: Collection[str], folder: Path
) -> Iterator[str]:
    """Yields the lines of the recipe."""
    recipe, section = build.recipe, ""
    plain, files = recipe.plain(), {key.name for key in file_keys(recipe.kind)}
    for key in keys_with(recipe.kind):
        if key.name not in chosen and key.name not in given and key.name not in ("name", "kg"):
            continue
        above = key.name.rpartition(".")[0]
        if above != section:
            yield f"\n[{above}]"
            section = above
        if key.name in chosen:
            value, why = chosen[key.name].value, chosen[key.name].reason
        else:
            value, why = lookup(plain, key.path), "as given" if key.name in given else ""
            value = _from(folder, value) if key.name in files else value
        yield f"{key.path[-1]} = {dump_line(value)}" + f"  # {why}" * bool(why)


def _from(folder: Path, value: Any) -> Any:
    """A file as it is called from a folder; anything else as it is."""
    there = isinstance(value, str) and value and Path(value).exists()
    return os.path.relpath(value, folder) if there else value


def _templates(inputs: Inputs) -> Iterator[str]:
    kg, labels, templates = inputs.stated, inputs.labels, inputs.templates
    sizes = dict(zip(kg.relations, kg.relation_sizes().tolist(), strict=True))
    asks = {row["relation"]: row for row in templates.to_plain()}
    names = inputs.named.relations
    books = known_tables(kg.relations, {**names, **kg.relation_iris}, sizes)
    reasons = {r: table.ask_reason for r, table in books.items()}
    rows = kg.triples[np.unique(kg.triples[:, 1], return_index=True)[1]].tolist()
    first = {kg.relations[r]: (kg.entities[s], kg.entities[o]) for s, r, o in rows}
    for row in templates.rows:
        s, o = (labels.get(entity, entity) for entity in first[row.relation])
        name = names.get(row.relation, row.relation)
        yield f"\n# {counted(sizes[row.relation], 'triple')}, as {dump_line([s, name, o])}"
        yield f"# worded {_SOURCES[row.source]}"
        if row.source == "derived" and says_no_end(row.statement):
            yield "# The name does not say which end is what: put it into words of your own."
        yield f"[{dump_line(row.relation)}]"
        for name, text in _texts(row):
            yield f"{name} = {dump_line(text)}"
        if (ask := asks[row.relation]["ask"]) != "both":
            yield f"ask = {dump_line(ask)}"
            why = reasons.get(row.relation) or "as what states the same"
            yield f"ask_reason = {dump_line(why)}"
        if asks[row.relation]["place"]:
            yield "place = true"
        own = [found for found in inputs.found if found.relation == row.relation]
        yield from (line for line in found_lines(own) if not line.startswith("["))


def _texts(row: RelationTemplates) -> Iterator[tuple[str, str]]:
    yield "statement", row.statement
    yield "ask_subject", row.ask_subject
    yield "ask_object", row.ask_object
    if row.ask_subjects != row.ask_subject:
        yield "ask_subjects", row.ask_subjects
    if row.ask_objects != row.ask_object:
        yield "ask_objects", row.ask_objects
    yield "describe_subject", row.describe_subject
    yield "describe_object", row.describe_object


def _filter(inputs: Inputs) -> Iterator[str]:
    found = found_filter(inputs.kg, inputs.named.relations)
    yield "[drop]"
    for relation, why in found.drop.items():
        yield f"{dump_line(relation)} = {dump_line(why)}"
    for relation, why in inputs.excluded.items():
        if relation not in found.drop:
            yield f"# by the triples: {dump_line(relation)}, {why}"
    yield from standard_lines(found.standards)


def write_draft(folder: Path, files: dict[str, str], *, update: bool = False) -> Iterator[str]:
    """Writes the files of a draft; none that anybody has edited.

    Args:
        folder: Where to; made if it is missing.
        files: File → its text.
        update: Whether there may be files: one that was not edited is replaced, another one kept.

    Yields:
        What was done, in lines; before a file is replaced, or kept, how the new one differs.

    Raises:
        OutputError: There are such files, and it is no update.
    """
    there = [name for name in files if (folder / name).exists()]
    if there and not update:
        raise OutputError(
            f"{folder / there[0]}: is there already. See what has changed with --update, which keeps every "
            "file that you edited, or name another folder with -o."
        )
    for name, text in files.items():
        path = folder / name
        before = read_text(path) if name in there else ""
        if before == text:
            continue
        if before:
            yield from unified_diff(
                before.splitlines(), text.splitlines(), str(path), "drafted now", lineterm="", n=1
            )
        if before and not is_untouched(path):
            yield f"{path}: kept, because it may have been edited"
            continue
        folder.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
        yield f"{path}: written"
