"""A call on its way to an answer."""

import asyncio
from dataclasses import dataclass

from rulemine.llm.call import Answer, Call
from rulemine.llm.problem import EndpointProblem

__all__ = ["Job"]

FIRST_PAUSE, LONGEST_PAUSE, AWAY_PAUSE = 0.2, 30.0, 1.0
"""Seconds before a call is sent again, see `Job.pause_after`."""


@dataclass(eq=False, slots=True)
class Job:
    """How far a call is.

    Attributes:
        call: The call.
        answer: Where its answer goes.
        most: Tokens that it may cost; 0 where no budget is set.
        attempts: How often it was sent.
        sent: When it was last sent.
        failures: How often that failed.
        strikes: See `rulemine.llm.dispatcher.STRIKES`.
        others: Replies to all calls, and failures of all, when it first failed.
        cut_short: Whether it was not waited for to the time-out, once. From then on it is: it may be one that
            takes long, and is not to be paid for again and again.
    """

    call: Call
    answer: asyncio.Future[Answer]
    most: int
    attempts: int = 0
    sent: float = 0.0
    failures: int = 0
    strikes: int = 0
    others: tuple[int, int] = (0, 0)
    cut_short: bool = False

    @property
    def kind(self) -> tuple[str, str]:
        """Calls of a kind take about as long."""
        return self.call.model, self.call.purpose

    def pause_after(self, problem: EndpointProblem) -> float:
        """Seconds until it is sent again: twice as long each time, and not all at the same moment."""
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(self.failures - 1, 20))
        if problem.kind == "away":
            pause = min(pause, AWAY_PAUSE)
        place = self.failures % 15 * 4
        pause *= 0.5 + int(self.call.key[place : place + 4], 16) / 0x20000
        return max(pause, problem.retry_after or 0.0)
