import os
import pty
import re
import select
import sys
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rulemine.cli import console
from rulemine.cli.console import Line
from rulemine.llm.session import OF_ALL
from rulemine.release.writer import write_release as write_release_of
from tests import structures
from tests.chat_server import KEY, ChatServer, FakeModel, build_words
from tests.evaluation.world import write_release

STATUS = "1,204 rejected · 2,773 calls/min"


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


def test_where_nobody_watches_lines_tell_how_long_it_takes(monkeypatch, capsys):
    clock = Clock()
    monkeypatch.setattr(console, "time", clock)
    monkeypatch.setattr(console, "SECONDS_BETWEEN_TICKS", 1e6)
    line = Line()
    with line.watch("verbalize") as tell:
        # What the journal has comes at once; then ten a second.
        for done in (0, 1000, 1300, 1600):
            tell(done, 4000)
            line.status(STATUS)
            clock.now += 30
    first, second, third = capsys.readouterr().err.splitlines()
    assert first == f"1,000 of 4,000 · {STATUS} · 2 min left"
    assert second == f"1,300 of 4,000 · {STATUS} · 5 min left"
    assert third == f"1,600 of 4,000 · {STATUS} · 4 min left"


def read_all(terminal: int) -> str:
    """What was written to a terminal so far; it comes in pieces."""
    pieces = []
    while len(pieces) < 100 and select.select([terminal], [], [], 0.005)[0]:
        pieces.append(os.read(terminal, 1 << 16))
    return b"".join(pieces).decode()


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A terminal of 80 columns in place of standard error; where to read what was written to it."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, 80))
    monkeypatch.setattr(console, "SECONDS_BEFORE_BAR", 0.0)
    monkeypatch.setattr(console, "SECONDS_BETWEEN_TICKS", 0.01)
    with os.fdopen(slave, "w", encoding="utf-8") as error:
        monkeypatch.setattr(sys, "stderr", error)
        yield master
    os.close(master)


def shown_until(master: int, text: str, times: int = 1) -> str:
    """What is written to a terminal until a text was shown so often."""
    shown = ""
    for _ in range(200):
        if shown.count(text) >= times:
            break
        time.sleep(0.02)
        shown += read_all(master)
    return shown


def test_the_time_on_a_bar_moves_on_without_any_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as master:
        line = Line()
        with line.watch("verify"):
            line.phase("verify graphs")
            shown = shown_until(master, "verify graphs 00:0", 3)
    assert shown.count("verify graphs 00:0") >= 3
    assert [thread for thread in threading.enumerate() if thread.name == console.TICKER] == []


def test_everything_fits_on_a_terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as master:
        monkeypatch.setattr(console, "SECONDS_BETWEEN_TICKS", 1e6)
        line = Line()
        with line.watch("verbalize") as tell:
            monkeypatch.setattr(OF_ALL, "prompt_tokens", OF_ALL.prompt_tokens + 1_100_000)
            for done in range(0, 4351, 1450):
                line.status("12 rejected · 2,773 calls/min")
                tell(done, 4350)
                line._bar.refresh()  # else only now and then
        sys.stderr.flush()
        shown = read_all(master)
    bars = [part for part in re.split(r"[\r\n]", shown) if "rejected" in part]
    assert bars
    for part in bars:
        assert "2,773 calls/min · 1.1M tokens" in part
        assert re.search(r"verbalize: [\d,]+/4,350, [\d:?]+ left, 12 rejected", part)
        assert len(part) <= 80


def test_where_nobody_watches_lines_come_without_any_status_or_progress(monkeypatch, capsys):
    monkeypatch.setattr(console, "SECONDS_BETWEEN_TICKS", 0.01)
    monkeypatch.setattr(console, "SECONDS_BETWEEN_LINES", 0.05)
    said = ""
    with Line().watch("judge") as tell:
        for wanted in ("judge: 0 s so far\n", "judge: 3 of 8"):
            for _ in range(100):
                said += capsys.readouterr().err
                if wanted in said:
                    break
                time.sleep(0.02)
            tell(3, 8)
    assert "judge: 0 s so far\n" in said
    assert "judge: 3 of 8" in said


def test_a_bar_is_wiped_though_there_was_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as master:
        monkeypatch.setattr(console, "SECONDS_BEFORE_BAR", 0.05)
        with Line().watch("read"):
            shown = shown_until(master, "read 00:0")
        shown += read_all(master)
    assert "read 00:0" in shown
    assert shown.endswith("\r")
    assert shown.rstrip("\r").rpartition("\r")[2].strip() == ""


@pytest.mark.parametrize("name", ["answer", "judge", "supervision", "study", "build"])
def test_where_nobody_watches_a_slow_model_is_seen_at_work(name, here, command, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(console, "SECONDS_BETWEEN_TICKS", 0.01)
    monkeypatch.setattr(console, "SECONDS_BETWEEN_LINES", 0.05)
    release, others = write_release(here / "small").path, here / "others"
    others.mkdir()
    write_release_of(others, structures.world(), "private")

    def says(request: dict[str, Any], times: int) -> str:
        time.sleep(0.04 if len(server.bodies) < 5 else 0)
        return FakeModel().answer(request) if "response_format" in request else "Ann"

    with ChatServer(says) as server:
        model = ("--set", f"endpoint.base_url={server.url}")
        model += ("--set", "endpoint.concurrency=1")
        words = {
            "answer": ("answer", release, "--with", "bm25", "--split", "all", "-o", "a.jsonl",
                       "--model", "m", *model),
            "judge": ("evaluate", release, "--split", "all", "-o", "j.jsonl", "--judge", "m", *model),
            "supervision": ("export", release, "--to", "supervision:model=m:replies=replies", *model),
            "study": ("study", others, "--with", "bm25", "--levels", 0, "--split", "all",
                      "--set", "resamples=20", "-o", "study", "--model", "m", *model),
            "build": build_words(server.url, "out/kg", "--set", "endpoint.concurrency=1"),
        }  # fmt: skip
        ended = command(*words[name])
    assert ended.status == 0, ended.err
    assert re.search(r"\b\d+ of \d+ · (\d.* rejected · .*)?[\d,]+ tokens", ended.err), ended.err
