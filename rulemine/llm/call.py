"""What is asked of a model and what comes back: calls, replies, failures.

A call is a conversation, for a reply in words, or a list of texts, for a vector each. Guarantee: the key of
a call depends on what is asked alone (model, messages or texts, parameters, number of the sample), never on
where, when or in which order it is asked; anyone can recompute it from a journal line.
"""

import base64
import json
import math
import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rulemine.files import digest_of
from rulemine.text.json_reply import whole_text
from rulemine.text.visible_reply import visible_reply

__all__ = [
    "Answer",
    "Ask",
    "Call",
    "Failure",
    "Message",
    "Reply",
    "key_of",
    "more_tokens",
    "pack_vector",
    "whole_text",
]

Message = Mapping[str, Any]
"""A message as the chat API has it: ``role``, ``content``, and what else a role takes (``tool_calls`` …)."""

_CANONICAL = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


@dataclass(frozen=True)
class Call:
    """One request for one reply; what is None or empty is not sent.

    Attributes:
        model: The model.
        messages: The conversation so far; at least one message, of any role; none beside `inputs`.
        purpose: What the call is for; counted, and the name of the schema.
        subject: What it is about, for error messages.
        max_tokens: Tokens of the reply at most.
        temperature: See the chat API, as for the next two.
        top_p: Nucleus sampling.
        stop: Texts that end the reply.
        seed: Of the first sample; sample n is asked for with ``seed + n``.
        sample: Number of the sample, from 0: the same call may be asked several times.
        schema: The JSON schema of the reply, for structured outputs.
        tools: The tools that the model may call.
        extra: Any further field of the request, e.g. ``{"logprobs": True}``.
        inputs: Texts to be embedded, none empty, in place of messages.
        blank: Whether a reply that stops without a word is one, and not a fault that may pass; and whether
            what the same call with a smaller `max_tokens` got in full will do. Not sent.
    """

    model: str
    messages: Sequence[Message] = ()
    purpose: str = "call"
    subject: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    stop: Sequence[str] = ()
    seed: int | None = None
    sample: int = 0
    schema: Mapping[str, Any] | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    inputs: Sequence[str] = ()
    blank: bool = False

    @property
    def path(self) -> str:
        """Where it is sent, below the address of the API."""
        return "/embeddings" if self.inputs else "/chat/completions"

    @cached_property
    def request(self) -> dict[str, Any]:
        """The body of the request, as it is first sent."""
        form = {"name": self.purpose, "strict": True, "schema": self.schema}
        body: dict[str, Any] = {
            "model": self.model,
            "messages": None if self.inputs else [dict(message) for message in self.messages],
            "input": list(self.inputs) or None,
            "max_tokens": self.max_tokens,
            # 0 and 0.0 ask the same
            "temperature": None if self.temperature is None else float(self.temperature),
            "top_p": None if self.top_p is None else float(self.top_p),
            "stop": list(self.stop) or None,
            "seed": None if self.seed is None else self.seed + self.sample,
            "response_format": self.schema and {"type": "json_schema", "json_schema": form},
            "tools": list(self.tools) or None,
            **self.extra,
        }
        return {name: value for name, value in body.items() if value is not None}

    @cached_property
    def key(self) -> str:
        """SHA-256 of the request with ``sample`` added, as JSON with sorted keys and no blanks.

        Raises:
            ValueError: Something in the request is no JSON, or no Unicode text.

        >>> from dataclasses import replace
        >>> call = Call("m", [{"role": "user", "content": "Who?"}])
        >>> call.key == replace(call, subject="q2", purpose="audit").key
        True
        >>> call.key == replace(call, sample=1).key
        False
        """
        return key_of(self.request, self.sample)


def key_of(request: Mapping[str, Any], sample: int) -> str:
    """The key of a call, see `Call.key`."""
    try:
        return digest_of(_CANONICAL.encode({**request, "sample": sample}).encode())
    except TypeError as problem:
        raise ValueError(f"a request that cannot be written as JSON: {problem}") from None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said.

    Attributes:
        text: Its words, always valid Unicode; may be empty beside tool calls, with a finish reason other
            than ``stop``, or where the call allows it.
        finish_reason: ``stop``, ``length``, ``content_filter`` or what else the endpoint says.
        prompt_tokens: As the endpoint counted, or estimated where it does not say.
        completion_tokens: Counted or estimated in the same way.
        tool_calls: The tools it calls, as the endpoint gives them.
        reasoning: Its thoughts, where the endpoint gives them apart.
        logprobs: Log-probabilities, as the endpoint gives them.
        vectors: Of a call with inputs: a vector for each, see `pack_vector`.
    """

    text: str
    finish_reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tool_calls: Sequence[Mapping[str, Any]] = ()
    reasoning: str = ""
    logprobs: Mapping[str, Any] | None = None
    vectors: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("text", "finish_reason", "tool_calls", "reasoning", "logprobs"):
            object.__setattr__(self, name, whole_text(getattr(self, name)))

    @property
    def is_cut_off(self) -> bool:
        """Whether it ended at its limit of tokens, or within its thoughts: there are these, and no word.

        Example:
            >>> Reply("Ann and", "length").is_cut_off, Reply("", reasoning="Ann?").is_cut_off
            (True, True)
            >>> Reply("<think>Ann?").is_cut_off, Reply("<think>Ann?</think>Eve").is_cut_off
            (True, False)
        """
        if self.finish_reason in ("length", "content_filter"):
            return self.finish_reason == "length"
        silent = not (self.tool_calls or visible_reply(self.text).strip())
        return silent and bool(self.reasoning or self.text.strip())

    @property
    def missing(self) -> str:
        """Why it says nothing, though it was not cut off; "": it says something, or was cut off."""
        if self.text.strip() or self.tool_calls or self.vectors or self.is_cut_off:
            return ""
        withheld = self.finish_reason == "content_filter"
        return "withheld by a content filter" if withheld else "an empty reply"


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that cannot be answered, while others can.

    Attributes:
        code: ``context_too_long``, ``refused`` (the endpoint rejects this request) or
            ``endpoint_error`` (it failed again and again on this request alone).
        detail: What the endpoint said, on one line, without the key.
        lasting: Whether asking again is pointless. What is not lasting is asked again by the next run,
            and is as good as lasting in a replay.
    """

    code: str
    detail: str
    lasting: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", whole_text(self.detail))

    @property
    def missing(self) -> str:
        """Why there is no reply, as `Reply.missing`."""
        return self.detail


def more_tokens(limit: int) -> int:
    """What to raise a limit of tokens to at which replies were cut off: models that think need so much."""
    return max(4000, 4 * limit)


def pack_vector(vector: Sequence[float]) -> str:
    """A vector as a journal has it: float32, little-endian, in base64; a quarter of its decimals.

    Raises:
        ValueError: It is empty, or holds something else than finite numbers of that size.

    >>> pack_vector([0.5, -2.0])
    'AAAAPwAAAMA='
    """
    try:
        if vector and all(map(math.isfinite, vector)):
            return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
    except (TypeError, OverflowError, struct.error):
        pass
    raise ValueError("no vector of finite numbers")


Answer = Reply | Failure

Ask = Callable[[Call], Awaitable[Answer]]
"""How a conversation asks a model: from the journal where the call is in it, else over the network."""
