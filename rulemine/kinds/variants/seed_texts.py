"""Seed sets: the entities that a question is to be about, from texts, from lists, or drawn from the graph.

From texts: those whose names a text holds, as `Linker` finds them. Drawn: both ends of a removed triple, or
an entity where none is removed, then others at the end of random walks of one or two steps from those there
are, all of the wanted type, so that they belong together as the entities of a text do.

Guarantees: ids are unique; sets come in the order of their source; a set that is drawn depends on the seed
and its number alone.
"""

import csv
import hashlib
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from rulemine.kinds.kind import Input
from rulemine.kinds.split import draw_splits
from rulemine.kinds.variants.components import Components, Ints
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.joins import JOINS
from rulemine.recipe.recipe import Recipe
from rulemine.registry import packaged_or_given
from rulemine.release.reader import Release
from rulemine.release.records import SEED_TEXTS, SPLITS, SeedRow, translation
from rulemine.removal.selection import Selection
from rulemine.seeds import Stream, stream
from rulemine.text.mentions import FUNCTION_WORDS
from rulemine.text.normalization import is_unspaced, is_word, unify

__all__ = [
    "INPUTS",
    "Linker",
    "SeedSet",
    "SeedText",
    "drawn_sets",
    "given_sets",
    "members_of",
    "read_seed_texts",
    "sets_of",
    "splits_of_sets",
]

TRIES = 20
"""Walks for each further entity of a set."""

EXAMPLES = 5
"""How many names that the graph lacks are spelled out."""

SETS, FEWEST_SETS = 5, 100
"""Sets that are drawn at most: so many for each question that is wanted, and so many in all at least."""


class SeedSet(NamedTuple):
    """The entities of a seed text.

    Attributes:
        id: The id of the text.
        entities: Their ids in the complete graph, ascending; none where the text names none.
        split: The split that its questions are for; "": they are not held apart.
        topic: The type or domain that they were drawn from; "" if they were not.
    """

    id: str
    entities: tuple[int, ...]
    split: str = ""
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

MOST_CHARACTERS = 1_000_000
"""Limit for a text: about two novels."""


class SeedText(NamedTuple):
    """A seed text, or what stands for one.

    Attributes:
        id: Its id, unique, without tabs and line breaks.
        text: What it says, after the title of its file or row, if it has one; or the names of its entities.
    """

    id: str
    text: str | tuple[str, ...]


class _Found(NamedTuple):
    """A text as it was read; `where` is for messages."""

    where: str
    text: str | list[str]
    title: str = ""
    id: str = ""


def read_seed_texts(
    named: str, note: Callable[[str], object] = lambda _text: None
) -> list[SeedText]:
    """The seed texts that a recipe names, in their order.

    The id of a text depends on the text alone, unless the table has a column ``id``: neither the order of the
    texts nor the name of a file changes it, and an id tells nothing that a release hides; a text occurs once.

    Args:
        named: A packaged data set, a file (a text a line), a folder (a text a file, for all .txt and .md
            below it; its name without the ending is its title), or a column of a table, ``FILE.csv:COLUMN``,
            .tsv or .jsonl alike, whose columns ``id`` and ``title`` are used too; in place of a text, .jsonl
            may have a list of names. Files may be packed, .gz or .zst.
        note: Called with a sentence about texts that were left out.

    Raises:
        InputError: There is no such file or column; a file is not text; a row has an id twice; a text has
            over `MOST_CHARACTERS`; or there is no text at all.
    """
    name, column = split_column(named)
    path = packaged_or_given(name, PACKAGED)
    table = ending(path) in TABLES and not path.is_dir()
    if column and not table:
        raise InputError(f"{named}: {name} is no table; a file in {', '.join(TABLES)} has columns.")
    if table:
        found = _of_table(path, column)
    elif path.is_dir():
        found = _of_folder(path, note)
    else:
        lines = enumerate(read_lines(path), start=1)
        found = (_Found(f"line {number}", line) for number, line in lines if line.strip())
    return _settled(path, found, note)


def _of_folder(folder: Path, note: Callable[[str], object]) -> Iterator[_Found]:
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    names = [name for name in names if not any(part.startswith(".") for part in name.parts)]
    texts = [name for name in names if ending(name) in WHOLE]
    if not texts:
        raise InputError(
            f"{folder}: holds no text. Files ending in {' or '.join(WHOLE)} were expected, a text each; "
            f"{counted(len(names), 'other file')} found. A table is named itself: FILE.csv:COLUMN."
        )
    if other := len(names) - len(texts):
        note(f"{folder}: {counted(other, 'file')} not read: only {' and '.join(WHOLE)} are texts.")
    for name in texts:
        title = name.name[: name.name.lower().rindex(ending(name))].replace("_", " ")
        yield _Found(str(name), read_text(folder / name), title)


def _of_table(path: Path, column: str) -> Iterator[_Found]:
    separator = TABLES[ending(path)]
    problems: list[str] = []
    fits: dict[str, Callable[[Any], bool]] = {
        column: lambda text: all(
            isinstance(one, str) for one in (text if isinstance(text, list) else [text])
        ),
        "title": lambda title: isinstance(title, str),
        "id": lambda id_: (
            type(id_) is int
            or (isinstance(id_, str) and bool(re.fullmatch(r"[^\t\r\n]+", id_.strip())))
        ),
    }
    for number, row in _rows(path, separator) if separator else read_jsonl(path):
        if column not in row:
            raise InputError(
                f"{path}: line {number} has no column {column!r}; name that of the texts, {path}:COLUMN; "
                f"{did_you_mean(column, row)}"
            )
        wrong = [name for name, fit in fits.items() if name in row and not fit(row[name])]
        problems += [f"line {number}: {name} is {row[name]!r:.80}" for name in wrong]
        title, id_ = row.get("title", ""), str(row.get("id", "")).strip()
        yield _Found(f"line {number}", "" if wrong else row[column], title, id_)
    if problems:
        raise InputError(
            list_problems(str(path), problems, "Text was expected, and an id of one line.")
        )


def _rows(path: Path, separator: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a table with a header line, each with the line it ends on."""
    before = csv.field_size_limit(2**31 - 1)
    lines = io.StringIO(read_text(path), newline="")
    reader = csv.DictReader(lines, restkey="", delimiter=separator, strict=True)
    try:
        for row in reader:
            header = reader.fieldnames or ()
            if "" in row or None in row.values() or len(row) < len(header):
                raise InputError(
                    f"{path}: line {reader.line_num} has not one value for each column of line 1, "
                    f"{', '.join(header)}, which need a name each. Put a text that holds {separator!r} or a "
                    "line break in double quotes."
                )
            yield reader.line_num, row
    except csv.Error as problem:
        raise InputError(f"{path}: is no table: {problem}. Are its quotes closed?") from None
    finally:
        csv.field_size_limit(before)


def _settled(path: Path, found: Iterable[_Found], note: Callable[[str], object]) -> list[SeedText]:
    """The texts with their ids; empty and repeated ones are left out, counted."""
    texts: dict[str, SeedText] = {}
    ids: set[str] = set()
    left_out = 0
    for where, said, title, own in found:
        text = said if isinstance(said, str) else "\t".join(said)
        text = f"{title}\n\n{text}" if title and text.strip() else text
        if len(text) > MOST_CHARACTERS:
            raise InputError(
                f"{path}: {where}: has {len(text):,} characters; at most {MOST_CHARACTERS:,} were expected. "
                "A file is read a text a line, a folder a text a file. Cut it into texts of one topic each."
            )
        plain = " ".join(unicodedata.normalize("NFC", text).split())
        digest = hashlib.sha256(plain.encode()).hexdigest()
        if not plain or digest in texts:
            left_out += 1
            continue
        key = own or f"t{digest[:12]}"
        if key in ids:
            raise InputError(
                f"{path}: {where}: has the id {key!r}, as another text before. Give each its own."
            )
        ids.add(key)
        texts[digest] = SeedText(key, text if isinstance(said, str) else tuple(said))
    if not texts:
        raise InputError(f"{path}: holds no text.")
    if left_out:
        note(f"{path}: {counted(left_out, 'empty or repeated text')} left out.")
    return list(texts.values())


def sets_of(inputs: Inputs, selection: Selection) -> list[SeedSet]:
    """The seed sets of a build, given or drawn."""
    given: list[SeedSet] | None = inputs["seed_sets"]
    return [*drawn_sets(inputs, selection)] if given is None else given


def given_sets(inputs: Inputs) -> list[SeedSet] | None:
    """The seed sets of the texts, or of the published release; None: there are none, so they are drawn.

    Raises:
        InputError: A file cannot be read, or names no entity of the graph.
        ConfigError: Domains are given, too.
    """
    ids, own = inputs.kg.entity_ids, inputs.recipe.own
    if (rows := inputs["seed_rows"]) is not None:
        return [SeedSet(r.id, tuple(sorted(ids[e] for e in r.entities)), "", r.topic) for r in rows]
    if own.texts and own.domains:
        raise ConfigError(
            "variants.domains: is for seed sets that are drawn, but texts are given. Leave it out."
        )
    return _of_texts(inputs, own.texts) if own.texts else None


def _of_texts(inputs: Inputs, named: str) -> list[SeedSet]:
    """The sets of the seed texts: the entities that each names."""
    linker = Linker(inputs.kg, inputs.labels, Components(inputs.kg, inputs.excluded).neighbors)
    known = _by_label(inputs) | inputs.kg.entity_ids
    unknown: dict[str, None] = {}
    found, texts = [], read_seed_texts(named, inputs.warn)
    for (key, text), split in zip(texts, splits_of_sets(inputs.recipe, len(texts)), strict=True):
        if isinstance(text, str):
            entities = {*linker.entities(text)}
        else:
            entities = {known[name] for name in text if name in known}
            unknown |= dict.fromkeys(name for name in text if name not in known)
        found.append(SeedSet(key, tuple(sorted(entities)), split))
    if not any(one.entities for one in found):
        raise InputError(
            f"variants.texts: {named} has {counted(len(found), 'text')}, none of which names an entity of "
            f"{inputs.recipe.kg}. Are its entities codes? Then give labels."
        )
    if unknown:
        shown = ", ".join(map(repr, list(unknown)[:EXAMPLES])) + ", …" * (len(unknown) > EXAMPLES)
        inputs.warn(
            f"{named}: {counted(len(unknown), 'name')} of no entity of {inputs.recipe.kg}: {shown}."
        )
    few = sum(len(one.entities) < 2 for one in found)
    if 2 * few > len(found):
        inputs.warn(
            f"{named}: {few:,} of {counted(len(found), 'text')} name fewer than two entities, which nothing "
            "connects. A file is read a text a line, a folder a text a file."
        )
    return found


def _by_label(inputs: Inputs) -> dict[str, int]:
    """Label → entity, of labels that one entity has."""
    found: dict[str, int] = {}
    for number, entity in enumerate(inputs.kg.entities):
        label = inputs.labels.get(entity, entity)
        found[label] = -1 if label in found else number
    return {label: number for label, number in found.items() if number >= 0}


def splits_of_sets(recipe: Recipe, sets: int) -> list[str]:
    """The split of each seed set, by its place; "": questions are not held apart."""
    if recipe.questions.split != "group":
        return [""] * sets
    return [SPLITS[number] for number in draw_splits(sets, recipe.questions.ratios, recipe.seed)]


def drawn_sets(inputs: Inputs, selection: Selection) -> Iterator[SeedSet]:
    """Sets drawn from the domains in turn; smaller where walks find too few entities.

    Each starts with the two ends of a removed triple of its domain, for test and validation of the core, if
    there is any; else with one entity of its domain.

    Args:
        inputs: The graph and its types.
        selection: What is removed.

    Raises:
        ConfigError: There is no such domain.
    """
    recipe, own, kg = inputs.recipe, inputs.recipe.own, inputs.kg
    components = Components(kg, inputs.excluded)
    domains = own.domains or ("",)
    pools = [
        members_of(inputs.types, one) if one else np.arange(len(kg.entities)) for one in domains
    ]
    each = [selection.removed, selection.head[selection.core]]
    starts = [[_pairs(inputs, rows, pool) for rows in each] for pool in pools]
    most = max(FEWEST_SETS, SETS * own.questions)
    for number, split in enumerate(splits_of_sets(recipe, most)):
        turn = number % len(pools)
        draws = stream(recipe.seed, "variants", "set", number)
        every, core = starts[turn]
        some = core if len(core) and split in ("test", "validation") else every
        some = some if len(some) else pools[turn][:, None]
        first: list[int] = some[draws.below(len(some))].tolist()
        entities = _walked(components, pools[turn], first, own.set_size, draws)
        yield SeedSet(f"d{number + 1:06d}", entities, split, domains[turn])


def _pairs(inputs: Inputs, rows: Ints, pool: Ints) -> Ints:
    """The ends of triples that connect two entities of a pool, int64 (n, 2), each pair once, sorted."""
    triples = inputs.kg.triples[rows].astype(np.int64)
    barred = [inputs.kg.relation_ids[name] for name in inputs.excluded]
    used = ~np.isin(triples[:, 1], barred) & (triples[:, 0] != triples[:, 2])
    used &= np.isin(triples[:, [0, 2]], pool).all(axis=1)
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


def _rows_of(release: Release) -> tuple[SeedRow, ...]:
    names = translation(release.entities, release.naming, "entity")
    return tuple(row.renamed(names) for row in release.seed_rows())


INPUTS = (
    Input(
        "seed_rows",
        lambda _inputs: None,  # seed texts are what the recipe says
        keys=("variants.texts",),
        stand_in=_rows_of,
        place=SEED_TEXTS,
    ),
    JOINS,
    Input("seed_sets", given_sets, digest=lambda sets: sets and list(map(list, sets))),
)
"""What builds read beside the graph; a fresh variant has the seed sets of the published release."""
