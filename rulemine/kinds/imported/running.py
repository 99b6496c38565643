"""Runs the SPARQL of a source that is no query over links, by pyoxigraph, within limits of time and rows.

Graphs here have entities and relations, and no values. So what names something that the graph lacks, or
compares texts, numbers or dates, has a reason instead of a result. The limit of time is one of the machine.
"""

import json
import re
from collections.abc import Collection, Iterator
from http import HTTPStatus

from rulemine.errors import QueryError, UserError
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.oxigraph.rewriting import FREEBASE, rewrite
from rulemine.query.oxigraph.workers import Workers

__all__ = ["SourceRunner"]

SECONDS = 10.0
MOST_ROWS = 100_000

_RESULTS = "application/sparql-results+json"
_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"

_PREFIX = re.compile(r"\bPREFIX\s+[\w.-]*:\s*<[^<>\s]*>", re.IGNORECASE)
_ENGLISH = re.compile(r"FILTER\s*\(\s*!isLiteral\(\?\w+\)\s*(?:OR|\|\|)[^{}\n]*?'en'\)\s*\)")
"""What is true of every entity: generated queries over Freebase begin with it."""

_NAME = re.compile(
    r"""<(?P<iri>[^<>"{}|^`\\\s]*)>|\#[^\n]*
    |(?P<quote>["'])(?P<text>(?:(?!(?P=quote))[^\\\n])*)(?P=quote)(?:@[\w-]+|\^\^<[^<>\s]*>)?""",
    re.VERBOSE,
)
"""An IRI, a comment, or a literal."""

_COUNTS = re.compile(r"\bHAVING\b[^{}]*|\b(?:LIMIT|OFFSET)\s+\d+", re.IGNORECASE)
_VALUES = re.compile(r"[<>]|(?<![\w?$])\d|\sa\s")
"""A comparison, a number, or ``a``, a name that the graph has not."""

_CALL = re.compile(r"(?<![\w?$])([A-Za-z]\w*)\s*\(")
_CALLED = {"FILTER", "EXISTS", "COUNT", "IN", "BY", "ASC", "DESC", "SELECT", "DISTINCT", "BOUND"}
"""What may stand before a bracket."""


class SourceRunner:
    """Runs queries on a graph and on what is left of it, each loaded when the first query needs it.

    Args:
        kg: The complete graph.
        missing: What the incomplete graph lacks.

    Attributes:
        late: The queries that were ended by the limit of time.
    """

    def __init__(self, kg: KnowledgeGraph, missing: Collection[Triple]) -> None:
        self._kg, self._missing, self.late = kg, missing, 0
        names = dict.fromkeys((*kg.entities, *kg.relations))
        self._ids = {name: f"<n:{at:010}>" for at, name in enumerate(names)}
        self._names = {iri[1:-1]: name for name, iri in self._ids.items()}
        self._numbers = any(re.match(r"[+-]?\d", name) for name in kg.entities)
        self._workers: dict[bool, Workers] = {}

    def close(self) -> None:
        """Ends all processes."""
        for workers in self._workers.values():
            workers.close()

    def run(self, sparql: str) -> tuple[tuple[str, ...], tuple[str, ...]] | str:
        """Runs a query.

        Args:
            sparql: As its source has it.

        Returns:
            What it gives on the complete and on the incomplete graph, sorted: entities; or why it
            was not run, in a sentence.
        """
        try:
            query = self._readable(sparql)
            whole = self._answers(query, whole=True)
            return whole, self._answers(query, whole=False) if self._missing else whole
        except UserError as problem:
            return " ".join(str(problem).split())

    def _readable(self, sparql: str) -> str:
        """The query with the names that the graph is loaded with."""
        text = _PREFIX.sub("", rewrite(_ENGLISH.sub("", sparql)))
        named = _NAME.sub(self._named, text)
        rest = _COUNTS.sub("", _NAME.sub(" ", text))
        called = {word.upper() for word in _CALL.findall(rest)} - _CALLED
        if called or _VALUES.search(rest):
            raise QueryError("it compares texts, numbers or dates, which the graph does not have.")
        sorts = re.search(r"\bORDER\b", rest, re.IGNORECASE)
        if sorts and self._numbers:
            raise QueryError("it sorts, and the graph has numbers as names.")
        if not sorts and re.search(r"\bLIMIT\b", text, re.IGNORECASE):
            raise QueryError("it takes some answers in no order.")
        return named

    def _named(self, found: re.Match[str]) -> str:
        given = found["iri"] if found["iri"] is not None else found["text"]
        if given is None:
            return " "  # a comment
        for name in (given, given.removeprefix(FREEBASE)):
            if name in self._ids:
                return self._ids[name]
        raise QueryError(f"the graph has no {json.dumps(name, ensure_ascii=False)}.")

    def _answers(self, query: str, *, whole: bool) -> tuple[str, ...]:
        if whole not in self._workers:
            lines = self._lines(whole=whole)
            self._workers[whole] = Workers(lines, timeout=SECONDS, most_rows=MOST_ROWS, count=1)
        reply = self._workers[whole].ask(query, _RESULTS)
        if reply.late or reply.cut:
            self.late += reply.late
            raise QueryError(f"it takes more than {SECONDS:g} s or {MOST_ROWS:,} rows.")
        if reply.status != HTTPStatus.OK:
            raise QueryError(reply.body.decode().partition("\n")[0])
        table = json.loads(reply.body) if reply.kind == _RESULTS else {}
        columns = table.get("head", {}).get("vars", ())
        if len(columns) != 1:
            raise QueryError("it gives no column of entities.")
        cells = [row.get(columns[0], {}) for row in table["results"]["bindings"]]
        if any(cell.get("datatype") == _INTEGER for cell in cells):
            raise QueryError("it asks for a number.")
        names = {self._names.get(cell.get("value", ""), "") for cell in cells}
        if not names <= self._kg.entity_ids.keys():
            raise QueryError("it gives something that is no entity.")
        return tuple(sorted(names))

    def _lines(self, *, whole: bool) -> Iterator[bytes]:
        """A graph in N-Triples."""
        for triple in self._kg.labeled():
            if whole or triple not in self._missing:
                yield f"{' '.join(self._ids[name] for name in triple)} .\n".encode()
