"""What is sent when, seen at an endpoint that is an object of this process: no network, no latency."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import EndpointError
from rulemine.llm import dispatcher
from rulemine.llm.call import Answer, Ask, Call, Reply
from rulemine.llm.dispatcher import Dispatcher
from rulemine.llm.reply_times import ReplyTimes
from rulemine.llm.session import open_session
from rulemine.llm.usage import Tally
from tests.llm.running_server import Running, call_of, options_for

REPLY = Reply("What?", "stop", 1, 1)


class Scripted:
    """An endpoint that is told what to do with a call that has come that many times before."""

    answered = True

    def __init__(self, act: Callable[[Call, int], Awaitable[object]]) -> None:
        self.act = act
        self.came = list[str]()
        self.at_once = self.most_at_once = 0

    async def send(self, call: Call) -> Reply:
        before = self.came.count(call.subject)
        self.came.append(call.subject)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await self.act(call, before)
        finally:
            self.at_once -= 1
        return REPLY


def dispatcher_of(endpoint: Scripted, **options: Any) -> Dispatcher:
    async def keep(call: Call, answer: Answer, attempts: int) -> None:
        pass

    return Dispatcher(
        endpoint,  # type: ignore[arg-type]
        options_for("http://127.0.0.1:1/v1", **options),
        keep,
        Tally(),
        lambda text: None,
        fresh=False,
    )


async def settle(
    endpoint: Scripted, *submissions: tuple[Call, bool], **options: Any
) -> list[Answer]:
    """The answers to calls, each given with whether it goes on with something."""
    sends = dispatcher_of(endpoint, **options)
    answers = [sends.submit(call, begun=begun) for call, begun in submissions]
    running = asyncio.create_task(sends.run())
    settled = asyncio.gather(*answers)
    try:
        async with asyncio.timeout(60):
            await asyncio.wait((running, settled), return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                running.result()  # raises what ended it
            return list(await settled)
    finally:
        running.cancel()


def test_what_hangs_is_sent_again_once_others_have_told_how_long_replies_take(
    monkeypatch: pytest.MonkeyPatch, impatient: None
) -> None:
    monkeypatch.setattr("rulemine.llm.reply_times.SHORTEST", 0.05)

    async def act(call: Call, before: int) -> None:
        if call.subject in ("q3", "q60") and not before:
            await asyncio.Event().wait()

    endpoint = Scripted(act)
    calls = [(call_of(number), False) for number in range(100)]
    assert asyncio.run(settle(endpoint, *calls, timeout=1e6)) == [REPLY] * 100
    assert {"q3", "q60"} <= {subject for subject, n in Counter(endpoint.came).items() if n == 2}
    assert endpoint.most_at_once <= 16


def test_a_call_is_cut_short_once_at_most(monkeypatch: pytest.MonkeyPatch, impatient: None) -> None:
    monkeypatch.setattr(dispatcher, "LOOKS_AFTER", 0.01)
    monkeypatch.setattr(ReplyTimes, "limit", lambda times, kind: 0.0)

    async def act(call: Call, before: int) -> None:
        await (asyncio.sleep(0.2) if before else asyncio.Event().wait())

    endpoint = Scripted(act)
    calls = [(call_of(number), False) for number in range(16)]
    assert asyncio.run(settle(endpoint, *calls, timeout=1e6)) == [REPLY] * 16
    assert set(Counter(endpoint.came).values()) == {2}


def test_an_endpoint_that_has_become_slow_is_asked_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """None of the calls that it is slow to answer is overtaken by another."""
    monkeypatch.setattr(dispatcher, "LOOKS_AFTER", 0.01)
    monkeypatch.setattr(ReplyTimes, "limit", lambda times, kind: looks())
    seen = 0
    enough = asyncio.Event()

    def looks() -> float:
        nonlocal seen
        seen += 1
        if seen > 20 * 16:
            enough.set()
        return 0.0

    async def act(call: Call, before: int) -> None:
        await enough.wait()

    endpoint = Scripted(act)
    calls = [(call_of(number), False) for number in range(17)]
    assert asyncio.run(settle(endpoint, *calls, timeout=1e6)) == [REPLY] * 17
    assert set(Counter(endpoint.came).values()) == {1}


def test_nothing_is_sent_once_it_is_known_that_the_run_ends() -> None:
    async def act(call: Call, before: int) -> None:
        while endpoint.most_at_once < 4:
            await asyncio.sleep(0)
        if call.subject == "q0":
            raise EndpointError("no such model")
        await asyncio.Event().wait()

    endpoint = Scripted(act)
    calls = [(call_of(number), False) for number in range(8)]
    with pytest.raises(EndpointError, match="no such model"):
        asyncio.run(settle(endpoint, *calls, concurrency=4))
    assert endpoint.came == ["q0", "q1", "q2", "q3"]


def test_what_hangs_is_not_cut_short_at_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "LOOKS_AFTER", 0.01)
    monkeypatch.setattr(ReplyTimes, "limit", lambda times, kind: 0.0)

    async def go() -> None:
        async def act(call: Call, before: int) -> None:
            stopping.append(asyncio.create_task(sends.stop(60)))
            await asyncio.sleep(0.1)

        stopping: list[asyncio.Task[None]] = []
        sends = dispatcher_of(Scripted(act))
        answer = sends.submit(call_of(1), begun=False)
        running = asyncio.create_task(sends.run())
        assert await answer == REPLY
        await stopping[0]
        running.cancel()

    asyncio.run(go())


def test_a_call_that_the_client_itself_gives_up_is_sent_again(impatient: None) -> None:
    async def act(call: Call, before: int) -> None:
        if call.subject == "q3" and not before:
            raise asyncio.CancelledError

    endpoint = Scripted(act)
    assert asyncio.run(settle(endpoint, *[(call_of(n), False) for n in range(8)])) == [REPLY] * 8
    assert Counter(endpoint.came)["q3"] == 2


def test_what_was_begun_goes_first() -> None:
    async def act(call: Call, before: int) -> None:
        pass

    endpoint = Scripted(act)
    calls = [(call_of(number), number % 2 == 1) for number in range(8)]
    asyncio.run(settle(endpoint, *calls, concurrency=1))
    assert endpoint.came == [f"q{number}" for number in (1, 3, 5, 7, 0, 2, 4, 6)]


def test_a_conversation_has_begun_with_its_first_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: dict[str, bool] = {}
    submit = Dispatcher.submit

    def recorded(self: Dispatcher, call: Call, **how: bool) -> asyncio.Future[Answer]:
        begun[call.subject] = how["begun"]
        return submit(self, call, **how)

    monkeypatch.setattr(Dispatcher, "submit", recorded)

    async def converse(ask: Ask, first: int) -> None:
        await ask(call_of(first))
        await asyncio.gather(ask(call_of(first + 1)), ask(call_of(first + 2)))

    with Running() as fake, open_session(options_for(fake.url), tmp_path / "j") as session:
        session.run([partial(converse, first=first) for first in range(0, 30, 3)])
    assert begun == {f"q{number}": number % 3 > 0 for number in range(30)}
