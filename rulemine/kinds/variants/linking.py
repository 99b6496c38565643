"""Finds the entities that a text names.

A trie of all names, word by word, is walked from every word of the text; of names that start at the same
word the longest counts, and the text goes on after it. Case, Unicode form, quotes, dashes, white space and
``_`` for a blank matter as little as in `rulemine.text`; accents matter.

A name counts only as whole words: ``York`` is neither in ``Yorkshire`` nor in ``New York`` where that is a
name too. In a text that has capitals, ``heat`` is not the film *Heat*, nor ``up in the air`` the film of that
name; ``science fiction`` is *Science fiction*. A single word before another with a capital is part of a
longer name, ``Premier League``, unless a name begins there. A single letter or digit is never a name, nor are
words such as ``her`` and ``the who``.

Of several entities with the name, the one with the most neighbors among the entities that the text names
unambiguously counts; then the one with the most neighbors; then the smallest id. Homonyms that a release
tells apart, such as ``Mercury (planet)``, are found by their plain name too.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.variants.components import Ints
from rulemine.text.mentions import FUNCTION_WORDS
from rulemine.text.normalization import is_unspaced, is_word, unify

__all__ = ["Linker"]

_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)+|[^\W_]+(?:'[tm]\b)?|[^\w\s]")
"""Numbers with their separators, words, contractions that are no names (``don't``), and signs."""

_NOTE = re.compile(r"\s*\([^()]*\)$")
_JOIN = "\x1f"


class _Named(NamedTuple):
    """An entity with a name; `proper`: only with a capital where the text has any."""

    entity: int
    proper: bool


class Linker:
    """The trie of the names of a graph.

    Args:
        kg: The graph.
        labels: Entity → text label; an entity without one is its own label.
        aliases: Entity → further names.
        neighbors: The neighbors of an entity, see `rulemine.kinds.variants.components.Components`.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        labels: Mapping[str, str],
        aliases: Mapping[str, Sequence[str]],
        neighbors: Callable[[int], Ints],
    ) -> None:
        self._neighbors = neighbors
        # The trie, flat: the words of a name, joined, → who has that name; of the start of one, nobody.
        self._trie: dict[str, list[_Named]] = {}
        for number, entity in enumerate(kg.entities):
            label = labels.get(entity, entity)
            for name in (label, _NOTE.sub("", label), *aliases.get(entity, ())):
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
