from pathlib import Path

import pytest

from rulemine.release.reader import Release
from rulemine.release.writer import write_release
from tests.written_releases import written_world


@pytest.fixture(params=["subgraphs", "variants"])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Release:
    """Questions written for a subgraph, of either kind, in the naming ``entity``."""
    return _world(tmp_path, request.param, "entity")


@pytest.fixture(params=["subgraphs", "variants"])
def labeled(request: pytest.FixtureRequest, tmp_path: Path) -> Release:
    """The same in the naming ``text``."""
    return _world(tmp_path, request.param, "text")


def _world(folder: Path, kind: str, naming: str) -> Release:
    (folder / kind).mkdir()
    write_release(folder / kind, written_world(kind), naming)
    return Release.open(folder / kind)
