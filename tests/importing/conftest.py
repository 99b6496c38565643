from pathlib import Path

import pytest

from rulemine.release.reader import Release
from rulemine.release.writer import write_release
from tests.written_releases import written_world


@pytest.fixture(params=["subgraphs", "variants"])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Release:
    """Questions written for a subgraph, of either kind, with entity names for texts."""
    folder = tmp_path / request.param
    folder.mkdir()
    write_release(folder, written_world(request.param), "entity")
    return Release.open(folder)
