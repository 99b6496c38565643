r"""Text of others where it is shown: nothing in it repaints a terminal, is markup of Markdown, or a formula.

Terminal: what could repaint it or reorder a line is escaped. Markdown: labels of a graph may hold HTML,
links and backticks; what needs no escaping stays as it is, to the letter. Spreadsheets: a cell of CSV that
begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return, and is no number, gets an apostrophe in
front, which spreadsheets hide or show and never run. So does one that begins with apostrophes before one of
these. A program that drops the first apostrophe of such cells has the texts again, all of them; JSON has
them as they are.

Example:
    >>> print(plain("M*A*S*H <b>1</b> [x](y) snake_case _it_"), code("a`b"))
    M\*A\*S\*H \<b>1\</b> [x\](y) snake_case \_it\_ ``a`b``
    >>> [text_cell(text) for text in ("=1+1", "-0.5", "'=1", "'Tis", "+44 (band)")]
    ["'=1+1", '-0.5', "''=1", "'Tis", "'+44 (band)"]
"""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "code", "csv_text", "in_cell", "plain", "printable", "printable_lines", "table_lines", "text_cell",
]  # fmt: skip

_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"

_HARMFUL = re.compile(r"[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, separators of lines, explicit direction marks, halves of pairs."""

_OURS = "\n\t" + _ISOLATE + _END_ISOLATE
"""What text of this program has, and what `printable` puts around names."""


def printable(text: str) -> str:
    """Makes a label safe to print; text with right-to-left letters is isolated."""
    safe = _HARMFUL.sub(_escaped, text)
    right_to_left = any(unicodedata.bidirectional(c) in ("R", "AL") for c in safe)
    return f"{_ISOLATE}{safe}{_END_ISOLATE}" if right_to_left else safe


def printable_lines(text: str) -> str:
    """Makes a message of any number of lines safe to print, whatever it quotes."""
    return _HARMFUL.sub(lambda m: m[0] if m[0] in _OURS else _escaped(m), text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


_MARKUP = re.compile(
    r"""
    [`*]                          # code, emphasis
    | \\ (?=[!-/:-@[-`{-~])       # what would escape the next character
    | < (?=[A-Za-z/!?])           # HTML, addresses
    | & (?=\#?\w+;)               # HTML's names of characters
    | \] (?=[(\[:])               # the end of a link's text
    | (?<!\w) _ | _ (?!\w)        # emphasis; none inside a word
    | ~ (?=~)                     # what is struck out
    """,
    re.VERBOSE,
)
_AT_START = re.compile(r"^(?:#|>|[+-](?=\s)|=+$)")
_NUMBERED = re.compile(r"^(\d+)([.)])(?=\s|$)")
_BREAK = re.compile(r"[\r\n\v\f\x85\u2028\u2029]+")


def plain(text: str) -> str:
    """A text as one line of Markdown in which nothing is markup."""
    found = _MARKUP.sub(r"\\\g<0>", _BREAK.sub(" ", text))
    return _NUMBERED.sub(r"\1\\\2", _AT_START.sub(r"\\\g<0>", found))


def in_cell(text: str) -> str:
    """The same in a cell of a table, where nothing is at the start of a line."""
    return _MARKUP.sub(r"\\\g<0>", _BREAK.sub(" ", text)).replace("|", r"\|").replace(">", r"\>")


def code(text: str) -> str:
    """A text as a code span, between more backticks than it has in a row."""
    one_line = _BREAK.sub(" ", text)
    longest = max(map(len, re.findall("`+", one_line)), default=0)
    ends = "`" * (longest + 1)
    blank = " " if one_line[:1] == "`" or one_line[-1:] == "`" else ""
    return f"{ends}{blank}{one_line}{blank}{ends}"


def table_lines(rows: Iterable[Sequence[str]], *, text: bool = False) -> Iterator[str]:
    """The lines of a table.

    Args:
        rows: Its cells, in Markdown; the first row is its header.
        text: Whether the columns after the first are text, and not numbers, which are aligned to the right.
    """
    for at, row in enumerate(rows):
        yield f"| {' | '.join(row)} |"
        if not at:
            yield "|---" + ("|---" if text else "|---:") * (len(row) - 1) + "|"


_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE)


def text_cell(text: str) -> str:
    """A text as it stands in a cell; numbers, and whatever is no formula, as they are."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def csv_text(rows: Iterable[Sequence[str | int | float]]) -> str:
    """Rows as CSV, with LF; texts as `text_cell`."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        [text_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return out.getvalue()
