"""A session: conversations with a model, their calls answered from the journal or over the network.

Guarantees: what the journal holds is never asked again, and what is answered is in the journal before a
conversation sees it; results are in the order of the works, whatever the order of arrival; a bounded
number of conversations is alive at once; identical calls share one request; however a run ends, what was
answered is kept, and calls in flight are waited for as long as their end allows.
"""

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from rulemine.llm.call import Answer, Ask, Call, Entry
from rulemine.llm.closing import Closing
from rulemine.llm.dispatcher import Dispatcher
from rulemine.llm.endpoint import Endpoint
from rulemine.llm.journal import Journal
from rulemine.llm.options import EndpointOptions
from rulemine.llm.usage import Tally

__all__ = ["Session", "open_session"]

T = TypeVar("T")

ALIVE_PER_SLOT = 8
"""Conversations alive for each call in flight: those that wait for a retry are not to empty the slots."""

GRACE = 5.0
"""Seconds that calls in flight are waited for after Ctrl-C or an error."""

ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Signals that end a run, SIGHUP being a terminal that was closed."""


def open_session(
    options: EndpointOptions, journal: Path, *, status: Callable[[str], object] | None = None
) -> "Session":
    """Opens a session; use it as a context manager.

    Nothing is sent, and no key is needed, before the first call that the journal does not hold.

    Args:
        options: Where the model is, and the limits.
        journal: The working journal; made where it is missing.
        status: Told what is worth knowing while it runs, one sentence at a time.

    Raises:
        InputError: The journal is damaged beyond a torn end.
        OutputError: It cannot be written, or another process is writing it.
    """
    return Session(options, Journal.open(journal), status)


class Session(Closing):
    """What conversations run in; see `open_session`.

    Attributes:
        entries: Every call asked in this session, by key, from the journal or the network.
        tally: Counts, for progress lines.
    """

    def __init__(
        self,
        options: EndpointOptions,
        journal: Journal,
        status: Callable[[str], object] | None = None,
    ) -> None:
        self.entries: dict[str, Entry] = {}
        self.tally = Tally()
        self._options, self._journal = options, journal
        self._status = status or (lambda text: None)
        self._fresh = journal.path.stat().st_size == 0
        self._runner = asyncio.Runner()
        self._endpoint: Endpoint | None = None
        self._dispatcher: Dispatcher | None = None
        self._sender: asyncio.Task[None] | None = None
        self._pending: dict[str, asyncio.Future[Answer]] = {}
        self._end: asyncio.Future[BaseException | None] | None = None
        if journal.dropped:
            self._status(
                f"{journal.path}: {journal.dropped} bytes of a line never finished are dropped."
            )

    def __repr__(self) -> str:
        return f"Session({self._options.address}, {self._journal.path})"

    def close(self) -> None:
        """Closes the connections and the journal."""
        try:
            if self._endpoint is not None:
                self._runner.run(self._endpoint.close())
                self._endpoint = None
        finally:
            self._runner.close()
            self._journal.close()

    def run(
        self,
        works: Sequence[Callable[[Ask], Awaitable[T]]],
        progress: Callable[[int, int], object] | None = None,
    ) -> list[T]:
        """Runs conversations to their ends; may be called several times.

        Args:
            works: The conversations: each is given the way to ask and asks one call after another or
                several at once.
            progress: Told the number of works done and of all.

        Returns:
            What the works returned, in their order.

        Raises:
            EndpointError: The endpoint cannot be used, or was out of reach for too long.
            LimitError: The budget of tokens is spent.
            OutputError: The journal cannot be written.
            KeyboardInterrupt: Ctrl-C. The first waits up to `GRACE` seconds for calls in flight; a second
                ends at once. SIGTERM and SIGHUP do the same and then end the process as they would
                have.
            BaseException: Whatever a work raised; the others are cancelled.
        """
        results: dict[int, T] = {}
        with _signals_restored() as signals:
            reason = self._runner.run(self._run(works, results, progress, signals))
        if isinstance(reason, _Signalled):
            if reason.number != signal.SIGINT:
                signal.raise_signal(reason.number)
            raise KeyboardInterrupt
        if reason is not None:
            raise reason
        return [results[index] for index in range(len(works))]

    async def _run(
        self,
        works: Sequence[Callable[[Ask], Awaitable[T]]],
        results: dict[int, T],
        progress: Callable[[int, int], object] | None,
        signals: Sequence[signal.Signals],
    ) -> BaseException | None:
        """Runs works; returns why it ended early, or None."""
        loop = asyncio.get_running_loop()
        self._end = end = loop.create_future()
        hurry = asyncio.Event()
        for number in signals:
            loop.add_signal_handler(number, self._signalled, number, hurry)
        waiting = iter(enumerate(works))

        async def converse() -> None:
            for index, work in waiting:
                results[index] = await work(partial(self._ask, count()))
                if progress is not None:
                    progress(len(results), len(works))

        alive = min(len(works), ALIVE_PER_SLOT * self._options.concurrency)
        workers = [loop.create_task(converse()) for _ in range(alive)]
        everything = asyncio.gather(*workers)
        everything.add_done_callback(self._ended)
        if self._dispatcher is not None:
            self._send_with(self._dispatcher)
        reason: BaseException | None = None
        try:
            reason = await end
            if reason is not None:
                await self._wind_up(reason, hurry)
        finally:
            tasks = [*workers, *([self._sender] if self._sender else [])]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._end = None
            for number in signals:
                loop.remove_signal_handler(number)
        return reason

    async def _ask(self, turns: Iterator[int], call: Call) -> Answer:
        """The answer to a call, see `rulemine.llm.call.Ask`; the turns are those of its conversation."""
        key = call.key
        entry = self.entries.get(key)
        if entry is None and (entry := self._journal.get(key)) is not None:
            self.entries[key] = entry
            self.tally.journal += 1
            await asyncio.sleep(0)  # a journal that holds all would leave no room for signals
        if entry is not None:
            return entry.answer
        if self._end is None or self._end.done():
            raise asyncio.CancelledError  # the run is ending
        answer = self._pending.get(key)
        if answer is None:
            answer = self._pending[key] = (self._dispatcher or self._connect()).submit(
                call, begun=next(turns) > 0
            )
            answer.add_done_callback(lambda _: self._pending.pop(key, None))
        return await asyncio.shield(answer)  # others may wait for it too

    async def _keep(self, call: Call, answer: Answer, attempts: int) -> None:
        """Writes an answer down; returns when it is on the disk."""
        entry = Entry(
            call.key, call.purpose, call.model, call.prompt_version, call.prompt_digest, call.request,
            answer, attempts, datetime.now(UTC).isoformat(timespec="seconds"),
        )  # fmt: skip
        await self._journal.append(entry)
        self.entries[call.key] = entry

    def _connect(self) -> Dispatcher:
        if self._endpoint is None:
            self._endpoint = Endpoint(self._options, self._options.key(), self._status)
        self._dispatcher = Dispatcher(
            self._endpoint, self._options, self._keep, self.tally, self._status, fresh=self._fresh
        )
        self._send_with(self._dispatcher)
        return self._dispatcher

    def _send_with(self, dispatcher: Dispatcher) -> None:
        self._sender = asyncio.get_running_loop().create_task(dispatcher.run())
        self._sender.add_done_callback(self._ended)

    def _ended(self, what: "asyncio.Future[Any]") -> None:
        """Ends the run when all works are done, or at the first exception."""
        problem = None if what.cancelled() else what.exception()
        if self._end is not None and not self._end.done() and not what.cancelled():
            self._end.set_result(problem)

    def _signalled(self, number: signal.Signals, hurry: asyncio.Event) -> None:
        if self._end is None or self._end.done():
            hurry.set()
            return
        self._end.set_result(_Signalled(number))
        flying = self._dispatcher.in_flight if self._dispatcher else 0
        if flying:
            self._status(f"Stopping; waiting up to {GRACE:.0f} s for {flying} calls in flight.")

    async def _wind_up(self, reason: BaseException, hurry: asyncio.Event) -> None:
        """Waits for the calls in flight; their answers are kept."""
        if self._dispatcher is None:
            return
        loop = asyncio.get_running_loop()
        stopping = loop.create_task(self._dispatcher.stop(GRACE))
        hurried = loop.create_task(hurry.wait())
        await asyncio.wait((stopping, hurried), return_when=asyncio.FIRST_COMPLETED)
        for task in (stopping, hurried):
            task.cancel()
        await asyncio.gather(stopping, hurried, return_exceptions=True)
        self._dispatcher = None  # it has ended; should there be another run, it begins anew


class _Signalled(Exception):  # noqa: N818 - a reason to end, never raised
    """A run was ended by a signal."""

    def __init__(self, number: signal.Signals) -> None:
        super().__init__(number)
        self.number = number


@contextlib.contextmanager
def _signals_restored() -> Iterator[Sequence[signal.Signals]]:
    """The signals that a run may handle; afterwards they are handled as before.

    None outside the main thread and on Windows; none that is ignored (a shell has what it starts in the
    background ignore Ctrl-C).
    """
    before: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread() and os.name != "nt":
        for number in ENDING:
            handler = signal.getsignal(number)
            if handler not in (signal.SIG_IGN, None):
                before[number] = handler
    try:
        yield tuple(before)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
