"""The format of OpenAI's API: the body of a request for a call, and what the answer to it says.

Guarantee: a request reads the same, and an answer counts as the same, whether it goes over the network at
once or through files of a Batch API.
"""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from rulemine.llm.call import Call, Failure, Reply, pack_vector
from rulemine.llm.options import EndpointOptions

__all__ = ["CallProblem", "Wire", "problem_of_status"]

BUSY = (408, 409, 429, 502, 503, 504, 529)
"""Statuses that pass: nobody is there, or they are busy."""

EXPLAINED = ("length", "content_filter", "tool_calls")
"""Finish reasons that explain an answer without content; any other is a fault, however it is called."""

_NO_KEY = (
    "It refused the key, which is read from the variable {variable}. Set it: export {variable}=…"
)
_NO_API = "Check --model, and that base_url is the address of a chat API: it mostly ends in /v1."
_ELSEWHERE = (
    "It sends elsewhere; a key goes only where it was meant for. Set base_url to the API itself."
)
_NO_CREDIT = (
    "Nothing is left to pay with. Every reply is kept; the same command goes on with credit."
)
_ADVICE = {
    **dict.fromkeys((401, 403), _NO_KEY),
    402: _NO_CREDIT,
    **dict.fromkeys((404, 405), _NO_API),
    501: "It serves either chat or embeddings, not both. Set base_url to one that has what is asked.",
}
"""What to do where no call will be answered until the user acts."""

_TOO_LONG = re.compile(
    r"context.*(length|exceed|maximum|size|window)|(length|exceed|maximum|size).*context|prompt.*too long"
)

_ADAPTABLE = {
    "response_format": r"response_format|json_schema|structured output|guided|grammar",
    "max_tokens": r"(?<![a-z_])max_tokens(?![a-z_])",
    "temperature": r"temperature",
    "seed": r"\bseed\b",
    "top_p": r"\btop_p\b",
    "stream": r"stream",
}
"""Parameters that some endpoints do not take and that can be left out, and one that some insist on; how a
refusal names them."""


class CallProblem(NamedTuple):
    """Why a request has no reply.

    Attributes:
        kind: ``busy``: nobody is there, or they are busy; ``fault``: another failure that may pass, perhaps
            of this request alone, and that may have been charged for; ``refused`` or ``context_too_long``:
            this request will never be answered; ``fatal``: none will be, until the user acts.
        detail: What happened, on one line, without the key.
        advice: For ``fatal``: what to do.
        tries: How often the client has sent the request.
    """

    kind: str
    detail: str
    advice: str = ""
    tries: int = 1

    @property
    def is_refusal(self) -> bool:
        """Whether this request will never be answered, while others may be."""
        return self.kind in ("refused", "context_too_long")

    @property
    def failure(self) -> Failure:
        """What a conversation is told; a refusal may be mended, a text that is too long is not."""
        code = self.kind if self.is_refusal else "endpoint_error"
        return Failure(code, self.detail, code == "context_too_long")


def problem_of_status(status: int, text: str) -> CallProblem:
    """What an error status means.

    Args:
        status: Of HTTP: 300 or more.
        text: The body: JSON as OpenAI's, or anything else.
    """
    error = _error_of(text)
    message = error.get("message") or error.get("detail") or text
    detail = f"{status}: {' '.join(str(message).split())[:300] or 'no word beside it'}"
    code, words = str(error.get("code") or ""), detail.lower()
    advice = _ELSEWHERE if status < 400 else _ADVICE.get(status, "")
    if "insufficient_quota" in (code, error.get("type")):
        advice = _NO_CREDIT
    if advice:
        return CallProblem("fatal", detail, advice)
    if status in BUSY or status >= 500:
        return CallProblem("busy" if status in BUSY else "fault", detail)
    too_long = status == 413 or "context_length" in code or _TOO_LONG.search(words)
    return CallProblem("context_too_long" if too_long else "refused", detail)


class Wire:
    """Writes requests and reads answers, and learns which parameters an endpoint does not know."""

    def __init__(self, options: EndpointOptions, status: Callable[[str], object]) -> None:
        """Takes where the endpoint is, and whom to tell about parameters that are left out."""
        self._options, self._status = options, status
        self._adapted: dict[str, set[str]] = {}

    def body(self, call: Call) -> dict[str, Any]:
        """The body of a request, as the endpoint is known to take it."""
        adapted = self._adapted.get(call.model, set())
        body = {name: value for name, value in call.request.items() if name not in adapted}
        if "max_tokens" in adapted and call.max_tokens is not None:
            body["max_completion_tokens"] = call.max_tokens
        return {**body, "stream": True} if "stream" in adapted else body

    def read(self, text: str, call: Call) -> Reply | CallProblem:
        """Reads the body of an answer.

        Args:
            text: The body, with status 200: whole, or in pieces as a server streams it.
            call: What was asked.
        """
        shown = " ".join(text[:400].split())[:100] or "nothing"
        try:
            pieces = text.lstrip().startswith(("data:", "event:", ":"))
            body = _streamed(text) if pieces else json.loads(text)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            return CallProblem("fault", f"an answer that is no JSON: {shown}")
        body = _dict(body)
        usage = _dict(body.get("usage"))
        if call.inputs and (vectors := _vectors(body.get("data"), len(call.inputs))):
            estimate = sum(map(_tokens, call.inputs))
            return Reply("", "stop", _count(usage.get("prompt_tokens"), estimate), vectors=vectors)
        choices = body.get("choices")
        if call.inputs or not isinstance(choices, list):
            code = _error_of(text).get("code")
            if "error" in body and type(code) is int and code >= 400:
                return problem_of_status(code, text)  # some relays answer 200 whatever happened
            what = f"vectors for {len(call.inputs)} texts" if call.inputs else "choices"
            return CallProblem("fault", f"an answer without {what}: {shown}")
        choice = _dict(next(iter(choices), None))
        message = _dict(choice.get("message"))
        content = message.get("content") or message.get("refusal")
        if isinstance(content, list):  # of parts, as some servers give it
            content = "".join(str(_dict(part).get("text") or "") for part in content)
        tools = message.get("tool_calls")
        if not content and isinstance(tools, list) and not call.tools:
            # some servers put what a schema asks for into the call of a tool that nobody offered
            content = _dict(_dict(next(iter(tools), None)).get("function")).get("arguments")
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

    def adapts(self, problem: CallProblem, model: str, sent: dict[str, Any]) -> bool:
        """Whether a refusal names a parameter that can be left out, or a stream; so it is from now on.

        What else it says does not count, unless that the request is too long: endpoints have many words for
        what they do not take, and what is not sent any more cannot be refused again.

        Args:
            problem: The refusal.
            model: The model.
            sent: The body of the request.
        """
        words = problem.detail.lower()
        for name, named in _ADAPTABLE.items():
            may_be = problem.kind == "refused" and (name in sent) is (name != "stream")
            if not may_be or not re.search(named, words):
                continue
            adapted = self._adapted.setdefault(model, set())
            if name not in adapted:
                adapted.add(name)
                instead = "; max_completion_tokens is sent instead" if name == "max_tokens" else ""
                how = "is asked for a stream" if name == "stream" else f"takes no {name}, left out"
                self._status(f"{self._options.address}: {model} {how}{instead}.")
            return True
        return False


def _streamed(text: str) -> dict[str, Any]:
    """The body of an answer that came in pieces, as it would have come whole.

    Raises:
        ValueError: A piece is no JSON; or another error where it is no piece of an answer.
    """
    found: dict[str, Any] = {}
    message: dict[str, Any] = {}
    tools: dict[int, dict[str, Any]] = {}
    for line in text.split("\n"):
        if not line.startswith("data:") or line[5:].strip() in ("", "[DONE]"):
            continue
        chunk = json.loads(line[5:])
        found |= {name: chunk[name] for name in ("usage", "error") if chunk.get(name)}
        for choice in chunk.get("choices") or ():
            delta = choice["delta"]
            for name in ("content", "refusal", "reasoning_content", "reasoning"):
                message[name] = message.get(name, "") + str(delta.get(name) or "")
            for tool in delta.get("tool_calls") or ():
                said = tool["function"]
                start = {**tool, "function": {**said, "arguments": ""}}
                whole = tools.setdefault(_count(tool.get("index"), 0), start)
                whole["function"]["arguments"] += said.get("arguments") or ""
            if reason := choice.get("finish_reason"):  # without one it broke off
                found["choices"] = [{"finish_reason": reason, "message": message}]
    if tools:
        message["tool_calls"] = [tools[index] for index in sorted(tools)]
    return found


def _error_of(text: str) -> dict[str, Any]:
    """The error of a JSON body: OpenAI's ``{"error": {…}}``, or what small servers make of it."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    error = body.get("error", body) if isinstance(body, dict) else {}
    return error if isinstance(error, dict) else {"message": error}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _vectors(data: Any, count: int) -> list[str]:
    """The vectors of an answer, in the order of the texts; empty where it is not one for each text."""
    try:
        placed = {
            _count(item.get("index"), at): pack_vector(item["embedding"])
            for at, item in enumerate(data)
        }
    except (AttributeError, KeyError, TypeError, ValueError):
        return []
    vectors = [placed[at] for at in range(count) if at in placed]
    fits = len(vectors) == len(data) == count and len(set(map(len, vectors))) == 1
    return vectors if fits else []


def _count(value: Any, otherwise: int) -> int:
    return value if type(value) is int and value >= 0 else otherwise


def _tokens(text: str) -> int:
    """About how many tokens a text has: a quarter of its bytes in UTF-8, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // 4)
