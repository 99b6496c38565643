"""The fake endpoint in a thread of this process, and calls and options for it."""

import asyncio
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

from fake_endpoint import MIXTURE, Server, failures

from rulemine.errors import EndpointError
from rulemine.llm.call import Ask, Call, Message, Reply
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
]

KEY = "sk-secret-9f8e7d6c5b4a-topmost"
SCHEMA = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}


class Running:
    """A server that runs while the context is open; the ways are those of `Server`."""

    def __init__(self, *, ssl: Any = None, **ways: Any) -> None:
        self.server = Server(**ways)
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
    settings = {"base_url": url, "api_key_variable": "TEST_KEY", "timeout": 20.0, **changed}
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
