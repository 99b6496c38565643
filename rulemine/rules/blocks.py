"""Does work by blocks of items, such as rules, in this process or in others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

__all__ = ["MapLike", "Progress", "by_blocks"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class MapLike(Protocol):
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


Progress = Callable[[int, int], None]

FEWEST_BLOCKS, MOST_AT_ONCE = 32, 64
"""The least number of blocks, if there are as many items, and the most rules in a block."""


def by_blocks(
    work: Callable[[Sequence[Item]], Result],
    items: Sequence[Item],
    run: MapLike = map,
    progress: Progress | None = None,
    most: int = MOST_AT_ONCE,
) -> Iterator[Result]:
    """Calls a function with blocks of items.

    Args:
        work: The function. To be called in other processes it can be pickled, and what it keeps of earlier
            blocks changes no result.
        items: The items.
        run: Calls it with each of the blocks.
        progress: Called with (items done, all items).
        most: Items of a block.

    Yields:
        Its results, in the order of the items.
    """
    size = max(1, min(most, len(items) // FEWEST_BLOCKS))
    blocks = [items[first : first + size] for first in range(0, len(items), size)]
    done = 0
    for block, found in zip(blocks, run(work, blocks), strict=True):
        yield found
        done += len(block)
        if progress:
            progress(done, len(items))
