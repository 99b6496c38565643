"""Queries as they were written, run here and on endpoints that misbehave."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from rulemine.errors import ConfigError, EndpointError
from rulemine.exports.endpoint import make_endpoint
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.written.candidate import Refusal
from rulemine.kinds.written.execution import (
    EndpointExecutor,
    LocalExecutor,
    RunFailure,
    executor_of,
)
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.query.oxigraph.workers import Workers
from tests.chat_server import until

KG = KnowledgeGraph.from_triples(
    [("Zoë {B}", "knows of", f'"{i}" <x>') for i in range(12)] + [("a", "r", "b"), ("a", "s", "b")]
)
NAMES = WriterNames(KG, [f"e{i:02}" for i in range(len(KG.entities))], KG.entities)
ZOE, A, B = (f"<entity:{NAMES.id(KG.entity_ids[name])}>" for name in ("Zoë {B}", "a", "b"))
ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{i} ?b{i} ?c{i} ." for i in range(9)) + " }"


@pytest.fixture(scope="module")
def here() -> Iterator[LocalExecutor]:
    with LocalExecutor(NAMES, 30, 12) as executor:
        yield executor


def test_queries_are_run_as_they_are_written(here: LocalExecutor) -> None:
    found = here.answers(f"SELECT ?x {{ {A} <relation:r>|<relation:s> ?x }}")
    assert found == (NAMES.id(KG.entity_ids["b"]),)
    known = here.answers(f"SELECT DISTINCT ?x {{ {ZOE} <relation:knows%20of> ?x }}")
    assert isinstance(known, tuple)
    assert len(known) == 12
    assert known == tuple(sorted(known))
    assert here.answers(f"SELECT (COUNT(?x) AS ?n) {{ {ZOE} ?r ?x }}") == 12
    assert here.answers(f"SELECT (COUNT(?x) AS ?n) {{ {B} ?r ?x }}") == 0
    assert here.answers(f"SELECT ?x {{ {B} ?r ?x }}") == ()


@pytest.mark.parametrize(
    ("sparql", "reason"),
    [
        ("SELECT ?x {", RunFailure.UNREADABLE),
        ("SELECT ?x { entity:e01 ?r ?x }", RunFailure.UNREADABLE),
        ("SELECT ?x { SERVICE <http://127.0.0.1:9> { ?x ?r ?y } }", RunFailure.UNREADABLE),
        ("INSERT DATA { <x:a> <x:b> <x:c> }", RunFailure.UNREADABLE),
        ("LOAD <file:///etc/passwd>", RunFailure.UNREADABLE),
        ("SELECT ?x { ?x ?r ?y } # \ud800", RunFailure.UNREADABLE),
        ("SELECT ?x { ?x ?r ?y }", RunFailure.ROWS),
        ("SELECT ?x ?y { ?x <relation:r> ?y }", RunFailure.COLUMNS),
        ("ASK { ?x ?r ?y }", RunFailure.COLUMNS),
        ("CONSTRUCT WHERE { ?x <relation:r> ?y }", RunFailure.COLUMNS),
        ("SELECT ?r { ?x ?r <entity:nobody> } VALUES ?r { <relation:r> }", None),
        ("SELECT DISTINCT ?r { ?x ?r ?y }", RunFailure.UNKNOWN),
        ("SELECT (1.5 AS ?n) {}", RunFailure.UNKNOWN),
        ("SELECT (-1 AS ?n) {}", RunFailure.UNKNOWN),
        ("SELECT (<entity:nobody> AS ?n) {}", RunFailure.UNKNOWN),
        ("SELECT ?x { OPTIONAL { ?x <x:x> ?y } }", RunFailure.UNKNOWN),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_reason(
    here: LocalExecutor, sparql: str, reason: str | None
) -> None:
    found = here.answers(sparql)
    assert (found.reason if isinstance(found, Refusal) else None) == reason


def test_a_query_that_never_ends_is_ended_and_the_next_is_answered() -> None:
    with executor_of(NAMES, 0.3, 12) as executor:
        for _ in range(2):
            found = executor.answers(ENDLESS)
            assert isinstance(found, Refusal)
            assert found.reason == RunFailure.TIME
        until(lambda: executor.answers(f"SELECT ?x {{ {B} ?r ?x }}") == ())


@contextmanager
def endpoint_of(server: ThreadingHTTPServer) -> Iterator[str]:
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/sparql"
    server.shutdown()
    thread.join()


def test_our_own_endpoint_says_the_same(here: LocalExecutor) -> None:
    lines = [b"<entity:e00> <relation:r> <entity:e%02d> .\n" % i for i in range(1, 14)]
    workers = Workers(lines, timeout=30, most_rows=12, count=1)
    with (
        make_endpoint(workers, 0, "") as server,
        endpoint_of(server) as url,
        executor_of(NAMES, 30, 100, url) as there,
    ):
        ask = "SELECT ?x { <entity:e00> <relation:r> ?x }"
        found = there.answers(ask)
        assert isinstance(found, Refusal)  # 13 rows, cut at 12, as a header says
        assert found.reason == RunFailure.ROWS
        assert len(tuple(there.answers(f"{ask} LIMIT 12"))) == 12  # type: ignore[arg-type]
        assert there.answers("SELECT (COUNT(?x) AS ?n) { <entity:e00> <relation:r> ?x }") == 13
        update = there.answers("INSERT DATA { <x:a> <x:b> <x:c> }")
        assert isinstance(update, Refusal)
        assert update.reason == RunFailure.STATUS
    workers.close()


def table(rows: list[Any], columns: Any = ("x",)) -> str:
    return json.dumps({"head": {"vars": columns}, "results": {"bindings": rows}})


def cell(value: str, kind: str = "uri", **more: str) -> dict[str, Any]:
    return {"x": {"type": kind, "value": value, **more}}


INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
GOOD = table([cell("entity:e01"), cell("entity:e00"), cell("entity:e01")])


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Response(GOOD), ("e00", "e01")),
        (Response(table([cell("7", "typed-literal", datatype=INTEGER)])), 7),
        (Response(table([])), ()),
        (Response(GOOD, 302, {"Location": "/elsewhere"}), RunFailure.REDIRECT),
        (Response("no", 400), RunFailure.UNREADABLE),
        (Response("no", 503), RunFailure.STATUS),
        (Response(GOOD, 206), RunFailure.STATUS),
        (Response(GOOD[:-20]), RunFailure.HALF),
        (Response("<html>"), RunFailure.FORM),
        (Response(""), RunFailure.FORM),
        (Response(GOOD + GOOD), RunFailure.FORM),
        (Response(b"\xff\xfe{"), RunFailure.FORM),
        (Response("[" * 100_000), RunFailure.FORM),
        (Response("{}"), RunFailure.FORM),
        (Response("[]"), RunFailure.FORM),
        (Response(table(["x"])), RunFailure.FORM),
        (Response(table([{"x": "entity:e01"}])), RunFailure.FORM),
        (Response(table([cell("entity:e01")], "x")), RunFailure.FORM),
        (Response(table([cell("entity:e01")], [["x"]])), RunFailure.FORM),
        (Response(table([{}])), RunFailure.UNKNOWN),
        (Response(table([cell("entity:e99")])), RunFailure.UNKNOWN),
        (Response(table([cell("e01")])), RunFailure.UNKNOWN),
        (Response(table([cell("entity:e01", "literal")])), RunFailure.UNKNOWN),
        (Response(table([cell("9" * 19, "literal", datatype=INTEGER)])), RunFailure.UNKNOWN),
        (Response(table([cell("entity:e01")], ["x", "y"])), RunFailure.COLUMNS),
        (Response('{"head": {}, "boolean": true}'), RunFailure.COLUMNS),
        (Response(table([cell("entity:e01")] * 6)), RunFailure.ROWS),
        (Response(GOOD, headers={"X-SPARQL-MaxRows": "3"}), RunFailure.ROWS),
        (Response(GOOD, headers={"X-SPARQL-MaxRows": "4"}), ("e00", "e01")),
    ],
)  # fmt: skip
def test_whatever_an_endpoint_replies_is_read_or_refused(
    httpserver: HTTPServer, reply: Response, expected: object
) -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Response:
        asked.append(request)
        return reply

    httpserver.expect_request("/sparql").respond_with_handler(answer)
    url = httpserver.url_for("/sparql").replace("//", "//me:p%40ss@") + "?graph=g"
    with EndpointExecutor(url, NAMES, 30, 5) as executor:
        found = executor.answers("SELECT …")
    assert (found.reason if isinstance(found, Refusal) else found) == expected
    assert [(r.form["query"], r.args["graph"]) for r in asked] == [("SELECT …", "g")]
    assert asked[0].authorization is not None
    assert asked[0].authorization.password == "p@ss"


def raw(answer: Callable[[socket.socket], object]) -> Iterator[str]:
    """The address of a server that answers every request with bytes of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    client, _ = listening.accept()
                except OSError:
                    return
                with client:
                    if client.recv(1 << 16):
                        answer(client)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\n"
BODY = GOOD.encode()


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY[:30], RunFailure.HALF),
        (HEAD + b"Connection: close\r\n\r\n" + BODY[:30], RunFailure.HALF),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n10\r\n" + BODY[:16] + b"\r\n", RunFailure.HALF),
        (HEAD + b"Content-Length: 20\r\n", RunFailure.HALF),
        (b"", RunFailure.HALF),
        (b"SSH-2.0\r\n", RunFailure.HALF),
    ],
)
def test_half_a_reply_is_no_result(sent: bytes, reason: str) -> None:
    for url in raw(lambda client: client.sendall(sent)):
        with EndpointExecutor(url, NAMES, 30, 5) as executor:
            found = executor.answers("SELECT ?x {}")
    assert isinstance(found, Refusal)
    assert found.reason == reason


def test_an_endpoint_that_never_finishes_is_left() -> None:
    ended = threading.Event()

    def drip(client: socket.socket) -> None:
        client.sendall(HEAD + b"Content-Length: 100000\r\n\r\n{")
        while not ended.wait(0.02):
            try:
                client.sendall(b" ")
            except OSError:
                return

    for url in raw(drip):
        with EndpointExecutor(url, NAMES, 0.3, 5) as executor:
            found = executor.answers("SELECT ?x {}")
        ended.set()
    assert isinstance(found, Refusal)
    assert found.reason == RunFailure.TIME


def test_an_address_that_is_none_or_nobody_listens_at_is_told_at_once() -> None:
    for url in ("", "sparql", "ftp://x/", "http://", "http://x:y/", "http://[::1/", "http://ü/"):
        with pytest.raises(ConfigError, match="the endpoint is no address"):
            EndpointExecutor(url, NAMES, 1, 1)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    gone = EndpointExecutor(f"http://me:secret@127.0.0.1:{port}/", NAMES, 1, 1)
    with pytest.raises(EndpointError, match=rf"^http://127.0.0.1:{port}: cannot be reached"):
        gone.__enter__()
    found = gone.answers("SELECT ?x {}")
    assert isinstance(found, Refusal)
    assert found.reason == RunFailure.UNREACHABLE
