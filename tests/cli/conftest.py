"""A small release for every test of the command line, built once; tables of what is refused; processes."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import ROOT
from tests.command_line import FACTS, RULES, Command, assert_refused, run_here, tree

BUILD = ("build", "kg.tsv", "--rules", "rules.txt", "-o")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release in ``out/kg`` and predictions for it; not to be changed."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "kg.tsv").write_text(FACTS)
    (folder / "rules.txt").write_text(RULES)
    assert run_here(folder, [*BUILD, "out/kg"]).status == 0
    assert run_here(folder, ["answer", "out/kg", "--with", "lookup", "-o", "p.jsonl"]).status == 0
    shutil.rmtree(folder / "p.jsonl.work", ignore_errors=True)
    return folder


@pytest.fixture
def built(made: Path, here: Path) -> Path:
    """A folder to work in, with a copy of the release and the predictions."""
    shutil.copytree(made / "out", here / "out")
    shutil.copy(made / "p.jsonl", here / "p.jsonl")
    return here


def unrefused(command: Command, folder: Path, rows: Iterable[tuple[str, str]]) -> list[str]:
    """The commands that are not refused in one short paragraph as expected, or that change the folder."""
    before, wrong = tree(folder), []
    for words, expected in rows:
        ended = command(*shlex.split(words))
        try:
            assert_refused(ended, expected)
            assert len(ended.err) < 700
            assert tree(folder) == before
        except AssertionError as problem:
            wrong.append(f"{words}: {problem}")
    return wrong


@contextmanager
def started(
    folder: Path,
    words: Sequence[str],
    program: Sequence[str] = ("-m", "rulemine"),
    **environment: str,
) -> "Iterator[subprocess.Popen[str]]":
    """A process that is gone at the end, however that comes."""
    process = subprocess.Popen(
        [sys.executable, *program, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def told(process: "subprocess.Popen[str]", text: str) -> str:
    """The next line of a process on standard error that holds a text."""
    assert process.stderr is not None
    while text not in (line := process.stderr.readline()):
        assert line, "it ended before that"
    return line
