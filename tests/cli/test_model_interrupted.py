"""Builds with a model that are killed, interrupted, out of tokens: nothing is lost or paid for twice."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT
from tests.command_line import Command, tree
from tests.model_build import KEY, PATIENT, Running, build_words, journal, until

CONCURRENCY = 16

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="signals of POSIX"),
    pytest.mark.usefixtures("unhurried"),
]


@contextlib.contextmanager
def started(folder: Path, words: list[str]) -> "Iterator[subprocess.Popen[str]]":
    """A process that is gone at the end, however that comes."""
    process = subprocess.Popen(
        [sys.executable, "-c", PATIENT, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def stopping(process: "subprocess.Popen[str]") -> str:
    """The line in which a process says that it has been told to stop."""
    assert process.stderr is not None
    while "Stopping" not in (line := process.stderr.readline()):
        assert line, "it ended without a word"
    return line


def hold_after(running: Running, answers: int) -> None:
    """The endpoint answers so many calls more, and then lets all others wait."""
    wanted = running.server.answered.total() + answers
    running.hold(lambda server, request: server.answered.total() >= wanted)


def until_held(running: Running, process: "subprocess.Popen[str]") -> None:
    """Waits until so many calls wait as can be in flight."""
    until(lambda: running.server.at_once == CONCURRENCY or process.poll() is not None)
    assert process.poll() is None, process.communicate()


def test_killed_builds_go_on_and_pay_for_nothing_twice(here: Path, command: Command) -> None:
    kills = (3, 20, 11)
    with Running() as running:
        server, words = running.server, build_words(running.url, "out/kg", "--round-trip")
        kept: list[str] = []
        for answers in kills:
            lost, again = len(server.answered) - len(kept), server.again
            hold_after(running, answers)
            with started(here, words) as process:
                until_held(running, process)
                until(lambda: len(journal(here / "out" / "kg")) > len(kept))  # noqa: B023
                process.kill()
                assert process.wait() == -signal.SIGKILL
            until(lambda: server.at_once == 0)
            assert server.again - again <= lost, "what was kept is not asked again"
            keys = [entry["key"] for entry in journal(here / "out" / "kg")]
            assert keys[: len(kept)] == kept, "what was kept stays"
            kept = keys
        lost, again = len(server.answered) - len(kept), server.again
        assert lost >= 0
        assert not (here / "out" / "kg").exists()
        running.let_go()
        assert command(*words).status == 0
        assert server.again - again == lost
        keys = [entry["key"] for entry in journal(here / "out" / "kg")]
        assert len(set(keys)) == len(keys) == len(server.received)
        assert command(*build_words(running.url, "once", "--round-trip")).status == 0
    assert tree(here / "once") == tree(here / "out" / "kg")
    assert command("verify", "once").status == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_calls_in_flight_are_waited_for(here: Path, command: Command, number: int) -> None:
    with Running() as running:
        words = build_words(running.url)
        hold_after(running, 20)
        with started(here, words) as process:
            until_held(running, process)
            process.send_signal(number)
            assert re.search(rf"waiting .* for {CONCURRENCY} calls in flight", stopping(process))
            running.let_go()
            _, err = process.communicate(timeout=120)
        assert process.returncode in (-number, 130), err
        assert "Traceback" not in err
        assert "never retrieved" not in err
        assert running.server.answered.total() == 20 + CONCURRENCY
        assert len(journal(here / "out" / "kg")) == 20 + CONCURRENCY
        assert command(*words).status == 0
        assert running.server.again == 0
    assert command("verify", "out/kg").status == 0


def test_a_second_ctrl_c_ends_at_once(here: Path) -> None:
    with (
        Running(holds=lambda server, request: True) as running,
        started(here, build_words(running.url, "out/kg")) as process,
    ):
        until_held(running, process)
        process.send_signal(signal.SIGINT)
        stopping(process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)  # the first alone waits for an hour
    assert process.returncode == 130
    assert "rulemine: interrupted" in err
    assert "Traceback" not in err


def test_at_the_budget_it_stops_and_goes_on(here: Path, command: Command) -> None:
    budget = 9000
    with Running() as running:
        words = build_words(running.url, "out/kg", "--budget-tokens", str(budget))
        spent, runs = 0, 0
        while (ended := command(*words)).status == 3:
            runs += 1
            assert ended.err.splitlines()[-1].startswith("rulemine: budget_tokens: ")
            assert "Traceback" not in ended.err
            usage = [entry["usage"] for entry in journal(here / "out" / "kg")]
            now = sum(sum(row.values()) for row in usage)
            assert 0 < now - spent <= budget
            spent = now
        assert ended.status == 0, ended.err
        assert runs > 1
        assert running.server.again == 0
        assert command(*build_words(running.url, "once")).status == 0
    assert tree(here / "once") == tree(here / "out" / "kg")


def test_a_torn_journal_is_mended_and_a_broken_one_is_refused(here: Path, command: Command) -> None:
    with Running() as running:
        words = build_words(running.url, "out/kg")
        assert command(*words).status == 0
        whole = tree(here / "out" / "kg")
        file = here / "out" / "kg.stages" / "llm" / "journal.jsonl"
        lines = file.read_bytes().splitlines(keepends=True)
        asked = running.server.received.total()
        stage = here / "out" / "kg.stages" / "verbalize" / "stage.json"
        stage.unlink()
        file.write_bytes(b"".join(lines[:-1]) + lines[-1][:50])
        ended = command(*words)
        assert ended.status == 0, ended.err
        assert "50 bytes of a line never finished are dropped" in ended.err
        assert running.server.received.total() == asked + 1
        assert tree(here / "out" / "kg") == whole
        stage.unlink()
        assert file.read_bytes().startswith(b"".join(lines[:-1]))
        assert command(*words).status == 0, "what is mended stays so"
        assert running.server.received.total() == asked + 1
        stage.unlink()
        file.write_bytes(b"".join([*lines[:3], b"nonsense\n", *lines[4:]]))
        ended = command(*words)
        assert ended.status == 2
        assert "journal.jsonl: line 4 is not valid JSON" in ended.err
        assert running.server.received.total() == asked + 1
