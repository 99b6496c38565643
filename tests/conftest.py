"""A folder to work in, and the command line in this process."""

import gc
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from rulemine.cli.main import main
from tests.command_line import FACTS, RULES, Command, Ended


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a graph and rules for it."""
    (tmp_path / "kg.tsv").write_text(FACTS)
    (tmp_path / "rules.txt").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RULEMINE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "no-cache"))
    return tmp_path


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in this process."""

    def call(*arguments: str | Path) -> Ended:
        capsys.readouterr()
        try:
            status = main(list(map(str, arguments)))
        except SystemExit as ended:  # of argparse
            status = int(ended.code or 0)
        printed = capsys.readouterr()
        return Ended(status, printed.out, printed.err)

    return call


def pytest_configure() -> None:
    """Makes signals mean what they do in a terminal.

    What a shell starts in the background ignores Ctrl-C, and what ``nohup`` starts the end of the terminal;
    and so would every process that a test starts.
    """
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
