"""What putting questions into a model's words takes: calls, tokens, money; nothing is asked.

Guarantee: the calls are those of a build whose texts are all different and pass at once, less what the
journal has; tokens are estimated per call on the high side. Texts that fail, and models that think before
they write, come on top. A build can also make fewer calls: identical ones are made once, such as the round
trips of texts that read alike, and a question whose texts fail to the end gets no paraphrases.

Tokens are counted without a tokenizer: one for every five letters begun of a run of ASCII letters, one for
every digit, sign and line break, two for every character beyond ASCII. The published rule of thumb for
English is four characters to a token: prose and relation paths come out a quarter to a third above it, coded
names up to twice. Those of different models differ by a fifth among themselves.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rulemine.codec import dump_line
from rulemine.kg.graph import Triple
from rulemine.llm.call import Call
from rulemine.llm.journal import Journal
from rulemine.verbalizer.briefs import Brief
from rulemine.verbalizer.requests import Calls

__all__ = ["Estimate", "Share", "estimate", "tokens_of"]

LABELS = {
    "question": "questions",
    "audit": "audits",
    "round_trip": "round trips",
    "paraphrase": "paraphrases",
}

METHOD = (
    "estimated without a tokenizer, on the high side: a token for every 5 letters of a word begun, every "
    "digit and every sign, two for every character beyond ASCII"
)

OF_MESSAGE, OF_CALL = 4, 3
"""Tokens by which chat formats frame a message, and that open the reply."""

OF_JSON, OF_VERDICT, OF_CHOICE = 10, 40, 24
"""Tokens of the JSON around a text, of a judge's reply and of a round trip's."""

ROOM = 2
"""A model's question has at most this many times the tokens of the template's, as a rule."""

_PIECE = re.compile(r"[A-Za-z]+|[^\sA-Za-z]")


@dataclass(slots=True)
class Share:
    """The part of one purpose.

    Attributes:
        calls: Calls still to make, if every text passes at once.
        answered: Calls that the journal has already.
        sent: Tokens sent by the calls to make, estimated.
        received: Tokens received, likewise.
    """

    calls: int = 0
    answered: int = 0
    sent: int = 0
    received: int = 0

    def add(self, calls: int, sent: int, received: int) -> None:
        """Counts some calls, and the tokens of each."""
        self.calls += calls
        self.sent += calls * sent
        self.received += calls * received

    def spare(self, answered: int) -> None:
        """Takes the calls that are answered off, and their part of the tokens."""
        rest = self.calls - answered
        self.sent, self.received = (-(-n * rest // self.calls) for n in (self.sent, self.received))
        self.calls, self.answered = rest, answered


@dataclass(frozen=True, slots=True)
class Estimate:
    """What putting questions into words takes.

    Attributes:
        questions: How many questions there are.
        shares: Purpose → its part; only what the recipe asks for.
        prices: Money per million tokens sent, and received; 0: unknown.
        prompts: Up to three prompts for questions in full: the longest, the middling, the shortest.
    """

    questions: int
    shares: Mapping[str, Share]
    prices: tuple[float, float]
    prompts: tuple[str, ...]

    @property
    def total(self) -> Share:
        """All purposes together."""
        parts = self.shares.values()
        return Share(
            sum(part.calls for part in parts),
            sum(part.answered for part in parts),
            sum(part.sent for part in parts),
            sum(part.received for part in parts),
        )

    def to_text(self) -> str:
        """The estimate for people, the prompts at the end."""
        total, asked = self.total, self.shares["question"].calls
        parts = ", ".join(f"{share.calls:,} for {LABELS[p]}" for p, share in self.shares.items())
        kept = f"; {total.answered:,} more are in the journal already" if total.answered else ""
        each = [
            f" ({n / asked:,.0f} for each question asked)" if asked else ""
            for n in (total.sent, total.received)
        ]
        price = "unknown; give endpoint.price_input and price_output, money per million tokens"
        if any(self.prices):
            price = f"{(total.sent * self.prices[0] + total.received * self.prices[1]) / 1e6:,.2f}"
        rows = [
            f"{self.questions:,} questions",
            f"calls             {total.calls:,} ({parts}){kept}",
            f"tokens sent       {total.sent:,}{each[0]}",
            f"tokens received   {total.received:,}{each[1]}",
            f"price             {price}",
            "Calls are those of a build whose every text passes at once: each that fails costs one more "
            f"round, and identical calls are made once. Tokens are {METHOD}; models that think before they "
            "write receive more.",
        ]
        for number, prompt in enumerate(self.prompts, start=1):
            rows.append(f"\n── prompt {number} of {len(self.prompts)} ──\n{prompt}")
        return "\n".join(rows)


def estimate(
    briefs: Sequence[Brief],
    calls: Calls,
    journal: Journal | None,
    prices: tuple[float, float] = (0.0, 0.0),
) -> Estimate:
    """Estimates what the questions take.

    Args:
        briefs: The questions.
        calls: Makes the calls.
        journal: What is answered already. First attempts at questions are looked up; of other
            calls those are counted that the same model answered for the same purpose.
        prices: Money per million tokens sent, and received; 0: unknown.
    """
    shares: dict[str, Share] = defaultdict(Share)
    first = shares["question"]
    sizes: list[tuple[int, int]] = []
    asked: set[tuple[Triple, str]] = set()
    for number, brief in enumerate(briefs):
        query = brief.question.removed, brief.question.direction
        if query in asked:
            continue  # questions that differ in their certificates only share their calls
        asked.add(query)
        call = calls.question(brief, ())
        sizes.append((_sent(call), number))
        if journal is not None and _is_answered(journal.get(call.key)):
            first.answered += 1
        else:
            first.add(1, sizes[-1][0], _wording(brief))
        for purpose, *more in _follow_ups(brief, calls):
            shares[purpose].add(*more)
    known = {} if journal is None else journal.counts()
    for purpose, share in shares.items():
        if share is not first:
            model = calls.chosen.judge_model if purpose == "audit" else calls.chosen.model
            # Texts that were never asked for were neither audited nor reworded.
            most = -(-share.calls // len(sizes)) * first.answered
            share.spare(min(known.get((purpose, model), 0), share.calls, most))
    sizes.sort(reverse=True)
    picked = sorted({0, len(sizes) // 2, len(sizes) - 1}) if sizes else []
    texts = [_shown(calls.question(briefs[sizes[place][1]], ())) for place in picked]
    ordered = {purpose: shares[purpose] for purpose in LABELS if purpose in shares}
    return Estimate(len(briefs), ordered, prices, tuple(texts))


def _follow_ups(brief: Brief, calls: Calls) -> Iterator[tuple[str, int, int, int]]:
    """What follows a question whose text passes: purpose, calls, and the tokens of each."""
    chosen, text = calls.chosen, brief.question.question
    texts = 1 + chosen.paraphrases
    if chosen.judge_model:
        yield "audit", texts, _sent(calls.audit(brief, text)), OF_VERDICT
    if chosen.round_trip:
        yield "round_trip", texts, _sent(calls.round_trip(brief, text)), OF_CHOICE
    if chosen.paraphrases:
        call = calls.paraphrase(brief, [text], chosen.paraphrases, ())
        yield "paraphrase", 1, _sent(call), chosen.paraphrases * _wording(brief)


def _wording(brief: Brief) -> int:
    """Tokens of a question by a model, and of what it is wrapped in."""
    return ROOM * tokens_of(brief.question.question) + OF_JSON


def _sent(call: Call) -> int:
    """The tokens that a call sends: messages, their frames, and the schema of the reply."""
    schema = tokens_of(dump_line(call.schema)) if call.schema else 0
    told = sum(tokens_of(said["content"]) + OF_MESSAGE for said in call.messages)
    return told + schema + OF_CALL


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
    pieces = _PIECE.findall(line)
    return sum(-(-len(piece) // 5) if piece.isascii() else 2 for piece in pieces)


def _shown(call: Call) -> str:
    return "\n".join(f"[{said['role']}]\n{said['content']}" for said in call.messages)


def _is_answered(line: Mapping[str, Any] | None) -> bool:
    return line is not None and line.get("failure", {}).get("lasting", True) is True
