r"""Tables of typed values, and how each format shows them: a terminal, Markdown, LaTeX, CSV and JSON.

Guarantees: values in CSV and JSON have all their digits, elsewhere they are rounded; what is undefined is
empty in CSV, ``null`` in JSON and ``–`` elsewhere, never 0. The texts depend on what is shown alone, unless a
command shows them on a terminal and says how wide that is (`fitted`): then what is too wide is continued
below, and no cell is cut.

Example:
    >>> table = Table("t", "F1 & more", ("system", "F1"), (("prior:k=5", (0.5, 0.4, 0.6)),))
    >>> print(latex_of(table).split("\\midrule")[1].split("\\bottom")[0].strip())
    prior:k=5 & \scored{50.0}{40.0}{60.0} \\
    >>> print(markdown_of(table).splitlines()[-1], csv_of(table).splitlines()[-1])
    | prior:k=5 | 50.0 (40.0–60.0) | prior:k=5,0.5,0.4,0.6
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import chain
from textwrap import wrap
from typing import Any, NamedTuple, TypeGuard

from rulemine.errors import ConfigError
from rulemine.text.escaping import csv_text, in_cell, plain, table_lines

__all__ = [
    "FEW", "LATEX_PREAMBLE", "MARK", "Cell", "Estimate", "Show", "Table", "Value", "Values", "csv_of",
    "exact", "few_notes", "fitted", "latex_of", "markdown_of", "marked", "number", "one_decimal", "p_value",
    "percent", "plain_of", "points", "signed", "text_of", "under_headings", "wrapped",
]  # fmt: skip

FEW = 20
"""Numbers of questions below this are marked: a score over so few says little."""

MARK = "†"
FEW_NOTE = f"{MARK} Fewer than {FEW} questions: such a score says little."

OF_QUESTIONS = ("n", "hits")
"""Headings of columns of numbers of questions that scores are over: few are marked."""

Estimate = tuple[float | None, float | None, float | None]
"""A value and the bounds of its interval; None where undefined."""


class Cell(NamedTuple):
    """A text and what is said about it (an interval, a share), which may be empty."""

    text: str
    about: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.about})" if self.about else self.text


Value = Estimate | Cell | float | int | str | None
"""A value of a table: an estimate, a text with more about it, a number, a count, a text; None: undefined."""

Values = tuple[Value, ...]
"""A row of a table; one with a single text is a heading over the rows below it."""

Show = Callable[[float], str]
"""How a column shows a number."""

_WIDTH: ContextVar[int | None] = ContextVar("width", default=None)
"""Columns of the terminal that a command writes to; None: as wide as it gets."""

_GAP = "  "

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
        "−": "$-$",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "…": r"\ldots{}",
        "⇒": r"$\Rightarrow$",
        "→": r"$\rightarrow$",
        "≥": r"$\geq$",
        "≤": r"$\leq$",
        "†": r"\textdagger{}",
        "\n": " ",
    }
    | {c: f"\\{c}" for c in "&%$#_{}"}
)

LATEX_PREAMBLE = r"""
% Needs \usepackage{booktabs} and \usepackage[T1]{fontenc}. Percentages with 95 % intervals;
% to show them otherwise, define \scored before, e.g. \newcommand{\scored}[3]{#1} for none.
\providecommand{\scored}[3]{\begin{tabular}[t]{@{}r@{}}#1\\[-3pt]{\scriptsize[#2, #3]}\end{tabular}}
"""[1:]


def percent(value: float) -> str:
    """A fraction in percent with one decimal."""
    return one_decimal(100 * value)


def points(value: float) -> str:
    """A difference of fractions in percentage points, with its sign."""
    return signed(100 * value)


def signed(value: float) -> str:
    """A number with one decimal and its sign."""
    return f"{round(value, 1) + 0.0:+.1f}"


def one_decimal(value: float) -> str:
    """A number with one decimal; −0.0 becomes 0.0."""
    return f"{round(value, 1) + 0.0:.1f}"


def p_value(p: float | None) -> str:
    """A p-value with three decimals; – where undefined."""
    return "–" if p is None else f"{p:.3f}" if p >= 0.001 else "<0.001"


def number(value: float) -> str:
    """Four digits, of which a small number has none too many.

    >>> " ".join(map(number, (0.0, 1.0, 0.00009999, 0.00001, 0.0078, 3.5, -0.5)))
    '0 1 0.0001 1e-05 0.0078 3.5 -0.5000'
    """
    if 0 < abs(value) < 1:
        return f"{value:.4f}" if abs(value) >= 0.00005 else f"{value:.0e}"
    return f"{value:,.4g}"


def marked(n: int) -> str:
    """A number of questions, marked where they are few.

    >>> marked(1200), marked(7), marked(0)
    ('1,200', '7†', '0')
    """
    return f"{n:,}{MARK if 0 < n < FEW else ''}"


def few_notes(numbers: Iterable[int]) -> list[str]:
    """What the mark says, where one of these numbers of questions has it."""
    return [FEW_NOTE] if any(0 < n < FEW for n in numbers) else []


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        id: Names its file: letters, digits, ``-`` and ``_``; no two tables or figures of a document
            share one.
        title: Its title.
        header: Headings of the columns; the first is that of the labels of the rows.
        rows: The rows, each with a value for every column, and headings.
        notes: What a reader must know, as sentences.
        show: How columns show numbers and estimates; without, estimates are fractions, shown as percentages,
            and numbers have four digits.
    """

    id: str
    title: str
    header: tuple[str, ...]
    rows: tuple[Values, ...]
    notes: tuple[str, ...] = ()
    show: Mapping[str, Show] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header) and not (len(row) == 1 and isinstance(row[0], str)):
                raise ConfigError(
                    f"table {self.id}: the row {row[:1]} has {len(row)} values; {len(self.header)} were "
                    "expected, one for each column."
                )

    def cells(self) -> Iterator[list[Cell]]:
        """The rows as texts."""
        for row in self.rows:
            yield [self._cell(name, value) for name, value in zip(self.header, row, strict=False)]

    def _cell(self, name: str, value: Value) -> Cell:
        if isinstance(value, Cell):
            return value
        if isinstance(value, tuple):
            show = self.show.get(name, percent)
            middle, low, high = ("–" if part is None else show(part) for part in value)
            bounds = f"{low}{' … ' if low[0] in '+-' else '–'}{high}"
            return Cell(middle, "" if None in value else bounds)
        if isinstance(value, float):
            return Cell(self.show.get(name, number)(value))
        if isinstance(value, int):
            return Cell(marked(value) if name in OF_QUESTIONS else f"{value:,}")
        return Cell("–" if value is None else value)

    def footnotes(self) -> tuple[str, ...]:
        """What stands below it: its notes, and what a mark at a number of questions says."""
        cells = (zip(self.header, row, strict=False) for row in self.rows)
        sizes = (v for row in cells for name, v in row if name in OF_QUESTIONS)
        return (*self.notes, *few_notes(size for size in sizes if isinstance(size, int)))

    def text_columns(self) -> list[bool]:
        """Which columns hold texts, the first among them: they are aligned to the left."""
        rows = [row for row in self.rows if len(row) == len(self.header)]
        return [
            True,
            *(any(isinstance(r[i], str) for r in rows) for i in range(1, len(self.header))),
        ]


def under_headings(rows: Iterable[tuple[str, Values]]) -> tuple[Values, ...]:
    """Rows under their headings, which come in the order in which they first occur; "" is none."""
    found: dict[str, list[Values]] = {}
    for heading, row in rows:
        found.setdefault(heading, [(heading,)] if heading else []).append(row)
    return tuple(chain.from_iterable(found.values()))


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


def text_of(table: Table, notes: Sequence[str] | None = None) -> str:
    """For a terminal: aligned columns; under each row of values a line of what is said about them.

    Args:
        table: The table.
        notes: What stands below it; None: what it says itself.

    Returns:
        Lines with LF; no trailing blanks.
    """
    columns, indent = _WIDTH.get(), ""
    lines: list[list[str]] = [list(table.header)]
    for (label, _), *cells in table.cells():
        if not cells and len(table.header) > 1:
            lines += [[], [wrapped(label)]]
            indent = "  "
            continue
        beside = [indent + label]
        if columns is not None and len(beside[0]) > columns // 2:
            lines.append([wrapped(beside.pop())])
            beside = [""]
        lines.append([*beside, *(value for value, _ in cells)])
        if any(about for _, about in cells):
            lines.append(["", *(about for _, about in cells)])
    whole = [[], *(line for line in lines if len(line) > 1 or len(table.header) == 1)]
    widths = [
        max((len(line[i]) for line in whole if len(line) > i), default=0)
        for i in range(len(table.header))
    ]
    text = [wrapped(table.title)]
    for block in _blocks(widths, columns):
        text.append("")
        for line in lines:
            padded = [line[0].ljust(widths[0])] if line else []
            shown = _GAP.join(padded + [line[i].rjust(widths[i]) for i in block if i < len(line)])
            if (
                shown.rstrip() or not line
            ):  # no line of intervals where the columns of the block have none
                text.append(shown.rstrip())
    below = table.footnotes() if notes is None else notes
    return "\n".join([*text, *[""][: len(below)], *map(wrapped, below), ""])


def _blocks(widths: Sequence[int], columns: int | None) -> list[list[int]]:
    """The columns after the first, in blocks that fit beside it."""
    found: list[list[int]] = [[]]
    room = 0
    for i, width in enumerate(widths[1:], start=1):
        room -= len(_GAP) + width
        if columns is not None and room < 0:
            room = columns - widths[0] - len(_GAP) - width
            found += [[]] * bool(found[-1])
        found[-1] = [*found[-1], i]
    return found


def markdown_of(table: Table, notes: Sequence[str] | None = None) -> str:
    """As Markdown: headings become bold rows, what is said about a value follows it in parentheses.

    Args:
        table: The table.
        notes: See `text_of`.
    """
    rows = [[*map(in_cell, table.header)]]
    for cells in table.cells():
        first, *more = (in_cell(str(cell)) for cell in cells)
        is_heading = len(cells) < len(table.header)
        rows.append(
            [f"**{first}**", *[""] * (len(table.header) - 1)] if is_heading else [first, *more]
        )
    below = [f"- {plain(note)}" for note in (table.footnotes() if notes is None else notes)]
    title = plain(table.title.replace("\n", " · "))
    return "\n".join([title, "", *table_lines(rows), *[""][: len(below)], *below, ""])


def latex_of(table: Table) -> str:
    """As LaTeX (booktabs): a floating ``table`` with the label ``tab:ID``; see `LATEX_PREAMBLE`."""
    columns = "".join("l" if text else "r" for text in table.text_columns())
    lines = [r"\begin{table}", r"\centering", f"\\caption{{{table.title.translate(_LATEX)}}}"]
    lines += [f"\\label{{tab:{table.id}}}", f"\\begin{{tabular}}{{{columns}}}"]
    lines += [
        r"\toprule",
        " & ".join(name.translate(_LATEX) for name in table.header) + r" \\",
        r"\midrule",
    ]
    for cells in table.cells():
        shown = [_tex_cell(cell) for cell in cells]
        if len(shown) < len(table.header):
            shown = [f"\\multicolumn{{{len(table.header)}}}{{l}}{{\\textbf{{{shown[0]}}}}}"]
        lines.append(" & ".join(shown) + r" \\")
    notes = (
        f"\\par\\smallskip{{\\footnotesize {note.translate(_LATEX)}}}" for note in table.footnotes()
    )
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", *notes, r"\end{table}", ""])


def _tex_cell(cell: Cell) -> str:
    low, _, high = cell.about.replace(" … ", "–").partition("–")
    scored = "".join(f"{{{part.replace('-', '$-$')}}}" for part in (cell.text, low, high))
    return rf"\scored{scored}" if cell.about else cell.text.translate(_LATEX)


def csv_of(table: Table, joint: str = " ") -> str:
    """As CSV; a column of estimates becomes three: the value and the bounds of its interval.

    Args:
        table: The table.
        joint: What is between the heading of the column and ``low`` and ``high``.
    """
    rows = [(*row, *[None] * (len(table.header) - len(row))) for row in table.rows]
    parts = [
        3 if any(_is_estimate(row[i]) for row in rows) else 1 for i in range(len(table.header))
    ]
    ends = ("", f"{joint}low", f"{joint}high")
    header = [name + end for name, n in zip(table.header, parts, strict=True) for end in ends[:n]]
    lines = [header]
    for row in rows:
        every = (value if _is_estimate(value) else (value, None, None) for value in row)
        lines.append([exact(v) for some, n in zip(every, parts, strict=True) for v in some[:n]])
    return csv_text(lines)


def exact(value: Any) -> str:
    """A value in CSV: a number with all its digits, and nothing for None."""
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


def plain_of(table: Table) -> dict[str, Any]:
    """As JSON has it: ``id``, ``title``, ``header``, ``rows``, ``notes``.

    An estimate in a row is ``{"value", "low", "high"}``.
    """
    parts = ("value", "low", "high")
    head = {"id": table.id, "title": table.title, "header": list(table.header)}
    estimates = [
        [dict(zip(parts, v, strict=True)) if _is_estimate(v) else v for v in row]
        for row in table.rows
    ]
    return {**head, "rows": estimates, "notes": list(table.notes)}


def _is_estimate(value: Value) -> TypeGuard[Estimate]:
    return isinstance(value, tuple) and not isinstance(value, Cell)
