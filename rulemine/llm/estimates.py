"""What calls of a model will take, typically and at most.

Tokens are counted without a tokenizer: one per five ASCII letters of a word, rounded up, one per digit, sign
and line break, two per character beyond ASCII. That is on the high side, and goes into what a run takes at
most. Packaged prompts, questions and triples come out at 1.06 to 1.9 times the tokens of o200k, so what a run
takes typically is `OVER` times less.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from statistics import fmean
from typing import NamedTuple

from rulemine.codec import dump_line
from rulemine.llm.call import Call
from rulemine.llm.journal import Journal

__all__ = [
    "METHOD", "OVER", "Estimate", "Purpose", "Takes", "full_text", "sent_by", "three_prompts", "tokens_of",
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


class Purpose(NamedTuple):
    """Calls that are made for one purpose.

    Attributes:
        label: What they are for, in words, in the plural.
        sent: The tokens that each sends, of all of them or of some.
        usually: How many there are to make if nothing is refused.
        most: How many at most.
        reply: The tokens of a usual reply.
        room: The tokens of a reply at most.
        more: The tokens that a call may send beyond the mean of `sent`.
        answered: How many more the journal has.
    """

    label: str
    sent: Sequence[int]
    usually: int
    most: int
    reply: float
    room: float
    more: float = 0
    answered: int = 0

    @classmethod
    def of(
        cls,
        label: str,
        calls: Sequence[Call],
        usually: int,
        most: int,
        reply: float,
        more: float = 0,
        answered: int = 0,
    ) -> "Purpose":
        """As the class, from calls in place of `sent` and `room`."""
        room = _mean([call.max_tokens or 0 for call in calls])
        sent = [*map(sent_by, calls)]
        return cls(label, sent, usually, most, reply, room, more, answered)

    @property
    def typical(self) -> Takes:
        """If nothing is refused."""
        sent = self.usually * _mean(self.sent) / OVER
        return Takes(self.usually, round(sent), round(self.usually * min(self.reply, self.room)))

    @property
    def worst(self) -> Takes:
        """At most."""
        sent = self.most * (_mean(self.sent) + self.more)
        return Takes(self.most, round(sent), round(self.most * self.room))


def _mean(numbers: Sequence[int]) -> float:
    return fmean(numbers) if numbers else 0.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run takes of models.

    Attributes:
        about: What it is of, in words: "12 questions".
        purposes: What models are asked for.
        questions: The number of questions, of which typical is given for each, too; 0: it is not.
        note: What is counted, in sentences.
        prompts: Heading → prompt.
        in_batches: Whether the calls are written as batches.
        rounds: Of batches, typically and at most, if nothing fails; None: the calls of a question are made
            one after another, those of all questions at once.
    """

    about: str
    purposes: Sequence[Purpose]
    questions: int
    note: str
    prompts: Mapping[str, str]
    in_batches: bool = False
    rounds: tuple[int, int] | None = None

    @property
    def typical(self) -> Takes:
        """The sum over all purposes, if nothing is refused."""
        return reduce(Takes.plus, (purpose.typical for purpose in self.purposes), Takes())

    @property
    def worst(self) -> Takes:
        """The sum over all purposes, at most."""
        return reduce(Takes.plus, (purpose.worst for purpose in self.purposes), Takes())

    def to_text(self) -> str:
        """The estimate as text, with the prompts at the end."""
        typical, worst = self.typical, self.worst
        parts = ", ".join(f"{part.usually:,} for {part.label}" for part in self.purposes)
        answered = sum(part.answered for part in self.purposes)
        kept = f"; the journal already has {answered:,} more" * bool(answered)
        each = [
            f" ({n / self.questions:,.0f} per question)" if self.questions and n else ""
            for n in typical[1:]
        ]
        rows = [
            self.about,
            f"calls             {typical.calls:,}, at most {worst.calls:,} ({parts}){kept}",
            f"tokens sent       {typical.sent:,}{each[0]}, at most {worst.sent:,}",
            f"tokens received   {typical.received:,}{each[1]}, at most {worst.received:,}",
            f"{self.note} Tokens are {METHOD}. Models that think before they write receive more.",
        ]
        if self.in_batches:
            each_after = [-(-takes.calls // max(1, self.questions)) for takes in (typical, worst)]
            usually, most = self.rounds or each_after
            rows.insert(-1, f"rounds            {usually:,}, at most {most:,}, if nothing fails")
        return "\n".join(rows + [f"\n── {name} ──\n{text}" for name, text in self.prompts.items()])


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


def three_prompts(calls: Sequence[Call]) -> dict[str, str]:
    """Heading → prompt: the longest, the one of median length, and the shortest."""
    ordered = sorted(calls, key=sent_by, reverse=True)
    places = sorted({0, len(ordered) // 2, len(ordered) - 1}) if ordered else []
    return {
        f"prompt {number} of {len(places)}": full_text(ordered[place])
        for number, place in enumerate(places, start=1)
    }


def unanswered(calls: Sequence[Call], journal: Journal | None) -> list[Call]:
    """The calls that a journal has no answer to that lasts."""
    lines = ((call, None if journal is None else journal.get(call.key)) for call in calls)
    return [
        call
        for call, line in lines
        if line is None or not line.get("failure", {}).get("lasting", True)
    ]
