"""Estimates of what verbalization takes: calls, tokens, money; no call is made.

Guarantee: the calls are those of a build whose texts are all different and pass at once, less what the
journal has; tokens are estimated per call on the high side. Texts that fail, and models that think before
they write, take more. A build can also make fewer calls: identical ones are made once, such as the round-trip
checks of equal texts, and a question without an accepted text gets no paraphrases.

Tokens are estimated without a tokenizer: one per five ASCII letters of a word, rounded up, one per digit,
sign and line break, two per character beyond ASCII. The rule of thumb published for English is four
characters per token: prose and relation paths come out a quarter to a third above it, coded names up to
twice. Tokenizers of different models differ by a fifth.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rulemine.codec import dump_line
from rulemine.llm.call import Call
from rulemine.llm.journal import Journal
from rulemine.verbalizer.inputs import QuestionInput
from rulemine.verbalizer.requests import Calls, prefix_of

__all__ = [
    "METHOD", "CallEstimate", "Estimate", "estimate", "full_text", "is_answered", "sent_by", "tokens_of",
]  # fmt: skip

LABELS = {
    "question": "questions",
    "structure_question": "questions",
    "audit": "audits",
    "structure_audit": "audits",
    "cypher_question": "questions",
    "cypher_audit": "audits",
    "round_trip": "round-trip checks",
    "paraphrase": "paraphrases",
}

METHOD = (
    "estimated without a tokenizer, on the high side: one per 5 letters of a word, rounded up, one per digit "
    "and sign, two per character beyond ASCII"
)

OF_MESSAGE, OF_CALL = 4, 3
"""Tokens that chat formats add to each message, and before the reply."""

OF_JSON, OF_VERDICT, OF_CHOICE = 10, 40, 24
"""Tokens of the JSON around a text, of a verdict, and of the reply to a round-trip check."""

ROOM = 2
"""A model's text usually has at most this many times the tokens of the template's."""

_PIECE = re.compile(r"[A-Za-z]+|[^\sA-Za-z]")


@dataclass(slots=True)
class CallEstimate:
    """The estimate for one purpose.

    Attributes:
        calls: Calls to make, if every text passes at once.
        answered: Calls that the journal already has.
        sent: Tokens sent by the calls to make.
        received: Tokens received.
    """

    calls: int = 0
    answered: int = 0
    sent: int = 0
    received: int = 0

    def add(self, calls: int, sent: int, received: int) -> None:
        """Adds calls with the tokens of each."""
        self.calls += calls
        self.sent += calls * sent
        self.received += calls * received

    def deduct(self, answered: int) -> None:
        """Deducts answered calls and their part of the tokens."""
        rest = self.calls - answered
        self.sent, self.received = (-(-n * rest // self.calls) for n in (self.sent, self.received))
        self.calls, self.answered = rest, answered


@dataclass(frozen=True, slots=True)
class Estimate:
    """What verbalization takes.

    Attributes:
        questions: The number of questions.
        purposes: Purpose → its estimate; only what the recipe asks for.
        prices: Money per million tokens sent, and received; 0: unknown.
        prompts: Up to three full prompts for questions: the longest, the median, the shortest.
    """

    questions: int
    purposes: Mapping[str, CallEstimate]
    prices: tuple[float, float]
    prompts: tuple[str, ...]

    @property
    def total(self) -> CallEstimate:
        """The sum over all purposes."""
        parts = self.purposes.values()
        return CallEstimate(
            sum(part.calls for part in parts),
            sum(part.answered for part in parts),
            sum(part.sent for part in parts),
            sum(part.received for part in parts),
        )

    def to_text(self) -> str:
        """The estimate as text, with the prompts at the end."""
        total, asked = self.total, next(iter(self.purposes.values())).calls
        parts = ", ".join(f"{part.calls:,} for {LABELS[p]}" for p, part in self.purposes.items())
        kept = f"; the journal already has {total.answered:,} more" if total.answered else ""
        each = [
            f" ({n / asked:,.0f} per question)" if asked else ""
            for n in (total.sent, total.received)
        ]
        price = (
            "unknown; set endpoint.price_input and endpoint.price_output, money per million tokens"
        )
        if any(self.prices):
            price = f"{(total.sent * self.prices[0] + total.received * self.prices[1]) / 1e6:,.2f}"
        rows = [
            f"{self.questions:,} questions",
            f"calls             {total.calls:,} ({parts}){kept}",
            f"tokens sent       {total.sent:,}{each[0]}",
            f"tokens received   {total.received:,}{each[1]}",
            f"price             {price}",
            "Calls are those of a build in which every text passes at once: each that fails costs one more "
            f"attempt, and identical calls are made once. Tokens are {METHOD}; models that think before "
            "they write receive more.",
        ]
        for number, prompt in enumerate(self.prompts, start=1):
            rows.append(f"\n── prompt {number} of {len(self.prompts)} ──\n{prompt}")
        return "\n".join(rows)


def estimate(
    inputs: Sequence[QuestionInput],
    calls: Calls,
    journal: Journal | None,
    prices: tuple[float, float] = (0.0, 0.0),
) -> Estimate:
    """Estimates what the verbalization of questions takes.

    Args:
        inputs: The questions.
        calls: Makes the calls.
        journal: The calls answered so far. First attempts at questions are looked up; other calls count if
            the same model answered them for the same purpose.
        prices: Money per million tokens sent, and received; 0: unknown.
    """
    parts: dict[str, CallEstimate] = defaultdict(CallEstimate)
    kind = inputs[0].question.kind if inputs else ""
    first = parts[f"{prefix_of(kind)}question"]
    sizes: list[tuple[int, int]] = []
    asked: set[str] = set()
    for number, item in enumerate(inputs):
        call = calls.question(item, ())
        if call.key in asked:
            continue  # questions that differ only in their certificates have the same calls
        asked.add(call.key)
        sizes.append((sent_by(call), number))
        if journal is not None and is_answered(journal.get(call.key)):
            first.answered += 1
        else:
            first.add(1, sizes[-1][0], _text_tokens(item))
        for purpose, *more in _follow_ups(item, calls):
            parts[purpose].add(*more)
    known = {} if journal is None else journal.counts()
    for purpose, part in parts.items():
        if part is not first:
            judge = calls.chosen.judge_model if purpose.endswith("audit") else ""
            model = judge or calls.chosen.model
            # Texts that were never asked for were neither judged nor paraphrased.
            most = -(-part.calls // len(sizes)) * first.answered
            part.deduct(min(known.get((purpose, model), 0), part.calls, most))
    sizes.sort(reverse=True)
    picked = sorted({0, len(sizes) // 2, len(sizes) - 1}) if sizes else []
    texts = [full_text(calls.question(inputs[sizes[place][1]], ())) for place in picked]
    ordered = {purpose: parts[purpose] for purpose in LABELS if purpose in parts}
    return Estimate(len(inputs), ordered, prices, tuple(texts))


def _follow_ups(item: QuestionInput, calls: Calls) -> Iterator[tuple[str, int, int, int]]:
    """Yields the calls that follow when a text passes: purpose, calls, and the tokens of each."""
    chosen, text = calls.chosen, item.question.question
    texts = 1 + chosen.paraphrases
    if chosen.judge_model or item.question.kind != "rules":
        call = calls.audit(item, text)
        yield call.purpose, texts, sent_by(call), OF_VERDICT
    if chosen.round_trip:
        yield "round_trip", texts, sent_by(calls.round_trip(item, text)), OF_CHOICE
    if chosen.paraphrases:
        call = calls.paraphrase(item, [text], chosen.paraphrases, ())
        yield "paraphrase", 1, sent_by(call), chosen.paraphrases * _text_tokens(item)


def _text_tokens(item: QuestionInput) -> int:
    """Tokens of a model's text and the JSON around it."""
    return ROOM * tokens_of(item.question.question) + OF_JSON


def sent_by(call: Call) -> int:
    """Tokens that a call sends: messages, what frames them, and the schema of the reply."""
    schema = tokens_of(dump_line(call.schema)) if call.schema else 0
    messages = sum(tokens_of(message["content"]) + OF_MESSAGE for message in call.messages)
    return messages + schema + OF_CALL


def tokens_of(text: str) -> int:
    """Estimates the tokens of a text.

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
