"""Signals while a session runs: what is in flight is waited for, once, and what was answered is kept."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rulemine.llm import session
from rulemine.llm.call import Ask, Call, Entry
from rulemine.llm.journal import Journal, read_journal, write_journal
from rulemine.llm.session import Session, open_session
from tests.llm.journal_entries import LASTING
from tests.llm.running_server import KEY, Running, call_of, options_for, until
from tests.llm.test_session import conversations

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="signals of POSIX"),
    pytest.mark.usefixtures("unhurried"),
]

TESTS = Path(__file__).resolve().parents[1]


def test_signals_are_handled_as_before_once_a_run_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mine(*rest: object) -> None:
        raise AssertionError("no signal was sent")

    before = {number: signal.getsignal(number) for number in session.ENDING}
    try:
        for number in session.ENDING:
            signal.signal(number, mine)
        with Running() as fake, open_session(options_for(fake.url), tmp_path / "j") as opened:
            opened.run(conversations(3))
        assert {signal.getsignal(number) for number in session.ENDING} == {mine}
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_run_whose_replies_are_all_in_the_journal_can_be_interrupted(tmp_path: Path) -> None:
    done = 0

    async def converse(ask: Ask, number: int) -> None:
        nonlocal done
        done += 1
        if done == 5:
            signal.raise_signal(signal.SIGINT)
        await ask(call_of(number))

    works = [lambda ask, n=n: converse(ask, n) for n in range(2000)]
    entries = [entry_of(call_of(number)) for number in range(2000)]
    write_journal(tmp_path / "j", ((entry, ()) for entry in entries))
    with open_session(options_for("http://127.0.0.1:1/v1"), tmp_path / "j") as opened:
        with pytest.raises(KeyboardInterrupt):
            opened.run(works)
        assert 5 <= done < 2000


def entry_of(call: Call) -> Entry:
    return Entry(
        call.key,
        call.purpose,
        call.model,
        call.prompt_version,
        call.prompt_digest,
        call.request,
        LASTING,
    )


DRIVER = """
import signal, sys
from pathlib import Path
from rulemine.llm import reply_times, session
from llm.running_server import answered, options_for

# A run that waits for calls in flight ends when they do, and never else; and none is cut short.
session.GRACE = reply_times.SHORTEST = 3600.0
signal.signal(signal.SIGINT, signal.SIG_IGN if sys.argv[3] == "ignored" else signal.default_int_handler)
works = [lambda ask, n=n: answered(ask, n) for n in range(200)]
def tell(text): print(text, flush=True)
try:
    with session.open_session(options_for(sys.argv[1]), Path(sys.argv[2]), status=tell) as opened:
        opened.run(works)
except KeyboardInterrupt:
    tell("interrupted")
    sys.exit(130)
tell("all done")
"""


@pytest.mark.parametrize(
    ("how", "number", "status"),
    [
        ("once", signal.SIGINT, 130),
        ("twice", signal.SIGINT, 130),
        ("term", signal.SIGTERM, -signal.SIGTERM),
        ("hangup", signal.SIGHUP, -signal.SIGHUP),
        ("ignored", signal.SIGINT, 0),
        ("kill", signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_signals(how: str, number: int, status: int, tmp_path: Path) -> None:
    """The signal comes when 40 calls are kept and 16 in flight."""
    journal = tmp_path / "j"
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "TEST_KEY": KEY}
    with Running(holds=lambda server, request: len(server.answered) >= 40) as fake:
        process = subprocess.Popen(
            [sys.executable, "-c", DRIVER, fake.url, str(journal), how],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        try:
            until(
                lambda: (
                    (fake.server.at_once == 16 and journal.read_bytes().count(b"\n") == 40)
                    or process.poll() is not None
                )
            )
            process.send_signal(number)
            if how not in ("ignored", "kill"):
                assert process.stdout is not None
                told = process.stdout.readline()
                assert "16 calls in flight" in told
            if how == "twice":
                process.send_signal(number)
            elif how != "kill":
                fake.let_go()
            output = process.communicate(timeout=120)[0]
        finally:
            process.kill()
            process.communicate()
        assert process.returncode == status, output
        assert ("all done" in output) == (how == "ignored")
        kept = {"once": 56, "term": 56, "hangup": 56, "ignored": 200}.get(how, 40)
        assert len(read_journal(journal)) == kept, "those in flight were waited for, or not"
        until(lambda: fake.server.at_once == 0)
        fake.let_go()
        with Session(options_for(fake.url), Journal.open(journal)) as opened:
            opened.run(conversations(200))
            assert opened.tally.journal == kept
        assert len(read_journal(journal)) == 200
        assert not fake.server.again
    for line in journal.read_text().splitlines():
        json.loads(line)
