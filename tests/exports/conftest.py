"""Releases that the tests of exports read; copy one before you change it."""

from pathlib import Path

import pytest

from rulemine.release.reader import Release
from rulemine.release.writer import write_release as write_parts
from tests.evaluation.world import write_release, write_structures
from tests.releases import built
from tests.written_releases import written_world


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exports")


@pytest.fixture(scope="session")
def release(home: Path) -> Release:
    """Four questions of the kind ``rules``; see `tests.evaluation.world`."""
    return write_release(home / "small")


@pytest.fixture(scope="session")
def structures(home: Path) -> Release:
    """A question of each logical structure; see `tests.structures`."""
    return write_structures(home / "structures")


@pytest.fixture(scope="session")
def subgraphs(home: Path) -> Release:
    """Questions written for a subgraph, a count and differences among them; see `tests.written_releases`."""
    return _written(home / "subgraphs")


@pytest.fixture(scope="session")
def variants(home: Path) -> Release:
    """The same questions as of the kind ``variants``."""
    return _written(home / "variants")


@pytest.fixture(scope="session")
def coast() -> Release:
    """Cypher questions over a property graph."""
    return Release.open(built("coast") / "release")


def _written(folder: Path) -> Release:
    folder.mkdir()
    write_parts(folder, written_world(folder.name), "entity")
    return Release.open(folder)
