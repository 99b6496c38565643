"""What a mining run has finished so far, kept in a file, so that a killed run can go on.

Guarantees: a head relation is in the journal with all its rules or not at all; a line that was torn
when the process died is dropped; a journal is only read by a run whose graph, options and miner give
the same rules. Short runs leave no file: nothing is written in the first `SECONDS_BEFORE_WRITING`.
"""

import json
import os
import time
import zlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.errors import MiningError, OutputError
from rulemine.files import read_bytes

__all__ = ["Journal"]

SECONDS_BEFORE_WRITING = 5.0
"""What takes less is done again sooner than its graph is digested, which the first line needs."""

Rows = npt.NDArray[np.int64]


class Journal:
    """A file with a first line that names the run, and a line for each finished head relation.

    Attributes:
        path: The file; it is made when the first head relation is finished.
        finished: Head relation id → its rows of the miner's table, shape (rules, columns).
    """

    def __init__(self, path: Path, key: Callable[[], str], *, resume: bool) -> None:
        """Takes up or starts a journal.

        Args:
            path: Where it is or will be.
            key: Names all that the rules depend on; called when it is needed.
            resume: Whether to go on from what is there; otherwise an older journal is removed.

        Raises:
            MiningError: The journal there is of another run, or no journal.
            InputError: It cannot be read.
            OutputError: An older one cannot be removed, or its torn end cannot.
        """
        self.path = path
        self.finished: dict[int, Rows] = {}
        self._key = key
        self._waiting: list[bytes] = []
        self._begun = time.monotonic()
        if not resume:
            self.remove()
        elif path.exists():
            self._read()

    def _read(self) -> None:
        good = 0
        first = self._first
        for line in read_bytes(self.path).splitlines(keepends=True):
            entry = _entry(line)
            if good == 0 and line != first:
                if first.startswith(line):
                    break  # killed while the first line was written
                raise MiningError(
                    f"{self.path}: was written for another graph, other options or another version "
                    "of the miner, so nothing of it can be used. Give the same again, or leave "
                    "--resume out to start anew."
                )
            if entry is None:
                break
            if good:
                rows = np.array(entry["rows"], np.int64).reshape(-1, entry["columns"])
                self.finished[entry["head"]] = rows
            good += len(line)
        try:
            os.truncate(self.path, good)
        except OSError as problem:
            raise self._failure(problem) from None

    @cached_property
    def _first(self) -> bytes:
        return _line({"journal of": self._key()})

    def add(self, head: int, rows: Rows) -> None:
        """Adds a finished head relation; it is in the file soon.

        Raises:
            OutputError: The file cannot be written.
        """
        self._waiting.append(_line({"head": head, "columns": rows.shape[1], "rows": rows.tolist()}))
        self.finished[head] = rows
        if time.monotonic() >= self._begun + SECONDS_BEFORE_WRITING:
            self.write()

    def write(self) -> None:
        """Writes what is not in the file yet.

        Raises:
            OutputError: The file cannot be written.
        """
        line = b"".join(self._waiting)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as out:
                if out.tell() == 0:
                    line = self._first + line
                # A line cut short by a full disk is a torn one; the next run drops it.
                if out.write(line) < len(line):
                    raise OSError(28, "No space left on device")
        except OSError as problem:
            raise self._failure(problem) from None
        self._waiting.clear()

    def remove(self) -> None:
        """Removes the file, when it is not needed any more.

        Raises:
            OutputError: It cannot be removed.
        """
        try:
            self.path.unlink(missing_ok=True)
        except NotADirectoryError:
            return
        except OSError as problem:
            raise self._failure(problem) from None

    def _failure(self, problem: OSError) -> OutputError:
        return OutputError(
            f"{self.path}: cannot be written ({problem.strerror}). Check rights and free space, or "
            "choose another place with -o."
        )


def _line(entry: dict[str, object]) -> bytes:
    text = json.dumps(entry, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _entry(line: bytes) -> dict[str, Any] | None:
    """What a line holds; None when it is torn."""
    digits, _, text = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or digits != b"%08x" % zlib.crc32(text):
        return None
    entry: dict[str, Any] = json.loads(text)
    return entry
