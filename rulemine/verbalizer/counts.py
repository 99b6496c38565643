"""The figures of a release about its language model, counted from its journal."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from rulemine.llm.call import Answer, Failure
from rulemine.phrasing.glosses import Glosses
from rulemine.release.contents import ModelTrace
from rulemine.release.records import Question, Rejection
from rulemine.verbalizer.replies import Choice, Verdict, read_choice, read_verdict
from rulemine.verbalizer.round_trip import is_recognised

__all__ = ["count_model"]


def count_model(
    trace: ModelTrace | None, questions: Iterable[Question], rejections: Iterable[Rejection]
) -> dict[str, Any]:
    """The counts for the manifest: calls by purpose, tokens, verdicts; all zero without a model."""
    lines = trace.journal if trace else ()
    entries = [line.entry for line in lines]
    replies = [entry.answer for entry in entries if not isinstance(entry.answer, Failure)]
    audits = Counter(_audit(entry.answer) for entry in entries if entry.purpose == "audit")
    glosses = Glosses.from_toml(trace.glosses if trace else "")
    asked = {q.id: (q.relation, q.direction) for q in questions}
    asked |= {r.question: (r.removed[1], r.direction) for r in rejections if r.question}
    trips = Counter(
        _round_trip(entry.answer, asked[questions[0]], glosses)
        for entry, questions in lines
        if entry.purpose == "round_trip"
    )
    return {
        "model_calls": dict(sorted(Counter(entry.purpose for entry in entries).items())),
        "model_tokens": {
            "prompt": sum(reply.prompt_tokens for reply in replies),
            "completion": sum(reply.completion_tokens for reply in replies),
        },
        "audits": {key: audits[key] for key in ("passed", "failed", "unreadable")},
        "round_trips": {key: trips[key] for key in ("right", "wrong", "unreadable")},
    }


def _audit(answer: Answer) -> str:
    verdict = None if isinstance(answer, Failure) else read_verdict(answer)
    if not isinstance(verdict, Verdict):
        return "unreadable"
    return "passed" if verdict.passed else "failed"


def _round_trip(answer: Answer, wanted: tuple[str, str], glosses: Glosses) -> str:
    choice = None if isinstance(answer, Failure) else read_choice(answer)
    if not isinstance(choice, Choice):
        return "unreadable"
    return "right" if is_recognised(choice, *wanted, glosses) else "wrong"
