"""Where a text names an entity.

A name stands in a text where neither of its ends goes on as a longer word. Scripts that are written without
blanks have no such ends.
"""

import unicodedata
from collections.abc import Iterable

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

    Args:
        text: The text.
        topic: The topic's name: "Anna Lind" names no Anna.
        answers: The answers' names.
        by_model: Whether the text is a model's; phrases of earlier releases minded no Hangul.
    """
    text = text.casefold()
    own = occurrences(text, topic.casefold())
    return [
        answer
        for answer in answers
        if (name := answer.casefold()) in text
        and any(
            not any(start <= low and high <= end for start, end in own)
            for low, high in occurrences(text, name, with_particles=by_model)
        )
    ]


def _is_joined(left: str, right: str, glued: tuple[tuple[int, int], ...]) -> bool:
    if not _is_in_word(left) or not _is_in_word(right):
        return False
    return not any(low <= ord(c) <= high for low, high in glued for c in (left, right))


def _is_in_word(character: str) -> bool:
    # Letters, digits, and the marks that combine with them.
    return character == "_" or unicodedata.category(character)[0] in "LNM"
