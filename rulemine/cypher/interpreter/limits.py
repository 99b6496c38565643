"""Limits of a run: time, rows, and what is kept at once."""

import time
from collections.abc import Iterable, Iterator
from typing import Any

from rulemine.errors import QueryError

__all__ = ["MOST_KEPT", "ExhaustedError", "RunLimits", "fits"]

MOST_KEPT = 1_000_000
"""Rows, or items of a list, that a query may keep at once."""

_OFTEN = 256
"""Steps between two looks at the clock."""


class ExhaustedError(QueryError):
    """A query that took too long, gave too many rows, or had to keep too much.

    Attributes:
        code: ``TimedOut``, ``TooManyRows`` or ``OutOfMemory``.
    """

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(f"query: {message}")


def fits(number: int) -> None:
    """Notes that so many rows or items of a list are to be kept.

    Raises:
        ExhaustedError: They are too many.
    """
    if number > MOST_KEPT:
        raise ExhaustedError("OutOfMemory", f"it keeps more than {MOST_KEPT:,} things at once")


class RunLimits:
    """What a run may still use.

    Args:
        seconds: Seconds that it may take.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._steps = 0

    def step(self, steps: int = 1) -> None:
        """Notes that something was done.

        Raises:
            ExhaustedError: The time is over.
        """
        self._steps += steps
        if self._steps >= _OFTEN:
            self._steps = 0
            if time.monotonic() > self._end:
                raise ExhaustedError("TimedOut", f"it took longer than {self._seconds:g} seconds")

    def counted(self, some: Iterable[Any]) -> Iterator[Any]:
        """The same, one after the other, each of them a step, all of them kept."""
        for number, one in enumerate(some, 1):
            fits(number)
            self.step()
            yield one
