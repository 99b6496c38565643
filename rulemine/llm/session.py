"""A session: conversations with a model, their calls answered from the journal or over the network.

Guarantees: what the journal holds is never asked again, and what is answered is in the journal before a
conversation sees it; results are in the order of the works, whatever the order of arrival; identical calls
share one request; a bounded number of calls is in flight; a conversation that raises ends no other; however
a run ends, what was answered is kept.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from rulemine.errors import AwaitedError, LimitError, NoReplyError, UserError, counted
from rulemine.llm.batch import BatchFolder, WantedError
from rulemine.llm.call import Answer, Ask, Call, Failure, Reply
from rulemine.llm.client import Client
from rulemine.llm.failures import CallProblem, Patience
from rulemine.llm.journal import Journal, answer_of
from rulemine.llm.options import EndpointOptions
from rulemine.llm.usage import OF_ALL, Budget, Usage

__all__ = ["Session"]

T = TypeVar("T")

SETTLED = 20
"""Turns of the event loop without a call after which none is to be expected."""

GRACE = 5.0
"""Seconds that calls in flight are waited for when a run ends early."""


class Session:
    """What conversations with a model run in; a context manager, with ``with`` or ``async with``.

    Attributes:
        usage: Counts, for progress lines.
    """

    def __init__(
        self,
        options: EndpointOptions,
        journal: Path | Journal,
        status: Callable[[str], object] | None = None,
        *,
        room: str = "",
    ) -> None:
        """Opens a session. Nothing is sent, and no key needed, before the first call that the journal lacks.

        Args:
            options: Where the model is, and the limits.
            journal: The working journal, made where it is missing; or one that is open.
            status: Called with what is worth knowing while it runs, one sentence at a time.
            room: What gives replies more room, as a user writes it; said in the end if some were cut off.

        Raises:
            InputError: The journal is damaged, or no journal.
            OutputError: It cannot be written, or another process has it open.
        """
        self.usage = Usage()
        self._options, self._status = options, status or (lambda text: None)
        self._journal = journal if isinstance(journal, Journal) else Journal(journal)
        self._budget = Budget(options.budget_tokens)
        self._runner: asyncio.Runner | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connections: dict[EndpointOptions, _Connection] = {}
        self._workers: asyncio.Future[Any] | None = None
        self._fatal: UserError | None = None
        self._pending: dict[str, asyncio.Task[Answer]] = {}
        self._flying: set[str] = set()
        self._failed: dict[str, Failure] = {}
        self._room = room
        self._limits: set[int] | None = None
        self._same: dict[str, str] = {}
        self._batch = BatchFolder(options, self._status) if options.batch else None
        self._asks = 0

    def __repr__(self) -> str:
        return f"Session({self._options.address}, {self._journal.path})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *problem: object) -> None:
        for connection in self._connections.values():
            await connection.client.close()
        self._connections = {}
        self.close()

    def close(self) -> None:
        """Closes the connections and the journal; says how many calls failed and replies were cut off."""
        if self._failed and self.usage.answered + self.usage.reused:
            self._status(f"{self._failures()}.")
        if self._room and (cut := len(self.usage.cut_off)):
            were = "reply was" if cut == 1 else "replies were"
            self._status(f"{cut:,} {were} cut off. Give the model more room: {self._room}.")
        self._room = ""
        if self._batch is not None:
            self._batch.close()
        try:
            if self._runner is not None:
                if self._loop is self._runner.get_loop():
                    for connection in self._connections.values():
                        self._runner.run(connection.client.close())
                self._runner.close()
        finally:
            self._journal.close()

    @property
    def batch(self) -> str:
        """The folder of batches; "": calls are sent at once."""
        return self._options.batch

    @property
    def advice(self) -> str:
        """What to do where most replies were cut off, which no other model or prompt mends; else ""."""
        usage = self.usage
        if not self._room or 2 * len(usage.cut_off) < max(1, usage.answered + usage.reused):
            return ""
        return f"Most replies were cut off. Give the model more room: {self._room}. Or else:\n"

    def line(self, key: str) -> dict[str, Any]:
        """The journal's line about a call that was answered, see `rulemine.llm.journal.line_of`."""
        line = self._journal.get(key)
        if line is None:
            raise KeyError(key)
        return line

    def seconds(self, key: str) -> float:
        """How long the answer to a call took when it came, waits and retries included; 0: unknown."""
        return self._journal.seconds(self._same.get(key, key))

    def run(
        self,
        works: Sequence[Callable[[Ask], Awaitable[T]]],
        progress: Callable[[int, int], object] | None = None,
    ) -> list[T]:
        """Runs conversations to their ends, as `arun`.

        Raises:
            RuntimeError: An event loop is running, as in a notebook.
            KeyboardInterrupt: Ctrl-C. The first waits up to `GRACE` seconds for calls in flight, the second
                ends at once.
        """
        if _is_loop_running():
            raise RuntimeError("an event loop is running here. Write: await session.arun(works)")
        self._runner = self._runner or asyncio.Runner()
        return self._runner.run(self.arun(works, progress))

    async def arun(
        self,
        works: Sequence[Callable[[Ask], Awaitable[T]]],
        progress: Callable[[int, int], object] | None = None,
    ) -> list[T]:
        """Runs conversations to their ends; may be called again then.

        Args:
            works: The conversations: each is given the way to ask and asks one call after another or
                several at once.
            progress: Called with (conversations done, of all).

        Returns:
            What the works returned, in their order.

        Raises:
            EndpointError: The endpoint cannot be used, or failed for too long.
            LimitError: The budget of tokens is spent.
            AwaitedError: Calls are to be sent as a batch.
            OutputError: The journal cannot be written.
            NoReplyError: Every call of the session so far was refused.
            Exception: What a work raised, the first in their order, once all others have ended.
        """
        if self._workers is not None:
            raise RuntimeError("this session is running already; await its end, or open another")
        results: dict[int, T] = {}
        problems: dict[int, Exception] = {}
        waiting, awaited = iter(enumerate(works)), 0

        async def converse() -> None:
            nonlocal awaited
            for index, work in waiting:
                try:
                    results[index] = await work(self._ask)
                except WantedError:
                    awaited += 1
                except Exception as problem:  # noqa: BLE001 - raised when the others have ended
                    problems[index] = problem
                if progress is not None:
                    progress(len(results) + len(problems) + awaited, len(works))

        self._fatal = None
        alive = min(len(works), 2 * self._options.concurrency)  # there is always one to be sent
        self._workers = asyncio.gather(*(converse() for _ in range(alive)))
        try:
            await self._workers
            if awaited:
                await self._settle()
        except asyncio.CancelledError:
            await self._wind_up()
            if self._fatal is None:
                raise
        finally:
            self._workers = None
        if self._fatal is not None:
            raise self._fatal
        if problems:
            self._raise_first(problems)
        if awaited and self._batch is not None:
            raise AwaitedError(self._batch.finish())
        if self._failed and not self.usage.answered + self.usage.reused:
            raise NoReplyError(
                f"{', '.join(one.address for one in self._connections or [self._options])}: no reply: "
                f"{self._failures()}. Check --model and --base-url."
            )
        return [results[index] for index in range(len(works))]

    def _failures(self) -> str:
        """How many calls failed, and what the endpoint said to the last of them."""
        return (
            f"{counted(len(self._failed), 'call')} failed; the last: "
            f"{[*self._failed.values()][-1].detail.rstrip('. ')}"
        )

    async def _settle(self) -> None:
        """Lets what conversations asked beside the calls that ended them come to its own next call."""
        asks, quiet = -1, 0
        while quiet < SETTLED:
            quiet = quiet + 1 if self._asks == asks else 0
            asks = self._asks
            await asyncio.sleep(0)

    def _raise_first(self, problems: Mapping[int, Exception]) -> None:
        raise problems[min(problems)]

    def at(self, place: EndpointOptions) -> Ask:
        """The way to ask at another address; key and limits are its own, but for the budget."""
        return partial(self._ask, place=place)

    async def _ask(self, call: Call, place: EndpointOptions | None = None) -> Answer:
        """The answer to a call, see `rulemine.llm.call.Ask`."""
        self._asks += 1
        answer = await self._reply(call, place)
        if isinstance(answer, Reply) and answer.is_cut_off:
            self.usage.cut_off.add(call.key)
        return answer

    async def _reply(self, call: Call, place: EndpointOptions | None) -> Answer:
        """The answer to a call from the journal, or else over the network."""
        key = call.key
        line = self._journal.get(key) or self._in_less_room(call)
        if line is not None and line.get("failure", {}).get("lasting", True):
            if "failure" in line:
                self._failed[key] = Failure(**line["failure"])
            self.usage.reused += "reply" in line
            if self._batch is not None:
                self._batch.reply()
            await asyncio.sleep(0)  # a journal that holds all would leave no room for signals
            return answer_of(line)
        if key in self._failed:
            return self._failed[key]
        task = self._pending.get(key)
        if task is None:
            task = self._pending[key] = asyncio.create_task(
                self._fetch(call, place or self._options)
            )
            task.add_done_callback(lambda _: self._pending.pop(key, None))
        return await asyncio.shield(task)  # others may wait for it too

    def _in_less_room(self, call: Call) -> dict[str, Any] | None:
        """The line of the same call with a smaller limit of tokens, if its answer is whole and will do."""
        if not call.blank or call.max_tokens is None:
            return None
        if self._limits is None:
            self._limits = self._journal.limits()
        for limit in sorted(limit for limit in self._limits if limit < call.max_tokens):
            key = replace(call, max_tokens=limit).key
            line = self._journal.get(key)
            if line is not None and "reply" in line and not Reply(**line["reply"]).is_cut_off:
                self._same[call.key] = key
                return line
        self._limits.add(call.max_tokens)
        return None

    async def _fetch(self, call: Call, place: EndpointOptions) -> Answer:
        """Asks until there is an answer, and keeps it; what ends the run is noted."""
        try:
            took = 0.0
            if self._batch is not None:
                answer = self._batch.answer(call)
            else:
                connection = self._connected(place)
                async with connection.slots:
                    sent = time.monotonic()
                    answer = await self._send(connection, call)
                    took = time.monotonic() - sent
            self._journal.keep(call, answer, took)
        except UserError as problem:
            if self._fatal is None and self._workers is not None:
                self._fatal = problem
                self._workers.cancel()
            raise asyncio.CancelledError from None
        if isinstance(answer, Failure):
            self._failed[call.key] = answer
        else:
            self.usage.count(answer)
            OF_ALL.count(answer)
        return answer

    def _connected(self, place: EndpointOptions) -> "_Connection":
        """The connection to an address, in the event loop that runs."""
        if self._loop is not (loop := asyncio.get_running_loop()):
            self._loop, self._connections = loop, {}
        if place not in self._connections:
            self._connections[place] = _Connection(place, self._status)
        return self._connections[place]

    async def _send(self, connection: "_Connection", call: Call) -> Answer:
        """Sends a call until it is answered, refused, or given up."""
        begun, tries, before = time.monotonic(), 0, self._journal.get(call.key) is not None
        while self._fatal is None:
            spent = reserved = await self._budget.reserve(call)
            try:
                if connection.limiter is not None:
                    await connection.limiter.acquire()
                sent = time.monotonic()
                self.usage.sent += 1
                self._flying.add(call.key)
                reply = await connection.client.send(call)
                spent = reply.prompt_tokens + reply.completion_tokens
                connection.patience.reply()
                return reply
            except CallProblem as found:
                problem = found
                spent = reserved if problem.kind == "fault" else 0  # it may have been charged
            finally:
                self._flying.discard(call.key)
                self._budget.settle(reserved, spent)
            if problem.kind == "adapted":
                continue
            tries += 1
            if problem.kind == "fault" and connection.patience.gives_up(begun, tries, before):
                return Failure("endpoint_error", problem.detail, lasting=False)
            connection.patience.failure(problem, sent)
            if problem.kind == "refused":
                lasting = problem.code == "context_too_long"  # what else is refused may be mended
                return Failure(problem.code, problem.detail, lasting)
            await asyncio.sleep(connection.patience.pause(problem, tries, call.key))
        raise asyncio.CancelledError  # the run is ending

    async def _wind_up(self) -> None:
        """Waits for the calls in flight, whose answers are kept, and drops the others."""
        flying = [self._pending[key] for key in self._flying]
        await _end([task for key, task in self._pending.items() if key not in self._flying])
        if flying:
            seconds = self._options.timeout if isinstance(self._fatal, LimitError) else GRACE
            self._status(
                f"Stopping; waiting up to {seconds:.0f} s for {len(flying)} calls in flight."
            )
            await asyncio.wait(flying, timeout=seconds)
        await _end(flying)


class _Connection:
    """What calls to one address share; made within an event loop."""

    def __init__(self, place: EndpointOptions, status: Callable[[str], object]) -> None:
        self.client = Client(place, place.key(), status)
        from aiolimiter import AsyncLimiter  # the client says if it is missing

        self.slots = asyncio.Semaphore(place.concurrency)
        minute = place.max_requests_per_minute
        # Evenly apart, with half a second of slack for requests that arrive later than others.
        self.limiter = AsyncLimiter(1, 60.5 / minute) if minute else None
        self.patience = Patience(place, status)


async def _end(tasks: "Sequence[asyncio.Task[Answer]]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
