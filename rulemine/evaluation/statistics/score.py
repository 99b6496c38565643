"""A score and its interval."""

from typing import NamedTuple

__all__ = ["Score"]


class Score(NamedTuple):
    """A score and its interval.

    Attributes:
        value: The score; None where undefined.
        low: Lower bound of the interval; None where undefined.
        high: Upper bound.
    """

    value: float | None
    low: float | None
    high: float | None
