"""What calls of a model will take, typically and at most.

Tokens are counted without a tokenizer: one per five ASCII letters of a word, rounded up, one per digit, sign
and line break, two per character beyond ASCII. That is on the high side, and goes into what a run takes at
most. Packaged prompts, questions and triples come out at 1.06 to 1.9 times the tokens of o200k, so what a run
takes typically is `OVER` times less.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from rulemine.codec import dump_line
from rulemine.llm.call import Call
from rulemine.llm.journal import Journal

__all__ = [
    "METHOD", "OVER", "Takes", "format_takes", "full_text", "is_answered", "sent_by", "tokens_of",
    "unanswered",
]  # fmt: skip

OVER = 1.4
"""How many times the tokens of a text `tokens_of` counts, usually."""

METHOD = (
    "estimated without a tokenizer; at most: one per 5 letters of a word, rounded up, per digit and sign, "
    f"two per character beyond ASCII; typically: 1/{OVER} of it"
)

OF_MESSAGE, OF_CALL = 4, 3
"""Tokens that chat formats add to each message, and before the reply."""

_PIECE = re.compile(r"[A-Za-z]+|[^\sA-Za-z]")


class Takes(NamedTuple):
    """What some calls take.

    Attributes:
        calls: Their number.
        sent: The tokens that they send; None: unknown.
        received: The tokens that they receive; None: unknown.
    """

    calls: int = 0
    sent: int | None = 0
    received: int | None = 0

    def plus(self, other: "Takes", times: int = 1) -> "Takes":
        """With so many times the calls of another; unknown is what is unknown of either."""
        sent, received = (
            None if mine is None or its is None else mine + times * its
            for mine, its in zip(self[1:], other[1:], strict=True)
        )
        return Takes(self.calls + times * other.calls, sent, received)

    def price(self, prices: tuple[float, float]) -> float:
        """What it costs, given the money per million tokens sent, and received."""
        return ((self.sent or 0) * prices[0] + (self.received or 0) * prices[1]) / 1e6


def format_takes(
    typical: Takes, worst: Takes, prices: tuple[float, float], questions: int, more: str = ""
) -> list[str]:
    """Lines that say what calls take.

    Args:
        typical: Typically.
        worst: At most.
        prices: Money per million tokens sent, and received; 0: unknown.
        questions: The typical amount is given for each of them, too; 0: it is not.
        more: What else there is to say about the calls.
    """
    price = "unknown; set endpoint.price_input and endpoint.price_output, money per million tokens"
    if any(prices):
        price = f"{typical.price(prices):,.2f}, at most {worst.price(prices):,.2f}"
    each = [f" ({n / questions:,.0f} per question)" if questions and n else "" for n in typical[1:]]
    return [
        f"calls             {typical.calls:,}, at most {worst.calls:,}{more}",
        f"tokens sent       {typical.sent:,}{each[0]}, at most {worst.sent:,}",
        f"tokens received   {typical.received:,}{each[1]}, at most {worst.received:,}",
        f"price             {price}",
    ]


def sent_by(call: Call) -> int:
    """Tokens that a call sends: messages, what frames them, and the schema of the reply or the tools."""
    form = [dump_line(form) for form in (call.schema, [*call.tools]) if form]
    messages = sum(tokens_of(message["content"]) + OF_MESSAGE for message in call.messages)
    return messages + sum(map(tokens_of, form)) + OF_CALL


def tokens_of(text: str) -> int:
    """Estimates the tokens of a text, on the high side.

    Example:
        >>> tokens_of("Who is the aunt of 72?")
        8
    """
    lines = text.split("\n")
    return sum(map(_of_line, lines)) + len(lines) - 1


@lru_cache(maxsize=1 << 14)  # most lines are the same in every prompt
def _of_line(line: str) -> int:
    pieces = _PIECE.findall(line)
    return sum(-(-len(piece) // 5) if piece.isascii() else 2 for piece in pieces)


def full_text(call: Call) -> str:
    """The messages of a call, as an estimate shows them."""
    return "\n".join(f"[{message['role']}]\n{message['content']}" for message in call.messages)


def is_answered(line: Mapping[str, Any] | None) -> bool:
    """Whether a journal's line has an answer that lasts."""
    return line is not None and line.get("failure", {}).get("lasting", True) is True


def unanswered(calls: Sequence[Call], journal: Path) -> list[Call]:
    """The calls that a journal has no answer to, if it is there."""
    if not journal.exists():
        return list(calls)
    with closing(Journal(journal, read_only=True)) as kept:
        return [call for call in calls if not is_answered(kept.get(call.key))]
