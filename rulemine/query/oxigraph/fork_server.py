"""Run as a program by `rulemine.query.oxigraph.workers`: loads a graph and forks workers that answer queries.

Its arguments are the socket over which workers are asked for, the seconds and rows of a query, and the bytes
of a worker; the graph comes on standard input, in N-Triples.
"""

import json
import os
import resource
import signal
import socket
import sys
from io import FileIO
from itertools import islice
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from rulemine.query.oxigraph.rewriting import RefusedQueryError, rewrite
from rulemine.query.oxigraph.workers import SparqlReply, receive, send, sentence

_TABLES = {
    "application/sparql-results+json": ox.QueryResultsFormat.JSON,
    "application/json": ox.QueryResultsFormat.JSON,
    "application/sparql-results+xml": ox.QueryResultsFormat.XML,
    "application/xml": ox.QueryResultsFormat.XML,
    "text/csv": ox.QueryResultsFormat.CSV,
    "text/tab-separated-values": ox.QueryResultsFormat.TSV,
}
"""Media type → form of a table of rows or a truth value; the first is for whoever welcomes all."""

_GRAPHS = {
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/rdf+xml": ox.RdfFormat.RDF_XML,
}
"""Media type → form of triples, likewise."""


def main(arguments: list[str]) -> None:
    """Loads the graph, says so, and forks a worker for every socket that it is sent."""
    handle, timeout, rows, memory = arguments
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for workers
    with socket.socket(fileno=int(handle)) as control:
        store = ox.Store()
        with FileIO(0) as given:
            store.bulk_load(given, format=ox.RdfFormat.N_TRIPLES)
        control.sendall(b"+")
        while (sent := socket.recv_fds(control, 1, 1))[0]:
            with socket.socket(fileno=sent[1][0]) as client:
                if os.fork() == 0:
                    control.close()
                    _work(store, client, float(timeout), int(rows), int(memory))
                    return


def _work(store: ox.Store, client: socket.socket, timeout: float, rows: int, memory: int) -> None:
    """Answers queries until the other end is closed or one takes too long, which ends the process."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    # What the engine says when memory is short goes nowhere: the reply says it.
    _confine(client, _bytes_in_use(), memory)
    with socket.socket(fileno=_CLIENT) as near:
        while True:
            try:
                query, accept = json.loads(receive(near)[0])
            except OSError:
                return
            signal.setitimer(signal.ITIMER_REAL, timeout)
            reply = _answer(store, query, accept, rows)
            signal.setitimer(signal.ITIMER_REAL, 0)
            send(near, json.dumps([reply.status, reply.kind, reply.cut]).encode(), reply.body)


_CLIENT = 3
"""The handle of the socket of a worker, after those of standard input, output and error."""


def _confine(client: socket.socket, in_use: int, memory: int) -> None:
    """Leaves the process the standard handles, which lead nowhere, its socket, and some memory.

    With every handle taken and no more allowed, SERVICE can connect to nothing, however it is written.
    """
    os.dup2(client.detach(), _CLIENT)  # first: what is opened next may take any handle but this
    nowhere = os.open(os.devnull, os.O_RDWR)
    for handle in range(_CLIENT):
        os.dup2(nowhere, handle)
    os.closerange(_CLIENT + 1, 1024)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_CLIENT + 1, _CLIENT + 1))
    if in_use:
        resource.setrlimit(resource.RLIMIT_AS, (in_use + memory, in_use + memory))


def _bytes_in_use() -> int:
    """The size of the process; 0 where the system does not tell."""
    sizes = Path("/proc/self/statm")
    return int(sizes.read_text().split()[0]) * resource.getpagesize() if sizes.exists() else 0


def _answer(store: ox.Store, query: str, accept: str, rows: int) -> SparqlReply:
    try:
        return _result(store.query(rewrite(query)), accept, rows)
    except RefusedQueryError as problem:
        return sentence(problem.status, str(problem))
    except SyntaxError as problem:
        where, _, expected = str(problem.msg).removeprefix("error at ").partition(": ")
        wanted = (
            f" ({expected})" if len(expected) < _LONGEST else ""
        )  # it may list the whole grammar
        return sentence(
            400,
            f"The query cannot be read from {where} (line:column) on{wanted}. Correct it. With prefixes "
            f"written out it is:\n{rewrite(query)}",
        )
    except (ValueError, OSError, RuntimeError) as problem:
        return sentence(400, f"The query cannot be answered: {problem}. Ask in another way.")


def _result(found: Any, accept: str, rows: int) -> SparqlReply:
    """The result of a query, up to a number of rows or triples."""
    if isinstance(found, ox.QueryTriples):
        kind = _chosen(accept, _GRAPHS)
        triples = list(islice(found, rows + 1))
        body = ox.serialize(triples[:rows], format=_GRAPHS[kind])
        return SparqlReply(200, kind, body or b"", len(triples) > rows)
    kind = _chosen(accept, _TABLES)
    form = _TABLES[kind]
    if isinstance(found, ox.QueryBoolean):
        # A truth value has no CSV or TSV.
        if form not in (ox.QueryResultsFormat.JSON, ox.QueryResultsFormat.XML):
            kind, form = next(iter(_TABLES.items()))
        return SparqlReply(200, kind, found.serialize(format=form) or b"")
    solutions = list(islice(found, rows + 1))
    body = _json(found.variables, solutions[:rows])
    if form != ox.QueryResultsFormat.JSON:
        again = ox.parse_query_results(body, format=ox.QueryResultsFormat.JSON)
        body = again.serialize(format=form) or b""
    return SparqlReply(200, kind, body, len(solutions) > rows)


def _chosen(accept: str, offered: dict[str, Any]) -> str:
    """The media type that is most welcome; the first of those offered if none is."""
    best, most = next(iter(offered)), 0.0
    for part in accept.lower().split(","):
        name, *parameters = (text.strip() for text in part.split(";"))
        weight = next((_number(p[2:]) for p in parameters if p.startswith("q=")), 1.0)
        if name in offered and weight > most:
            best, most = name, weight
    return best


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _json(variables: Any, solutions: list[Any]) -> bytes:
    """A table in SPARQL 1.1 Query Results JSON: pyoxigraph writes only whole results."""
    names = [variable.value for variable in variables]
    rows = (
        {name: _term(term) for name, term in zip(names, row, strict=True) if term is not None}
        for row in solutions
    )
    table = {"head": {"vars": names}, "results": {"bindings": list(rows)}}
    return json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode()


def _term(term: Any) -> dict[str, Any]:
    if isinstance(term, ox.NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, ox.BlankNode):
        return {"type": "bnode", "value": term.value}
    if not isinstance(term, ox.Literal):
        raise ValueError("a row holds a triple, which results in SPARQL 1.1 cannot")
    found = {"type": "literal", "value": term.value}
    if term.language:
        found["xml:lang"] = term.language
    elif term.datatype.value != _STRING:
        found["datatype"] = term.datatype.value
    return found


_LONGEST = 200
"""Characters of what the engine expected that are still read by people."""

_STRING = "http://www.w3.org/2001/XMLSchema#string"


if __name__ == "__main__":
    main(sys.argv[1:])
