"""A stand-in for a language model: try the way from triples to questions without a key and for nothing.

THERE IS NO MODEL HERE. It speaks OpenAI's chat API on this machine and fills sentences with what it finds
in the prompt. What comes out shows that the plumbing works; it says nothing about how well a model does,
and texts made with it belong in no benchmark.

    python examples/fake_endpoint.py --port 8000 --latency-ms 50 --failures 0.1 --seed 1
    rulemine build demo --set endpoint.base_url=http://127.0.0.1:8000/v1 --model fake

It answers POST /v1/chat/completions. GET /counts tells what it was asked: how many requests, how many
different questions, and how many were asked again after a good answer. A share of requests (--failures) goes
wrong, drawn with the seed from the request and how often it has come.
"""

import argparse
import contextlib
import json
import sys
import threading
import time
from collections import Counter
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from fake_model import FakeModel, completion

FAULTS = (429, 500, 503, "html", "half", "empty", "cut")
"""Ways to go wrong: statuses, a page, half a body, no choice, a broken connection."""


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    latency = share = 0.0
    seed = 0
    model = FakeModel()
    lock = threading.Lock()
    received: ClassVar[Counter[str]] = Counter()
    answered: ClassVar[Counter[str]] = Counter()
    again = 0

    def do_GET(self) -> None:
        """Answers /counts."""
        counts = {
            "requests": sum(self.received.values()),
            "questions": len(self.received),
            "answered": len(self.answered),
            "asked_again_after_a_good_answer": Handler.again,
        }
        self.reply(200, json.dumps(counts).encode())

    def do_POST(self) -> None:
        """Answers a call, or goes wrong."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request: dict[str, Any] = json.loads(body)
        question = sha256(json.dumps([request["model"], request["messages"]]).encode()).hexdigest()
        with self.lock:
            times = self.received[question]
            self.received[question] += 1
            Handler.again += question in self.answered
        time.sleep(self.latency)
        drawn = sha256(f"{self.seed} {times} {question}".encode()).digest()
        if int.from_bytes(drawn[:8], "big") / 2**64 < self.share:
            self.fail(FAULTS[drawn[8] % len(FAULTS)])
            return
        with self.lock:
            self.answered[question] += 1
        self.reply(200, json.dumps(completion(request, self.model.answer(request))).encode())

    def fail(self, fault: int | str) -> None:
        """Goes wrong in one of the ways."""
        if isinstance(fault, int):
            self.reply(fault, b'{"error": {"message": "on purpose"}}')
        elif fault == "cut":
            self.close_connection = True
        else:
            bodies = {
                "html": b"<html>Oops</html>",
                "half": b'{"choices": [',
                "empty": b'{"choices": []}',
            }
            self.reply(200, bodies[fault])

    def reply(self, status: int, body: bytes) -> None:
        """Sends an answer."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Says nothing."""


class Server(ThreadingHTTPServer):
    """Many connections at once."""

    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing: a client that is killed leaves its connections behind."""


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
    given = parser.parse_args()
    Handler.latency, Handler.share, Handler.seed = (
        given.latency_ms / 1000,
        given.failures,
        given.seed,
    )
    with Server(("127.0.0.1", given.port), Handler) as server:
        address = f"http://127.0.0.1:{server.server_port}/v1"
        sys.stdout.write(f"{address} (no model: sentences out of the prompt)\n")
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
