"""Writes the archive of a release: the same bytes for the same release, on any machine.

The format is that of `rulemine.release.storing.tar`. What a compressor writes differs between machines, so
files whose names end in ``.gz`` are stored without compression in it: every reader of gzip reads them, and a
compressor of the whole archive finds the text as it is. Digests in the manifest are of the content, so they
hold for both.

Guarantees: every file is checked against its digest before anything is written; the archive is written
atomically, and replaces nothing but an archive of the same benchmark.
"""

import gzip
import hashlib
import re
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO

from rulemine.errors import OutputError, UserError
from rulemine.files import write_stream, write_text
from rulemine.release.reader import MANIFEST, Release
from rulemine.release.storing.outputs import check_file
from rulemine.release.storing.tar import write_tar

__all__ = ["check_archive", "write_archive"]

ENDING = ".tar"
"""How the names of archives end."""

_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""Names of benchmarks that name the folder in the archive; for others it is ``release``."""

_STORED_AT_ONCE = 1 << 15
"""Bytes that gzip is given at once: of larger pieces, zlib and zlib-ng make blocks of different sizes."""

_READ_AT_ONCE = 1 << 20


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
        progress: Called with (files written, all of them).

    Returns:
        The SHA-256 of the archive.

    Raises:
        ReleaseError: A file of the release is missing or was edited, or has a name or size that no archive
        can hold. OutputError: See `check_archive`, or it cannot be written.
    """
    check_archive(release, file)
    names = [MANIFEST, *release.manifest["files"]]
    for name in release.manifest["files"]:
        release.file(name)
    done = 0

    def content(name: str) -> IO[bytes]:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, len(names))
        path = release.folder / name
        return _stored(path) if name.endswith(".gz") else path.open("rb")

    with tempfile.TemporaryFile() as made:
        try:
            write_tar(
                made, release.name if _FOLDER.fullmatch(release.name) else "release", names, content
            )
            made.seek(0)
            digest = hashlib.file_digest(made, "sha256").hexdigest()
            made.seek(0)
        except OSError as problem:
            raise OutputError(
                f"{file}: cannot be made in {tempfile.gettempdir()} ({problem.strerror}). Free space, or "
                "name another place with the variable TMPDIR."
            ) from None
        write_stream(file, iter(lambda: made.read(_READ_AT_ONCE), b""))
    write_text(_beside(file), f"{digest}  {file.name}\n")
    return digest


def _stored(path: Path) -> IO[bytes]:
    """The content of a gzip file as one without compression, nor name or time; it goes when it is closed."""
    packed = tempfile.TemporaryFile()  # noqa: SIM115  # whoever reads it closes it
    with gzip.open(path) as content, gzip.GzipFile("", "wb", 0, packed, mtime=0) as stored:
        while piece := content.read(_STORED_AT_ONCE):
            stored.write(piece)
            stored.flush(
                zlib.Z_NO_FLUSH
            )  # versions of Python collect pieces, as many as each sees fit
    packed.seek(0)
    return packed


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.sha256")
