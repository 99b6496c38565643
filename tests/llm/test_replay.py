"""A journal answers in the place of a model, and says what it lacks."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from rulemine.errors import InputError, ReplayError
from rulemine.llm.call import Answer, Ask, Call, Entry, Message, Reply
from rulemine.llm.journal import write_journal
from rulemine.llm.replay import replay_session
from tests.llm.journal_entries import DIGEST, LASTING, PASSING, append, reply


def call_of(number: int, purpose: str = "question") -> Call:
    """A call about a made-up question."""
    messages = (Message("user", f"{purpose} about the aunt of {number}"),)
    return Call(purpose, f"q{number:06}", "m", "question/1", DIGEST, messages, 200)


def answered(call: Call, answer: Answer) -> Entry:
    return Entry(
        call.key, call.purpose, call.model, call.prompt_version, DIGEST, call.request, answer
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A working journal with two replies and two failures."""
    path = tmp_path / "demo.stages" / "llm" / "journal.jsonl"
    answers = [reply("Who is her aunt?"), reply("Who is his?"), LASTING, PASSING]
    append(path, [answered(call_of(number), answer) for number, answer in enumerate(answers)])
    return path


def asks(*calls: Call) -> Callable[[Ask], Awaitable[list[str]]]:
    """A conversation that asks one call after the other."""

    async def work(ask: Ask) -> list[str]:
        answers = [await ask(call) for call in calls]
        return [a.text if isinstance(a, Reply) else a.code for a in answers]

    return work


def test_what_is_asked_is_answered_in_the_order_of_the_works(path: Path) -> None:
    told: list[tuple[int, int]] = []
    with replay_session(path) as session:
        results = session.run(
            [asks(call_of(1), call_of(0)), asks(), asks(call_of(2), call_of(3))],
            lambda done, of: told.append((done, of)),
        )
        assert results == [
            ["Who is his?", "Who is her aunt?"], [], ["context_too_long", "endpoint_error"],
        ]  # fmt: skip
        assert told == [(1, 3), (2, 3), (3, 3)]
        assert session.run([asks(call_of(1))]) == [["Who is his?"]], "and again"
        assert session.run([]) == []


def test_only_what_was_asked_is_among_the_entries(path: Path) -> None:
    with replay_session(path) as session:
        assert session.entries == {}
        session.run([asks(call_of(1), call_of(3)), asks(call_of(1))])
        assert set(session.entries) == {call_of(1).key, call_of(3).key}
        assert session.entries[call_of(3).key].answer == PASSING
        assert session.tally.journal == 2
        assert session.tally.tokens == 0


def test_conversations_may_ask_several_calls_at_once(path: Path) -> None:
    async def work(ask: Ask) -> int:
        return len(await asyncio.gather(*(ask(call_of(number)) for number in range(4))))

    with replay_session(path) as session:
        assert session.run([work]) == [4]


def test_a_missing_reply_names_the_question_the_call_and_the_file(path: Path) -> None:
    with replay_session(path) as session, pytest.raises(ReplayError) as caught:
        session.run([asks(call_of(0)), asks(call_of(0, "audit"), call_of(9))])
    told = str(caught.value)
    assert told.startswith(f"{path}: q000000: no reply to its call 'audit' (model m, prompt ")
    assert "q000009" not in told, "what follows in a conversation depends on the reply"
    for word in ("replies of m.", "model", "prompt", "gloss", "naming", "seed", "--replay"):
        assert word in told


def test_all_that_is_missing_is_told_at_once(path: Path) -> None:
    with replay_session(path) as session, pytest.raises(ReplayError) as caught:
        session.run([asks(call_of(number)) for number in range(30)])
    told = str(caught.value).split("\n")
    assert [line[2:9] for line in told[1:11]] == [f"q{number:06}" for number in range(4, 14)]
    assert told[11] == "  … and 16 more"


def test_another_model_is_seen_in_the_message(path: Path) -> None:
    call = Call("question", "q000001", "other", "question/1", DIGEST, (Message("user", "?"),), 9)
    with (
        replay_session(path) as session,
        pytest.raises(ReplayError, match=r"\(model other, .* holds replies of m\."),
    ):
        session.run([asks(call)])


def test_what_a_work_raises_comes_through(path: Path) -> None:
    async def work(ask: Ask) -> None:
        raise ZeroDivisionError

    with replay_session(path) as session, pytest.raises(ZeroDivisionError):
        session.run([asks(call_of(9)), work])


def test_a_folder_is_searched_for_its_journal(path: Path, tmp_path: Path) -> None:
    def answer(place: Path) -> list[list[str]]:
        with replay_session(place) as session:
            return session.run([asks(call_of(1))])

    assert answer(path.parents[1]) == answer(path.parent) == answer(path) == [["Who is his?"]]
    other = [(answered(call_of(1), reply("Another?")), ("q000001",))]
    write_journal(path.parents[1] / "journal.jsonl", other)
    assert answer(path.parents[1]) == [["Who is his?"]], "that of a release comes first"
    write_journal(tmp_path / "release" / "llm" / "journal.jsonl", other)
    assert answer(tmp_path / "release") == [["Another?"]]


def test_a_place_without_a_journal_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds neither llm/journal\.jsonl nor journal\.jsonl"):
        replay_session(tmp_path)
    with pytest.raises(InputError, match=r"nothing: no such file"):
        replay_session(tmp_path / "nothing")


def test_a_torn_tail_is_told_and_left_where_it_is(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"key": "ab')
    told: list[str] = []
    with replay_session(path, status=told.append) as session:
        assert session.run([asks(call_of(1))]) == [["Who is his?"]]
    assert len(told) == 1
    assert "11 bytes" in told[0]
    assert path.read_bytes() == whole + b'{"key": "ab'


def test_a_replay_loads_no_client() -> None:
    code = (
        "import sys, rulemine.llm.replay; print({'openai', 'httpx2', 'aiohttp'} & set(sys.modules))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "set()\n"


def test_a_replay_can_be_interrupted(path: Path) -> None:
    async def work(ask: Ask) -> None:
        nonlocal done
        done += 1
        if done == 5:
            signal.raise_signal(signal.SIGINT)

    done = 0
    with replay_session(path) as session, pytest.raises(KeyboardInterrupt):
        session.run([work] * 1000)
    assert 5 <= done <= 7
