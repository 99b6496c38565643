"""What an endpoint may answer to one call, and what is made of it."""

import asyncio
import json
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug import Response

from rulemine.errors import EndpointError
from rulemine.llm import Call, Reply
from rulemine.llm.client import MOST_BYTES, Client
from rulemine.llm.failures import CallProblem
from tests.chat_server import KEY, ChatServer, error
from tests.llm.conftest import call_of, options_for, text_of

SCHEMA = {"type": "object", "properties": {"question": {"type": "string"}}}


def send(url: str, *calls: Call, told: list[str] | None = None, **changed: Any) -> list[Any]:
    """Sends calls one after the other; replies, or what was raised."""

    async def go() -> list[Any]:
        options = options_for(url, **changed)
        client = Client(options, options.key(), [].append if told is None else told.append)
        found: list[Any] = []
        for call in calls or (call_of(),):
            try:
                found.append(await client.send(call))
            except (CallProblem, EndpointError) as problem:
                found.append(problem)
        await client.close()
        return found

    return asyncio.run(go())


def test_a_call_is_sent_as_it_is_and_its_reply_read(server: ChatServer) -> None:
    [reply] = send(server.url, call_of(3, schema=SCHEMA, purpose="question"))
    assert isinstance(reply, Reply)
    assert json.loads(reply.text) == {"question": text_of(3)}
    assert reply.finish_reason == "stop"
    [body] = server.bodies
    form = {"name": "question", "strict": True, "schema": SCHEMA}
    assert body == {
        **call_of(3).request,
        "response_format": {"type": "json_schema", "json_schema": form},
    }


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"choices": [{"message": {"content": [{"text": "a"}, {"text": "b"}, 3]}}]}, "ab"),
        ({"choices": [{"message": {"content": None, "refusal": "No."}}]}, "No."),
        ({"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}, ""),
        ({"choices": [{"message": {"content": "a\ud800"}}], "usage": 5}, "a�"),
        ({"choices": [{"message": {"content": "a"}, "logprobs": [], "finish_reason": 3}]}, "a"),
    ],
)
def test_odd_replies_are_read(server: ChatServer, body: dict[str, Any], text: str) -> None:
    server.says = lambda request, times: body
    [reply] = send(server.url)
    assert reply.text == text
    assert reply.prompt_tokens > 5
    assert reply.completion_tokens == -(-len(text.encode()) // 4)


@pytest.mark.parametrize(
    "said",
    [
        {"choices": []},
        {"choices": [None]},
        {"choices": [{"message": {"content": None}}]},
        {"choices": [{"message": {"content": ""}, "finish_reason": "eos"}]},
        {"choices": 5},
        {},
        Response("[1]"),
        Response("null"),
        Response("<html>Oops</html>"),
        Response('{"choices": [{"mess'),
        Response("[" * 100_000),
        Response(b"\xff\xfe"),
        Response(""),
        error(500, "on purpose"),
        {"error": {"code": 500, "message": "of a relay"}},
    ],
)
def test_garbage_is_a_fault_of_the_call(server: ChatServer, said: Any) -> None:
    server.says = lambda request, times: said
    [problem] = send(server.url)
    assert isinstance(problem, CallProblem)
    assert problem.kind == "fault"
    assert "\n" not in problem.detail
    assert 5 < len(problem.detail) < 350


@pytest.mark.parametrize("content", ["", None])
def test_a_reply_without_a_word_is_one_where_the_call_allows_it(
    server: ChatServer, content: str | None
) -> None:
    choice: dict[str, Any] = {"message": {"content": content}, "finish_reason": "stop"}
    server.says = lambda request, times: {"choices": [choice]}
    [reply] = send(server.url, call_of(blank=True))
    assert (reply.text, reply.finish_reason) == ("", "stop")
    choice |= {"finish_reason": "error"}
    assert [problem.kind for problem in send(server.url, call_of(blank=True))] == ["fault"]
    choice |= {"finish_reason": "stop", "message": {}}
    assert [problem.kind for problem in send(server.url, call_of(blank=True))] == ["fault"]


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("reason", ["stop", "length", "eos"])
def test_thoughts_and_no_word_are_a_reply_that_was_cut_off(
    server: ChatServer, key: str, reason: str
) -> None:
    message = {"content": "", key: "Who might it be?"}
    server.says = lambda request, times: {
        "choices": [{"message": message, "finish_reason": reason}]
    }
    for blank in (False, True):
        [reply] = send(server.url, call_of(blank=blank))
        assert (reply.text, reply.reasoning, reply.is_cut_off) == ("", message[key], True)
    assert len(server.bodies) == 2
    message["content"] = "Ann"
    assert send(server.url)[0].is_cut_off == (reason == "length")


def test_an_answer_without_end_is_not_held(server: ChatServer) -> None:
    piece, sent = b"x" * 100_000, 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 100 * MOST_BYTES:
            sent += len(piece)
            yield piece

    for status in (200, 500):
        server.says = lambda request, times, status=status: Response(endless(), status)
        [problem] = send(server.url)
        assert (problem.kind, "8,000,000 bytes" in problem.detail) == ("fault", True)
        assert sent < 10 * MOST_BYTES
        sent = 0
    bomb = Response(b"\x1f\x8b", headers={"Content-Encoding": "gzip"})
    server.says = lambda request, times: bomb
    [problem] = send(server.url)
    assert "compressed" in problem.detail


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            error(401, f"Incorrect key {KEY}"),
            "refused the key, .* variable TEST_KEY. Set it: export",
        ),
        (error(403, f"Forbidden for {KEY}"), "refused the key"),
        (error(404, "The model does not exist"), "Check --model, .* mostly ends in /v1"),
        (error(405, "no"), "address of a chat API"),
        (error(501, "no"), "either chat or embeddings"),
        (error(402, "no"), "Nothing is left to pay with"),
        (error(429, "exceeded your quota", "insufficient_quota"), "Nothing is left to pay with"),
        (Response("", 307, {"Location": "http://127.0.0.1:1/elsewhere"}), "It sends elsewhere"),
    ],
)
def test_what_only_the_user_can_mend_ends_at_once(
    server: ChatServer, said: Response, expected: str
) -> None:
    server.says = lambda request, times: said
    [problem] = send(server.url)
    assert isinstance(problem, EndpointError)
    with pytest.raises(EndpointError, match=expected):
        raise problem
    shown: Any = problem
    while shown is not None:
        assert KEY not in f"{shown!r}{shown}"
        shown = shown.__context__


def test_a_parameter_that_is_refused_is_left_out_from_then_on(server: ChatServer) -> None:
    refused = {
        "temperature": "`temperature` is deprecated for this model.",
        "max_tokens": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        "seed": "seed: Extra inputs are not permitted",
        "top_p": "`temperature` and `top_p` cannot both be specified for this model.",
        "response_format": "This server has no json_schema.",
    }

    def says(request: dict[str, Any], times: int) -> Any:
        name = next((name for name in refused if name in request), "")
        return error(400, refused[name]) if name else "a"

    server.says = says
    told: list[str] = []
    found = send(server.url, *[call_of(schema=SCHEMA, top_p=0.5)] * 7, told=told)
    assert [problem.kind for problem in found[:5]] == ["adapted"] * 5
    assert [reply.text for reply in found[5:]] == ["a", "a"]
    assert server.bodies[-1].keys() == {"model", "messages", "max_completion_tokens"}
    assert len(told) == 5
    assert all(any(f"takes no {name}, left out" in said for said in told) for name in refused)


def test_what_cannot_be_left_out_is_refused(server: ChatServer) -> None:
    tools = [{"type": "function", "function": {"name": "f"}}]
    for said in ("tools are not supported", "maximum context length is 512; lower max_tokens"):
        server.says = lambda request, times, said=said: error(400, said)
        assert [problem.kind for problem in send(server.url, call_of(tools=tools))] == ["refused"]


def test_a_query_and_a_login_of_the_address_are_sent(server: ChatServer) -> None:
    seen: list[Any] = []

    def record(request: Any) -> Response:
        seen.append((request.args.to_dict(), request.headers["Authorization"]))
        return error(400, f"no {request.args} {request.headers['Authorization']}")

    server.http.clear()
    server.http.expect_request("/v1/chat/completions").respond_with_handler(record)
    url = server.url.replace("//", "//me:topsecretword@") + "?api-version=2026-01-01"
    [problem] = send(url)
    [(query, login)] = seen
    assert query == {"api-version": "2026-01-01"}
    assert login.startswith("Basic ")
    assert "topsecretword" not in problem.detail
    assert "2026-01-01" not in problem.detail


@pytest.mark.parametrize(
    "said", [b"", b"hello there\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"]
)
def test_connections_that_break_are_faults(said: bytes) -> None:
    class Rude(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            self.request.sendall(said)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Rude) as rude:
        threading.Thread(target=rude.serve_forever, daemon=True).start()
        [problem] = send(f"http://127.0.0.1:{rude.server_address[1]}/v1")
        rude.shutdown()
    assert problem.kind == "fault"


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://no-such-host.invalid/v1"])
def test_nobody_there_is_tried_again(url: str) -> None:
    [problem] = send(url)
    assert (problem.kind, problem.detail.startswith("no connection: ")) == ("retry", True)


def test_a_certificate_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ChatServer(ssl=context) as secure:
        [problem] = send(secure.url)
        assert "certificate" in problem.detail.lower()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        [reply] = send(secure.url)
        assert reply.text == text_of(0)
