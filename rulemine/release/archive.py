"""A release as one tar, which is the same bytes for the same release on any machine.

It is an uncompressed ustar (POSIX.1-1988): regular files alone, all in one folder, sorted by name, mode 0644,
owner 0 without a name, time 0. Versions of zlib compress differently, so files whose names end in ``.gz`` are
stored in it without compression: every reader of gzip reads them, and digests in a manifest, which are of the
content, hold for both.

Guarantees: every file is checked against its digest before it is archived; the archive is written atomically.
"""

import hashlib
import io
import struct
import tarfile
import zlib
from functools import cached_property
from pathlib import Path
from typing import IO

import numpy as np

from rulemine.errors import OutputError, ReleaseError
from rulemine.files import read_bytes, whole_file, write_text
from rulemine.release.reader import MANIFEST, Release
from rulemine.release.unpacking import temporary_folder

__all__ = ["PackedRelease", "write_archive"]

_BLOCK = 0xFFFF
"""Bytes of a block without compression at most (RFC 1951, 3.2.4)."""


def write_archive(release: Release, file: Path) -> str:
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
                # Mode 0644, owner 0 without a name, time 0.
                member = tarfile.TarInfo(f"{top}/{name}")
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


class PackedRelease:
    """A release that can be pickled, as its files are, to be read by other processes and machines.

    Args:
        release: The release. Its files are read here, as they are, all of them.

    Raises:
        ReleaseError: A file is missing or was edited.
    """

    def __init__(self, release: Release) -> None:
        paths = {name: release.file(name) for name in release.manifest["files"]}
        paths[MANIFEST] = release.folder / MANIFEST
        self._folder = release.folder.absolute()
        # Arrays are sent apart from what is pickled, and mapped into memory rather than read.
        self._files = {n: np.frombuffer(p.read_bytes(), np.uint8) for n, p in paths.items()}

    @cached_property
    def release(self) -> Release:
        """The release, opened once in a process: in its folder where that is seen, else in a temporary one.

        Raises:
            OutputError: There is no room for it in the temporary folder.
        """
        seen = self._folder / MANIFEST
        if seen.is_file() and seen.read_bytes() == self._files[MANIFEST].tobytes():
            return Release.open(self._folder)
        with temporary_folder(self._folder) as folder:
            for name, content in self._files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content.data)
        return Release.open(folder)
