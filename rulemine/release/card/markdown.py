"""Tables and numbers of the card, in Markdown."""

from collections.abc import Iterable, Sequence

from rulemine.text.markdown import table_lines

__all__ = ["FEW_CORE", "LITTLE_CORE", "percent", "ratio", "table"]

LITTLE_CORE, FEW_CORE = 0.1, 100
"""Below this fraction or number of questions in the core, the card warns."""


def table(rows: Iterable[Sequence[object]], *, text: bool = False) -> list[str]:
    """A Markdown table; the first row is its header.

    Args:
        rows: The rows.
        text: Whether the columns after the first are text; otherwise numbers.
    """
    cells = (
        [f"{c:,}" if isinstance(c, int) else str(c).replace("|", "\\|") for c in row]
        for row in rows
    )
    return [*table_lines(cells, text=text)]


def ratio(part: int, whole: int) -> str:
    """A mean with two decimals."""
    return f"{part / whole:.2f}" if whole else "–"


def percent(part: float, whole: float = 1) -> str:
    """A fraction in percent with one decimal."""
    return f"{100 * part / whole:.1f} %" if whole else "–"
