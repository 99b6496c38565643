"""The one client of language models: what is sent to an endpoint for a call, and what came back.

Guarantees: every request goes through `openai.AsyncOpenAI`, which nothing else imports, and only once a
request is to be sent; each is sent once, so that retries are the session's alone; redirects are not followed,
as a key is for the host that it was given for; a request ends within the time-out, counted from sending to
the last byte, and its answer is bounded; the key is in no reply, message, repr or traceback.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from importlib.util import find_spec
from typing import Any

from rulemine.errors import EndpointError
from rulemine.llm.call import Call, Reply
from rulemine.llm.failures import CallProblem, problem_of_network, problem_of_status
from rulemine.llm.options import EndpointOptions
from rulemine.llm.wire import Wire

__all__ = ["Client", "require_client"]

CONNECT_SECONDS, MOST_BYTES = 10.0, 8_000_000
"""For connecting, and of an answer, at most: no host is that slow, and no reply that long."""

SHORTEST_SECRET = 8
"""Characters of what is struck out of all that is shown; shorter ones would take words along."""


class Client:
    """Sends calls to an endpoint with OpenAI's API, and learns which parameters it does not know."""

    def __init__(self, options: EndpointOptions, key: str, status: Callable[[str], object]) -> None:
        """Makes it; nothing is sent yet.

        Args:
            options: Where the endpoint is.
            key: Its key, see `EndpointOptions.key`.
            status: Called with sentences about parameters that are left out.

        Raises:
            EndpointError: The package openai is not installed.
        """
        require_client()
        import httpx2
        import openai

        secure = options.base_url.startswith("https:")  # SSL_CERT_FILE counts, on this machine too
        timeout = openai.Timeout(None, connect=min(CONNECT_SECONDS, options.timeout))
        self._openai = openai.AsyncOpenAI(
            api_key=key,
            base_url=options.base_url.partition("?")[0],
            default_query=options.query,
            default_headers={"Accept-Encoding": "identity"},
            http_client=openai.DefaultAsyncHttpxClient(
                follow_redirects=False,
                timeout=timeout,
                verify=secure and httpx2.create_ssl_context(),
                trust_env=not options.is_loopback,
                event_hooks={"response": [_bound]},
            ),
            max_retries=0,
            timeout=timeout,
        )
        self._status_error = openai.APIStatusError
        self._errors = (openai.OpenAIError, httpx2.HTTPError, OSError)
        self._unconnected = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError)
        self._options, self._wire = options, Wire(options, status)
        self._secrets = [s for s in (key, *options.secrets) if len(s) >= SHORTEST_SECRET]

    def __repr__(self) -> str:
        return f"Client({self._options.address})"

    async def close(self) -> None:
        """Closes the connections."""
        await self._openai.close()

    async def send(self, call: Call) -> Reply:
        """Sends a call once.

        Raises:
            CallProblem: There is no reply to it.
            EndpointError: No call will be answered until the user acts.
        """
        body = self._wire.body(call)
        posted = await self._post(call.path, body)
        found = self._wire.read(posted, call) if isinstance(posted, str) else posted
        if isinstance(found, Reply):
            return found
        if found.kind == "refused" and self._wire.adapts(found, call.model, body):
            found.kind = "adapted"
        if found.kind != "fatal":
            raise found
        advice = found.advice.format(variable=self._options.api_key_variable)
        raise EndpointError(f"{self._options.address}: {found.detail.rstrip('. ')}. {advice}")

    async def _post(self, path: str, body: dict[str, Any]) -> str | CallProblem:
        """The body of an answer, or what was wrong.

        Problems are returned: raised from here they would carry the client's exception, and with it the
        request and the key, as their context.
        """
        seconds = self._options.timeout
        try:
            async with asyncio.timeout(seconds):
                body_text = await self._openai.post(path, body=body, cast_to=str)
                return self._struck_out(body_text)
        except TimeoutError:
            return CallProblem("fault", f"no whole answer within {seconds:g} s")
        except self._status_error as problem:
            answer = problem.response
            text = self._struck_out(answer.text)
            return problem_of_status(answer.status_code, answer.headers, text)
        except self._errors as problem:
            found = problem_of_network(problem, self._unconnected)
            found.detail = self._struck_out(found.detail)
            return found

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


async def _bound(response: Any) -> None:
    """Has the client read no more of an answer than memory is meant for."""
    from httpx2 import AsyncByteStream, RemoteProtocolError

    class Bounded(AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for piece in stream:
                size += len(piece)
                if size > MOST_BYTES:
                    raise RemoteProtocolError(f"an answer of more than {MOST_BYTES:,} bytes")
                yield piece

        async def aclose(self) -> None:
            await stream.aclose()

    if response.headers.get("content-encoding", "identity") != "identity":
        raise RemoteProtocolError("an answer that is compressed, though none such was asked for")
    stream, response.stream = response.stream, Bounded()
