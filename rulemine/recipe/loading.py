"""Reads recipes: packaged ones, the user's own files, and the values of the command line or of a release.

The first line of a file of a draft says whether anybody has edited the rest. A file that is as it was
drafted says what a build finds by itself, so a recipe that names it is the same as one that names none; from
its first edit on it counts.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.codec import shown, slots_of
from rulemine.config import (
    decode,
    hint,
    homes,
    lookup,
    override,
    packaged,
    read_table,
    read_toml,
)
from rulemine.errors import ConfigError, did_you_mean, list_problems
from rulemine.files import digest_of
from rulemine.kinds.registry import KINDS, USUAL
from rulemine.recipe.recipe import Recipe, file_keys
from rulemine.registry import packaged_or_given

__all__ = [
    "build_recipe", "decode_recipe", "is_untouched", "load_recipe", "named_recipes", "recipe_file", "sealed",
]  # fmt: skip

DRAFT = "recipe.toml"
"""The recipe in a folder that is given as one."""


NO_NAMES = frozenset(
    {"triples", "train", "facts", "graph", "kb", "data", "edges", "all", "dump", "triplets"}
)
"""Names of files that say nothing of the graph."""

AS_DRAFTED = {"questions.templates": "", "questions.filter": "found"}
"""Key of a recipe → the value that is the same as naming a file that nobody has edited."""

_SEAL = re.compile(rb"# .*as long as nobody edits it \(([0-9a-f]{64})\)\.")


def sealed(text: str, about: str) -> str:
    """A drafted file.

    Args:
        text: What it says.
        about: What it is, in a line, for the first line.
    """
    digest = digest_of(text.encode())
    return f"# {about}; it says what a build finds, as long as nobody edits it ({digest}).\n{text}"


def is_untouched(path: Path) -> bool:
    """Whether a file is as it was drafted."""
    first, _, rest = path.read_bytes().partition(b"\n")
    seal = _SEAL.fullmatch(first.rstrip(b"\r"))
    return seal is not None and seal[1].decode() == digest_of(rest)


def named_recipes() -> dict[str, Path]:
    """The packaged recipes, sorted: name → file.

    ``family/recipe.toml`` is called ``family``, ``family/recipe-brink.toml`` ``family-brink``, and
    ``umls/recipe-structures.toml``, of another kind of question, ``structures-umls``.
    """
    found = {}
    for file in packaged("datasets").glob("*/recipe*.toml"):
        variant = file.stem.removeprefix("recipe").removeprefix("-")
        names = (variant, file.parent.name) if variant in KINDS.own else (file.parent.name, variant)
        found["-".join(filter(None, names))] = file
    return dict(sorted(found.items()))


def recipe_file(name: str) -> Path | None:
    """The file of the recipe that is called so; None: it names a KG."""
    path = named_recipes().get(name, Path(name))
    draft = path / DRAFT
    return draft if draft.is_file() else path if path.suffix == ".toml" else None


def decode_recipe(values: Mapping[str, Any], problems: list[str]) -> Recipe | None:
    """Decodes plain values into a recipe; the section of its kind is called as the kind.

    Args:
        values: Keys and values as read from TOML; missing keys take their defaults.
        problems: Receives a line for each key that is unknown, of another kind, or has a wrong value.

    Returns:
        The recipe; None if there was a problem.
    """
    before, kind = len(problems), _kind_in(values)
    options = KINDS[kind].Options() if kind else None
    known = (homes(type(options), f"{kind}.") if options else {}) | homes(Recipe)

    def suggest(key: str, others: Iterable[str]) -> str:
        if key in KINDS and key != kind:
            return f'it is for the kind {key} only. Leave it out, or set kind = "{key}"'
        return hint(known, key, others)

    rest = dict(values)
    if options and kind not in (slot.name for slot in slots_of(Recipe)):
        options = read_table(options, rest.pop(kind, {}), kind, problems, suggest)
    made = decode(Recipe, rest, problems, suggest=suggest)
    try:
        return replace(made, own=options) if made and len(problems) == before else None
    except ConfigError as problem:  # a rule about several keys
        problems.append(str(problem).rstrip("."))
        return None


def build_recipe(values: Mapping[str, Any], where: str) -> Recipe:
    """Builds a recipe from plain values, see `decode_recipe`.

    Args:
        values: Keys and values.
        where: The file or command line, for the message.

    Raises:
        ConfigError: There are problems; all of them in one message.
    """
    problems: list[str] = []
    if (recipe := decode_recipe(values, problems)) is None:
        raise ConfigError(list_problems(where, problems, "See rulemine build keys."))
    return recipe


def _kind_in(values: Mapping[str, Any]) -> str:
    """The kind of question that plain values name; "" if there is no such kind."""
    kind = values.get("kind", USUAL)
    return kind if isinstance(kind, str) and kind in KINDS else ""


def load_recipe(name: str, settings: list[tuple[tuple[str, ...], Any]]) -> Recipe:
    """Loads a recipe and applies the settings of the command line.

    Args:
        name: A packaged recipe, the path of a TOML file or of a folder with a ``recipe.toml`` (paths in it
            are relative to it; ``base`` names a recipe of which it says only what differs), or a KG (data
            set or file), which is built with the defaults.
        settings: Keys and values; later ones win.

    Raises:
        ConfigError: There is no such recipe, or it has errors.
    """
    path, named, bases = recipe_file(name) or Path(name), named_recipes(), tuple[str, ...]()
    if not name:
        raise ConfigError(
            "RECIPE is empty; expected a recipe, a .toml file, a data set or a KG as TSV or RDF."
        )
    if path.suffix == ".toml":
        kind = next((value for key, value in reversed(settings) if key == ("kind",)), None)
        values, bases = _read(path, kind, ())
    elif name in _known() or path.exists() or "/" in name or path.suffix:
        values = {"name": _name_of(path), "kg": name}
    else:
        raise ConfigError(
            f"{name}: no such recipe, data set or file; {did_you_mean(name, {*named, *_known()})}"
        )
    for key, value in settings:
        values = override(values, key, value)
    where = " on ".join([str(path), *bases]) + " with the options given" * bool(settings)
    if settings and path.suffix != ".toml":
        where = "the options given"
    recipe = build_recipe(values, where)
    _check_files(values, where, path, name)
    return recipe


def _name_of(path: Path) -> str:
    """What a graph is called: as its file or folder, or as the folder of a file that says nothing."""
    stem = path.name.split(".")[0]
    if stem.lower() in NO_NAMES:
        stem = path.resolve().parent.name
    return re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-") or "kg"


def _read(
    path: Path, kind: Any, before: tuple[Path, ...]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The values of a recipe's file on top of those of its base, and the files of its bases.

    Args:
        path: The file.
        kind: The kind of question of what is built on it; None: its own.
        before: The files of which it is the base, the first one first.

    Raises:
        ConfigError: There is no such base, or one is its own base.
    """
    values = read_toml(path)
    kind = values.get("kind") if kind is None else kind
    base = values.pop("base", None)
    if base is None:
        return _beside(values, path.parent, _kind_in({"kind": kind or USUAL})), ()
    named, chain = named_recipes(), (*before, path)
    found = named.get(base, path.parent / base) if isinstance(base, str) else path
    if not (isinstance(base, str) and found.suffix == ".toml" and found.is_file()):
        raise ConfigError(
            f"{path}: base is {shown(base)}, which is no recipe and no .toml file beside it; "
            f"{did_you_mean(str(base), named)}"
        )
    if any(found.samefile(one) for one in chain):
        circle = " → ".join(map(str, (*chain, found)))
        raise ConfigError(f"{path}: base leads back to itself: {circle}. Leave one base out.")
    below, bases = _read(found, kind, chain)
    kind = kind or below.get("kind", USUAL)
    if below.get("kind", USUAL) != kind and _kind_in({"kind": kind}):
        # What only the kind of the base has says nothing of this one.
        below = {key: value for key, value in below.items() if key not in {*KINDS} - {kind, USUAL}}
        gone = {name for names in KINDS[kind].Options.lacks for name in names}
        for section, table in below.items():
            if isinstance(table, dict):
                below[section] = {k: v for k, v in table.items() if f"{section}.{k}" not in gone}
    above = _beside(values, path.parent, _kind_in({"kind": kind}))
    return _merged(below, above), (str(found), *bases)


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Nested tables with those of another on top, key by key."""
    both = {
        key: _merged(below[key], value)
        for key, value in above.items()
        if isinstance(value, dict) and isinstance(below.get(key), dict)
    }
    return {**below, **above, **both}


def _check_files(values: dict[str, Any], where: str, path: Path, name: str) -> None:
    """Reports all missing files of a recipe at once, with the places where they were looked for.

    Args:
        values: The values of the recipe.
        where: The recipe, for the message.
        path: Its file, if it has one.
        name: Its name as the user gave it; a KG given as the recipe is checked when it is read.
    """
    from rulemine.datasets.tables import HUB

    problems, folders = [], [path.parent, Path()] if path.suffix == ".toml" else [Path()]
    for key in file_keys(_kind_in(values)):
        value, packed = lookup(values, key.path) or "", key.option.packaged
        known = _known() if key.option.data_set else set()
        own = key.option.path_of(value)
        there = (packaged_or_given(own, packed) if packed else Path(own)).exists()
        if (
            there
            or value in {"", name, *key.option.words, *known}
            or (known and value.startswith(HUB))
        ):
            continue
        looked = " and ".join(dict.fromkeys(str((f / own).absolute()) for f in folders))
        if packed:
            names = sorted(f.parent.name for f in packaged("datasets").glob(f"*/{packed}"))
            looked = f"those of this package ({', '.join(names)}) and {looked}"
        problem = f'{key.name} names "{value}"; looked at {looked}: no such file'
        if known and not Path(value).suffix:
            problem += f", and no such data set; {did_you_mean(value, known)}"
        problems.append(problem)
    if problems:
        advice = "Paths are relative to the recipe or the current folder."
        raise ConfigError(list_problems(where, problems, advice))


def _known() -> set[str]:
    """The names of data sets and property graphs."""
    from rulemine.datasets.property_graphs import NAMED_GRAPHS
    from rulemine.datasets.registry import data_sets  # loads numpy

    return {*data_sets(), *NAMED_GRAPHS}


def _beside(values: dict[str, Any], folder: Path, kind: str) -> dict[str, Any]:
    """Resolves the paths in a user's recipe of a kind relative to it, if such a file exists."""
    for key in file_keys(kind) if kind else ():
        value = lookup(values, key.path)
        if not isinstance(value, str) or not value:
            continue
        own = folder / key.option.path_of(value)
        # A folder of texts too, unless it is called like a data set, whose name comes first.
        texts = key.option.column and packaged_or_given(value, key.option.packaged) == Path(value)
        folders = texts or (key.option.data_set and own.is_dir() and value not in _known())
        if own.is_file() or (folders and own.is_dir()):
            untouched = own.is_file() and key.name in AS_DRAFTED and is_untouched(own)
            place = AS_DRAFTED[key.name] if untouched else str(folder / value)
            values = override(values, key.path, place)
    return values
