"""Where a text names an entity.

A name stands in a text where neither of its ends goes on as a longer word. Scripts that are written without
blanks have no such ends.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from rulemine.verify.model.replies import fold, unify

__all__ = ["leaks", "occurrences"]

Spot = tuple[int, int]
"""Start and end, in characters."""

# Thai to Tibetan, Myanmar, Khmer, kana, Han with its extensions.
_UNSPACED = (
    (0x0E00, 0x0FFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3040, 0x30FF),
    (0x3400, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_HANGUL = ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7A3))
"""Korean sets blanks, and yet puts its particles right after a name."""

_PARENTHESIS = re.compile(r"\s*\([^()]*\)$")
_POSSESSIVE = re.compile(r"(?<=[\w.])'(?=s\b)")
_SIGNS = re.compile(r"[\W_]+")


def occurrences(text: str, name: str, with_particles: bool = True) -> list[Spot]:
    """Where a name stands in a text, letter by letter; places may overlap.

    Args:
        text: The text.
        name: The name; not empty.
        with_particles: Whether Hangul may go on after a name, or begin before it.
    """
    glued = _UNSPACED + (_HANGUL if with_particles else ())
    spots = []
    low = text.find(name)
    while low >= 0:
        high = low + len(name)
        starts = low == 0 or not _is_joined(text[low - 1], name[0], glued)
        ends = high == len(text) or not _is_joined(name[-1], text[high], glued)
        if starts and ends:
            spots.append((low, high))
        low = text.find(name, low + 1)
    return spots


def leaks(text: str, topic: str, answers: Iterable[str], by_model: bool) -> list[str]:
    """The answers that a text names, whatever the case; a name inside the topic's is the topic's.

    A model may also spell them otherwise: quotes, dashes, kinds of blanks, no accents; and names of several
    words without punctuation, or without the parenthesis at their end.

    Args:
        text: The text.
        topic: The topic's name: "Anna Lind" names no Anna.
        answers: The answers' names.
        by_model: Whether the text is a model's; templates of earlier releases minded no Hangul.
    """
    answers = list(answers)
    found = set(
        _outside(text.casefold(), topic.casefold(), ((a, a.casefold()) for a in answers), by_model)
    )
    if by_model:
        names = ((answer, name) for answer in answers for name in _as_read(answer))
        found.update(_outside(_as_read(text)[0], _as_read(topic)[0], names, by_model))
        if several := [(answer, name) for answer in answers for name in _in_words(answer)]:
            words, own = _bare(text), _bare(topic)
            # Without its punctuation the topic's name may grow together with its neighbors.
            if own and occurrences(words, own):
                found.update(_outside(words, own, several, by_model))
    return [answer for answer in answers if answer in found]


def _outside(
    text: str, topic: str, names: Iterable[tuple[str, str]], with_particles: bool
) -> Iterator[str]:
    """The answers a name of which stands in a text otherwise than within the topic's name."""
    own = occurrences(text, topic) if topic else []
    for answer, name in names:
        if name and name in text:
            spots = occurrences(text, name, with_particles)
            if any(
                not any(start <= low and high <= end for start, end in own) for low, high in spots
            ):
                yield answer


@lru_cache(maxsize=1 << 16)
def _as_read(text: str) -> tuple[str, ...]:
    """A text as readers see it; with accents, and without where that differs."""
    folded = fold(text)
    return tuple(dict.fromkeys((folded, _plain(folded))))


@lru_cache(maxsize=1 << 16)
def _in_words(name: str) -> tuple[str, ...]:
    """What is left of a name without punctuation, where that is several words."""
    if name.isalnum():
        return ()
    forms = map(_bare, (name, _PARENTHESIS.sub("", name)))
    return tuple({form for bare in forms if " " in bare for form in (bare, _plain(bare))})


def _bare(text: str) -> str:
    """A text without punctuation; "D.C." is one word, "Ann's" two."""
    text = _POSSESSIVE.sub(" ", unify(text).replace("&", " and "))
    return " ".join(_SIGNS.sub(" ", text.replace(".", "").replace("'", "")).split())


def _plain(text: str) -> str:
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not "\u0300" <= c <= "\u036f"))


def _is_joined(left: str, right: str, glued: tuple[tuple[int, int], ...]) -> bool:
    if not _is_in_word(left) or not _is_in_word(right):
        return False
    return not any(low <= ord(c) <= high for low, high in glued for c in (left, right))


def _is_in_word(character: str) -> bool:
    # Letters, digits, and the marks that combine with them.
    return character == "_" or unicodedata.category(character)[0] in "LNM"
