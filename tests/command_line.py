"""The command line for tests: run here or as a process, on a small family of rules and facts."""

import hashlib
import io
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from rulemine.cli.main import main
from rulemine.rules.formats import AMIE_COLUMNS
from tests import ROOT

PEOPLE = 40

FACTS = "".join(
    f"h{i}\thusband\tw{i}\nw{i}\twife\th{(i + 1) % PEOPLE}\nh{i}\tfather\tc{i}\nw{i}\tmother\tc{i}\n"
    f"c{i}\tchild\th{(i + 1) % PEOPLE}\n"
    for i in range(PEOPLE)
)
"""No two of these triples join the same two people."""

RULES = "\n".join(
    [
        "\t".join(AMIE_COLUMNS),
        "?a  father  ?c  ?b  mother  ?c   => ?a  husband  ?b\t1\t1\t1\t40\t40\t40\t?a",
        "?a  mother  ?c  ?c  child  ?b   => ?a  wife  ?b\t1\t1\t1\t40\t40\t40\t?a",
        "?c  mother  ?a  ?c  wife  ?b   => ?a  child  ?b\t1\t1\t1\t40\t40\t40\t?a",
        "",
    ]
)


def dense_graph() -> str:
    """A graph whose rules are countless: mining them takes long, and much memory."""
    rng = random.Random(7)
    lines = (
        f"e{rng.randrange(150)}\tr{rng.randrange(60)}\te{rng.randrange(150)}\n"
        for _ in range(30000)
    )
    return "".join(lines)


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


Command = Callable[..., Ended]
"""Runs a command, given its words; the fixture ``command``."""


def status_of(arguments: Sequence[str | Path]) -> int:
    """Runs a command in this process; its status."""
    try:
        return main(list(map(str, arguments)))
    except SystemExit as ended:  # of argparse
        return int(ended.code or 0)


def run_here(folder: Path, arguments: Sequence[str | Path], **environment: str) -> Ended:
    """Runs a command in this process in a folder, for what lives longer than a test and its ``command``."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        patch.delenv("RULEMINE_DATA", raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        status = status_of(arguments)
    for channel in (out, err):
        channel.seek(0)
    return Ended(status, out.read(), err.read())


def run(
    folder: Path,
    arguments: Sequence[str | Path],
    program: Sequence[str] = ("-m", "rulemine"),
    **environment: str,
) -> Ended:
    """Runs a command as a process in a folder."""
    done = subprocess.run(
        [sys.executable, *program, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def tree(folder: Path) -> dict[str, str]:
    """Every path below a folder → the digest of its content, or ``folder``."""
    return {
        path.relative_to(folder).as_posix(): "folder"
        if path.is_dir()
        else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
    }


def assert_refused(ended: Ended, expected: str) -> None:
    """Status 2, nothing on standard output, and one paragraph in which `expected` is found."""
    assert ended.status == 2, ended
    assert ended.out == ""
    assert "Traceback" not in ended.err
    assert re.search(expected, ended.err), ended.err
    if "usage:" not in ended.err:
        assert re.search(r"^rulemine: ", ended.err, re.MULTILINE), "after the stages that were done"
        assert "\n\n" not in ended.err.strip(), "one paragraph"
        assert re.search(r"[.)?0-9a-z…']\n$", ended.err), "a whole sentence"
