"""API keys, which no file of a release may have.

Keys are recognized as most services write them: ``sk-`` and a long run of letters and digits, maybe with
short words between. Other keys cannot be told from text.
"""

import re

__all__ = ["key_at"]

_START = b"sk-"
_KEY = re.compile(rb"sk-(?:[A-Za-z0-9]{1,10}[-_]){0,3}([A-Za-z0-9_-]{20,})")
_RUN = re.compile(rb"[A-Za-z0-9]{20,}")
_JOINED = re.compile(rb"[A-Za-z0-9_-]\Z")
_LEAST_DIGITS = 2


def key_at(content: bytes) -> int | None:
    """The position of the first text that looks like a key; None if there is none."""
    at = content.find(_START)
    while at >= 0:
        found = _KEY.match(content, at)
        if found and not _JOINED.search(content[max(0, at - 1) : at]):
            for run in _RUN.findall(found[1]):
                digits = sum(48 <= byte <= 57 for byte in run)
                if _LEAST_DIGITS <= digits < len(run):
                    return at
        at = content.find(_START, at + 1)
    return None
