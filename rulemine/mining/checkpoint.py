"""Stores the rules of finished head relations on disk, to save memory and to resume a run.

Guarantees: a head relation is in the file with all its rules or not at all; a record left incomplete
when the process died is dropped; a file is only read by a run whose graph, options and miner give the
same rules. Short runs leave no file: nothing is written in the first `SECONDS_BEFORE_WRITING`, unless
the rules take more than `BYTES_IN_MEMORY`.

The file is a line of text that names the run, and a record for each finished head relation: id of
the relation, number of rules (int64 each), CRC-32 of both and of what follows (uint32), and the rows
of the miner's table, int64; all little-endian.
"""

import os
import struct
import tempfile
import time
import zlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from rulemine.errors import MiningError, OutputError
from rulemine.files import opened

__all__ = ["Checkpoint", "Rows"]

SECONDS_BEFORE_WRITING = 5.0
"""Shorter runs are repeated faster than the digest of the graph, which the first line needs, is computed."""

BYTES_IN_MEMORY = 32 << 20

Rows = npt.NDArray[np.int64]
"""Rules of one head relation as the miner returns them, see `rulemine.mining.jvm.mine_rows`."""

_BEGIN = b"rulemine mining checkpoint "
_HEAD = struct.Struct("<qq")
_CHECK = struct.Struct("<I")


class Checkpoint:
    """The rows of finished head relations: the latest in memory, earlier ones in a file.

    Attributes:
        path: The file; None: an unnamed one, which ends with the process.
    """

    def __init__(
        self, path: Path | None, columns: int, key: Callable[[], str], *, resume: bool = False
    ) -> None:
        """Starts a checkpoint, or continues one.

        Args:
            path: The file.
            columns: Columns of the miner's table.
            key: Called when needed; returns a string that identifies everything the rules depend on.
            resume: Whether to continue from an existing file; otherwise it is removed.

        Raises:
            MiningError: The existing file belongs to another run.
            OutputError: It is not a checkpoint, or cannot be opened, truncated or removed.
        """
        self.path = path
        self._columns = columns
        self._key = key
        self._file: IO[bytes] | None = None
        self._waiting: dict[int, Rows] = {}
        self._waiting_bytes = 0
        self._written: dict[int, tuple[int, int]] = {}
        self._begun = time.monotonic()
        if path is None:
            return
        if not resume:
            self._refuse_other_file()
            self.remove()
        elif path.exists():
            try:
                self._file = path.open("r+b", buffering=0)
                self._read(self._file)
            except OSError as problem:
                raise self._failure(problem) from None

    def _refuse_other_file(self) -> None:
        """Refuses to remove a file that is not a checkpoint."""
        if self.path is None or not os.path.lexists(self.path):
            return
        begin = b""
        if self.path.is_file():
            with opened(self.path) as file:
                begin = file.read(len(_BEGIN))
        if not self.path.is_file() or not _BEGIN.startswith(begin):
            raise OutputError(
                f"{self.path}: was not made by this program, which needs that name. Move it away, or "
                "choose another place with -o."
            )

    def _read(self, file: IO[bytes]) -> None:
        """Finds the complete records, and truncates the file after them."""
        good = 0
        begin = file.read(len(self._first))
        if begin == self._first:
            good = len(begin)
        elif not self._first.startswith(begin):  # otherwise killed while the first line was written
            raise MiningError(
                f"{self.path}: was written for another graph, other options or another version "
                "of the miner, so it cannot be used. Give the same graph and options, or leave "
                "--resume out to start over."
            )
        size = os.fstat(file.fileno()).st_size
        while good and len(head := file.read(_HEAD.size + _CHECK.size)) == _HEAD.size + _CHECK.size:
            relation, rules = _HEAD.unpack_from(head)
            length = rules * self._columns * 8
            if not 0 <= length <= size - good - len(head):
                break
            if zlib.crc32(file.read(length), zlib.crc32(head[: _HEAD.size])) != int.from_bytes(
                head[_HEAD.size :], "little"
            ):
                break
            self._written[relation] = good + len(head), rules
            good += len(head) + length
        file.truncate(good)

    @cached_property
    def _first(self) -> bytes:
        return _BEGIN + f"{self._key()}\n".encode()

    @property
    def sizes(self) -> dict[int, int]:
        """Finished head relation → number of its rules, by relation."""
        sizes = {head: rules for head, (_, rules) in self._written.items()}
        sizes |= {head: len(rows) for head, rows in self._waiting.items()}
        return dict(sorted(sizes.items()))

    def rows(self, head: int) -> Rows:
        """The rows of a finished head relation, shape (rules, columns).

        Raises:
            OutputError: The file cannot be read.
        """
        if head in self._waiting or self._file is None:
            return self._waiting[head]
        place, rules = self._written[head]
        try:
            self._file.seek(place)
            content = self._file.read(rules * self._columns * 8)
        except OSError as problem:
            raise self._failure(problem) from None
        return np.ndarray((rules, self._columns), "<i8", content)

    def add(self, head: int, rows: Rows) -> None:
        """Adds a finished head relation, which is written to the file soon.

        Raises:
            OutputError: The file cannot be written.
        """
        self._waiting[head] = rows
        self._waiting_bytes += rows.nbytes
        late = self.path and time.monotonic() >= self._begun + SECONDS_BEFORE_WRITING
        if late or self._waiting_bytes > BYTES_IN_MEMORY:
            self.write()

    def write(self) -> None:
        """Writes the rows that are not in the file yet.

        Raises:
            OutputError: The file cannot be written.
        """
        try:
            file = self._opened()
            at = file.seek(0, os.SEEK_END)
            if at == 0 and self.path is not None:
                at += _write(file, self._first)
            for head, rows in self._waiting.items():
                content = rows.astype("<i8").tobytes()
                begin = _HEAD.pack(head, len(rows))
                check = _CHECK.pack(zlib.crc32(content, zlib.crc32(begin)))
                at += _write(file, begin + check)
                self._written[head] = at, len(rows)
                at += _write(file, content)
        except OSError as problem:
            raise self._failure(problem) from None
        self._waiting.clear()
        self._waiting_bytes = 0

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            if self.path is None:
                self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # as long as the table
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self.path.open("w+b", buffering=0)
        return self._file

    def remove(self) -> None:
        """Removes the file.

        Raises:
            OutputError: It cannot be removed.
        """
        if self._file is not None:
            self._file.close()
            self._file = None
        try:
            if self.path is not None:
                self.path.unlink(missing_ok=True)
        except NotADirectoryError:
            return
        except OSError as problem:
            raise self._failure(problem) from None

    def _failure(self, problem: OSError) -> OutputError:
        return OutputError(
            f"{self.path or tempfile.gettempdir()}: cannot be written ({problem.strerror}). Check "
            "permissions and free space, or choose another place with -o."
        )


def _write(file: IO[bytes], content: bytes) -> int:
    # The next run drops a record that a full disk cut short.
    if (written := file.write(content)) < len(content):
        raise OSError(28, "No space left on device")
    return written
