"""Mentions and answer leakage: where a text has a name as a word of its own.

Two neighboring letters, digits or combining marks belong to one word, except in scripts written without
spaces and in Korean, which attaches particles to names.
"""

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["find_leaks", "occurrences", "told_by"]

Spot = tuple[int, int]
"""Start and end, in characters."""

# Thai to Tibetan, Myanmar, Khmer, kana, Han with its extensions; Hangul.
_GLUED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]"
)
"""Letters next to which a word may end."""


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


def find_leaks(text: str, topics: Iterable[str], hidden: Iterable[str]) -> list[str]:
    """Finds the names that a text has, in any case, outside the names of the topic entities.

    Args:
        text: The text.
        topics: The names of the topic entities: "Anna Lind" does not name Anna.
        hidden: The names of answers and of what else a text must not name.
    """
    text = text.casefold()
    own = [spot for topic in topics if topic for spot in occurrences(text, topic.casefold())]

    def is_own(spot: Spot) -> bool:
        return any(start <= spot[0] and spot[1] <= end for start, end in own)

    return [a for a in hidden if not all(map(is_own, occurrences(text, a.casefold())))]


def told_by(topics: Iterable[str], hidden: Iterable[str]) -> list[str]:
    """The names that stand inside the name of a topic entity, in any case."""
    own = [topic.casefold() for topic in topics]
    return [a for a in hidden if any(occurrences(topic, a.casefold()) for topic in own)]


def _is_joined(left: str, right: str) -> bool:
    # Letters, digits, and the marks that combine with them.
    inside = all(c == "_" or unicodedata.category(c)[0] in "LNM" for c in (left, right))
    return inside and not _GLUED.search(left + right)
