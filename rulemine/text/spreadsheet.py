"""Texts in CSV for people: a spreadsheet must not take one for a formula.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return, and is no number, gets an
apostrophe in front, which spreadsheets hide or show and never run. So does one that begins with apostrophes
before one of these. A program that drops the first apostrophe of such cells has the texts again, all of them;
JSON has them as they are.

Example:
    >>> [text_cell(text) for text in ("=1+1", "-0.5", "'=1", "'Tis", "+44 (band)")]
    ["'=1+1", '-0.5', "''=1", "'Tis", "'+44 (band)"]
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence

__all__ = ["csv_text", "text_cell"]

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE)


def text_cell(text: str) -> str:
    """A text as it stands in a cell; numbers, and whatever is no formula, as they are."""
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def csv_text(rows: Iterable[Sequence[str | int | float]]) -> str:
    """Rows as CSV, with LF; texts as `text_cell`."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        [text_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return out.getvalue()
