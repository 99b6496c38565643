"""What a command says while it works: progress on standard error, text to a file or standard output."""

import re
import shutil
import sys
import threading
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rulemine.errors import ConfigError

__all__ = [
    "STANDARD_OUTPUT",
    "Line",
    "bar",
    "check_output",
    "complain",
    "emit",
    "emit_pieces",
    "note",
    "output_file",
    "refuse_idle",
    "summarize",
    "written",
]

STANDARD_OUTPUT = Path("/dev/stdout")
"""What ``-o -`` names, whatever it leads to."""

Progress = Callable[[int, int], None]

SECONDS_BEFORE_BAR = 1.0
"""A progress bar appears when something takes longer than this."""

SECONDS_BETWEEN_TICKS = 0.5
"""How often the time on a bar moves on, whether or not there is progress: nobody takes it for dead."""

TICKER = "rulemine-bar"
"""The thread that does it."""

SECONDS_BETWEEN_LINES = 30.0
"""Where nobody watches, a line says now and then how it stands."""

WITHOUT_TOTAL = "{desc} {elapsed}"
"""A bar before there is any progress to show."""

WITH_STATUS = "{desc}: {n:,}/{total:,}, {remaining} left{postfix} {bar}"
"""A bar whose status is told: all of it fits on 80 columns, and the bar itself has the rest."""


_ENDLESS = re.compile(r"(\S{100})\S{200,}(\S{40})")
"""A word of 340 characters or more, such as a number of 10,000 digits: its two ends are shown."""


class Line:
    """The progress line of a command: a bar where somebody watches, else a line of text now and then."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._told = (0, 0)
        self._paced: tuple[int, float] | None = None
        self._printed = time.monotonic()

    @contextmanager
    def watch(self, name: str) -> Iterator[Progress]:
        """Shows how something gets on."""
        from tqdm import tqdm

        with tqdm(
            desc=name,
            delay=SECONDS_BEFORE_BAR,
            file=sys.stderr,
            leave=False,
            disable=None,
            bar_format=WITHOUT_TOTAL,
        ) as shown:
            self._paced = None

            def tell(done: int, total: int) -> None:
                self._told = done, total
                self._paced = self._paced or (done, time.monotonic())
                if total and not shown.disable and shown.bar_format == WITHOUT_TOTAL:
                    shown.bar_format = None
                shown.total = total or None
                shown.update(done - shown.n)

            self._bar = shown
            with _ticking(shown):
                yield tell

    def phase(self, text: str) -> None:
        """Names what the work of the bar is at just now."""
        if not self._bar.disable:
            self._bar.set_description_str(text, refresh=False)

    def status(self, text: str) -> None:
        """Shows how it stands, in a few words."""
        if not self._bar.disable:
            self._bar.bar_format = WITH_STATUS
            self._bar.set_postfix_str(text, refresh=False)
        elif (now := time.monotonic()) - self._printed >= SECONDS_BETWEEN_LINES:
            self._printed = now
            done, total = self._told
            print(f"{done:,} of {total:,} · {text}{self._left(now)}", file=sys.stderr, flush=True)

    def _left(self, now: float) -> str:
        """How long it takes still, at the pace since the line before: what was there already came faster."""
        done, total = self._told
        before, since = self._paced or (done, now)
        self._paced = done, now
        if done <= before:
            return ""
        seconds = (total - done) * (now - since) / (done - before)
        return (
            f" · {ceil(seconds / 60):,} min left" if seconds >= 60 else f" · {ceil(seconds)} s left"
        )

    def note(self, text: str) -> None:
        """Tells something that is no error, above the line."""
        from tqdm import tqdm

        with tqdm.external_write_mode(file=sys.stderr):
            note(text)


@contextmanager
def _ticking(shown: Any) -> Iterator[None]:
    """Has the time on a bar move on."""
    if shown.disable:
        yield
        return
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(SECONDS_BETWEEN_TICKS):
            if time.time() - shown.start_t >= SECONDS_BEFORE_BAR:
                shown.refresh()

    thread = threading.Thread(target=tick, name=TICKER, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def bar(name: str) -> AbstractContextManager[Progress]:
    """Shows how one thing gets on, see `Line.watch`."""
    return Line().watch(name)


def check_output(output: Path | None, *inputs: Path | None) -> None:
    """Says at once, not after hours, that a file cannot be written there; see `check_file`."""
    from rulemine.release.outputs import check_file

    if output is not None:
        check_file(output, [path for path in inputs if path is not None])


def complain(text: str) -> None:
    """Says on standard error why a command ends, with no word longer than anybody reads."""
    shown = _ENDLESS.sub(lambda m: f"{m[1]}…{m[2]} ({len(m[0]):,} characters)", text)
    print(f"rulemine: {shown}", file=sys.stderr)


def output_file(text: str) -> Path:
    """The file that ``-o`` names; ``-`` is standard output."""
    names = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
    return STANDARD_OUTPUT if text in names else Path(text)


@contextmanager
def written(output: Path) -> Iterator[Path]:
    """The file to write for an output; what it then holds goes to standard output where that is meant."""
    if output != STANDARD_OUTPUT:
        yield output
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "output"
        yield path
        sys.stdout.flush()
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


def summarize(text: str, output: Path) -> None:
    """Says what was written, on standard error where standard output has it."""
    print(text, file=sys.stderr if output == STANDARD_OUTPUT else sys.stdout)


def refuse_idle(arguments: Namespace, purpose: str, *names: str) -> None:
    """Refuses options that were given and would do nothing.

    Args:
        arguments: The arguments; options that were not given are None or False.
        purpose: What the options are for, which is not what is being done.
        names: The options, with ``_``.

    Raises:
        ConfigError: One of them was given.
    """
    for name in names:
        if (value := getattr(arguments, name)) is not None and value is not False:
            option = f"--{name.replace('_', '-')}"
            raise ConfigError(f"{option}: is for {purpose}, and does nothing here. Leave it out.")


def note(text: str) -> None:
    """Tells something that is no error."""
    print(f"note: {text}", file=sys.stderr)


def emit(text: str, output: Path | None) -> None:
    """Text to a file, or to standard output."""
    from rulemine.files import write_text

    if output in (None, STANDARD_OUTPUT):
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    else:
        write_text(output, text if text.endswith("\n") else text + "\n")


def emit_pieces(pieces: Iterable[str], output: Path | None) -> None:
    """Text to a file, or to standard output, without ever holding the whole."""
    from rulemine.files import write_lines

    if output in (None, STANDARD_OUTPUT):
        sys.stdout.writelines(pieces)
    else:
        write_lines(output, pieces)
