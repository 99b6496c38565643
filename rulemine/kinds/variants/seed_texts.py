"""Seed sets: the entities that a question is to be about, from texts, from lists, or drawn from the graph.

Drawn: a first entity at random, then others at the end of random walks of one or two steps from those there
are, all of the wanted type, so that they belong together as the entities of a text do.

Guarantees: ids are unique; sets come in the order of their source; a set that is drawn depends on the seed
and its number alone.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rulemine.arrays import distinct
from rulemine.errors import ConfigError, InputError, counted, did_you_mean, list_problems
from rulemine.files import read_lines
from rulemine.kg.entity_types import EntityTypes
from rulemine.kinds.split import draw_splits
from rulemine.kinds.variants.components import Components, Ints
from rulemine.kinds.variants.linking import Linker
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.variants.text_files import read_seed_texts
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.recipe import Recipe
from rulemine.release.records import SPLITS
from rulemine.seeds import Stream, stream

__all__ = ["SeedSet", "members_of", "seed_sets", "splits_of_sets"]

TRIES = 20
"""Walks for each further entity of a set."""

EXAMPLES = 5
"""How many names that the graph lacks are spelled out."""


class SeedSet(NamedTuple):
    """The entities of a seed text.

    Attributes:
        id: The id of the text.
        entities: Their ids in the complete graph, ascending; none where the text names none.
        topic: The type or domain that they were drawn from; "" if they were not.
    """

    id: str
    entities: tuple[int, ...]
    topic: str = ""


def seed_sets(
    inputs: Inputs,
    options: VariantSection,
    seed: int,
    note: Callable[[str], object] = lambda _text: None,
    removed: Ints | None = None,
    core: Ints | None = None,
) -> list[SeedSet]:
    """The seed sets of a build.

    Args:
        inputs: The graph, its labels and types; a run of variants has its sets already.
        options: The section ``variants``.
        seed: The seed of the build.
        note: Called with a sentence about what was left out.
        removed: The rows of the removed triples, for sets that start with one.
        core: Likewise those of the core, for sets of test and validation.

    Raises:
        InputError: A file cannot be read, or names no entity of the graph.
        ConfigError: There is no such domain.
    """
    if (rows := inputs["seed_rows"]) is not None:
        ids = inputs.kg.entity_ids
        return [SeedSet(r.id, tuple(sorted(ids[e] for e in r.entities)), r.topic) for r in rows]
    if options.texts and options.entities:
        raise ConfigError(
            "variants.texts and variants.entities: both are given; leave one of them out."
        )
    if options.domains and (options.texts or options.entities):
        raise ConfigError(
            "variants.domains: is for seed sets that are drawn, but texts or entities are given. Leave it "
            "out."
        )
    if options.aliases and not options.texts:
        raise ConfigError(
            f"variants.aliases: {options.aliases} finds entities in texts, but variants.texts is empty. Name "
            "texts, or leave it out."
        )
    if options.entities:
        return _of_lists(inputs, Path(options.entities), note)
    if not options.texts:
        given = (removed, core) if options.start == "removed" else (None, None)
        pairs, core_pairs = (_pairs(inputs, rows) for rows in given)
        if not inputs.recipe.questions.test_core:
            core_pairs = pairs
        return list(_drawn(inputs, options, seed, (pairs, core_pairs)))
    return _of_texts(inputs, options, note)


def splits_of_sets(recipe: Recipe, sets: int) -> list[str]:
    """The split of each seed set, by its place; "" where texts are not split."""
    if recipe.questions.split != "group" or recipe.own.run:
        return [""] * sets
    return [SPLITS[number] for number in draw_splits(sets, recipe.questions.ratios, recipe.seed)]


def _of_texts(
    inputs: Inputs, options: VariantSection, note: Callable[[str], object]
) -> list[SeedSet]:
    """The sets of the seed texts: the entities that each names."""
    texts = read_seed_texts(options, note)
    aliases = _aliases(inputs, options.aliases, note)
    neighbors = Components(inputs.kg, options, inputs.excluded).neighbors
    linker = Linker(inputs.kg, inputs.labels, aliases, neighbors)
    found = [SeedSet(text.id, tuple(sorted(linker.entities(text.text)))) for text in texts]
    if not any(one.entities for one in found):
        raise InputError(
            f"variants.texts: {options.texts} has {counted(len(found), 'text')}, none of which names an "
            f"entity of {inputs.recipe.kg}. Are its entities codes? Then give labels."
        )
    few = sum(len(one.entities) < 2 for one in found)
    if 2 * few > len(found):
        note(
            f"{options.texts}: {few:,} of {counted(len(found), 'text')} name fewer than two entities, "
            "which nothing connects. A file is read a text a line, a folder a text a file."
        )
    return found


def _aliases(inputs: Inputs, named: str, note: Callable[[str], object]) -> dict[str, list[str]]:
    """Entity → further names, of a file."""
    found: dict[str, list[str]] = {}
    problems: list[str] = []
    for number, line in enumerate(read_lines(Path(named)) if named else (), start=1):
        fields = [part.strip() for part in line.split("\t")]
        if len(fields) != 2 or not all(fields):
            problems.append(f"line {number} is not entity <tab> name: {line[:80]!r}")
        else:
            found.setdefault(fields[0], []).append(fields[1])
    if problems:
        raise InputError(list_problems(named, problems, "Give two columns, a name a line."))
    if named and not found.keys() & inputs.kg.entity_ids.keys():
        raise InputError(
            f"variants.aliases: {named} names no entity of {inputs.recipe.kg}. Give entities as the graph "
            "names them in the first column."
        )
    if unknown := sum(len(names) for e, names in found.items() if e not in inputs.kg.entity_ids):
        note(f"{named}: {counted(unknown, 'name')} left out, of no entity of the graph.")
    return found


def _of_lists(inputs: Inputs, path: Path, note: Callable[[str], object]) -> list[SeedSet]:
    """The sets of a file: a line has an id and entities, with tabs between them or as JSON."""
    ids = inputs.kg.entity_ids
    by_label = _by_label(inputs)
    found: dict[str, SeedSet] = {}
    problems: list[str] = []
    unknown: dict[str, None] = {}
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        key, names = _listed(line)
        if not key or names is None:
            problems.append(f"line {number}: {line[:80]!r}")
        elif key in found:
            problems.append(f"line {number}: id {key!r} again")
        else:
            places = {name: ids.get(name, by_label.get(name)) for name in names}
            unknown.update(dict.fromkeys(name for name, at in places.items() if at is None))
            entities = {at for at in places.values() if at is not None}
            found[key] = SeedSet(key, tuple(sorted(entities)))
    if problems:
        advice = 'Expected an id of its own and entities: q1<tab>Rome<tab>Italy, or ["q1", "Rome", "Italy"].'
        raise InputError(list_problems(str(path), problems, advice))
    if unknown:
        shown = ", ".join(map(repr, list(unknown)[:EXAMPLES])) + ", …" * (len(unknown) > EXAMPLES)
        text = (
            f"{path}: {counted(len(unknown), 'name')} of no entity of {inputs.recipe.kg}: {shown}."
        )
        if not any(one.entities for one in found.values()):
            raise InputError(f"{text} Give entities as the graph or its labels name them.")
        note(text)
    return list(found.values())


def _by_label(inputs: Inputs) -> Mapping[str, int]:
    """Label → entity, of labels that one entity has."""
    found: dict[str, int] = {}
    for number, entity in enumerate(inputs.kg.entities):
        label = inputs.labels.get(entity, entity)
        found[label] = -1 if label in found else number
    return {label: number for label, number in found.items() if number >= 0}


def _listed(line: str) -> tuple[str, Sequence[str] | None]:
    """The id and the entities of a line; None if it is malformed."""
    if line.lstrip()[:1] not in "[{":
        key, *names = [part.strip() for part in line.split("\t")]
        return key, list(filter(None, names)) or None
    try:
        value: Any = json.loads(line)
    except ValueError:
        return "", None
    if isinstance(value, dict):
        value = [value.get("id"), *_list(value.get("entities"))]
    elif len(value) == 2 and isinstance(value[1], list):
        value = [value[0], *value[1]]
    good = len(value) > 1 and all(isinstance(part, str) for part in value)
    return (value[0], value[1:]) if good else ("", None)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _drawn(
    inputs: Inputs,
    options: VariantSection,
    seed: int,
    pairs: tuple[Ints, Ints],
) -> Iterator[SeedSet]:
    """Sets drawn from the domains in turn; smaller where walks find too few entities.

    A set starts with one of the pairs, int64 of shape (n, 2), of its domain if there is any: of the first
    array for training, of the second for test and validation.
    """
    components = Components(inputs.kg, options, inputs.excluded)
    pools = [members_of(inputs.types, domain) for domain in options.domains]
    if not pools:
        pools = [np.arange(len(inputs.kg.entities))]
    starts = [[some[np.isin(some, pool).all(axis=1)] for pool in pools] for some in pairs]
    splits = splits_of_sets(inputs.recipe, options.sets)
    for number in range(options.sets):
        turn = number % len(pools)
        draws = stream(seed, "variants", "set", number)
        own = starts[splits[number] in ("test", "validation")][turn]
        own = own if len(own) else pools[turn][:, None]
        first: list[int] = own[draws.below(len(own))].tolist()
        entities = _walked(components, pools[turn], first, options.set_size, draws)
        topic = options.domains[turn] if options.domains else ""
        yield SeedSet(f"d{number + 1:06d}", entities, topic)


def _pairs(inputs: Inputs, removed: Ints | None) -> Ints:
    """The ends of the removed triples that connect two entities, each pair once, sorted."""
    triples = inputs.kg.triples[[] if removed is None else removed].astype(np.int64)
    barred = [inputs.kg.relation_ids[name] for name in inputs.excluded]
    used = ~np.isin(triples[:, 1], barred) & (triples[:, 0] != triples[:, 2])
    return np.unique(np.sort(triples[used][:, [0, 2]], axis=1), axis=0)


def _walked(
    components: Components, pool: Ints, first: list[int], size: int, draws: Stream
) -> tuple[int, ...]:
    """Entities of a pool, all but the first one or two steps from one of those before."""
    found = list(first)
    for _ in range(TRIES * (size - 1)):
        if len(found) == size:
            break
        at = found[draws.below(len(found))]
        for _ in range(1 + draws.below(2)):
            around = components.neighbors(at)
            at = int(around[draws.below(len(around))]) if len(around) else at
        place = int(np.searchsorted(pool, at))
        if at not in found and place < len(pool) and pool[place] == at:
            found.append(at)
    return tuple(sorted(found))


def members_of(types: EntityTypes, domain: str) -> Ints:
    """The entities of a type or domain, ascending.

    Args:
        types: The types of the entities.
        domain: The name of a type; its beginning, up to a ``/``, with or without the one in front (``film``
            for ``/film/actor`` and ``/film/film``); or a pattern with ``*``.

    Raises:
        ConfigError: No type is called so.
    """
    start = f"/{domain.strip('/')}/"
    which = [
        number
        for number, name in enumerate(types.names)
        if name == domain or f"/{name.strip('/')}/".startswith(start) or fnmatchcase(name, domain)
    ]
    if not which:
        known = {*types.names, *(name.split("/")[1] for name in types.names if name.count("/") > 1)}
        raise ConfigError(
            f"variants.domains: {domain!r} is no type and no domain of the graph, whose types are "
            f"{types.source}; {did_you_mean(domain, known)}"
        )
    at = np.flatnonzero(np.isin(types.types, which))
    return distinct(np.searchsorted(types.starts, at, side="right") - 1)
