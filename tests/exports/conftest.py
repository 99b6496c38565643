from pathlib import Path

import pytest

from rulemine.release.reader import Release
from tests.evaluation.world import write_release, write_structures


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """Four questions of the kind ``rules``; see `tests.evaluation.world`."""
    return write_release(tmp_path / "small")


@pytest.fixture
def structures(tmp_path: Path) -> Release:
    """A question of each logical structure; see `tests.structures`."""
    return write_structures(tmp_path / "structures")
