"""Writes the archive of a release: the same bytes for the same release, on any machine.

The format is that of `rulemine.release.storing.ustar`. What a compressor writes differs between machines, so
files whose names end in ``.gz`` are gzip files (RFC 1952) with stored blocks alone: every reader of gzip
reads them, and a compressor of the whole archive finds the text as it is. Digests in the manifest are of the
content, so they hold for both.

Guarantees: every file is checked against its digest before anything is written and as it is written; the
archive is written atomically, and replaces nothing but an archive of the same benchmark.
"""

import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from rulemine.errors import OutputError, ReleaseError, UserError
from rulemine.files import read_blocks, write_stream, write_text
from rulemine.release.reader import MANIFEST, Release
from rulemine.release.storing.outputs import check_file
from rulemine.release.storing.ustar import archive_of

__all__ = ["check_archive", "write_archive"]

ENDING = ".tar"
"""How the names of archives end."""

_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""Names of benchmarks that name the folder in the archive; for others it is ``release``."""

_GZIP_HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
"""No name, no time, no system."""

_MOST_STORED = 65_535
"""Bytes of a stored block."""


def check_archive(release: Release, file: Path) -> None:
    """Checks, before any work, that an archive can be written.

    Args:
        release: The release.
        file: The archive, a name that ends in ``.tar``.

    Raises:
        OutputError: It is anything but a new file or an archive of the same benchmark, or see
            `rulemine.release.storing.outputs.check_file`.
    """
    if file.suffix != ENDING:
        raise OutputError(
            f"{file}: an archive is one uncompressed tar, whose name ends in {ENDING}; compress a copy of it "
            "(zstd, gzip) where size matters."
        )
    for output in (file, _beside(file)):
        check_file(output, [release.path, release.folder])
    if file.exists():
        try:
            name = Release.open(file).name
        except UserError as problem:
            raise OutputError(
                f"{file}: is there and is no archive that could be replaced; nothing was changed ({problem}) "
                "Name another file with -o, or delete this one."
            ) from None
        if name != release.name:
            raise OutputError(
                f"{file}: is an archive of {name!r}, and this release is {release.name!r}; nothing was "
                "changed. Name another file with -o."
            )
    sums = _beside(file)
    if sums.exists() and not re.fullmatch(
        rb"[0-9a-f]{64}  \S.*\n", sums.read_bytes()[:4096] if sums.is_file() else b""
    ):
        raise OutputError(
            f"{sums}: is there and has no digest of an archive, which would be written there; nothing was "
            "changed. Move it away, or name another file with -o."
        )


def write_archive(
    release: Release, file: Path, progress: Callable[[int, int], None] | None = None
) -> str:
    """Writes a release as an archive, and its digest beside it as ``FILE.tar.sha256``.

    Args:
        release: The release, from a folder or from an archive.
        file: See `check_archive`.
        progress: Called with (bytes written, all of them).

    Returns:
        The SHA-256 of the archive.

    Raises:
        ReleaseError: A file of the release is missing or was edited, or has a name or size that no archive
        can hold. OutputError: See `check_archive`, or it cannot be written.
    """
    check_archive(release, file)
    for name in release.manifest["files"]:
        release.file(name)
    digest = hashlib.sha256()
    size = sum(_packed_size(release, name) for name in release.manifest["files"])

    def watched(pieces: Iterable[bytes]) -> Iterator[bytes]:
        done = 0
        for piece in pieces:
            digest.update(piece)
            done += len(piece)
            if progress is not None:
                progress(done, max(done, size))
            yield piece

    write_stream(file, watched(_archive(release)), size)
    write_text(_beside(file), f"{digest.hexdigest()}  {file.name}\n")
    return digest.hexdigest()


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.sha256")


def _archive(release: Release) -> Iterator[bytes]:
    manifest = (release.folder / MANIFEST).read_bytes()
    contents = (
        (name, len(manifest), iter([manifest]))
        if name == MANIFEST
        else (name, _packed_size(release, name), _packed(release, name))
        for name in sorted([MANIFEST, *release.manifest["files"]])
    )
    return archive_of(release.name if _FOLDER.fullmatch(release.name) else "release", contents)


def _size(release: Release, name: str) -> int:
    size = release.manifest["files"][name].get("bytes")
    if type(size) is not int or size < 0:
        raise ReleaseError(
            f"{release.path / MANIFEST}: invalid size of {name}. Fetch or build the release again."
        )
    return size


def _packed_size(release: Release, name: str) -> int:
    size = _size(release, name)
    if not name.endswith(".gz"):
        return size
    return len(_GZIP_HEAD) + size + 5 * max(1, -(-size // _MOST_STORED)) + 8


def _packed(release: Release, name: str) -> Iterator[bytes]:
    """The bytes of a file in the archive.

    Raises:
        ReleaseError: It changed since it was checked, or its size is not that of the manifest.
    """
    size, digest, done = _size(release, name), hashlib.sha256(), 0
    stored, waiting, total = name.endswith(".gz"), b"", 0
    if stored:
        yield _GZIP_HEAD
    for block in read_blocks(release.folder / name):
        digest.update(block)
        done += len(block)
        if not stored:
            yield block
            continue
        total, waiting = zlib.crc32(block, total), waiting + block
        whole = (len(waiting) - 1) // _MOST_STORED * _MOST_STORED
        for at in range(0, whole, _MOST_STORED):
            yield _stored(waiting[at : at + _MOST_STORED], last=False)
        waiting = waiting[whole:]
    if done != size or digest.hexdigest() != release.manifest["files"][name]["sha256"]:
        raise ReleaseError(
            f"{release.path / name}: has {done:,} bytes, and not the size and digest that {MANIFEST} states "
            f"({size:,} bytes). Fetch or build the release again; rulemine verify lists all faults."
        )
    if stored:
        yield _stored(waiting, last=True)
        yield total.to_bytes(4, "little") + (size & 0xFFFFFFFF).to_bytes(4, "little")


def _stored(piece: bytes, *, last: bool) -> bytes:
    """A stored block of deflate (RFC 1951, 3.2.4)."""
    size = len(piece)
    return (
        bytes([last]) + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little") + piece
    )
