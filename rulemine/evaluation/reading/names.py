"""Finding names in running text: tokens, and where names stand.

Text and names are cut into tokens, and a name is found where all its tokens stand one after the other.
From left to right, the longest name that begins at a token is taken and the search goes on behind
it, so ``Washington, D.C.`` is found whole although it has a comma, and although ``Washington`` is a
name too.

Guarantees: a name is never found inside a word (``e0003`` not in ``e00039``); white space between tokens
does not matter, but no name reaches over a line break; Unicode is brought to one form (NFC), curly
apostrophes and quotes and the various hyphens count as the plain ones. A token is a word (letters,
digits, ``_``, and the marks upon them), a single character of a script that is written without blanks
between words (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese), or any other single character.
"""

import functools
import re
import sys
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Set
from typing import NamedTuple

__all__ = ["NameFinder", "Named", "ReplyText", "composed", "tokens"]

_UNSPACED = (
    "\u0e01-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Burmese
    "\u1100-\u11ff\uac00-\ud7af"  # Korean: particles are joined to the word
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
)
_SAME = str.maketrans("‘’ʼ“”‐‑–−", "'''\"\"----")


_MARKS = 30  # in a row, as many as the Stream-Safe Text Format of Unicode (UAX #15) allows


def composed(text: str) -> str:
    """A text in Unicode's form NFC, the same for all canonically equivalent texts.

    Of more than 30 combining marks in a row the rest is dropped: ordering them takes quadratic time.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _too_many_marks().sub(r"\1", text))


def plain(text: str) -> str:
    """A text composed, with plain quotes and hyphens."""
    return composed(text).translate(_SAME)


def tokens(text: str) -> list[str]:
    """The tokens of a text in their order; a line break is a token too.

    Example:
        >>> tokens("Anna’s D.C.")
        ['Anna', "'", 's', 'D', '.', 'C', '.']
    """
    return _token().findall(plain(text))


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
    marks = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c)[0] == "M"]
    return _ranges(marks)


def _ranges(characters: list[str]) -> str:
    """The inside of a character class."""
    runs: list[list[int]] = []
    for code in map(ord, characters):
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
    """

    start: int
    end: int
    keys: tuple[str, ...]


class ReplyText:
    """A text, and where it has names.

    Attributes:
        text: The text, see `plain`.
        names: Where it has names, from left to right, none inside another.
        numbered: Whether numbers are names like others here.
    """

    def __init__(
        self, text: str, names: list[Named], topics: Set[str], *, numbered: bool = False
    ) -> None:
        self.text, self.names, self.numbered, self._topics = text, names, numbered, topics
        self._starts = [named.start for named in names]
        self._answers = [named.start for named in names if not self.is_topic(named)]

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


# Underscores are part of words, but for those of Markdown's emphasis.
_EMPHASIS = re.compile(r"(?<![\w])(_{1,2})(?=\S)([^_\n]{1,300}?)(?<=\S)\1(?!\w)")

_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)


def _as_stars(emphasis: re.Match[str]) -> str:
    stars = "*" * len(emphasis[1])
    return f"{stars}{emphasis[2]}{stars}"


class NameFinder:
    """Finds names in texts; see the module.

    Args:
        names: The names.
        ignore_case: Find names whatever their capitals.
    """

    def __init__(self, names: Set[str], ignore_case: bool = False) -> None:
        self._ignore_case = ignore_case
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        lengths: dict[str, set[int]] = {}
        for name in sorted(names):
            key = tuple(map(self._cased, tokens(name)))
            self._names[key] = (*self._names.get(key, ()), composed(name))
            lengths.setdefault(key[0], set()).add(len(key))
        # A naming of numbers; in others a few names are numbers, of years or titles.
        self._numbered = 2 * sum(name.isdecimal() for name in names) > len(names)
        self._lengths = {first: sorted(n, reverse=True) for first, n in lengths.items()}

    def read(self, text: str, topics: Set[str] = frozenset()) -> ReplyText:
        """A text with its names.

        Args:
            text: The text.
            topics: The names of topic entities, composed.
        """
        text = _EMPHASIS.sub(_as_stars, _BREAK.sub("\n", plain(text)))
        return ReplyText(text, list(self._found(text)), topics, numbered=self._numbered)

    def is_name(self, text: str) -> bool:
        """Whether a text is a name and nothing else."""
        return tuple(map(self._cased, tokens(text))) in self._names

    def find(self, text: str) -> list[str]:
        """The names in a text, from left to right.

        Example:
            >>> NameFinder({"Washington", "Washington, D.C."}).find("Washington, D.C. or Washington?")
            ['Washington, D.C.', 'Washington']
        """
        return [key for named in self._found(plain(text)) for key in named.keys]

    def _found(self, text: str) -> Iterator[Named]:
        places = [(m.start(), m.end()) for m in _token().finditer(text)]
        words = [self._cased(text[start:end]) for start, end in places]
        at = 0
        while at < len(words):
            step = 1
            for length in self._lengths.get(words[at], ()):
                key = tuple(words[at : at + length])
                if names := self._names.get(key):
                    step = len(key)
                    yield Named(places[at][0], places[at + step - 1][1], names)
                    break
            at += step

    def _cased(self, token: str) -> str:
        return composed(token.casefold()) if self._ignore_case else token
