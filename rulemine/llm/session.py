"""A session: conversations with a model, their calls answered from the journal or over the network.

Guarantees: what the journal holds is never asked again, and what is answered is in the journal before a
conversation sees it; results are in the order of the works, whatever the order of arrival; identical calls
share one request; a bounded number of calls is in flight; a conversation that raises ends no other; however
a run ends, what was answered is kept.
"""

import asyncio
import json
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from rulemine.errors import (
    AwaitedError,
    EndpointError,
    LimitError,
    NoReplyError,
    ReplayError,
    UserError,
    counted,
    list_problems,
)
from rulemine.llm.batch import BatchFolder, WantedError
from rulemine.llm.call import Answer, Ask, Call, Failure, Reply
from rulemine.llm.client import Client
from rulemine.llm.journal import Journal, answer_of, find_journal
from rulemine.llm.options import EndpointOptions
from rulemine.llm.wire import CallProblem

__all__ = ["OF_ALL", "Budget", "Replay", "Session", "Usage"]

T = TypeVar("T")

PATIENCE = 120.0
"""Seconds of failures without a reply after which a run ends, with all replies kept."""

MOST_FAILURES, MOST_TRIES = 40, 6
"""Calls in a row that fail for good, after which a run ends; tries of a call while others are answered."""

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 30.0
"""Seconds before a call is sent again; twice as long each time."""

SETTLED = 20
"""Turns of the event loop without a call after which none is to be expected."""

GRACE = 5.0
"""Seconds that calls in flight are waited for when a run ends early."""


@dataclass(slots=True)
class Usage:
    """Counts of a session; read them at any time.

    Attributes:
        sent: Requests sent, retries included.
        answered: Calls that the endpoint has replied to.
        reused: Replies out of the journal.
        prompt_tokens: Of the replies, as counted or estimated; without those from the journal.
        completion_tokens: Counted or estimated in the same way.
        cut_off: The keys of calls whose reply was cut off, those from the journal among them.
    """

    sent: int = 0
    answered: int = 0
    reused: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut_off: set[str] = field(default_factory=set)
    _start: float = field(default_factory=time.monotonic, repr=False)

    def send(self) -> None:
        """Counts a request."""
        self.sent += 1

    def count(self, reply: Reply) -> None:
        """Counts a reply, here and in `OF_ALL`."""
        if self is not OF_ALL:
            OF_ALL.count(reply)
        self.answered += 1
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens

    @property
    def tokens(self) -> int:
        """Tokens sent and received."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def calls_per_minute(self) -> float:
        """Replies per minute since the start."""
        return self.answered * 60 / max(time.monotonic() - self._start, 1.0)


OF_ALL = Usage()
"""The replies to all sessions of this process, for progress lines: who shows one opens no session."""


class Budget:
    """A number of tokens that replies never overrun: what a call may cost is set aside before it is sent.

    A call without a reply that may have been charged counts as much as it may cost; once, however often the
    client has sent it.
    """

    def __init__(self, tokens: int) -> None:
        """Takes the limit: tokens at most, 0: any number."""
        self._limit, self._spent, self._reserved = tokens, 0, 0

    async def reserve(self, call: Call) -> int:
        """Sets aside what a call may cost: no token of the common vocabularies is shorter than a byte.

        A call without ``max_tokens`` is taken to receive 4,096, one with inputs none. Waits for calls in
        flight where that may make room.

        Raises:
            LimitError: The tokens are not there.
        """
        if not self._limit:
            return 0
        sent = len(json.dumps(call.request, ensure_ascii=False).encode("utf-8", "replace"))
        replies = 0 if call.inputs else call.max_tokens or 4096
        most = sent + 16 * len(call.messages) + replies
        while self._spent + self._reserved + most > self._limit:
            if not self._reserved:
                raise LimitError(
                    f"endpoint.budget_tokens: {self._spent:,} of {self._limit:,} tokens are spent, and the "
                    f"next call may take up to {most:,}: a token for each byte of its request, and "
                    f"{replies:,} for the longest reply. Every reply is kept; the same command with a larger "
                    "endpoint.budget_tokens goes on."
                )
            await asyncio.sleep(0.02)
        self._reserved += most
        return most

    def settle(self, reserved: int, spent: int) -> None:
        """Gives back what was set aside for a call and counts what it cost."""
        self._reserved -= reserved
        self._spent += spent


class Session(AbstractContextManager["Session"], AbstractAsyncContextManager["Session"]):
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
        self._options, self._status, self._room = options, status or (lambda text: None), room
        self._journal = journal if isinstance(journal, Journal) else Journal(journal)
        self._budget = Budget(options.budget_tokens)
        self._batch = BatchFolder(options, self._status) if options.batch else None
        self._own: asyncio.AbstractEventLoop | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._clients: dict[EndpointOptions, Client] = {}
        self._workers: asyncio.Future[Any] | None = None
        self._fatal: UserError | None = None
        self._pending: dict[str, asyncio.Task[Answer]] = {}
        self._flying: set[str] = set()
        self._missing: dict[str, Answer] = {}
        self._said = False
        self._row: Counter[EndpointOptions] = Counter()
        self._limits: set[int] = set()
        self._same: dict[str, str] = {}
        self._asks = 0

    def __repr__(self) -> str:
        return f"Session({self._options.address}, {self._journal.path})"

    def __exit__(self, *problem: object) -> None:
        self.close()

    async def __aexit__(self, *problem: object) -> None:
        await self._disconnect()
        self.close()

    async def _disconnect(self) -> None:
        for client in self._clients.values():
            await client.close()
        self._clients = {}

    def close(self) -> None:
        """Closes all; says how many calls have no answer, and why, and how many replies were cut off."""
        if self._missing and self._said:
            self._status(f"{self._without_answer()}.")
        if self._room and self.usage.cut_off:
            cut = counted(len(self.usage.cut_off), "reply was", "replies were")
            self._status(f"{cut} cut off. Give the model more room: {self._room}.")
        self._room, self._said = "", False
        if self._batch is not None:
            self._batch.close()
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
        if (line := self._journal.get(key)) is None:
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
                ends at once. So does the first while a run ends for another reason, which is raised then.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            with asyncio.Runner() as runner:
                self._own = runner.get_loop()
                try:
                    return runner.run(self.arun(works, progress))
                finally:
                    runner.run(self._disconnect())
        raise RuntimeError("an event loop is running here. Write: await session.arun(works)")

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
            NoReplyError: No call of the session so far has an answer.
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
        if self._missing and not self._said:
            addresses = ", ".join(place.address for place in self._clients or [self._options])
            raise NoReplyError(
                f"{addresses}: no reply: {self._without_answer()}. Check --model and endpoint.base_url."
            )
        return [results[index] for index in range(len(works))]

    def _without_answer(self) -> str:
        """How many calls have no answer, and why."""
        kinds = Counter(answer.missing.rstrip(". ") for answer in self._missing.values())
        reasons = "; ".join(f"{count:,} × {what}" for what, count in kinds.most_common(3))
        have = counted(len(self._missing), "call has", "calls have")
        return f"{have} no answer: {reasons}"

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
        answer = await self._answer(call, place or self._options)
        if isinstance(answer, Reply) and answer.is_cut_off:
            self.usage.cut_off.add(call.key)
        if answer.missing:
            self._missing[call.key] = answer
        self._said = self._said or not answer.missing
        return answer

    async def _answer(self, call: Call, place: EndpointOptions) -> Answer:
        """The answer to a call from the journal, or else over the network."""
        key = call.key
        line = self._journal.get(key) or self._in_less_room(call)
        if line is not None and line.get("failure", {}).get("lasting", True):
            self.usage.reused += "reply" in line
            self._row[place] = 0
            await asyncio.sleep(0)  # a journal that holds all would leave no room for signals
            return answer_of(line)
        if isinstance(failed := self._missing.get(key), Failure):
            return failed
        if key not in self._pending:
            self._pending[key] = asyncio.create_task(self._fetch(call, place))
            self._pending[key].add_done_callback(lambda _: self._pending.pop(key, None))
        return await asyncio.shield(self._pending[key])  # others may wait for it too

    def _in_less_room(self, call: Call) -> dict[str, Any] | None:
        """The line of the same call with a smaller limit of tokens, if its answer is whole and will do."""
        if not call.blank or call.max_tokens is None:
            return None
        self._limits = self._limits or self._journal.limits()
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
                client = self._connected(place)
                async with client.slots:
                    sent = time.monotonic()
                    answer = await self._send(client, call)
                    took = time.monotonic() - sent
            self._journal.keep(call, answer, took)
            self._row[place] = self._row[place] + 1 if isinstance(answer, Failure) else 0
            if isinstance(answer, Failure) and self._row[place] >= MOST_FAILURES:
                raise EndpointError(
                    f"{self._batch.folder if self._batch else place.address}: {self._row[place]} calls in a "
                    f"row have failed; the last: {answer.detail.rstrip('. ')}. All replies are kept, and the "
                    "same command goes on. Check --model and the parameters"
                    + (
                        "; then remove the files of that round, requests and results."
                        if self._batch
                        else "."
                    )
                )
        except UserError as problem:
            if self._fatal is None and self._workers is not None:
                self._fatal = problem
                self._workers.cancel()
            raise asyncio.CancelledError from None
        if isinstance(answer, Reply):
            self.usage.count(answer)
        return answer

    def _connected(self, place: EndpointOptions) -> Client:
        """The client of an address, in the event loop that runs."""
        if self._loop is not (loop := asyncio.get_running_loop()):
            self._loop, self._clients = loop, {}
        if place not in self._clients:
            self._clients[place] = Client(place, self.usage.send, self._status)
        return self._clients[place]

    async def _send(self, client: Client, call: Call) -> Answer:
        """Sends a call until it is answered, refused, or given up.

        Raises:
            EndpointError: No call will be answered, or none was for too long.
            LimitError: The budget of tokens is spent.
        """
        begun, tries, before = time.monotonic(), 0, self._journal.get(call.key) is not None
        while self._fatal is None:
            spent = reserved = await self._budget.reserve(call)
            sent = time.monotonic()
            try:
                self._flying.add(call.key)
                found = await client.send(call)
                if isinstance(found, Reply):
                    spent = found.prompt_tokens + found.completion_tokens
                elif found.kind != "fault":  # a fault may have been charged
                    spent = 0
            finally:
                self._flying.discard(call.key)
                self._budget.settle(reserved, spent)
            now = time.monotonic()
            if isinstance(found, Reply):
                client.replied = now
                return found
            if found.is_refusal:
                return found.failure
            tries += found.tries
            vain = tries >= MOST_TRIES or now - begun >= PATIENCE
            if found.kind == "fault" and vain and (before or client.replied > begun):
                return found.failure
            self._wait_for_reply(client, found, sent)
            pause = min(LONGEST_PAUSE, PATIENCE, FIRST_PAUSE * 2.0 ** min(tries - 1, 20))
            await asyncio.sleep(pause * (0.5 + int(call.key[:4], 16) / 0x20000))  # not all at once
        raise asyncio.CancelledError  # the run is ending

    def _wait_for_reply(self, client: Client, problem: CallProblem, sent: float) -> None:
        """Says that there is no reply, and ends the run where there was none for too long.

        Calls that were on their way together fail together; so what counts is the time.
        """
        if client.silent <= client.replied:
            client.silent = max(sent, client.replied)
        silence = time.monotonic() - max(client.silent, client.replied)
        if silence >= PATIENCE:
            raise EndpointError(
                f"{client.address}: no reply for {silence:.0f} s; the last failure: "
                f"{problem.detail.rstrip('. ')}. All replies are kept, and the same command goes on. Check "
                "the endpoint and --model, or set a longer endpoint.timeout."
            )
        if silence >= PATIENCE / 10 and client.told < client.silent:
            client.told = client.silent
            self._status(
                f"{client.address}: no reply ({problem.detail}); trying for up to {PATIENCE:g} s."
            )

    async def _wind_up(self) -> None:
        """Waits for the calls in flight, whose answers are kept, and drops the others."""
        flying = [self._pending[key] for key in self._flying]
        await _end([task for key, task in self._pending.items() if key not in self._flying])
        if flying:
            seconds = self._options.timeout if isinstance(self._fatal, LimitError) else GRACE
            if (loop := asyncio.get_running_loop()) is self._own:
                # A runner raises the second Ctrl-C wherever Python happens to be; in a callback of the
                # garbage collector it would be lost, with a traceback. The handler goes with the loop.
                with suppress(RuntimeError):  # on Windows, and outside the main thread
                    loop.add_signal_handler(
                        signal.SIGINT, lambda: [task.cancel() for task in flying]
                    )
            self._status(
                f"Stopping; waiting up to {seconds:.0f} s for {len(flying)} calls in flight."
            )
            await asyncio.wait(flying, timeout=seconds)
        await _end(flying)


async def _end(tasks: "Sequence[asyncio.Task[Answer]]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class Replay(Session):
    """A session that takes every answer from a journal, of a release or of a build that was not finished.

    Guarantee: what is asked is answered with what the journal says, failures included, or there is an error
    that names what the journal lacks. Nothing is written.
    """

    def __init__(self, path: Path) -> None:
        """Reads a journal.

        Args:
            path: See `find_journal`.

        Raises:
            InputError: There is no journal, or it is malformed.
        """
        super().__init__(EndpointOptions(), Journal(find_journal(path), read_only=True))

    async def _fetch(self, call: Call, place: EndpointOptions) -> Answer:
        if (line := self._journal.get(call.key)) is not None:
            return answer_of(line)  # a failure that might have passed
        raise ReplayError(
            f"{call.subject}: no reply to its call {call.purpose!r} (model {call.model})"
        )

    def _raise_first(self, problems: Mapping[int, Exception]) -> None:
        """Raises what works raised; where the journal lacks replies, all of it at once."""
        for index in sorted(problems):
            if not isinstance(problems[index], ReplayError):
                raise problems[index]
        models = sorted({model for _, model in self._journal.counts()})
        advice = (
            f"The journal holds replies of {', '.join(models) or 'no model'}. Was the model, a prompt or the "
            "seed changed since? Replay with what it was made with, or ask the endpoint."
        )
        missing = [str(problems[index]) for index in sorted(problems)]
        raise ReplayError(list_problems(str(self._journal.path), missing, advice))
