"""A panel of judges: what they are asked, how replies are read, when a question is accepted."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from rulemine.config import packaged
from rulemine.errors import ConfigError
from rulemine.judging.panel import (
    FLAGS,
    Ballot,
    JudgedQuestion,
    Mark,
    Panel,
    Stated,
    is_accepted,
    load_judge_prompts,
    seat_judges,
)
from rulemine.llm.call import Answer, Ask, Call, Failure, Reply

FACT = Stated("Ann, parent_of, {Bob}", "Ann is a parent of {Bob}")
ITEM = JudgedQuestion(
    "q1", 'Who is the "child" of Ann?', "{Bob}", ("Cleo",), (FACT,), "text", (FACT,), (FACT,)
)
STATED = JudgedQuestion("q2", "Who is the child of Ann?", "{Bob}", (), (FACT,), "text")
GOOD = {flag.name: flag.good for flag in FLAGS}
PANEL = Panel(seat_judges(["m"]))

Says = Callable[[Call, int], str | Answer]


def reply(call: Call, **changes: Any) -> str:
    """What a judge says who finds all good, but for the changes."""
    flags = {f.name: {**GOOD, **changes}[f.name] for f in FLAGS if f.purpose == call.purpose}
    reasons = {f"{name}_reasoning": f"why\n {name}" for name in flags}
    return json.dumps({**reasons, **{f"{name}_flag": value for name, value in flags.items()}})


def ballot(says: Says, item: JudgedQuestion = ITEM) -> tuple[Ballot, list[Call]]:
    """The ballot of a judge who says this, and what was asked."""
    asked: list[Call] = []

    async def ask(call: Call) -> Answer:
        times = sum(call.purpose == other.purpose for other in asked)
        asked.append(call)
        said = says(call, times)
        return Reply(said) if isinstance(said, str) else said

    answer: Ask = ask
    return asyncio.run(PANEL.ballot(item, PANEL.judges[0], answer)), asked


def test_a_judge_is_asked_three_things_and_gives_reasons():
    cast, asked = ballot(lambda call, _: reply(call))
    assert [call.purpose for call in asked] == ["judge_wording", "judge_support", "judge_proof"]
    assert cast == {name: Mark(good, f"why {name}") for name, good in GOOD.items()}
    wording, support, proof = (call.messages[-1]["content"] for call in asked)
    assert 'Question: Who is the "child" of Ann?' in wording
    assert "{Bob}" not in wording, "the answer would give the answer away"
    assert "Answer: {Bob}\nOther Answers: Cleo\n" in support
    assert support.count("- (Ann, parent_of, {Bob}): Ann is a parent of {Bob}") == 1
    assert proof.count("- (Ann, parent_of, {Bob}): Ann is a parent of {Bob}") == 2
    for call in asked:
        assert call.schema is not None
        for key in call.schema["required"]:
            assert key in call.messages[-1]["content"], "no field that the prompt does not name"


def test_nothing_is_asked_about_a_proof_where_nothing_was_concluded():
    cast, asked = ballot(lambda call, _: reply(call), STATED)
    assert len(asked) == 2
    assert "proof" not in cast
    assert is_accepted([cast] * 3)
    assert "Other Answers: none\n" in asked[1].messages[-1]["content"]


@pytest.mark.parametrize(
    "wrap",
    [
        "{}",
        "Here is what I think:\n```json\n{}\n```\nThat is all.",
        "<think>Is {{it}}?</think>\n{}",
        "The verdict: {} as asked.",
    ],
)
def test_a_reply_is_read_among_other_words(wrap: str):
    cast, asked = ballot(lambda call, _: wrap.replace("{}", reply(call, redundancy=True)))
    assert len(asked) == 3
    assert cast["redundancy"].value is True


def test_truth_in_words_and_grades_in_capitals_are_read():
    said = {"redundancy": "False", "logical_structure": " T ", "ambiguity": "no", "proof": "SOUND"}
    cast, _ = ballot(lambda call, _: reply(call, **said))
    assert {name: mark.value for name, mark in cast.items()} == GOOD


def test_reasons_may_be_missing():
    cast, _ = ballot(
        lambda call, _: json.dumps({f"{f.name}_flag": f.good for f in FLAGS if f.purpose == call.purpose})
    )  # fmt: skip
    assert cast == {name: Mark(good, "") for name, good in GOOD.items()}


WORDING = Call("m", purpose="judge_wording")

UNREADABLE: list[tuple[str, Answer]] = [
    ("malformed: words without JSON", Reply("The question is fine, and true.")),
    ("malformed: broken JSON", Reply('{"logical_structure_flag": true, "redund')),
    ("malformed: JSON without the keys", Reply('{"logical_structure_flag": true}')),
    ("malformed: JSON with an invalid value", Reply(reply(WORDING, redundancy="perhaps"))),
    ("malformed: JSON with an invalid value", Reply(reply(WORDING, ambiguity=7))),
    ("cut_off", Reply('{"logical', finish_reason="length")),
    ("filtered", Reply("", finish_reason="content_filter")),
]  # fmt: skip


@pytest.mark.parametrize(("why", "said"), UNREADABLE)
def test_an_unreadable_reply_is_asked_for_once_more_and_then_rejects(why: str, said: Answer):
    def bad(call: Call, times: int) -> str | Answer:
        return said if call.purpose == "judge_wording" else reply(call)

    cast, asked = ballot(bad)
    first, second, *_ = asked
    assert len(asked) == 4
    assert first.key != second.key, "the journal would give the same reply"
    assert second.messages[-1]["content"].startswith(first.messages[-1]["content"])
    assert cast["redundancy"].value is None
    assert cast["redundancy"].reasoning.startswith(why)
    assert cast["answer_support"].value is True
    good, _ = ballot(lambda call, _: reply(call))
    assert not is_accepted([good, cast, good])

    mended, asked = ballot(lambda call, times: reply(call) if times else bad(call, times))
    assert {name: mark.value for name, mark in mended.items()} == GOOD


def test_a_call_that_fails_is_not_asked_again_and_rejects():
    def fails(call: Call, _: int) -> str | Answer:
        long = Failure("context_too_long", "8193 tokens", lasting=True)
        return long if call.purpose == "judge_support" else reply(call)

    cast, asked = ballot(fails)
    assert len(asked) == 3
    assert cast["answer_support"] == Mark(None, "context_too_long: 8193 tokens")
    assert not is_accepted([cast])


@pytest.mark.parametrize("flag", FLAGS, ids=lambda flag: flag.name)
def test_one_judge_who_objects_is_enough_where_the_flag_decides(flag):
    good, _ = ballot(lambda call, _: reply(call))
    other = not flag.good if isinstance(flag.good, bool) else "absurd"
    objects, _ = ballot(lambda call, _: reply(call, **{flag.name: other}))
    assert is_accepted([good] * 3)
    assert is_accepted([good, good, objects]) is (flag.name in ("ambiguity", "proof"))
    assert not is_accepted([])


def test_a_model_that_sits_more_than_once_is_asked_for_further_samples():
    keys = {call.key for judge in PANEL.judges for call in PANEL.calls(ITEM, judge)}
    assert len(keys) == 9
    assert [tuple(judge) for judge in PANEL.judges] == [("m", n, 0.7) for n in range(3)]
    mixed = seat_judges(["a", "b", "a"])
    assert [tuple(j) for j in mixed] == [("a", 0, 0.7), ("b", 0, 0.0), ("a", 1, 0.7)]
    assert {judge.temperature for judge in seat_judges(["a", "b", "c"], -1)} == {None}
    for models in ([], ["a", "b"], ["a", "", "c"], ["a"] * 4):
        with pytest.raises(ConfigError, match="expected 3, or one, which judges 3 times"):
            seat_judges(models)


def test_prompts_can_be_copied_and_edited(tmp_path):
    text = packaged("judging", "judges.toml").read_text("utf-8")
    own = tmp_path / "judges.toml"
    own.write_text(
        text.replace("You judge the wording", "You are harsh about the wording"), "utf-8"
    )
    calls = Panel(PANEL.judges, load_judge_prompts(str(own))).calls(ITEM, PANEL.judges[0])
    keys = [call.key for call in PANEL.calls(ITEM, PANEL.judges[0])]
    assert [call.key in keys for call in calls] == [False, True, True]
    own.write_text(text.replace("[judge_proof]", "[judge_prof]").replace("{others}", ""), "utf-8")
    with pytest.raises(ConfigError) as problem:
        load_judge_prompts(str(own))
    for said in (
        "[judge_prof]; did you mean",
        "[judge_proof] is missing",
        "needs the placeholder {others}",
    ):
        assert said in str(problem.value)
