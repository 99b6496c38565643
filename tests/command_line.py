"""The command line for tests: run here or as a process, on a small family of rules and facts."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rulemine.rule_text import AMIE_COLUMNS

PEOPLE = 40

FACTS = "".join(
    f"h{i}\thusband\tw{i}\nw{i}\twife\th{i}\nh{i}\tfather\tc{i}\nw{i}\tmother\tc{i}\nc{i}\tchild\th{i}\n"
    for i in range(PEOPLE)
)

RULES = "\n".join(
    [
        "\t".join(AMIE_COLUMNS),
        "?b  wife  ?a   => ?a  husband  ?b\t1\t1\t1\t40\t40\t40\t?a",
        "?b  husband  ?a   => ?a  wife  ?b\t1\t1\t1\t40\t40\t40\t?a",
        "?b  father  ?a   => ?a  child  ?b\t1\t1\t1\t40\t40\t40\t?a",
        "",
    ]
)


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


def run(folder: Path, arguments: Sequence[str | Path], **environment: str) -> Ended:
    """Runs a command as a process in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "rulemine", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **environment},
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
