"""Normalization of text, and word boundaries.

Guarantee: whether two characters belong to one word depends on these two alone, so a text has a name wherever
the name is not part of a longer word. Scripts written without spaces, and Hangul, which attaches particles to
names, have no such boundaries: there every occurrence counts.
"""

import re
import unicodedata
from collections.abc import Iterator

__all__ = [
    "QUESTION_MARKS",
    "fold",
    "fold_loosely",
    "is_unspaced",
    "is_word",
    "mentions",
    "places",
    "unaccented",
    "unify",
]

QUESTION_MARKS = "?？؟⁇⁈⁉՞፧᥅⳺⳻꘏꛷﹖︖𑅃\u037e"
"""Marks that end a question in any language; a Greek question ends with a semicolon."""

_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′´`ʼʻ＇"), "'") | dict.fromkeys(map(ord, "“”„‟″«»＂"), '"')
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")
_TYPOGRAPHY = _QUOTES | _DASHES
_BLANKS = re.compile(r"\s+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
# Direction marks, joiners and soft hyphens are invisible.
_UNSEEN = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+")

# Thai to Tibetan, Myanmar, Hangul letters, Khmer, kana, Hangul compatibility letters, Han with its
# extensions, Hangul syllables.
_UNSPACED = (
    ("\u0e00", "\u0fff"),
    ("\u1000", "\u109f"),
    ("\u1100", "\u11ff"),
    ("\u1780", "\u17ff"),
    ("\u3040", "\u30ff"),
    ("\u3130", "\u318f"),
    ("\u3400", "\u9fff"),
    ("\uac00", "\ud7a3"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0003ffff"),
)


def fold(text: str) -> str:
    """Composes and case-folds a text."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def fold_loosely(text: str) -> str:
    """Case-folds and unifies a text, see `unify`.

    Example:
        >>> fold_loosely("Ｏ’Ｈａｒａ  –  STRASSE") == fold_loosely("o'hara - Straße")
        True
    """
    return unify(text.casefold())


def unify(text: str) -> str:
    """Brings a text to compatibility form, with plain quotes and dashes, single spaces, nothing invisible."""
    text = text.translate(_TYPOGRAPHY)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_TYPOGRAPHY)
        text = _UNSEEN.sub("", text)
    return _BLANKS.sub(" ", text)


def unaccented(text: str) -> str:
    """Removes accents from Latin, Greek and Cyrillic letters.

    Example:
        >>> unaccented("Île-de-France, Αθήνα")
        'Ile-de-France, Αθηνα'
    """
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def mentions(text: str, name: str) -> bool:
    """Whether a text has a name as a whole token; both must be folded the same way.

    Example:
        >>> mentions("who lives in new york?", "york"), mentions("who is the uncle of 72?", "7")
        (True, False)
    """
    return next(places(text, name), -1) >= 0


def places(text: str, name: str) -> Iterator[int]:
    """Yields where a text has a name as a whole token, ascending; places may overlap.

    Args:
        text: The text.
        name: The name, not empty; compared character by character.
    """
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not (at > 0 and _joined(text[at - 1], name[0])) and not (
            end < len(text) and _joined(name[-1], text[end])
        ):
            yield at
        at = text.find(name, at + 1)


def _joined(left: str, right: str) -> bool:
    """Whether two neighboring characters belong to one word."""
    return is_word(left) and is_word(right) and not is_unspaced(left) and not is_unspaced(right)


def is_word(character: str) -> bool:
    """Whether a character is part of words: letters, digits, combining marks, and ``_``."""
    return character == "_" or unicodedata.category(character)[0] in "LNM"


def is_unspaced(character: str) -> bool:
    """Whether a character belongs to a script without spaces around names."""
    return character > "\u0dff" and any(low <= character <= high for low, high in _UNSPACED)
