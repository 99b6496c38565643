"""The cells of a table as texts, and what stands below it; the same in every format."""

from collections.abc import Iterator

from rulemine.evaluation.reporting.document import Grid, Score, Value
from rulemine.evaluation.reporting.tables import Cell, few_notes, marked

__all__ = ["OF_QUESTIONS", "cell", "cells", "notes_of", "text_columns"]

OF_QUESTIONS = "n"
"""The heading of a column of numbers of questions that scores are over."""


def cell(value: Value, *, percent: bool = True, signed: bool = False) -> Cell:
    """A value as text, and its interval as text.

    Args:
        value: The value.
        percent: Whether scores are fractions, shown as percentages.
        signed: Whether scores are differences.
    """

    def text(number: float) -> str:
        rounded = round((100 if percent else 1) * number, 1) + 0.0  # −0.0 becomes 0.0
        return f"{rounded:+.1f}" if signed else f"{rounded:.1f}"

    if value is None:
        return "–", ""
    if isinstance(value, str):
        return value, ""
    if not isinstance(value, Score):
        return (f"{value:,}" if isinstance(value, int) else _number(value)), ""
    if value.value is None:
        return "–", ""
    if value.low is None or value.high is None:
        return text(value.value), ""
    return text(value.value), f"{text(value.low)}{' … ' if signed else '–'}{text(value.high)}"


def _number(value: float) -> str:
    """Four digits, of which a small number such as a p has none too many."""
    if 0 < abs(value) < 1:
        return f"{value:.4f}" if abs(value) >= 0.00005 else f"{value:.0e}"
    return f"{value:,.4g}"


def cells(grid: Grid) -> Iterator[list[Cell]]:
    """The rows of a table as texts."""
    for row in grid.rows:
        yield [
            (marked(value), "")
            if name == OF_QUESTIONS and type(value) is int
            else cell(value, percent=name not in grid.plain, signed=grid.signed)
            for name, value in zip(grid.header, row, strict=True)
        ]


def notes_of(grid: Grid) -> tuple[str, ...]:
    """What stands below a table: its notes, and what a mark at a number of questions says."""
    numbers = (
        value
        for row in grid.rows
        for name, value in zip(grid.header, row, strict=True)
        if name == OF_QUESTIONS and type(value) is int
    )
    return (*grid.notes, *few_notes(numbers))


def text_columns(grid: Grid) -> list[bool]:
    """Which columns hold texts, the first among them: they are aligned to the left."""
    texts = [any(isinstance(row[i], str) for row in grid.rows) for i in range(len(grid.header))]
    return [True, *texts[1:]]
