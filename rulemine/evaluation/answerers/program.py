"""A program that answers one line with another, in a process of its own.

Guarantees: an answer is waited for no longer than was agreed, whatever the program does or starts; nothing of
it is left running.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Self, cast

from rulemine.codec import parse_object
from rulemine.errors import ConfigError, InputError
from rulemine.evaluation.predictions import prediction_of

__all__ = ["NoAnswerError", "Program"]

MOST_BYTES = 1 << 26
"""An answer may be so long."""

GRACE = 5.0
"""Seconds that a program has to end once its input has ended."""

SHOWN = 200
"""So many bytes of its standard error are shown at most."""


class NoAnswerError(Exception):
    """A question got no answer: what the program did.

    Attributes:
        kind: That in a word or two, to be counted.
    """

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


class Program:
    """A program that is started when it is needed, in a process group of its own; a context manager.

    Args:
        words: The program and its arguments.
        environment: Its whole environment.
        log: Where its standard error goes, a file with a name.
    """

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str], log: IO[bytes]
    ) -> None:
        self._words, self._environment, self._log = words, environment, log
        self._process: subprocess.Popen[bytes] | None = None
        self._in: IO[bytes]
        self._out: IO[bytes]
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, problem: object, *_: object) -> None:
        if self._process is not None and problem is None:
            self._end_input()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
        self.stop()

    def answer(self, key: str, line: str, timeout: float, *, last: bool) -> dict[str, Any]:
        """The answer to a question, an object that is a prediction.

        Args:
            key: The id of the question.
            line: The question, without LF.
            timeout: Seconds until there must be an answer, a start included.
            last: Whether the input ends with it, and so does the process with its answer.

        Raises:
            NoAnswerError: There is none; the process may wait, or write on.
            ConfigError: The program cannot be started.
        """
        fresh = self._process is None
        try:
            output = self._exchange(f"{line}\n".encode(), time.monotonic() + timeout, last)
        except NoAnswerError as found:
            if fresh or found.kind != "ended":
                raise
            self.stop()  # it may be one that ends after an answer
            output = self._exchange(f"{line}\n".encode(), time.monotonic() + timeout, last)
        if last:
            self.stop()
        try:
            row = parse_object(output.decode("utf-8"), "")
        except (InputError, UnicodeDecodeError):
            shown = output[:60].decode("utf-8", "replace")
            raise NoAnswerError("no JSON object", f"wrote {shown!r}, no JSON object") from None
        prediction, problem = prediction_of(row)
        if prediction is None:
            raise NoAnswerError("no prediction", f"wrote no prediction: {problem}")
        if prediction.id != key:
            raise NoAnswerError("another id", f"answered {prediction.id!r} instead")
        return row

    def stop(self) -> None:
        """Ends the process and all that it started."""
        process, self._process, self._rest = self._process, None, b""
        if process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (self._in, self._out):
            with suppress(OSError):  # what it did not read is lost
                pipe.close()

    def last_error(self) -> str:
        """Where its standard error is and what that ends with, as a sentence; "" if it is empty."""
        path = Path(self._log.name)
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - SHOWN))
            last = file.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
        return f"Its standard error ({path}) ends with {last!r}. " if last else ""

    def _start(self) -> None:
        try:
            process = subprocess.Popen(  # noqa: S603 - what the user wants to be run
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=self._environment,
                start_new_session=True,  # so that all of it can be ended
                bufsize=0,
            )
        except OSError as problem:
            raise ConfigError(
                f"command: {self._words[0]!r} cannot be started ({problem.strerror}). Give the name of a "
                "program, or its path, and its arguments."
            ) from None
        self._process = process
        self._in, self._out = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        os.set_blocking(self._in.fileno(), False)

    def _exchange(self, question: bytes, until: float, last: bool) -> bytes:
        """Writes a question, and reads until there is a line with something on it."""
        if self._process is None:
            self._start()
        read, self._rest = self._rest, b""
        answer = bytearray(read)
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._out, selectors.EVENT_READ)
            waiting.register(self._in, selectors.EVENT_WRITE)
            while True:
                if b"\n" in read:
                    line, ended, rest = bytes(answer).lstrip().partition(b"\n")
                    if ended:
                        self._rest = rest
                        return line
                if len(answer) > MOST_BYTES:
                    raise NoAnswerError(
                        "too long", f"wrote more than {MOST_BYTES >> 20} MiB in a line"
                    )
                ready = waiting.select(max(0.0, until - time.monotonic()))
                if not ready:
                    raise NoAnswerError("time-out", "took longer than its time-out")
                read = b""
                for key, _ in ready:
                    if key.fileobj is self._in:
                        question = self._write(question)
                        if not question:
                            waiting.unregister(self._in)
                            if last:
                                self._end_input()
                    elif read := os.read(self._out.fileno(), 1 << 16):
                        answer += read
                    elif answer.strip():
                        return bytes(answer)  # a last line without an end
                    else:
                        raise NoAnswerError("ended", f"ended{self._status()} without an answer")

    def _write(self, text: bytes) -> bytes:
        """Writes what fits, and returns the rest."""
        try:
            return text[os.write(self._in.fileno(), text) :]
        except BrokenPipeError:
            return b""  # what it wrote before it ended is still to be read

    def _end_input(self) -> None:
        with suppress(BrokenPipeError):
            self._in.close()

    def _status(self) -> str:
        """How the process ended, in words; "" if it only closed its output."""
        with suppress(subprocess.TimeoutExpired):
            status = self._process.wait(GRACE) if self._process else 0
            return f" (signal {-status})" if status < 0 else f" (exit status {status})"
        return ""
