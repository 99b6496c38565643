from pathlib import Path

import pytest

from rulemine.release.reader import Release
from tests.evaluation.world import write_release


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return write_release(tmp_path / "small")
