"""Mentions and answer leakage: where a text has a name as a word of its own.

Two neighboring letters, digits or combining marks belong to one word, except in scripts written without
spaces and in Korean, which attaches particles to names.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

__all__ = ["find_leaks", "fold", "occurrences"]

Spot = tuple[int, int]
"""Start and end, in characters."""

# Thai to Tibetan, Myanmar, Khmer, kana, Han with its extensions; Hangul.
_GLUED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]"
)
"""Letters next to which a word may end."""

_PARENTHESIS = re.compile(r"\s*\([^()]*\)$")
_POSSESSIVE = re.compile(r"(?<=[\w.])'(?=s\b)")
_SIGNS = re.compile(r"[\W_]+")


def occurrences(text: str, name: str) -> list[Spot]:
    """Finds exact occurrences of a name that is not empty; they may overlap."""
    spots = []
    low = text.find(name)
    while low >= 0:
        high = low + len(name)
        edges = [at for at in (low, high) if 0 < at < len(text)]
        if not any(_is_joined(text[at - 1], text[at]) for at in edges):
            spots.append((low, high))
        low = text.find(name, low + 1)
    return spots


def find_leaks(text: str, topic: str, answers: Iterable[str], by_model: bool) -> list[str]:
    """Finds the answers that a text names, in any case, outside the name of the topic entity.

    In a model's text other spellings count too: quotes, dashes, white space, no accents; and names of several
    words without punctuation, or without a final parenthesis.

    Args:
        text: The text.
        topic: The name of the topic entity: "Anna Lind" does not name Anna.
        answers: The names of the answers.
        by_model: Whether the text is a model's.
    """
    answers = list(answers)
    cased = ((answer, answer.casefold()) for answer in answers)
    found = set(_outside(text.casefold(), topic.casefold(), cased))
    if by_model:
        names = ((answer, name) for answer in answers for name in _as_read(answer))
        found.update(_outside(_as_read(text)[0], _as_read(topic)[0], names))
        if several := [(answer, name) for answer in answers for name in _in_words(answer)]:
            words, own = _bare(text), _bare(topic)
            # Without punctuation the name of the topic entity may merge with its neighbors.
            if own and occurrences(words, own):
                found.update(_outside(words, own, several))
    return [answer for answer in answers if answer in found]


def _outside(text: str, topic: str, names: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yields the answers with a name in a text outside the name of the topic entity."""
    own = occurrences(text, topic) if topic else []
    for answer, name in names:
        spots = occurrences(text, name) if name else []
        if any(not any(start <= low and high <= end for start, end in own) for low, high in spots):
            yield answer


@lru_cache(maxsize=1 << 16)
def _as_read(text: str) -> tuple[str, ...]:
    """A text as readers see it; with accents, and without if that differs."""
    folded = fold(text)
    return tuple(dict.fromkeys((folded, _plain(folded))))


@lru_cache(maxsize=1 << 16)
def _in_words(name: str) -> tuple[str, ...]:
    """A name without punctuation, if that is several words."""
    forms = () if name.isalnum() else map(_bare, (name, _PARENTHESIS.sub("", name)))
    return tuple({form for bare in forms if " " in bare for form in (bare, _plain(bare))})


def _bare(text: str) -> str:
    """A text without punctuation; "D.C." is one word, "Ann's" two."""
    text = _POSSESSIVE.sub(" ", unify(text).replace("&", " and "))
    return " ".join(_SIGNS.sub(" ", text.replace(".", "").replace("'", "")).split())


_ALIKE = {
    **dict.fromkeys(map(ord, "‘’‚‛′´`ʼʻ＇"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″«»＂"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-"),
}


def fold(text: str) -> str:
    """Folds what readers do not distinguish: case, width, white space, quotes and dashes."""
    if text.isascii():  # the rest would do the same
        return " ".join(text.lower().replace("`", "'").split())
    for _ in range(2):  # a step may produce what an earlier one folds
        text = unify(text).casefold()
    return " ".join(unify(text).split())


def unify(text: str) -> str:
    """A text with plain quotes and dashes, usual width, nothing invisible; case and white space stay."""
    if text.isascii():
        return text.replace("`", "'")
    text = unicodedata.normalize("NFKC", text.translate(_ALIKE)).translate(_ALIKE)
    return "".join(c for c in text if unicodedata.category(c) != "Cf")


def _plain(text: str) -> str:
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not "\u0300" <= c <= "\u036f"))


def _is_joined(left: str, right: str) -> bool:
    # Letters, digits, and the marks that combine with them.
    inside = all(c == "_" or unicodedata.category(c)[0] in "LNM" for c in (left, right))
    return inside and not _GLUED.search(left + right)
