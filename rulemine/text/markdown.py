r"""Any text as Markdown that shows it: labels and names of a graph may hold HTML, links and backticks.

What needs no escaping stays as it is, to the letter.

Example:
    >>> print(plain("M*A*S*H <b>1</b> [x](y) snake_case _it_"), code("a`b"))
    M\*A\*S\*H \<b>1\</b> [x\](y) snake_case \_it\_ ``a`b``
"""

import re
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["code", "in_cell", "plain", "table_lines"]

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
    found = _MARKUP.sub(r"\\\g<0>", _BREAK.sub(" ", text))
    return found.replace("|", "\\|").replace(">", "\\>")


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
