"""What splits give away, by the code of the verifier."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rulemine.verify.contents import Contents, Located
from rulemine.verify.questions.leaks import check_given_away
from rulemine.verify.report import Findings

REMOVED = [("a", "r", "b"), ("c", "r", "d"), ("e", "s", "f")]


def row(
    split: str, *, needs: Any = (), evidence: Any = (), topic: str = "t", answers: Any = ("x",)
) -> dict[str, Any]:
    return {
        "split": split,
        "anchors": [topic],
        "answers": list(answers),
        "hard": [{"answer": "x", "witness": [list(triple)]} for triple in needs],
        "full_evidence": [list(triple) for triple in evidence],
        "removed": [],
    }


def found(rows: list[dict[str, Any]], split: str = "group", max_facts: int = 5) -> list[str]:
    options = {"split": split, "max_facts": max_facts}
    contents = SimpleNamespace(
        folder=SimpleNamespace(option=lambda _section, key: options[key]),
        brink=False,
        removed=dict.fromkeys(REMOVED),
        questions=[
            Located(f"questions/{one['split']}.jsonl", line, one) for line, one in enumerate(rows)
        ],
    )
    findings = Findings()
    check_given_away(cast(Contents, contents), findings)
    return [problem.invariant for problem in findings.report(Path()).problems]


TEST = row("test", needs=REMOVED[:1])


@pytest.mark.parametrize(
    "gives",
    [
        row("train", evidence=[("a", "r", "b")]),
        row("validation", evidence=[("b", "other", "a")]),  # another statement on the same pair
        row("train", topic="b", answers=["z", "a"]),
    ],
)
def test_what_test_needs_is_given_by_no_earlier_split(gives: dict[str, Any]) -> None:
    assert found([TEST, gives]) == ["no leakage"]
    assert found([TEST, gives], split="random") == []


def test_test_may_give_away_what_training_needs() -> None:
    assert found([row("train", needs=REMOVED[:1]), row("test", evidence=REMOVED)]) == []
    assert found([row("validation", needs=REMOVED), row("train", evidence=REMOVED[1:2])]) != []


def test_questions_that_need_many_facts_are_for_training() -> None:
    for split in ("validation", "test"):
        assert found([row(split, needs=REMOVED)], max_facts=2) == ["facts needed"]
    assert found([row("train", needs=REMOVED)], max_facts=2) == []
