"""Tests mirror the packages; what several of them use lies here."""

import inspect
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]

ALL_SEEDS = bool(os.environ.get("RULEMINE_ALL_SEEDS"))
"""Whether comparisons with brute force try all their seeds, as in ``make check``, or one of four."""


def some_seeds(*bounds: int) -> range:
    """The numbers of ``range(*bounds)``, or every fourth of them; see `ALL_SEEDS`."""
    return range(*bounds)[:: 1 if ALL_SEEDS else 4]


def each(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[..., Any]:
    """Makes a table one test, which lists the rows that fail.

    Arguments are those of ``pytest.mark.parametrize``. Each row has a ``tmp_path`` of its own, and what it
    patches is undone after it; what the fixtures patched stays. If none fails and one is skipped, so is
    the test.
    """
    keys = (names,) if isinstance(names, str) else names
    table = [(row,) if isinstance(names, str) else tuple(row) for row in rows]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def whole(**fixtures: Any) -> None:
            failed, skipped = [], None
            for number, row in enumerate(table):
                given = fixtures | dict(zip(keys, row, strict=True))
                if "tmp_path" in fixtures:
                    given["tmp_path"] = fixtures["tmp_path"] / f"row{number}"
                    given["tmp_path"].mkdir()
                with pytest.MonkeyPatch.context() as patched:
                    if "monkeypatch" in fixtures:
                        given["monkeypatch"] = patched
                    try:
                        test(**given)
                    except pytest.skip.Exception as why:
                        skipped = why
                    except (Exception, pytest.fail.Exception) as why:  # noqa: BLE001 - any failure is told
                        failed.append(f"{row!r:.300}\n{type(why).__name__}: {why}")
            assert table
            assert not failed, "\n\n".join(failed)
            if skipped:
                raise skipped

        own = inspect.signature(test)
        left = [one for name, one in own.parameters.items() if name not in keys]
        whole.__signature__ = own.replace(parameters=left)  # type: ignore[attr-defined]
        whole.__name__, whole.__doc__, whole.__module__ = (
            test.__name__,
            test.__doc__,
            test.__module__,
        )
        return whole

    return decorate
