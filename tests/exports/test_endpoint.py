"""The endpoint over HTTP: what clients of Freebase ask, the protocol, and its limits."""

import contextlib
import errno
import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from rulemine.errors import ConfigError
from rulemine.exports.endpoint import make_endpoint, workers_of
from rulemine.exports.protocol import ExportInput
from rulemine.query.oxigraph.workers import Workers
from rulemine.release.reader import Release
from tests import each
from tests.chat_server import until
from tests.exports import freebase_clients as clients

ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{i} ?b{i} ?c{i} ." for i in range(9)) + " }"


class Endpoint:
    """A client of an endpoint, which closes no connection by itself."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port)

    def send(
        self, method: str, path: str, body: str = "", **headers: str
    ) -> tuple[int, http.client.HTTPMessage, str]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(method, path, body.encode() or None, named)
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    def get(self, query: str, **headers: str) -> tuple[int, http.client.HTTPMessage, str]:
        return self.send("GET", f"/sparql?{urlencode({'query': query})}", **headers)

    def rows(self, query: str) -> clients.Rows:
        status, _, text = self.get(query)
        assert status == 200, text
        found: clients.Rows = json.loads(text)["results"]["bindings"]
        return found


@pytest.fixture(scope="module")
def given(structures: Release) -> ExportInput:
    return ExportInput(structures, "text")


@pytest.fixture(scope="module")
def endpoint(given: ExportInput) -> Iterator[Endpoint]:
    with (
        contextlib.closing(workers_of(given, "freebase", 600, 30)) as workers,
        make_endpoint(workers, 0, "a world") as server,
    ):
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield Endpoint(server.server_port)
        server.shutdown()
        thread.join()


def test_clients_of_freebase_find_the_graph(endpoint, given):
    ask, names, kg = endpoint.rows, given.client, given.kg
    stated = [(names.id[s], names.relation[r], names.id[o]) for s, r, o in kg.labeled()]
    for entity in (names.id[label] for label in kg.entities):
        outgoing = [r for s, r, _ in stated if s == entity]
        incoming = [r for _, r, o in stated if o == entity]
        found = clients.relations(ask, entity, incoming=False)
        assert sorted(r for r in found if not r.startswith("type.object.")) == sorted(outgoing)
        assert sorted(clients.relations(ask, entity, incoming=True)) == sorted(incoming)
        assert set(clients.relations(ask, entity, True, "DISTINCT ")) == set(incoming)
        for r in set(outgoing):
            tails = sorted(o for s, p, o in stated if (s, p) == (entity, r))
            assert sorted(clients.neighbors(ask, entity, r, incoming=False)) == tails
            after = {(x, p, tail, r) for tail in tails for s, p, x in stated if s == tail}
            after |= {row for row in clients.two_hops(ask, entity, r) if "type.object" in row[1]}
            assert clients.two_hops(ask, entity, r) == after
        for r in set(incoming):
            heads = sorted(s for s, p, o in stated if (p, o) == (r, entity))
            assert sorted(clients.neighbors(ask, entity, r, incoming=True)) == heads
        assert clients.one_hop(ask, [entity]) == {t for t in stated if entity in (t[0], t[2])}
        assert clients.types(ask, entity)
        label = next(one.label for one in names.entities if one.id == entity)
        for also in ({}, {"other": "ns:common.topic.alias"}):
            assert clients.name(ask, entity, **also) == label
        assert clients.id_of(ask, label) == entity


def test_a_query_comes_in_three_ways_and_results_in_four_forms(endpoint):
    query = "SELECT ?n { ?e ns:type.object.name ?n } ORDER BY ?n LIMIT 1"
    form = "application/x-www-form-urlencoded"
    ways = [
        endpoint.get(query),
        endpoint.send("POST", "/sparql", urlencode({"query": query}), Content_Type=form),
        endpoint.send("POST", "/sparql", query, Content_Type="application/sparql-query"),
        endpoint.send("GET", f"/sparql?{urlencode({'query': query, 'format': 'json'})}"),
    ]
    assert [(status, json.loads(text)) for status, _, text in ways] == 4 * [
        (200, {"head": {"vars": ["n"]}, "results": {"bindings": [
            {"n": {"type": "literal", "value": "Ann", "xml:lang": "en"}}]}})
    ]  # fmt: skip
    for accept, kind, text in [
        ("*/*", "application/sparql-results+json", '"value":"Ann"'),
        ("text/html, text/csv;q=0.5, */*;q=0.1", "text/csv", "n\r\nAnn"),
        ("text/tab-separated-values", "text/tab-separated-values", '?n\n"Ann"@en'),
        ("application/sparql-results+xml", "application/sparql-results+xml", '<literal xml:lang="en">'),
    ]:  # fmt: skip
        _, headers, found = endpoint.get(query, Accept=accept)
        charset = "; charset=utf-8" * kind.startswith("text/")
        assert headers["Content-Type"] == kind + charset
        assert text in found
    assert json.loads(endpoint.get("ASK {}", Accept="text/csv")[2])["boolean"] is True
    triples = "CONSTRUCT WHERE { ?e ns:type.object.name 'Ann'@en }"
    assert '"Ann"@en .' in endpoint.get(triples)[2]
    assert "rdf:RDF" in endpoint.get(triples, Accept="application/rdf+xml")[2]


def test_rows_over_the_limit_are_cut_and_a_header_says_so(endpoint):
    for limit, cut in [("LIMIT 30", None), ("LIMIT 31", "30"), ("", "30")]:
        _, headers, text = endpoint.get(f"SELECT * {{ ?s ?p ?o }} {limit}")
        assert len(json.loads(text)["results"]["bindings"]) == 30
        assert headers["X-SPARQL-MaxRows"] == cut
    _, headers, text = endpoint.get("CONSTRUCT WHERE { ?s ?p ?o }")
    assert (text.count(" .\n"), headers["X-SPARQL-MaxRows"]) == (30, "30")


def test_what_cannot_be_answered_is_refused_with_a_sentence(endpoint):
    form = "application/x-www-form-urlencoded"
    json_, update = "application/json", "application/sparql-update"
    for status, told, answer in [
        (400, "cannot be read from 1:", endpoint.get("SELECT * { ns:a ns:b ")),
        (400, "another server", endpoint.get("ASK { SERVICE <http://127.0.0.1/> {} }")),
        (403, "only reads", endpoint.get("INSERT DATA { <a> <b> <c> }")),
        (400, "0 queries", endpoint.send("GET", "/sparql")),
        (400, "2 queries", endpoint.send("GET", "/sparql?query=a&query=b")),
        (404, "The endpoint is /sparql", endpoint.send("GET", "/query?query=a")),
        (403, "only reads", endpoint.send("POST", "/sparql", "update=x", Content_Type=form)),
        (403, "only reads", endpoint.send("POST", "/sparql", "x", Content_Type=update)),
        (415, "is application/json", endpoint.send("POST", "/sparql", "{}", Content_Type=json_)),
        (413, "at most", endpoint.send("POST", "/sparql", "x" * (1 << 20) + "x")),
        (403, "this machine", endpoint.send("GET", "/", Host="example.org")),
        (501, "PUT", endpoint.send("PUT", "/sparql")),
    ]:
        assert (answer[0], answer[2].count("\n") > 0) == (status, True), answer
        assert told in answer[2]
    assert endpoint.send("GET", "/")[2].startswith("a world\n")


def test_the_time_limit_ends_a_query_and_nothing_else():
    lines = [f"<x:{i}> <x:p> <x:{i * 7 % 99}> .\n".encode() for i in range(99)]
    with contextlib.closing(Workers(lines, timeout=0.5, most_rows=9, count=1)) as workers:
        reply = workers.ask(ENDLESS, "")
        assert reply.status == 503
        assert "longer than 0.5 s" in reply.body.decode()
        until(lambda: workers.ask("ASK { <x:1> <x:p> <x:7> }", "").status == 200)
    assert workers._holder.returncode is not None


def test_a_query_that_takes_too_much_memory_is_ended_and_the_next_is_answered():
    lines = [f"<x:{i}> <x:p> <x:{i % 9}> .\n".encode() for i in range(999)]
    made = Workers(lines, timeout=600, most_rows=9, count=1, memory=1 << 26)
    with contextlib.closing(made) as workers:
        reply = workers.ask("SELECT DISTINCT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }", "")
        assert (reply.status, reply.late) == (200, False)  # nine rows are soon found
        reply = workers.ask("SELECT * { ?a ?b ?c . ?d ?e ?f } ORDER BY ?f ?c", "")
        assert (reply.status, reply.late) == (503, False)
        assert "needed more than 0.0625 GiB" in reply.body.decode()
        assert workers.ask("ASK { <x:1> <x:p> <x:1> }", "").status == 200


def test_a_worker_can_connect_to_nothing():
    code = """
import socket, sys
from rulemine.query.oxigraph.workers import _confine
_confine(1 << 30)
try:
    socket.socket()
except OSError as problem:
    print(problem.errno)
"""
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert int(made.stdout) == errno.EMFILE


def test_the_command_serves_until_it_is_interrupted(release, tmp_path):
    words = ["show", str(release.path), "--serve", "sparql:port=0:iris=release"]
    command = [sys.executable, "-m", "rulemine", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[0]
        assert "7 triples" in server.stdout.readline()
        query = urlencode({"query": "SELECT ?o { <entity:e00000> <relation:wife> ?o }"})
        with urllib.request.urlopen(f"{url}?{query}") as answer:
            assert b"entity:e00001" in answer.read()
        busy = threading.Thread(target=_ask, args=(url, ENDLESS))
        busy.start()
        started = [n for child in _children(server.pid) for n in (child, *_children(child))]
        server.send_signal(signal.SIGINT)
        _, problems = server.communicate()
        busy.join()
    assert (server.returncode, problems) == (0, "")
    until(lambda: not any(map(_runs, started)))


def _ask(url: str, query: str) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException):
        urllib.request.urlopen(f"{url}?{urlencode({'query': query})}").read()


def _children(process: int) -> list[int]:
    """The processes that a process started; none where the system does not tell."""
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(number) for number in listed.read_text().split()] if listed.exists() else []


def _runs(process: int) -> bool:
    """Whether a process runs; one that has ended may still be listed."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@each(
    ("words", "told"),
    [
        ("iris=freebse", "did you mean 'freebase'"),
        ("timeout=0", "timeout is 0; expected more"),
        ("max_rows=0", "max_rows is 0; expected 1 …"),
        ("naming=texts", "no naming 'texts' for exports; did you mean"),
        ("kg=half", "half"),
        ("port=70000", "expected 0 … 65535"),
    ],
)
def test_wrong_options_are_told(release, command, words, told):
    ended = command("show", release.path, "--serve", f"sparql:{words}")
    assert ended.status == 2
    assert told in ended.err


def test_a_port_in_use_and_a_graph_that_cannot_be_loaded_are_told(release, command):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = command("show", release.path, "--serve", f"sparql:port={port}")
    assert ended.status == 2
    assert f"port {port} of 127.0.0.1 cannot be had" in ended.err
    with pytest.raises(ConfigError, match="could not be loaded"):
        Workers([b"no triple\n"], timeout=1, most_rows=1)


def test_an_absurd_length_is_refused_at_once(endpoint):
    head = f"POST /sparql HTTP/1.1\r\nHost: 127.0.0.1:{endpoint.port}\r\n"
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=20) as client:
        client.sendall(f"{head}Content-Length: 10000000000\r\n\r\nabc".encode())
        assert client.recv(1 << 10).startswith(b"HTTP/1.1 413 ")
