"""How many tokens a text is, without a tokenizer: an estimate on the high side.

A run of ASCII letters counts one token for every five letters begun, every digit, sign and line break one,
every character beyond ASCII two; blanks count nothing. The published rule of thumb for English is four
characters to a token: prose and relation paths come out a quarter to a third above it here, coded names up
to twice. Measured against no tokenizer; those of different models differ by a fifth among themselves.

Guarantee: depends on the text alone; texts one after the other count as much as each for itself.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from rulemine.llm.call import Message

__all__ = ["METHOD", "tokens_of", "tokens_of_call"]

METHOD = (
    "estimated without a tokenizer, on the high side: a token for every 5 letters of a word begun, every "
    "digit and every sign, two for every character beyond ASCII"
)

PER_MESSAGE = 4
"""Tokens by which chat formats frame a message."""

PER_CALL = 3
"""Tokens that open the reply."""

LETTERS = 5

_PIECE = re.compile(r"[A-Za-z]+|[^\sA-Za-z]")


def tokens_of(text: str) -> int:
    """The tokens of a text, estimated.

    Example:
        >>> tokens_of("Who is the aunt of 72?")
        8
    """
    lines = text.split("\n")
    return sum(map(_of_line, lines)) + len(lines) - 1


@lru_cache(maxsize=1 << 14)  # most lines of a prompt are those of every prompt
def _of_line(line: str) -> int:
    return sum(
        -(-len(piece) // LETTERS) if piece.isascii() else 2 for piece in _PIECE.findall(line)
    )


def tokens_of_call(messages: Iterable[Message], schema: str = "") -> int:
    """The tokens that a call sends: messages, their frames, and the schema of the reply where it has one."""
    framed = sum(tokens_of(message["content"]) + PER_MESSAGE for message in messages)
    return framed + tokens_of(schema) + PER_CALL
