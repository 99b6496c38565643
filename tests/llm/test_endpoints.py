"""What endpoints do to one call of three, or to all, and what the user sees."""

import base64
import json
import re
import socketserver
import struct
import threading
from collections.abc import Callable
from typing import Any

import pytest
from werkzeug import Response

from rulemine.errors import ConfigError, EndpointError, NoReplyError
from rulemine.llm import Call, Failure, Reply
from rulemine.llm.call import Answer, Ask
from rulemine.llm.options import EndpointOptions
from tests.chat_server import KEY, Says, error
from tests.llm.conftest import call_of

SCHEMA = {"type": "object", "properties": {"question": {"type": "string"}}}


def message(content: Any, reason: Any = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content, **more}, "finish_reason": reason}]}


def pieces(*deltas: dict[str, Any], end: str = "stop") -> Response:
    """An answer as a server streams it."""
    chunks = [{"choices": [{"delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks += [{"choices": [{"delta": {}, "finish_reason": end}]}] * bool(end)
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return Response(": busy\n\n" + "".join(lines) + "data: [DONE]\n\n" * bool(end))


def once(said: Any, times: int = 1) -> Says:
    return lambda request, before: said if before < times else "a"


def streams(request: dict[str, Any], _: int) -> Any:
    words = "Non-streaming requests are not supported"
    return pieces({"content": "a"}) if request.get("stream") else error(400, words)


def without(name: str, words: str) -> Says:
    """Refuses requests with a parameter."""
    return lambda request, _: error(400, words) if name in request else "a"


TOOL = {"id": "1", "type": "function", "function": {"name": "say", "arguments": '{"b": 1}'}}
FILTER = "The response was filtered due to the prompt triggering a content policy"

ONE: dict[str, tuple[Any, str, str]] = {
    # what it does to one of three calls: (what it says, the text of the reply, what is told)
    "a reply": ("a", "a", ""),
    "parts": (message([{"text": "a"}, {"text": "b"}, 3]), "ab", ""),
    "a refusal in its own field": (message(None, refusal="No."), "No.", ""),
    "another finish reason": (message("a", "eos"), "a", ""),
    "no finish reason, odd log-probabilities": (
        {"choices": [{"message": {"content": "a"}, "logprobs": [], "finish_reason": 3}]}, "a", ""),
    "half a sign": (message("a\ud800") | {"usage": 5}, "a�", ""),
    "blank lines first": (Response("\n\n" + json.dumps(message("a"))), "a", ""),
    "a stream unasked": (
        pieces({"role": "assistant"}, {"content": "a\u2028"}, {"content": "b"}), "a\u2028b", ""),
    "a stream alone": (streams, "a", "fake is asked for a stream"),
    "a stream with a tool in place of words": (
        pieces({"tool_calls": [{"index": 0, "id": "1", "function": {"name": "say", "arguments": '{"b"'}}]},
               {"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]}, end="tool_calls"),
        '{"b": 1}', ""),
    "a tool in place of words": (message(None, "tool_calls", tool_calls=[TOOL]), '{"b": 1}', ""),
    "no temperature": (without("temperature", "`temperature` is deprecated for this model."), "a",
                       "takes no temperature, left out"),
    "no seed": (without("seed", "seed: Extra inputs are not permitted"), "a", "takes no seed, left out"),
    "another limit": (without("max_tokens", "Unsupported: 'max_tokens'. Use 'max_completion_tokens'."), "a",
                      "takes no max_tokens, left out; max_completion_tokens is sent instead"),
    "no schema": (without("response_format", "This server has no json_schema."), "a",
                  "takes no response_format, left out"),
    "no top_p": (without("top_p", "`temperature` and `top_p` cannot both be specified"), "a",
                 "takes no temperature, left out.*takes no top_p, left out"),
    "too fast": (once(error(429, "slow down", Retry_After="1")), "a", ""),
    "busy for a while": (once(error(503, "busy"), 4), "a", ""),
    "too fast for long": (once(error(429, "slow down"), 8), "a", ""),
    "overloaded": (once(error(529, "overloaded")), "a", ""),
    "a page of a gateway": (once(Response("<html>Bad Gateway</html>", 502)), "a", ""),
    "an error of its own": (once(error(500, "oops"), 3), "a", ""),
    "a page with status 200": (once(Response("<html>Oops</html>")), "a", ""),
    "half a body": (once(Response('{"choices": [{"mess')), "a", ""),
    "an error in a body with status 200": (once({"error": {"code": 500, "message": "of a relay"}}), "a", ""),
    "no choice": (once({"choices": []}), "a", ""),
    "nothing as a choice": (once({"choices": [None]}), "a", ""),
    "no object": (once(Response("[1]")), "a", ""),
    "no text": (once(Response(b"\xff\xfe")), "a", ""),
    "deep brackets": (once(Response("[" * 100_000)), "a", ""),
    "no content": (once(message("", "eos")), "a", ""),
    "a stream of something else": (once(Response('data: {"choices": [1]}\n')), "a", ""),
    "a stream that breaks off": (once(pieces({"content": "Who is"}, end="")), "a", ""),
    "a filter": (message(None, "content_filter"), "", "1 call has no answer: 1 × withheld by a"),
    "no word within the limit": (message("", "length"), "", ""),
    "thoughts alone": (message("", reasoning_content="Hm."), "", ""),
    "thoughts alone, of another server": (message(None, "eos", reasoning="Hm."), "", ""),
    "a context too long": (
        error(400, "maximum context length is 512; lower max_tokens", "context_length_exceeded"), "",
                           "1 call has no answer: 1 × 400: maximum context length"),
    "a prompt too long": (error(400, "the prompt is too long"), "", "1 × 400: the prompt is too long"),
    "a body too long": (Response("", 413), "", "1 × 413: no word beside it"),
    "a filter as an error": (error(400, FILTER), "", f"1 × 400: {FILTER}"),
    "invalid": (Response('{"detail": "no"}', 422), "", "1 × 422: no"),
    "always an error of its own": (error(500, "on purpose"), "", "1 × 500: on purpose"),
    "always no JSON": (Response("Hello"), "", "1 × an answer that is no JSON: Hello"),
    "never an end": (Response(b"x" * 9_000_000), "", "1 × an answer of more than 8,000,000 bytes"),
}  # fmt: skip

LASTING = ("a context too long", "a prompt too long", "a body too long")


def asking(number: int) -> Callable[[Ask], Any]:
    async def converse(ask: Ask) -> Answer:
        return await ask(call_of(number, top_p=0.5, schema=SCHEMA))

    return converse


def test_one_call_of_three(server, opened):
    for case, (said, text, told) in ONE.items():

        def says(body, times, said=said):
            if "e00001" not in str(body):
                return "a"
            return said(body, times) if callable(said) and not isinstance(said, Response) else said

        server.says = says
        server.received.clear()  # to which request of a case a reply goes
        opened.told.clear()
        with opened(place=case) as session:
            first, answer, last = session.run([asking(n) for n in range(3)])
        assert (first.text, last.text) == ("a", "a"), case
        assert KEY not in str(opened.told)
        assert re.search(told, " ".join(opened.told), re.DOTALL), (case, opened.told)
        assert bool(told) is bool(opened.told), case
        if isinstance(answer, Failure):
            assert (text, answer.lasting) == ("", case in LASTING), case
        else:
            assert answer.text == text, case
            assert answer.prompt_tokens > 5
            assert answer.completion_tokens >= len(text) // 4
            assert answer.is_cut_off is (not text and not told), case


ALL: dict[str, tuple[Any, str]] = {
    "a key refused": (error(401, f"Incorrect key {KEY}"),
                      "401: Incorrect key …. It refused the key, .* variable TEST_KEY. Set it: export"),
    "forbidden": (error(403, f"Forbidden for {KEY}"), "refused the key"),
    "no such model": (error(404, "The model does not exist"), "Check --model, .* mostly ends in /v1"),
    "not to be posted to": (error(405, "no"), "address of a chat API"),
    "no embeddings": (error(501, "no"), "either chat or embeddings"),
    "to be paid": (error(402, "no"), "Nothing is left to pay with"),
    "no quota": (error(429, "exceeded", "insufficient_quota"), "Nothing is left to pay with"),
    "elsewhere": (Response("", 307, {"Location": "http://127.0.0.1:1/"}), "It sends elsewhere"),
    "all refused": (error(400, FILTER), f"3 calls have no answer: 3 × 400: {FILTER}. Check --model"),
    "all withheld": (message("", "content_filter"), "3 × withheld by a content filter"),
    "never there": (error(503, "busy"), "no reply for . s; the last failure: 503: busy. All replies"),
}  # fmt: skip


def test_all_calls(server, opened, monkeypatch):
    monkeypatch.setattr("rulemine.llm.session.PATIENCE", 0.5)
    refused = (EndpointError, NoReplyError)
    for case, (said, shown) in ALL.items():
        server.says = lambda request, times, said=said: said
        server.received.clear()
        with opened(place=case) as session, pytest.raises(refused, match=shown) as caught:
            session.run([asking(n) for n in range(3)])
        problem = caught.value
        while problem is not None:
            assert KEY not in f"{problem!r}{problem}"
            problem = problem.__context__
        assert max(server.received.values()) == 1 or case == "never there"


def test_connections_that_break(opened, monkeypatch):
    monkeypatch.setattr("rulemine.llm.session.PATIENCE", 0.1)
    for said in (b"", b"hello there\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"):

        class Rude(socketserver.BaseRequestHandler):
            def handle(self, said=said):
                self.request.recv(65536)
                self.request.sendall(said)

        with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Rude) as rude:
            threading.Thread(target=rude.serve_forever, daemon=True).start()
            broken = pytest.raises(EndpointError, match="the answer broke off or is no HTTP")
            with opened(f"http://127.0.0.1:{rude.server_address[1]}/v1") as session, broken:
                session.run([asking(1)])
            rude.shutdown()


def test_addresses(server, opened):
    """An address that names what is called is that of the API; Azure's key goes by its own header, too."""
    seen = []

    def record(request):
        seen.append((request.args.to_dict(), request.headers.get("api-key")))
        return Response(json.dumps(message("a")))

    server.http.clear()
    server.http.expect_request("/v1/chat/completions").respond_with_handler(record)
    for end in ("", "/chat/completions", "/chat/completions/?api-version=2026"):
        with opened(server.url + end, place=end.strip("/")[:4]) as session:
            assert [reply.text for reply in session.run([asking(len(end))])] == ["a"]
    assert seen == [({}, None)] * 2 + [({"api-version": "2026"}, KEY)]


def test_a_login_of_the_address_is_sent_and_not_shown(server, opened):
    def record(request: Any) -> Response:
        login = request.headers["Authorization"]
        return error(400 if login.startswith("Basic ") else 500, f"no {request.args} {login}")

    server.http.clear()
    server.http.expect_request("/v1/chat/completions").respond_with_handler(record)
    url = server.url.replace("//", "//me:topsecretword@") + "?sig=2026-01-01-private"
    with opened(url) as session, pytest.raises(NoReplyError, match="400: no") as caught:
        session.run([asking(1)])
    assert "topsecretword" not in str(caught.value)
    assert "private" not in str(caught.value)


def test_a_reply_without_a_word_is_one_where_the_call_allows_it(server, opened):
    async def converse(ask: Ask) -> Answer:
        return await ask(call_of(blank=True))

    server.says = once(message(None))
    with opened() as session, pytest.raises(NoReplyError, match="1 × an empty reply"):
        session.run([converse])
    assert server.received.total() == 1
    server.says = lambda request, times: message("", "error") if times < 3 else message("b")
    with opened() as session:
        [reply] = session.run([lambda ask: ask(call_of(1, blank=True))])
        assert isinstance(reply, Reply)
        assert reply.text == "b"


def vector_of(packed: str) -> list[float]:
    data = base64.b64decode(packed)
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def embedded(*vectors: Any, **more: Any) -> dict[str, Any]:
    """The body of an answer with vectors, the last one first."""
    data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return {"data": data[::-1], **more}


async def two(ask: Ask) -> Answer:
    return await ask(Call("fake", inputs=["ann", "bob"]))


def test_vectors_are_in_the_order_of_the_texts(server, opened):
    server.says = lambda request, times: embedded([1, 0.5], [0, -2], usage={"prompt_tokens": 7})
    with opened() as session:
        [reply] = session.run([two])
    assert isinstance(reply, Reply)
    assert server.bodies == [{"model": "fake", "input": ["ann", "bob"]}]
    assert [vector_of(packed) for packed in reply.vectors] == [[1, 0.5], [0, -2]]
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("", 7, 0)


def test_anything_but_a_vector_for_each_text_is_a_fault(server, opened, monkeypatch):
    monkeypatch.setattr("rulemine.llm.session.PATIENCE", 0.1)
    for number, body in enumerate((
        embedded([1.0]), embedded([1.0], [1.0, 2.0]), embedded([1.0], []), embedded([1.0], [None]),
        embedded([1.0], ["x"]), embedded([1.0], [[1.0]]), embedded([1.0], float("nan")),
        {"data": [{"index": 0, "embedding": [1.0]}] * 2},
        {"choices": [{"message": {"content": "no vector"}}]},
    )):  # fmt: skip
        server.says = lambda request, times, body=body: body
        none = pytest.raises(EndpointError, match="an answer without vectors for 2 texts: ")
        with opened(place=str(number)) as session, none:
            session.run([two])


def test_embeddings_are_journalled_as_chat_is(server, opened):
    async def converse(ask: Ask) -> list[float]:
        reply = await ask(Call("fake", inputs=["ann"], purpose="embed"))
        assert isinstance(reply, Reply)
        return vector_of(*reply.vectors)

    server.says = lambda request, times: {"data": [{"embedding": [0.1, 3e38]}]}
    for _ in range(2):
        with opened() as session:
            assert session.run([converse]) == [pytest.approx([0.1, 3e38])]
    assert server.received.total() == 1


def test_an_address_without_a_host_is_refused():
    for url in (
        "http://", "https:///v1", "http://host:99999/v1", "http://[::1/v1", "http://a b/v1", "ftp://x/v1",
    ):  # fmt: skip
        with pytest.raises(ConfigError, match="base_url"):
            EndpointOptions(base_url=url)


def test_local_endpoints_need_no_key(monkeypatch):
    monkeypatch.delenv("SOME_KEY", raising=False)
    for url, local in (
        ("http://localhost:8000/v1", True), ("http://127.0.0.1/v1", True), ("http://127.9.9.9/v1", True),
        ("http://[::1]:80/v1", True), ("https://api.openai.com/v1", False),
        ("http://192.168.0.7:8000/v1", False), ("http://127.0.0.1.example.org/v1", False),
        ("http://localhost@example.org/v1", False),
    ):  # fmt: skip
        options = EndpointOptions(base_url=url, api_key_variable="SOME_KEY")
        assert options.is_loopback == local, url
        if local:
            assert options.key() == "none"
        else:
            with pytest.raises(EndpointError, match=r"export SOME_KEY=….*export SOME_KEY=none"):
                options.key()


def test_the_key_is_taken_from_the_variable_that_is_named(monkeypatch):
    monkeypatch.setenv("SOME_KEY", " abc-123\n")
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    assert EndpointOptions(api_key_variable="SOME_KEY").key() == "abc-123"


def test_a_key_that_no_header_can_hold_is_refused_unseen(monkeypatch):
    for key in ("two words", "line\nbreak", "schlüssel"):
        monkeypatch.setenv("SOME_KEY", key)
        with pytest.raises(EndpointError, match="SOME_KEY") as caught:
            EndpointOptions(api_key_variable="SOME_KEY").key()
        assert key not in str(caught.value)


def test_user_info_and_query_are_never_shown():
    options = EndpointOptions(base_url="https://me:hush@host.org:8443/deep/v1/?sig=private&v=2#x")
    assert options.address == "https://host.org:8443/deep/v1"
    assert options.secrets == ("hush", "private", "2")
    assert options.query == {"sig": "private", "v": "2"}
    shown = f"{options!r} {options} {options.address}"
    assert not any(secret in shown for secret in ("hush", "private"))
