"""A SPARQL endpoint on this machine: the SPARQL 1.1 Protocol, for queries alone.

A query comes by GET (``/sparql?query=…``), as a form, or as the body of a POST. Guarantees: only this
machine is answered; the graph cannot be changed; every refusal is a sentence with a status of HTTP.
Connections are kept open, and a short answer is one packet.
"""

from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from urllib.parse import parse_qs

from rulemine.errors import ConfigError, did_you_mean
from rulemine.evaluation.reporting.loopback import ADDRESS, LoopbackHandler, listen
from rulemine.exports.iris import IRIS, triples
from rulemine.exports.protocol import ExportInput
from rulemine.query.oxigraph.workers import Workers

__all__ = ["PATH", "make_endpoint", "workers_of"]

PATH = "/sparql"

MOST_BYTES_ASKED = 1 << 20
"""Limit for a request."""

MOST_ROWS = 10**9
"""Limit for the rows of a result."""

MOST_BYTES_SKIPPED = 64 << 20
"""How much of a request over that limit is received after it is refused."""

MOST_SECONDS = 86_400
"""Limit for the time of a query."""

_LINES_A_REPORT = 10_000

_READ_ONLY = (
    "This endpoint only reads. Change the file that the graph comes from, and start it again."
)


def workers_of(given: ExportInput, iris: str, timeout: float, most_rows: int) -> Workers:
    """The processes that answer queries about the graph of an export.

    Args:
        given: The release, the graph and the naming.
        iris: One of `IRIS`.
        timeout: Seconds a query may take, > 0.
        most_rows: Rows a result may have, 1 … `MOST_ROWS`.

    Raises:
        ConfigError: A value is out of range, or see `Workers`.
    """
    if iris not in IRIS:
        raise ConfigError(f"iris is {iris!r}; {did_you_mean(iris, IRIS)}")
    if not 0 < timeout <= MOST_SECONDS:
        raise ConfigError(
            f"timeout is {timeout:g}; expected more than 0 s, at most {MOST_SECONDS}."
        )
    if not 1 <= most_rows <= MOST_ROWS:
        raise ConfigError(f"max_rows is {most_rows}; expected 1 … {MOST_ROWS}.")

    def lines() -> Iterator[bytes]:
        for done, line in enumerate(triples(given, iris)):
            if done % _LINES_A_REPORT == 0:
                given.progress(done, 0)
            yield f"{line}\n".encode()

    return Workers(lines(), timeout=timeout, most_rows=most_rows)


def make_endpoint(workers: Workers, port: int, about: str) -> ThreadingHTTPServer:
    """A server of the endpoint; ``serve_forever()`` serves it.

    Args:
        workers: What answers the queries; they outlive the server.
        port: The port; 0 for any that is free.
        about: A few lines about the graph, shown at ``/``.

    Raises:
        ConfigError: The port is out of range or cannot be had.
    """

    class EndpointHandler(LoopbackHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else the end of an answer waits for a sign of the client
        wbufsize = 1 << 16
        timeout = 3600  # a client may think between two queries
        error_message_format = "%(message)s\n"
        error_content_type = "text/plain; charset=utf-8"

        def handle_expect_100(self) -> bool:
            expected = super().handle_expect_100()
            self.wfile.flush()  # the client waits for it with its body
            return expected

        def do_GET(self) -> None:  # noqa: N802
            if not self.is_for_us():
                return
            path, _, query = self.path.partition("?")
            if path == "/":
                port = self.server.server_port
                self.reply(
                    200, f"{about}\nSPARQL: http://{ADDRESS}:{port}{PATH}?query=…\n".encode()
                )
            elif self._is_endpoint(path):
                self._form(query)

        do_HEAD = do_GET  # noqa: N815

        def do_POST(self) -> None:  # noqa: N802
            if not self.is_for_us():
                return
            text = self.headers.get("Content-Length", "")
            length = int(text) if text.isascii() and text.isdecimal() else -1
            if length < 0:
                self.close_connection = True
                self._refuse(411, "The length of the request is missing. Send Content-Length.")
            elif length > MOST_BYTES_ASKED:
                self.close_connection = True
                self._refuse(
                    413, f"The request has {length} bytes; at most {MOST_BYTES_ASKED} are read."
                )
                self.skip(min(length, MOST_BYTES_SKIPPED))
            else:
                self._body(self.rfile.read(length))

        def _body(self, content: bytes) -> None:
            path, _, query = self.path.partition("?")
            kind = self.headers.get_content_type()
            try:
                text = content.decode()
            except UnicodeDecodeError:
                self._refuse(400, "The request is not UTF-8. Send it as UTF-8.")
                return
            if not self._is_endpoint(path):
                return
            if kind == "application/x-www-form-urlencoded":
                self._form(f"{query}&{text}")
            elif kind == "application/sparql-query":
                self._ask(text)
            elif kind == "application/sparql-update":
                self._refuse(403, _READ_ONLY)
            else:
                self._refuse(
                    415,
                    f"The body is {kind}. Send a form with the field query, or a query as "
                    "application/sparql-query.",
                )

        def _is_endpoint(self, path: str) -> bool:
            if path != PATH:
                self._refuse(404, f"There is nothing here. The endpoint is {PATH}.")
            return path == PATH

        def _form(self, text: str) -> None:
            fields = parse_qs(text, keep_blank_values=True)
            queries = fields.get("query", [])
            if "update" in fields:
                self._refuse(403, _READ_ONLY)
            elif len(queries) != 1:
                self._refuse(
                    400, f"{len(queries)} queries came; one was expected: {PATH}?query=SELECT…"
                )
            else:
                self._ask(queries[0])

        def _ask(self, query: str) -> None:
            found = workers.ask(query, self.headers.get("Accept", ""))
            headers = {"X-SPARQL-MaxRows": str(workers.most_rows)} if found.cut else {}
            text = found.kind.startswith("text/")  # which some programs take for ISO-8859-1
            kind = f"{found.kind}; charset=utf-8" if text else found.kind
            self.reply(found.status, found.body, kind, headers)

        def _refuse(self, status: int, text: str) -> None:
            self.reply(status, f"{text}\n".encode())

    return listen(port, EndpointHandler)
