"""Reads recipes: packaged ones, the user's own files, and the values of the command line or of a release.

The first line of a file of a draft says whether anybody has edited the rest. A file that is as it was
drafted says what a build finds by itself, so a recipe that names it is the same as one that names none; from
its first edit on it counts.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.codec import shown
from rulemine.config import (
    Key,
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
"""File names too general to name a graph after."""

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
    before, kind, rest = len(problems), _known_kind(values.get("kind")), dict(values)
    own = KINDS[kind].Options() if kind else None

    def suggest(key: str, others: Iterable[str]) -> str:
        if key in KINDS and key != kind:
            return f'it is for the kind {key} only. Leave it out, or set kind = "{key}"'
        return hint((homes(type(own), f"{kind}.") if own else {}) | homes(Recipe), key, others)

    if own and kind not in Recipe.__slots__:
        own = read_table(own, rest.pop(kind, {}), kind, problems, suggest)
    made = decode(Recipe, rest, problems, suggest=suggest)
    try:
        return replace(made, own=own) if made and len(problems) == before else None
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
        raise ConfigError(list_problems(where, problems, "See rulemine build --keys."))
    return recipe


def _known_kind(kind: Any) -> str:
    """A kind of question that a file names, or the usual one; "" if there is no such kind."""
    kind = USUAL if kind is None else kind
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
    path, where = recipe_file(name), "the options given"
    if path is not None:
        values, files = _read(path, [value for key, value in settings if key == ("kind",)])
        where = " on ".join(map(str, files)) + f" with {where}" * bool(settings)
    elif name and (name in _named_graphs() or Path(name).exists() or re.search(r"[/.]", name)):
        values = {"name": _name_of(Path(name)), "kg": name}
    else:
        hint = did_you_mean(name, {*named_recipes(), *_named_graphs()})
        raise ConfigError(f"{name or 'RECIPE is empty'}: no such recipe, data set or file; {hint}")
    for key, value in settings:
        values = override(values, key, value)
    recipe = build_recipe(values, where)
    _check_files(recipe, where, [path.parent, Path()] if path else [Path()], name)
    return recipe


def _name_of(path: Path) -> str:
    """Names a graph after its file or folder, or after the folder of a file in `NO_NAMES`."""
    stem = path.name.split(".")[0]
    if stem.lower() in NO_NAMES:
        stem = path.resolve().parent.name
    return re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-") or "kg"


def _read(path: Path, kinds: Sequence[Any]) -> tuple[dict[str, Any], list[Path]]:
    """The values of a recipe's file on top of those of its bases, and all these files.

    Args:
        path: The file.
        kinds: The kinds of question that the command line names; the last one counts.

    Raises:
        ConfigError: There is no such base, or one is its own base.
    """
    files, values = dict(_with_bases(path)), dict[str, Any]()
    named = [own["kind"] for own in files.values() if "kind" in own]
    kind = _known_kind([*kinds[-1:], *named, USUAL][0])
    for file, own in reversed(files.items()):
        if kind and values.get("kind", USUAL) != kind:
            values = _for_kind(values, kind)
        values = _merged(values, _beside(own, file.parent, kind))
    return values, [*files]


def _with_bases(path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yields the file of a recipe and those of its bases, each with its own values."""
    named, chain = named_recipes(), [path]
    while True:
        values = read_toml(path)
        base = values.pop("base", None)
        yield path, values
        if base is None:
            return
        below = named.get(str(base), path.parent / str(base))
        if below.suffix != ".toml" or not below.is_file():
            raise ConfigError(
                f"{path}: base is {shown(base)}, which is no recipe and no .toml file beside it; "
                f"{did_you_mean(str(base), named)}"
            )
        if any(below.samefile(one) for one in chain):
            circle = " → ".join(map(str, [*chain, below]))
            raise ConfigError(f"{path}: base leads back to itself: {circle}. Leave one base out.")
        chain.append(path := below)


def _for_kind(values: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The values of a recipe of another kind that a recipe of this kind takes over."""
    lacking = {name for names in KINDS[kind].Options.lacks for name in names}
    return {
        key: {k: v for k, v in value.items() if f"{key}.{k}" not in lacking}
        if isinstance(value, dict)
        else value
        for key, value in values.items()
        if key not in {*KINDS} - {kind, USUAL}
    }


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Nested tables with those of another on top, key by key."""
    both = {
        key: _merged(below[key], value)
        for key, value in above.items()
        if isinstance(value, dict) and isinstance(below.get(key), dict)
    }
    return {**below, **above, **both}


def _beside(values: dict[str, Any], folder: Path, kind: str) -> dict[str, Any]:
    """Resolves the paths in a user's recipe of a kind relative to it, if such a file exists."""
    for key in file_keys(kind) if kind else ():
        value, data = lookup(values, key.path), key.option.data_set or key.option.column
        if isinstance(value, str) and value:
            own = folder / key.option.path_of(value)
            # A folder of a graph or of texts is meant unless it is called as a data set.
            if own.is_file() or (data and own.is_dir() and not _is_name(key, value)):
                drafted = key.name in AS_DRAFTED and own.is_file() and is_untouched(own)
                place = AS_DRAFTED[key.name] if drafted else str(folder / value)
                values = override(values, key.path, place)
    return values


def _is_name(key: Key, value: str) -> bool:
    """Whether a value names something that is found without a path, or nothing."""
    from rulemine.datasets.tables import HUB  # loads numpy

    rules = key.option
    return (
        value in ("", *rules.words)
        or (rules.data_set and (value in _named_graphs() or value.startswith(HUB)))
        or (rules.packaged != "" and packaged_or_given(value, rules.packaged) != Path(value))
    )


def _check_files(recipe: Recipe, where: str, folders: Sequence[Path], name: str) -> None:
    """Reports all missing files of a recipe at once, with the places where they were looked for.

    Args:
        recipe: The recipe.
        where: What it is called in the message.
        folders: Where its files may be.
        name: Its name as the user gave it; a KG given as the recipe is checked when it is read.
    """
    problems, plain = [], recipe.plain()
    for key in file_keys(recipe.kind):
        value, packed = lookup(plain, key.path), key.option.packaged
        own = key.option.path_of(value)
        if value != name and not _is_name(key, value) and not Path(own).exists():
            looked = " and ".join(dict.fromkeys(str((f / own).absolute()) for f in folders))
            names = _named_graphs() if key.option.data_set else set[str]()
            if packed:
                names |= {file.parent.name for file in packaged("datasets").glob(f"*/{packed}")}
            problem = f'{key.name} names "{value}"; looked at {looked}: no such file'
            if names and not Path(value).suffix:
                problem += f", and nothing of this name is known; {did_you_mean(value, names)}"
            problems.append(problem)
    if problems:
        advice = "Paths are relative to the recipe or the current folder."
        raise ConfigError(list_problems(where, problems, advice))


def _named_graphs() -> set[str]:
    """The names of data sets and property graphs."""
    from rulemine.datasets.property_graphs import NAMED_GRAPHS
    from rulemine.datasets.registry import data_sets  # loads numpy

    return {*data_sets(), *NAMED_GRAPHS}
