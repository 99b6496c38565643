import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import aiolimiter
import pytest

from rulemine.errors import EndpointError, LimitError, NoReplyError, OutputError
from rulemine.llm import Call, Failure, Reply
from rulemine.llm import session as sessions
from rulemine.llm.call import Ask
from rulemine.llm.journal import Journal
from rulemine.llm.session import Budget
from tests.chat_server import KEY, error, lines_of
from tests.llm.conftest import call_of, text_of


def asking(*numbers: int, **changed: Any) -> Callable[[Ask], Awaitable[list[Any]]]:
    """A conversation that asks one call after another; texts, or else failures."""

    async def converse(ask: Ask) -> list[Any]:
        answers = [await ask(call_of(number, **changed)) for number in numbers]
        return [answer.text if isinstance(answer, Reply) else answer for answer in answers]

    return converse


def each(count: int) -> list[Callable[[Ask], Awaitable[list[Any]]]]:
    return [asking(number) for number in range(count)]


def test_results_are_in_the_order_of_the_works(server, opened):
    server.hold(lambda: server.most_at_once < 16)
    done: list[tuple[int, int]] = []
    with opened() as session:
        results = session.run(each(60), lambda n, total: done.append((n, total)))
        assert results == [[text_of(n)] for n in range(60)]
        assert session.run([]) == []
        usage = session.usage
    assert done == [(n, 60) for n in range(1, 61)]
    assert server.most_at_once == 16
    assert (usage.sent, usage.answered, usage.reused) == (60, 60, 0)
    assert usage.tokens > 60


def test_what_is_journalled_is_not_asked_again(server, opened):
    with opened() as session:
        session.run(each(20))
    with opened() as session:
        assert session.run(each(25)) == [[text_of(n)] for n in range(25)]
        assert (session.usage.sent, session.usage.reused) == (5, 20)
    assert server.received.total() == 25


def test_a_journal_that_holds_all_needs_no_key_and_no_client(opened, monkeypatch):
    with opened() as session:
        session.run(each(5))
    monkeypatch.delenv("TEST_KEY")
    monkeypatch.setitem(sys.modules, "openai", None)
    with opened("https://api.nonexistent.invalid/v1") as session:
        assert session.run(each(5)) == [[text_of(n)] for n in range(5)]
        with pytest.raises(EndpointError, match="export TEST_KEY"):
            session.run(each(6))
        assert session.usage.sent == 0


def test_samples_are_calls_of_their_own_and_identical_calls_are_one(server, opened):
    def at_once(calls):
        return lambda ask: asyncio.gather(*map(ask, calls))

    with opened() as session:
        assert session.run([asking(1, 1)] * 10) == [[text_of(1)] * 2] * 10
        session.run([at_once([call_of(2, sample=n, seed=7) for n in range(3)])])
    assert server.received.total() == 4
    assert sorted(body["seed"] for body in server.bodies) == [0, 7, 8, 9]
    server.most_at_once = 0
    server.hold(lambda: server.most_at_once < 4)
    with opened(concurrency=4) as session:
        [replies] = session.run([at_once([call_of(n) for n in range(3, 43)])])
    assert (len(replies), server.most_at_once) == (40, 4)


def test_a_conversation_that_raises_ends_no_other(server, opened):
    class OddError(Exception):
        pass

    async def fails(ask: Ask) -> list[Any]:
        await ask(call_of(0))
        raise OddError("on purpose")

    with opened() as session:
        with pytest.raises(OddError, match="on purpose"):
            session.run([fails, *each(50)])
        assert session.usage.answered == 50
        assert session.run(each(50)) == [[text_of(n)] for n in range(50)]
    assert server.received.total() == 50


def test_tools_and_everything_else_is_sent_and_kept(server, opened):
    tool = {"type": "function", "function": {"name": "neighbors", "parameters": {}}}
    called = {"id": "1", "type": "function", "function": {"name": "neighbors", "arguments": "{}"}}
    logprobs = {"content": [{"token": "a", "logprob": -0.5}]}
    messages = [
        {"role": "user", "content": "Who?"},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "1", "content": "ann"},
    ]
    sent, extra = {"tools": [tool], "top_p": 0.5, "stop": ["\n"]}, {"logprobs": True, "min_p": 0.1}
    call = Call("fake", messages, **sent, extra=extra)
    message = {"content": None, "tool_calls": [called], "reasoning_content": "thus"}
    choice = {"message": message, "finish_reason": "tool_calls", "logprobs": logprobs}
    server.says = lambda request, times: {"choices": [choice]}
    for _ in range(2):
        with opened() as session:
            [reply] = session.run([lambda ask: ask(call)])
        assert (reply.text, reply.finish_reason, reply.reasoning) == ("", "tool_calls", "thus")
        assert (list(reply.tool_calls), reply.logprobs) == ([called], logprobs)
    assert server.bodies == [{"model": "fake", "messages": messages, **sent, **extra}]


def test_a_budget_is_hard_and_the_next_run_goes_on(server, opened):
    budget, runs = 1200, 0
    while True:
        with opened(budget_tokens=budget) as session:
            if len(server.received) < 30:
                with pytest.raises(LimitError, match=f"of {budget:,} tokens are spent"):
                    session.run(each(60))
                assert budget - 500 < session.usage.tokens <= budget
            else:
                session.run(each(60))
                break
        runs += 1
    assert runs >= 1
    assert (server.received.total(), server.again) == (60, 0)


def test_what_may_have_been_charged_is_of_the_budget(server, opened):
    server.says = lambda request, times: {"choices": []}
    with opened(budget_tokens=1000) as session, pytest.raises(LimitError, match="budget_tokens"):
        session.run(each(1))
    assert 1 < server.received.total() < 6


def test_requests_keep_their_distance(server, opened, monkeypatch):
    """As many as are allowed in a minute, retries included: here those of a tenth of a second."""
    made, taken = [], []

    class Recorded(aiolimiter.AsyncLimiter):
        def __init__(self, most, seconds):
            made.append((most, seconds))
            super().__init__(most, seconds)

        async def acquire(self, amount=1):
            taken.append(amount)
            await super().acquire(amount)

    monkeypatch.setattr(aiolimiter, "AsyncLimiter", Recorded)
    server.says = lambda request, times: "a" if times else error(500, "on purpose")
    with opened(max_requests_per_minute=6000) as session:
        session.run(each(5))
        assert len(taken) == server.received.total() == session.usage.sent == 10
    assert made == [(1, 60.5 / 6000)]


def test_a_failure_of_one_call_is_its_own(server, opened):
    """Refused for good, or given up when others were answered; the next run asks the second again."""
    too_long = error(400, "maximum context length is 512", "context_length_exceeded")
    server.says = lambda request, times: (
        too_long if "e00007" in str(request) else error(500, "on purpose") if "e00003" in str(request)
        else "a"
    )  # fmt: skip
    for run in (1, 2):
        with opened() as session:
            results = session.run([asking(n) for n in range(20)])
            assert results[7] == [
                Failure("context_too_long", "400: maximum context length is 512", True)
            ]
            assert results[3] == [Failure("endpoint_error", "500: on purpose", False)]
            assert session.run([asking(3)]) == [results[3]], "in the same session it is settled"
            assert results.count(["a"]) == 18
        assert server.received.total() == 19 + 6 * run


def test_refusals_are_told_and_end_a_run_without_a_reply(server, opened):
    """Fewer than 40 refusals were 40 empty predictions, without the reason."""
    filtered = error(400, "Filtered.")
    server.says = lambda request, times: filtered if "e00000" in str(request) else "a"
    said = "1 call has no answer: 1 × 400: Filtered."
    with opened() as session, pytest.raises(NoReplyError, match=said):
        session.run(each(1))
    with opened() as session:
        assert session.run(each(2))[1] == ["a"]
    assert opened.told == [said]


def test_failures_in_a_row_end_the_run(server, opened):
    server.says = lambda request, times: error(400, "Something is not right.")
    said = "40 calls in a row have failed.*400: Something is not right.*--model.*goes on"
    with opened(concurrency=4) as session, pytest.raises(EndpointError) as caught:
        session.run(each(1000))
    assert all(word in str(caught.value) for word in said.split(".*"))
    assert 40 <= server.received.total() < 60
    server.says = lambda request, times: "a"
    with opened() as session:
        assert session.run(each(60)) == [["a"]] * 60, "what was refused is asked again"
    # An endpoint that is away for a moment has not failed 64 times.
    server.hold(lambda: server.most_at_once < 64)
    server.says = lambda request, times: "b" if times else error(503, "overloaded")
    with opened(place="moment", concurrency=64) as session:
        assert session.run([asking(n) for n in range(100, 164)]) == [["b"]] * 64


def test_an_endpoint_that_is_away_ends_the_run_after_patience(opened, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_FAILURES", 10**6)
    with opened() as session:
        session.run(each(2))
    begun = time.monotonic()
    monkeypatch.setattr("rulemine.llm.client.RETRIES", 0)
    monkeypatch.setattr(sessions, "PATIENCE", 0.5)
    with opened("http://127.0.0.1:9/v1") as session:
        with pytest.raises(EndpointError, match="no connection"):
            session.run(each(9))
        assert time.monotonic() - begun >= 0.5
        assert session.run(each(2)) == [[text_of(n)] for n in range(2)], "what was answered is kept"
    assert any("trying for up to 0.5 s" in said for said in opened.told)  # type: ignore[attr-defined]


def test_a_call_that_hangs_is_given_up_when_others_were_answered(server, opened, monkeypatch):
    def says(request: dict[str, Any], times: int) -> Any:
        if "e00001" in str(request):
            server.wait()
        return "a"

    server.says = says
    monkeypatch.setattr(sessions, "PATIENCE", 1.6)
    with opened(timeout=1.5) as session:
        results = session.run(each(4))
    assert results[1] == [Failure("endpoint_error", "no whole answer within 1.5 s", False)]
    assert results[0] == results[3] == ["a"]


def test_two_processes_on_one_journal_and_a_full_disk(opened, monkeypatch):
    def full(self, *rest):
        raise OutputError("j: no space left")

    with opened(), pytest.raises(OutputError, match="another process has this journal open"):
        opened()
    opened().close()
    monkeypatch.setattr(Journal, "keep", full)
    with opened() as session, pytest.raises(OutputError, match="no space"):
        session.run(each(50))


def test_nothing_of_a_session_shows_the_key(server, opened, path):
    server.says = lambda request, times: f"The key is {KEY}."
    with opened() as session:
        assert session.run(each(2)) == [["The key is …."]] * 2
        shown = [repr(session), str(opened.told)]  # type: ignore[attr-defined]
    assert server.keys == {f"Bearer {KEY}"}
    assert KEY not in str(shown)
    for file in path.parent.iterdir():
        assert KEY.encode() not in file.read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_early_end_waits_for_what_is_in_flight(server, opened, path):
    async def notebook() -> None:
        async with opened(concurrency=4) as session:
            task = asyncio.create_task(session.arun(each(50)))
            while server.at_once < 4:
                await asyncio.sleep(0.01)
            task.cancel()
            while not opened.told:  # type: ignore[attr-defined]
                await asyncio.sleep(0.01)
            server.let_go()
            with pytest.raises(asyncio.CancelledError):
                await task

    server.hold()
    asyncio.run(notebook())
    assert opened.told == ["Stopping; waiting up to 5 s for 4 calls in flight."]  # type: ignore[attr-defined]
    assert len(lines_of(path)) == server.received.total() == 4


def test_at_the_budget_it_says_what_the_next_call_may_take(opened):
    said = r"may take up to \d+: a token for each byte of its request, and 50 for"
    with opened(budget_tokens=40) as session, pytest.raises(LimitError, match=said):
        session.run(each(1))


def test_what_calls_in_flight_may_take_is_set_aside():
    async def two_calls() -> None:
        most = await Budget(1_000_000).reserve(call_of(1))
        budget = Budget(2 * most - 1)
        await budget.reserve(call_of(1))
        second = asyncio.create_task(budget.reserve(call_of(1)))
        await asyncio.sleep(0.1)
        assert not second.done()
        budget.settle(most, most // 2)  # the first is answered, and took less
        assert await second == most

    asyncio.run(two_calls())


def test_what_a_filter_withheld_was_not_cut_off_for_want_of_room():
    assert not Reply("Ann and", "content_filter").is_cut_off
    assert Reply("Ann and", "length").is_cut_off


def test_what_came_whole_with_less_room_will_do_where_that_is_said(server, opened):
    cut = {"choices": [{"message": {"content": "Who"}, "finish_reason": "length"}]}
    server.says = lambda body, times: (
        cut if body["max_tokens"] == 50 and "e00001" in str(body) else "whole"
    )
    with opened() as session:
        session.run(each(2))
        assert session.usage.cut_off == {call_of(1).key}
    with opened() as session:
        session.run([asking(0, 1, max_tokens=60, blank=True)])
        assert (session.usage.sent, session.usage.reused, session.usage.cut_off) == (1, 1, set())
        assert session.seconds(call_of(0, max_tokens=60).key) > 0
        session.run([asking(0, 1, max_tokens=70)])  # a build asks as it says
        session.run([asking(0, max_tokens=40, blank=True)])
        assert session.usage.sent == 4
