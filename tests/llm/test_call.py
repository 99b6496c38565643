"""The key of a call depends on what is asked, and on nothing else."""

import dataclasses
import json
from typing import Any

import pytest

from rulemine.llm.call import Call, Entry, Failure, Message, Reply

SCHEMA = {"type": "object", "properties": {"question": {"type": "string"}}}

CALL = Call(
    purpose="question",
    subject="q000001",
    model="some-model",
    prompt_version="question/1",
    prompt_digest="0" * 64,
    messages=(Message("system", "You write questions."), Message("user", "Topic: 72")),
    max_tokens=200,
)


@pytest.mark.parametrize(
    "change",
    [
        {"model": "some-model-2"},
        {"prompt_version": "question/2"},
        {"messages": CALL.messages[:1]},
        {"messages": CALL.messages[::-1]},
        {"messages": (CALL.messages[0], Message("user", "Topic: 7"))},
        {"messages": (CALL.messages[0], Message("system", "Topic: 72"))},
        {"max_tokens": 201},
        {"temperature": 0.5},
        {"temperature": None},
        {"seed": 1},
        {"seed": None},
        {"schema": SCHEMA},
    ],
    ids=lambda change: ",".join(f"{k}={v!r}" for k, v in change.items())[:40],
)
def test_what_is_asked_changes_the_key(change: dict[str, Any]) -> None:
    assert dataclasses.replace(CALL, **change).key != CALL.key


@pytest.mark.parametrize(
    "change",
    [{"subject": "q000002"}, {"purpose": "audit"}, {"prompt_digest": "1" * 64}, {"temperature": 0}],
    ids=str,
)
def test_what_is_not_asked_does_not_change_the_key(change: dict[str, Any]) -> None:
    other = dataclasses.replace(CALL, **change)
    assert (other.key, other.request) == (CALL.key, CALL.request)


def test_the_texts_of_messages_cannot_run_into_one_another() -> None:
    one = dataclasses.replace(CALL, messages=(Message("user", "ab"), Message("user", "c")))
    other = dataclasses.replace(CALL, messages=(Message("user", "a"), Message("user", "bc")))
    assert one.key != other.key


def test_keys_stay_what_they_are() -> None:
    """A change here makes every journal worthless: what was paid for would be asked again."""
    assert CALL.key == "eceda2d8dd6740b6758f1c0b7215e166ba118f469a8360ccfdadf55eec243877"
    assert (
        dataclasses.replace(CALL, schema=SCHEMA).key
        == "b158cd08bd05958f877515e84b450c31198cdf8788d1d5c5d6c301ab6262380f"
    )


def test_the_version_of_the_prompt_is_in_the_key_and_not_in_the_request() -> None:
    other = dataclasses.replace(CALL, prompt_version="question/2")
    assert other.request == CALL.request
    assert other.key != CALL.key
    assert "prompt_version" not in CALL.body()


def test_the_body_is_what_the_api_takes() -> None:
    body = dataclasses.replace(CALL, schema=SCHEMA).body()
    assert json.loads(json.dumps(body)) == {
        "model": "some-model",
        "messages": [
            {"role": "system", "content": "You write questions."},
            {"role": "user", "content": "Topic: 72"},
        ],
        "max_tokens": 200,
        "temperature": 0.0,
        "seed": 0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "question", "strict": True, "schema": SCHEMA},
        },
    }


def test_what_is_none_is_left_out() -> None:
    body = dataclasses.replace(CALL, temperature=None, seed=None).body()
    assert set(body) == {"model", "messages", "max_tokens"}


def test_calls_can_be_in_sets_also_with_a_schema() -> None:
    assert len({dataclasses.replace(CALL, schema=SCHEMA), CALL, dataclasses.replace(CALL)}) == 2


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("half \ud800 a pair", "half \ufffd a pair"),
        ("other half \udc00", "other half \ufffd"),
        ("a pair in two: \ud83d\ude00", "a pair in two: 😀"),
        ("Zoë \u2028 😀 \ufeff", "Zoë \u2028 😀 \ufeff"),
    ],
    ids=ascii,
)
def test_half_a_surrogate_pair_is_replaced_for_it_cannot_be_written(said: str, kept: str) -> None:
    assert Reply(said, "stop", 1, 1).text == kept
    assert Failure("refused", said, lasting=True).detail == kept


def test_the_digested_part_of_an_entry_has_no_time_and_no_attempts() -> None:
    reply = Reply("Who is the aunt of 72?", "stop", 300, 9)
    entry = Entry(CALL.key, "question", "m", "question/1", "0" * 64, CALL.request, reply)
    later = dataclasses.replace(entry, attempts=3, time="2030-01-01T00:00:00Z")
    assert later.to_json() == entry.to_json()
    assert list(entry.to_json()) == [
        "key", "purpose", "model", "prompt_version", "prompt_digest", "request",
        "reply", "finish_reason", "usage",
    ]  # fmt: skip


def test_a_failure_has_no_reply() -> None:
    failure = Failure("context_too_long", "8192 tokens at most", lasting=True)
    row = Entry(CALL.key, "question", "m", "question/1", "0" * 64, CALL.request, failure).to_json()
    assert row["failure"] == {
        "code": "context_too_long", "detail": "8192 tokens at most", "lasting": True,
    }  # fmt: skip
    assert not {"reply", "finish_reason", "usage"} & set(row)
