"""What a session has done, and what it may spend."""

import asyncio
import json
import time
from dataclasses import dataclass, field

from rulemine.errors import LimitError
from rulemine.llm.call import Call, Reply

__all__ = ["OF_ALL", "Budget", "Usage"]


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
    """A number of tokens that is never overrun: what a call may cost is set aside before it is sent."""

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
                    "--budget-tokens goes on."
                )
            await asyncio.sleep(0.02)
        self._reserved += most
        return most

    def settle(self, reserved: int, spent: int) -> None:
        """Gives back what was set aside for a call and counts what it cost."""
        self._reserved -= reserved
        self._spent += spent
