"""Texts in CSV for people: a spreadsheet must not take one for a formula.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return, and is no number, gets an
apostrophe in front, which spreadsheets hide or show and never run. So does one that begins with apostrophes
before one of these. A program that drops the first apostrophe of such cells has the texts again, all of them;
JSON has them as they are.

Example:
    >>> [text_cell(text) for text in ("=1+1", "-0.5", "'=1", "'Tis", "+44 (band)")]
    ["'=1+1", '-0.5', "''=1", "'Tis", "'+44 (band)"]
"""

import re

__all__ = ["text_cell"]

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE)


def text_cell(text: str) -> str:
    """A text as it stands in a cell; numbers, and whatever is no formula, as they are."""
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text
