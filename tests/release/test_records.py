"""Records are written in field order, and read back with every field checked."""

import json
from typing import Any

import pytest

from rulemine.codec import from_json, to_json
from rulemine.errors import InputError
from rulemine.kg.entity_names import EntityNames
from rulemine.release.records import (
    Certificate,
    Difficulty,
    Prediction,
    Question,
    Rejection,
    Removal,
)

TRIPLE = ("ann", "wife", "bob")
QUESTION = Question(
    id="q00001",
    question="Who is the wife of bob?",
    topic="bob",
    relation="wife",
    direction="subject",
    answers=("ann", "東京, the"),
    hard_answer="ann",
    hard_answers=("ann",),
    removed=TRIPLE,
    level=100,
    rule="0123456789ab",
    rule_type="inversion",
    rule_subtype="inversion",
    certificate=(("bob", "husband", "ann"),),
    diagnosis=Difficulty(1, 1, ("husband",), (), 0, 0.5, 0.25, 1.0),
    split="test",
)
RECORDS = [
    QUESTION,
    QUESTION.diagnosis,
    Removal(TRIPLE, 20, (Certificate("r1", (TRIPLE, TRIPLE)), Certificate("r2", ()))),
    Rejection("balance", "too many", "", TRIPLE, "object", "r1", "é"),
    EntityNames("e0", "ann", "Ann"),
    Prediction("q1", raw_output="bob, or \n so"),
    Prediction("q1", answers=()),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: type(r).__name__)
def test_what_is_written_is_read(record: Any) -> None:
    row = json.loads(json.dumps(to_json(record)))
    again = from_json(type(record), row, "here")
    assert again == record
    assert hash(again) == hash(record), "tuples all the way down"
    assert list(to_json(record)) == list(type(record).__dataclass_fields__)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"id": 5}, "id is 5; expected text"),
        ({"id": None}, "id is None; expected text"),
        ({"level": "100"}, "level is '100'; expected a whole number"),
        ({"level": True}, "level is true; expected a whole number"),
        ({"level": 1.0}, r"level is 1\.0; expected a whole number"),
        ({"answers": "ann"}, "answers is 'ann'; expected a list"),
        ({"answers": ["ann", 5]}, r"answers\[1\] is 5; expected text"),
        ({"removed": ["a", "b"]}, r"removed is \['a', 'b'\]; expected 3 items"),
        ({"certificate": [["a", "b", "c", "d"]]}, r"certificate\[0\] is .*; expected 3 items"),
        ({"diagnosis": []}, r"diagnosis is \[\]; expected an object"),
        ({"diagnosis": {}}, r"diagnosis\.proofs is missing"),
        ({"anwsers": []}, r"unknown key 'anwsers'; did you mean 'answers'\?"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], expected: str) -> None:
    row = json.loads(json.dumps(to_json(QUESTION))) | change
    with pytest.raises(InputError, match=f"^file: line 3: {expected}"):
        from_json(Question, row, "file: line 3")


def test_a_missing_field_is_named_unless_it_has_a_default() -> None:
    row = to_json(QUESTION)
    del row["topic"]
    with pytest.raises(InputError, match="topic is missing"):
        from_json(Question, row, "here")
    assert from_json(Prediction, {"id": "q"}, "here") == Prediction("q")
    assert from_json(Prediction, {"id": "q", "answers": None}, "here") == Prediction("q")


def test_a_whole_number_is_a_number() -> None:
    row = to_json(QUESTION.diagnosis) | {"head_coverage": 1}
    value = from_json(Difficulty, row, "here").head_coverage
    assert (value, type(value)) == (1.0, float)


def test_records_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        QUESTION.id = "q2"  # type: ignore[misc]
