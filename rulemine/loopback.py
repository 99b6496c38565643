"""Serves HTTP to programs and browsers on this machine alone.

Guarantees: the loopback interface alone is listened on; a request that names another host, as a page of
another site could send here, is refused; nothing is printed for a request.
"""

import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rulemine.errors import ConfigError

__all__ = ["ADDRESS", "LoopbackHandler", "listen"]

ADDRESS = "127.0.0.1"


class LoopbackHandler(BaseHTTPRequestHandler):
    """Answers requests; those that come here by another name are refused."""

    server: ThreadingHTTPServer
    timeout = 30

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
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if self.close_connection and self.protocol_version != "HTTP/1.0":
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed for a request."""


class _Server(ThreadingHTTPServer):
    """A server that says nothing of requests that are cut off, by who asked or as it ends."""

    ended = False

    def server_close(self) -> None:
        """Listens no more; requests under way may fail."""
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
        raise ConfigError(f"--port is {port}; expected 0 … 65535.")
    try:
        return _Server((ADDRESS, port), handler)
    except OSError as problem:
        raise ConfigError(
            f"port {port} of {ADDRESS} cannot be had ({problem.strerror}). Choose another with --port, or "
            "0 for any that is free."
        ) from None
