"""From calls to answers: which call is sent when, and what becomes of one that fails.

One loop sends everything, so that each limit has one place. A call holds one of the slots (`concurrency`)
only while it is on its way; one that failed waits outside. What was begun goes first, that little of it is
left for the end; and a call that takes far longer than others do, which overtake it, is once sent again
before its time-out.

Guarantees: a call that was answered is never sent again; never more in flight, per minute or in tokens than
the options say; an answer is kept (journalled) before anyone sees it; nothing waits for an endpoint
that is away longer than the options' patience; nothing is sent once it is known why the run has to end.
"""

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import Awaitable, Callable

from rulemine.errors import EndpointError, LimitError
from rulemine.llm.call import Answer, Call, Failure, Reply
from rulemine.llm.endpoint import Endpoint, most_tokens
from rulemine.llm.health import Health
from rulemine.llm.job import Job
from rulemine.llm.limits import Gate, RequestRate, TokenBudget
from rulemine.llm.options import EndpointOptions
from rulemine.llm.problem import EndpointProblem
from rulemine.llm.reply_times import ReplyTimes
from rulemine.llm.usage import Tally

__all__ = ["Dispatcher"]

STRIKES = {"empty": 16, "fault": 12, "cut": 12, "busy": 4, "limited": 1, "away": 0, "adapted": 0}
OUT = 96
"""A call is given up after 8 faults of its own (6 answers with nothing in them, 24 where the endpoint says
that it is busy, 96 times 429)."""

PATIENCE_UNSEEN = 10.0
"""Seconds for an endpoint that never answered: more likely the address is wrong than that it restarts."""

HOPELESS = 16
"""Refused calls after which the rest is not even tried, where not one was answered."""

WORTH_TELLING = 3.0
"""Seconds of waiting from which on the user is told."""

LOOKS_AFTER = 0.1
"""Seconds between two looks at what is on its way."""


class Dispatcher:
    """Sends calls; see the module."""

    def __init__(
        self,
        endpoint: Endpoint,
        options: EndpointOptions,
        keep: Callable[[Call, Answer, int], Awaitable[None]],
        tally: Tally,
        status: Callable[[str], object],
        *,
        fresh: bool,
    ) -> None:
        """Takes what it works with; to be made within a running event loop.

        Args:
            endpoint: Where calls are sent.
            options: The limits.
            keep: Writes down the answer to a call, sent that many times; returns when it is kept.
            tally: Is counted up.
            status: Told what is worth knowing.
            fresh: Whether nothing was ever answered, in this session or before.
        """
        self._endpoint, self._options = endpoint, options
        self._keep, self._tally, self._tell = keep, tally, status
        self._fresh = fresh
        self._loop = asyncio.get_running_loop()
        self._gate = Gate()
        self._rate = RequestRate(options.max_requests_per_minute)
        self._budget = TokenBudget(options.budget_tokens)
        self._times = ReplyTimes(options.concurrency)
        self._begun: deque[Job] = deque()
        self._new: deque[Job] = deque()
        self._waiting: dict[Job, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._flying: dict[Job, asyncio.Timeout] = {}
        self._changed = asyncio.Event()
        self._stopped = False
        self._problem: BaseException | None = None
        self._told = -WORTH_TELLING
        now = self._loop.time()
        self._health = Health(contact=now, deadline=now + options.patience)

    def submit(self, call: Call, *, begun: bool) -> asyncio.Future[Answer]:
        """Takes a call.

        Args:
            call: The call.
            begun: Whether it goes on with something: it is sent before those that begin something.

        Returns:
            The future holds its answer once that is kept, and is cancelled at a stop.
        """
        most = most_tokens(call) if self._options.budget_tokens else 0
        job = Job(call, self._loop.create_future(), most)
        if self._stopped:
            job.answer.cancel()
        else:
            (self._begun if begun else self._new).append(job)
            self._changed.set()
        return job.answer

    async def run(self) -> None:
        """Sends what is submitted until cancelled.

        Raises:
            LimitError: The budget allows no further call.
            EndpointError: The endpoint cannot be used.
            OutputError: An answer cannot be kept.
        """
        now = self._loop.time()
        self._health.contact, self._health.deadline = now, now + self._options.patience
        looking = self._loop.create_task(self._look_after())
        try:
            while True:
                if self._problem is not None:
                    raise self._problem
                pause = self._pause()
                if pause > 0:
                    self._changed.clear()
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(None if pause == math.inf else pause):
                            await self._changed.wait()
                    continue
                job = self._next.popleft()
                job.sent = self._loop.time()
                self._rate.take(job.sent)
                self._flying[job] = asyncio.timeout(None)
                task = self._loop.create_task(self._fly(job, self._gate.sent()))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        finally:
            looking.cancel()

    async def stop(self, seconds: float) -> None:
        """Sends nothing more, and waits for what is on its way; cancelled, it waits no longer.

        Args:
            seconds: How long at most.
        """
        self._stopped = True
        for timer in self._waiting.values():
            timer.cancel()
        for jobs in (self._begun, self._new, self._waiting):
            for job in jobs:
                job.answer.cancel()
            jobs.clear()
        try:
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=seconds)
        finally:
            for task in self._tasks:
                task.cancel()

    @property
    def in_flight(self) -> int:
        """Calls on their way."""
        return len(self._flying)

    @property
    def _next(self) -> deque[Job]:
        """What comes next is the first of it."""
        return self._begun or self._new

    def _pause(self) -> float:
        """Seconds until the next call may be sent; 0: now, and its tokens are set aside."""
        if not self._next or len(self._flying) >= self._options.concurrency:
            return math.inf
        most = self._next[0].most
        now = self._loop.time()
        pause = self._gate.pause(now) or self._rate.pause(now)
        if pause > 0 or self._budget.reserve(most):
            return pause
        if self._budget.reserved:
            return math.inf  # what comes back may cost less than was set aside
        tally, budget = self._tally, self._budget
        again = (
            ", or run the same command again: each run has the whole budget, and asks nothing twice"
        )
        raise LimitError(
            f"budget_tokens: {budget.spent} of {budget.limit} tokens are spent after {tally.sent} requests, "
            f"and the next one may need {most}. {self._kept()} Raise --budget-tokens"
            f"{again if most <= budget.limit else ''}."
        )

    def _kept(self) -> str:
        kept = self._tally.answered + self._tally.journal
        return f"{kept} answers are kept." if kept != 1 else "1 answer is kept."

    async def _fly(self, job: Job, tries: bool) -> None:
        """Sends a call; what ends the run is known before the next one could be sent."""
        try:
            await self._send(job, tries)
        except Exception as problem:  # noqa: BLE001 - `run` raises it
            self._problem = self._problem or problem
            self._changed.set()

    async def _send(self, job: Job, tries: bool) -> None:
        job.attempts += 1
        self._tally.sent += 1
        self._tally.retried += job.attempts > 1
        outcome: Reply | EndpointProblem
        cost = job.most  # unless it is known: it may have been charged
        try:
            async with self._flying[job]:
                outcome = await self._endpoint.send(job.call)
            cost = outcome.prompt_tokens + outcome.completion_tokens
            self._times.count(job.kind, job.sent, self._loop.time())
        except EndpointProblem as problem:
            outcome = problem
            cost = job.most if problem.charged else 0
        except TimeoutError:
            took = f"{self._loop.time() - job.sent:.1f} s, far longer than others take"
            outcome = EndpointProblem("fault", f"no whole answer within {took}", charged=True)
        except asyncio.CancelledError:
            if self._stopped:
                raise
            # Not from here, so from within the client; a call that just ended would be waited for for ever.
            outcome = EndpointProblem("fault", "the client gave it up", charged=True)
        finally:
            del self._flying[job]
            self._budget.settle(job.most, cost)
            self._changed.set()
        answer = (
            self._replied(outcome)
            if isinstance(outcome, Reply)
            else self._failed(job, outcome, tries)
        )
        if answer is not None:
            await self._keep(job.call, answer, job.attempts)
            if not job.answer.done():
                job.answer.set_result(answer)

    async def _look_after(self) -> None:
        """Cuts short what hangs, to send it again: what takes far longer than others did, and is overtaken.

        Where none is, it is the endpoint that has become slow: to send again would be to pay twice.
        """
        while True:
            due = self._loop.time() + LOOKS_AFTER
            await asyncio.sleep(LOOKS_AFTER)
            if self._stopped:
                return  # nothing is sent again
            now = self._loop.time()
            if now > due + LOOKS_AFTER:
                continue  # this process stood still: what came in meanwhile is not read yet
            last = not self._next or len(self._flying) == 1  # none is left to overtake
            for job, timer in self._flying.items():
                late = now - job.sent > self._times.limit(job.kind) and not job.cut_short
                if late and (last or self._times.overtaken(job.kind, job.sent)):
                    job.cut_short = True
                    timer.reschedule(now)

    def _replied(self, reply: Reply) -> Reply:
        now = self._loop.time()
        self._health.replies += 1
        self._health.contact, self._health.deadline = now, now + self._options.patience
        self._tally.count_reply(reply.prompt_tokens, reply.completion_tokens, now)
        self._open_gate()
        return reply

    def _failed(self, job: Job, problem: EndpointProblem, tries: bool) -> Failure | None:
        """What becomes of a call that failed: given up, or None: it is sent again later.

        Raises:
            EndpointError: It is the endpoint that fails, and for too long.
        """
        if problem.kind == "adapted":
            self._again(job)
            return None
        now, health = self._loop.time(), self._health
        if not job.failures:
            job.others = (health.replies, health.failures)
        health.failures += 1
        job.failures += 1
        job.strikes += STRIKES.get(problem.kind, 0)
        pause = job.pause_after(problem)
        if problem.kind in ("away", "cut", "limited"):
            self._turn_away(problem, now, tries, pause)
        else:
            self._open_gate()
        if problem.kind != "away":
            health.contact = now
        if problem.kind == "refused":
            return self._refused(problem)
        if job.strikes >= OUT and self._is_its_own(job, problem, now):
            self._tally.failed += 1
            return Failure(
                "endpoint_error",
                f"{job.attempts} attempts; the last: {problem.detail}",
                lasting=False,
            )
        self._lose_patience(job, problem, now)
        if problem.retry_after:
            health.deadline = max(health.deadline, now + problem.retry_after)
        if self._stopped:
            job.answer.cancel()
        else:
            self._waiting[job] = self._loop.call_later(pause, self._again, job)
        return None

    def _again(self, job: Job) -> None:
        self._waiting.pop(job, None)
        if self._stopped:
            job.answer.cancel()
        else:
            self._begun.append(job)
            self._changed.set()

    def _refused(self, problem: EndpointProblem) -> Failure:
        health = self._health
        health.refused += 1
        if self._fresh and not health.replies and health.refused >= HOPELESS:
            raise EndpointError(
                f"{self._options.address}: refused each of the first {health.refused} calls (the last: "
                f"{problem.detail}). Check the model and its parameters (max_tokens, the prompt)."
            )
        self._tally.failed += 1
        # As long as nothing else was answered it may lie at the settings.
        lasting = problem.code == "context_too_long" or health.replies > 0
        return Failure(problem.code, problem.detail, lasting)

    def _is_its_own(self, job: Job, problem: EndpointProblem, now: float) -> bool:
        """Whether it is this call that fails, not the endpoint: others are answered, or there are none."""
        replies, failures = job.others
        if self._health.replies > replies:
            return True
        if problem.kind not in ("empty", "fault", "cut"):
            return False
        if self._health.failures - failures == job.failures:
            return True
        # What answers with nothing in it is no endpoint to wait for.
        waited = problem.kind == "empty" or now > self._health.deadline
        return waited and self._only_these_fail()

    def _only_these_fail(self) -> bool:
        """Whether most calls were answered and all that are left failed time and again.

        A model that has nothing to say to some prompts has them at the end; every run would end there.
        """
        left = (*self._begun, *self._new, *self._waiting, *self._flying)
        failed = all(job.strikes >= OUT for job in left)
        return failed and len(left) < self._tally.answered + self._tally.journal

    def _lose_patience(self, job: Job, problem: EndpointProblem, now: float) -> None:
        options, health = self._options, self._health
        patience = options.patience
        if self._fresh and not self._endpoint.answered:
            patience = min(patience, PATIENCE_UNSEEN)
        if problem.kind == "away":
            ended, how, since = (
                now - health.contact > patience,
                "out of reach",
                now - health.contact,
            )
        else:
            began = health.deadline - options.patience
            ended = now - began > patience and (
                problem.kind in ("limited", "busy")
                or job.strikes >= OUT
                or not self._endpoint.answered
            )
            how, since = "answers with errors alone", now - began
        if ended:
            raise EndpointError(
                f"{options.address}: {how} for {since:.0f} s ({problem.detail}). {self._kept()} Check that "
                "the server runs and that base_url is right (http or https, host, port); the same command "
                "goes on."
            )

    def _turn_away(self, problem: EndpointProblem, now: float, tries: bool, pause: float) -> None:
        closed = self._gate.turned_away(
            now, tries, limited=problem.kind == "limited", wait=problem.retry_after
        )
        waits = problem.retry_after or 0.0
        if (closed or waits >= WORTH_TELLING) and now - self._told >= WORTH_TELLING:
            self._told = now
            asked = f"; it asks to wait {waits:.0f} s" if waits else ""
            self._tell(f"{self._options.address}: waiting ({problem.detail}{asked}).")

    def _open_gate(self) -> None:
        if self._gate.got_through():
            self._tell(f"{self._options.address}: answers again.")
