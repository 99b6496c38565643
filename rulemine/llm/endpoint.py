"""An endpoint with OpenAI's chat API: what is sent to it for a call, and what came back of it.

Guarantees: a request ends within the time-out, counted from sending to the last byte, however slowly bytes
drip; the key is in no reply, message, repr or traceback.
"""

import asyncio
import json
import re
from collections.abc import Callable
from typing import TypeGuard

from rulemine.codec import dump_line
from rulemine.errors import EndpointError, did_you_mean
from rulemine.llm.call import Call, Reply
from rulemine.llm.client import Client
from rulemine.llm.options import EndpointOptions
from rulemine.llm.problem import EndpointProblem, error_of, problem_of_network, problem_of_status
from rulemine.llm.secret import Redactor

__all__ = ["Endpoint", "estimate_tokens", "most_tokens"]

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
        self._client = Client(options, key)
        self._left_out: dict[str, frozenset[str]] = {}
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
        omitted = self._omitted(call)
        structured = call.schema is not None and "response_format" not in omitted
        outcome = await self._post(_without(call, omitted) if omitted else call.text)
        if isinstance(outcome, str):
            reply = self._reply(outcome, call)
            if isinstance(reply, Reply):
                if structured:
                    self._structured.add(call.model)
                elif call.key in self._doubted:
                    self._leave_out(call.model, "response_format")
                return reply
            outcome = reply
        outcome.detail = self._redact.message(outcome.detail)
        if outcome.kind == "refused" and self._adapts(outcome, call, omitted):
            outcome.kind = "adapted"
        if outcome.kind in ("key", "missing", "quota", "dns", "tls"):
            raise await self._hopeless(outcome, call)
        raise outcome

    def _omitted(self, call: Call) -> frozenset[str]:
        """The parameters of a call that the endpoint does not know."""
        omitted = self._left_out.get(call.model, frozenset())
        if self._options.structured == "never" or call.key in self._doubted:
            omitted |= {"response_format"}
        return omitted

    async def _post(self, text: str) -> str | EndpointProblem:
        """The body of a reply to a request, or what was wrong.

        Problems are returned: raised from here they would carry the client's exception, and with it the
        request and the key, as their context.
        """
        seconds = self._options.timeout
        try:
            async with asyncio.timeout(seconds):
                status, headers, body = await self._client.post(text)
        except TimeoutError:
            return EndpointProblem("fault", f"no whole answer within {seconds:g} s", charged=True)
        except self._client.problems as problem:
            found = problem_of_network(problem)
            if found.kind in ("dns", "tls") and self.answered:
                found.kind = "away"  # it was there a moment ago
            return found
        self.answered = True
        said = body.decode("utf-8", "replace")
        if status >= 300:
            return problem_of_status(status, headers, said)
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
            return EndpointProblem("empty", "an answer without a choice", charged=True)
        said = message.get("content")
        if isinstance(said, list):  # of parts, as some servers give it
            said = "".join(str(part.get("text") or "") for part in said if isinstance(part, dict))
        said = said or message.get("refusal")
        reason = choice.get("finish_reason")
        reason = reason[:40] if isinstance(reason, str) and reason else "stop"
        if not isinstance(said, str) or not said:
            if reason not in EMPTY_REASONS:
                return EndpointProblem("empty", "an answer without content", charged=True)
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

    def _adapts(self, problem: EndpointProblem, call: Call, omitted: frozenset[str]) -> bool:
        """Whether a request was refused for a parameter that can be left out; it is from now on."""
        if problem.code != "refused":
            return False
        words = problem.detail.lower()
        sent = call.body().keys() - omitted
        structured = "response_format" in sent
        if (
            structured
            and self._options.structured == "auto"
            and any(w in words for w in _STRUCTURE)
        ):
            return self._leave_out(call.model, "response_format")
        if _UNKNOWN.search(words):
            for name in ADAPTABLE[:3]:
                if name in sent and re.search(rf"(?<![a-z_]){name}(?![a-z_])", words):
                    return self._leave_out(call.model, name)
        if structured and self._options.structured == "auto" and call.model not in self._structured:
            self._doubted.add(call.key)  # it may be that; the answer without it will tell
            return True
        return False

    def _leave_out(self, model: str, name: str) -> bool:
        left_out = self._left_out.get(model, frozenset())
        if name not in left_out:
            self._left_out[model] = left_out | {name}
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
                body = json.loads(await self._client.models())
            return sorted(
                self._redact.message(str(row["id"]))[:100]
                for row in body["data"]
                if isinstance(row, dict) and "id" in row
            )
        except self._client.problems:
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


def _without(call: Call, omitted: frozenset[str]) -> str:
    """A request without some of its parameters, as JSON."""
    body = call.body()
    if "max_tokens" in omitted:
        body["max_completion_tokens"] = body["max_tokens"]
    return dump_line({name: value for name, value in body.items() if name not in omitted})


def _fault(detail: str) -> EndpointProblem:
    return EndpointProblem("fault", detail, charged=True)


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
