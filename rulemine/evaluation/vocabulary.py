"""Finding the entity names of a release in running text.

Text and names are cut into tokens, and a name is found where all its tokens stand one after the other.
From left to right, the longest name that begins at a token is taken and the search goes on behind
it, so ``Washington, D.C.`` is found whole although it has a comma, and although ``Washington`` is a
name too.

Guarantees: a name is never found inside a word (``e0003`` not in ``e00039``); white space between tokens
does not matter, but no name reaches over a line break; Unicode is brought to one form (NFC), curly
apostrophes and quotes and the various hyphens count as the plain ones. A token is a word (letters,
digits, ``_``, and the marks upon them), a single character of a script that is written without blanks
between words (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese), or any other single character.

Where a text says which part of it is the answer, only that part counts, if it names anything: what follows
the last ``Answer:`` (also ``Final answer:``, ``The answer is:`` and plurals, in any case) that begins a line
or a sentence, else what stands in the last braces. Otherwise everything named counts: an output that repeats
the topic entity of the question predicts it.
"""

import functools
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence, Set

from rulemine.text.visible_reply import visible_reply

__all__ = ["LONGEST_OUTPUT", "VocabularyMatcher", "bounded", "composed", "tokens"]

LONGEST_OUTPUT = 1_000_000
"""Characters of an output that are read: more than a model writes, few enough to be read in seconds."""

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


def bounded(answers: Sequence[str]) -> Sequence[str]:
    """The first answers of a list that have `LONGEST_OUTPUT` characters together at most."""
    total = 0
    for number, answer in enumerate(answers):
        total += len(answer)
        if total > LONGEST_OUTPUT:
            return answers[:number]
    return answers


def tokens(text: str) -> list[str]:
    """The tokens of a text in their order; a line break is a token too.

    Example:
        >>> tokens("Anna’s D.C.")
        ['Anna', "'", 's', 'D', '.', 'C', '.']
    """
    return _token().findall(composed(text).translate(_SAME))


_MARKED = re.compile(
    r"(?:^|[.!?:;,})\]])[ \t*_#>-]{0,9}(?:the )?(?:final )?answers?(?: is| are)?[*_]{0,3} ?:",
    re.IGNORECASE | re.MULTILINE,
)
_BRACED = re.compile(r"\{([^{}]+)\}")


def stated_part(text: str) -> str:
    """The part of a text that it says is the answer; "" where it says nothing of the kind.

    Example:
        >>> stated_part("Ann's mother is Eve, so: **Answer:** Eve")
        '** Eve'
        >>> stated_part("Yes. {Eve}")
        'Eve'
    """
    *_, marked = [None, *_MARKED.finditer(text)]
    if marked is not None:
        return text[marked.end() :]
    braced = _BRACED.findall(text)
    return braced[-1] if braced else ""


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


class VocabularyMatcher:
    """Matching in the mode ``vocabulary``; see the module.

    Args:
        names: The entity names of the release.
        ignore_case: Find names whatever their capitals.
    """

    def __init__(self, names: Set[str], ignore_case: bool = False) -> None:
        self._ignore_case = ignore_case
        self._names: dict[tuple[str, ...], list[str]] = {}
        lengths: dict[str, set[int]] = {}
        for name in sorted(names):
            key = tuple(tokens(self._cased(name)))
            self._names.setdefault(key, []).append(composed(name))
            lengths.setdefault(key[0], set()).add(len(key))
        self._lengths = {first: sorted(n, reverse=True) for first, n in lengths.items()}

    def text(self, raw_output: str) -> Iterable[str]:
        """The names found, from left to right; where one text is the name of several, all of them.

        Example:
            >>> names = {"Washington", "Washington, D.C.", "e00039"}
            >>> VocabularyMatcher(names).text("It is Washington, D.C., not Washington (e000391).")
            ['Washington, D.C.', 'Washington']
            >>> list(VocabularyMatcher(names).text("Not Washington. Answer: e00039"))
            ['e00039']
        """
        output = visible_reply(raw_output[:LONGEST_OUTPUT])
        return self._named(stated_part(output)) or self._named(output)

    def _named(self, part: str) -> list[str]:
        text = tokens(self._cased(part))
        found: list[str] = []
        at = 0
        while at < len(text):
            step = 1
            for length in self._lengths.get(text[at], ()):
                names = self._names.get(tuple(text[at : at + length]))
                if names:
                    found += names
                    step = length
                    break
            at += step
        return found

    def name(self, name: str) -> str:
        """The name in one form of Unicode."""
        return composed(name)

    def _cased(self, text: str) -> str:
        return text.casefold() if self._ignore_case else text
