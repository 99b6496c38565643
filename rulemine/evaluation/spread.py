"""What sends the parts of scoring to other processes, where something does."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

__all__ = ["Spread"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class Spread(Protocol):
    """Calls a function with items, here or in other processes: `map`, or another like it."""

    def __call__(
        self, function: Callable[[Item], Result], items: Sequence[Item], /
    ) -> Iterable[Result]:
        """The results, in the order of the items.

        Args:
            function: What can be pickled, and gives the same wherever it is called.
            items: What it is called with, one at a time.
        """
        ...
