"""Laying out sections of labeled rows as a terminal table or as Markdown."""

from collections.abc import Iterable, Sequence

from rulemine.text.markdown import in_cell, plain

__all__ = ["Cell", "Section", "format_cell", "format_markdown", "format_table"]

Cell = tuple[str, str]
"""A value and what is said about it (an interval), which may be empty."""

Section = tuple[str, list[tuple[str, list[Cell]]]]
"""A title, which may be empty, and its rows: label and cells."""

_GAP = "  "


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


def format_table(
    title: str, header: Sequence[str], sections: Sequence[Section], notes: Sequence[str]
) -> str:
    """Aligned columns; under each row of values a line of what is said about them.

    Returns:
        Lines with LF; no trailing blanks.
    """
    lines: list[list[str]] = [list(header)]
    for name, rows in sections:
        if name:
            lines += [[], [name]]
        indent = "  " if name else ""
        for label, cells in rows:
            lines.append([indent + label, *(value for value, _ in cells)])
            if any(about for _, about in cells):
                lines.append(["", *(about for _, about in cells)])
    widths = [
        max((len(line[i]) for line in lines if len(line) > i and (i or len(line) > 1)), default=0)
        for i in range(len(header))
    ]
    text = [title, ""]
    for line in lines:
        padded = [
            part.rjust(width) if i else part.ljust(width)
            for i, (part, width) in enumerate(zip(line, widths, strict=False))
        ]
        text.append(_GAP.join(padded).rstrip())
    if notes:
        text += ["", *notes]
    return "\n".join(text) + "\n"


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
