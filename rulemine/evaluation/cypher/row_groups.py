"""Questions grouped by how many rows their gold has."""

__all__ = ["ROW_GROUPS", "rows_group"]

_BINS = ((0, "none"), (1, "1"), (5, "2–5"), (20, "6–20"), (100, "21–100"))
"""Upper bound of the number of rows, and the name of the group."""

_MORE = ">100"

ROW_GROUPS = (*(name for _, name in _BINS), _MORE)
"""The groups, ascending."""


def rows_group(rows: int) -> str:
    """The group of a gold with so many rows."""
    return next((name for most, name in _BINS if rows <= most), _MORE)
