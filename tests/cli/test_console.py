import os
import pty
import re
import sys
import termios

import pytest

from rulemine.cli import console
from rulemine.cli.console import Line

STATUS = "1,204 rejected · 1,054,530 tokens · 2,773 calls/min"


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


def test_where_nobody_watches_lines_tell_how_long_it_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    monkeypatch.setattr(console, "time", clock)
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


def test_everything_fits_on_a_terminal_of_80_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, 80))
    monkeypatch.setattr(console, "SECONDS_BEFORE_BAR", 0.0)
    with os.fdopen(slave, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        line = Line()
        with line.watch("verbalize") as tell:
            for done in range(0, 4351, 1450):
                line.status("12 rejected · 1.1M tokens · 2,773 calls/min")
                tell(done, 4350)
                line._bar.refresh()  # else only now and then
        terminal.flush()
        shown = os.read(master, 1 << 20).decode()
    os.close(master)
    bars = [part for part in re.split(r"[\r\n]", shown) if "rejected" in part]
    assert bars
    for part in bars:
        assert "1.1M tokens · 2,773 calls/min" in part
        assert re.search(r"verbalize: \d+/4350, [\d:?]+ left, 12 rejected", part)
        assert len(part) <= 80
