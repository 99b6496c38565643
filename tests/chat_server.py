"""An endpoint with OpenAI's chat API whose answers a test decides, and builds with it."""

import json
import logging
import sqlite3
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from ssl import SSLContext
from types import TracebackType
from typing import Any, Self

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests import ROOT

sys.path.insert(0, str(ROOT / "examples"))

from fake_model import FakeModel, completion

logging.getLogger("werkzeug").setLevel(logging.ERROR)  # a line for every request helps nobody

__all__ = [
    "KEY", "ChatServer", "FakeModel", "Says", "build_words", "completion", "error", "journal", "questions",
    "until",
]  # fmt: skip

KEY = "sk-secret-9f8e7d6c5b4a-topmost"

Says = Callable[[dict[str, Any], int], "str | Response | dict[str, Any]"]
"""What is said to a request that has come that many times before: a text, a body or a whole response."""


def error(status: int, message: str, code: str = "", **headers: str) -> Response:
    """An answer that is none."""
    body = {"error": {"message": message, "code": code}}
    return Response(json.dumps(body), status, {k.replace("_", "-"): v for k, v in headers.items()})


class ChatServer:
    """Serves while the context is open; counts requests by what they ask, and those answered with a text."""

    def __init__(
        self,
        says: Says | None = None,
        http: HTTPServer | None = None,
        ssl: SSLContext | None = None,
    ) -> None:
        """Takes what is said; and a server that runs already, else one of its own is started."""
        self.says = says or (lambda request, times: FakeModel().answer(request))
        self.received: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.again = self.at_once = self.most_at_once = self._round = 0
        self.bodies: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self._lock = threading.Condition()
        self._holds: Callable[[], bool] = lambda: False
        self.http = http or HTTPServer(host="127.0.0.1", threaded=True, ssl_context=ssl)
        self._own, self._scheme = http is None, "https" if ssl else "http"
        self.finished = False
        self.http.clear()
        for path in ("/v1/chat/completions", "/v1/embeddings"):
            self.http.expect_request(path, method="POST").respond_with_handler(self._answer)

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.http.port}/v1"

    def __enter__(self) -> Self:
        if self._own:
            self.http.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.finished = True
        self.let_go()
        if self._own and self.http.is_running():
            self.http.stop()

    def hold(self, holds: Callable[[], bool] = lambda: True) -> None:
        """From now on requests wait while this is so; looked at when one comes or is answered."""
        self._holds = holds

    def let_go(self) -> None:
        """Nothing waits any longer."""
        with self._lock:
            self._holds = lambda: False
            self._lock.notify_all()

    def forget(self) -> None:
        """The requests that wait are those of a client that is gone."""
        with self._lock:
            self._round += 1
            self._lock.notify_all()
            self._lock.wait_for(lambda: not self.at_once, timeout=120)

    def wait(self) -> None:
        """Lets the request that is being answered wait, and others pass, until the end."""
        self._lock.wait_for(lambda: self.finished, timeout=120)

    def _answer(self, http: Request) -> Response:
        request = json.loads(http.data)
        question = json.dumps([request["model"], request.get("messages", request.get("input"))])
        with self._lock:
            self.keys.add(http.headers["Authorization"])
            self.bodies.append(request)
            times = self.received[question]
            self.received[question] += 1
            self.again += question in self.answered
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            self._lock.notify_all()
            here = self._round
            self._lock.wait_for(lambda: here != self._round or not self._holds(), timeout=120)
            self.at_once -= 1
            if here != self._round:
                self._lock.notify_all()
                return error(503, "nobody is waiting for this")
            said = self.says(request, times)
            if isinstance(said, str):
                self.answered[question] += 1
            self._lock.notify_all()
        if isinstance(said, Response):
            return said
        body = completion(request, said) if isinstance(said, str) else said
        return Response(json.dumps(body), content_type="application/json")


def until(condition: Callable[[], bool], seconds: float = 120) -> None:
    """Waits for something that has to happen; so long only where it never does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.005)


def build_words(url: str, output: str = "out/kg", *more: str) -> list[str]:
    """The command that builds the small graph with a model."""
    model = ["--model", "fake", "--set", f"endpoint.base_url={url}"]
    return ["build", "kg.tsv", "--rules", "rules.txt", "-o", output, *model, *more]


def questions(release: Path) -> list[dict[str, Any]]:
    """All questions of a release."""
    files = sorted((release / "questions").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def lines_of(path: Path) -> dict[str, dict[str, Any]]:
    """The lines of a working journal by key; also while its process has just been killed."""
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path)) as db:
        return {key: json.loads(line) for key, line in db.execute("SELECT key, line FROM call")}


def journal(output: Path) -> dict[str, dict[str, Any]]:
    """The same of a build."""
    return lines_of(output.with_name(output.name + ".stages") / "llm" / "journal.sqlite")
