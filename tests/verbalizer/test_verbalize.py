"""The conversation about each question: attempts, failures, judge, journal."""

import pytest

from rulemine.errors import UserError
from rulemine.llm.call import Failure, Reply
from rulemine.llm.session import Replay
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Calls
from rulemine.verbalizer.verbalize import VerbalizationCounts, verbalize
from tests.verbalizer.scripted import (
    AUNT,
    GLOSSES,
    NIECE,
    OTHER,
    PROMPTS,
    UNCLE,
    Scripted,
    asked_for,
    inputs_of,
    lines,
    rejections_in,
    run,
    wanted,
    well,
)

FOUR = (AUNT, NIECE, UNCLE, OTHER)


def first(*said):
    """Says one thing after the other to the calls `question` about q00001, then what a good model says."""
    left = list(said)

    def say(call):
        if call.purpose == "question" and call.subject == "q00001" and left:
            return left.pop(0)
        return well(call)

    return say


def by_purpose(session, purpose):
    return [call for call in session.calls if call.purpose == purpose]


def test_a_good_model_is_asked_once_for_each_question():
    session = Scripted(well)
    made = run(asked_for(*FOUR), session)
    assert [q.question for q in made.asked.questions] == [
        "Who are the aunts of bob?",
        "Who are the nieces and nephews of ann?",
        "Who are the uncles of bob?",
        "Who are the uncles of dora?",
    ]
    assert {q.wording for q in made.asked.questions} == {"model"}
    assert made.asked.questions[0].patterns == ("Who are the aunts of {topic}?",)
    assert not made.asked.rejections
    assert len(session.calls) == len(made.journal) == 4
    assert made.counts.first == made.counts.verbalized == made.counts.questions == 4
    assert made.counts.problems == {}


def test_the_text_is_in_source_labels_whatever_the_prompts_name():
    session = Scripted(well)
    made = run(asked_for(AUNT), session, naming="private")
    said = wanted(session.calls[0])
    assert said.startswith("the aunts of e0000")
    assert made.asked.questions[0].question == "Who are the aunts of bob?"
    assert made.asked.questions[0].patterns == ("Who are the aunts of {topic}?",)


def test_an_attempt_tells_all_earlier_ones_and_the_reasons():
    session = Scripted(first("Who is it?", "Who are the aunts of bob"))
    made = run(asked_for(AUNT, OTHER), session)
    quoted = [rejections_in(call) for call in session.calls if call.subject == "q00001"]
    assert [len(rows) for rows in quoted] == [0, 1, 2]
    assert "Who is it?" in quoted[1][0]
    assert quoted[2][0] == quoted[1][0]
    assert "Who are the aunts of bob" in quoted[2][1]
    assert made.asked.questions[0].wording == "model"
    assert not made.asked.rejections
    assert made.counts.first == 1
    assert made.counts.verbalized == 2
    assert sum(made.counts.problems.values()) == 2


def test_when_all_attempts_fail_the_template_is_used():
    session = Scripted(first(*["Who is it?"] * 9))
    asked = asked_for(AUNT, OTHER)
    made = run(asked, session)
    assert len([c for c in session.calls if c.subject == "q00001"]) == 3
    fallback = made.asked.questions[0]
    assert fallback.wording == "fallback"
    assert fallback.question == asked.questions[0].question
    assert fallback.patterns == fallback.paraphrases == ()
    (rejection,) = made.asked.rejections
    code = rejection.reason
    assert rejection.stage == "verbalize"
    assert rejection.question == "q00001"
    assert rejection.detail == "template used: " + ", ".join([code] * 3)
    assert (rejection.removed, rejection.direction) == AUNT
    assert made.counts.problems == {code: 3}
    assert made.counts.verbalized == 1


@pytest.mark.parametrize(
    ("code", "lasting"), [("context_too_long", True), ("refused", True), ("endpoint_error", False)]
)
def test_a_failure_ends_the_attempts(code, lasting):
    session = Scripted(first("Who is it?", Failure(code, "of ann", lasting)))
    made = run(asked_for(AUNT, OTHER), session)
    code = {"refused": "refused_by_endpoint"}.get(code, code)
    (rejection,) = made.asked.rejections
    assert rejection.reason == code
    assert rejection.detail.endswith(f", {code}")
    assert rejection.detail.count(",") == 1
    assert "ann" not in rejection.detail
    assert len(made.journal) == 3  # failures are answers too


@pytest.mark.parametrize(
    "reply",
    [
        Reply('{"question": ', "stop", 1, 1),
        Reply("Who are the aunts of", "length", 1, 1),
        Reply("", "content_filter", 1, 1),
        Reply('{"text": "Who are the aunts of bob?"}', "stop", 1, 1),
    ],
)
def test_a_reply_that_cannot_be_read_is_a_failed_attempt(reply):
    session = Scripted(first(reply))
    made = run(asked_for(AUNT), session)
    assert len(session.calls) == 2
    assert made.asked.questions[0].wording == "model"
    assert sum(made.counts.problems.values()) == 1


def audited(*verdicts):
    left = list(verdicts)

    def say(call):
        if call.purpose == "audit" and left:
            return left.pop(0)
        if call.purpose == "question":
            words = ("Who are", "Name all of", "Which people are")[len(rejections_in(call))]
            return f"{words} {wanted(call)}?"
        return well(call)

    return say


def test_a_judge_that_fails_a_text_is_heard():
    session = Scripted(audited('{"verdict": "FAIL", "reason": "the wrong end"}'))
    made = run(asked_for(AUNT), session, judge_model="judge")
    assert [call.purpose for call in session.calls] == ["question", "audit", "question", "audit"]
    assert {call.model for call in by_purpose(session, "audit")} == {"judge"}
    assert "the wrong end" in rejections_in(by_purpose(session, "question")[1])[0]
    assert made.asked.questions[0].question == "Name all of the aunts of bob?"
    assert made.counts.problems == {"audit_failed": 1}


def test_a_judge_that_cannot_be_read_fails_the_text():
    session = Scripted(audited("maybe", "perhaps", "no idea"))
    made = run(asked_for(AUNT), session, judge_model="judge")
    assert len(session.calls) == 6
    assert made.asked.questions[0].wording == "fallback"
    assert made.counts.problems == {"audit_failed": 3}


def test_no_judge_for_a_text_that_fails_the_checks():
    session = Scripted(first("Who is it?"))
    run(asked_for(AUNT), session, judge_model="judge")
    assert len(by_purpose(session, "audit")) == 1


def test_a_failed_audit_call_ends_the_attempts():
    session = Scripted(audited(Failure("endpoint_error", "500", False)))
    made = run(asked_for(AUNT), session, judge_model="judge")
    assert made.asked.rejections[0].reason == "endpoint_error"
    assert len(session.calls) == 2


def test_two_questions_with_the_same_prompt_are_one_call():
    session = Scripted(well)
    made = run(asked_for(AUNT, AUNT, OTHER), session)
    assert len(session.calls) == 2
    assert sorted(row["questions"] for row in lines(made)) == [["q00001", "q00002"], ["q00003"]]
    assert made.asked.questions[0].question == made.asked.questions[1].question
    assert made.counts.first == 3


def test_a_replay_gives_identical_bytes(tmp_path):
    options = {"judge_model": "judge"}
    session = Scripted(first("Who is it?", "Who is it?"))
    made = run(asked_for(*FOUR), session, **options)
    (tmp_path / "journal.jsonl").write_bytes(b"".join(b"%s\n" % line for line in made.journal))
    with Replay(tmp_path) as replay:
        assert run(asked_for(*FOUR), replay, **options) == made


def test_progress_ends_with_all_settled():
    asked, steps, said = asked_for(*FOUR), [], []
    chosen = VerbalizerSection(name="openai", model="m")
    session = Scripted(first(*["Who is it?"] * 3))
    verbalize(
        asked, inputs_of(asked), Calls(PROMPTS, chosen, 7, GLOSSES), session,
        lambda done, total: steps.append((done, total)), said.append,
    )  # fmt: skip
    assert [done for done, _ in steps] == [1, 2, 3, 4]
    assert {total for _, total in steps} == {4}
    assert said[-1] == "1 rejected · 0 calls/min"


@pytest.mark.parametrize("bad", ["Who is it?", '{"text": "?"}'])
def test_a_model_of_whose_first_texts_none_passes_ends_the_build(bad):
    questions = asked_for(*[AUNT, NIECE, UNCLE, OTHER] * 25)
    session = Scripted(lambda call: f"{bad} {call.subject}" if bad.endswith("}") else bad)
    with pytest.raises(UserError) as caught:
        run(questions, session)
    for word in ("model 'm'", "first 50 texts", "q00001: ", "q00002: ", "q00003: ", "--prompt"):
        assert word in str(caught.value)
    assert "q00004: " not in str(caught.value)
    assert len(session.calls) < 80
    silent = Scripted(lambda call: Reply("", reasoning="Who?"))
    silent.advice = "Give it more room.\n"
    with pytest.raises(
        UserError, match=r"cut off; be brief\.\nGive it more room\.\nUse another model"
    ):
        run(questions, silent)
    assert {call.sample for call in silent.calls} == {0, 1, 2}
    assert run(questions, Scripted(lambda call: bad), fail_fast=False).counts.verbalized == 0
    good = Scripted(lambda call: well(call) if call.subject == "q00001" else bad)
    assert run(questions, good).counts.verbalized == 25


def test_the_counts_in_a_sentence():
    counts = VerbalizationCounts(
        questions=1200,
        verbalized=1195,
        first=1100,
        problems={"ambiguous": 20, "answer_named": 90, "audit_failed": 20},
        paraphrases=2300,
        wanted=2390,
        refused={"not_distinct": 120},
    )
    assert counts.to_text() == (
        "1,100 of 1,200 questions were verbalized at the first attempt, 95 later, 5 not at all (rejected: "
        "90 answer_named, 20 ambiguous, 20 audit_failed); 2,300 of 2,390 paraphrases were accepted "
        "(rejected: 120 not_distinct)."
    )
    assert VerbalizationCounts(3, 3, 3, {}, 0, 0, {}).to_text() == (
        "3 of 3 questions were verbalized at the first attempt, 0 later, 0 not at all."
    )
