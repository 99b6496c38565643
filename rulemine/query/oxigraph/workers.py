"""Processes that answer SPARQL queries, each query within a time and a memory limit.

pyoxigraph cannot interrupt a query. So each query runs in a process with an alarm: when it rings, the system
ends the process, wherever the engine is, and another takes its place. One process, the fork server, loads the
graph and forks the workers, which share its memory; it has one thread, so a fork copies no lock that is held.
Guarantees: no query outlives its time; a worker can open no file and no connection, whatever the query says;
everything ends with the process that started it.
"""

import contextlib
import json
import os
import queue
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from rulemine.errors import ConfigError

__all__ = ["SparqlReply", "Workers"]

MOST_BYTES = 2 << 30
"""Memory of a worker beside the graph."""

_GRACE = 10.0
"""Seconds beyond the time of a query after which nothing more is expected of a worker."""

_SIZES = struct.Struct("!II")
_READY, _BROKEN = b"+", b"-"


@dataclass(frozen=True, slots=True)
class SparqlReply:
    """The answer to a query.

    Attributes:
        status: A status of HTTP.
        kind: The media type of the body.
        body: The result, or a sentence about what is wrong.
        cut: Whether there are more rows than the limit, which the body lacks.
        late: Whether the query was ended because it took too long.
    """

    status: int
    kind: str
    body: bytes
    cut: bool = False
    late: bool = False


def sentence(status: int, text: str) -> SparqlReply:
    """A reply that says what is wrong."""
    return SparqlReply(status, "text/plain", f"{text}\n".encode())


class Workers:
    """The processes; see the module.

    Args:
        lines: The graph in N-Triples, in any number of pieces; read when the object is made.
        timeout: Seconds a query may take.
        most_rows: Rows a result may have.
        count: How many queries are answered at once; 0: one on each core, at least four.

    Raises:
        ConfigError: The system cannot fork, or the graph does not fit into memory.
    """

    def __init__(
        self, lines: Iterable[bytes], *, timeout: float, most_rows: int, count: int = 0
    ) -> None:
        if not hasattr(os, "fork"):
            raise ConfigError(
                "SPARQL is run in forked processes, which this system lacks. Use Linux or macOS, or load "
                "rulemine export --to rdf into a triple store."
            )
        self.most_rows = most_rows
        self._timeout = timeout
        self._lock = threading.Lock()
        self._idle: queue.SimpleQueue[socket.socket] = queue.SimpleQueue()
        self._control, far = socket.socketpair()
        self._fork_server = subprocess.Popen(  # noqa: S603
            [
                *(sys.executable, "-P", "-m", "rulemine.query.oxigraph.fork_server"),
                *(str(far.fileno()), str(timeout), str(most_rows), str(MOST_BYTES)),
            ],
            stdin=subprocess.PIPE,
            pass_fds=[far.fileno()],
            env=os.environ | {"PYTHONPATH": _with_package(os.environ.get("PYTHONPATH", ""))},
            process_group=0,  # Ctrl-C is for this process, which ends them
        )
        far.close()
        try:
            self._load(lines)
            for _ in range(count or max(4, os.cpu_count() or 1)):
                self._idle.put(self._new())
        except BaseException:
            self.close()
            raise

    def _load(self, lines: Iterable[bytes]) -> None:
        given = self._fork_server.stdin
        if given is not None:
            with contextlib.suppress(BrokenPipeError), given:  # then it is gone, as is said below
                given.writelines(lines)
        if self._control.recv(1) != _READY:
            raise ConfigError(
                "the graph could not be loaded into pyoxigraph; is there enough memory? Free some, or load "
                "rulemine export --to rdf into a triple store."
            )

    def _new(self) -> socket.socket:
        """The connection to a new worker."""
        near, far = socket.socketpair()
        with far, self._lock:
            socket.send_fds(self._control, [_READY], [far.fileno()])
        near.settimeout(self._timeout + _GRACE)
        return near

    def ask(self, query: str, accept: str) -> SparqlReply:
        """Answers a query; for any number of threads.

        Args:
            query: In SPARQL 1.1.
            accept: Which forms of results are welcome, as in HTTP.
        """
        try:
            worker = self._idle.get(timeout=self._timeout + _GRACE)
        except queue.Empty:
            return sentence(503, "All processes are busy with other queries. Ask again later.")
        start = time.monotonic()
        try:
            send(worker, json.dumps([query, accept]).encode(), b"")
            head, body = receive(worker)
        except OSError:
            late = time.monotonic() - start >= self._timeout
            worker.close()
            try:
                self._idle.put(self._new())
            except OSError:
                return sentence(500, "The endpoint is broken. Start it again.")
            return self._ended(late)
        self._idle.put(worker)
        status, kind, cut = json.loads(head)
        return SparqlReply(status, kind, body, cut)

    def _ended(self, late: bool) -> SparqlReply:
        if not late:
            return sentence(
                503,
                f"The query was ended: it needed more than {MOST_BYTES >> 30} GiB, or the engine failed. "
                "Ask for less.",
            )
        text = (
            f"The query took longer than {self._timeout:g} s and was ended. Ask for less, or start the "
            "endpoint with a longer --timeout."
        )
        return replace(sentence(503, text), late=True)

    def close(self) -> None:
        """Ends all processes, whatever they are doing."""
        self._control.close()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(
                self._fork_server.pid, signal.SIGKILL
            )  # not waited for yet, so the number is its own
        self._fork_server.wait()
        while not self._idle.empty():
            self._idle.get().close()


def _with_package(path: str) -> str:
    """A search path for modules that finds this package first."""
    return os.pathsep.join(filter(None, (str(Path(__file__).parents[3]), path)))


def send(to: socket.socket, head: bytes, body: bytes) -> None:
    """Sends two parts."""
    to.sendall(b"".join((_SIZES.pack(len(head), len(body)), head, body)))


def receive(given: socket.socket) -> tuple[bytes, bytes]:
    """Receives what `send` sent.

    Raises:
        OSError: The other end is closed.
    """
    head, body = _SIZES.unpack(_exactly(given, _SIZES.size))
    return _exactly(given, head), _exactly(given, body)


def _exactly(given: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = given.recv(min(size - len(parts), 1 << 20))
        if not part:
            raise ConnectionResetError("the other end is closed")
        parts += part
    return bytes(parts)
