"""Builds with a model that are killed, interrupted, out of tokens: nothing is lost or paid for twice."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Command, tree
from model_build import KEY, Running, build_words, journal, until

ROOT = Path(__file__).resolve().parents[1]

CONCURRENCY = 16

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


def started(folder: Path, words: list[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "rulemine", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def struck(
    folder: Path, running: Running, words: list[str], answers: int, number: int, in_work: int = 0
) -> str:
    """Runs a build, strikes it, and returns what it said.

    Args:
        answers: The server is to have given so many more by then.
        in_work: And is to have so many calls in work.
    """
    server = running.server
    wanted = server.answered.total() + answers
    process = started(folder, words)
    try:
        until(
            lambda: (
                (server.answered.total() >= wanted and server.at_once >= in_work)
                or process.poll() is not None
            )
        )
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode in (-number, 130), err
    assert "Traceback" not in err
    assert "never retrieved" not in err
    until(lambda: server.at_once == 0)
    return err


def test_killed_builds_go_on_and_pay_for_nothing_twice(here: Path, command: Command) -> None:
    kills = (3, 20, 11)
    with Running(latency=0.03) as running:
        server, words = running.server, build_words(running.url, "out/kg", "--round-trip")
        kept: list[str] = []
        for answers in kills:
            lost, again = len(server.answered) - len(kept), server.again
            struck(here, running, words, answers, signal.SIGKILL)
            assert server.again - again <= lost, "what was kept is not asked again"
            keys = [entry["key"] for entry in journal(here / "out" / "kg")]
            assert keys[: len(kept)] == kept, "what was kept stays"
            kept = keys
        lost, again = len(server.answered) - len(kept), server.again
        assert 0 < len(kept) < 90
        assert 0 <= lost <= len(kills) * CONCURRENCY, "what was on its way"
        assert not (here / "out" / "kg").exists()
        assert command(*words).status == 0
        assert server.again - again == lost
        keys = [entry["key"] for entry in journal(here / "out" / "kg")]
        assert len(set(keys)) == len(keys) == len(server.received)
        server.latency = 0
        assert command(*build_words(running.url, "once", "--round-trip")).status == 0
    assert tree(here / "once") == tree(here / "out" / "kg")
    assert command("verify", "once").status == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_calls_in_flight_are_waited_for(here: Path, command: Command, number: int) -> None:
    with Running(latency=0.8) as running:
        words = build_words(running.url)
        err = struck(here, running, words, 20, number, in_work=CONCURRENCY)
        waiting = re.search(r"waiting up to 5 s for (\d+) calls? in flight", err)
        assert waiting, err
        assert int(waiting[1]) <= CONCURRENCY
        server = running.server
        assert 20 < server.answered.total() < 90
        assert len(journal(here / "out" / "kg")) == server.answered.total()
        server.latency = 0
        assert command(*words).status == 0
        assert server.again == 0
    assert command("verify", "out/kg").status == 0


def test_a_second_ctrl_c_ends_at_once(here: Path) -> None:
    with Running(fault=lambda request, times: "timeout") as running:
        words = build_words(running.url, "out/kg", "--set", "endpoint.timeout=60")
        process = started(here, words)
        try:
            until(lambda: running.server.at_once == CONCURRENCY)
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            while "Stopping" not in (line := process.stderr.readline()):
                assert line, "it ended without a word"
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=4)  # the first alone waits for 5 s
        finally:
            process.kill()
            process.wait()
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
