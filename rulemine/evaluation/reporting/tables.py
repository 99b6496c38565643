"""Laying out sections of labeled rows as a terminal table or as Markdown.

Guarantees: the texts depend on what is shown alone, unless a command shows them on a terminal and says how
wide that is (`fitted`): then what is too wide is continued below, and no cell is cut.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from textwrap import wrap

from rulemine.text.markdown import in_cell, plain

__all__ = [
    "FEW", "FEW_NOTE", "MARK", "Cell", "Section", "few_notes", "fitted", "format_cell",
    "format_markdown", "format_p", "format_table", "marked", "wrapped",
]  # fmt: skip

FEW = 20
"""Below so many questions a score says little."""

MARK = "†"
FEW_NOTE = f"{MARK} Fewer than {FEW} questions: such a score says little."

_WIDTH: ContextVar[int | None] = ContextVar("width", default=None)
"""Columns of the terminal that a command writes to; None: as wide as it gets."""

Cell = tuple[str, str]
"""A value and what is said about it (an interval), which may be empty."""

Section = tuple[str, list[tuple[str, list[Cell]]]]
"""A title, which may be empty, and its rows: label and cells."""

_GAP = "  "


@contextmanager
def fitted(columns: int) -> Iterator[None]:
    """Fits tables and notes to so many columns, as far as no cell has more."""
    token = _WIDTH.set(columns)
    try:
        yield
    finally:
        _WIDTH.reset(token)


def wrapped(text: str) -> str:
    """A text in lines that fit the terminal, if it goes to one; words are not cut."""
    if (columns := _WIDTH.get()) is None:
        return text
    lines = (
        wrap(line, columns, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )
    return "\n".join(part for line in lines for part in line or [""])


def marked(n: int) -> str:
    """A number of questions, marked where they are few.

    >>> marked(1200), marked(7), marked(0)
    ('1,200', '7†', '0')
    """
    return f"{n:,}{MARK if 0 < n < FEW else ''}"


def few_notes(numbers: Iterable[int]) -> list[str]:
    """What the mark says, where one of these numbers of questions has it."""
    return [FEW_NOTE] if any(0 < n < FEW for n in numbers) else []


def format_cell(
    estimate: tuple[float | None, float | None, float | None],
    signed: bool = False,
    scale: int = 100,
) -> Cell:
    """A value and the bounds of its interval, None where undefined, multiplied by a scale."""

    def text(value: float) -> str:
        rounded = round(scale * value, 1) + 0.0  # −0.0 becomes 0.0
        return f"{rounded:+.1f}" if signed else f"{rounded:.1f}"

    value, low, high = estimate
    if value is None:
        return "–", ""
    between = " … " if signed else "–"
    return text(value), "" if low is None or high is None else f"{text(low)}{between}{text(high)}"


def format_p(p: float | None) -> str:
    """A p-value as text, ``–`` where undefined."""
    if p is None:
        return "–"
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def format_table(
    title: str, header: Sequence[str], sections: Sequence[Section], notes: Sequence[str]
) -> str:
    """Aligned columns; under each row of values a line of what is said about them.

    Returns:
        Lines with LF; no trailing blanks.
    """
    columns = _WIDTH.get()
    lines: list[list[str]] = [list(header)]
    for name, rows in sections:
        if name:
            lines += [[], [wrapped(name)]]
        indent = "  " if name else ""
        for label, cells in rows:
            values = [value for value, _ in cells]
            if columns is not None and len(indent + label) > columns // 2:
                lines += [[wrapped(indent + label)], ["", *values]]
            else:
                lines.append([indent + label, *values])
            if any(about for _, about in cells):
                lines.append(["", *(about for _, about in cells)])
    widths = [
        max((len(line[i]) for line in lines if len(line) > i and (i or len(line) > 1)), default=0)
        for i in range(len(header))
    ]
    text = [wrapped(title)]
    for block in _blocks(widths, columns):
        text.append("")
        for line in lines:
            padded = [line[0].ljust(widths[0])] if line else []
            padded += [line[i].rjust(widths[i]) for i in block if i < len(line)]
            shown = _GAP.join(padded).rstrip()
            if shown or not line:  # no line of intervals where the columns of the block have none
                text.append(shown)
    if notes:
        text += ["", *map(wrapped, notes)]
    return "\n".join(text) + "\n"


def _blocks(widths: Sequence[int], columns: int | None) -> list[list[int]]:
    """The columns after the first, in blocks that fit beside it."""
    found: list[list[int]] = [[]]
    room = 0
    for i, width in enumerate(widths[1:], start=1):
        room -= len(_GAP) + width
        if columns is not None and room < 0:
            room = columns - widths[0] - len(_GAP) - width
            if found[-1]:
                found.append([])
        found[-1].append(i)
    return found


def format_markdown(
    title: str, header: Sequence[str], sections: Sequence[Section], notes: Sequence[str]
) -> str:
    """One table; sections become bold rows, what is said about a value follows it in parentheses."""
    text = [_line(map(in_cell, header)), _line(["---", *("--:" for _ in header[1:])])]
    for name, rows in sections:
        if name:
            text.append(_line([f"**{in_cell(name)}**", *("" for _ in header[1:])]))
        for label, cells in rows:
            shown = [f"{value} ({about})" if about else value for value, about in cells]
            text.append(_line(map(in_cell, [label, *shown])))
    parts = [plain(title), "", *text]
    if notes:
        parts += ["", *(f"- {plain(note)}" for note in notes)]
    return "\n".join(parts) + "\n"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
