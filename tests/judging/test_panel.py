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
from rulemine.judging.report import report
from rulemine.llm.call import Answer, Call, Failure, Reply
from tests.evaluation.world import ANN, question

FACT = Stated("Ann, parent_of, {Bob}", "Ann is a parent of {Bob}")
ITEM = JudgedQuestion(
    "q1", 'Who is the "child" of Ann?', "{Bob}", ("Cleo",), (FACT,), "text", (FACT,), (FACT,)
)
STATED = JudgedQuestion("q2", "Who is the child of Ann?", "{Bob}", (), (FACT,), "text")
GOOD = {flag.name: flag.good for flag in FLAGS}
PANEL = Panel(seat_judges(["m"]))


def reply(call: Call, **changes: Any) -> str:
    """What a judge says who finds all good, but for the changes."""
    flags = {f.name: {**GOOD, **changes}[f.name] for f in FLAGS if f.purpose == call.purpose}
    reasons = {f"{name}_reasoning": f"why\n {name}" for name in flags}
    return json.dumps({**reasons, **{f"{name}_flag": value for name, value in flags.items()}})


def ballot(
    says: Callable[[Call, int], str | Answer], item: JudgedQuestion = ITEM
) -> tuple[Ballot, list[Call]]:
    """The ballot of a judge who says this, and what was asked."""
    asked: list[Call] = []

    async def ask(call: Call) -> Answer:
        times = sum(call.purpose == other.purpose for other in asked)
        asked.append(call)
        said = says(call, times)
        return Reply(said) if isinstance(said, str) else said

    return asyncio.run(PANEL.ballot(item, PANEL.judges[0], ask)), asked


def values(cast: Ballot) -> dict[str, Any]:
    return {name: mark.value for name, mark in cast.items()}


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
        named = [key in call.messages[-1]["content"] for key in call.schema["required"]]
        assert all(named), "no field that the prompt does not name"


def test_nothing_is_asked_about_a_proof_where_nothing_was_concluded():
    cast, asked = ballot(lambda call, _: reply(call), STATED)
    assert (len(asked), "proof" in cast) == (2, False)
    assert is_accepted([cast] * 3)
    assert "Other Answers: none\n" in asked[1].messages[-1]["content"]


def test_replies_are_read_among_other_words_and_in_other_words():
    for wrap in (
        "{}", "<think>Is {{it}}?</think>\n{}", "The verdict: {} as asked.",
        "Here is what I think:\n```json\n{}\n```\nThat is all.",
    ):  # fmt: skip
        cast, asked = ballot(lambda c, _, w=wrap: w.replace("{}", reply(c, redundancy=True)))
        assert (len(asked), cast["redundancy"].value) == (3, True)
    said = {"redundancy": "False", "logical_structure": " T ", "ambiguity": "no", "proof": "SOUND"}
    assert values(ballot(lambda call, _: reply(call, **said))[0]) == GOOD
    flags = {f"{name}_flag": good for name, good in GOOD.items()}
    cast, _ = ballot(lambda call, _: json.dumps(flags))
    assert cast == {name: Mark(good, "") for name, good in GOOD.items()}, "reasons may be missing"


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


def test_an_unreadable_reply_is_asked_for_once_more_and_then_rejects():
    good, _ = ballot(lambda call, _: reply(call))
    for why, said in UNREADABLE:

        def bad(call: Call, times: int, said: Answer = said) -> str | Answer:
            return said if call.purpose == "judge_wording" else reply(call)

        cast, (first, second, *rest) = ballot(bad)
        assert len(rest) == 2
        assert first.key != second.key, "the journal would give the same reply"
        assert second.messages[-1]["content"].startswith(first.messages[-1]["content"])
        assert (cast["redundancy"].value, cast["answer_support"].value) == (None, True)
        assert cast["redundancy"].reasoning.startswith(why)
        assert not is_accepted([good, cast, good])
        mended, _ = ballot(lambda call, n, bad=bad: reply(call) if n else bad(call, n))
        assert values(mended) == GOOD


def test_a_call_that_fails_is_not_asked_again_and_rejects():
    long = Failure("context_too_long", "8193 tokens", lasting=True)
    cast, asked = ballot(lambda call, _: long if call.purpose == "judge_support" else reply(call))
    assert len(asked) == 3
    assert cast["answer_support"] == Mark(None, "context_too_long: 8193 tokens")
    assert not is_accepted([cast])


def test_one_judge_who_objects_is_enough_where_the_flag_decides():
    good, _ = ballot(lambda call, _: reply(call))
    assert is_accepted([good] * 3)
    assert not is_accepted([])
    deciding = set()
    for flag in FLAGS:
        other = not flag.good if isinstance(flag.good, bool) else "absurd"
        objects, _ = ballot(lambda call, _, to=flag.name, as_=other: reply(call, **{to: as_}))
        deciding |= {flag.name} if is_accepted([good, good, objects]) else set()
    assert deciding == {"ambiguity", "proof"}


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
    own.write_text(text.replace("You judge the wording", "You are harsh about it"), "utf-8")
    calls = Panel(PANEL.judges, load_judge_prompts(str(own))).calls(ITEM, PANEL.judges[0])
    keys = [call.key for call in PANEL.calls(ITEM, PANEL.judges[0])]
    assert [call.key in keys for call in calls] == [False, True, True]
    own.write_text(text.replace("[judge_proof]", "[judge_prof]").replace("{others}", ""), "utf-8")
    with pytest.raises(ConfigError) as problem:
        load_judge_prompts(str(own))
    for said in ("[judge_prof]; did you mean", "is missing", "needs the placeholder {others}"):
        assert said in str(problem.value)


def test_a_report_has_shares_of_questions_of_votes_and_of_pairs_of_judges():
    good = {name: Mark(value, "") for name, value in GOOD.items() if name != "proof"}
    votes = [(True, True, True), (True, False, False), (True, None, True)]
    ballots = [[{**good, "logical_structure": Mark(vote, "")} for vote in row] for row in votes]
    asked = [question(n, ANN, core=True) for n in (1, 2, 3)]
    told = report("r", asked, Panel(seat_judges(["m"])), ballots, 0)
    assert "Accepted: 1 of 3" in told
    numbers = next(line for line in told.splitlines() if line.startswith("fluent")).split()
    # One of 3 by all, two by most, 6 of 9 votes; of the two that all judges could read 4 of 6 pairs agree.
    assert numbers[1:6] == ["3", "33.3", "66.7", "66.7", "66.7"]
    assert numbers[-1] == "1", "the third has a reply that could not be read"
