from pathlib import Path

import pytest

from rulemine.release.reader import Release
from rulemine.release.writer import write_release as write_parts
from tests.evaluation.world import write_release, write_structures
from tests.written_releases import written_world


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """Four questions of the kind ``rules``; see `tests.evaluation.world`."""
    return write_release(tmp_path / "small")


@pytest.fixture
def structures(tmp_path: Path) -> Release:
    """A question of each logical structure; see `tests.structures`."""
    return write_structures(tmp_path / "structures")


@pytest.fixture
def subgraphs(tmp_path: Path) -> Release:
    """Questions written for a subgraph, a count and differences among them; see `tests.written_releases`."""
    return _written(tmp_path / "subgraphs")


@pytest.fixture
def variants(tmp_path: Path) -> Release:
    """The same questions as of the kind ``variants``."""
    return _written(tmp_path / "variants")


def _written(folder: Path) -> Release:
    folder.mkdir()
    write_parts(folder, written_world(folder.name), "entity")
    return Release.open(folder)
