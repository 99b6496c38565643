"""Runs the SPARQL of a source that is no query over links, by pyoxigraph, within limits of time and rows.

Graphs here have entities and relations, and no values. So what names something that the graph lacks, or
compares texts, numbers or dates, is refused. The limit of time is one of the machine.
"""

import json
import re
from collections.abc import Collection
from http import HTTPStatus

from rulemine.errors import QueryError
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.oxigraph.rewriting import FREEBASE, rewrite
from rulemine.query.oxigraph.workers import Workers

__all__ = ["SourceRunner"]

SECONDS = 10.0
MOST_ROWS = 100_000

_RESULTS = "application/sparql-results+json"

_PREFIX = re.compile(r"\bPREFIX\s+[\w.-]*:\s*<[^<>\s]*>", re.IGNORECASE)
_ENGLISH = re.compile(r"FILTER\s*\(\s*!isLiteral\(\?\w+\)\s*(?:OR|\|\|)[^{}\n]*?'en'\)\s*\)")
"""What is true of every entity: generated queries over Freebase begin with it."""

_NAME = re.compile(
    r"""<(?P<iri>[^<>"{}|^`\\\s]*)>|\#[^\n]*
    |(?P<quote>["'])(?P<text>(?:(?!(?P=quote))[^\\\n])*)(?P=quote)(?:@[\w-]+|\^\^<[^<>\s]*>)?""",
    re.VERBOSE,
)
"""An IRI, a comment, or a literal."""

_HAVING = re.compile(r"\bHAVING\b[^{}]*", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:LIMIT|OFFSET)\s+\d+", re.IGNORECASE)
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
        names = enumerate(dict.fromkeys((*kg.entities, *kg.relations)))
        self._ids = {name: f"<n:{at:010}>" for at, name in names}
        self._names = {iri[1:-1]: name for name, iri in self._ids.items()}
        self._numbers = any(re.match(r"[+-]?\d", name) for name in kg.entities)
        self._workers: dict[bool, Workers] = {}

    def close(self) -> None:
        """Ends all processes."""
        for workers in self._workers.values():
            workers.close()

    def run(self, sparql: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What a query gives on the complete and on the incomplete graph, sorted: entities.

        Args:
            sparql: As its source has it.

        Raises:
            UserError: It was not run; the message says why, in a sentence.
        """
        query = self._readable(sparql)
        whole = self._answers(query, whole=True)
        return whole, self._answers(query, whole=False) if self._missing else whole

    def _readable(self, sparql: str) -> str:
        """The query with the names that the graph is loaded with."""
        text = _PREFIX.sub("", rewrite(_ENGLISH.sub("", sparql)))
        unnamed = _NAME.sub(" ", text)
        rest = _HAVING.sub("", _FIRST.sub("", unnamed))
        if _VALUES.search(rest) or {*map(str.upper, _CALL.findall(rest))} - _CALLED:
            raise QueryError("it compares texts, numbers or dates, which the graph does not have.")
        sorts = re.search(r"\bORDER\b", rest, re.IGNORECASE) and not self._numbers
        if _FIRST.search(unnamed) and not sorts:
            raise QueryError("it takes the first answers of an order that the graph does not have.")
        return _NAME.sub(self._named, text)

    def _named(self, found: re.Match[str]) -> str:
        """What the graph calls a name; of a comment, nothing."""
        given = found["iri"] or found["text"] or ""
        name = given if given in self._ids else given.removeprefix(FREEBASE)
        if found[0][0] != "#" and name not in self._ids:
            raise QueryError(f"the graph has no {json.dumps(name, ensure_ascii=False)}.")
        return self._ids.get(name, " ")

    def _answers(self, query: str, *, whole: bool) -> tuple[str, ...]:
        if whole not in self._workers:
            lines = (
                f"{' '.join(self._ids[name] for name in triple)} .\n".encode()
                for triple in self._kg.labeled()
                if whole or triple not in self._missing
            )
            self._workers[whole] = Workers(lines, timeout=SECONDS, most_rows=MOST_ROWS, count=1)
        reply = self._workers[whole].ask(query, _RESULTS)
        self.late += reply.late
        if reply.late or reply.cut:
            raise QueryError(f"it takes more than {SECONDS:g} s or {MOST_ROWS:,} rows.")
        if reply.status != HTTPStatus.OK:
            raise QueryError(reply.body.decode().partition("\n")[0])
        table = json.loads(reply.body) if reply.kind == _RESULTS else {}
        columns = table.get("head", {}).get("vars", ())
        if len(columns) != 1:
            raise QueryError("it gives no column of entities.")
        cells = [row.get(columns[0], {}) for row in table["results"]["bindings"]]
        names = {self._names.get(cell.get("value", ""), "") for cell in cells}
        if not names <= self._kg.entity_ids.keys():
            raise QueryError("it gives something that is no entity, such as a number.")
        return tuple(sorted(names))
