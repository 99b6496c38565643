"""Estimates the calls and tokens of verbalization, see `rulemine.llm.estimates`; makes no call.

Guarantee: typical calls are those of a build whose texts all differ and pass at once, less those that the
journal has. A build can make fewer, as identical calls are made once; at most it makes all attempts. Lengths
of replies were measured with a capable model.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean

from rulemine.llm.call import Call
from rulemine.llm.estimates import OVER, Estimate, Purpose, three_prompts, tokens_of, unanswered
from rulemine.llm.journal import Journal
from rulemine.verbalizer.checks import QuestionInput
from rulemine.verbalizer.prompts import MAX_QUOTED, Calls
from rulemine.verbalizer.verbalize import ATTEMPTS

__all__ = ["estimate"]

LABELS = {
    "question": "questions",
    "audit": "audits",
    "paraphrase": "paraphrases",
}
"""How purposes end → what they are for."""

OF_JSON, OF_VERDICT = 6, 15
"""Tokens of the JSON around a text, and of a verdict."""

OF_TEXT, OF_EARLIER = 150, MAX_QUOTED
"""Tokens of a text that is judged, at most; and what a rejected one and the reason add to a prompt."""

NOTE = (
    "Typical calls are those of a build in which every text passes at once; at most: all attempts, each with "
    "the longest reply. Identical calls are made once."
)

About = tuple[Call, int, int, float]
"""A call about a question: how many typically and at most, and the tokens of a typical reply."""


def estimate(
    inputs: Sequence[QuestionInput],
    calls: Calls,
    journal: Journal | None,
    in_batches: bool = False,
) -> Estimate:
    """Estimates what the verbalization of questions takes.

    Args:
        inputs: The questions.
        calls: Makes the calls.
        journal: The calls answered so far. First attempts at questions are looked up; other calls count if
            the same model answered them for the same purpose.
        in_batches: Whether the calls are written as batches.
    """
    # Questions that differ only in their proofs have the same calls.
    asked = {call.key: (item, call) for item in inputs for call in (calls.question(item),)}
    first = [call for _, call in asked.values()]
    had = len(first) - len(unanswered(first, journal))
    known = {} if journal is None else journal.counts()
    about = [each for item, call in asked.values() for each in _calls_about(item, calls, call)]
    purposes = []
    for key, label in LABELS.items():
        some = [each for each in about if each[0].purpose.endswith(key)]
        usually, most = sum(each[1] for each in some), sum(each[2] for each in some)
        answered = had
        if some and key != "question":  # texts never asked for were neither judged nor paraphrased
            made = known.get((some[0][0].purpose, some[0][0].model), 0)
            answered = min(made, -(-usually // len(first)) * had)
        if some or key == "question":
            purpose = Purpose.of(
                label,
                [each[0] for each in some],
                usually - answered,
                most - answered,
                fmean(each[3] for each in some) if some else 0,
                more=OF_TEXT if key == "audit" else OF_EARLIER * (ATTEMPTS - 1),
                answered=answered,
            )
            purposes.append(purpose)
    whole, to_ask = f"{len(inputs):,} questions", purposes[0].usually
    return Estimate(whole, purposes, to_ask, NOTE, three_prompts(first), in_batches)


def _calls_about(item: QuestionInput, calls: Calls, first: Call) -> Iterator[About]:
    """The calls about a question."""
    chosen, text = calls.chosen, item.question.question
    of_text = tokens_of(text) / OVER + OF_JSON
    texts = 1 + chosen.paraphrases
    judged = ATTEMPTS * (texts + item.always_judged)  # a judge may propose another text each time
    yield first, 1, ATTEMPTS, of_text
    if chosen.judge_model or item.always_judged:
        yield calls.audit(item, text), texts, judged, OF_VERDICT
    if chosen.paraphrases:
        call = calls.paraphrase(item, [text], chosen.paraphrases)
        yield call, 1, ATTEMPTS, chosen.paraphrases * of_text
