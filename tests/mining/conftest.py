"""Where the shared data sets and golden rule lists lie, for the tests that need them."""

import os
from pathlib import Path

import pytest

from tests import ROOT

_ROOT = ROOT


@pytest.fixture(scope="session")
def shared():
    """Finds a file below the folder of data sets, `RULEMINE_DATA`; skips without it."""
    folder = Path(os.environ.get("RULEMINE_DATA") or _ROOT.parent / "shared" / "data")

    def find(relative):
        path = folder / relative
        if not path.exists():
            pytest.skip(f"{path} is not there; set RULEMINE_DATA to the folder of data sets")
        return path

    return find
