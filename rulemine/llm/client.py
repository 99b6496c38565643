"""The one client of language models: bytes over the network to an endpoint, and the bytes of its answer back.

Guarantees: the only file that imports openai, and only once a request is to be sent; a request is sent once
(`max_retries` 0), so that retries are ours alone; redirects are not followed, as a key is for the host that
it was given for.
"""

import ssl
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple
from urllib.request import getproxies

from rulemine.errors import EndpointError
from rulemine.llm.options import EndpointOptions

__all__ = ["Answered", "Client", "require_client"]

CONNECT_SECONDS = 10.0
"""For connecting at most; a host that swallows packets is out of reach, not slow."""

IDLE_SECONDS = 4.0
"""A connection is kept for its next request; common servers drop it after 5."""


class Answered(NamedTuple):
    """What an endpoint answered.

    Attributes:
        status: Of HTTP.
        headers: The names are found in any case.
        body: Whole, and no longer compressed.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class Client:
    """The client of openai, and a short way past it for the requests that come by the thousand.

    What openai and httpx do around each request takes as much CPU as all the rest of a call, and none of it
    is of use here: where aiohttp is installed (it is, with ``rulemine[llm]``) and neither a proxy nor a
    login is in between, requests go out on connections of aiohttp.

    Attributes:
        problems: What is raised when the network fails. It holds the request, and with it the key.
    """

    def __init__(self, options: EndpointOptions, key: str) -> None:
        """Makes it; nothing is sent yet.

        Args:
            options: Where the endpoint is.
            key: Its key.

        Raises:
            EndpointError: The package openai is not installed.
        """
        try:
            import httpx2
            import openai
        except ImportError:
            raise _missing() from None
        address, _, query = options.base_url.partition("?")
        self._chat = f"{address.rstrip('/')}/chat/completions" + (f"?{query}" if query else "")
        self._connect_seconds = min(CONNECT_SECONDS, options.timeout)
        self._tls: ssl.SSLContext | bool = False  # reading all authorities takes time
        if options.base_url.startswith("https:"):  # SSL_CERT_FILE counts
            local = options.is_loopback
            self._tls = ssl.create_default_context() if local else httpx2.create_ssl_context()
        timeout = openai.Timeout(None, connect=self._connect_seconds)
        self._http = openai.DefaultAsyncHttpxClient(
            follow_redirects=False,
            timeout=timeout,
            verify=self._tls,
            trust_env=not options.is_loopback,
        )
        self._openai = openai.AsyncOpenAI(
            api_key=key,
            base_url=address,
            default_query=options.query,
            http_client=self._http,
            max_retries=0,
            timeout=timeout,
        )
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": self._openai.user_agent,
        }
        self.problems: tuple[type[Exception], ...] = (
            openai.OpenAIError, OSError, httpx2.HTTPError,
        )  # fmt: skip
        self._aiohttp: Any = None
        self._session: Any = None
        if not any(options.login) and (options.is_loopback or not getproxies()):
            self._aiohttp = _aiohttp()
        if self._aiohttp is not None:
            self.problems += (self._aiohttp.ClientError,)

    def __repr__(self) -> str:
        return "Client(…)"

    async def post(self, text: str) -> Answered:
        """What is answered to a request for a reply; see `problems`."""
        content = text.encode()
        if self._aiohttp is None:
            response = await self._http.post(self._chat, content=content, headers=self._headers)
            return Answered(response.status_code, response.headers, response.content)
        if self._session is None:
            self._session = self._connections()
        async with self._session.post(self._chat, data=content, allow_redirects=False) as answer:
            return Answered(answer.status, answer.headers, await answer.read())

    async def models(self) -> str:
        """What is answered to a request for the list of models; see `problems`."""
        return await self._openai.get("/models", cast_to=str)

    async def close(self) -> None:
        """Closes the connections."""
        try:
            await self._openai.close()
        finally:
            if self._session is not None:
                await self._session.close()

    def _connections(self) -> Any:
        """Connections of aiohttp; to be made within a running event loop."""
        aiohttp = self._aiohttp
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=self._tls, keepalive_timeout=IDLE_SECONDS),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._connect_seconds),
            headers=self._headers,
            cookie_jar=aiohttp.DummyCookieJar(),
        )


def require_client() -> None:
    """Does nothing where the package openai is installed.

    Raises:
        EndpointError: It is not.
    """
    if find_spec("openai") is None:
        raise _missing()


def _missing() -> EndpointError:
    return EndpointError(
        "Asking a model needs the package openai, which is not installed. Install it: "
        "pip install 'rulemine[llm]'"
    )


def _aiohttp() -> Any:
    """The package aiohttp; None where it is not installed: slower, the same otherwise."""
    try:
        import aiohttp
    except ImportError:
        return None
    return aiohttp
