"""What can go wrong with a request, sorted by what is to be done about it, and the rule of patience."""

import json
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from rulemine.errors import EndpointError
from rulemine.llm.options import EndpointOptions

__all__ = ["CallProblem", "Patience", "error_of", "problem_of_network", "problem_of_status"]

MOST_FAILURES, MOST_TRIES = 40, 6
"""Failures in a row that end a run; tries of a call that fails while others are answered."""

PATIENCE = 120.0
"""Seconds of failures without a reply after which a run ends, with all replies kept."""

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 30.0
"""Seconds before a call is sent again; twice as long each time."""


_TOO_LONG = re.compile(
    r"context.*(length|exceed|maximum|size|window)|(length|exceed|maximum|size).*context|prompt.*too long"
)


@dataclass(eq=False)
class CallProblem(Exception):  # noqa: N818 - an everyday event, not an error to be shown
    """A request that was not answered.

    Attributes:
        kind: ``adapted``: a parameter was refused that is left out from now on; ``retry``: nobody is there,
            or they are busy; ``fault``: another failure that may pass, perhaps of this request alone, and
            that may have been charged for; ``refused``: this request will never be answered;
            ``fatal``: none will be, until the user acts.
        detail: What happened, on one line, without the key.
        retry_after: Seconds that the endpoint asked for; 0: none, or no finite number.
        code: For ``refused``: ``context_too_long`` or ``refused``.
        advice: For ``fatal``: what to do.
    """

    kind: Literal["adapted", "retry", "fault", "refused", "fatal"]
    detail: str
    retry_after: float = 0.0
    code: str = "refused"
    advice: str = ""

    def __str__(self) -> str:
        return self.detail


def problem_of_status(status: int, headers: Mapping[str, str], text: str) -> CallProblem:
    """What an error status means.

    Args:
        status: Of HTTP: 300 or more.
        headers: Of the response; names in lower case are found.
        text: The body: JSON as OpenAI's, or anything else.
    """
    error = error_of(text)
    message = error.get("message") or error.get("detail") or text
    detail = f"{status}: {' '.join(str(message).split())[:300] or 'nothing more was message'}"
    code, words = str(error.get("code") or ""), detail.lower()
    advice = ""
    if status in (401, 403):
        advice = "It refused the key, which is read from the variable {variable}. Set it: export {variable}=…"
    elif status < 400:
        advice = "It sends elsewhere; a key goes only where it was meant for. Set base_url to the API itself."
    elif status in (404, 405):
        advice = (
            "Check --model, and that base_url is the address of a chat API: it mostly ends in /v1."
        )
    elif status == 501:
        advice = "It serves either chat or embeddings, not both. Set base_url to one that has what is asked."
    elif status == 402 or "insufficient_quota" in (code, error.get("type")):
        advice = "Nothing is left to pay with. Every reply is kept; the same command goes on with credit."
    if advice:
        return CallProblem("fatal", detail, advice=advice)
    if status in (408, 409, 429, 502, 503, 504, 529):
        return CallProblem("retry", detail, _retry_after(headers))
    if status >= 500:
        return CallProblem("fault", detail, _retry_after(headers))
    too_long = status == 413 or "context_length" in code or _TOO_LONG.search(words)
    return CallProblem("refused", detail, code="context_too_long" if too_long else "refused")


def error_of(text: str) -> dict[str, Any]:
    """The error of a JSON body: OpenAI's ``{"error": {…}}``, or what small servers make of it."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    error = body.get("error", body) if isinstance(body, dict) else {}
    return error if isinstance(error, dict) else {"message": error}


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that an endpoint asks to wait: ``retry-after-ms``, else ``Retry-After``, seconds or a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            wait = float(value) * unit
        except ValueError:
            try:  # a date is measured by the clock of the endpoint, if it sends the time
                date = headers.get("date")
                now = parsedate_to_datetime(date) if date else datetime.now(UTC)
                wait = (parsedate_to_datetime(value) - now).total_seconds()
            except (ValueError, TypeError):
                continue
        return wait if 0 <= wait < math.inf else 0.0
    return 0.0


def problem_of_network(problem: BaseException, unconnected: tuple[type, ...]) -> CallProblem:
    """What an exception of the client means.

    Args:
        problem: As the client raised it, with its causes.
        unconnected: What is among the causes where there was no connection.
    """
    chain = [problem]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) and cause not in chain:
        chain.append(cause)
    reason = next((text for e in reversed(chain) if (text := " ".join(str(e).split())[:200])), "?")
    if any(isinstance(cause, unconnected) for cause in chain):
        return CallProblem("retry", f"no connection: {reason}")
    return CallProblem("fault", f"the answer broke off or is no HTTP: {reason}")


class Patience:
    """The one rule of patience, see `PATIENCE` and `MOST_FAILURES`.

    Requests that were on their way at the same time fail together: only the first of them counts, but for
    those that were refused, which have nothing to do with each other.
    """

    def __init__(self, options: EndpointOptions, status: Callable[[str], object]) -> None:
        """Takes where the endpoint is, and whom to tell that there is no reply."""
        self._options, self._status = options, status
        self._good = self._counted = 0.0
        self._since: float | None = None
        self._row = 0

    def reply(self) -> None:
        """Counts a reply."""
        self._good, self._since, self._row = time.monotonic(), None, 0

    def failure(self, problem: CallProblem, sent: float) -> None:
        """Counts a request that failed and was sent then.

        Raises:
            EndpointError: It was one too many.
        """
        now, address = time.monotonic(), self._options.address
        if self._since is None:
            self._since = max(sent, self._good)
        if sent >= self._counted or problem.kind == "refused":
            self._row, self._counted = self._row + 1, now
            if self._row == 3 and problem.kind != "refused":
                self._status(f"{address}: no reply ({problem}); trying for up to {PATIENCE:g} s.")
        if self._row >= MOST_FAILURES or now - self._since >= PATIENCE:
            seconds, last = now - self._since, problem.detail.rstrip(". ")
            raise EndpointError(
                f"{address}: no reply for {seconds:.0f} s, {self._row} failures in a row; the last: {last}. "
                "All replies are kept, and the same command goes on. Check the endpoint and --model, or set "
                "a longer --timeout."
            )

    def gives_up(self, begun: float, tries: int, before: bool) -> bool:
        """Whether a call has failed too often, or for too long, while others were answered.

        Args:
            begun: When it was first sent.
            tries: How often it was sent.
            before: Whether an earlier run gave it up already.
        """
        late = time.monotonic() - begun >= PATIENCE
        return (before or self._good > begun) and (tries >= MOST_TRIES or late)

    def pause(self, problem: CallProblem, tries: int, key: str) -> float:
        """Seconds until a call is sent again, not the same for all calls; longer where that was asked for."""
        pause = min(LONGEST_PAUSE, PATIENCE, FIRST_PAUSE * 2.0 ** min(tries - 1, 20))
        pause *= 0.5 + int(key[:4], 16) / 0x20000
        return max(pause, problem.retry_after) if problem.retry_after <= PATIENCE else pause
