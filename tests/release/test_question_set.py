"""What each stage keeps of the questions is read back."""

from dataclasses import replace

import pytest

from rulemine.errors import InputError
from rulemine.kinds.rules.balance import Limits, balance
from rulemine.kinds.split import split
from rulemine.release.question_set import read_question_set, write_question_set
from rulemine.release.records import Rejection
from tests.kinds.rules.test_ask import random_build


def verbalized(asked):
    """Some questions in other words, one by its template for want of a text, one dropped."""
    first, second, *rest = asked.questions
    words = {
        "question": "What?",
        "wording": "model",
        "paraphrases": ("Eh?",),
        "patterns": ("{topic}?",),
    }
    why = [
        Rejection(
            "verbalize", "long", q.id, q.removed[0], q.block.direction, q.rules[0], "dropped: long"
        )
        for q in (first, second)
    ]
    worded = [replace(q, **words) for q in rest]
    return asked.keep([replace(second, wording="fallback"), *worded], why)  # fmt: skip


STAGES = {
    "balance": lambda asked: balance(asked, Limits(answer=0.2), 0),
    "verbalize": verbalized,
    "split": lambda asked: asked.keep(split(asked.questions, "random", (8, 1, 1), 0), ()),
}


def test_every_stage_is_read_back(tmp_path):
    asked = random_build(3)[1]
    for change in (lambda asked: asked, *STAGES.values()):
        asked = change(asked)
        write_question_set(tmp_path, asked)
        assert read_question_set(tmp_path) == asked


def test_a_damaged_file_is_named(tmp_path):
    write_question_set(tmp_path, random_build(3)[1])
    (tmp_path / "rejected.jsonl").write_text('{"stage":"split","reason":7}\n')
    with pytest.raises(InputError, match=r"rejected\.jsonl: line 1: .*`int` - at `\$\.reason`"):
        read_question_set(tmp_path)
