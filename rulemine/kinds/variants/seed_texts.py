"""Seed sets: the entities that a question is to be about, from texts, from lists, or drawn from the graph.

From texts: those whose names a text holds, as `Linker` finds them. Drawn: a first entity at random, then
others at the end of random walks of one or two steps from those there are, all of the wanted type, so that
they belong together as the entities of a text do.

Guarantees: ids are unique; sets come in the order of their source; a set that is drawn depends on the seed
and its number alone.
"""

import csv
import hashlib
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rulemine.arrays import distinct
from rulemine.config import TABLES, ending, split_column
from rulemine.errors import ConfigError, InputError, counted, did_you_mean, list_problems
from rulemine.files import read_jsonl, read_lines, read_text
from rulemine.kg.entity_types import EntityTypes
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.split import draw_splits
from rulemine.kinds.variants.components import Components, Ints
from rulemine.kinds.variants.options import VariantSection
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.recipe import Recipe
from rulemine.registry import packaged_or_given
from rulemine.release.records import SPLITS
from rulemine.seeds import Stream, stream
from rulemine.text.mentions import FUNCTION_WORDS
from rulemine.text.normalization import is_unspaced, is_word, unify

__all__ = [
    "Linker",
    "SeedSet",
    "SeedText",
    "members_of",
    "read_seed_texts",
    "seed_sets",
    "splits_of_sets",
]

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


_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)+|[^\W_]+(?:'[tm]\b)?|[^\w\s]")
"""Numbers with their separators, words, contractions that are no names (``don't``), and signs."""

_NOTE = re.compile(r"\s*\([^()]*\)$")
_JOIN = "\x1f"


class _Named(NamedTuple):
    """An entity with a name; `proper`: only with a capital where the text has any."""

    entity: int
    proper: bool


class Linker:
    """Finds the entities that a text names.

    A trie of all names, word by word, is walked from every word of the text; of names that start at the same
    word the longest counts, and the text goes on after it. Case, Unicode form, quotes, dashes, white space
    and ``_`` for a blank matter as little as in `rulemine.text`; accents matter.

    A name counts only as whole words: ``York`` is neither in ``Yorkshire`` nor in ``New York`` where that is
    a name too. In a text that has capitals, ``heat`` is not the film *Heat*, nor ``up in the air`` the film
    of that name; ``science fiction`` is *Science fiction*. A single word before another with a capital is
    part of a longer name, ``Premier League``, unless a name begins there. A single letter or digit is never a
    name, nor are words such as ``her`` and ``the who``.

    Of several entities with the name, the one with the most neighbors among the entities that the text names
    unambiguously counts; then the one with the most neighbors; then the smallest id. Homonyms that a release
    tells apart, such as ``Mercury (planet)``, are found by their plain name too.

    Args:
        kg: The graph.
        labels: Entity → text label; an entity without one is its own label.
        neighbors: The neighbors of an entity, see `rulemine.kinds.variants.components.Components`.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        labels: Mapping[str, str],
        neighbors: Callable[[int], Ints],
    ) -> None:
        self._neighbors = neighbors
        # The trie, flat: the words of a name, joined, → who has that name; of the start of one, nobody.
        self._trie: dict[str, list[_Named]] = {}
        for number, entity in enumerate(kg.entities):
            label = labels.get(entity, entity)
            for name in (label, _NOTE.sub("", label)):
                self._add(number, name)

    def _add(self, entity: int, name: str) -> None:
        name = unify(name)
        tokens = [token.casefold() for token, _, _ in _tokens(name)]
        if FUNCTION_WORDS.issuperset(tokens) or sum(map(str.isalnum, "".join(tokens))) < 2:
            return
        key = ""
        for token in tokens:
            key = f"{key}{_JOIN}{token}" if key else token
            there = self._trie.setdefault(key, [])
        # Beyond its first letter, capitals tell a name from a phrase; a single word has no other.
        rest = name if len(tokens) == 1 else name.lstrip("\"'([")[1:]
        if all(entity != named.entity for named in there):
            there.append(_Named(entity, rest != rest.lower()))

    def entities(self, text: str) -> tuple[int, ...]:
        """The ids of the entities that a text names, each once, as they first appear."""
        found = list(self._named(unify(text)))
        certain = {named[0].entity for named in found if len(named) == 1}
        each = dict.fromkeys(map(tuple, found))
        meant = {who: self._meant([one.entity for one in who], certain) for who in each}
        return tuple(dict.fromkeys(meant.values()))

    def _named(self, text: str) -> Iterator[list[_Named]]:
        """Who has each name that a text holds, from left to right."""
        words = _Words(text)
        at = 0
        while at < len(words.keys):
            if words.keys[at] not in self._trie:  # most words, quickly
                at += 1
                continue
            after, named = self._longest(words, at)
            if named and not self._goes_on(words, at, after):
                yield named
                at = after
            else:
                at += 1

    def _longest(self, words: "_Words", at: int) -> tuple[int, list[_Named]]:
        """The end of the longest name that starts at a word, and who has it; nobody if there is none."""
        key, end, best = words.keys[at], at, (at, list[_Named]())
        while key in self._trie:
            end += 1
            named = self._trie[key]
            if named and words.has_capitals and (own := words.spelling(at, end)) == own.lower():
                named = [one for one in named if not one.proper]
            if named and words.is_free(at, end):
                best = end, named
            if end == len(words.keys):
                break
            key = f"{key}{_JOIN}{words.keys[end]}"
        return best

    def _goes_on(self, words: "_Words", at: int, after: int) -> bool:
        """Whether a word is but the start of a longer name: a name of nobody, as *Premier League* may be."""
        if after - at > 1 or after == len(words.keys):
            return False
        own, then = words.spelling(at, after), words.spelling(after, after + 1)
        return (
            own.istitle()
            and then.istitle()
            and len(then) > 1
            and words.keys[after] not in FUNCTION_WORDS
            and words.spelling(at, after + 1) == f"{own} {then}"
            and not self._longest(words, after)[1]
        )

    def _meant(self, named: list[int], certain: set[int]) -> int:
        """Which of the entities with a name is meant."""
        if len(named) == 1:
            return named[0]
        around = {one: self._neighbors(one) for one in named}
        known = {one: len(certain.intersection(around[one].tolist())) for one in named}
        return min(named, key=lambda one: (-known[one], -len(around[one]), one))


def _tokens(text: str) -> list[tuple[str, int, int]]:
    """The words and signs of a text and where they are; each letter of an unspaced script is a word."""
    found = [(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text)]
    if text.isascii():
        return found
    parts: list[tuple[str, int, int]] = []
    for token, start, end in found:
        begun = start
        for at in range(start, end) if not token.isascii() else ():
            if is_unspaced(text[at]):
                if begun < at:
                    parts.append((text[begun:at], begun, at))
                parts.append((text[at], at, at + 1))
                begun = at + 1
        if begun < end:
            parts.append((text[begun:end], begun, end))
    return parts


class _Words:
    """A text word by word: `keys` are its words and signs, folded."""

    def __init__(self, text: str) -> None:
        self._text, self._tokens = text, _tokens(text)
        self.keys = [token.casefold() for token, _, _ in self._tokens]
        self.has_capitals = text != text.lower()

    def spelling(self, start: int, end: int) -> str:
        """The text from one word to before another."""
        return self._text[self._tokens[start][1] : self._tokens[end - 1][2]]

    def is_free(self, start: int, end: int) -> bool:
        """Whether no letter, digit or mark touches these words, next to scripts with spaces."""
        text, low, high = self._text, self._tokens[start][1], self._tokens[end - 1][2]
        return not (low and _joined(text[low - 1], text[low])) and not (
            high < len(text) and _joined(text[high], text[high - 1])
        )


def _joined(neighbor: str, own: str) -> bool:
    return is_word(neighbor) and is_word(own) and not is_unspaced(neighbor) and not is_unspaced(own)


PACKAGED = "texts.txt"
"""The seed texts of a packaged data set."""

WHOLE = (".txt", ".md")
"""Endings of the files of a folder that are texts."""

ID, TITLE = "id", "title"
"""Columns of a table that are used if they are there."""

MOST_CHARACTERS = 1_000_000
"""Limit for a text: about two novels."""


class SeedText(NamedTuple):
    """A seed text.

    Attributes:
        id: Its id, unique, without tabs and line breaks.
        text: What it says, after the title of its file or row, if it has one.
    """

    id: str
    text: str


class _Found(NamedTuple):
    """A text as it was read; `where` is for messages."""

    where: str
    text: str
    id: str = ""


def read_seed_texts(
    options: VariantSection, note: Callable[[str], object] = lambda _text: None
) -> list[SeedText]:
    """The seed texts that a recipe names, in their order.

    The id of a text depends on the text alone, unless the table has a column ``id``: neither the order of the
    texts nor the name of a file changes it, and an id tells nothing that a release hides; a text occurs once.

    Args:
        options: Of them, `texts`: a packaged data set, a file (a text a line), a folder (a text a file, for
            all .txt and .md below it; its name without the ending is its title), or a column of a table,
            ``FILE.csv:COLUMN``, .tsv or .jsonl alike, whose columns ``id`` and ``title`` are used too.
            Files may be packed, .gz or .zst.
        note: Called with a sentence about texts that were left out.

    Raises:
        InputError: There is no such file or column; a file is not text; a row has an id twice; a text has
            over `MOST_CHARACTERS`; or there is no text at all.
    """
    named, column = split_column(options.texts)
    path = packaged_or_given(named, PACKAGED)
    suffix = ending(path)
    if path.is_dir():
        if column:
            raise InputError(f"{options.texts}: {named} is a folder, which has no columns.")
        found = _of_folder(path, note)
    elif suffix in TABLES:
        found = _of_table(path, suffix, column)
    elif column:
        raise InputError(
            f"{options.texts}: {named} is no table; a file in {', '.join(TABLES)} has columns."
        )
    else:
        lines = enumerate(read_lines(path), start=1)
        found = (_Found(f"line {number}", line) for number, line in lines if line.strip())
    return _settled(path, found, note)


def _of_folder(folder: Path, note: Callable[[str], object]) -> Iterator[_Found]:
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    texts = [path for path in files if ending(path) in WHOLE]
    if not texts:
        raise InputError(
            f"{folder}: holds no text. Files ending in {' or '.join(WHOLE)} were expected, a text each; "
            f"{counted(len(files), 'other file')} found. A table is named itself: FILE.csv:COLUMN."
        )
    if other := len(files) - len(texts):
        note(f"{folder}: {counted(other, 'file')} not read: only {' and '.join(WHOLE)} are texts.")
    for path in texts:
        title = path.name[: path.name.lower().rindex(ending(path))].replace("_", " ")
        text = read_text(path)
        yield _Found(str(path.relative_to(folder)), f"{title}\n\n{text}" if text.strip() else "")


def _of_table(path: Path, suffix: str, column: str) -> Iterator[_Found]:
    rows = read_jsonl(path) if suffix == ".jsonl" else _rows(path, TABLES[suffix])
    problems: list[str] = []
    for number, row in rows:
        if not column or column not in row:
            known = sorted(name for name, value in row.items() if isinstance(value, str))
            if column:
                hint = did_you_mean(column, known)
                raise InputError(f"{path}: line {number} has no column {column!r}; {hint}")
            raise InputError(
                f"{path}: is a table; name the column of its texts, {path}:COLUMN; {did_you_mean('', known)}"
            )
        for name in {column, ID, TITLE} & row.keys():
            if not isinstance(row[name], str) and not (name == ID and type(row[name]) is int):
                problems.append(f"line {number}: {name} is {row[name]!r:.80}")
        key = str(row.get(ID, "")).strip()
        if ID in row and (not key or any(mark in key for mark in "\t\r\n")):
            problems.append(f"line {number}: id is {key!r:.80}")
        if not problems:
            title, text = str(row.get(TITLE, "")), str(row[column])
            yield _Found(f"line {number}", f"{title}\n\n{text}" if title and text else text, key)
    if problems:
        raise InputError(
            list_problems(str(path), problems, "Text was expected, and an id of one line.")
        )


def _rows(path: Path, separator: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a table with a header line, each with the line it ends on."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        reader = csv.reader(
            io.StringIO(read_text(path), newline=""), delimiter=separator, strict=True
        )
        header = [name.strip() for name in next(reader, [])]
        if len(set(header)) < len(header) or not all(header):
            raise InputError(
                f"{path}: line 1 names the columns {', '.join(map(repr, header))}; names were expected, "
                "each once. Give the table a header line."
            )
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise InputError(
                    f"{path}: line {reader.line_num} has {counted(len(row), 'column')}; "
                    f"{len(header)} were expected, as in line 1. Put a text that holds {separator!r} or a "
                    "line break in double quotes."
                )
            yield reader.line_num, dict(zip(header, row, strict=True))
    except csv.Error as problem:
        raise InputError(f"{path}: is no table: {problem}. Are its quotes closed?") from None
    finally:
        csv.field_size_limit(before)


def _settled(path: Path, found: Iterator[_Found], note: Callable[[str], object]) -> list[SeedText]:
    """The texts with their ids; empty and repeated ones are left out, counted."""
    texts: dict[str, str] = {}
    seen: dict[str, str] = {}
    empty = again = 0
    for where, text, key in found:
        if len(text) > MOST_CHARACTERS:
            raise InputError(
                f"{path}: {where}: has {len(text):,} characters; at most {MOST_CHARACTERS:,} were expected. "
                "A file is read a text a line, a folder a text a file. Cut it into texts of one topic each."
            )
        plain = " ".join(unicodedata.normalize("NFC", text).split())
        if not plain:
            empty += 1
            continue
        digest = hashlib.sha256(plain.encode()).hexdigest()
        key = key or f"t{digest[:12]}"
        if digest in seen:
            again += 1
            continue
        if key in texts:
            raise InputError(
                f"{path}: {where}: has the id {key!r}, as another text before. Give each its own."
            )
        seen[digest] = key
        texts[key] = text
    if not texts:
        raise InputError(f"{path}: holds no text.")
    if empty or again:
        note(
            f"{path}: {counted(empty, 'empty text')} and {counted(again, 'repeated text')} left out."
        )
    return [SeedText(key, text) for key, text in texts.items()]


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
    neighbors = Components(inputs.kg, inputs.excluded).neighbors
    linker = Linker(inputs.kg, inputs.labels, neighbors)
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
    components = Components(inputs.kg, inputs.excluded)
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
