"""Reads the archive of a release, see `rulemine.release.archive`.

Guarantees: no link, device or path outside its folder is ever made, and no more is written than the archive
has bytes. Every file is checked against its digest when it is used.
"""

import atexit
import io
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rulemine.errors import OutputError, ReleaseError
from rulemine.files import opened

__all__ = ["temporary_folder", "unpacked"]

_NAME = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)+")
"""A folder and a file in it; no part begins with a dot."""

_folders: dict[tuple[int, ...], Path] = {}
"""The folders of the archives that this process unpacked."""


def unpacked(path: Path) -> Path:
    """The folder of a release, whether it is given as a folder or as an archive.

    Args:
        path: A folder, or an archive; it is unpacked once in a process as long as it does not change, into a
            temporary folder that goes when the process ends.

    Returns:
        The folder; or the path itself if it is no regular file.

    Raises:
        InputError: It cannot be read.
        ReleaseError: It is a file but no archive, or it was cut off or edited.
        OutputError: There is no room for it in the temporary folder.
    """
    if not path.is_file():
        return path
    with opened(path) as file:
        found = os.fstat(file.fileno())
        key = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
        if key not in _folders:
            with temporary_folder(path) as folder:
                _folders[key] = _extract(file, path, folder)
    return _folders[key]


def _extract(file: io.FileIO, path: Path, folder: Path) -> Path:
    """Writes the files of an archive into an empty folder; returns the only folder in it."""
    try:
        with tarfile.open(fileobj=file, mode="r:") as tar:
            for member in tar:
                regular = member.type == tarfile.REGTYPE and member.sparse is None
                if not (regular and member.size >= 0 and _NAME.fullmatch(member.name)):
                    raise ValueError(f"no file of a release begins at byte {member.offset:,}")
                place = folder / member.name
                place.parent.mkdir(parents=True, exist_ok=True)
                content: Any = tar.extractfile(member)
                with content, place.open("xb") as out:
                    shutil.copyfileobj(content, out)
        top, *others = folder.iterdir()
        if others:
            raise ValueError(f"it has the folders {top.name} and {others[0].name}")
    except (tarfile.TarError, ValueError, OverflowError, RecursionError) as problem:
        raise ReleaseError(
            f"{path}: is a file, and no archive of a release, or one that was cut off or edited ({problem}). "
            "Copy or download it again, decompress it if it is compressed, or unpack any other tar and name "
            "its folder."
        ) from None
    return top


@contextmanager
def temporary_folder(what: Path) -> Iterator[Path]:
    """Yields a new temporary folder, which goes when the process ends or the block fails."""
    folder = Path(tempfile.mkdtemp(prefix="rulemine-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        yield folder
    except OSError as problem:
        raise OutputError(
            f"{what}: cannot be unpacked into {tempfile.gettempdir()} ({problem.strerror}). Free space, or "
            "name another place with the variable TMPDIR."
        ) from None
