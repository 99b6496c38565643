"""Processes that answer SPARQL queries, each query within a time and a memory limit.

pyoxigraph cannot interrupt a query. So each query runs in a process with an alarm: when it rings, the system
ends the process, wherever the engine is, and another takes its place. This module, run as a program, loads
the graph and forks the workers, which share its memory: a process with one thread, so a fork copies no lock
that is held. Guarantees: no query outlives its time; a worker can open no file and no connection, whatever
the query says; everything ends with the process that started it.
"""

import contextlib
import json
import multiprocessing
import os
import queue
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from rulemine.errors import ConfigError
from rulemine.query.oxigraph.rewriting import RefusedQueryError, rewrite

__all__ = ["SparqlReply", "Workers"]

MOST_BYTES = 2 << 30
"""Memory of a worker beside the graph."""

_GRACE = 10.0
"""Seconds beyond the time of a query after which nothing more is expected of a worker."""


_TABLES = (
    *("application/sparql-results+json", "application/json"),
    *("application/sparql-results+xml", "application/xml"),
    *("text/csv", "text/tab-separated-values"),
)
"""Media types of a table of rows or a truth value; the first is for whoever welcomes all."""

_GRAPHS = ("application/n-triples", "text/turtle", "application/rdf+xml")
"""Media types of triples, likewise."""

_LONGEST = 200
"""Characters of what the engine expected that are still read by people."""

_STRING = "http://www.w3.org/2001/XMLSchema#string"


@dataclass(frozen=True, slots=True)
class SparqlReply:
    """The answer to a query.

    Attributes:
        status: A status of HTTP.
        kind: The media type of the body.
        body: The result, or a sentence about what is wrong.
        cut: Whether there are more rows than the limit, which the body lacks.
        late: Whether the query was ended because it took too long.
    """

    status: int
    kind: str
    body: bytes
    cut: bool = False
    late: bool = False


def _sentence(status: int, text: str, *, late: bool = False) -> SparqlReply:
    """A reply that says what is wrong."""
    return SparqlReply(status, "text/plain", f"{text}\n".encode(), late=late)


class Workers:
    """The processes; see the module.

    Args:
        lines: The graph in N-Triples, in any number of pieces; read when the object is made.
        timeout: Seconds a query may take.
        most_rows: Rows a result may have.
        count: How many queries are answered at once; 0: one on each core, at least four.
        memory: Bytes a worker may use beside the graph.

    Raises:
        ConfigError: The system cannot fork, or the graph does not fit into memory.
    """

    def __init__(
        self,
        lines: Iterable[bytes],
        *,
        timeout: float,
        most_rows: int,
        count: int = 0,
        memory: int = MOST_BYTES,
    ) -> None:
        if not hasattr(os, "fork"):
            raise ConfigError(
                "SPARQL is run in forked processes, which this system lacks. Use Linux or macOS, or load "
                "rulemine export --to rdf into a triple store."
            )
        self.most_rows = most_rows
        self._timeout = timeout
        self._idle: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        pairs = [multiprocessing.Pipe() for _ in range(count or max(4, os.cpu_count() or 1))]
        handles = [far.fileno() for _, far in pairs]
        self._holder = subprocess.Popen(  # noqa: S603
            [
                *(sys.executable, "-P", "-m", __name__),
                json.dumps([handles, timeout, most_rows, memory]),
            ],
            stdin=subprocess.PIPE,
            pass_fds=handles,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            process_group=0,  # Ctrl-C is for this process, which ends them
        )
        for near, far in pairs:
            far.close()
            self._idle.put(near)
        try:
            self._load(lines, pairs[0][0])
        except BaseException:
            self.close()
            raise

    def _load(self, lines: Iterable[bytes], first: Connection) -> None:
        """Sends the graph, and waits until the workers have it."""
        given = self._holder.stdin
        if given is not None:
            with contextlib.suppress(BrokenPipeError), given:  # then it is gone, as is said below
                given.writelines(lines)
        try:
            first.recv()
        except EOFError:
            raise ConfigError(
                "the graph could not be loaded into pyoxigraph; is there enough memory? Free some, or load "
                "rulemine export --to rdf into a triple store."
            ) from None

    def ask(self, query: str, accept: str) -> SparqlReply:
        """Answers a query; for any number of threads.

        Args:
            query: In SPARQL 1.1.
            accept: Which forms of results are welcome, as in HTTP.
        """
        try:
            worker = self._idle.get(timeout=self._timeout + _GRACE)
        except queue.Empty:
            return _sentence(503, "All processes are busy with other queries. Ask again later.")
        try:
            worker.send((query, accept))
            if not worker.poll(self._timeout + _GRACE):
                raise TimeoutError
            reply = SparqlReply(*worker.recv())
        except (EOFError, OSError):
            worker.close()
            return _sentence(500, "The endpoint is broken. Start it again.")
        self._idle.put(worker)
        return reply

    def close(self) -> None:
        """Ends all processes, whatever they are doing."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            # It was not waited for yet, so the number is its own.
            os.killpg(self._holder.pid, signal.SIGKILL)
        self._holder.wait()
        while not self._idle.empty():
            self._idle.get().close()


def _hold(handles: list[int], timeout: float, rows: int, memory: int) -> None:
    """Loads the graph from standard input; keeps a worker at each pipe until its other end is closed.

    What a worker that was ended cannot say is said here.
    """
    import pyoxigraph as ox

    store = ox.Store()
    store.bulk_load(sys.stdin.buffer, format=ox.RdfFormat.N_TRIPLES)
    fork = multiprocessing.get_context("fork")
    pipes = [Connection(handle) for handle in handles]

    def started(pipe: Connection) -> Any:
        worker = fork.Process(target=_work, args=(store, pipe, timeout, rows, memory))
        worker.start()
        return worker

    workers = [started(pipe) for pipe in pipes]
    pipes[0].send(None)
    while True:
        wait([worker.sentinel for worker in workers])
        for i, pipe in enumerate(pipes):
            if workers[i].is_alive():
                continue
            if not workers[i].exitcode:
                os.killpg(0, signal.SIGKILL)
            pipe.send(astuple(_ended(workers[i].exitcode == -signal.SIGALRM, timeout, memory)))
            workers[i] = started(pipe)


def _ended(late: bool, timeout: float, memory: int) -> SparqlReply:
    if not late:
        return _sentence(
            503,
            f"The query was ended: it needed more than {memory / 2**30:g} GiB, or the engine failed. "
            "Ask for less.",
        )
    return _sentence(
        503,
        f"The query took longer than {timeout:g} s and was ended. Ask for less, or start the "
        "endpoint with a longer timeout.",
        late=True,
    )


def _work(store: Any, pipe: Connection, timeout: float, rows: int, memory: int) -> None:
    """Answers queries until the other end is closed or one takes too long, which ends the process."""
    _confine(memory)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with contextlib.suppress(EOFError, OSError):
        while True:
            query, accept = pipe.recv()
            signal.setitimer(signal.ITIMER_REAL, timeout)
            reply = _answer(store, query, accept, rows)
            signal.setitimer(signal.ITIMER_REAL, 0)
            pipe.send(astuple(reply))


def _confine(memory: int) -> None:
    """Leaves the process some memory, and no handle beside those that it has.

    So SERVICE can connect to nothing, however it is written.
    """
    import resource

    # What the engine says when memory is short goes nowhere: the reply says it.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sizes = Path("/proc/self/statm")
    if sizes.exists():  # elsewhere the system does not tell how much is in use
        most = int(sizes.read_text().split()[0]) * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))


def _answer(store: Any, query: str, accept: str, rows: int) -> SparqlReply:
    try:
        return _result(store.query(rewrite(query)), accept, rows)
    except RefusedQueryError as problem:
        return _sentence(problem.status, str(problem))
    except SyntaxError as problem:
        where, _, expected = str(problem.msg).removeprefix("error at ").partition(": ")
        wanted = f" ({expected})" if len(expected) < _LONGEST else ""  # or it lists the grammar
        return _sentence(
            400,
            f"The query cannot be read from {where} (line:column) on{wanted}. Correct it. With prefixes "
            f"written out it is:\n{rewrite(query)}",
        )
    except (ValueError, OSError, RuntimeError) as problem:
        return _sentence(400, f"The query cannot be answered: {problem}. Ask in another way.")


def _result(found: Any, accept: str, rows: int) -> SparqlReply:
    """The result of a query, up to a number of rows or triples."""
    import pyoxigraph as ox

    if isinstance(found, ox.QueryTriples):
        kind = _chosen(accept, _GRAPHS)
        triples = list(islice(found, rows + 1))
        body = ox.serialize(triples[:rows], format=ox.RdfFormat.from_media_type(kind))
        return SparqlReply(200, kind, body or b"", len(triples) > rows)
    kind = _chosen(accept, _TABLES)
    if isinstance(found, ox.QueryBoolean):
        kind = _TABLES[0] if kind.startswith("text/") else kind  # these have no truth values
        form = ox.QueryResultsFormat.from_media_type(kind)
        return SparqlReply(200, kind, found.serialize(format=form) or b"")
    solutions = list(islice(found, rows + 1))
    body = _json(found.variables, solutions[:rows])
    form = ox.QueryResultsFormat.from_media_type(kind)
    if form != ox.QueryResultsFormat.JSON:
        again = ox.parse_query_results(body, format=ox.QueryResultsFormat.JSON)
        body = again.serialize(format=form) or b""
    return SparqlReply(200, kind, body, len(solutions) > rows)


def _chosen(accept: str, offered: Sequence[str]) -> str:
    """The media type that is most welcome; the first of those offered if none is."""
    best, most = offered[0], 0.0
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
    import pyoxigraph as ox

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


if __name__ == "__main__":
    _hold(*json.loads(sys.argv[1]))
