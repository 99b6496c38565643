"""A release as one tar, which is the same bytes for the same release on any machine.

It is an uncompressed ustar (POSIX.1-1988): regular files alone, all in one folder, sorted by name, mode 0644,
owner 0 without a name, time 0. Versions of zlib compress differently, so files whose names end in ``.gz`` are
stored in it without compression: every reader of gzip reads them, and digests in a manifest, which are of the
content, hold for both.

Guarantees: every file is checked against its digest before it is archived; the archive is written atomically.
Of reading: no link, device or path outside its folder is ever made, no more is written than the archive has
bytes, and every file is checked against its digest when it is used.
"""

import atexit
import hashlib
import io
import os
import re
import shutil
import struct
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from rulemine.errors import OutputError, ReleaseError
from rulemine.files import opened, read_bytes, whole_file, write_text
from rulemine.release.outputs import MANIFEST

if TYPE_CHECKING:
    from rulemine.release.reader import Release

__all__ = ["PackedRelease", "unpacked", "write_archive"]

_NAME = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)+")
"""A folder and a file in it; no part begins with a dot."""

_BLOCK = 0xFFFF
"""Bytes of a block without compression at most (RFC 1951, 3.2.4)."""

_folders: dict[tuple[int, ...], Path] = {}
"""The folders of the archives that this process unpacked."""


def write_archive(release: "Release", file: Path) -> str:
    """Writes a release as an archive, and its digest beside it as ``FILE.tar.sha256``.

    Args:
        release: The release, from a folder or from an archive.
        file: The archive, a name that ends in ``.tar``.

    Returns:
        The SHA-256 of the archive.

    Raises:
        ReleaseError: A file of the release is missing or was edited, or has a name or size that no archive
            can hold.
        OutputError: The name ends in something else, or it cannot be written.
    """
    if file.suffix != ".tar":
        raise OutputError(
            f"{file}: an archive is one uncompressed tar, whose name ends in .tar; compress a copy of it "
            "(zstd, gzip) where size matters."
        )
    paths = {name: release.file(name) for name in release.manifest["files"]}
    paths[MANIFEST] = release.folder / MANIFEST
    top = release.name if release.name.isascii() and len(release.name) <= 64 else "release"
    try:
        with (
            whole_file(file) as out,
            tarfile.open(fileobj=out, mode="w|", format=tarfile.USTAR_FORMAT) as tar,
        ):
            for name, path in sorted(paths.items()):
                member = tarfile.TarInfo(
                    f"{top}/{name}"
                )  # mode 0644, owner 0 without a name, time 0
                with _stored(path) if path.suffix == ".gz" else path.open("rb") as content:
                    member.size = content.seek(0, io.SEEK_END)
                    content.seek(0)
                    tar.addfile(member, content)
    except ValueError as problem:
        raise ReleaseError(f"{release.path}: {name} cannot be in an archive ({problem}).") from None
    with file.open("rb") as made:
        digest = hashlib.file_digest(made, "sha256").hexdigest()
    write_text(file.with_name(f"{file.name}.sha256"), f"{digest}  {file.name}\n")
    return digest


def _stored(path: Path) -> IO[bytes]:
    """The content of a gzip file as one without compression, name or time: no version of zlib changes it."""
    content = memoryview(read_bytes(path))
    blocks = [content[at : at + _BLOCK] for at in range(0, len(content), _BLOCK)] or [content]
    stored = io.BytesIO()
    stored.write(b"\x1f\x8b\x08\0\0\0\0\0\0\xff")  # of an unknown system
    for number, block in enumerate(blocks, start=1):
        last, size = number == len(blocks), len(block)
        stored.write(struct.pack("<BHH", last, size, size ^ _BLOCK))
        stored.write(block)
    stored.write(struct.pack("<II", zlib.crc32(content), len(content) % 2**32))
    return stored


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
            with _temporary(path) as folder:
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
def _temporary(what: Path) -> Iterator[Path]:
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


class PackedRelease:
    """A release that can be pickled, as its files are, to be read by other processes and machines.

    Args:
        release: The release. Its files are read here, as they are, all of them.

    Raises:
        ReleaseError: A file is missing or was edited.
    """

    def __init__(self, release: "Release") -> None:
        paths = {name: release.file(name) for name in release.manifest["files"]}
        paths[MANIFEST] = release.folder / MANIFEST
        self._folder = release.folder.absolute()
        # Arrays are sent apart from what is pickled, and mapped into memory rather than read.
        self._files = {n: np.frombuffer(p.read_bytes(), np.uint8) for n, p in paths.items()}

    @cached_property
    def release(self) -> "Release":
        """The release, opened once in a process: in its folder where that is seen, else in a temporary one.

        Raises:
            OutputError: There is no room for it in the temporary folder.
        """
        from rulemine.release.reader import Release

        seen = self._folder / MANIFEST
        if seen.is_file() and seen.read_bytes() == self._files[MANIFEST].tobytes():
            return Release.open(self._folder)
        with _temporary(self._folder) as folder:
            for name, content in self._files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content.data)
        return Release.open(folder)
