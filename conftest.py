"""A folder to work in, the command line in this process, and what a run of all tests says."""

import gc
import os
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from rulemine import guard
from tests import ALL_SEEDS
from tests.command_line import FACTS, RULES, Command, Ended, status_of

SLOWEST = (
    "tests/builder/test_build_with_model.py", "tests/verify/test_every_edit.py",
    "tests/verify/test_fresh.py", "tests/kinds/subgraphs/test_ask.py",
    "tests/contracts/test_documentation_runs.py", "tests/kinds/variants/test_ask.py",
    "checks/oracles/test_miner_against_oracle.py", "tests/kinds/cypher/test_closed.py",
)  # fmt: skip
"""Files that run first, after what is marked slow, so that no process is left alone with one at the end."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a graph and rules for it."""
    (tmp_path / "kg.tsv").write_text(FACTS)
    (tmp_path / "rules.txt").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RULEMINE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "no-cache"))
    return tmp_path


@pytest.fixture(scope="session")
def http() -> Iterator[HTTPServer]:
    """One server for all tests: to stop one takes half a second."""
    with HTTPServer(host="127.0.0.1", threaded=True) as running:
        yield running


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in this process."""

    def call(*arguments: str | Path) -> Ended:
        capsys.readouterr()
        status = status_of(arguments)
        printed = capsys.readouterr()
        return Ended(status, printed.out, printed.err)

    return call


def pytest_configure() -> None:
    """Makes signals mean what they do in a terminal, syncs no file, and collects garbage less often.

    No release of a test has to outlive a power cut, and looking for garbage took a sixth of the time. What
    was written is not remembered in the user's cache.
    What a shell starts in the background ignores Ctrl-C, and what ``nohup`` starts the end of the terminal;
    and so would every process that a test starts.
    """
    gc.set_threshold(200_000, 50, 100)
    os.fsync = lambda handle: None
    guard.WRITTEN = str(Path(tempfile.mkdtemp(prefix="rulemine-tests-")) / guard.WRITTEN)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "SIGHUP"):  # not on Windows
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keeps the garbage collector from looking through thousands of tests again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the slowest first."""
    place = {name: at for at, name in enumerate(SLOWEST)}
    items.sort(
        key=lambda item: (
            item.get_closest_marker("slow") is None,
            place.get(item.nodeid.split("::")[0], len(place)),
        )
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says what was left out; of a run of all seeds, where its time went."""
    if not ALL_SEEDS:
        terminalreporter.write_line(
            "1 seed of 4 was compared with brute force; make check tries all, and what is slow"
        )
        return
    tests, folders = Counter[str](), Counter[str]()
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            tests[report.nodeid] += report.duration
            folders["/".join(report.nodeid.split("::")[0].split("/")[:2])] += report.duration
    for what, seconds in (("tests", tests), ("folders", folders)):
        terminalreporter.section(f"ten slowest {what}")
        for name, took in seconds.most_common(10):
            terminalreporter.write_line(f"{took:7.1f} s  {name}")
