"""What is unseen in training, as verification counts it."""

from typing import Any

import pytest

from rulemine.verify.contents import Located
from rulemine.verify.questions.question_set import _check_unseen
from rulemine.verify.report import Findings


def row(split: str, returns: str, unseen: bool) -> dict[str, Any]:
    answer = '["Turkey"]'
    return {
        "split": split,
        "rules": [],
        "relations": [],
        "hard": [{"answer": answer}],
        "hard_answer": answer,
        "block": {"returns": returns},
        "unseen": {"rule": False, "relation": False, "answer": unseen},
    }


@pytest.mark.parametrize(("returns", "unseen"), [("n_prop", True), ("n_argmax", False)])
def test_the_name_of_a_country_is_not_the_country(returns: str, unseen: bool) -> None:
    for written in (True, False):
        rows = [row("train", "n", False), row("validation", returns, written)]
        findings = Findings()
        _check_unseen([Located("q.jsonl", 1, one) for one in rows], findings)
        assert bool(findings._problems) is (written != unseen)
