"""Two workers on this machine for the tests of this folder."""

import pytest

from tests.cluster.work import started


@pytest.fixture(scope="session")
def two_workers(tmp_path_factory):
    """A scheduler with two processes, which do not see the client's files: these have to be sent."""
    with started(tmp_path_factory.mktemp("workers"), 2) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A folder of caches that nobody else uses."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
