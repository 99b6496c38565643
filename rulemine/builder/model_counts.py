"""The counts of a release about its language model, from its journal."""

import json
from collections import Counter
from typing import Any

from rulemine.llm.call import Answer, Failure
from rulemine.llm.journal import answer_of
from rulemine.release.contents import ModelTrace
from rulemine.verbalizer.replies import SCHEMAS, Verdict, read_verdict

__all__ = ["count_model"]


def count_model(trace: ModelTrace | None) -> dict[str, Any]:
    """Counts calls by purpose, tokens, and verdicts for the manifest; all zero without a model."""
    calls: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    audits: Counter[str] = Counter()
    for line in map(json.loads, trace.journal if trace else ()):
        calls[line["purpose"]] += 1
        tokens.update(line.get("usage", {}))
        if line["purpose"].endswith("audit") and line["purpose"] in SCHEMAS:
            audits[_audit(answer_of(line), line["purpose"])] += 1
    return {
        "model_calls": dict(sorted(calls.items())),
        "model_tokens": {key: tokens[f"{key}_tokens"] for key in ("prompt", "completion")},
        "audits": {key: audits[key] for key in ("passed", "failed", "unreadable")},
    }


def _audit(answer: Answer, purpose: str) -> str:
    verdict = None if isinstance(answer, Failure) else read_verdict(answer, purpose)
    if not isinstance(verdict, Verdict):
        return "unreadable"
    return "passed" if verdict.passed else "failed"
