"""Serves HTTP to programs and browsers on this machine alone.

Guarantees: the loopback interface alone is listened on; a request that names another host, as a page of
another site could send here, is refused; a request that does not come to its end and connections without
number are ended; nothing is printed for a request.
"""

import io
import socket
import sys
import threading
import time
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rulemine.errors import ConfigError

__all__ = ["ADDRESS", "LoopbackHandler", "listen", "make_server"]

ADDRESS = "127.0.0.1"

SECONDS_A_REQUEST = 30.0
"""Seconds within which a request must arrive, from its first byte to its last."""

MOST_CONNECTIONS = 128
"""Connections at once; each has a thread."""

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    b"Content-Length: 22\r\n\r\nToo many connections.\n"
)


class _Timed(socket.SocketIO):
    """What comes from a client.

    Attributes:
        idle: Seconds to wait for the first byte of a request.
        until: When the request must have come; None before its first byte.
    """

    def __init__(self, connection: socket.socket, idle: float) -> None:
        super().__init__(connection, "r")
        self.idle, self._connection = idle, connection
        self.until: float | None = None

    def readinto(self, buffer: Any) -> int | None:
        """Receives some bytes.

        Raises:
            TimeoutError: They do not come in time.
        """
        left = self.idle if self.until is None else self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request did not come to its end")
        self._connection.settimeout(left)
        found = super().readinto(buffer)
        if self.until is None:
            self.until = time.monotonic() + SECONDS_A_REQUEST
        return found


class LoopbackHandler(BaseHTTPRequestHandler):
    """Answers requests; those that come here by another name are refused."""

    server: ThreadingHTTPServer
    timeout = 30

    def setup(self) -> None:
        """Called once for a connection."""
        super().setup()
        self.rfile.close()
        self._received = _Timed(self.connection, self.timeout)
        self.rfile = io.BufferedReader(self._received)

    def handle_one_request(self) -> None:
        """Receives and answers a request."""
        self._received.until = None
        super().handle_one_request()

    def is_for_us(self) -> bool:
        """Whether the request names this machine; if not, it has been answered."""
        port = self.server.server_port
        if self.headers.get("Host") in (f"{ADDRESS}:{port}", f"localhost:{port}"):
            return True
        self.close_connection = True
        self.reply(HTTPStatus.FORBIDDEN, b"This is for this machine alone.\n")
        return False

    def reply(
        self,
        status: int,
        content: bytes,
        kind: str = "text/plain; charset=utf-8",
        headers: dict[str, str] | None = None,
    ) -> None:
        """Sends an answer.

        Args:
            status: The status of HTTP.
            content: The body; left out of an answer to HEAD.
            kind: Its media type.
            headers: Further headers.
        """
        self.connection.settimeout(self.timeout)
        self.send_response(status)
        ends = self.close_connection and self.protocol_version != "HTTP/1.0"
        sent = {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            **(headers or {}),
            **({"Connection": "close"} if ends else {}),
        }
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def skip(self, most: int) -> None:
        """Receives the rest of a request that has been answered, or its sender would not see the answer.

        Args:
            most: Bytes after which the connection is ended.
        """
        self.wfile.flush()
        while most > 0 and (some := self.rfile.read1(min(most, 1 << 16))):
            most -= len(some)

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing for a request."""


class _Server(ThreadingHTTPServer):
    """A server that prints nothing about requests that are cut off, by the client or as it ends."""

    ended = False

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answers a connection in a thread, unless there are too many."""
        if threading.active_count() <= MOST_CONNECTIONS:  # that of the server among them
            super().process_request(request, client_address)
            return
        with suppress(OSError):
            request.settimeout(1)
            request.sendall(_FULL)
        self.shutdown_request(request)

    def server_close(self) -> None:
        """Stops listening; requests under way may fail."""
        self.ended = True
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Reports an error of the handler."""
        if not self.ended and not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def listen(port: int, handler: type[LoopbackHandler]) -> ThreadingHTTPServer:
    """A server; ``serve_forever()`` serves.

    Args:
        port: The port; 0 for any that is free.
        handler: What answers the requests.

    Raises:
        ConfigError: The port is out of range or cannot be had.
    """
    if not 0 <= port <= 65535:
        raise ConfigError(f"port is {port}; expected 0 … 65535.")
    try:
        return _Server((ADDRESS, port), handler)
    except OSError as problem:
        raise ConfigError(
            f"port {port} of {ADDRESS} cannot be had ({problem.strerror}). Choose another with --port, or "
            "0 for any that is free."
        ) from None


def make_server(page: str, port: int) -> ThreadingHTTPServer:
    """A server of a page; ``serve_forever()`` serves it.

    Args:
        page: The page, as HTML.
        port: The port; 0 for any that is free.

    Raises:
        ConfigError: The port is out of range or cannot be had.
    """
    content = page.encode()

    class PageHandler(LoopbackHandler):
        def do_GET(self) -> None:
            if not self.is_for_us():
                return
            if self.path.partition("?")[0] != "/":
                self.reply(HTTPStatus.NOT_FOUND, b"There is one page: /\n")
            else:
                self.reply(HTTPStatus.OK, content, "text/html; charset=utf-8")

        do_HEAD = do_GET  # noqa: N815

    return listen(port, PageHandler)
