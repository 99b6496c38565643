"""The archive of a release: one uncompressed tar whose every byte follows from the contents.

The format is ustar (POSIX.1-1988) with nothing left to choose: regular files alone, all in one folder,
sorted by name, mode 0644, owner 0 without a name, time 0, zeros up to a multiple of 10,240 bytes. The last
file, ``SHA256SUMS``, has the digests of the others as ``sha256sum -c`` reads them.

Guarantees of reading: whatever differs from that by a byte is refused, so no link, device or path outside
the folder is ever made, and no more is written than the archive has bytes. Archives are unpacked into a
temporary folder that goes when the process ends.
"""

import atexit
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO

from rulemine.errors import OutputError, ReleaseError
from rulemine.files import opened

__all__ = ["SUMS", "archive_of", "unpacked"]

SUMS = "SHA256SUMS"
"""The file with the digests."""

_NAME = re.compile(r"(?=.{1,100}\Z)\w[\w.-]*(?:/\w[\w.-]*)+", re.ASCII)
"""A folder and a file in it; no part begins with a dot. Ustar has room for more, which no release needs."""

_NO_TAR = (tarfile.TarError, ValueError, OverflowError, RecursionError)
"""What `tarfile` raises where it cannot read on."""

_AT_ONCE = 1 << 20
"""Bytes read at once."""

_PACKED = {
    b"\x1f\x8b": "gunzip",
    b"\x28\xb5\x2f\xfd": "unzstd",
    b"\xfd7zXZ\0": "unxz",
    b"BZh": "bunzip2",
    b"PK\3\4": "unzip",
}
"""How compressed files begin, and what decompresses them."""

_folders: dict[tuple[int, ...], Path] = {}
"""The folders of the archives that this process unpacked."""


def archive_of(top: str, contents: Iterable[tuple[str, int, Iterable[bytes]]]) -> Iterator[bytes]:
    """The bytes of an archive.

    Args:
        top: Its folder.
        contents: Name, size and bytes of each file, sorted by name; the bytes are asked for after the
            header has been taken.

    Raises:
        ReleaseError: An archive cannot hold such a name or size.
    """
    sums, length = b"", 0
    for name, size, pieces in contents:
        yield _header(f"{top}/{name}", size)
        digest = sha256()
        for piece in pieces:
            digest.update(piece)
            yield piece
        yield bytes(-size % tarfile.BLOCKSIZE)
        sums += f"{digest.hexdigest()}  {name}\n".encode()
        length += tarfile.BLOCKSIZE + size + -size % tarfile.BLOCKSIZE
    yield _header(f"{top}/{SUMS}", len(sums))
    yield sums
    length += tarfile.BLOCKSIZE + len(sums)
    end = -length % tarfile.BLOCKSIZE + 2 * tarfile.BLOCKSIZE
    yield bytes(end + -(length + end) % tarfile.RECORDSIZE)


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = size
    if not _NAME.fullmatch(name) or not 0 <= size < 8**11:
        raise ReleaseError(
            f"{name!r} of {size:,} bytes cannot be in an archive: expected a name of ASCII letters, digits, "
            "dots, - and _ with at most 100 characters, and less than 8 GiB. No release has such a file; "
            "rulemine verify lists all faults."
        )
    return info.tobuf(tarfile.USTAR_FORMAT)


def unpacked(path: Path) -> Path:
    """The folder of a release, whether it is given as a folder or as an archive.

    Args:
        path: A folder, or an archive; it is unpacked once in a process as long as it does not change.

    Returns:
        The folder in the temporary folder; or the path itself if it is no regular file.

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
            _folders[key] = _unpack(file, path)
    return _folders[key]


def _unpack(file: IO[bytes], path: Path) -> Path:
    """Unpacks an archive into a temporary folder and returns that of the release in it."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="rulemine-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        try:
            _write_all(file, path, folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return next(folder.iterdir())
    except OSError as problem:
        raise OutputError(
            f"{path}: cannot be unpacked into {tempfile.gettempdir()} ({problem.strerror}). Free space, or "
            "name another place with the variable TMPDIR."
        ) from None


def _write_all(file: IO[bytes], path: Path, folder: Path) -> None:
    """Writes the files of an archive into an empty folder, and checks every byte of it on the way."""
    members = _members(file, path)
    top, _, last = members[-1].name.partition("/")
    names = [member.name.removeprefix(f"{top}/") for member in members[:-1]]
    if last != SUMS or names != sorted(set(names)):
        raise _damaged(path, f"its files are not in the order of names, {SUMS} last")

    def written(member: tarfile.TarInfo) -> Iterator[bytes]:
        target = folder / member.name
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as out:
            for start in range(0, member.size, _AT_ONCE):
                file.seek(member.offset_data + start)
                piece = file.read(min(_AT_ONCE, member.size - start))
                out.write(piece)
                yield piece

    contents = ((name, one.size, written(one)) for name, one in zip(names, members, strict=False))
    at = 0
    for piece in archive_of(top, contents):
        file.seek(at)
        if (found := file.read(len(piece))) != piece:
            if at != members[-1].offset_data:
                raise _damaged(path, f"what comes after byte {at:,} does not follow from its files")
            lost = {*piece.decode().splitlines()} - {*found.decode("utf-8", "replace").splitlines()}
            wrong = ", ".join(sorted(line[66:] for line in lost)) or SUMS
            raise _damaged(path, f"{wrong}: the digest is not the one in {SUMS}")
        at += len(piece)
    if file.read(1):
        raise _damaged(path, "it does not end as an archive does")
    for _ in written(members[-1]):
        pass


def _members(file: IO[bytes], path: Path) -> list[tarfile.TarInfo]:
    """The files of a tar, each with the header that `archive_of` gives it."""
    begin = file.read(tarfile.BLOCKSIZE)
    for packed, program in _PACKED.items():
        if begin.startswith(packed):
            raise ReleaseError(
                f"{path}: is compressed; an uncompressed tar was expected. Decompress it first "
                f"({program} {path.name})."
            )
    file.seek(0)
    members: list[tarfile.TarInfo] = []
    try:
        with tarfile.open(fileobj=file, mode="r:") as tar:
            for member in tar:
                file.seek(member.offset)
                if file.read(tarfile.BLOCKSIZE) != _header(member.name, member.size):
                    raise tarfile.HeaderError(f"byte {member.offset:,} begins no header of a file")
                members.append(member)
    except (*_NO_TAR, ReleaseError) as problem:
        if members:
            raise _damaged(path, str(problem)) from None
    if not members:
        raise ReleaseError(
            f"{path}: is a file, and no archive of a release; the folder of a release or a tar that rulemine "
            "archive wrote was expected. Any other tar can be unpacked (tar -xf) and its folder named."
        )
    return members


def _damaged(path: Path, what: str) -> ReleaseError:
    return ReleaseError(
        f"{path}: {what}, so it was cut off, edited or made by another program. Copy or download it again."
    )
