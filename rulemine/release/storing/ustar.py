"""The archive of a release: one uncompressed tar whose every byte follows from the contents.

The format is ustar (POSIX.1-1988) with nothing left to choose: regular files alone, all in one folder,
sorted by name, mode 0644, owner 0 without a name, time 0, zeros up to a multiple of 10,240 bytes. The last
file, ``SHA256SUMS``, has the digests of the others as ``sha256sum -c`` reads them.

Guarantees of reading: whatever differs from that by a byte is refused, so no link, device or path outside
the folder is ever made, and no more is written than the archive has bytes. Archives are unpacked into a
temporary folder that goes when the process ends.
"""

import atexit
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from rulemine.errors import OutputError, ReleaseError
from rulemine.files import opened

__all__ = ["BLOCK", "END", "SUMS", "format_sums", "header", "unpacked"]

SUMS = "SHA256SUMS"
"""The file with the digests."""

BLOCK = 512
"""Bytes of a header; contents are filled up with zeros to a multiple."""

END = 10_240
"""The size of the whole is a multiple of it, with two blocks of zeros at least at the end."""

LONGEST = 100
"""Most bytes of a name; ustar has room for more, which no release needs."""

_NAME = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)+", re.ASCII)
"""A folder and a file in it; no part begins with a dot."""

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


def header(name: str, size: int) -> bytes:
    """The header of a file.

    Args:
        name: Its name, with the folder.
        size: Its size in bytes.

    Raises:
        ReleaseError: An archive cannot hold such a name or size.
    """
    if not _NAME.fullmatch(name) or len(name) > LONGEST or not 0 <= size < 8**11:
        raise ReleaseError(
            f"{name!r} of {size:,} bytes cannot be in an archive: expected a name of ASCII letters, digits, "
            f"dots, - and _ with at most {LONGEST} characters, and less than 8 GiB. No release has such a "
            "file; rulemine verify lists all faults."
        )
    fields = (
        (name, 100), ("0000644", 8), ("0000000", 8), ("0000000", 8), (f"{size:011o}", 12), ("0" * 11, 12),
        ("        ", 8), ("0", 1), ("", 100), ("ustar", 6), ("00", 2), ("", 247),
    )  # fmt: skip
    block = b"".join(text.encode().ljust(width, b"\0") for text, width in fields)
    return block[:148] + f"{sum(block):06o}\0 ".encode() + block[156:]


def format_sums(digests: dict[str, str]) -> bytes:
    """The content of `SUMS`: a line for each file, in the order given."""
    return "".join(f"{digest}  {name}\n" for name, digest in digests.items()).encode()


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
            _folders[key] = _unpack(file, path, found.st_size)
    return _folders[key]


def _unpack(file: IO[bytes], path: Path, length: int) -> Path:
    """Unpacks an archive into a temporary folder and returns that of the release in it."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="rulemine-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        try:
            _write_all(file, path, length, folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return next(folder.iterdir())
    except OSError as problem:
        raise OutputError(
            f"{path}: cannot be unpacked into {tempfile.gettempdir()} ({problem.strerror}). Free space, or "
            "name another place with the variable TMPDIR."
        ) from None


def _write_all(file: IO[bytes], path: Path, length: int, folder: Path) -> None:
    """Writes the files of an archive into an empty folder, and checks every byte of it on the way."""
    digests: dict[str, str] = {}
    before, top, sums = "", "", b""
    for name, size in _headers(file, path, length):
        inside = name.partition("/")[2]
        top = top or name.removesuffix(inside)
        last = inside == SUMS
        if not name.startswith(top) or before == SUMS or not (last or before < inside):
            raise _damaged(path, f"{name} is not where the order of names has it")
        target, digest, rest = folder / name, hashlib.sha256(), size
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as out:
            while piece := file.read(min(rest, 1 << 20)):
                out.write(piece)
                digest.update(piece)
                rest -= len(piece)
        if file.read(-size % BLOCK).strip(b"\0"):
            raise _damaged(path, f"{name} is not followed by zeros")
        before = inside
        if last:
            sums = target.read_bytes()
        else:
            digests[inside] = digest.hexdigest()
    if before != SUMS:
        raise _damaged(path, f"{SUMS} is not its last file")
    if sums != format_sums(digests):
        stated = {line[66:]: line[:64] for line in sums.decode("utf-8", "replace").splitlines()}
        wrong = sorted(n for n in {**digests, **stated} if digests.get(n) != stated.get(n))
        raise _damaged(path, f"{', '.join(wrong) or SUMS}: the digest is not the one in {SUMS}")


def _headers(file: IO[bytes], path: Path, length: int) -> Iterator[tuple[str, int]]:
    """Yields name and size of each file; the caller reads its content before the next."""
    block = file.read(BLOCK)
    _check_begin(block, path)
    while block.strip(b"\0"):
        name = block[:LONGEST].rstrip(b"\0").decode("ascii", "replace")
        try:
            size = int(block[124:135], 8)
            exact = header(name, size) == block
        except (ValueError, ReleaseError):
            exact = False
        if not exact and file.tell() == len(block):
            raise _foreign(path)
        if not exact:
            raise _damaged(path, f"byte {file.tell() - len(block):,} begins no header of a file")
        if file.tell() + size + -size % BLOCK > length:
            raise _damaged(path, f"it ends within {name}")
        yield name, size
        block = file.read(BLOCK)
    end = file.tell() - len(block)
    if length != end + 2 * BLOCK + -(end + 2 * BLOCK) % END or (block + file.read()).strip(b"\0"):
        raise _damaged(path, "it does not end as an archive does")


def _check_begin(block: bytes, path: Path) -> None:
    """Refuses what is no tar."""
    if block[257:265] == b"ustar\x0000":
        return
    for begin, program in _PACKED.items():
        if block.startswith(begin):
            raise ReleaseError(
                f"{path}: is compressed; an uncompressed tar was expected. Decompress it first "
                f"({program} {path.name})."
            )
    raise _foreign(path)


def _foreign(path: Path) -> ReleaseError:
    return ReleaseError(
        f"{path}: is a file, and no archive of a release; the folder of a release or a tar that rulemine "
        "archive wrote was expected. Any other tar can be unpacked (tar -xf) and its folder named."
    )


def _damaged(path: Path, what: str) -> ReleaseError:
    return ReleaseError(
        f"{path}: {what}, so it was cut off, edited or made by another program. Copy or download it again."
    )
