"""What may be sent when: the two limits of the user, and the gate of an endpoint in trouble.

Guarantees: in any 60 seconds no more requests are sent than `RequestRate` was given, retries included; no
more tokens are spent than `TokenBudget` was given, as far as replies keep to the call's ``max_tokens``.
Nothing here waits or reads a clock: the caller gives the time, in seconds that only grow.
"""

import math

__all__ = ["Gate", "RequestRate", "TokenBudget"]

ROUNDING = 1e-6
"""Of a request that may be missing: a clock of large numbers cannot tell when exactly it is there."""


class RequestRate:
    """A token bucket for requests.

    The bucket holds a twentieth of the minute's requests at most. It fills so slowly that a full bucket and
    what comes in during 60 s are together no more than the limit; half a second of slack is left for
    requests that reach the endpoint later than others. It starts with a single request, for a run that ended
    a moment ago may have had its share of the minute.
    """

    def __init__(self, per_minute: int) -> None:
        """Takes the limit.

        Args:
            per_minute: Requests in any 60 s at most; 0: any number.
        """
        self._limited = per_minute > 0
        self._size = max(1, per_minute // 20)
        self._per_second = (per_minute - self._size + 1) / 60.5
        self._tokens, self._time = 1.0, -math.inf

    def pause(self, now: float) -> float:
        """Seconds until a request may be sent; 0: at once."""
        if not self._limited:
            return 0.0
        missing = 1 - self._level(now)
        return missing / self._per_second if missing > ROUNDING else 0.0

    def take(self, now: float) -> None:
        """Counts a request that is sent now; only after `pause` has given 0."""
        if self._limited:
            self._tokens, self._time = max(0.0, self._level(now) - 1), now

    def _level(self, now: float) -> float:
        if self._time == -math.inf:
            return self._tokens
        return min(float(self._size), self._tokens + (now - self._time) * self._per_second)


class TokenBudget:
    """A number of tokens that is never overrun: what a call may cost is set aside before it is sent.

    Attributes:
        spent: Tokens of replies, and all that was set aside for requests whose end is not known (they may
            have been charged).
        reserved: Tokens set aside for calls in flight.
    """

    def __init__(self, tokens: int) -> None:
        """Takes the limit.

        Args:
            tokens: Tokens at most; 0: any number.
        """
        self.limit = tokens
        self.spent = 0
        self.reserved = 0

    def reserve(self, tokens: int) -> bool:
        """Sets tokens aside; False, and nothing is, where they are not there."""
        if self.limit and self.spent + self.reserved + tokens > self.limit:
            return False
        self.reserved += tokens
        return True

    def settle(self, reserved: int, spent: int) -> None:
        """Gives back what was set aside for a call and counts what it cost."""
        self.reserved -= reserved
        self.spent += spent


class Gate:
    """Holds calls back while the endpoint is out of reach or refuses all: then one at a time tries it.

    It closes at the third call in a row that found nobody or was told to slow down, and opens when a call
    gets through.

    Attributes:
        closed: Whether calls are held back.
    """

    CLOSES_AT = 3
    LONGEST_AWAY, LONGEST_LIMITED = 2.0, 30.0
    """Seconds between two tries at most; unless the endpoint itself says when it can be asked again."""

    def __init__(self) -> None:
        self.closed = False
        self._until = 0.0
        self._trying = False
        self._row = self._pauses = 0

    def pause(self, now: float) -> float:
        """Seconds until a call may be sent; 0: at once; infinite: as soon as the one that tries is back."""
        if not self.closed:
            return 0.0
        return math.inf if self._trying else max(0.0, self._until - now)

    def sent(self) -> bool:
        """Notes that a call is sent; returns whether it is one that tries a closed gate."""
        self._trying = self.closed
        return self.closed

    def turned_away(self, now: float, tries: bool, *, limited: bool, wait: float | None) -> bool:
        """Notes a call that did not get through.

        Args:
            now: The time.
            tries: What `sent` said of it.
            limited: Whether the endpoint answered that there were too many; otherwise nobody answered.
            wait: Seconds that the endpoint asked for; None: it did not say.

        Returns:
            Whether this has closed the gate.
        """
        if tries:
            self._trying = False
        self._row += 1
        if self._row < self.CLOSES_AT or (self.closed and not tries):
            return False
        newly, self.closed = not self.closed, True
        longest = self.LONGEST_LIMITED if limited else self.LONGEST_AWAY
        self._until = now + (min(longest, 0.25 * 2**self._pauses) if wait is None else wait)
        self._pauses = min(self._pauses + 1, 10)
        return newly

    def got_through(self) -> bool:
        """Notes a call that did; returns whether this has opened the gate."""
        newly, self.closed = self.closed, False
        self._trying = False
        self._row = self._pauses = 0
        return newly
