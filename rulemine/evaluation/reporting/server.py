"""Serves one page to browsers on this machine.

Guarantees: it listens on the loopback interface alone; a request that names another host, as a page of
another site could send here, is refused; there is one address, ``/``, and nothing can be written.
"""

from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rulemine.errors import ConfigError

__all__ = ["make_server"]

_ADDRESS = "127.0.0.1"


def make_server(page: str, port: int) -> ThreadingHTTPServer:
    """A server of a page; ``serve_forever()`` serves it.

    Args:
        page: The page, as HTML.
        port: The port; 0 for any that is free.

    Raises:
        ConfigError: The port is out of range or cannot be had.
    """
    if not 0 <= port <= 65535:
        raise ConfigError(f"--port is {port}; expected 0 … 65535.")
    content = page.encode()

    class Handler(_Handler):
        def page(self) -> bytes:
            return content

    try:
        return ThreadingHTTPServer((_ADDRESS, port), Handler)
    except OSError as problem:
        raise ConfigError(
            f"port {port} of {_ADDRESS} cannot be had ({problem.strerror}). Choose another with --port, or "
            "0 for any that is free."
        ) from None


class _Handler(BaseHTTPRequestHandler):
    server: ThreadingHTTPServer
    timeout = 30

    def page(self) -> bytes:
        raise NotImplementedError

    def do_GET(self) -> None:
        port = self.server.server_port
        if self.headers.get("Host") not in (f"{_ADDRESS}:{port}", f"localhost:{port}"):
            self._send(HTTPStatus.FORBIDDEN, b"This page is for this machine alone.\n")
        elif self.path.partition("?")[0] != "/":
            self._send(HTTPStatus.NOT_FOUND, b"There is one page: /\n")
        else:
            self._send(HTTPStatus.OK, self.page(), "text/html")

    do_HEAD = do_GET  # noqa: N815

    def _send(self, status: HTTPStatus, content: bytes, kind: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed for a request."""
