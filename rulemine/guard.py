"""Keeps a command from losing files: of those that are there it replaces only what it wrote itself.

A command says which files it will write before it does anything (`claim`). One that is there already, and
not empty, is refused unless it is, byte for byte, what the same command wrote on this machine: what a person,
another command or another program wrote or edited is never overwritten. The digests of what commands wrote
are kept in the user's cache; without it nothing is lost, and more is refused.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from rulemine.errors import OutputError

__all__ = ["begin", "cache_folder", "claim", "remember"]

WRITTEN = "written.txt"
"""A file in `cache_folder`, a digest and a command a line."""

_command = ""
"""The command that runs."""

_claimed: set[str] = set()
"""The real paths of the files that it will write."""


def cache_folder() -> Path:
    """``rulemine`` below ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (named if named.is_absolute() else Path("~/.cache").expanduser()) / "rulemine"


def begin(command: str) -> None:
    """Says which command runs from now on in this process."""
    global _command
    _command = command
    _claimed.clear()


def claim(output: Path) -> None:
    """Says that the command will write a file.

    Raises:
        OutputError: It is there, and not as the same command wrote it.
    """
    _claimed.add(os.path.realpath(output))
    if not output.is_file() or not output.stat().st_size:
        return  # a new file, a pipe, or nothing that could be lost
    with suppress(OSError):
        if _line(output) in (cache_folder() / WRITTEN).read_text("utf-8").split("\n"):
            return
    raise OutputError(
        f"{output}: is there, and is not as rulemine {_command} wrote it: it was edited, or something else "
        "wrote it. Nothing was changed. Delete it, or name another file with -o."
    )


def remember(output: Path, content: Path) -> None:
    """Keeps the digest of what is about to be a file that the command claimed."""
    if os.path.realpath(output) in _claimed:
        with suppress(OSError):
            cache_folder().mkdir(parents=True, exist_ok=True)
            with (cache_folder() / WRITTEN).open("a", encoding="utf-8") as lines:
                lines.write(f"{_line(content)}\n")


def _line(file: Path) -> str:
    with file.open("rb") as content:
        return f"{hashlib.file_digest(content, 'sha256').hexdigest()} {_command}"
