"""A stand-in for a language model: try the way from triples to questions without a key and for nothing.

THERE IS NO MODEL HERE. It speaks OpenAI's chat API on this machine and fills sentences with what it finds
in the prompt. What comes out shows that the plumbing works; it says nothing about how well a model does,
and texts made with it belong in no benchmark.

    python examples/fake_endpoint.py --port 8000 --latency-ms 50 --failures 0.1 --seed 1
    rulemine build demo --verbalizer openai --base-url http://127.0.0.1:8000/v1 --model fake

It answers POST /v1/chat/completions and GET /v1/models. GET /counts tells what it was asked: how many
requests, how many different questions, and how many were asked again after a good answer. A share of
requests (--failures) goes wrong in one of the ways of `MIXTURE`, drawn with the seed from the request and how
often it has come, so that a run can be repeated whatever the order of arrival.
"""

import argparse
import asyncio
import hashlib
import json
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

from fake_model import FakeModel

MIXTURE = (
    "429", "429-seconds", "429-date", "429-ms", "500", "502", "503", "reset", "reset-at-once", "timeout",
    "drip", "invalid-json", "empty-choices", "null-content", "length", "content-filter", "wrong-schema",
    "html-200", "html-502", "headers",
)  # fmt: skip
"""Ways to fail that pass when asked again."""

FOR_GOOD = ("401", "403", "404", "400-context", "400-parameter", "quota", "redirect", "garbage",
    "empty-eos",
)  # fmt: skip
"""Ways to fail that do not; only for `Server.fault`."""

HTML = (
    b"<!DOCTYPE html><html><head><title>Oops</title></head><body><h1>Bad gateway</h1></body></html>"
)
DRIP_SECONDS = 0.5


class Server:
    """The endpoint.

    Attributes:
        received: Requests by what they ask (model and messages).
        answered: The same of those that got a whole and good answer.
        again: Requests that came after a good answer to the same.
        most_at_once: Requests in work at once at most.
        faults: How often each fault was played.
        authorizations: Headers ``Authorization`` that were seen.
        paths: Paths that were posted to, with their queries.
    """

    def __init__(
        self,
        latency: float = 0.0,
        fault: Callable[[dict[str, Any], int], str] | None = None,
        *,
        plain: bool = False,
        models: tuple[str, ...] = (),
        refuses: tuple[str, ...] = (),
        usage: bool = True,
    ) -> None:
        """Takes its ways.

        Args:
            latency: Seconds that every answer takes.
            fault: What goes wrong with a request that has come that many times before; empty: nothing.
            plain: Whether structured outputs are refused, as small servers do.
            models: The models it has; empty: any.
            refuses: Parameters that it does not know.
            usage: Whether answers say how many tokens they took.
        """
        self.latency, self.fault, self.models = (
            latency,
            fault or (lambda request, times: ""),
            models,
        )
        self.refuses = (*refuses, "response_format") if plain else refuses
        self.usage = usage
        self.received: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.authorizations: set[str] = set()
        self.paths: set[str] = set()
        self.again = self.at_once = self.most_at_once = 0
        self.model = FakeModel()
        self.connections: set[Connection] = set()
        self.listener: asyncio.Server | None = None
        self.port = 0

    def make_connection(self) -> "Connection":
        """What speaks to a client that connects."""
        return Connection(self)

    async def start(self, port: int = 0, ssl: Any = None) -> None:
        """Listens; at the same port again after `stop`."""
        self.listener = await asyncio.get_running_loop().create_server(
            self.make_connection, "127.0.0.1", port or self.port, ssl=ssl
        )
        self.port = self.listener.sockets[0].getsockname()[1]

    def stop(self) -> None:
        """Is gone: connections break off, new ones are refused."""
        if self.listener is not None:
            self.listener.close()
        for connection in list(self.connections):
            connection.reset()

    def counts(self) -> dict[str, Any]:
        """What was asked, for people and tests."""
        return {
            "requests": sum(self.received.values()),
            "questions": len(self.received),
            "answered": len(self.answered),
            "asked_again_after_a_good_answer": self.again,
            "most_at_once": self.most_at_once,
            "faults": dict(sorted(self.faults.items())),
        }


def failures(
    share: float, seed: int, kinds: tuple[str, ...] = MIXTURE
) -> Callable[[dict[str, Any], int], str]:
    """Faults for a share of requests; whatever the order of arrival, the same request fails the same way."""

    def fault(request: dict[str, Any], times: int) -> str:
        digest = hashlib.sha256(f"{seed} {times} {question_of(request)}".encode()).digest()
        drawn = int.from_bytes(digest[:8], "big") / 2**64
        return kinds[int.from_bytes(digest[8:12], "big") % len(kinds)] if drawn < share else ""

    return fault


def question_of(request: dict[str, Any]) -> str:
    """What a request asks, whatever its parameters."""
    asked = json.dumps([request.get("model"), request.get("messages")], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


class Connection(asyncio.Protocol):
    """One connection, kept alive; HTTP/1.1 as far as a client of this API needs it."""

    def __init__(self, server: Server) -> None:
        self.server, self.buffer = server, b""
        self.transport: Any = None
        self.timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Counts itself in."""
        self.transport = transport
        self.server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Counts itself out."""
        self.server.connections.discard(self)
        if self.timer is not None:
            self.timer.cancel()
            self.server.at_once -= 1
            self.timer = None

    def data_received(self, data: bytes) -> None:
        """Cuts requests out of what comes in."""
        self.buffer += data
        head, end, rest = self.buffer.partition(b"\r\n\r\n")
        if not end:
            return
        lines = head.decode("latin-1").split("\r\n")
        fields = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
        length = int(fields.get("content-length", "0"))
        if len(rest) < length:
            return
        body, self.buffer = rest[:length], rest[length:]
        method, path, *_ = lines[0].split(" ")
        if "authorization" in fields:
            self.server.authorizations.add(fields["authorization"])
        self.server.paths |= {path} if method == "POST" else set()
        self.handle(method, path.partition("?")[0], body, fields)

    def handle(self, method: str, path: str, body: bytes, fields: dict[str, str]) -> None:
        """Answers at once, or after the latency."""
        server = self.server
        if (method, path) == ("GET", "/v1/models"):
            rows = [{"id": name, "object": "model"} for name in server.models or ("fake",)]
            self.send(200, {"object": "list", "data": rows})
        elif (method, path) == ("GET", "/counts"):
            self.send(200, server.counts())
        elif (method, path) != ("POST", "/v1/chat/completions"):
            self.send(404, {"detail": "Not Found"})
        else:
            request = json.loads(body)
            question = question_of(request)
            fault = server.fault(request, server.received[question])
            server.again += question in server.answered
            server.received[question] += 1
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
            if fault:
                server.faults[fault] += 1
            latency = 0.0 if fault == "reset-at-once" else server.latency
            self.timer = asyncio.get_running_loop().call_later(
                latency, self.reply, request, question, fault, fields.get("authorization", "")
            )

    def reply(self, request: dict[str, Any], question: str, fault: str, key: str) -> None:
        """Answers a request, or plays a fault."""
        server = self.server
        if fault == "timeout":
            return  # the timer stays: the request is in work until the client leaves
        self.timer = None
        server.at_once -= 1
        unknown = next((name for name in server.refuses if name in request), "")
        if unknown and not fault:
            self.error(400, f"Unsupported parameter: '{unknown}' is not supported.", unknown)
        elif server.models and request["model"] not in server.models and not fault:
            self.error(404, f"The model `{request['model']}` does not exist", "model_not_found")
        elif not fault or fault in ("length", "content-filter", "wrong-schema", "headers"):
            text = self.server.model.answer(request)
            if fault == "wrong-schema":
                text = '{"answer": {"text": ["not", "what", "was", "asked"]}}'
            reason = {"length": "length", "content-filter": "content_filter"}.get(fault, "stop")
            cut = {"length": text[: len(text) // 2], "content-filter": ""}.get(fault, text)
            odd = (
                b"X-Odd: 1\r\nX-Odd: \xe4\xf6\r\nx-ratelimit-reset: soon\r\n"
                if fault == "headers"
                else b""
            )
            self.send(200, self.completion(request, cut, reason), odd)
            if not self.transport.is_closing():
                server.answered[question] += fault in ("", "headers")
        else:
            self.play(fault, request, key)

    def completion(
        self, request: dict[str, Any], text: str | None, reason: str = "stop"
    ) -> dict[str, Any]:
        """The body of an answer."""
        sent = sum(len(message["content"]) for message in request["messages"]) // 4
        received = len(text or "") // 4 + 1
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": reason,
        }
        body = {"id": "fake", "object": "chat.completion", "created": 0, "model": request["model"]}
        body["choices"] = [choice]
        if self.server.usage:
            body["usage"] = {
                "prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received,
            }  # fmt: skip
        return body

    def play(self, fault: str, request: dict[str, Any], key: str) -> None:
        """Goes wrong in one of the ways."""
        now = time.time()
        date = f"Date: {formatdate(now, usegmt=True)}\r\n"
        date += f"Retry-After: {formatdate(now + 1, usegmt=True)}\r\n"
        limits = {
            "429": "",
            "429-seconds": "Retry-After: 1\r\n",
            "429-date": date,
            "429-ms": "retry-after-ms: 150\r\n",
        }
        whole = json.dumps(self.completion(request, self.server.model.answer(request))).encode()
        if fault in limits:
            self.error(429, "Rate limit reached", "rate_limit_exceeded", limits[fault].encode())
        elif fault in ("500", "502", "503"):
            self.error(int(fault), "The server had an error", "server_error")
        elif fault in ("reset", "drip"):
            head = (
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            )
            self.transport.write(head % len(whole) + whole[:20])
            if fault == "drip":
                self.drip(whole[20:])
            else:
                asyncio.get_running_loop().call_later(0.005, self.reset)
        elif fault == "reset-at-once":
            self.reset()
        elif fault == "garbage":
            self.transport.write(b"hello there\r\n\r\n")
            self.transport.close()
        elif fault == "invalid-json":
            self.send_bytes(200, whole[: len(whole) // 2])
        elif fault in ("html-200", "html-502"):
            self.send_bytes(int(fault[-3:]), HTML, kind=b"text/html")
        elif fault == "empty-choices":
            self.send(200, {**self.completion(request, ""), "choices": []})
        elif fault == "null-content":
            self.send(200, self.completion(request, None))
        elif fault == "empty-eos":  # some servers have reasons of their own
            body = self.completion(request, "")
            body["choices"][0]["finish_reason"] = "eos"
            self.send(200, body)
        elif fault == "401":
            shown = key.removeprefix("Bearer ")
            self.error(
                401,
                f"Incorrect API key provided: {shown[:5]}***{shown[-4:]} ({shown}).",
                "invalid_api_key",
            )
        elif fault == "403":
            self.error(403, f"Forbidden for key {key}", "forbidden")
        elif fault == "404":
            self.error(404, f"The model `{request['model']}` does not exist", "model_not_found")
        elif fault == "400-context":
            said = "This model's maximum context length is 512 tokens, you requested 9000 tokens."
            self.error(400, said, "context_length_exceeded")
        elif fault == "400-parameter":
            self.error(400, "Something about this request is not right.", "bad_request")
        elif fault == "quota":
            self.error(429, "You exceeded your current quota", "insufficient_quota")
        elif fault == "redirect":
            self.send_bytes(307, b"", b"Location: http://127.0.0.1:1/elsewhere\r\n")
        else:
            raise ValueError(f"no fault {fault!r}")

    def drip(self, rest: bytes) -> None:
        """Sends a byte now and then."""
        if rest and not self.transport.is_closing():
            self.transport.write(rest[:1])
            asyncio.get_running_loop().call_later(DRIP_SECONDS, self.drip, rest[1:])

    def reset(self) -> None:
        """Breaks the connection off."""
        sock = self.transport.get_extra_info("socket")
        if sock is not None:  # an RST instead of an orderly end
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def error(self, status: int, message: str, code: str, headers: bytes = b"") -> None:
        """Sends an error as OpenAI's API words it."""
        kind = "invalid_request_error" if status < 429 else code
        body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
        self.send(status, body, headers)

    def send(self, status: int, body: dict[str, Any], headers: bytes = b"") -> None:
        """Sends JSON."""
        self.send_bytes(status, json.dumps(body).encode(), headers)

    def send_bytes(
        self, status: int, body: bytes, headers: bytes = b"", kind: bytes = b"application/json"
    ) -> None:
        """Sends a whole answer."""
        head = b"HTTP/1.1 %d X\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n"
        self.transport.write(head % (status, kind, headers, len(body)) + body)


async def serve(server: Server, port: int) -> None:
    """Serves until interrupted."""
    await server.start(port)
    sys.stdout.write(f"http://127.0.0.1:{server.port}/v1 (no model: sentences out of the prompt)\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


def main() -> int:
    """Reads the command line and serves."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8000, help="0: any that is free (default 8000)")
    parser.add_argument("--latency-ms", type=float, default=50, help="of every answer (default 50)")
    parser.add_argument(
        "--failures", type=float, default=0, help="share that goes wrong (default 0)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the failures")
    parser.add_argument("--plain", action="store_true", help="refuse structured outputs")
    given = parser.parse_args()
    fault = failures(given.failures, given.seed) if given.failures else None
    server = Server(given.latency_ms / 1000, fault, plain=given.plain)
    try:
        asyncio.run(serve(server, given.port))
    except KeyboardInterrupt:
        sys.stdout.write(json.dumps(server.counts(), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
