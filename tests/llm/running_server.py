"""The fake endpoint in a thread of this process, and calls and options for it."""

import asyncio
import functools
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Self

from tests import ROOT

sys.path.insert(0, str(ROOT / "examples"))

from fake_endpoint import MIXTURE, Connection, Server, failures

from rulemine.errors import EndpointError
from rulemine.llm.call import Ask, Call, Message, Reply
from rulemine.llm.closing import Closing
from rulemine.llm.endpoint import Endpoint
from rulemine.llm.options import EndpointOptions
from rulemine.llm.problem import EndpointProblem

__all__ = [
    "KEY",
    "MIXTURE",
    "Running",
    "answered",
    "call_of",
    "failures",
    "once",
    "options_for",
    "send",
    "until",
]

KEY = "sk-secret-9f8e7d6c5b4a-topmost"
SCHEMA = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}


Holds = Callable[["HoldingServer", dict[str, Any]], bool]
"""Whether a request is to wait; asked again whenever another one is answered."""


class HoldingServer(Server):
    """Lets requests wait for something to happen, so that nothing depends on how long anything takes."""

    def __init__(self, holds: Holds, **ways: Any) -> None:
        super().__init__(**ways)
        self.holds = holds
        self.held: list[Callable[[], None]] = []

    def make_connection(self) -> Connection:
        return _HoldingConnection(self)

    def look_again(self) -> None:
        """Answers what no longer has to wait."""
        held, self.held = self.held, []
        for answer in held:
            answer()


class _HoldingConnection(Connection):
    server: HoldingServer

    def reply(self, request: dict[str, Any], question: str, fault: str, key: str) -> None:
        if self.timer is None:  # it has waited until the client left
            return
        if self.server.holds(self.server, request):
            again = functools.partial(self.reply, request, question, fault, key)
            self.server.held.append(again)
            return
        super().reply(request, question, fault, key)
        self.server.look_again()


class Running(Closing):
    """A server that runs while the context is open; the ways are those of `Server`."""

    def __init__(
        self, *, ssl: Any = None, holds: Holds = lambda server, request: False, **ways: Any
    ) -> None:
        self.server = HoldingServer(holds, **ways)
        self._ssl = ssl
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"{'https' if self._ssl else 'http'}://127.0.0.1:{self.server.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self.back()
        return self

    def close(self) -> None:
        self.gone()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def gone(self) -> None:
        """The server stops listening and breaks all connections off."""

        async def stop() -> None:
            self.server.stop()

        asyncio.run_coroutine_threadsafe(stop(), self._loop).result()

    def back(self) -> None:
        """It listens (again), at the same port."""
        asyncio.run_coroutine_threadsafe(self.server.start(ssl=self._ssl), self._loop).result()

    def hold(self, holds: Holds) -> None:
        """From now on requests wait while this is so."""
        self.server.holds = holds

    def let_go(self) -> None:
        """Nothing waits any longer."""
        self.hold(lambda server, request: False)
        self._loop.call_soon_threadsafe(self.server.look_again)


def until(condition: Callable[[], bool], seconds: float = 120) -> None:
    """Waits for something that has to happen; so long only where it never does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.005)


def send(
    options: EndpointOptions, *calls: Call, status: Callable[[str], object] | None = None
) -> list[Any]:
    """Sends calls one after the other; replies, or what was raised."""

    async def go() -> list[Any]:
        endpoint = Endpoint(options, options.key(), status)
        found: list[Any] = []
        for call in calls:
            try:
                found.append(await endpoint.send(call))
            except (EndpointProblem, EndpointError) as problem:
                found.append(problem)
        await endpoint.close()
        return found

    return asyncio.run(go())


def once(fault: str) -> Callable[[dict[str, Any], int], str]:
    """A fault at the first time of every request."""
    return lambda request, times: "" if times else fault


def options_for(url: str, **changed: Any) -> EndpointOptions:
    settings = {"base_url": url, "api_key_variable": "TEST_KEY", "timeout": 120.0, **changed}
    return EndpointOptions(**settings)


def call_of(number: int = 0, *, attempt: int = 0, schema: bool = True, **changed: Any) -> Call:
    entity = f"e{number:05}"
    prompt = f"Question Entity: {entity}\nAsked For: the aunts of {entity}\nAttempt {attempt}"
    settings: dict[str, Any] = {
        "purpose": "question",
        "subject": f"q{number}",
        "model": "fake",
        "prompt_version": "question/1",
        "prompt_digest": "0" * 64,
        "messages": (Message("system", "You ask."), Message("user", prompt)),
        "max_tokens": 50,
        "schema": SCHEMA if schema else None,
    }
    return Call(**{**settings, **changed})


async def answered(ask: Ask, number: int, attempts: int = 5, *, schema: bool = True) -> str:
    """A conversation: asks until the reply names its entity; empty: it never did."""
    for attempt in range(attempts):
        answer = await ask(call_of(number, attempt=attempt, schema=schema))
        if (
            isinstance(answer, Reply)
            and answer.finish_reason == "stop"
            and f"e{number:05}?" in answer.text
        ):
            return answer.text
    return ""
