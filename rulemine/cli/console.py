"""Console output of commands: progress on standard error, text to a file or standard output."""

import re
import shutil
import sys
import threading
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill
from types import SimpleNamespace
from typing import Any, TextIO

from rulemine.errors import ConfigError
from rulemine.files import write_lines
from rulemine.guard import claim
from rulemine.release.outputs import check_file
from rulemine.text.escaping import printable_lines
from rulemine.text.tables import fitted

__all__ = [
    "STANDARD_OUTPUT", "Line", "check_output", "complain", "emit", "expect", "fitting", "note", "output_file",
    "refuse_idle", "say", "say_paragraph", "written",
]  # fmt: skip

STANDARD_OUTPUT = Path("/dev/stdout")
"""The output that ``-o -`` names."""

Progress = Callable[[int, int], None]

SECONDS_BEFORE_BAR = 1.0
"""Delay before a progress bar appears."""

SECONDS_BETWEEN_TICKS = 0.5
"""Interval at which the time on a bar is updated, or a line may be due, even without progress."""

TICKER = "rulemine-bar"
"""Name of the thread that does so."""

SECONDS_BETWEEN_LINES = 30.0
"""Interval between status lines if standard error is not a terminal."""

WITHOUT_TOTAL = "{desc} {elapsed}{postfix}"
"""A bar before there is any progress to show."""

WITH_STATUS = "{desc}: {n:,}/{total:,}, {remaining} left{postfix} {bar}"
"""A bar with a status; the bar itself takes what remains of the line."""


_ENDLESS = re.compile(r"(\S{100})\S{200,}(\S{40})")
"""A word of 340 characters or more, such as a number of 10,000 digits; only its two ends are shown."""


class Line:
    """The progress of a command: a bar on a terminal, otherwise a line of text now and then."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._lock = threading.Lock()
        self._paced: tuple[int, float] | None = None
        self._printed = time.monotonic()

    @contextmanager
    def watch(self, name: str) -> Iterator[Progress]:
        """Shows the progress of one step; yields the function to call with (done, total)."""
        with _shown(name) as shown:
            self._name, self._status, self._latest = name, "", (0, 0)
            self._paced, self._begun, self._before = None, time.monotonic(), _tokens()

            def update(done: int, total: int) -> None:
                self._latest = done, total
                self._paced = self._paced or (done, time.monotonic())
                if shown.disable:
                    return
                if total and shown.bar_format == WITHOUT_TOTAL:
                    shown.bar_format = None
                shown.total = total or None
                shown.update(done - shown.n)

            self._bar = shown
            with _ticking(self._print_line if shown.disable else self._moved_on):
                yield update

    def phase(self, text: str) -> None:
        """Names the current phase of the step."""
        self._name = text
        if not self._bar.disable:
            self._bar.set_description_str(text, refresh=False)

    def status(self, text: str) -> None:
        """Shows the current state, in a few words."""
        self._status = text
        if self._bar.disable:
            self._print_line()
        else:
            self._bar.bar_format = WITH_STATUS
            self._bar.set_postfix_str(self._state(), refresh=False)

    def _state(self) -> str:
        """The status, and the tokens that models took in this step, if any."""
        tokens = _tokens() - self._before
        short = f"{tokens:,}" if tokens < 1_000_000 else f"{tokens / 1e6:,.1f}M"
        return " · ".join([self._status] * bool(self._status) + [f"{short} tokens"] * (tokens > 0))

    def _moved_on(self) -> None:
        """Keeps the time on a bar up to date, and the tokens."""
        shown = self._bar
        if time.time() - shown.start_t >= SECONDS_BEFORE_BAR:
            shown.set_postfix_str(self._state(), refresh=False)
            shown.refresh()
            shown.last_print_t = time.time()  # else it would not be wiped in the end

    def _print_line(self) -> None:
        """Prints a line where the last one was long ago: a step may take hours, and nobody sees a bar."""
        with self._lock:
            now = time.monotonic()
            if now - self._printed < SECONDS_BETWEEN_LINES:
                return
            self._printed = now
            (done, total), state = self._latest, self._state()
            state = f" · {state}" if state else ""
            if total:
                text = f"{done:,} of {total:,}{state}{self._left(now)}"
            else:
                count = f"{done:,}, " if done else ""
                text = f"{count}{now - self._begun:.0f} s so far{state}"
            say(text if total and self._status else f"{self._name}: {text}", sys.stderr)

    def _left(self, now: float) -> str:
        """The remaining time at the pace since the previous line; replies already stored came faster."""
        done, total = self._latest
        before, since = self._paced or (done, now)
        self._paced = done, now
        if done <= before:
            return ""
        seconds = (total - done) * (now - since) / (done - before)
        return (
            f" · {ceil(seconds / 60):,} min left" if seconds >= 60 else f" · {ceil(seconds)} s left"
        )

    def note(self, text: str) -> None:
        """Prints a note above the line."""
        if self._bar is None or self._bar.disable:
            note(text)
            return
        with self._bar.external_write_mode(file=sys.stderr):
            note(text)


def _shown(name: str) -> AbstractContextManager[Any]:
    """The bar of a step, which is disabled where standard error is no terminal."""
    if not getattr(sys.stderr, "isatty", bool)():
        return nullcontext(SimpleNamespace(disable=True))
    from tqdm import tqdm  # takes long to load

    return tqdm(
        desc=name,
        delay=SECONDS_BEFORE_BAR,
        file=sys.stderr,
        leave=False,
        bar_format=WITHOUT_TOTAL,
    )


def fitting(arguments: Namespace, beside_output: bool) -> AbstractContextManager[None]:
    """Fits the tables of a command to the terminal; output to a file or a pipe is not cut."""
    elsewhere = getattr(arguments, "output", None) is not None and not beside_output
    if elsewhere or not sys.stdout.isatty():
        return nullcontext()
    return fitted(shutil.get_terminal_size().columns)


@contextmanager
def _ticking(tick_once: Callable[[], None]) -> Iterator[None]:
    """Calls a function again and again until the block ends."""
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(SECONDS_BETWEEN_TICKS):
            tick_once()

    thread = threading.Thread(target=tick, name=TICKER, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _tokens() -> int:
    """Tokens that models took in this process so far; 0 where no model was used."""
    session = sys.modules.get("rulemine.llm.session")
    return 0 if session is None else int(session.OF_ALL.tokens)


def check_output(*outputs: Path | None) -> None:
    """Checks, before anything is done, that files can be written and that nothing is lost by it.

    Raises:
        OutputError: See `rulemine.release.outputs.check_file` and `rulemine.guard.claim`.
    """
    for output in outputs:
        if output not in (None, STANDARD_OUTPUT):
            check_file(output)
            claim(output)


def complain(text: str) -> None:
    """Prints an error message on standard error, with very long words shortened."""
    shown = _ENDLESS.sub(lambda m: f"{m[1]}…{m[2]} ({len(m[0]):,} characters)", text)
    say(f"rulemine: {shown}", sys.stderr)


def output_file(text: str) -> Path:
    """The file that ``-o`` names; ``-`` is standard output."""
    names = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
    return STANDARD_OUTPUT if text in names else Path(text)


@contextmanager
def written(output: Path) -> Iterator[Path]:
    """Yields the file to write; for standard output a temporary one, which is then copied there."""
    if output != STANDARD_OUTPUT:
        yield output
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "output"
        yield path
        sys.stdout.flush()
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


def refuse_idle(arguments: Namespace, purpose: str, *names: str) -> None:
    """Refuses options that were given but have no effect.

    Args:
        arguments: The arguments; options that were not given are None or False.
        purpose: What the options are for.
        names: The options, with ``_``.

    Raises:
        ConfigError: One of them was given.
    """
    for name in names:
        value = getattr(arguments, name)
        if value is not None and value is not False and value != []:
            option = "FILE" if name == "predictions" else f"--{name.replace('_', '-')}"
            raise ConfigError(f"{option} is for {purpose} and has no effect here. Leave it out.")


def expect(holds: object, problem: str) -> None:
    """Raises a `ConfigError` that says what the user has to change, unless something holds."""
    if not holds:
        raise ConfigError(problem)


def note(text: str) -> None:
    """Prints a note on standard error."""
    say_paragraph(f"note: {text}", sys.stderr)


def say_paragraph(text: str, channel: TextIO) -> None:
    """Prints a paragraph, on a terminal in lines that fit it."""
    if channel.isatty():
        columns = shutil.get_terminal_size().columns
        text = fill(text, columns, break_long_words=False, break_on_hyphens=False)
    say(text, channel)


def say(text: str, channel: TextIO | None = None, end: str = "\n") -> None:
    """Prints text for people, in which what could repaint a terminal is escaped.

    Args:
        text: The text, of any number of lines.
        channel: Where to; None: standard output.
        end: What follows it.
    """
    print(printable_lines(text), file=channel, end=end, flush=channel is sys.stderr)


def emit(text: str | Iterable[str], output: Path | None) -> None:
    """Writes text to a file, or to standard output; what a terminal gets is safe to print.

    Args:
        text: The text, whose last line is ended if it is not; or its pieces, which are written as they are.
        output: The file; None: standard output.
    """
    pieces = [text.removesuffix("\n") + "\n"] if isinstance(text, str) else text
    if output not in (None, STANDARD_OUTPUT):
        write_lines(output, pieces)
        return
    for piece in pieces:
        if sys.stdout.isatty():
            say(piece, end="")
        else:
            sys.stdout.write(piece)
