"""The one client of language models: what is sent to an endpoint for a call, and what came back.

Guarantees: every request goes through `openai.AsyncOpenAI`, which nothing else imports, and only once a
request is to be sent; it sends again what may pass, after the waits that endpoints ask for; redirects are not
followed, as a key is for the host that it was given for; a request ends within the time-out, counted from
sending to the last byte, and its answer is bounded; the key is in no reply, message, repr or traceback.
"""

import asyncio
import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from rulemine.errors import EndpointError
from rulemine.llm.call import Call, Reply
from rulemine.llm.options import EndpointOptions
from rulemine.llm.wire import CallProblem, Wire, problem_of_status

__all__ = ["Client", "require_client"]

RETRIES = 5
"""Times that a request is sent again before it counts as failed; half a second later, then twice as long."""

CONNECT_SECONDS, MOST_BYTES = 10.0, 8_000_000
"""For connecting, and of an answer, at most: no host is that slow, and no reply that long."""

SHORTEST_SECRET = 8
"""Characters of what is struck out of all that is shown; shorter ones would take words along."""


class Client:
    """Sends calls to an endpoint with OpenAI's API, and learns which parameters it does not know.

    Attributes:
        address: Where the endpoint is, fit to be shown.
        slots: To be held while a call is sent.
        replied: When the last reply came.
        silent: When a request was sent that failed, the first one since then.
        told: Of which silence it was told.
    """

    def __init__(
        self,
        options: EndpointOptions,
        sends: Callable[[], object],
        status: Callable[[str], object],
    ) -> None:
        """Makes it; nothing is sent yet.

        Args:
            options: Where the endpoint is.
            sends: Called for each request.
            status: Called with sentences about parameters that are left out.

        Raises:
            EndpointError: The package openai is not installed, or there is no key.
        """
        key, query = options.key(), options.query
        require_client()
        import httpx2
        import openai
        from aiolimiter import AsyncLimiter

        minute = options.max_requests_per_minute
        # Evenly apart, with half a second of slack for requests that arrive later than others.
        limiter = AsyncLimiter(1, 60.5 / minute) if minute else None

        class Http(openai.DefaultAsyncHttpxClient):
            """Sends each request, those that the client sends again among them."""

            async def send(self, request: Any, **how: Any) -> httpx2.Response:
                if limiter is not None:
                    await limiter.acquire()
                sends()
                try:
                    async with asyncio.timeout(options.timeout):
                        answer = await super().send(request, **{**how, "stream": True})
                        whole: httpx2.Response = await _whole(answer)
                        return whole
                except TimeoutError:
                    late = f"no whole answer within {options.timeout:g} s"
                    raise openai.OpenAIError(late) from None

        # An address that names what is called is that of the API; Azure knows the key by another header.
        base = re.sub(r"/(chat/completions|embeddings)/?$", "", options.base_url.partition("?")[0])
        azure = {"api-key": key} if "api-version" in query else {}
        timeout = openai.Timeout(None, connect=min(CONNECT_SECONDS, options.timeout))
        secure = base.startswith("https:")  # SSL_CERT_FILE counts, on this machine too
        self._openai = openai.AsyncOpenAI(
            api_key=key,
            base_url=base,
            default_query=query,
            default_headers={"Accept-Encoding": "identity", **azure},
            http_client=Http(
                follow_redirects=False,
                timeout=timeout,
                verify=secure and httpx2.create_ssl_context(),
                trust_env=not options.is_loopback,
            ),
            max_retries=RETRIES,
            timeout=timeout,
        )
        self._vain, self._status_error = openai.OpenAIError, openai.APIStatusError
        self._errors = (openai.OpenAIError, httpx2.HTTPError, OSError)
        self._unconnected = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError)
        self._options, self._wire = options, Wire(options, status)
        self._secrets = [s for s in (key, *options.secrets) if len(s) >= SHORTEST_SECRET]
        self.slots = asyncio.Semaphore(options.concurrency)
        self.address = options.address
        self.replied = self.silent = self.told = 0.0

    def __repr__(self) -> str:
        return f"Client({self.address})"

    async def close(self) -> None:
        """Closes the connections."""
        await self._openai.close()

    async def send(self, call: Call) -> Reply | CallProblem:
        """Sends a call, again where its failure may pass: the reply, or why there is none.

        Raises:
            EndpointError: No call will be answered until the user acts.
        """
        while True:
            body = self._wire.body(call)
            posted = await self._post(call.path, body)
            found = self._wire.read(posted, call) if isinstance(posted, str) else posted
            if isinstance(found, Reply):
                return found
            if not self._wire.adapts(found, call.model, body):
                break
        if found.kind == "fatal":
            advice = found.advice.format(variable=self._options.api_key_variable)
            raise EndpointError(f"{self.address}: {found.detail.rstrip('. ')}. {advice}")
        return found

    async def _post(self, path: str, body: dict[str, Any]) -> str | CallProblem:
        """The body of an answer, or what was wrong.

        Problems are returned: raised from here they would carry the client's exception, and with it the
        request and the key, as their context.
        """
        try:
            return self._struck_out(await self._openai.post(path, body=body, cast_to=str))
        except self._status_error as problem:
            text = self._struck_out(problem.response.text)
            return problem_of_status(problem.status_code, text)._replace(tries=1 + RETRIES)
        except self._errors as problem:
            if type(problem) is self._vain:
                return CallProblem("fault", str(problem))
            cause = problem.__cause__ or problem
            reason = " ".join(str(cause).split())[:200] or type(cause).__name__
            away = isinstance(cause, self._unconnected)
            what = "no connection" if away else "the answer broke off or is no HTTP"
            detail = self._struck_out(f"{what}: {reason}")
            return CallProblem("busy" if away else "fault", detail, tries=1 + RETRIES)

    def _struck_out(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "…")
        return text


def require_client() -> None:
    """Does nothing where the packages of the extra ``llm`` are installed.

    Raises:
        EndpointError: They are not.
    """
    if find_spec("openai") is None or find_spec("aiolimiter") is None:
        raise EndpointError(
            "Asking a model needs the packages openai and aiolimiter, and they are not installed. Install "
            "them: pip install 'rulemine[llm]'"
        )


async def _whole(answer: Any) -> Any:
    """An answer with its body read, no more of it than memory is meant for.

    The client sends a request again unless `OpenAIError` is raised or the answer says not to.
    """
    import httpx2
    from openai import OpenAIError

    body = bytearray()
    try:
        async for piece in answer.aiter_bytes():
            body += piece
            if len(body) > MOST_BYTES:
                raise OpenAIError(f"an answer of more than {MOST_BYTES:,} bytes")
    finally:
        await answer.aclose()
    kept = {
        name: value for name, value in answer.headers.items() if name.startswith(("retry-", "x-"))
    }
    if answer.status_code == 501 or b"insufficient_quota" in body:
        kept["x-should-retry"] = "false"
    return httpx2.Response(
        answer.status_code, headers=kept, content=bytes(body), request=answer.request
    )
