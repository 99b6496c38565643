"""What putting questions into a model's words takes: calls, tokens, money; nothing is asked.

Guarantee: the calls are those of a build whose texts are all different and pass at once, less what the
journal has; tokens are estimated per call on the high side (see `rulemine.verbalizer.tokens`). Texts
that fail, and models that think before they write, come on top. A build can also make fewer calls: identical
ones are made once, such as the round trips of texts that read alike, and a question whose texts fail to the
end gets no paraphrases.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rulemine.codec import dump_line
from rulemine.kg.graph import Triple
from rulemine.llm.call import Call
from rulemine.llm.journal import Journal
from rulemine.verbalizer.brief import Brief
from rulemine.verbalizer.requests import Calls
from rulemine.verbalizer.tokens import METHOD, tokens_of, tokens_of_call

__all__ = ["Estimate", "Share", "estimate"]

LABELS = {
    "question": "questions",
    "audit": "audits",
    "round_trip": "round trips",
    "paraphrase": "paraphrases",
}

WRAPPER = 10
"""Tokens of the JSON around a reply."""

OF_VERDICT = 40
"""Tokens of a judge's reply."""

OF_CHOICE = 24
"""Tokens of a round trip's reply."""

ROOM = 2
"""A model's question has at most this many times the tokens of the template's, as a rule."""


@dataclass(frozen=True, slots=True)
class Share:
    """The part of one purpose.

    Attributes:
        calls: Calls still to make, if every text passes at once.
        answered: Calls that the journal has already.
        sent: Tokens sent by the calls to make, estimated.
        received: Tokens received, likewise.
    """

    calls: int
    answered: int
    sent: int
    received: int


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
    def calls(self) -> int:
        """Calls to make, if every text passes at once."""
        return sum(share.calls for share in self.shares.values())

    @property
    def sent(self) -> int:
        """Tokens sent by them."""
        return sum(share.sent for share in self.shares.values())

    @property
    def received(self) -> int:
        """Tokens received by them."""
        return sum(share.received for share in self.shares.values())

    def to_text(self) -> str:
        """The estimate for people, the prompts at the end."""
        answered = sum(share.answered for share in self.shares.values())
        parts = [f"{share.calls:,} for {LABELS[p]}" for p, share in self.shares.items()]
        kept = f"; {answered:,} more are in the journal already" if answered else ""
        rows = [
            f"{self.questions:,} questions",
            f"calls             {self.calls:,} ({', '.join(parts)}){kept}",
            f"tokens sent       {self.sent:,}{self._per_question(self.sent)}",
            f"tokens received   {self.received:,}{self._per_question(self.received)}",
            f"price             {self._price()}",
            "Calls are those of a build whose every text passes at once: each that fails costs one more "
            f"round, and identical calls are made once. Tokens are {METHOD}; models that think before they "
            "write receive more.",
        ]
        for number, prompt in enumerate(self.prompts, start=1):
            rows.append(f"\n── prompt {number} of {len(self.prompts)} ──\n{prompt}")
        return "\n".join(rows)

    def _per_question(self, tokens: int) -> str:
        calls = self.shares["question"].calls
        return f" ({tokens / calls:,.0f} for each question asked)" if calls else ""

    def _price(self) -> str:
        sent, received = self.prices
        if not sent and not received:
            return "unknown; give endpoint.price_input and price_output, money per million tokens"
        return f"{(self.sent * sent + self.received * received) / 1e6:,.2f}"


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
    left: Counter[str] = Counter()
    done: Counter[str] = Counter()
    sent: Counter[str] = Counter()
    received: Counter[str] = Counter()
    sizes: list[tuple[int, int]] = []
    trips: dict[str, int] = {}
    asked: set[tuple[Triple, str]] = set()
    for number, brief in enumerate(briefs):
        query = brief.question.removed, brief.question.direction
        if query in asked:
            continue  # questions that differ in their certificates only share their calls
        asked.add(query)
        call = calls.question(brief, ())
        sizes.append((_sent(call), number))
        if journal is not None and _is_answered(journal.get(call.key)):
            done["question"] += 1
        else:
            left["question"] += 1
            sent["question"] += sizes[-1][0]
            received["question"] += _wording(brief)
        for more in _follow_ups(brief, calls, trips):
            left[more.purpose] += more.calls
            sent[more.purpose] += more.calls * more.sent
            received[more.purpose] += more.calls * more.received
    known = {} if journal is None else journal.counts()
    chosen = calls.chosen
    for purpose in set(left) - {"question"}:
        model = chosen.judge_model if purpose == "audit" else chosen.model
        # Texts that were never asked for were neither audited nor reworded.
        per_question = -(-left[purpose] // len(sizes))
        done[purpose] = min(
            known.get((purpose, model), 0), left[purpose], per_question * done["question"]
        )
        rest = left[purpose] - done[purpose]
        for tokens in (sent, received):
            tokens[purpose] = -(-tokens[purpose] * rest // left[purpose])
        left[purpose] = rest
    shares = {
        purpose: Share(left[purpose], done[purpose], sent[purpose], received[purpose])
        for purpose in LABELS
        if purpose == "question" or purpose in left
    }
    sizes.sort(reverse=True)
    picked = sorted({0, len(sizes) // 2, len(sizes) - 1}) if sizes else []
    texts = [_shown(calls.question(briefs[sizes[place][1]], ())) for place in picked]
    return Estimate(len(briefs), shares, prices, tuple(texts))


class _FollowUp(NamedTuple):
    """Calls of one purpose that follow a question.

    Attributes:
        purpose: What they are for.
        calls: How many.
        sent: Tokens that each sends.
        received: Tokens that each receives.
    """

    purpose: str
    calls: int
    sent: int
    received: int


def _follow_ups(brief: Brief, calls: Calls, trips: dict[str, int]) -> Iterator[_FollowUp]:
    """What follows a question whose text passes.

    `trips` keeps, for each relation, what a round trip sends apart from its question.
    """
    chosen, text = calls.chosen, brief.question.question
    texts = 1 + chosen.paraphrases
    if chosen.judge_model:
        yield _FollowUp("audit", texts, _sent(calls.audit(brief, text)), OF_VERDICT)
    if chosen.round_trip:
        relation = brief.question.relation
        if relation not in trips:
            trips[relation] = _sent(calls.round_trip(brief, ""))
        yield _FollowUp("round_trip", texts, trips[relation] + tokens_of(text), OF_CHOICE)
    if chosen.paraphrases:
        call = calls.paraphrase(brief, [text], chosen.paraphrases, ())
        yield _FollowUp("paraphrase", 1, _sent(call), chosen.paraphrases * _wording(brief))


def _wording(brief: Brief) -> int:
    """Tokens of a question by a model, and of what it is wrapped in."""
    return ROOM * tokens_of(brief.question.question) + WRAPPER


def _sent(call: Call) -> int:
    # Endpoints with structured outputs count the schema too.
    return tokens_of_call(call.messages, dump_line(call.schema) if call.schema else "")


def _shown(call: Call) -> str:
    return "\n".join(f"[{said['role']}]\n{said['content']}" for said in call.messages)


def _is_answered(line: Mapping[str, Any] | None) -> bool:
    return line is not None and line.get("failure", {}).get("lasting", True) is True
