"""Serves one page to browsers on this machine: there is one address, ``/``, and nothing can be written."""

from http import HTTPStatus
from http.server import ThreadingHTTPServer

from rulemine.evaluation.reporting.loopback import LoopbackHandler, listen

__all__ = ["make_server"]


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
        def do_GET(self) -> None:  # noqa: N802
            if not self.is_for_us():
                return
            if self.path.partition("?")[0] != "/":
                self.reply(HTTPStatus.NOT_FOUND, b"There is one page: /\n")
            else:
                self.reply(HTTPStatus.OK, content, "text/html; charset=utf-8")

        do_HEAD = do_GET  # noqa: N815

    return listen(port, PageHandler)
