"""Runs SPARQL as it was written, here or on an endpoint, within limits of time and rows.

The graph is named as writers name it: ``<entity:ID>`` and ``<relation:LABEL>``, percent-encoded as
`rulemine.query.sparql` has it. Guarantees: no query outlives its time; whatever an endpoint replies, what
cannot be used becomes a refusal with a fixed reason. The limit of time is one of the machine: a query that
takes about so long may be ended on one and not on another.
"""

import base64
import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self
from urllib.parse import unquote, urlencode, urlsplit

from rulemine.errors import ConfigError, EndpointError
from rulemine.kinds.written.candidate import Refusal
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.query.oxigraph.workers import Workers
from rulemine.query.sparql import entity_iri, relation_iri

__all__ = ["EndpointExecutor", "Executor", "LocalExecutor", "RunFailure", "executor_of"]

Result = tuple[str, ...] | int
"""Ids of entities, sorted, each once; or the value of a count."""

_ACCEPTED = "application/sparql-results+json"

_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"

MOST_BYTES = 64 << 20
"""Size of the reply of an endpoint."""

MOST_DIGITS = 18
"""Of a count."""


class RunFailure:
    """Why running a query gave nothing that can be used."""

    UNREADABLE = "its SPARQL cannot be run as it is written"
    TIME = "its SPARQL took too long"
    MEMORY = "its SPARQL took too much memory"
    ROWS = "its SPARQL gave too many rows"
    COLUMNS = "its SPARQL gave neither one column nor one number"
    UNKNOWN = "its SPARQL gave something that is no entity"
    UNREACHABLE = "the endpoint could not be reached"
    REDIRECT = "the endpoint redirected the query"
    STATUS = "the endpoint refused the query"
    HALF = "the endpoint's reply ended early"
    FORM = "the endpoint's reply was no result in JSON"


class Executor(Protocol):
    """What runs queries; a context manager."""

    def answers(self, sparql: str) -> Result | Refusal:
        """Runs a query.

        Args:
            sparql: In SPARQL 1.1, as it was written.

        Returns:
            What it gives; or why that cannot be used, the reason one of `RunFailure`.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...


def executor_of(names: WriterNames, seconds: float, rows: int, endpoint: str = "") -> Executor:
    """What runs queries: the endpoint that is named, or pyoxigraph, here."""
    if endpoint:
        return EndpointExecutor(endpoint, names, seconds, rows)
    return LocalExecutor(names, seconds, rows)


class LocalExecutor:
    """Runs queries by pyoxigraph, in a process that can be ended.

    Args:
        names: The names of the complete graph, which is loaded when the context is entered.
        seconds: Time of a query, > 0.
        rows: Rows of a result, ≥ 1.
    """

    def __init__(self, names: WriterNames, seconds: float, rows: int) -> None:
        self._names, self._seconds, self._rows = names, seconds, rows
        self._workers: Workers | None = None

    def __enter__(self) -> Self:
        lines = _lines(self._names)
        self._workers = Workers(lines, timeout=self._seconds, most_rows=self._rows, count=1)
        return self

    def __exit__(self, *_: object) -> None:
        if self._workers is not None:
            self._workers.close()
            self._workers = None

    def answers(self, sparql: str) -> Result | Refusal:
        """See `Executor`.

        Raises:
            ConfigError: The processes that run queries have ended.
        """
        if self._workers is None:
            raise RuntimeError("LocalExecutor runs queries inside its context alone")
        reply = self._workers.ask(sparql, _ACCEPTED)
        if reply.status == http.HTTPStatus.INTERNAL_SERVER_ERROR:
            raise ConfigError(
                "the processes that run SPARQL were ended from outside; is there enough memory? Free some "
                "and run the same command again."
            )
        if reply.late:
            return Refusal(RunFailure.TIME, f"more than {self._seconds:g} s")
        if reply.status == http.HTTPStatus.SERVICE_UNAVAILABLE:
            return Refusal(RunFailure.MEMORY)
        if reply.status != http.HTTPStatus.OK:
            return Refusal(RunFailure.UNREADABLE, reply.body.decode().partition("\n")[0])
        if reply.cut:
            return Refusal(RunFailure.ROWS, f"more than {self._rows:,}")
        if reply.kind != _ACCEPTED:
            return Refusal(RunFailure.COLUMNS, "triples")
        return _read(reply.body, self._names, self._rows)


class EndpointExecutor:
    """Runs queries on an endpoint by the SPARQL 1.1 Protocol; no proxy is used and no redirect followed.

    Args:
        url: Its address, http or https; a user and a password in it are sent.
        names: The names of the complete graph, which the endpoint holds.
        seconds: Time of a query, > 0, and of connecting.
        rows: Rows of a result, ≥ 1.

    Raises:
        ConfigError: The address is none.
        EndpointError: Nothing listens there when the context is entered.
    """

    def __init__(self, url: str, names: WriterNames, seconds: float, rows: int) -> None:
        self._names, self._seconds, self._rows = names, seconds, rows
        self._place = _Place.of(url)

    def __enter__(self) -> Self:
        try:
            self._place.connect(self._seconds).close()
        except (OSError, http.client.HTTPException) as problem:
            raise EndpointError(
                f"{self._place.shown}: cannot be reached ({problem}). Start the endpoint, or correct the "
                "address."
            ) from None
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is kept open."""

    def answers(self, sparql: str) -> Result | Refusal:
        """See `Executor`."""
        try:
            connection = self._place.connect(self._seconds)
        except (OSError, http.client.HTTPException) as problem:
            return Refusal(RunFailure.UNREACHABLE, type(problem).__name__)
        late = threading.Event()

        def end() -> None:
            late.set()
            with contextlib.suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)

        # The time of a socket is that of one packet; an endpoint may send a byte now and then.
        clock = threading.Timer(self._seconds, end)
        clock.daemon = True
        clock.start()
        try:
            found = self._asked(connection, sparql)
        except (http.client.HTTPException, OSError) as problem:
            found = Refusal(RunFailure.HALF, type(problem).__name__)
        finally:
            clock.cancel()
            connection.close()
        if late.is_set() and isinstance(found, Refusal):
            return Refusal(RunFailure.TIME, f"more than {self._seconds:g} s")
        return found

    def _asked(self, connection: http.client.HTTPConnection, sparql: str) -> Result | Refusal:
        form = urlencode({"query": sparql}, errors="replace").encode()
        connection.request("POST", self._place.path, form, self._place.headers)
        reply = connection.getresponse()
        if 300 <= reply.status < 400:
            return Refusal(RunFailure.REDIRECT, f"status {reply.status}")
        if reply.status == http.HTTPStatus.BAD_REQUEST:
            return Refusal(RunFailure.UNREADABLE, f"status {reply.status}")
        if reply.status != http.HTTPStatus.OK:
            return Refusal(RunFailure.STATUS, f"status {reply.status}")
        body = reply.read(MOST_BYTES + 1)
        if reply.length:  # bytes that were promised and did not come
            return Refusal(RunFailure.HALF, f"{reply.length:,} bytes are missing")
        if len(body) > MOST_BYTES:
            return Refusal(RunFailure.ROWS, f"more than {MOST_BYTES >> 20} MiB")
        return _read(body, self._names, self._rows, reply.headers.get("X-SPARQL-MaxRows", ""))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an endpoint is."""

    is_tls: bool
    host: str
    port: int | None
    path: str
    headers: dict[str, str]
    shown: str

    @classmethod
    def of(cls, url: str) -> "_Place":
        problem = ""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as found:
            problem = f" ({found})"
        else:
            if parts.scheme in ("http", "https") and parts.hostname and url.isascii():
                path = (parts.path or "/") + f"?{parts.query}" * bool(parts.query)
                headers = {
                    "Accept": _ACCEPTED,
                    "Accept-Encoding": "identity",
                    "Content-Type": "application/x-www-form-urlencoded",
                }
                if parts.username is not None:
                    user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
                    headers["Authorization"] = f"Basic {base64.b64encode(user.encode()).decode()}"
                shown = f"{parts.scheme}://{parts.hostname}" + f":{port}" * (port is not None)
                return cls(parts.scheme == "https", parts.hostname, port, path, headers, shown)
        raise ConfigError(
            f"the endpoint is no address{problem}. Expected one such as http://127.0.0.1:8890/sparql."
        )

    def connect(self, seconds: float) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self.is_tls else http.client.HTTPConnection
        connection = kind(self.host, self.port, timeout=seconds)
        connection.connect()
        return connection


def _lines(names: WriterNames) -> Iterator[bytes]:
    """The graph in N-Triples."""
    kg = names.kg
    entities = [f"<{entity_iri(names.id(i))}>" for i in range(len(kg.entities))]
    relations = [f"<{relation_iri(label)}>" for label in kg.relations]
    for s, r, o in kg.triples.tolist():
        yield f"{entities[s]} {relations[r]} {entities[o]} .\n".encode()


def _read(body: bytes, names: WriterNames, most: int, cut_at: str = "") -> Result | Refusal:
    """A result in SPARQL 1.1 Query Results JSON.

    Args:
        body: The result.
        names: What may be in it.
        most: Rows that it may have.
        cut_at: At how many rows the endpoint cuts results; empty: unknown.
    """
    try:
        table = json.loads(body)
    except (ValueError, RecursionError) as problem:
        begun = body.lstrip()[:1] == b"{" and not str(problem).startswith("Extra data")
        return Refusal(RunFailure.HALF if begun else RunFailure.FORM)
    if isinstance(table, dict) and isinstance(table.get("boolean"), bool):
        return Refusal(RunFailure.COLUMNS, "a truth value")
    try:
        columns, rows = table["head"]["vars"], table["results"]["bindings"]
        if not isinstance(columns, list):
            raise TypeError
        cells = [[row.get(name) for name in columns] for row in rows]
        kinds = [(cell["type"], cell["value"], cell.get("datatype"))
                 for row in cells for cell in row if cell is not None]  # fmt: skip
    except (KeyError, TypeError, AttributeError):
        return Refusal(RunFailure.FORM)
    if len(columns) != 1:
        return Refusal(RunFailure.COLUMNS, f"{len(columns)} columns")
    if len(rows) > most or (cut_at.isdecimal() and len(rows) >= int(cut_at)):
        return Refusal(RunFailure.ROWS, f"{len(rows):,}")
    if len(rows) == 1 and (value := _number(kinds)) is not None:
        return value
    ids = {_id(kind, value) for kind, value, _ in kinds}
    if len(kinds) < len(rows) or any(i is None or names.entity(i) is None for i in ids):
        return Refusal(RunFailure.UNKNOWN)
    return tuple(sorted(str(i) for i in ids))


def _number(kinds: list[tuple[Any, Any, Any]]) -> int | None:
    """The value of the only cell, if it is a count."""
    for kind, value, datatype in kinds:
        if kind in ("literal", "typed-literal") and datatype == _INTEGER and isinstance(value, str):
            digits = value.isascii() and value.isdecimal() and len(value) <= MOST_DIGITS
            return int(value) if digits else None
    return None


def _id(kind: Any, value: Any) -> str | None:
    if kind != "uri" or not isinstance(value, str) or not value.startswith("entity:"):
        return None
    return unquote(value.removeprefix("entity:"))
