"""Tests of tables: one test tries every row and lists those that fail."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["table"]


def table(*rows: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes one test of a test function: its first parameters are those of a row, the others fixtures.

    Args:
        rows: Tuples of arguments; or single arguments.
    """

    def of(test: Callable[..., None]) -> Callable[..., None]:
        taken = len(rows[0]) if isinstance(rows[0], tuple) else 1
        parameters = list(inspect.signature(test).parameters.values())[taken:]

        @functools.wraps(test)
        def every(**fixtures: Any) -> None:
            wrong = []
            for row in rows:
                try:
                    test(*(row if isinstance(row, tuple) else (row,)), **fixtures)
                except Exception as problem:  # noqa: BLE001
                    wrong.append(f"{row!r}: {problem}")
            assert not wrong, "\n".join(wrong)

        every.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return every

    return of
