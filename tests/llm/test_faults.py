"""Sessions against an endpoint that misbehaves, over real HTTP: nothing lost, nothing paid twice."""

import re
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import EndpointError
from rulemine.llm import dispatcher
from rulemine.llm.call import Ask, Failure, Reply
from rulemine.llm.journal import read_journal
from rulemine.llm.session import open_session
from tests.llm.conftest import AtStop
from tests.llm.running_server import (
    KEY,
    MIXTURE,
    Running,
    answered,
    call_of,
    failures,
    once,
    options_for,
)

pytestmark = pytest.mark.usefixtures("unhurried")

CUT = ("length", "content-filter", "wrong-schema", "headers")
"""Replies of a kind: the conversation decides."""

LATE = ("timeout", "drip")

LONG_ENOUGH = 4.0
"""Seconds within which this machine answers itself, whatever else it has to do."""


async def ask_one(ask: Ask, number: int = 0) -> Reply | Failure:
    return await ask(call_of(number))


@pytest.mark.parametrize("fault", MIXTURE)
def test_every_fault_passes(fault: str, transport: str, tmp_path: Path, impatient: None) -> None:
    if transport == "default" and fault in ("429-seconds", "429-date", *LATE):
        pytest.skip("takes seconds, and is the same")
    told: list[str] = []
    with Running(fault=once(fault)) as fake:
        options = options_for(fake.url, **({"timeout": LONG_ENOUGH} if fault in LATE else {}))
        with open_session(options, tmp_path / "j", status=told.append) as session:
            [answer] = session.run([ask_one])
        assert isinstance(answer, Reply)
        assert sum(fake.server.received.values()) == (1 if fault in CUT else 2)
        assert fake.server.again == 0
        assert [e.attempts for e in read_journal(tmp_path / "j").values()] == [
            1 if fault in CUT else 2
        ]
    assert answer.finish_reason == {"length": "length", "content-filter": "content_filter"}.get(
        fault, "stop"
    )
    assert KEY[:8] not in str(told) + (tmp_path / "j").read_text()


def test_all_faults_together(transport: str, tmp_path: Path) -> None:
    plain = transport == "default"
    told: list[str] = []
    count = 300
    with Running(fault=failures(0.15, 5), plain=plain) as fake:
        options = options_for(fake.url, timeout=LONG_ENOUGH)
        with open_session(options, tmp_path / "j", status=told.append) as session:
            texts = session.run([lambda ask, n=n: answered(ask, n) for n in range(count)])
            sent = session.tally.sent
        assert all(texts), "none lost"
        assert fake.server.again == 0, "none asked again after a good answer"
        assert sum(fake.server.received.values()) == sent
        assert len(fake.server.faults) >= 15
    entries = read_journal(tmp_path / "j")
    assert len(entries) == len((tmp_path / "j").read_text().splitlines())
    assert all(isinstance(entry.answer, Reply) for entry in entries.values())
    assert ("response_format" in str(told)) == plain


def test_a_call_that_fails_of_its_own_is_given_up_and_asked_again_by_the_next_run(
    tmp_path: Path, impatient: None
) -> None:
    def fault(request: dict[str, Any], times: int) -> str:
        return "null-content" if "e00003" in str(request) and times < 6 else ""

    with Running(fault=fault) as fake:
        with open_session(options_for(fake.url), tmp_path / "j") as session:
            answers = session.run([lambda ask, n=n: ask_one(ask, n) for n in range(10)])
            assert session.tally.failed == 1
        failure = answers[3]
        assert isinstance(failure, Failure)
        assert (failure.code, failure.lasting) == ("endpoint_error", False)
        assert "6 attempts" in failure.detail
        assert all(isinstance(answer, Reply) for n, answer in enumerate(answers) if n != 3)
        with open_session(options_for(fake.url), tmp_path / "j") as session:
            assert isinstance(session.run([lambda ask: ask_one(ask, 3)])[0], Reply)
            assert session.tally.sent == 1


@pytest.mark.parametrize(
    ("kind", "patience"),
    [("invalid-json", 3.0), ("null-content", 600.0)],  # what answers with nothing is not waited for
)
def test_calls_that_fail_for_good_at_the_end_are_given_up_and_do_not_end_every_run(
    kind: str,
    patience: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    impatient: None,
) -> None:
    monkeypatch.setattr(dispatcher, "OUT", 24)  # two faults: they have their chances in time

    def fault(request: dict[str, Any], times: int) -> str:
        return kind if "e00003" in str(request) or "e00004" in str(request) else ""

    works = [lambda ask, n=n: ask_one(ask, n) for n in range(10)]
    with Running(fault=fault) as fake:
        options = options_for(fake.url, patience=patience)
        with open_session(options, tmp_path / "j") as session:
            session.run([work for n, work in enumerate(works) if n not in (3, 4)])
        with open_session(options, tmp_path / "j") as session:
            answers = session.run(works)
    bad = [n for n, answer in enumerate(answers) if isinstance(answer, Failure)]
    assert bad == [3, 4]
    assert fake.server.again == 0


def test_an_endpoint_that_only_fails_is_not_taken_for_bad_calls(
    tmp_path: Path, impatient: None
) -> None:
    with Running(fault=lambda request, times: "500") as fake:
        options = options_for(fake.url, patience=0.8)
        with (
            open_session(options, tmp_path / "j") as session,
            pytest.raises(EndpointError, match="errors alone") as caught,
        ):
            session.run([lambda ask, n=n: ask_one(ask, n) for n in range(50)])
    assert "same command" in str(caught.value)
    assert "0 answers are kept" in str(caught.value)
    assert not read_journal(tmp_path / "j"), "none was given up"


def test_a_server_that_is_gone_for_a_while_loses_nothing(tmp_path: Path) -> None:
    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        if len(told) == 1:
            fake.back()

    with Running() as fake:
        with open_session(options_for(fake.url), tmp_path / "j", status=tell) as session:
            texts = session.run(
                [lambda ask, n=n: answered(ask, n) for n in range(200)],
                lambda done, total: fake.gone() if done == 60 else None,
            )
        assert all(texts)
        assert session.tally.failed == 0
        assert fake.server.again <= 16, "at most the replies that were on their way"
        assert session.tally.sent < 300, "few tried while it was away"
    assert "waiting" in told[0]
    assert "answers again" in told[-1]


def test_an_endpoint_that_was_never_there_is_not_waited_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatcher, "PATIENCE_UNSEEN", 0.5)
    with Running() as fake:
        url = fake.url
    options = options_for(url)
    with (
        open_session(options, tmp_path / "j") as session,
        pytest.raises(EndpointError, match="out of reach") as caught,
    ):
        session.run([ask_one])
    assert seconds_waited(caught.value) < options.patience
    assert "connection refused" in str(caught.value)


def test_an_endpoint_that_cuts_every_connection_is_not_waited_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one with TLS does that is spoken to without."""
    monkeypatch.setattr(dispatcher, "PATIENCE_UNSEEN", 0.5)
    with Running(fault=lambda body, times: "reset-at-once") as fake:
        options = options_for(fake.url)
        with (
            open_session(options, tmp_path / "j") as session,
            pytest.raises(EndpointError, match=r"errors alone .*http or https") as caught,
        ):
            session.run([lambda ask, n=n: answered(ask, n) for n in range(40)])
    assert seconds_waited(caught.value) < options.patience


def seconds_waited(error: EndpointError) -> int:
    """How long the endpoint was waited for, as its error tells it."""
    found = re.search(r" for (\d+) s ", str(error))
    assert found, error
    return int(found[1])


def test_an_endpoint_that_stays_away_ends_the_run_and_the_next_goes_on(tmp_path: Path) -> None:
    works = [lambda ask, n=n: answered(ask, n) for n in range(100)]
    with Running() as fake:
        options = options_for(fake.url, patience=0.6, concurrency=4)
        with (
            open_session(options, tmp_path / "j") as session,
            pytest.raises(EndpointError, match="out of reach") as caught,
        ):
            session.run(works, lambda done, total: fake.gone() if done == 50 else None)
        kept = len(read_journal(tmp_path / "j"))
        assert 50 <= kept < 100
        assert f"{kept} answers are kept" in str(caught.value)
        fake.back()
        with open_session(options, tmp_path / "j") as session:
            assert all(session.run(works))
            assert session.tally.journal == kept
            assert session.tally.sent == 100 - kept


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("401", "TEST_KEY"),
        ("403", "TEST_KEY"),
        ("404", "fake"),
        ("quota", "kept"),
        ("redirect", "base_url"),
    ],
)
def test_what_concerns_all_calls_stops_at_once(
    fault: str, words: str, transport: str, tmp_path: Path, at_stop: AtStop
) -> None:
    """Of a thousand the first fails, and the others are answered once nothing more is sent."""

    def fault_of(request: dict[str, Any], times: int) -> str:
        return fault if "e00000" in str(request) else ""

    told: list[str] = []
    with Running(
        fault=fault_of, holds=lambda server, request: "e00000" not in str(request)
    ) as fake:
        at_stop(fake.let_go)
        with (
            open_session(options_for(fake.url), tmp_path / "j", status=told.append) as session,
            pytest.raises(EndpointError, match=words) as caught,
        ):
            session.run([lambda ask, n=n: answered(ask, n) for n in range(1000)])
        sent = sum(fake.server.received.values())
        assert 1 < sent <= 1 + 16
        assert len(read_journal(tmp_path / "j")) == sent - 1, "what was in flight is kept"
    shown = f"{caught.value} {caught.value!r} {told} {(tmp_path / 'j').read_text()}"
    assert KEY[:8] not in shown
    assert KEY[-4:] not in shown


def test_many_429_hold_all_calls_back(tmp_path: Path) -> None:
    """The endpoint has enough until the user is told that calls wait."""
    told: list[str] = []

    def fault(request: dict[str, Any], times: int) -> str:
        return "" if told else "429-seconds"

    with Running(fault=fault) as fake:
        with open_session(options_for(fake.url), tmp_path / "j", status=told.append) as session:
            texts = session.run([lambda ask, n=n: answered(ask, n) for n in range(300)])
        assert all(texts)
        assert fake.server.faults["429-seconds"] <= 3 + 2 * 16, "not one for each call"
    assert "429" in told[0]
    assert "1 s" in told[0]


def test_a_reply_that_quotes_the_key_is_kept_without_it(tmp_path: Path) -> None:
    with Running() as fake:
        fake.server.model.answer = lambda request: f"The key is {KEY}, who are the aunts of e00000?"  # type: ignore[method-assign]
        with open_session(options_for(fake.url), tmp_path / "j") as session:
            [answer] = session.run([ask_one])
    assert isinstance(answer, Reply)
    assert answer.text == "The key is …, who are the aunts of e00000?"
    assert KEY not in (tmp_path / "j").read_text()
