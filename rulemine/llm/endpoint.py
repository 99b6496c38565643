"""The one client of language models: a request over the network, and what came back of it.

Guarantees: the only file that imports openai, and only once a request is to be sent; the client asks once
(`max_retries` 0), so that retries are ours alone; a request ends within the time-out, counted from
sending to the last byte, however slowly bytes drip; the key is in no reply, message, repr or traceback.
"""

import asyncio
import json
import re
import ssl
import sys
from collections.abc import Callable
from typing import Any, TypeGuard

from rulemine.errors import EndpointError, did_you_mean
from rulemine.files import dump_line
from rulemine.llm.call import Call, Reply
from rulemine.llm.options import EndpointOptions
from rulemine.llm.problem import EndpointProblem, error_of, problem_of_network, problem_of_status
from rulemine.llm.secret import Redactor

__all__ = ["Endpoint", "estimate_tokens", "most_tokens", "require_client"]

CONNECT_SECONDS = 10.0
"""For connecting at most; a host that swallows packets is out of reach, not slow."""

MODELS_SECONDS = 5.0
"""For the list of models that makes a message better."""

EMPTY_REASONS = ("length", "content_filter")
"""Finish reasons that explain an answer without content; any other is a fault, however it is called."""

ADAPTABLE = ("max_tokens", "temperature", "seed", "response_format")
"""Parameters that some endpoints or models do not know."""

_UNKNOWN = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|extra|not permitted|not allowed|"
    r"not available|not implemented|invalid parameter"
)
_STRUCTURE = ("response_format", "json_schema", "structured output", "guided", "grammar")


class Endpoint:
    """Sends calls to an endpoint with OpenAI's chat API, and learns which parameters it does not know."""

    def __init__(
        self,
        options: EndpointOptions,
        key: str,
        status: Callable[[str], object] | None = None,
    ) -> None:
        """Makes a client; nothing is sent yet.

        Args:
            options: Where it is.
            key: Its key, see `EndpointOptions.key`.
            status: Told which parameters are left out.

        Raises:
            EndpointError: The package openai is not installed.
        """
        self._options = options
        self._status = status or (lambda text: None)
        user, password = options.login
        secret_query = options.query.values()
        self._redact = Redactor(
            (key, password, f"{user}:{password}" if password else "", *secret_query)
        )
        self._client, self._http, self._network_problems = _connect(options, key)
        address, _, query = options.base_url.partition("?")
        self._chat = f"{address.rstrip('/')}/chat/completions" + (f"?{query}" if query else "")
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": self._client.user_agent,
        }
        self._left_out: dict[str, set[str]] = {}
        self._structured: set[str] = set()
        self._doubted: set[str] = set()
        self.answered = False
        """Whether it has ever answered anything."""

    def __repr__(self) -> str:
        return f"Endpoint({self._options.address})"

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def send(self, call: Call) -> Reply:
        """Sends a call once.

        Raises:
            EndpointProblem: There is no reply to it; see there. Of its kinds all but the last five.
            EndpointError: No call will be answered until the user acts.
        """
        body = self._body(call)
        outcome = await self._post(call.text if body == call.body() else dump_line(body))
        if isinstance(outcome, str):
            reply = self._reply(outcome, call)
            if isinstance(reply, Reply):
                if "response_format" in body:
                    self._structured.add(call.model)
                elif call.key in self._doubted:
                    self._leave_out(call.model, "response_format")
                return reply
            outcome = reply
        outcome.detail = self._redact.message(outcome.detail)
        if outcome.kind == "refused" and self._adapts(outcome, call, body):
            outcome.kind = "adapted"
        if outcome.kind in ("key", "missing", "quota", "dns", "tls"):
            raise await self._hopeless(outcome, call)
        raise outcome

    def _body(self, call: Call) -> dict[str, Any]:
        """What is sent: the call without what the endpoint does not know."""
        body = call.body()
        left_out = self._left_out.get(call.model, ())
        if "max_tokens" in left_out:
            body["max_completion_tokens"] = body.pop("max_tokens")
        for name in left_out:
            body.pop(name, None)
        if self._options.structured == "never" or call.key in self._doubted:
            body.pop("response_format", None)
        return body

    async def _post(self, text: str) -> str | EndpointProblem:
        """The body of a reply to a request, or what was wrong.

        The connections are those of the client, and its way to them is left out: what it does around each
        request costs as much CPU as all the rest of a call, and none of it is of use here.

        Problems are returned: raised from here they would carry the client's exception, and with it the
        request and the key, as their context.
        """
        seconds = self._options.timeout
        try:
            async with asyncio.timeout(seconds):
                response = await self._http.post(
                    self._chat, content=text.encode(), headers=self._headers
                )
        except TimeoutError:
            return EndpointProblem("fault", f"no whole answer within {seconds:g} s", charged=True)
        except self._network_problems as problem:
            found = problem_of_network(problem)
            if found.kind in ("dns", "tls") and self.answered:
                found.kind = "away"  # it was there a moment ago
            return found
        self.answered = True
        said: str = response.content.decode("utf-8", "replace")
        if response.status_code >= 300:
            return problem_of_status(response.status_code, response.headers, said)
        return said

    def _reply(self, text: str, call: Call) -> Reply | EndpointProblem:
        """Reads the body of a reply."""
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            return _fault(f"an answer that is no JSON: {' '.join(text.split())[:100] or 'nothing'}")
        body = body if isinstance(body, dict) else {}
        choices = body.get("choices")
        if not isinstance(choices, list):
            code = error_of(text).get("code")
            if "error" in body and isinstance(code, int) and 400 <= code <= 599:
                return problem_of_status(code, {}, text)  # some relays answer 200 whatever happened
            return _fault(f"an answer without choices: {' '.join(text.split())[:100]}")
        choice = choices[0] if choices and isinstance(choices[0], dict) else {}
        message = choice.get("message")
        if not isinstance(message, dict):
            return _fault("an answer without a choice")
        said = message.get("content")
        if isinstance(said, list):  # of parts, as some servers give it
            said = "".join(str(part.get("text") or "") for part in said if isinstance(part, dict))
        said = said or message.get("refusal")
        reason = choice.get("finish_reason")
        reason = reason[:40] if isinstance(reason, str) and reason else "stop"
        if not isinstance(said, str) or not said:
            if reason not in EMPTY_REASONS:
                return _fault("an answer without content")
            said = ""
        usage = body.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        sent, received = usage.get("prompt_tokens"), usage.get("completion_tokens")
        return Reply(
            self._redact.text(said),
            self._redact.text(reason),
            sent if _is_count(sent) else sum(4 + estimate_tokens(m.content) for m in call.messages),
            received if _is_count(received) else estimate_tokens(said),
        )

    def _adapts(self, problem: EndpointProblem, call: Call, body: dict[str, Any]) -> bool:
        """Whether a request was refused for a parameter that can be left out; it is from now on."""
        if problem.code != "refused":
            return False
        words = problem.detail.lower()
        structured = "response_format" in body
        if (
            structured
            and self._options.structured == "auto"
            and any(w in words for w in _STRUCTURE)
        ):
            return self._leave_out(call.model, "response_format")
        if _UNKNOWN.search(words):
            for name in ADAPTABLE[:3]:
                if name in body and re.search(rf"(?<![a-z_]){name}(?![a-z_])", words):
                    return self._leave_out(call.model, name)
        if structured and self._options.structured == "auto" and call.model not in self._structured:
            self._doubted.add(call.key)  # it may be that; the answer without it will tell
            return True
        return False

    def _leave_out(self, model: str, name: str) -> bool:
        left_out = self._left_out.setdefault(model, set())
        if name not in left_out:
            left_out.add(name)
            instead = "; max_completion_tokens is sent instead" if name == "max_tokens" else ""
            self._status(
                f"{self._options.address}: {model} takes no {name}{instead or ', left out'}."
            )
        return True

    async def _hopeless(self, problem: EndpointProblem, call: Call) -> EndpointError:
        options, kind = self._options, problem.kind
        name = options.api_key_variable
        where, said = options.address, problem.detail.rstrip(". ")
        if kind == "key":
            return EndpointError(
                f"{where}: refused the key ({said}). The key of this endpoint was expected in the "
                f"environment variable {name}. Set it: export {name}=…"
            )
        if kind == "quota":
            return EndpointError(
                f"{where}: nothing is left to pay with ({said}). All replies so far are kept; once there "
                "is credit again, the same command goes on."
            )
        if kind == "dns":
            return EndpointError(
                f"{where}: {said}. Check base_url, and the network of this machine."
            )
        if kind == "tls":
            return EndpointError(
                f"{where}: {said}. A server that speaks no TLS wants http:// in base_url; for a "
                "certificate of your own set SSL_CERT_FILE to the file of its authority."
            )
        if problem.detail.startswith("3"):
            return EndpointError(
                f"{where}: sends elsewhere ({said}). A key is only sent to the address it was given for: "
                "set base_url to the address of the API itself."
            )
        models = await self._models()
        if models:
            hint = did_you_mean(call.model, models) if len(models) <= 20 else "see GET /models"
            hint = hint if hint.endswith("?") else f"{hint}."
            return EndpointError(
                f"{where}: no answer for the model {call.model!r} ({said}). A model that the endpoint has "
                f"was expected; {hint} Set --model."
            )
        return EndpointError(
            f"{where}: no chat API there, or no model {call.model!r} ({said}). Check the model, and that "
            "base_url is the address of the API: it mostly ends in /v1."
        )

    async def _models(self) -> list[str]:
        """The models that the endpoint names; empty where it does not tell."""
        try:
            async with asyncio.timeout(MODELS_SECONDS):
                body = json.loads(await self._client.get("/models", cast_to=str))
            return sorted(
                self._redact.message(str(row["id"]))[:100]
                for row in body["data"]
                if isinstance(row, dict) and "id" in row
            )
        except self._network_problems:
            return []
        except (ValueError, KeyError, TypeError, RecursionError):  # not the list that was expected
            return []


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has: a quarter of its bytes in UTF-8, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def most_tokens(call: Call) -> int:
    """Tokens that a call cannot exceed: no token of the common vocabularies is shorter than a byte.

    What the endpoint's template puts around messages is allowed 16 tokens each, and the schema its bytes.
    """
    sent = sum(16 + len(message.content.encode("utf-8", "replace")) for message in call.messages)
    return sent + len(json.dumps(call.schema)) * (call.schema is not None) + call.max_tokens


def require_client() -> None:
    """Does nothing where the package openai is installed.

    Raises:
        EndpointError: It is not.
    """
    try:
        import openai  # noqa: F401
    except ImportError:
        raise EndpointError(
            "Asking a model needs the package openai, which is not installed. Install it: "
            "pip install 'rulemine[llm]'"
        ) from None


def _connect(options: EndpointOptions, key: str) -> tuple[Any, Any, tuple[type[Exception], ...]]:
    """A client, its connections, and what both raise when the network fails."""
    require_client()
    import httpx2
    import openai

    settings: dict[str, Any] = {
        "follow_redirects": False,  # a key is for the host that it was given for
        "timeout": openai.Timeout(None, connect=min(CONNECT_SECONDS, options.timeout)),
    }
    if options.base_url.startswith("http:"):
        settings["verify"] = (
            False  # there is nothing to verify, and reading all authorities takes time
        )
    if options.is_loopback:
        settings["trust_env"] = False
        if options.base_url.startswith("https:"):  # SSL_CERT_FILE still counts
            settings["verify"] = ssl.create_default_context()
    try:
        transport = openai.DefaultAioHttpClient(**settings)
    except RuntimeError:  # aiohttp is not installed: slower, the same otherwise
        transport = openai.DefaultAsyncHttpxClient(**settings)
    client = openai.AsyncOpenAI(
        api_key=key,
        base_url=options.base_url.partition("?")[0],
        default_query=options.query,
        http_client=transport,
        max_retries=0,
        timeout=settings["timeout"],
    )
    # Of what aiohttp raises not all is turned into errors of httpx2, on which openai is built.
    aiohttp = sys.modules.get("aiohttp")
    network = (openai.OpenAIError, OSError, httpx2.HTTPError)
    return client, transport, (*network, aiohttp.ClientError) if aiohttp else network


def _fault(detail: str) -> EndpointProblem:
    return EndpointProblem("fault", detail, charged=True)


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
