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

from rulemine.llm.call import Call
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
from rulemine.verbalizer.requests import MAX_QUOTED, Calls

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

OF_TEXT, OF_EARLIER = 150, MAX_QUOTED
"""Tokens of a text that is judged, at most; and what a rejected one and the reason add to a prompt."""


@dataclass(slots=True)
class CallEstimate:
    """The estimate for one purpose.

    Attributes:
        typical: What the calls to make take, if every text passes at once.
        worst: The same at most.
        answered: Calls that the journal already has.
    """

    typical: Takes = field(default_factory=Takes)
    worst: Takes = field(default_factory=Takes)
    answered: int = 0

    def deduct(self, answered: int) -> None:
        """Deducts answered calls and their part of the tokens."""
        self.typical, self.worst = (
            takes.plus(Takes(1, *((n or 0) // takes.calls for n in takes[1:])), -answered)
            for takes in (self.typical, self.worst)
        )
        self.answered = answered


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
        return reduce(Takes.plus, (part.typical for part in self.purposes.values()))

    @property
    def worst(self) -> Takes:
        """The sum over all purposes, at most."""
        return reduce(Takes.plus, (part.worst for part in self.purposes.values()))

    def to_text(self) -> str:
        """The estimate as text, with the prompts at the end."""
        asked = next(iter(self.purposes.values())).typical.calls
        parts = ", ".join(
            f"{part.typical.calls:,} for {LABELS[p]}" for p, part in self.purposes.items()
        )
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
    first = parts[f"{inputs[0].prefix if inputs else ''}question"]
    sizes: list[tuple[int, int]] = []
    asked: set[str] = set()
    longest, earlier = calls.chosen.max_tokens, OF_EARLIER * (calls.chosen.attempts - 1)
    for place, item in enumerate(inputs):
        call = calls.question(item, ())
        if call.key in asked:
            continue  # questions that differ only in their certificates have the same calls
        asked.add(call.key)
        sizes.append((sent_by(call), place))
        answered = journal is not None and is_answered(journal.get(call.key))
        first.answered += answered
        for one, number, most, received in _calls_about(item, calls, call):
            if one is call and answered:  # further attempts may follow
                number, most = 0, most - 1
            part, sent = parts[one.purpose], sent_by(one)
            usual = Takes(1, round(sent / OVER), round(min(received, longest)))
            part.typical = part.typical.plus(usual, number)
            more = earlier if one.purpose.endswith(("question", "paraphrase")) else OF_TEXT
            part.worst = part.worst.plus(Takes(1, sent + more, longest), most)
    known = {} if journal is None else journal.counts()
    for purpose, part in parts.items():
        if part is not first:
            judge = calls.chosen.judge_model if purpose.endswith("audit") else ""
            model = judge or calls.chosen.model
            # Texts that were never asked for were neither judged nor paraphrased.
            most = -(-part.typical.calls // len(sizes)) * first.answered
            part.deduct(min(known.get((purpose, model), 0), part.typical.calls, most))
    sizes.sort(reverse=True)
    picked = sorted({0, len(sizes) // 2, len(sizes) - 1}) if sizes else []
    texts = [full_text(calls.question(inputs[sizes[place][1]], ())) for place in picked]
    ordered = {purpose: parts[purpose] for purpose in LABELS if purpose in parts}
    return Estimate(len(inputs), ordered, prices, tuple(texts))


def _calls_about(
    item: QuestionInput, calls: Calls, first: Call
) -> Iterator[tuple[Call, int, int, float]]:
    """The calls about a question: how many typically and at most, and the tokens of a typical reply."""
    chosen, text = calls.chosen, item.question.question
    of_text = tokens_of(text) / OVER + OF_JSON
    texts, attempts = 1 + chosen.paraphrases, chosen.attempts
    judged = attempts * (texts + item.always_judged)  # a judge may propose another text each time
    yield first, 1, attempts, of_text
    if chosen.judge_model or item.always_judged:
        yield calls.audit(item, text), texts, judged, OF_VERDICT
    if chosen.round_trip:
        (relation,) = item.question.relations
        call = calls.round_trip(item, text)
        yield call, texts, judged, OF_CHOICE + tokens_of(relation) / OVER
    if chosen.paraphrases:
        call = calls.paraphrase(item, [text], chosen.paraphrases, ())
        yield call, 1, attempts, chosen.paraphrases * of_text
