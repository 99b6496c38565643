"""Estimates of what verbalization takes: calls, tokens, money; no call is made.

Guarantee: typical calls are those of a build whose texts are all different and pass at once, less what the
journal has. A build can also make fewer: identical calls are made once, such as the round-trip checks of
equal texts. At most are all attempts that the recipe allows, each with the longest reply. Tokens are those of
`rulemine.llm.estimates`; replies have the lengths that a capable model's had.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from rulemine.llm.estimates import (
    METHOD,
    OVER,
    Takes,
    format_takes,
    full_text,
    is_answered,
    sent_by,
    tokens_of,
)
from rulemine.llm.journal import Journal
from rulemine.verbalizer.inputs import QuestionInput
from rulemine.verbalizer.requests import MAX_QUOTED, Calls, prefix_of

__all__ = ["CallEstimate", "Estimate", "estimate"]

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

OF_JSON, OF_VERDICT, OF_CHOICE = 6, 15, 10
"""Tokens of the JSON around a text, of a verdict, and around the relation of a round-trip check."""

OF_EARLIER = 2 * MAX_QUOTED // 2
"""Tokens that a rejected text and the reason add to a prompt at most, two letters each."""


@dataclass(slots=True)
class CallEstimate:
    """The estimate for one purpose.

    Attributes:
        calls: Calls to make, if every text passes at once.
        answered: Calls that the journal already has.
        sent: Tokens sent by the calls to make.
        received: Tokens received.
        most: Calls to make at most, and the most tokens that they send and receive.
    """

    calls: int = 0
    answered: int = 0
    sent: float = 0
    received: float = 0
    most: Takes = field(default_factory=Takes)

    def add(self, follow: "_Calls", longest: int) -> None:
        """Adds calls of a kind, whose replies have so many tokens at most."""
        calls, most = follow.typical, follow.most
        self.calls += calls
        self.sent += calls * follow.sent / OVER
        self.received += calls * min(follow.received, longest)
        self.most = self.most.plus(Takes(1, follow.sent + follow.more, longest), most)

    def deduct(self, answered: int) -> None:
        """Deducts answered calls and their part of the tokens."""
        rest = (self.calls - answered) / self.calls
        self.sent, self.received = self.sent * rest, self.received * rest
        a_call = Takes(1, *(n // self.most.calls for n in self.most[1:] if n is not None))
        self.most = self.most.plus(a_call, -answered)
        self.calls, self.answered = self.calls - answered, answered


class _Calls(NamedTuple):
    """Calls of one purpose about a question: how many typically and at most, and the tokens of each.

    Attributes:
        sent: Tokens that each sends.
        received: Tokens of a typical reply.
        more: Tokens that rejected texts add to a prompt at most.
    """

    purpose: str
    typical: int
    most: int
    sent: int
    received: float
    more: int = 0


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
    def typical(self) -> Takes:
        """The sum over all purposes, if every text passes at once."""
        parts = self.purposes.values()
        sent, received = sum(part.sent for part in parts), sum(part.received for part in parts)
        return Takes(sum(part.calls for part in parts), round(sent), round(received))

    @property
    def worst(self) -> Takes:
        """The sum over all purposes, at most."""
        return reduce(Takes.plus, (part.most for part in self.purposes.values()))

    def to_text(self) -> str:
        """The estimate as text, with the prompts at the end."""
        asked = next(iter(self.purposes.values())).calls
        parts = ", ".join(f"{part.calls:,} for {LABELS[p]}" for p, part in self.purposes.items())
        answered = sum(part.answered for part in self.purposes.values())
        kept = f"; the journal already has {answered:,} more" if answered else ""
        rows = [
            f"{self.questions:,} questions",
            *format_takes(self.typical, self.worst, self.prices, asked, f" ({parts}){kept}"),
            "Typical calls are those of a build in which every text passes at once; at most: all attempts, "
            f"each with the longest reply. Identical calls are made once. Tokens are {METHOD}. Models that "
            "think before they write receive more.",
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
        answered = journal is not None and is_answered(journal.get(call.key))
        first.answered += answered
        for one in _calls_about(item, calls, sizes[-1][0]):
            if not one.purpose and answered:  # further attempts may follow
                one = one._replace(typical=0, most=one.most - 1)
            parts[one.purpose or call.purpose].add(one, calls.chosen.max_tokens)
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


def _calls_about(item: QuestionInput, calls: Calls, sent: int) -> Iterator[_Calls]:
    """The calls about a question whose first one sends so many tokens, which has no purpose here."""
    chosen, text = calls.chosen, item.question.question
    of_text = tokens_of(text) / OVER + OF_JSON
    texts, attempts, rules = 1 + chosen.paraphrases, chosen.attempts, item.question.kind == "rules"
    # Of structures and Cypher, the judge may propose another text each time.
    judged = attempts * (texts if rules else texts + 1)
    earlier = OF_EARLIER * (attempts - 1)
    yield _Calls("", 1, attempts, sent, of_text, earlier)
    if chosen.judge_model or not rules:
        call = calls.audit(item, text)
        yield _Calls(call.purpose, texts, judged, sent_by(call) + tokens_of(text), OF_VERDICT)
    if chosen.round_trip and rules:
        call = calls.round_trip(item, text)
        (relation,) = item.question.relations
        size = sent_by(call) + tokens_of(text)
        yield _Calls("round_trip", texts, judged, size, OF_CHOICE + tokens_of(relation) / OVER)
    if chosen.paraphrases:
        call = calls.paraphrase(item, [text], chosen.paraphrases, ())
        received = chosen.paraphrases * of_text
        yield _Calls("paraphrase", 1, attempts, sent_by(call), received, earlier)
