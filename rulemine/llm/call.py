"""What is asked of a model and what comes back: calls, replies, failures, and the entries of a journal.

Guarantee: the key of a call depends on what is asked alone (model, parameters, messages, version of the
prompt), never on where, when or in which order it is asked.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

from rulemine.codec import dump_line
from rulemine.files import digest_of

__all__ = ["Answer", "Ask", "Call", "Conversations", "Entry", "Failure", "Message", "Reply", "Used"]


class Message(NamedTuple):
    """A message of a call.

    Attributes:
        role: ``system`` or ``user``.
        content: Its text.
    """

    role: str
    content: str


@dataclass(frozen=True)
class Call:
    """One request.

    Attributes:
        purpose: What it is for, e.g. ``question`` or ``audit``; counted in cards.
        subject: What it is about, for messages, e.g. the id of a question; no part of the key.
        model: The model.
        prompt_version: Version of the prompt, e.g. ``question/1``; part of the key.
        prompt_digest: SHA-256 of the prompt's templates; kept in the journal, no part of the key, so that
            an edit asks again only for what it changes in the messages.
        messages: The messages.
        max_tokens: Tokens of the reply at most.
        temperature: See the API; None leaves it out.
        seed: See the API; None leaves it out.
        schema: The JSON schema of the reply, for endpoints with structured outputs; None: plain text.
            Whether the endpoint honours it is no part of the key: replies are read either way.
    """

    purpose: str
    subject: str
    model: str
    prompt_version: str
    prompt_digest: str
    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float | None = 0.0
    seed: int | None = 0
    schema: Mapping[str, Any] | None = field(default=None, hash=False)

    @cached_property
    def key(self) -> str:
        """SHA-256 of model, parameters, messages and version of the prompt, hexadecimal.

        >>> from dataclasses import replace
        >>> call = Call("question", "q1", "m", "question/1", "", (Message("user", "Who?"),), 9)
        >>> call.key == replace(call, subject="q2", purpose="audit").key
        True
        >>> call.key == replace(call, prompt_version="question/2").key
        False
        """
        version = dump_line({"prompt_version": self.prompt_version})
        return digest_of(
            f"{version[:-1]}, {self.text[1:]}".encode()
        )  # one object, the version first

    @cached_property
    def text(self) -> str:
        """The request as it is first sent, as JSON."""
        return dump_line(self.body())

    def body(self) -> dict[str, Any]:
        """The same as values."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in self.messages],
            "max_tokens": self.max_tokens,
        }
        if self.temperature is not None:
            body["temperature"] = float(self.temperature)  # 0 and 0.0 ask the same
        if self.seed is not None:
            body["seed"] = self.seed
        if self.schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": self.purpose, "strict": True, "schema": self.schema},
            }
        return body

    @property
    def request(self) -> str:
        """SHA-256 of the request's body."""
        return digest_of(self.text.encode())


def _whole_text(text: str) -> str:
    r"""What can be written as UTF-8: U+FFFD in the place of half a surrogate pair, which JSON lets through.

    >>> _whole_text("a\ud800b") == "a\N{REPLACEMENT CHARACTER}b"
    True
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said.

    Attributes:
        text: Its words, always valid Unicode; may be empty only with a finish reason other than ``stop``.
        finish_reason: ``stop``, ``length``, ``content_filter`` or what else the endpoint says.
        prompt_tokens: As the endpoint counted, or estimated where it does not say.
        completion_tokens: Likewise.
    """

    text: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", _whole_text(self.text))
        object.__setattr__(self, "finish_reason", _whole_text(self.finish_reason))


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that cannot be answered, while others can.

    Attributes:
        code: ``context_too_long``, ``refused`` (the endpoint rejects this request for good) or
            ``endpoint_error`` (it failed again and again on this request alone).
        detail: What the endpoint said, on one line, without the key.
        lasting: Whether asking again is pointless. What is not lasting is asked again by the next run,
            and is as good as lasting in a replay.
    """

    code: str
    detail: str
    lasting: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", _whole_text(self.detail))


Answer = Reply | Failure

Ask = Callable[[Call], Awaitable[Answer]]
"""How a conversation asks a model: from the journal where the call is in it, else over the network."""

T = TypeVar("T")


class Conversations(Protocol):
    """Where conversations with a model are held, over the network or out of a journal."""

    def run(
        self,
        works: Sequence[Callable[[Ask], Awaitable[T]]],
        progress: Callable[[int, int], object] | None = None,
    ) -> list[T]:
        """Holds conversations; the results are in their order, whatever the order of replies."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a journal: a call that was answered.

    Attributes:
        key: See `Call.key`.
        purpose: Of the call.
        model: Of the call.
        prompt_version: Of the call.
        prompt_digest: Of the call.
        request: See `Call.request`.
        answer: The reply, or why there is none.
        attempts: How often it was sent until then; kept in the working journal only.
        time: When it was answered, UTC, ISO 8601; likewise.
    """

    key: str
    purpose: str
    model: str
    prompt_version: str
    prompt_digest: str
    request: str
    answer: Answer
    attempts: int = 1
    time: str = ""

    def to_json(self) -> dict[str, Any]:
        """What never depends on the order of arrival: the part that is digested."""
        row: dict[str, Any] = {
            "key": self.key,
            "purpose": self.purpose,
            "model": self.model,
            "prompt_version": self.prompt_version,
            "prompt_digest": self.prompt_digest,
            "request": self.request,
        }
        if isinstance(self.answer, Failure):
            failure = self.answer
            row["failure"] = {
                "code": failure.code, "detail": failure.detail, "lasting": failure.lasting,
            }  # fmt: skip
            return row
        row["reply"] = self.answer.text
        row["finish_reason"] = self.answer.finish_reason
        row["usage"] = {
            "prompt_tokens": self.answer.prompt_tokens,
            "completion_tokens": self.answer.completion_tokens,
        }
        return row


class Used(NamedTuple):
    """A line of a release's journal: an entry without what depends on the order of arrival.

    Attributes:
        entry: The entry.
        questions: The ids of the questions that it was asked for, sorted.
    """

    entry: Entry
    questions: tuple[str, ...]
