"""Releases that the tests of importing read; copy one before you change it."""

from pathlib import Path

import pytest

from rulemine import Release, import_set
from rulemine.release.writer import write_release
from tests.importing.sets import ASKED, cypher_release, with_graphs, write_set
from tests.written_releases import written_world


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("importing")


@pytest.fixture(scope="session")
def written(home: Path) -> Release:
    """Questions written for a subgraph, in the naming ``entity``."""
    return _world(home / "entity", "subgraphs")


@pytest.fixture(scope="session", params=["subgraphs", "variants"])
def labeled(request: pytest.FixtureRequest, home: Path) -> Release:
    """Such questions, of either kind, in the naming ``text``."""
    return _world(home / "text", request.param)


def _world(folder: Path, kind: str) -> Release:
    (folder / kind).mkdir(parents=True)
    write_release(folder / kind, written_world(kind), folder.name)
    return Release.open(folder / kind)


@pytest.fixture(scope="session")
def given(home: Path) -> Path:
    """The files of the small set with queries; see `tests.importing.sets`."""
    return write_set(home / "given")


@pytest.fixture(scope="session")
def whole(given: Path, home: Path) -> Release:
    """Its release with both graphs."""
    return with_graphs(given, home / "whole")


@pytest.fixture(scope="session")
def bare(given: Path, home: Path) -> Release:
    """Its release without a graph."""
    return import_set("plain", given / "test.jsonl", home / "bare")


@pytest.fixture(scope="session")
def towns(home: Path) -> Release:
    """The release of the small set with Cypher."""
    return cypher_release(home / "towns", *ASKED)
