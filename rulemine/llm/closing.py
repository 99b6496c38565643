"""What journals, sessions and replays have in common: each is closed at the end of a ``with`` block."""

from types import TracebackType
from typing import Self

__all__ = ["Closing"]


class Closing:
    """A context manager of itself, which closes at its end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of what is held; by default that is nothing."""
