"""Makes text of others safe to print: what could repaint a terminal or reorder a line is escaped."""

import re
import unicodedata

__all__ = ["printable", "printable_lines"]

_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"

_HARMFUL = re.compile(r"[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, separators of lines, explicit direction marks, halves of pairs."""

_OURS = "\n\t" + _ISOLATE + _END_ISOLATE
"""What text of this program has, and what `printable` puts around names."""


def printable(text: str) -> str:
    """Makes a label safe to print; text with right-to-left letters is isolated."""
    if text.isascii() and text.isprintable():  # most are
        return text
    safe = _HARMFUL.sub(_escaped, text)
    return f"{_ISOLATE}{safe}{_END_ISOLATE}" if _is_right_to_left(safe) else safe


def printable_lines(text: str) -> str:
    """Makes a message of any number of lines safe to print, whatever it quotes."""
    return _HARMFUL.sub(lambda m: m[0] if m[0] in _OURS else _escaped(m), text)


def _is_right_to_left(text: str) -> bool:
    """Whether a text has letters that are written from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
