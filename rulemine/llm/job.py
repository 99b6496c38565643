"""A call on its way to an answer."""

import asyncio
from dataclasses import dataclass

from rulemine.llm.call import Answer, Call

__all__ = ["Job"]


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
