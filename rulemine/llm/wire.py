"""The wire format of OpenAI's API: the body of a request for a call, and what the body of an answer says.

Guarantee: a request reads the same, and an answer counts as the same, whether it goes over the network at
once or through files of a Batch API.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from rulemine.llm.call import Call, Reply, pack_vector
from rulemine.llm.failures import CallProblem, error_of, problem_of_status
from rulemine.llm.options import EndpointOptions

__all__ = ["Wire"]

EXPLAINED = ("length", "content_filter", "tool_calls")
"""Finish reasons that explain an answer without content; any other is a fault, however it is called."""

_ADAPTABLE = {
    "response_format": r"response_format|json_schema|structured output|guided|grammar",
    "max_tokens": r"(?<![a-z_])max_tokens(?![a-z_])",
    "temperature": r"temperature",
    "seed": r"\bseed\b",
    "top_p": r"\btop_p\b",
}
"""Parameters that some endpoints do not take and that can be left out; how a refusal names them."""


class Wire:
    """Writes requests and reads answers, and learns which parameters an endpoint does not know."""

    def __init__(self, options: EndpointOptions, status: Callable[[str], object]) -> None:
        """Takes where the endpoint is, and whom to tell about parameters that are left out."""
        self._options, self._status = options, status
        self._left_out: dict[str, set[str]] = {}

    def body(self, call: Call) -> dict[str, Any]:
        """The body of a request, without what the endpoint does not know."""
        omitted = self._left_out.get(call.model, set())
        body = {name: value for name, value in call.request.items() if name not in omitted}
        if "max_tokens" in omitted and call.max_tokens is not None:
            body["max_completion_tokens"] = call.max_tokens
        return body

    def read(self, text: str, call: Call) -> Reply | CallProblem:
        """Reads the body of an answer.

        Args:
            text: The body, with status 200.
            call: What was asked.

        Returns:
            The reply, or why there is none.
        """
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

    def adapts(self, problem: CallProblem, model: str, sent: dict[str, Any]) -> bool:
        """Whether a refusal names a parameter that was sent and can be left out; it is from now on.

        What else it says does not count, unless that the request is too long: endpoints have many words for
        what they do not take, and what is not sent any more cannot be refused again.

        Args:
            problem: The refusal.
            model: The model.
            sent: The body of the request.
        """
        words = problem.detail.lower()
        for name, named in _ADAPTABLE.items():
            if problem.code != "refused" or name not in sent or not re.search(named, words):
                continue
            left_out = self._left_out.setdefault(model, set())
            if name not in left_out:
                left_out.add(name)
                instead = "; max_completion_tokens is sent instead" if name == "max_tokens" else ""
                self._status(
                    f"{self._options.address}: {model} takes no {name}, left out{instead}."
                )
            return True
        return False


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
