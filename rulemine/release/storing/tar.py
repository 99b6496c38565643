"""A release as one tar whose every byte follows from its files, written and read with `tarfile`.

It is an uncompressed ustar (POSIX.1-1988): regular files alone, all in one folder, sorted by name, mode 0644,
owner 0 without a name, time 0. The last file, ``SHA256SUMS``, has the digests of the others as
``sha256sum -c`` reads them.

Guarantees of reading: no link, device or path outside the folder is ever made, and no more is written than
the archive has bytes; what is not, to the byte, the tar of its own files is refused. Archives are unpacked
into a temporary folder that goes when the process ends.
"""

import atexit
import hashlib
import io
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

from rulemine.errors import OutputError, ReleaseError
from rulemine.files import opened

__all__ = ["SUMS", "unpacked", "write_tar"]

SUMS = "SHA256SUMS"
"""The file with the digests."""

_NAME = re.compile(r"(?=.{1,100}\Z)\w[\w.-]*(?:/\w[\w.-]*)+", re.ASCII)
"""A folder and a file in it; no part begins with a dot. Ustar has room for more, which no release needs."""

_NO_TAR = (tarfile.TarError, ValueError, OverflowError, RecursionError)
"""What `tarfile` raises where it cannot read on."""

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


def write_tar(out: Any, top: str, names: Iterable[str], content: Callable[[str], Any]) -> None:
    """Writes the tar of some files.

    Args:
        out: Where to; its method ``write`` is called with bytes, in order.
        top: The folder in the tar.
        names: The files.
        content: Opens a file; it is read twice, and closed.

    Raises:
        ReleaseError: A tar cannot hold such a name or size.
    """
    sums = ""
    with tarfile.open(fileobj=out, mode="w|", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(names):
            with content(name) as file:
                sums += f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}\n"
                _add(tar, f"{top}/{name}", file)
        _add(tar, f"{top}/{SUMS}", io.BytesIO(sums.encode()))


def _add(tar: tarfile.TarFile, name: str, file: IO[bytes]) -> None:
    plain = tarfile.TarInfo(name)  # mode 0644, owner 0 without a name, time 0
    plain.size = file.seek(0, io.SEEK_END)
    file.seek(0)
    if not _NAME.fullmatch(name) or plain.size >= 8**11:
        raise ReleaseError(
            f"{name!r} of {plain.size:,} bytes cannot be in an archive: expected a name of ASCII letters, "
            "digits, dots, - and _ with at most 100 characters, and less than 8 GiB. No release has such a "
            "file; rulemine verify lists all faults."
        )
    tar.addfile(plain, file)


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


def _unpack(file: io.FileIO, path: Path) -> Path:
    """Unpacks an archive into a temporary folder and returns that of the release in it."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="rulemine-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        try:
            _extract(file, path, folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return next(folder.iterdir())
    except OSError as problem:
        raise OutputError(
            f"{path}: cannot be unpacked into {tempfile.gettempdir()} ({problem.strerror}). Free space, or "
            "name another place with the variable TMPDIR."
        ) from None


def _extract(file: io.FileIO, path: Path, folder: Path) -> None:
    """Writes the files of an archive into an empty folder, and checks that it is the tar of these."""
    names: list[str] = []
    try:
        _refuse_compressed(file, path)
        with tarfile.open(fileobj=file, mode="r:") as tar:
            size = os.fstat(file.fileno()).st_size
            for member in tar:
                _check_member(member, names, size)
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                source: Any = tar.extractfile(member)
                with source, target.open("xb") as out:
                    shutil.copyfileobj(source, out)
                names.append(member.name)
    except _NO_TAR as problem:
        if names:
            raise _damaged(path, str(problem)) from None
    if not names:
        raise ReleaseError(
            f"{path}: is a file, and no archive of a release; the folder of a release or a tar that rulemine "
            "archive wrote was expected. Any other tar can be unpacked (tar -xf) and its folder named."
        )
    top = names[0].partition("/")[0]
    own = [name.removeprefix(f"{top}/") for name in names if name != f"{top}/{SUMS}"]
    again = hashlib.sha256()
    write_tar(
        SimpleNamespace(write=again.update), top, own, lambda name: (folder / top / name).open("rb")
    )
    file.seek(0)
    if hashlib.file_digest(file, "sha256").digest() != again.digest():
        raise _damaged(path, f"it is not what its files and their digests, {SUMS}, give")


def _check_member(member: tarfile.TarInfo, before: list[str], size: int) -> None:
    """Checks that a member may be written: a regular file, whole, in the folder of those before it."""
    top = (before or [member.name])[0].partition("/")[0]
    whole = 0 <= member.size <= size - member.offset_data
    if member.type != tarfile.REGTYPE or member.sparse is not None or not whole:
        raise tarfile.HeaderError(
            f"byte {member.offset:,} begins no regular file, or not all of it"
        )
    if not _NAME.fullmatch(member.name) or not member.name.startswith(f"{top}/"):
        raise tarfile.HeaderError(
            f"the name at byte {member.offset:,} is not that of a file of a release"
        )
    if member.name in before:
        raise tarfile.HeaderError(f"{member.name} is there twice")


def _refuse_compressed(file: IO[bytes], path: Path) -> None:
    begin = file.read(tarfile.BLOCKSIZE)
    file.seek(0)
    for packed, program in _PACKED.items():
        if begin.startswith(packed):
            raise ReleaseError(
                f"{path}: is compressed; an uncompressed tar was expected. Decompress it first "
                f"({program} {path.name})."
            )


def _damaged(path: Path, what: str) -> ReleaseError:
    return ReleaseError(
        f"{path}: {what}, so it was cut off, edited or made by another program. Copy or download it again."
    )
