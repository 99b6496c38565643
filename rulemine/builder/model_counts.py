"""The counts of a release about its language model, from its journal."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from rulemine.llm.call import Answer, Failure
from rulemine.llm.journal import answer_of
from rulemine.phrasing.glosses import Glosses
from rulemine.release.contents import ModelTrace
from rulemine.release.records import Question, Rejection
from rulemine.verbalizer.replies import (
    SCHEMAS,
    Choice,
    Verdict,
    is_recognized,
    read_choice,
    read_verdict,
)

__all__ = ["count_model"]


def count_model(
    trace: ModelTrace | None, questions: Iterable[Question], rejections: Iterable[Rejection]
) -> dict[str, Any]:
    """Counts calls by purpose, tokens, and verdicts for the manifest; all zero without a model."""
    glosses = Glosses.from_toml(trace.glosses if trace else "")
    asked = {q.id: q for q in questions}
    refused = {r.question: (r.removed[1], r.direction) for r in rejections if r.removed}
    calls: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    audits: Counter[str] = Counter()
    trips: Counter[str] = Counter()
    for line in map(json.loads, trace.journal if trace else ()):
        calls[line["purpose"]] += 1
        tokens.update(line.get("usage", {}))
        if line["purpose"].endswith("audit") and line["purpose"] in SCHEMAS:
            audits[_audit(answer_of(line), line["purpose"])] += 1
        elif line["purpose"] == "round_trip":
            key = line["questions"][0]
            wanted = refused.get(key) or (asked[key].relations[0], asked[key].block.direction)
            trips[_round_trip(answer_of(line), wanted, glosses)] += 1
    return {
        "model_calls": dict(sorted(calls.items())),
        "model_tokens": {key: tokens[f"{key}_tokens"] for key in ("prompt", "completion")},
        "audits": {key: audits[key] for key in ("passed", "failed", "unreadable")},
        "round_trips": {key: trips[key] for key in ("right", "wrong", "unreadable")},
    }


def _audit(answer: Answer, purpose: str) -> str:
    verdict = None if isinstance(answer, Failure) else read_verdict(answer, purpose)
    if not isinstance(verdict, Verdict):
        return "unreadable"
    return "passed" if verdict.passed else "failed"


def _round_trip(answer: Answer, wanted: tuple[str, str], glosses: Glosses) -> str:
    choice = None if isinstance(answer, Failure) else read_choice(answer)
    if not isinstance(choice, Choice):
        return "unreadable"
    return "right" if is_recognized(choice, *wanted, glosses) else "wrong"
