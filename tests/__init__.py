"""Tests mirror the packages; what several of them use lies here."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

ALL_SEEDS = bool(os.environ.get("RULEMINE_ALL_SEEDS"))
"""Whether comparisons with brute force try all their seeds, as in ``make check``, or one of four."""


def some_seeds(*bounds: int) -> range:
    """The numbers of ``range(*bounds)``, or every fourth of them; see `ALL_SEEDS`."""
    return range(*bounds)[:: 1 if ALL_SEEDS else 4]
