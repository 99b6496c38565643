"""How long replies take, and from when on one is no longer to be expected.

A request that hangs would hold its slot until the time-out, a minute by default, and at its end a run would
wait for nothing else; what other replies took tells much sooner that none will come. Nothing here waits or
reads a clock: the caller gives the times, in seconds that only grow.
"""

import math
from collections import deque
from collections.abc import Hashable

__all__ = ["ReplyTimes"]

RECENT = 128
"""Replies by which the next ones are judged."""

FEWEST = 32
"""Replies that are too few to judge by."""

TIMES_THE_SLOWEST = 4.0
"""How much longer than the slowest of them a reply may take."""

SHORTEST = 2.0
"""Seconds that a reply may take in any case: anybody can falter for that long."""


class ReplyTimes:
    """What recent replies took, kind by kind: some ask for longer texts, or another model."""

    def __init__(self, concurrency: int) -> None:
        """Takes the number of calls in flight at most.

        An endpoint that answers one after the other seems fast until that many are waiting.
        """
        self._enough = max(FEWEST, concurrency)
        self._recent: dict[Hashable, deque[float]] = {}
        self._latest: dict[Hashable, float] = {}

    def count(self, kind: Hashable, sent: float, came: float) -> None:
        """Notes when a call was sent and its reply came."""
        if kind not in self._recent:
            self._recent[kind] = deque(maxlen=max(RECENT, self._enough))
        self._recent[kind].append(came - sent)
        self._latest[kind] = max(sent, self._latest.get(kind, -math.inf))

    def overtaken(self, kind: Hashable, sent: float) -> bool:
        """Whether a call that was sent later than this has been answered."""
        return self._latest.get(kind, -math.inf) > sent

    def limit(self, kind: Hashable) -> float:
        """Seconds after which no reply is to be expected any more; infinite while too few are known."""
        recent = self._recent.get(kind, ())
        if len(recent) < self._enough:
            return math.inf
        return max(SHORTEST, TIMES_THE_SLOWEST * max(recent))
