"""The one client of language models: what is sent to an endpoint for a call, and what came back.

Guarantees: every request goes through `openai.AsyncOpenAI`, which nothing else imports, and only once a
request is to be sent; each is sent once, so that retries are the session's alone; redirects are not followed,
as a key is for the host that it was given for; a request ends within the time-out, counted from sending to
the last byte, and its answer is bounded; the key is in no reply, message, repr or traceback.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from importlib.util import find_spec
from typing import Any

from rulemine.errors import EndpointError
from rulemine.llm.call import Call, Reply, pack_vector
from rulemine.llm.failures import CallProblem, error_of, problem_of_network, problem_of_status
from rulemine.llm.options import EndpointOptions

__all__ = ["Client", "require_client"]

CONNECT_SECONDS, MOST_BYTES = 10.0, 8_000_000
"""For connecting, and of an answer, at most: no host is that slow, and no reply that long."""

SHORTEST_SECRET = 8
"""Characters of what is struck out of all that is shown; shorter ones would take words along."""

EXPLAINED = ("length", "content_filter", "tool_calls")
"""Finish reasons that explain an answer without content; any other is a fault, however it is called."""

_ADAPTABLE = {
    "response_format": r"response_format|json_schema|structured output|guided|grammar",
    "max_tokens": r"(?<![a-z_])max_tokens(?![a-z_])",
    "temperature": r"temperature",
    "seed": r"\bseed\b",
    "top_p": r"\btop_p\b",
}
"""Parameters that some endpoints do not know and that can be left out; how a refusal names them."""

_UNKNOWN = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|extra|not permitted|not allowed|"
    r"not available|not implemented|invalid parameter"
)


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
        self._options, self._status = options, status
        self._secrets = [s for s in (key, *options.secrets) if len(s) >= SHORTEST_SECRET]
        self._left_out: dict[str, set[str]] = {}

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
        omitted = set(self._left_out.get(call.model, ()))
        if self._options.structured == "never":
            omitted.add("response_format")
        body = {name: value for name, value in call.request.items() if name not in omitted}
        if "max_tokens" in omitted and call.max_tokens is not None:
            body["max_completion_tokens"] = call.max_tokens
        posted = await self._post(call.path, body)
        found = self._read(posted, call) if isinstance(posted, str) else posted
        if isinstance(found, Reply):
            return found
        if found.kind == "refused" and self._adapts(found, call.model, body):
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

    def _read(self, text: str, call: Call) -> Reply | CallProblem:
        """Reads the body of an answer."""
        shown = " ".join(text[:400].split())[:100] or "nothing"
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            return CallProblem("fault", f"an answer that is no JSON: {shown}")
        body = body if isinstance(body, dict) else {}
        usage = _dict(body.get("usage"))
        if call.inputs and (vectors := _vectors(body.get("data"), len(call.inputs))):
            estimate = sum(map(_tokens, call.inputs))
            return Reply("", "stop", _count(usage.get("prompt_tokens"), estimate), vectors=vectors)
        choices = body.get("choices")
        if call.inputs or not isinstance(choices, list):
            code = error_of(text).get("code")
            if "error" in body and type(code) is int and code >= 400:
                return problem_of_status(code, {}, text)  # some relays answer 200 whatever happened
            what = f"vectors for {len(call.inputs)} texts" if call.inputs else "choices"
            return CallProblem("fault", f"an answer without {what}: {shown}")
        choice = choices[0] if choices and isinstance(choices[0], dict) else {}
        message = _dict(choice.get("message"))
        content = message.get("content") or message.get("refusal")
        if isinstance(content, list):  # of parts, as some servers give it
            content = "".join(str(_dict(part).get("text") or "") for part in content)
        tools = message.get("tool_calls")
        reason = str(choice.get("finish_reason") or "stop")[:40]
        thoughts = str(message.get("reasoning_content") or message.get("reasoning") or "")
        if not (isinstance(content, str) and content):
            blank = call.blank and reason == "stop" and "content" in message
            if reason not in EXPLAINED and not (tools or thoughts or blank):
                return CallProblem("fault", "an answer without content")
            content = ""
        estimate = sum(4 + _tokens(str(message.get("content"))) for message in call.messages)
        return Reply(
            content,
            reason,
            _count(usage.get("prompt_tokens"), estimate),
            _count(usage.get("completion_tokens"), _tokens(content)),
            tools if isinstance(tools, list) else (),
            thoughts,
            _dict(choice.get("logprobs")) or None,
        )

    def _adapts(self, problem: CallProblem, model: str, sent: dict[str, Any]) -> bool:
        """Whether a request was refused for a parameter that can be left out; it is from now on."""
        words = problem.detail.lower()
        for name, named in _ADAPTABLE.items():
            if name == "response_format":
                known = self._options.structured == "always"
            else:
                known = not _UNKNOWN.search(words)
            if known or name not in sent or not re.search(named, words):
                continue
            left_out = self._left_out.setdefault(model, set())
            if name not in left_out:
                left_out.add(name)
                instead = "; max_completion_tokens is sent instead" if name == "max_tokens" else ""
                where = self._options.address
                self._status(f"{where}: {model} takes no {name}, left out{instead}.")
            return True
        return False


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


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _vectors(data: Any, count: int) -> list[str]:
    """The vectors of an answer, in the order of the texts; empty where it is not one for each text."""
    items = [_dict(item) for item in data] if isinstance(data, list) else []
    places = [_count(item.get("index"), at) for at, item in enumerate(items)]
    if sorted(places) != list(range(count)):
        return []
    try:
        packed = {
            at: pack_vector(item["embedding"]) for at, item in zip(places, items, strict=True)
        }
    except (KeyError, ValueError):
        return []
    vectors = [packed[at] for at in range(count)]
    return vectors if len(set(map(len, vectors))) == 1 else []


def _count(value: Any, otherwise: int) -> int:
    return value if type(value) is int and value >= 0 else otherwise


def _tokens(text: str) -> int:
    """About how many tokens a text has: a quarter of its bytes in UTF-8, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // 4)
