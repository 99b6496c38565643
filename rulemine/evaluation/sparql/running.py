"""Runs SPARQL that others wrote on a graph of a release, within limits of time and rows.

Entities and relations are ``<entity:NAME>`` and ``<relation:NAME>`` (`rulemine.query.sparql`), the names
percent-encoded or as they are; the prefixes ``entity:`` and ``relation:`` need no declaration. Every entity
has its name as ``rdfs:label``, as in the export ``rdf``. Guarantee: no query outlives its time, and none can
open a file or a connection (`rulemine.query.oxigraph.workers`). A query is handed on letter by letter, right
or wrong; only what stands around it in a reply is left out.
"""

import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import unquote

from rulemine.errors import UserError
from rulemine.evaluation.cypher.replies import Language, query_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.oxigraph.rewriting import rewrite
from rulemine.query.oxigraph.workers import Workers
from rulemine.query.sparql import entity_iri, relation_iri

__all__ = ["KINDS", "LONGEST", "MOST_ROWS", "SECONDS", "Ran", "SparqlRunner", "sparql_of"]

SECONDS = 10.0
"""What a query may take."""

MOST_ROWS = 100_000
"""Rows that it may give."""

AT_ONCE = 4
"""Queries that run at the same time."""

KINDS = {
    "run": "gives answers",
    "no query": "there is none in what was written",
    "refused": "would change the graph, ask another server or name a graph",
    "syntax": "is no SPARQL",
    "unknown relation": "gives nothing, and names a relation that the graph has not",
    "unknown entity": "gives nothing, and names an entity that the graph has not",
    "no result": "gives nothing",
    "no entities": "gives no entity or number, or several columns of them",
    "too long": f"takes more than {SECONDS:g} s, or too much memory",
    "too many": f"gives more than {MOST_ROWS:,} rows",
}
"""What becomes of a query → in words."""

_RESULTS = "application/sparql-results+json"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_OWN = re.compile(r"\bPREFIX\s+(?:entity|relation)\s*:\s*<[^<>]*>", re.IGNORECASE)
_NAMED = re.compile(r"<(entity|relation):([^<>\n]*)>")
_IRI = re.compile(r"<([^<>\"{}|^`\\\s]*)>")
_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
_PREFIXES = "PREFIX entity: <entity:> PREFIX relation: <relation:>\n"
_PLACE = re.compile(r"(?<= from )\d+(?=:\d)")
"""The line of an error, in which `_PREFIXES` is counted."""

_WHOLE = re.compile(r"[+-]?\d+\Z")
_SORTS = re.compile(r"\bORDER\s+BY\b", re.IGNORECASE)
_COUNT = re.compile(
    r"\bSELECT\s*\(\s*COUNT\s*\(\s*(?:DISTINCT\b\s*)?([?$]\w+)\s*\)\s*AS\s+[?$]\w+\s*\)(?=\s*(?:WHERE\b|\{))",
    re.IGNORECASE,
)
_DECLARED = re.compile(r"\bPREFIX\s+[\w.-]*\s*:\s*<[^<>]*>", re.IGNORECASE)


class Ran(NamedTuple):
    """What became of a query.

    Attributes:
        kind: One of `KINDS`.
        answers: What it gives: names of entities, and numbers as texts; in the order of the query, each once.
        said: What is wrong with it, as a sentence; "" if nothing is.
        query: The query, as it was written; "" if there is none.
    """

    kind: str
    answers: tuple[str, ...] = ()
    said: str = ""
    query: str = ""


class SparqlRunner:
    """Runs queries on a graph, which is loaded when the first one comes; for any number of threads.

    Args:
        kg: The graph.
        order: Entity → its place among answers that a query does not sort; without, they are sorted by name.
        seconds: What a query may take.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        order: Mapping[str, int] | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self._kg, self._order, self._seconds = kg, order or {}, seconds
        self._workers: Workers | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> "SparqlRunner":
        return self

    def __exit__(self, *problem: object) -> None:
        if self._workers is not None:
            self._workers.close()

    def run_all(self, texts: Iterable[tuple[str, bool]]) -> list[Ran]:
        """Runs what was written, each with whether its question asks how many, see `run`; several at once."""
        with ThreadPoolExecutor(AT_ONCE) as threads:
            return list(threads.map(lambda one: self.run(one[0], counts=one[1]), texts))

    def run(self, text: str, *, counts: bool = False) -> Ran:
        """Runs the query in what a system wrote.

        Args:
            text: What was written, see `sparql_of`.
            counts: Whether the question asks how many: the answers of a query that counts the values of a
                variable are then what it counts, as those of the question are.
        """
        query, why = sparql_of(text)
        if query is None:
            return Ran("no query", said=f"there is no query: {why}.")
        asked = _COUNT.sub(r"SELECT DISTINCT \1", query, count=1) if counts else query
        return self._run(asked)._replace(query=query)

    def _run(self, query: str) -> Ran:
        try:
            written = self._written(query)
        except UserError as problem:
            return Ran("refused", said=_line(str(problem)))
        reply = self._loaded().ask(written, _RESULTS)
        if reply.late:
            return Ran("too long", said=f"it takes more than {self._seconds:g} s.")
        if reply.cut:
            return Ran("too many", said=f"it gives more than {MOST_ROWS:,} rows.")
        if reply.status != HTTPStatus.OK:
            said = _PLACE.sub(lambda at: str(int(at[0]) - 1), _line(reply.body.decode()))
            ended = reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR
            kind = "too long" if ended else "syntax"
            return Ran(kind, said=said.removesuffix(" With prefixes written out it is:"))
        if reply.kind != _RESULTS:
            return Ran("no entities", said="it gives triples; a SELECT was expected.")
        table = json.loads(reply.body)
        if "results" not in table:
            return Ran(
                "no entities", said="it asks whether something is so; a SELECT was expected."
            )
        return self._read(table["results"]["bindings"], written)

    def _written(self, query: str) -> str:
        """The query with the IRIs that the graph is loaded with."""
        # Half of a surrogate pair is in no name.
        whole = query[:LONGEST].encode(errors="replace").decode()
        text = _OWN.sub("", whole)
        text = rewrite(_PREFIXES + _NAMED.sub(self._named, text))
        return _NAMED.sub(self._named, text)

    def _named(self, found: re.Match[str]) -> str:
        """An IRI of the release: that of the name meant, or, of an unknown one, of what is written."""
        known, iri = (
            (self._kg.entity_ids, entity_iri)
            if found[1] == "entity"
            else (self._kg.relation_ids, relation_iri)
        )
        plain = unquote(found[2])
        tried = (plain, found[2], plain.replace("_", " "))
        return f"<{iri(next((name for name in tried if name in known), plain))}>"

    def _loaded(self) -> Workers:
        with self._lock:
            if self._workers is None:
                self._workers = Workers(
                    self._lines(), timeout=self._seconds, most_rows=MOST_ROWS, count=AT_ONCE
                )
            return self._workers

    def _lines(self) -> Iterator[bytes]:
        """The graph in N-Triples."""
        entity = [entity_iri(name) for name in self._kg.entities]
        relation = [relation_iri(name) for name in self._kg.relations]
        for s, r, o in self._kg.triples.tolist():
            yield f"<{entity[s]}> <{relation[r]}> <{entity[o]}> .\n".encode()
        for iri, name in zip(entity, self._kg.entities, strict=True):
            yield f"<{iri}> <{_LABEL}> {json.dumps(name, ensure_ascii=False)}@en .\n".encode()

    def _read(self, rows: list[dict[str, dict[str, str]]], written: str) -> Ran:
        """The answers in a result: its one column of entities, or else of numbers and names."""
        if not any(rows):
            return self._nothing(written)
        entities: dict[str, dict[str, None]] = {}
        texts: dict[str, dict[str, None]] = {}
        for name, cell in (item for row in rows for item in row.items()):
            value = cell["value"]
            if cell["type"] == "uri" and value in self._entities:
                entities.setdefault(name, {})[self._entities[value]] = None
            elif cell["type"] == "literal" and (
                value in self._kg.entity_ids or _WHOLE.match(value)
            ):
                texts.setdefault(name, {})[value] = None
        chosen = entities or texts
        if "answer" in chosen:
            chosen = {"answer": chosen["answer"]}
        different = dict.fromkeys(
            map(tuple, chosen.values())
        )  # the name beside an entity says the same
        if len(different) != 1:
            many = f"{len(chosen)} columns of entities" if chosen else "no entity"
            return Ran("no entities", said=f"it gives {many}; one column, ?answer, was expected.")
        (answers,) = different
        if not _SORTS.search(written):  # then the order is that of the engine
            answers = tuple(sorted(answers, key=lambda name: (self._order.get(name, 0), name)))
        return Ran("run", answers)

    @cached_property
    def _entities(self) -> dict[str, str]:
        return {entity_iri(name): name for name in self._kg.entities}

    def _nothing(self, written: str) -> Ran:
        """Why a query gives nothing."""
        text = _TEXT.sub(" ", _DECLARED.sub(" ", written))
        for iri in dict.fromkeys(_IRI.findall(text)):
            scheme, _, name = iri.partition(":")
            if scheme == "entity" and unquote(name) not in self._kg.entity_ids:
                return Ran("unknown entity", said=f"the graph has no entity <{iri}>.")
            known = scheme == "relation" and unquote(name) in self._kg.relation_ids
            if scheme != "entity" and iri != _LABEL and not known:
                return Ran("unknown relation", said=f"the graph has no relation <{iri}>.")
        return Ran("no result", said="it gives nothing.")


def _line(text: str) -> str:
    return " ".join(text.partition("\n")[0].split())


LONGEST = 30_000
"""Characters of a reply that are read."""

_BEGIN = re.compile(
    r"\b(?:PREFIX\s+[\w.-]*:\s*<|BASE\s*<|SELECT\s*(?:(?:DISTINCT|REDUCED)\b\s*)?[?$*(]"
    r"|ASK\s*(?:WHERE\s*)?\{|CONSTRUCT\s*(?:WHERE\s*)?\{|DESCRIBE\s*[?$<*])",
    re.IGNORECASE,
)
"""Where a query may begin: a word of prose such as *select* is not followed by a variable."""

_UPDATE = re.compile(
    r"(?:INSERT|DELETE|CLEAR|DROP|LOAD|CREATE|ADD|MOVE|COPY|WITH)\b", re.IGNORECASE
)
_SIGNS = re.compile(
    r"""<[^<>\s]*>|"(?:[^"\\\n]|\\.)*"|(?<!\w)'(?:[^'\\\n]|\\.)*'|\#[^\n]*|[{}()]"""
)
_WHERE = re.compile(r"\s*WHERE\s*(?=\{)", re.IGNORECASE)
"""What stands between the template of a CONSTRUCT and its pattern."""

_TAIL = re.compile(
    r"(?:\s|\#[^\n]*\n)*(?:(?P<pieces>(?:GROUP|ORDER)\s+BY\b|HAVING\b|VALUES\b)|(?:LIMIT|OFFSET)\s+-?\d+)",
    re.IGNORECASE,
)
"""How that begins which may stand after the last brace of a query."""

_PIECE = re.compile(
    r"[^\S\n]*(?:\#[^\n]*)?\n?[^\S\n]*(?:[?$]\w+|(?:(?:ASC|DESC)\s*)?[\w:]*(?P<opens>[({]))",
    re.IGNORECASE,
)
"""A variable, or the beginning of an expression or of values, with no empty line before it."""


def sparql_of(text: str) -> tuple[str | None, str]:
    r"""The query in what a model wrote, see `rulemine.evaluation.cypher.replies.query_of`.

    Args:
        text: The reply; `LONGEST` characters of it are read.

    Example:
        >>> sparql_of("It is:\nselect ?x where { <entity:a> <relation:r> ?x } LIMIT 5\nThis finds it.")
        ('select ?x where { <entity:a> <relation:r> ?x } LIMIT 5', '')
        >>> sparql_of("I cannot say.")
        (None, 'no block between ``` and ```, and no SELECT ?answer')
    """
    return query_of(text[:LONGEST], _SPARQL)


def _bare(text: str) -> str:
    """The query in a text, from where it begins to its last brace and what follows that; "" if none."""
    begins = [found.start() for found in _BEGIN.finditer(text)]
    if not begins:
        return text if _UPDATE.match(text) else ""  # which is refused when it is run
    # A comment before the query may speak of selecting.
    start = next((at for at in begins if not _is_comment(text, at)), begins[0])
    end = _closed(text, start, "{}")
    if end and (more := _WHERE.match(text, end)):
        end = _closed(text, more.end(), "{}")
    if not end:
        return text[start:].strip()  # a brace is missing: the query says so when it is run
    while tail := _TAIL.match(text, end):
        end = tail.end()
        while tail["pieces"] and (piece := _PIECE.match(text, end)):
            pair = {"(": "()", "{": "{}"}.get(piece["opens"])
            closed = _closed(text, piece.start("opens"), pair) if pair else piece.end()
            if not closed:
                return text[start:].strip()
            end = closed
    return text[start:end].strip()


def _is_comment(text: str, at: int) -> bool:
    return text[text.rfind("\n", 0, at) + 1 : at].lstrip().startswith("#")


def _closed(text: str, start: int, pair: str) -> int:
    """Where what is opened first from a place on is closed; 0 if nowhere."""
    depth = 0
    for sign in _SIGNS.finditer(text, start):
        if sign[0] in pair:
            depth += 1 if sign[0] == pair[0] else -1
            if depth <= 0:
                return sign.end()
    return 0


_SPARQL = Language(
    re.compile(r"(?:sparql|sql)\Z", re.IGNORECASE), _bare, _bare, "no SELECT ?answer"
)
