"""Builds with a model that are killed, interrupted, out of tokens: nothing is lost or paid for twice."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.chat_server import KEY, ChatServer, build_words, journal, until
from tests.cli.conftest import started, told
from tests.command_line import Command, tree

CONCURRENCY = 16

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="signals of POSIX"),
]


def hold_after(running: ChatServer, answers: int) -> None:
    """The endpoint answers so many calls more, and then lets all others wait."""
    wanted = running.answered.total() + answers
    running.hold(lambda: running.answered.total() >= wanted)


def until_held(running: ChatServer, process: "subprocess.Popen[str]") -> None:
    """Waits until so many calls wait as can be in flight."""
    until(lambda: running.at_once == CONCURRENCY or process.poll() is not None)
    assert process.poll() is None, process.communicate()


def test_killed_builds_go_on_and_pay_for_nothing_twice(here: Path, command: Command) -> None:
    with ChatServer() as running:
        judged = ("--set", "verbalizer.judge_model=critic")
        words, kept = build_words(running.url, "out/kg", *judged), set[str]()
        for answers in (3, 20):
            again, answered = running.again, len(running.answered)
            hold_after(running, answers)
            with started(here, words, OPENAI_API_KEY=KEY) as process:
                until_held(running, process)
                process.kill()
                assert process.wait() == -signal.SIGKILL
            assert running.again == again, "what was answered is not asked again"
            running.forget()
            now = set(journal(here / "out" / "kg"))
            assert kept <= now, "what was kept stays"
            assert len(now) == len(running.answered) == answered + answers, "nothing is lost"
            kept = now
        assert not (here / "out" / "kg").exists()
        running.let_go()
        assert command(*words).status == 0
        assert running.again == 0
        assert len(journal(here / "out" / "kg")) == len(running.received)
        assert command(*build_words(running.url, "once", *judged)).status == 0
    assert tree(here / "once") == tree(here / "out" / "kg")
    assert command("verify", "once").status == 0


def test_calls_in_flight_are_waited_for(here: Path, command: Command) -> None:
    with ChatServer() as running:
        words = build_words(running.url)
        hold_after(running, 20)
        with started(here, words, OPENAI_API_KEY=KEY) as process:
            until_held(running, process)
            process.send_signal(signal.SIGINT)
            assert re.search(
                rf"waiting .* for {CONCURRENCY} calls in flight", told(process, "Stopping")
            )
            running.let_go()
            _, err = process.communicate(timeout=120)
        assert process.returncode == 130, err
        assert "Traceback" not in err
        assert "never retrieved" not in err
        assert running.answered.total() == len(journal(here / "out" / "kg")) == 20 + CONCURRENCY
        assert command(*words).status == 0
        assert running.again == 0
    assert command("verify", "out/kg").status == 0


@pytest.mark.parametrize("signals", [(signal.SIGINT, signal.SIGINT), (signal.SIGTERM,)])
def test_a_second_ctrl_c_and_sigterm_end_at_once(here: Path, signals: tuple[int, ...]) -> None:
    with (
        ChatServer() as running,
        started(here, build_words(running.url), OPENAI_API_KEY=KEY) as process,
    ):
        hold_after(running, 5)
        until_held(running, process)
        process.send_signal(signals[0])
        for number in signals[1:]:
            told(process, "Stopping")
            process.send_signal(number)
        _, err = process.communicate(timeout=120)
        assert len(journal(here / "out" / "kg")) == 5
    assert process.returncode in (130, -signal.SIGTERM)
    assert "Traceback" not in err


def test_at_the_budget_it_stops_and_goes_on(here: Path, command: Command) -> None:
    budget = 9000
    with ChatServer() as running:
        words = build_words(running.url, "out/kg", "--set", f"endpoint.budget_tokens={budget}")
        spent, runs = 0, 0
        while (ended := command(*words)).status == 3:
            runs += 1
            assert ended.err.splitlines()[-1].startswith("rulemine: endpoint.budget_tokens: ")
            assert "Traceback" not in ended.err
            usage = [entry["usage"] for entry in journal(here / "out" / "kg").values()]
            now = sum(sum(row.values()) for row in usage)
            assert 0 < now - spent <= budget
            spent = now
        assert ended.status == 0, ended.err
        assert runs > 1
        assert running.again == 0
        assert command(*build_words(running.url, "once")).status == 0
    assert tree(here / "once") == tree(here / "out" / "kg")


def test_a_journal_that_is_none_is_refused(here: Path, command: Command) -> None:
    with ChatServer() as running:
        words = build_words(running.url)
        assert command("build", "--until", "balance", *words[1:]).status == 0
        file = here / "out" / "kg.stages" / "llm" / "journal.sqlite"
        file.parent.mkdir()
        file.write_text("nonsense\n" * 500)
        ended = command(*words)
        assert ended.status == 2
        assert "journal.sqlite: no journal of calls" in ended.err
        assert not running.received
