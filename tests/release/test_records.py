"""Records are written in field order, and read back with every field checked."""

import json
from dataclasses import replace
from typing import Any

import pytest

from rulemine.codec import from_json, to_json
from rulemine.errors import InputError
from rulemine.kg.entity_names import EntityNames
from rulemine.kinds.rules.balance import Limits, balance
from rulemine.kinds.rules.block import RuleBlock
from rulemine.kinds.split import split
from rulemine.release.question_set import read_question_set, write_question_set
from rulemine.release.records import (
    Certificate,
    Difficulty,
    HardAnswer,
    PerDirection,
    Prediction,
    Question,
    Rejection,
    Removal,
    Unseen,
    question_from_json,
)
from tests import each
from tests.kinds.rules.test_ask import random_build

TRIPLE = ("ann", "wife", "bob")
QUESTION = Question(
    id="q00001", kind="rules", question="Who is the wife of bob?", anchors=("bob",),
    query='(p- "wife" "bob")',
    sparql="SELECT DISTINCT ?answer WHERE { ?answer <relation:wife> <entity:bob> . }",
    structure="1p", shape="(1)", hops=1,
    answers=("ann", "eve", "東京, the"), stated=("東京, the",),
    hard=(HardAnswer("ann", 1, 40, (TRIPLE,), True),), further=("eve",), hard_answer="ann", core=True,
    evidence=(TRIPLE,), full_evidence=(TRIPLE, ("東京, the", "wife", "bob")), spurious=(), value=None,
    stated_value=None, relations=("wife",), intermediates=(), removed=(TRIPLE,), rules=("0123456789ab",),
    split="test", unseen=Unseen(False, False, True), wording="template", paraphrases=(), patterns=(),
    block=RuleBlock("subject", "inversion", "inversion"),
)  # fmt: skip
DIFFICULTY = Difficulty(
    1, 1, ("husband",), (), 0.25, 1.0, 0.5, PerDirection(0.5, 0.1), PerDirection(0.5, 2.5)
)
REMOVAL = Removal(
    TRIPLE, 20, ("subject",), Certificate("r1", TRIPLE, (TRIPLE, TRIPLE)), "r2", DIFFICULTY, False
)
RECORDS = [
    QUESTION, DIFFICULTY, REMOVAL,
    replace(REMOVAL, selected_by=None, further_certificates=(Certificate("r2", TRIPLE, ()),)),
    replace(QUESTION, hard=(), hard_answer=None, value=2, stated_value=1),
    Rejection("balance", "too many", "", TRIPLE, "object", "r1", "é"),
    EntityNames("e0", "ann", "Ann"), Prediction("q1", raw_output="bob, or \n so"),
    Prediction("q1", answers=()),
]  # fmt: skip


@each("record", RECORDS)
def test_what_is_written_is_read(record: Any) -> None:
    row = json.loads(json.dumps(to_json(record)))
    own = isinstance(record, Question)
    again = question_from_json(row, "here") if own else from_json(type(record), row, "here")
    assert again == record
    assert hash(again) == hash(record), "tuples all the way down"
    assert list(to_json(record)) == list(type(record).__dataclass_fields__)


@each(
    ("change", "expected"),
    [
        ({"id": 5}, "Expected `str`, got `int` - at `$.id`"),
        ({"core": 1}, "Expected `bool`, got `int` - at `$.core`"),
        ({"value": 5.0}, "Expected `int | null`, got `float` - at `$.value`"),
        ({"answers": ["ann", 5]}, "Expected `str`, got `int` - at `$.answers[1]`"),
        ({"evidence": [["a", "b"]]}, "Expected `array` of length 3, got 2 - at `$.evidence[0]`"),
        ({"hard": [{}]}, "Object missing required field `answer` - at `$.hard[0]`"),
        ({"block": {}}, "block: Object missing required field `direction`"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], expected: str) -> None:
    row = json.loads(json.dumps(to_json(QUESTION))) | change
    with pytest.raises(InputError) as caught:
        question_from_json(row, "file: line 3")
    assert str(caught.value) == f"file: line 3: {expected}."


# What each stage keeps of the questions is read back.


def verbalized(asked):
    """Some questions in other words, one by its template for want of a text, one dropped."""
    first, second, *rest = asked.questions
    words = {
        "question": "What?", "wording": "model", "paraphrases": ("Eh?",), "patterns": ("{topic}?",),
    }  # fmt: skip
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
