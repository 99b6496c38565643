"""The journal of calls to a model: what was paid for is kept, whatever happens.

Guarantees: an entry whose `Journal.append` has returned is on the disk. A power failure loses at most entries
whose append had not returned, a crash or a kill none whose append had begun: its line is with the operating
system before anything else happens. What such an end leaves behind (half a line, NUL bytes, garbage after
the last good line) is recognised and dropped when the journal is next opened. A full disk leaves no half
line. One process at a time appends.

Of several entries with one key a reply counts before a failure, and the first reply before later ones: what
was used once does not change. A lasting failure counts before a passing one, the first before later ones;
of passing failures, which every run asks anew, the last counts.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Self

from rulemine.codec import dump_line
from rulemine.errors import OutputError
from rulemine.files import take_lock
from rulemine.llm.call import Entry
from rulemine.llm.closing import Closing
from rulemine.llm.journal_lines import Found, scan_journal, settle, weight, write_journal

__all__ = ["Journal", "read_journal", "write_journal"]

GATHER_SECONDS = 0.004
"""How long lines wait to be brought to the disk together: at a thousand calls a second a twentieth of the CPU
is saved."""


class Journal(Closing):
    """A working journal, open for appending: one JSON object a line, in order of arrival.

    Use it as a context manager, or call `close`.

    Attributes:
        path: The file.
        dropped: Bytes that were unreadable when it was opened: of a torn tail, which was cut off, and of
            lines with NUL bytes, which a power failure leaves and which stay where they are.
    """

    def __init__(self, path: Path, handle: int, found: Found) -> None:
        self.path = path
        self.dropped = found.dropped
        self._handle = handle
        self._entries = found.entries
        self._end, self._torn = found.end, False
        self._batch: _Batch | None = None
        self._lock = Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="journal")

    @classmethod
    def open(cls, path: Path) -> Self:
        """Opens a journal, made with its folders if it is not there, and drops a torn tail.

        Raises:
            InputError: Lines before the tail are wrong; all are named, and the file is left as it is.
            OutputError: It cannot be written, or another process holds it.
        """
        with contextlib.ExitStack() as undo:
            try:
                handle = _open_durably(path)
                undo.callback(os.close, handle)
                if not take_lock(handle):
                    raise OutputError(
                        f"{path}: another process is writing this journal. Wait for it, or choose "
                        "another -o."
                    )
                found = scan_journal(path)
                if found.end < found.size:
                    os.ftruncate(handle, found.end)
                if not found.ended:
                    found.end += os.write(handle, b"\n")
                if found.end != found.size:
                    os.fsync(handle)
            except OSError as problem:
                raise _unwritable(path, problem) from None
            undo.pop_all()
        return cls(path, handle, found)

    def get(self, key: str) -> Entry | None:
        """What is known for good about a call; None where it is to be asked (again)."""
        entry = self._entries.get(key)
        return entry if entry is not None and weight(entry.answer) else None

    async def append(self, entry: Entry) -> None:
        """Appends an entry; returns when it is on the disk, and only then does `get` know it.

        The line is written at once, so that nothing but a power failure can lose it. All lines that are
        not on the disk yet are brought there together, in a thread of its own. Being cancelled ends the
        waiting, not that.

        Raises:
            OutputError: The disk is full or out of reach. The entry may still have been kept.
        """
        row = {**entry.to_json(), "attempts": entry.attempts, "time": entry.time}
        try:
            self._write((dump_line(row) + "\n").encode())
        except OSError as problem:
            raise _unwritable(self.path, problem) from None
        with self._lock:
            if self._batch is None:
                batch = _Batch()
                self._writer.submit(self._commit)
                self._batch = batch
            batch = self._batch
            batch.entries.append(entry)
        await asyncio.wrap_future(batch.written)

    def close(self) -> None:
        """Brings what is pending to the disk and lets the file go; harmless when done before."""
        self._writer.shutdown()
        if self._handle >= 0:
            with contextlib.suppress(OSError):  # or else the next run drops it
                self._take_back()
            os.close(self._handle)  # and with it the lock
            self._handle = -1

    def _commit(self) -> None:
        time.sleep(GATHER_SECONDS)
        with self._lock:
            batch, self._batch = self._batch, None
        if batch is None:
            return
        try:
            os.fsync(self._handle)
        except OSError as problem:
            batch.written.set_exception(_unwritable(self.path, problem))
        except BaseException as problem:
            batch.written.set_exception(problem)  # nobody is to wait for ever
            raise
        else:
            for entry in batch.entries:
                settle(self._entries, entry)
            batch.written.set_result(None)

    def _write(self, line: bytes) -> None:
        """Hands a line to the operating system, whole or not at all."""
        self._take_back()
        self._torn = True
        written = 0
        try:
            while written < len(line):
                written += os.write(self._handle, memoryview(line)[written:])
        except OSError:
            with contextlib.suppress(OSError):
                self._take_back()
            raise
        self._end += written
        self._torn = False

    def _take_back(self) -> None:
        """Cuts off what a failed write has left, if it could not be cut off then: nothing may follow it."""
        if self._torn:
            os.ftruncate(self._handle, self._end)
            self._torn = False


class _Batch:
    """Entries that are brought to the disk together."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.written: Future[None] = Future()
        self.written.set_running_or_notify_cancel()  # from here on nobody can cancel it


def read_journal(path: Path, status: Callable[[str], object] | None = None) -> dict[str, Entry]:
    """The entries of a working journal or of a release's, by key; passing failures count too.

    Args:
        path: The file; it is left as it is.
        status: Told when a torn tail was left out.

    Raises:
        InputError: It is missing or unreadable, or lines before the tail are wrong; all are named.
    """
    found = scan_journal(path)
    if found.dropped and status is not None:
        status(f"{path}: {found.dropped} bytes of a line that was never finished are left out.")
    return found.entries


def _open_durably(path: Path) -> int:
    """Opens a file for appending; one that is made here is still there after a power failure."""
    made = [place for place in (path, *path.parents) if not place.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, 0o666)
    for place in made:
        with contextlib.suppress(OSError):  # not every system can open a folder
            folder = os.open(place.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    return handle


def _unwritable(path: Path, problem: OSError) -> OutputError:
    return OutputError(
        f"{path}: the journal of calls cannot be written ({problem.strerror}). What is in it is kept "
        "and not asked again; free space or check rights, and run again."
    )
