"""What can go wrong with a request, sorted by what is to be done about it.

Guarantee: pure functions of what the endpoint sent or the network raised; nothing here waits or asks again.
"""

import asyncio
import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

__all__ = ["EndpointProblem", "Kind", "problem_of_network", "problem_of_status", "retry_after"]

Kind = Literal[
    "away",
    "cut",
    "limited",
    "busy",
    "fault",
    "empty",
    "refused",
    "adapted",
    "dns",
    "tls",
    "key",
    "missing",
    "quota",
]
"""What a problem is:

- ``away``: nobody there: connection refused, no way, no answer to connecting;
- ``cut``: connected, then cut off before the first byte of an answer;
- ``limited``: 429; ``busy``: 502, 503, 504, 529, 408, 409;
- ``fault``: any other failure that may pass: 500, cut off in the midst, late, not what was asked for;
- ``empty``: answered as it should be, but with nothing in it;
- ``refused``: this request will never be answered (400, 413, 422 …);
- ``adapted``: the endpoint does not know a parameter, which is left out from now on: send again at once;
- ``dns``, ``tls``, ``key``, ``missing``, ``quota``: no request will be answered until the user acts.
"""

LONGEST_WAIT = 300.0
"""Seconds that an endpoint may ask for; more are cut."""


@dataclass(eq=False)
class EndpointProblem(Exception):  # noqa: N818 - an everyday event, not an error to be shown
    """A request that was not answered.

    Attributes:
        kind: See `Kind`.
        detail: What happened, on one line, without the key.
        retry_after: Seconds that the endpoint asked for; None: it did not.
        code: For ``refused``: ``context_too_long`` or ``refused``.
        charged: Whether the endpoint may have charged for it.
    """

    kind: Kind
    detail: str
    retry_after: float | None = None
    code: str = ""
    charged: bool = False

    def __str__(self) -> str:
        return self.detail


def problem_of_status(status: int, headers: Mapping[str, str], text: str) -> EndpointProblem:
    """What an error status means.

    Args:
        status: Of HTTP: 300 or more.
        headers: Of the response; names in any case.
        text: The body: JSON as OpenAI's, or anything else.
    """
    error = error_of(text)
    detail = f"{status}: {message_of(error, text)}"
    code = str(error.get("code") or "")
    if status in (401, 403):
        return EndpointProblem("key", detail)
    if status in (404, 405) or 300 <= status < 400:
        return EndpointProblem("missing", detail)
    if status == 402 or code == "insufficient_quota" or error.get("type") == "insufficient_quota":
        return EndpointProblem("quota", detail)
    wait = retry_after(headers)
    if status == 429:
        return EndpointProblem("limited", detail, wait)
    if status in (408, 409, 502, 503, 504, 529):
        return EndpointProblem("busy", detail, wait)
    if status < 500:
        return EndpointProblem("refused", detail, code=_refusal(status, code, detail))
    return EndpointProblem("fault", detail, wait)


def _refusal(status: int, code: str, detail: str) -> str:
    words = detail.lower()
    too_long = (
        status == 413
        or "context_length" in code
        or "exceed_context_size" in words
        or (
            "context" in words
            and any(w in words for w in ("length", "exceed", "maximum", "size", "window"))
        )
        or ("prompt" in words and "too long" in words)
    )
    return "context_too_long" if too_long else "refused"


def error_of(text: str) -> dict[str, Any]:
    """The error of a JSON body: OpenAI's ``{"error": {…}}``, or what small servers make of it."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(body, dict):
        return {}
    error = body.get("error", body)
    if isinstance(error, str):
        return {"message": error}
    return error if isinstance(error, dict) else {}


def message_of(error: Mapping[str, Any], text: str) -> str:
    """What an error says, on one line; of a page of HTML its beginning."""
    said = error.get("message") or error.get("detail") or text
    return " ".join(str(said).split())[:300] or "nothing more was said"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that an endpoint asks to wait: ``retry-after-ms``, else ``Retry-After``, seconds or a date.

    A date is measured by the clock of the endpoint, where it tells the time; else by ours.

    Returns:
        0 to `LONGEST_WAIT`; None where nothing readable is said.
    """
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            wait = float(lower.get(name, "")) * unit
        except ValueError:
            continue
        if wait >= 0:  # not: NaN
            return min(wait, LONGEST_WAIT)
    until = _date(lower.get("retry-after", ""))
    if until is None:
        return None
    now = _date(lower.get("date", "")) or datetime.now(UTC)
    return min(max(0.0, (until - now).total_seconds()), LONGEST_WAIT)


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


_NOT_CONNECTED = {
    "ClientConnectorError",
    "ClientHttpProxyError",
    "ClientProxyConnectionError",
    "ConnectError",
    "ConnectionTimeoutError",
    "ProxyError",
}
"""Names of what the transports raise before a connection stands: aiohttp's, and httpcore's for the other."""

_NO_ANSWER = {"ServerDisconnectedError", "ClientOSError", "ReadError", "WriteError"}


_PASSING_TLS = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError, ssl.SSLWantReadError)
"""What a connection that breaks off looks like under TLS."""


def problem_of_network(problem: BaseException) -> EndpointProblem:
    """What an exception of a transport means: told by what lies at its bottom, the same for both transports.

    Args:
        problem: As the client raised it, with its causes.
    """
    chain = list(_causes(problem))
    said = " ".join(str(chain[-1]).split())[:200] or type(chain[-1]).__name__
    # The outer layers are renamed on the way (a refused connection becomes a time-out), so the names are
    # those of the innermost libraries.
    names = {
        type(e).__name__ for e in chain if not type(e).__module__.startswith(("openai", "httpx"))
    }
    for cause in chain:
        if isinstance(cause, socket.gaierror):
            return EndpointProblem("dns", f"the name of the host is not known ({cause.strerror})")
    for cause in reversed(chain):
        if isinstance(cause, ssl.SSLError) and not isinstance(cause, _PASSING_TLS):
            reason = (
                getattr(cause, "verify_message", "") or getattr(cause, "reason", "") or str(cause)
            )
            return EndpointProblem("tls", f"no TLS connection: {reason}")
    if any(isinstance(cause, ConnectionRefusedError) for cause in chain):
        return EndpointProblem("away", "connection refused")
    if names & _NOT_CONNECTED or any(
        type(e).__name__ == "ConnectTimeout" and type(e).__module__.startswith("httpcore")
        for e in chain
    ):
        if isinstance(chain[-1], asyncio.CancelledError | TimeoutError):
            said = "nothing came back"  # as from a server without TLS that is asked for it
        return EndpointProblem("away", f"no connection: {said}")
    cut = any(isinstance(cause, ConnectionResetError | BrokenPipeError) for cause in chain)
    if cut or names & _NO_ANSWER or "without sending a response" in str(problem):
        return EndpointProblem("cut", "the connection was cut before an answer", charged=True)
    return EndpointProblem("fault", f"the answer broke off or is no HTTP: {said}", charged=True)


def _causes(problem: BaseException | None) -> Iterator[BaseException]:
    """An exception and all that led to it, outermost first."""
    seen: set[int] = set()
    open_ends = [problem]
    while open_ends:
        found = open_ends.pop(0)
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        open_ends += [found.__cause__, found.__context__]
        open_ends += [getattr(found, name, None) for name in ("os_error", "certificate_error")]
        open_ends += getattr(found, "exceptions", ())
