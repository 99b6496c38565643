"""Keeps a command from writing over what it reads, whichever way it came to know of it.

A command says which files it will write before it does anything (`will_write`), and whatever opens a file for
reading reports it (`noticed`). A file that is both is refused at once: an argument, a file that a recipe or
a schema names, a table behind a data set, under its own name or through a link.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG

from rulemine.errors import OutputError

__all__ = ["noticed", "watching", "will_write"]

_Identity = tuple[int, int]
"""Device and inode, the same under every name of a file."""


class _Watch:
    """What was read and what will be written, each by its identity."""

    def __init__(self) -> None:
        self.read: dict[_Identity, Path] = {}
        self.outputs: dict[_Identity, Path] = {}


_watches: list[_Watch] = []
"""The watches that are on, the outermost first."""


@contextmanager
def watching() -> Iterator[dict[_Identity, Path]]:
    """Watches what is read and written until the block ends; yields what was read so far."""
    watch = _Watch()
    _watches.append(watch)
    try:
        yield watch.read
    finally:
        _watches.remove(watch)


def will_write(output: Path) -> None:
    """Says that a file will be written; one that is no regular file yet is no input.

    Raises:
        OutputError: It was read.
    """
    key = _identity(output)
    if key is None:
        return
    for watch in _watches:
        # The number of a file that is gone is given to another.
        if key in watch.read and _identity(watch.read[key]) == key:
            raise _refusal(output, watch.read[key])
        watch.outputs[key] = output


def noticed(path: Path) -> None:
    """Says that a file is read.

    Raises:
        OutputError: It will be written.
    """
    key = _identity(path)
    if key is None:
        return
    for watch in _watches:
        if key in watch.outputs and _identity(watch.outputs[key]) == key:
            raise _refusal(watch.outputs[key], path)
        watch.read[key] = path


def _identity(path: Path) -> _Identity | None:
    """That of a regular file; None of anything else."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if S_ISREG(found.st_mode) else None


def _refusal(output: Path, path: Path) -> OutputError:
    return OutputError(
        f"{output}: is an input of this command ({path}) and would be overwritten. Choose another file with "
        "-o."
    )
