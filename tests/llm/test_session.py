import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import EndpointError, LimitError, OutputError
from rulemine.llm import dispatcher, endpoint, session
from rulemine.llm.call import Answer, Ask, Failure, Reply
from rulemine.llm.endpoint import most_tokens
from rulemine.llm.journal import Journal, read_journal
from rulemine.llm.replay import replay_session
from rulemine.llm.session import open_session
from tests.llm.conftest import AtStop
from tests.llm.running_server import KEY, Running, answered, call_of, options_for

pytestmark = pytest.mark.usefixtures("unhurried")

Work = Callable[[Ask], Awaitable[Any]]


def conversations(count: int, **more: Any) -> list[Work]:
    return [lambda ask, n=n: answered(ask, n, **more) for n in range(count)]


def asking(*numbers: int, **changed: Any) -> Work:
    """A conversation that asks one call after another and returns the answers."""

    async def converse(ask: Ask) -> list[Answer]:
        return [await ask(call_of(number, **changed)) for number in numbers]

    return converse


def test_results_are_in_the_order_of_the_works(tmp_path: Path) -> None:
    with (
        Running(holds=lambda server, request: server.most_at_once < 16) as fake,
        open_session(options_for(fake.url), tmp_path / "j") as opened,
    ):
        done: list[tuple[int, int]] = []
        results = opened.run(conversations(100), lambda n, total: done.append((n, total)))
        assert [text.split()[-1] for text in results] == [f'e{n:05}?"}}' for n in range(100)]
        assert done == [(n, 100) for n in range(1, 101)]
        assert fake.server.most_at_once == 16
        assert set(opened.entries) == {call_of(n).key for n in range(100)}
        assert (opened.tally.sent, opened.tally.answered, opened.tally.journal) == (100, 100, 0)
        assert opened.run([]) == []


def test_what_is_journalled_is_not_asked_again(tmp_path: Path) -> None:
    with Running() as fake:
        with open_session(options_for(fake.url), tmp_path / "j") as opened:
            first = opened.run(conversations(20))
            again = opened.run(conversations(25))
        with open_session(options_for(fake.url), tmp_path / "j") as opened:
            assert opened.run(conversations(25)) == again
            assert (opened.tally.sent, opened.tally.journal) == (0, 25)
            assert len(opened.entries) == 25
        assert first == again[:20]
        assert sum(fake.server.received.values()) == 25
    assert replay_session(tmp_path / "j").run(conversations(25)) == again


def test_a_journal_that_holds_all_needs_no_key_and_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Running() as fake, open_session(options_for(fake.url), tmp_path / "j") as opened:
        texts = opened.run(conversations(5))
    monkeypatch.delenv("TEST_KEY")
    monkeypatch.setitem(sys.modules, "openai", None)
    options = options_for("https://api.nonexistent.invalid/v1")
    with open_session(options, tmp_path / "j") as opened:
        assert opened.run(conversations(5)) == texts
        with pytest.raises(EndpointError, match="export TEST_KEY"):
            opened.run(conversations(6))


def test_a_reply_is_on_the_disk_before_it_is_seen(tmp_path: Path) -> None:
    async def converse(ask: Ask) -> bool:
        call = call_of(1)
        return await ask(call) == read_journal(tmp_path / "j")[call.key].answer

    with Running() as fake, open_session(options_for(fake.url), tmp_path / "j") as opened:
        assert opened.run([converse]) == [True]


def test_identical_calls_share_a_request(tmp_path: Path) -> None:
    with Running() as fake, open_session(options_for(fake.url), tmp_path / "j") as opened:
        results = opened.run([asking(1, 1)] * 10)
        assert len({str(result) for result in results}) == 1
        assert sum(fake.server.received.values()) == 1
    assert len((tmp_path / "j").read_text().splitlines()) == 1


def test_a_conversation_can_ask_several_calls_at_once(tmp_path: Path) -> None:
    async def converse(ask: Ask) -> list[Answer]:
        return list(await asyncio.gather(*(ask(call_of(n)) for n in range(40))))

    with Running(holds=lambda server, request: server.most_at_once < 4) as fake:
        options = options_for(fake.url, concurrency=4)
        with open_session(options, tmp_path / "j") as opened:
            [replies] = opened.run([converse])
        assert len(replies) == 40
        assert fake.server.most_at_once == 4


def test_few_conversations_are_alive_at_once(tmp_path: Path) -> None:
    alive = most = 0

    async def converse(ask: Ask, number: int) -> None:
        nonlocal alive, most
        alive += 1
        most = max(most, alive)
        await ask(call_of(number))
        alive -= 1

    with (
        Running() as fake,
        open_session(options_for(fake.url, concurrency=2), tmp_path / "j") as opened,
    ):
        opened.run([lambda ask, n=n: converse(ask, n) for n in range(300)])
    assert 2 <= most <= 2 * session.ALIVE_PER_SLOT


def test_a_call_that_waits_for_a_retry_holds_no_slot(tmp_path: Path, impatient: None) -> None:
    """The first is told to come again until all others are answered, with one slot for all of them."""

    def fault(request: dict[str, Any], times: int) -> str:
        others_wait = len(fake.server.answered) < 7
        return "429-ms" if "e00000" in str(request) and others_wait else ""

    order: list[int] = []

    async def converse(ask: Ask, number: int) -> None:
        await ask(call_of(number))
        order.append(number)

    with Running(fault=fault) as fake:
        options = options_for(fake.url, concurrency=1)
        with open_session(options, tmp_path / "j") as opened:
            opened.run([lambda ask, n=n: converse(ask, n) for n in range(8)])
            assert opened.tally.retried >= 1
            assert opened.tally.failed == 0
    assert order[-1] == 0


def test_an_exception_of_a_conversation_ends_the_others_and_keeps_the_replies(
    tmp_path: Path, at_stop: AtStop
) -> None:
    class OddError(Exception):
        pass

    async def fails(ask: Ask) -> None:
        await ask(call_of(0))
        raise OddError("on purpose")

    with (
        Running(holds=lambda server, request: "e00000" not in str(request)) as fake,
        open_session(options_for(fake.url), tmp_path / "j") as opened,
    ):
        at_stop(fake.let_go)
        with pytest.raises(OddError, match="on purpose"):
            opened.run([fails, *conversations(100)[1:]])
        kept = set(read_journal(tmp_path / "j"))
        assert len(kept) == len(fake.server.answered) > 1, "in flight, so waited for"
        opened.run(conversations(100))
        assert kept < set(read_journal(tmp_path / "j"))
    assert not fake.server.again


def test_a_budget_is_hard_and_the_next_run_goes_on(tmp_path: Path) -> None:
    need = most_tokens(call_of(0))
    budget = need * 20
    with Running() as fake:
        options = options_for(fake.url, budget_tokens=budget)
        asked = []
        while sum(asked) < 400:
            with open_session(options, tmp_path / "j") as opened:
                if sum(asked) < 200:
                    with pytest.raises(LimitError, match="budget_tokens") as caught:
                        opened.run(conversations(400))
                    for word in ("kept", "same command", str(budget)):
                        assert word in str(caught.value)
                    assert budget - need < opened.tally.tokens <= budget
                else:
                    opened.run(conversations(400))
                assert opened.tally.journal >= sum(asked)
                asked.append(opened.tally.answered)
        assert sum(asked) == 400
        assert sum(fake.server.received.values()) == 400


def test_what_may_have_been_charged_is_of_the_budget(tmp_path: Path, impatient: None) -> None:
    budget = most_tokens(call_of(0)) * 3
    with Running(fault=lambda request, times: "invalid-json") as fake:
        options = options_for(fake.url, budget_tokens=budget)
        with (
            open_session(options, tmp_path / "j") as opened,
            pytest.raises(LimitError, match=f"{budget} of {budget} tokens are spent after 3 req"),
        ):
            opened.run([asking(0)])
        assert sum(fake.server.received.values()) == 3


def test_every_request_is_counted_for_the_rate_retries_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, impatient: None
) -> None:
    taken: list[float] = []

    class Recorded(dispatcher.RequestRate):
        def take(self, now: float) -> None:
            assert self.pause(now) == 0
            taken.append(now)
            super().take(now)

    monkeypatch.setattr(dispatcher, "RequestRate", Recorded)
    with Running(plain=True, fault=lambda request, times: "500" if times == 1 else "") as fake:
        options = options_for(fake.url, max_requests_per_minute=6000)
        with open_session(options, tmp_path / "j") as opened:
            opened.run(conversations(10))
        assert len(taken) == sum(fake.server.received.values()) == opened.tally.sent
        assert opened.tally.retried > 0


def test_without_a_key_it_says_which_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_KEY")
    with open_session(options_for("https://api.openai.com/v1"), tmp_path / "j") as opened:
        with pytest.raises(EndpointError, match="TEST_KEY"):
            opened.run(conversations(3))
        assert opened.tally.sent == 0


def test_a_refused_call_fails_alone_and_for_good(tmp_path: Path) -> None:
    def fault(request: dict[str, Any], times: int) -> str:
        return "400-context" if "e00007" in str(request) else ""

    with Running(fault=fault) as fake:
        for _ in range(2):
            with open_session(options_for(fake.url), tmp_path / "j") as opened:
                results = opened.run([asking(n) for n in range(20)])
            assert [n for n, [answer] in enumerate(results) if isinstance(answer, Failure)] == [7]
            [failure] = results[7]
            assert isinstance(failure, Failure)
            assert (failure.code, failure.lasting) == ("context_too_long", True)
        assert sum(fake.server.received.values()) == 20


def test_an_endpoint_that_refuses_everything_ends_the_run(tmp_path: Path) -> None:
    with Running(fault=lambda request, times: "400-parameter") as fake:
        options = options_for(fake.url, structured="never")
        with (
            open_session(options, tmp_path / "j") as opened,
            pytest.raises(EndpointError, match="refused each"),
        ):
            opened.run([asking(n) for n in range(1000)])
        assert sum(fake.server.received.values()) < 100
    assert not any(entry.answer.lasting for entry in read_journal(tmp_path / "j").values())  # type: ignore[union-attr]


def test_a_journal_that_cannot_be_written_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(self: Journal, entry: object) -> None:
        raise OutputError("j: no space left")

    monkeypatch.setattr(Journal, "append", full)
    with (
        Running() as fake,
        open_session(options_for(fake.url), tmp_path / "j") as opened,
        pytest.raises(OutputError, match="no space"),
    ):
        opened.run(conversations(100))


def test_a_client_that_cannot_be_made_ends_the_run_with_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def odd(*rest: object) -> None:
        raise ZeroDivisionError("of its own")

    async def several(ask: Ask) -> list[Answer]:
        return list(await asyncio.gather(*(ask(call_of(n)) for n in range(40))))

    with Running() as fake, open_session(options_for(fake.url), tmp_path / "j") as opened:
        with monkeypatch.context() as patch:
            patch.setattr(endpoint, "Client", odd)
            for works in (conversations(100), [several]):
                with pytest.raises(ZeroDivisionError, match="of its own"):
                    opened.run(works)
        assert all(opened.run(conversations(100))), "and it goes on as soon as it can be made"


def test_nothing_of_a_session_shows_the_key(tmp_path: Path) -> None:
    told: list[str] = []
    with Running() as fake:
        opened = open_session(options_for(fake.url), tmp_path / "j", status=told.append)
        with opened:
            opened.run(conversations(3))
        assert KEY in str(fake.server.authorizations)
    for shown in (repr(opened), repr(opened.tally), repr(opened.entries), str(told)):
        assert KEY[:10] not in shown
    assert KEY[:10] not in (tmp_path / "j").read_text()


def test_replies_stay_replies(tmp_path: Path) -> None:
    with Running() as fake, open_session(options_for(fake.url), tmp_path / "j") as opened:
        [[reply]] = opened.run([asking(3)])
        assert isinstance(reply, Reply)
        entry = opened.entries[call_of(3).key]
        assert (entry.answer, entry.attempts, entry.purpose) == (reply, 1, "question")
        assert entry.time.endswith("+00:00")
