"""Runs SPARQL as it was written, by pyoxigraph in a process of its own, within limits of time and rows.

The graph is named as writers name it: ``<entity:ID>`` and ``<relation:LABEL>``, percent-encoded as
`rulemine.query.sparql` has it. Guarantees: no query outlives its time; a result that cannot be used becomes
a refusal with a fixed reason. The limit of time is one of the machine: a query that takes about so long may
be ended on one and not on another.
"""

import http.client
import json
from collections.abc import Iterator
from typing import Any, Self
from urllib.parse import unquote

from rulemine.errors import ConfigError
from rulemine.kinds.written.candidate import Refusal
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.query.oxigraph.workers import Workers
from rulemine.query.sparql import entity_iri, relation_iri

__all__ = ["SECONDS", "Executor", "RunFailure"]

SECONDS = 10.0
"""Time of a query."""

MOST_ROWS = 1000
"""Rows of a result."""

Result = tuple[str, ...] | int
"""Ids of entities, sorted, each once; or the value of a count."""

_ACCEPTED = "application/sparql-results+json"

_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


class RunFailure:
    """Why running a query gave nothing that can be used."""

    UNREADABLE = "its SPARQL cannot be run as it is written"
    TIME = "its SPARQL took too long"
    MEMORY = "its SPARQL took too much memory"
    ROWS = "its SPARQL gave too many rows"
    COLUMNS = "its SPARQL gave neither one column nor one number"
    UNKNOWN = "its SPARQL gave something that is no entity"


class Executor:
    """Runs queries; a context manager.

    Args:
        names: The names of the complete graph, which is loaded when the context is entered.
    """

    def __init__(self, names: WriterNames) -> None:
        self._names = names
        self._workers: Workers | None = None

    def __enter__(self) -> Self:
        lines = _lines(self._names)
        self._workers = Workers(lines, timeout=SECONDS, most_rows=MOST_ROWS, count=1)
        return self

    def __exit__(self, *_: object) -> None:
        if self._workers is not None:
            self._workers.close()
            self._workers = None

    def answers(self, sparql: str) -> Result | Refusal:
        """Runs a query.

        Args:
            sparql: In SPARQL 1.1, as it was written.

        Returns:
            What it gives; or why that cannot be used, the reason one of `RunFailure`.

        Raises:
            ConfigError: The processes that run queries have ended.
        """
        if self._workers is None:
            raise RuntimeError("Executor runs queries inside its context alone")
        reply = self._workers.ask(sparql, _ACCEPTED)
        if reply.status == http.HTTPStatus.INTERNAL_SERVER_ERROR:
            raise ConfigError(
                "the processes that run SPARQL were ended from outside; is there enough memory? Free some "
                "and run the same command again."
            )
        if reply.late:
            return Refusal(RunFailure.TIME, f"more than {SECONDS:g} s")
        if reply.status == http.HTTPStatus.SERVICE_UNAVAILABLE:
            return Refusal(RunFailure.MEMORY)
        if reply.status != http.HTTPStatus.OK:
            return Refusal(RunFailure.UNREADABLE, reply.body.decode().partition("\n")[0])
        if reply.cut:
            return Refusal(RunFailure.ROWS, f"more than {MOST_ROWS:,}")
        if reply.kind != _ACCEPTED:
            return Refusal(RunFailure.COLUMNS, "triples")
        return _read(reply.body, self._names)


def _lines(names: WriterNames) -> Iterator[bytes]:
    """The graph in N-Triples."""
    kg = names.kg
    entities = [f"<{entity_iri(names.id(i))}>" for i in range(len(kg.entities))]
    relations = [f"<{relation_iri(label)}>" for label in kg.relations]
    for s, r, o in kg.triples.tolist():
        yield f"{entities[s]} {relations[r]} {entities[o]} .\n".encode()


def _read(body: bytes, names: WriterNames) -> Result | Refusal:
    """A result in SPARQL 1.1 Query Results JSON."""
    table = json.loads(body)
    if "boolean" in table:
        return Refusal(RunFailure.COLUMNS, "a truth value")
    columns, rows = table["head"]["vars"], table["results"]["bindings"]
    if len(columns) != 1:
        return Refusal(RunFailure.COLUMNS, f"{len(columns)} columns")
    cells = [row.get(columns[0], {}) for row in rows]
    if len(cells) == 1 and cells[0].get("datatype") == _INTEGER and cells[0]["value"].isdecimal():
        return int(cells[0]["value"])
    ids = {_id(cell) for cell in cells}
    if any(id_ is None or names.entity(id_) is None for id_ in ids):
        return Refusal(RunFailure.UNKNOWN)
    return tuple(sorted(map(str, ids)))


def _id(cell: dict[str, Any]) -> str | None:
    iri: str = cell.get("value", "")
    if cell.get("type") != "uri" or not iri.startswith("entity:"):
        return None
    return unquote(iri.removeprefix("entity:"))
