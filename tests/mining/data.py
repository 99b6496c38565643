"""Where the shared data sets and golden rule lists lie, for the tests that need them."""

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]


def shared(relative: str) -> Path:
    """A file below the folder of data sets, `RULEMINE_DATA`; skips the test if it is not there."""
    folder = Path(os.environ.get("RULEMINE_DATA") or _ROOT.parent / "shared" / "data")
    path = folder / relative
    if not path.exists():
        pytest.skip(f"{path} is not there; set RULEMINE_DATA to the folder of data sets")
    return path
