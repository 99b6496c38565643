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
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import accumulate, count, groupby
from typing import NamedTuple

__all__ = ["NameFinder", "Named", "composed", "plain", "tokens"]

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


def composed(text: str) -> str:
    """A text in Unicode's form NFC, the same for all canonically equivalent texts.

    Of more than 30 combining marks in a row, as many as the Stream-Safe Text Format of Unicode (UAX #15)
    allows, the rest is dropped: ordering them takes quadratic time.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _pattern("([%MARKS%]{30})[%MARKS%]+").sub(r"\1", text))


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
    return _pattern(_TOKEN).findall(plain(text))


_WORD = rf"[^\W{_UNSPACED}]"
_TOKEN = rf"{_WORD}(?:{_WORD}|[%MARKS%])*|[\n\r]|[^\s]"


@functools.cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """A pattern in which ``%MARKS%`` stands for all combining marks of Unicode."""
    codes = (*range(0x300, 0x20000), *range(0xE0000, 0xE0200))  # between are Chinese signs alone
    marks = enumerate(code for code in codes if unicodedata.category(chr(code))[0] == "M")
    runs = [[code for _, code in run] for _, run in groupby(marks, lambda mark: mark[1] - mark[0])]
    inside = "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs)  # fast, unlike single marks
    return re.compile(pattern.replace("%MARKS%", inside))


@functools.lru_cache(maxsize=1 << 16)
def _folded(token: str) -> tuple[str, ...]:
    """A token in small letters without accents, cut at its underscores."""
    token = token.casefold()
    if not token.isascii():
        letters = unicodedata.normalize("NFD", token.translate(_NO_ACCENTS))
        token = "".join(c for c in letters if unicodedata.category(c) != "Mn") or token
    parts = tuple(token.split("_"))
    return parts if all(parts) else (token,)


def _fold(words: Iterable[str]) -> tuple[str, ...]:
    """The folded parts of words."""
    return tuple(part for word in words for part in _folded(word))


class Named(NamedTuple):
    """A place where a text has a name.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        keys: The name; where one text is the name of several entities, all their names.
        rank: How much speaks for it, see `rulemine.evaluation.matching.sentences.ANSWER`.
        folded: Whether it is spelled otherwise than in the release.
    """

    start: int
    end: int
    keys: tuple[str, ...]
    rank: int = 0
    folded: bool = False


class NameFinder:
    """Finds names in texts; see the module.

    Args:
        names: The names.
        aliases: Names, each with another text that stands for it.
    """

    def __init__(self, names: Set[str], aliases: Iterable[tuple[str, str]] = ()) -> None:
        # Folded form → the names that have it, each with the words that are exactly its own.
        self._names: dict[tuple[str, ...], dict[str, list[str]]] = {}
        for name in sorted(names):
            words = tokens(name)
            self._names.setdefault(_fold(words), {})[composed(name)] = words
        others = [(name, _fold(tokens(alias))) for name, alias in aliases]
        for fold, found in self._names.items():
            if len(fold) > 2 and fold[0] == "the":
                others += [(name, fold[1:]) for name in found]
        own = set(self._names)
        for name, fold in others:
            if fold not in own:
                self._names.setdefault(fold, {})[composed(name)] = []
        self._sizes: dict[str, list[int]] = {}
        for size, first in sorted({(-len(fold), fold[0]) for fold in self._names if fold}):
            self._sizes.setdefault(first, []).append(-size)
        self._all = frozenset(map(composed, names))
        # A naming of numbers; in others a few names are numbers, of years or titles.
        self.numbered = 2 * sum(name.isdecimal() for name in names) > len(names)

    def item(self, text: str) -> str:
        """The name that a text is, in whatever spelling; the text composed if it is none."""
        own = composed(text)
        names = () if own in self._all else self.names_of(text)
        return names[0] if len(names) == 1 else own

    def names_of(self, text: str) -> tuple[str, ...]:
        """The names that a whole text is, in whatever spelling; none if it is no name."""
        words = tokens(text)
        return _spelled(self._names.get(_fold(words), {}), words)[0]

    def find(self, text: str) -> list[str]:
        """The names in a text, from left to right.

        Example:
            >>> NameFinder({"Washington", "Washington, D.C."}).find("Washington, D.C. or washington?")
            ['Washington, D.C.', 'Washington']
        """
        return [key for named in self.found(plain(text)) for key in named.keys]

    def found(self, text: str) -> Iterator[Named]:
        """Where a plain text has names."""
        places = [word.span() for word in _pattern(_TOKEN).finditer(text)]
        folds = [_folded(text[start:end]) for start, end in places]
        parts = [part for fold in folds for part in fold]
        firsts = list(accumulate(map(len, folds), initial=0))
        words = dict(zip(firsts, count()))  # a name ends where a word ends: not Wick in Wick_Road
        stop = 0
        for at, fold in enumerate(folds):
            for size in self._sizes.get(fold[0], ()) if at >= stop else ():
                end = words.get(firsts[at] + size, 0)
                found = self._names.get(tuple(parts[firsts[at] : firsts[at] + size]))
                if found and end:
                    start, last = places[at][0], places[end - 1][1]
                    said = [text[low:high] for low, high in places[at:end]]
                    names, folded = _spelled(found, said)
                    if folded and said[0] == "the" and len(said) == 2 and not text.islower():
                        continue  # "the piano" is no film
                    if names:
                        yield Named(start, last, names, folded=folded)
                        stop = end
                        break


def _spelled(found: Mapping[str, list[str]], words: list[str]) -> tuple[tuple[str, ...], bool]:
    """Of names with a folded form those of exactly these words, else the only one; whether it is that."""
    exact = tuple(name for name, own in found.items() if own == words)
    return exact or (tuple(found) if len(found) == 1 else ()), not exact
