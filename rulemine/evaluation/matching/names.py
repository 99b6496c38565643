"""Finding names in running text: tokens, folded spellings, and where names stand.

Text and names are cut into tokens, and a name is found where all its tokens stand one after the other.
From left to right, the longest name that begins at a token is taken and the search goes on behind
it, so ``Washington, D.C.`` is found whole although it has a comma, and although ``Washington`` is a
name too.

A name is also found in another spelling, if exactly one name of the release has the folded form: capitals,
accents, and an underscore for a blank do not count (``zoe_saltwright`` for *Zoë Saltwright*), and a leading
*The* may be left out. Of two readings the longer counts, then the exact one.

Guarantees: a name is never found inside a word (``e0003`` not in ``e00039``); white space between tokens
does not matter, but no name reaches over a line break; Unicode is brought to one form (NFC), curly
apostrophes and quotes and the various hyphens count as the plain ones, entities of HTML (``&amp;``) as what
they stand for, and characters without width as nothing. A token is a word (letters, digits, ``_``, and the
marks upon them), a single character of a script that is written without blanks between words (Chinese,
Japanese, Korean, Thai, Lao, Khmer, Burmese), or any other single character.
"""

import functools
import html
import itertools
import re
import sys
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

__all__ = ["NameFinder", "Named", "ReplyText", "composed", "plain", "tokens"]

_UNSPACED = (
    "\u0e01-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Burmese
    "\u1100-\u11ff\uac00-\ud7af"  # Korean: particles are joined to the word
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
)
_SAME = str.maketrans("‘’ʼ“”‐‑–−", "'''\"\"----")
_NO_ACCENTS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe"}
)
_NO_WIDTH = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_MARKS = 30  # in a row, as many as the Stream-Safe Text Format of Unicode (UAX #15) allows


def composed(text: str) -> str:
    """A text in Unicode's form NFC, the same for all canonically equivalent texts.

    Of more than 30 combining marks in a row the rest is dropped: ordering them takes quadratic time.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _too_many_marks().sub(r"\1", text))


def plain(text: str) -> str:
    """A text composed, with plain quotes and hyphens, without entities of HTML and marks without width."""
    if "&" in text:
        text = html.unescape(text)
    return text if text.isascii() else _NO_WIDTH.sub("", composed(text)).translate(_SAME)


def tokens(text: str) -> list[str]:
    """The tokens of a text in their order; a line break is a token too.

    Example:
        >>> tokens("Anna’s D.C.")
        ['Anna', "'", 's', 'D', '.', 'C', '.']
    """
    return _token().findall(plain(text))


@functools.lru_cache(maxsize=1 << 16)
def _folded(token: str) -> tuple[str, ...]:
    """A token in small letters without accents, cut at its underscores."""
    token = token.casefold()
    if not token.isascii():
        letters = unicodedata.normalize("NFD", token.translate(_NO_ACCENTS))
        token = "".join(c for c in letters if unicodedata.category(c) != "Mn") or token
    parts = token.split("_")
    return tuple(parts) if all(parts) else (token,)


@functools.cache
def _token() -> re.Pattern[str]:
    word = rf"[^\W{_UNSPACED}]"
    inside = rf"(?:{word}|[{_all_marks()}])"
    return re.compile(rf"{word}{inside}*|\n|\r|[^\s]")


@functools.cache
def _too_many_marks() -> re.Pattern[str]:
    return re.compile(rf"([{_all_marks()}]{{{_MARKS}}})[{_all_marks()}]+")


@functools.cache
def _all_marks() -> str:
    """All marks of Unicode, as the inside of a character class."""
    runs: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code))[0] == "M":
            if runs and runs[-1][1] == code - 1:
                runs[-1][1] = code
            else:
                runs.append([code, code])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in runs)


class Named(NamedTuple):
    """A place where a text has a name.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        keys: The name; where one text is the name of several entities, all their names.
        rank: How much speaks for it, see `rulemine.evaluation.matching.vocabulary.Rank`.
        folded: Whether it is spelled otherwise than in the release.
    """

    start: int
    end: int
    keys: tuple[str, ...]
    rank: int = 0
    folded: bool = False


class ReplyText:
    """A text, and where it has names.

    Attributes:
        text: The text, see `plain`.
        names: Where it has names, from left to right, none inside another.
        numbered: Whether numbers are names like others here.
    """

    def __init__(
        self, text: str, names: Iterable[Named], topics: Set[str], *, numbered: bool = False
    ) -> None:
        self.text, self.names, self.numbered, self._topics = text, list(names), numbered, topics
        self._starts = [named.start for named in self.names]
        self._answers = [named.start for named in self.names if not self.is_topic(named)]

    def within(self, start: int, end: int) -> list[Named]:
        """The names that begin in a part of the text."""
        return self.names[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def before(self, place: int) -> Named | None:
        """The last name that begins before a place."""
        at = bisect_left(self._starts, place)
        return self.names[at - 1] if at else None

    def is_inside(self, place: int) -> bool:
        """Whether a place is inside a name."""
        named = self.before(place + 1)
        return named is not None and place < named.end

    def is_topic(self, named: Named) -> bool:
        """Whether a name is that of a topic entity of the question."""
        return not self._topics.isdisjoint(named.keys)

    def has_answer(self, start: int, end: int) -> bool:
        """Whether a part of the text names something else than the topic entities."""
        return bisect_left(self._answers, start) < bisect_left(self._answers, end)


class NameFinder:
    """Finds names in texts; see the module.

    Args:
        names: The names.
    """

    def __init__(self, names: Set[str]) -> None:
        # Folded form → the names that have it, with their tokens; those without their *The* are apart.
        self._names: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
        self._short: dict[tuple[str, ...], str] = {}
        self._sizes: dict[str, list[int]] = {}
        for name in sorted(names):
            words = tuple(tokens(name))
            fold = tuple(part for word in words for part in _folded(word))
            if fold:
                self._names.setdefault(fold, {})[composed(name)] = words
            if len(fold) > 2 and fold[0] == "the":
                self._names.setdefault(fold[1:], {})
                self._short[words[1:]] = composed(name)
        for size, first in sorted({(-len(key), key[0]) for key in self._names}):
            self._sizes.setdefault(first, []).append(-size)
        self._all = frozenset(map(composed, names))
        # A naming of numbers; in others a few names are numbers, of years or titles.
        self.numbered = 2 * sum(name.isdecimal() for name in names) > len(names)

    def item(self, text: str) -> str:
        """The name that a text is, in whatever spelling; the text composed if it is none."""
        own = composed(text)
        names = () if own in self._all else self.names_of(text)
        return names[0] if len(names) == 1 else own

    def is_name(self, text: str) -> bool:
        """Whether a text is a name and nothing else."""
        return bool(self.names_of(text))

    def names_of(self, text: str) -> tuple[str, ...]:
        """The names that a whole text is, none if it is no name; the exact one first."""
        words = tokens(text)
        return self._spelled(tuple(p for word in words for p in _folded(word)), words)[0]

    def _spelled(self, fold: tuple[str, ...], words: Sequence[str]) -> tuple[tuple[str, ...], bool]:
        """The names with a folded form, those of exactly these words if there are; whether there are none."""
        found = self._names.get(fold, {})
        if exact := tuple(name for name, own in found.items() if own == tuple(words)):
            return exact, False
        if not found and (short := self._short.get(tuple(words))):
            return (short,), True
        return tuple(found) if len(found) == 1 else (), True

    def find(self, text: str) -> list[str]:
        """The names in a text, from left to right.

        Example:
            >>> NameFinder({"Washington", "Washington, D.C."}).find("Washington, D.C. or washington?")
            ['Washington, D.C.', 'Washington']
        """
        return [key for named in self.found(plain(text)) for key in named.keys]

    def found(self, text: str) -> Iterator[Named]:
        """Where a plain text has names."""
        places = [(m.start(), m.end()) for m in _token().finditer(text)]
        words = [text[start:end] for start, end in places]
        folds = [_folded(word) for word in words]
        firsts = list(itertools.accumulate(map(len, folds), initial=0))
        parts = [part for fold in folds for part in fold]
        # A name ends where a word ends: not Wick in Wick_Road.
        words_of = {part: word for word, part in enumerate(firsts)}
        stop = 0
        for at, fold in enumerate(folds):
            for size in self._sizes.get(fold[0], ()) if at >= stop else ():
                end = words_of.get(firsts[at] + size, 0)
                key = tuple(parts[firsts[at] : firsts[at] + size])
                if end and key in self._names:
                    names, folded = self._spelled(key, words[at:end])
                    if folded and words[at] == "the" and end == at + 2 and not text.islower():
                        continue  # "the piano" is no film
                    if names:
                        yield Named(places[at][0], places[end - 1][1], names, folded=folded)
                        stop = end
                        break
