"""Each stage after ``ask`` writes only what it changed, and the questions are read back whole."""

from dataclasses import replace

import pytest

from rulemine.codec import parse_object
from rulemine.errors import InputError
from rulemine.kinds.rules.balance import Limits, balance
from rulemine.kinds.split import split
from rulemine.release.question_set import (
    read_changes,
    read_question_set,
    write_changes,
    write_question_set,
)
from rulemine.release.records import Rejection
from tests.kinds.rules.test_ask import random_build


def verbalized(asked):
    """Some questions in other words, one by its template for want of a text, one dropped."""
    first, second, *rest = asked.questions
    worded = [
        replace(q, question="What?", wording="model", paraphrases=("Eh?",), patterns=("{topic}?",))
        for q in rest
    ]
    reasons = [
        Rejection(
            "verbalize",
            "long",
            q.id,
            q.removed[0],
            q.block.direction,
            q.rules[0],
            "dropped: long",
        )
        for q in (first, second)
    ]
    return asked.keep([replace(second, wording="fallback"), *worded], reasons)


STAGES = {
    "balance": lambda asked: balance(asked, Limits(answer=0.2), 0),
    "verbalize": verbalized,
    "split": lambda asked: split(asked, "random", (8, 1, 1), 0),
}


def test_every_stage_is_read_back(tmp_path):
    write_question_set(tmp_path, asked := random_build(3)[1])
    read = read_question_set(tmp_path)
    assert read == asked
    for stage, change in STAGES.items():
        after = change(asked)
        assert after != asked
        (tmp_path / stage).mkdir()
        write_changes(tmp_path / stage, stage, asked, after)
        read = read_changes(tmp_path / stage, stage, read)
        assert read == after
        asked = after


@pytest.mark.parametrize(
    ("stage", "fields"),
    [
        ("balance", {"id"}),
        ("verbalize", {"id", "question", "wording", "paraphrases", "patterns"}),
        ("split", {"id", "split", "unseen"}),
    ],
)
def test_a_stage_writes_its_own_fields_and_rejections(tmp_path, stage, fields):
    before = balance(random_build(3)[1], Limits(answer=0.3), 0)
    after = STAGES[stage](before)
    write_changes(tmp_path, stage, before, after)
    rows = (tmp_path / "questions.jsonl").read_text().splitlines()
    assert [parse_object(row, "row").keys() for row in rows] == [fields] * len(after.questions)
    rejected = (tmp_path / "rejected.jsonl").read_text().splitlines()
    assert len(rejected) == len(before.questions) - len(after.questions) + (stage == "verbalize")


def test_a_damaged_change_is_named(tmp_path):
    asked = random_build(3)[1]
    (tmp_path / "questions.jsonl").write_text('{"id": "q00001", "split": 7}\n')
    (tmp_path / "rejected.jsonl").write_text("")
    with pytest.raises(InputError, match=r"questions\.jsonl: line 1: .*`int` - at `\$\.split`"):
        read_changes(tmp_path, "split", asked)
