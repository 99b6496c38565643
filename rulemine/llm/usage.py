"""What a session has done so far, in numbers, for progress lines and closing words."""

from collections import deque
from dataclasses import dataclass, field

__all__ = ["Tally"]

RATE_SECONDS = 60


@dataclass(slots=True)
class Tally:
    """Counts of a session; read it at any time.

    Attributes:
        sent: Requests sent, retries included.
        answered: Calls that the endpoint has replied to.
        journal: Calls whose answer was in the journal.
        failed: Calls that ended in a failure.
        retried: Requests that were sent again, for whatever reason.
        prompt_tokens: Of the replies, as counted or estimated; without those from the journal.
        completion_tokens: Likewise.
    """

    sent: int = 0
    answered: int = 0
    journal: int = 0
    failed: int = 0
    retried: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    _seconds: deque[list[int]] = field(
        default_factory=lambda: deque(maxlen=RATE_SECONDS), repr=False
    )
    _first: float = field(default=0.0, repr=False)

    @property
    def tokens(self) -> int:
        """Tokens sent and received."""
        return self.prompt_tokens + self.completion_tokens

    def count_reply(self, prompt_tokens: int, completion_tokens: int, now: float) -> None:
        """Counts a reply that came now (seconds of a clock that only grows)."""
        self.answered += 1
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
        self._first = self._first or now
        if self._seconds and self._seconds[-1][0] == int(now):
            self._seconds[-1][1] += 1
        else:
            self._seconds.append([int(now), 1])

    def calls_per_minute(self, now: float) -> float:
        """Replies per minute over the last minute, or since the first reply where that is shorter ago."""
        span = min(now - self._first, float(RATE_SECONDS))
        recent = sum(n for second, n in self._seconds if second >= now - RATE_SECONDS)
        return recent * 60 / max(span, 1.0) if recent else 0.0
