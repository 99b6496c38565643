"""Reading and writing text files: strict in, atomic and deterministic out.

Guarantees: text is written as UTF-8 with LF; a file appears under its name only when it is complete
(temporary file in the same folder, flushed to disk, then renamed); gzip headers hold no time and no name.
Reading accepts a UTF-8 byte order mark and CRLF, and rejects anything that is not text with a message
that names the file and the line. Endless input (a device, a pipe) is rejected too.
"""

import gzip
import hashlib
import io
import math
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import IO, Any

from rulemine.codec import dump_line, parse_object
from rulemine.errors import InputError, OutputError
from rulemine.guard import remember

__all__ = [
    "describe_content",
    "digest_of",
    "opened",
    "read_blocks",
    "read_bytes",
    "read_jsonl",
    "read_lines",
    "read_text",
    "take_lock",
    "whole_file",
    "write_bytes",
    "write_jsonl",
    "write_lines",
    "write_stream",
    "write_text",
]

BLOCK = 1 << 22
"""Bytes read at once."""

MOST_BYTES = 1 << 31
"""Limit for a file that is read as a whole, decompressed, so that endless input cannot fill memory."""

MOST_BYTES_A_LINE = 1 << 26
"""Limit for a line of a file that is read line by line; the file may have any size."""

_DESCRIBED: dict[tuple[str, bytes], tuple[int, str]] = {}
"""Suffix and digest of a compressed file → length and digest of its content: a finished build compares the
files of a release with those of its last stage, and unpacks each only once."""

_OTHER_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
"""Byte order mark → an encoding that is not UTF-8."""


def read_bytes(path: Path) -> bytes:
    """The content of a file, decompressed when its name ends in .gz or .zst.

    Raises:
        InputError: It is missing, a folder, unreadable, over `MOST_BYTES`, or not what its suffix says.
    """
    return b"".join(_pieces(path, most=MOST_BYTES))


@contextmanager
def _openable(path: Path) -> Iterator[None]:
    """Turns a failure to open or read a file into an `InputError`."""
    try:
        yield
    except gzip.BadGzipFile:
        raise
    except OSError as problem:
        found = {
            IsADirectoryError: "is a folder; a file was expected. Name a file inside it.",
            FileNotFoundError: "no such file. Check the name and the current folder.",
        }.get(type(problem), f"cannot be read ({problem.strerror}). Check its permissions.")
        raise InputError(f"{path}: {found}") from None


def opened(path: Path) -> io.FileIO:
    """Opens a file for reading, unbuffered and without decompression.

    Raises:
        InputError: It is missing, a folder or unreadable.
    """
    with _openable(path):
        return path.open("rb", buffering=0)


def read_blocks(path: Path, watch: Callable[[bytes], object] | None = None) -> Iterator[bytes]:
    """The content of a file as `read_bytes` gives it, in blocks that end with a line (LF).

    Args:
        path: The file, of any size; a pipe too, which is read once.
        watch: Called with the raw bytes of the file, compressed or not, as they are read.

    Yields:
        Blocks, none empty. Only the last may end without LF, or one with a NUL byte, so that a reader of
        text can reject a binary file without waiting for the end of its line.

    Raises:
        InputError: As `read_bytes`; damage in compressed data is found when it is reached. Or a line is
            longer than `MOST_BYTES_A_LINE`.
    """
    waiting: list[bytes] = []
    length = 0
    for piece in _pieces(path, watch):
        end = len(piece) if b"\0" in piece else piece.rfind(b"\n") + 1
        if end:
            yield b"".join((*waiting, piece[:end]))
            waiting, length = [], 0
        if end < len(piece):
            waiting.append(piece[end:])
            length += len(piece) - end
        if length > MOST_BYTES_A_LINE:
            start = b"".join(waiting)[:40].decode("utf-8", "replace")
            raise InputError(
                f"{path}: the line that begins {start!r} is longer than {MOST_BYTES_A_LINE >> 20} MiB; "
                "lines of text were expected. Is it the right file?"
            )
    if waiting:
        yield b"".join(waiting)


def _pieces(
    path: Path, watch: Callable[[bytes], object] | None = None, most: float = math.inf
) -> Iterator[bytes]:
    """Yields the decompressed content of a file piece by piece, up to a number of bytes."""
    size = 0
    damage: tuple[type[Exception], ...] = (gzip.BadGzipFile, EOFError, zlib.error)
    with opened(path) as file:
        raw: Any = _Watched(file, watch) if watch else file
        try:
            if path.suffix == ".gz":
                raw = gzip.GzipFile(fileobj=raw, mode="rb")
            elif path.suffix == ".zst":
                zstandard = _zstandard()
                raw, damage = (
                    zstandard.ZstdDecompressor().stream_reader(raw),
                    (zstandard.ZstdError,),
                )
            with _openable(path):
                while piece := raw.read(BLOCK):
                    if (size := size + len(piece)) > most:
                        raise InputError(
                            f"{path}: holds more than {most / 2**20:,.0f} MiB, the limit for such a file. "
                            "Is it the right one?"
                        )
                    yield piece
        except damage as problem:
            kind = path.suffix[1:]
            raise InputError(
                f"{path}: is not a complete {kind} file ({problem}). Copy or download it again."
            ) from None


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise InputError(
            "reading .zst needs the package zstandard: pip install 'rulemine[zstd]', "
            "or decompress the file first."
        ) from None
    return zstandard


class _Watched:
    """A file that passes its bytes to a callback as they are read."""

    def __init__(self, file: IO[bytes], watch: Callable[[bytes], object]) -> None:
        self._file, self._watch = file, watch

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self._watch(piece)
        return piece


def read_text(path: Path, most: float | None = None) -> str:
    """The content of a UTF-8 text file, without byte order mark, CRLF turned into LF.

    Raises:
        InputError: As `read_bytes`, with `most` as the limit; or it is binary or in another encoding.
    """
    some: list[bytes] = []
    for piece in _pieces(path, most=MOST_BYTES if most is None else most):
        some.append(piece)
        if b"\0" in piece:
            break  # not text, and perhaps endless
    return decoded(path, b"".join(some))


def decoded(path: Path, raw: bytes, before: int = 0) -> str:
    """Decodes the content of a file as `read_text` does, or a part of it that follows `before` lines."""
    for mark, encoding in _OTHER_MARKS.items() if not before else ():
        if raw.startswith(mark):
            raise InputError(
                f"{path}: starts with a {encoding} byte order mark; UTF-8 was expected. "
                f"Convert it, e.g. iconv -f {encoding} -t UTF-8."
            )
    raw = raw if before else raw.removeprefix(b"\xef\xbb\xbf")
    nul = raw.find(b"\0")
    if nul >= 0:
        line = before + raw.count(b"\n", 0, nul) + 1
        raise InputError(
            f"{path}: line {line} holds a NUL byte, so this is a binary file; UTF-8 text was "
            "expected. Is it the right file, or is it compressed under another name?"
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = before + raw.count(b"\n", 0, problem.start) + 1
        raise InputError(
            f"{path}: line {line} is not UTF-8 (byte 0x{raw[problem.start]:02x}). Convert the file, "
            "e.g. iconv -f ISO-8859-1 -t UTF-8."
        ) from None
    return text.replace("\r\n", "\n") if "\r" in text else text


def read_lines(path: Path) -> list[str]:
    """The lines of a text file without their ends; empty lines at the end are dropped.

    Only LF (or CRLF) ends a line: other Unicode line separators may be part of labels.

    Raises:
        InputError: As `read_text`, or the file is empty.
    """
    lines = read_text(path).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise InputError(f"{path}: is empty; at least one line was expected.")
    return lines


def read_jsonl(path: Path, holding: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file; those alone whose lines hold a text.

    Yields:
        Line number (from 1) and the object. An empty file yields nothing; NaN is not JSON.

    Raises:
        InputError: As `read_text`, or a line is not one JSON object.
    """
    before = 0
    for block in read_blocks(path):
        lines = decoded(path, block, before).removesuffix("\n").split("\n")
        for number, line in enumerate(lines, start=before + 1):
            if holding in line and line.strip():
                yield number, parse_object(line, f"{path}: line {number}")
        before += len(lines)


def digest_of(content: bytes) -> str:
    """SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def describe_content(path: Path) -> tuple[int, str]:
    """Length and SHA-256 of what `read_bytes` returns, without holding it in memory.

    Raises:
        InputError: As `read_bytes`.
    """
    with opened(path) as file, _openable(path):
        raw, size = hashlib.file_digest(file, "sha256"), file.tell()
    stored = path.suffix, raw.digest()
    if path.suffix in (".gz", ".zst") and stored not in _DESCRIBED:
        size, digest = 0, hashlib.sha256()
        for piece in _pieces(path):
            size += len(piece)
            digest.update(piece)
        _DESCRIBED[stored] = size, digest.hexdigest()
    return _DESCRIBED.get(stored, (size, raw.hexdigest()))


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file atomically, compressed if its name ends in .gz (no time, no name inside).

    Raises:
        OutputError: The folder is missing or read-only, or the disk is full; nothing is left behind.
    """
    write_stream(path, [content])


def write_stream(path: Path, pieces: Iterable[bytes]) -> None:
    """Writes a file as `write_bytes` does, piece by piece, so that large files are never held whole."""
    with whole_file(path) as out:
        out.writelines(_compressed(pieces) if path.suffix == ".gz" else pieces)


def _compressed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """A gzip file; `gzip` of the standard library writes other headers in other versions of Python."""
    packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    yield from map(packer.compress, pieces)
    yield packer.flush()


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Yields a new file, which takes a name when the block ends, flushed to disk; until then nothing changes.

    Args:
        path: The name; links are followed. What is no regular file, such as a pipe, is written as it is.

    Raises:
        OutputError: The folder is missing or read-only, or the disk is full; nothing is left behind.
    """
    try:
        if path.exists() and not path.is_file():
            # Write to a device or a pipe directly; a rename would put a file in its place.
            with path.open("wb") as out:
                yield out
            return
        path = path.resolve() if path.is_symlink() else path
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{token_hex(4)}")
        try:
            with temporary.open("xb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            remember(path, temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as problem:
        raise OutputError(
            f"{path}: cannot be written ({problem.strerror}). "
            "Check permissions and free space, or choose another place with -o."
        ) from None


def write_text(path: Path, text: str) -> None:
    """Writes a UTF-8 text file atomically (see `write_bytes`)."""
    write_bytes(path, text.encode("utf-8"))


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """Writes records or objects as a JSON Lines file atomically, see `write_lines`."""
    write_lines(path, (f"{dump_line(row)}\n" for row in rows))


def write_lines(path: Path, pieces: Iterable[str]) -> None:
    """Writes a UTF-8 text file as `write_bytes` does, piece by piece."""
    write_stream(path, (piece.encode() for piece in pieces))


def take_lock(handle: int) -> bool:
    """Locks an open file until it is closed or the process ends.

    Returns:
        False if another process holds the lock. On Windows this locks nothing.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
