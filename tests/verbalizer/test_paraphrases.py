"""Paraphrases: further texts, checked, distinct, unambiguous; fewer are counted, never padded."""

import json

from rulemine.llm.call import Failure
from tests.verbalizer.scripted import (
    AUNT,
    COUSIN,
    UNCLE,
    WAYS,
    Scripted,
    asked_for,
    rejections_in,
    run,
    wanted,
    well,
)


def paraphrasing(*replies):
    """Says lists of paraphrases, then good ones."""
    left = list(replies)

    def say(call):
        if call.purpose != "paraphrase":
            return well(call)
        if left:
            said = left.pop(0)
            return said if isinstance(said, Failure) else json.dumps({"questions": said})
        return json.dumps({"questions": [way.format(wanted(call)) for way in WAYS[1:]]})

    return say


GOOD = [way.format("the aunts of bob") for way in WAYS]


def paraphrases(session, *rows, k=2, **options):
    made = run(asked_for(*rows), session, paraphrases=k, **options)
    return made, [call for call in session.calls if call.purpose == "paraphrase"]


def test_paraphrases_are_kept_with_their_patterns():
    made, calls = paraphrases(Scripted(paraphrasing()), AUNT)
    (question,) = made.asked.questions
    assert question.paraphrases == tuple(GOOD[1:3])
    assert question.patterns == tuple(way.format("the aunts of {topic}") for way in WAYS[:3])
    assert len(calls) == 1
    assert (made.counts.paraphrases, made.counts.wanted) == (2, 2)


def test_missing_paraphrases_are_asked_for_again_with_the_reasons():
    said = [GOOD[1], "Who is it?"], [GOOD[1].lower(), GOOD[0]], [GOOD[3]]
    made, calls = paraphrases(Scripted(paraphrasing(*said)), AUNT)
    assert made.asked.questions[0].paraphrases == (GOOD[1], GOOD[3])
    assert [len(rejections_in(call)) for call in calls] == [0, 1, 3]
    assert "Who is it?" in rejections_in(calls[1])[0]
    assert made.counts.refused["not_distinct"] == 2


def test_fewer_paraphrases_are_counted_never_padded():
    made, calls = paraphrases(Scripted(paraphrasing(*[[GOOD[1], GOOD[1]]] * 3)), AUNT)
    assert made.asked.questions[0].paraphrases == (GOOD[1],)
    assert len(calls) == 3
    assert (made.counts.paraphrases, made.counts.wanted) == (1, 2)
    assert not made.asked.rejections


def test_a_failure_ends_the_paraphrases():
    failure = Failure("context_too_long", "", True)
    made, calls = paraphrases(Scripted(paraphrasing([GOOD[1]], failure)), AUNT)
    assert made.asked.questions[0].paraphrases == (GOOD[1],)
    assert made.asked.questions[0].wording == "model"
    assert len(calls) == 2


def test_ambiguous_paraphrases_are_refused():
    """Two questions get the same paraphrase, and one that is the text of the other."""
    both = [
        "Name relatives of bob, please?",
        "Who are the aunts of bob?",
        "Who are the uncles of bob?",
    ]
    made, calls = paraphrases(Scripted(paraphrasing(both, both)), AUNT, UNCLE, k=3)
    for question in made.asked.questions:
        assert len(question.paraphrases) == 3
        assert not set(both) & set(question.paraphrases)
    assert made.counts.refused == {"ambiguous": 4, "not_distinct": 2}
    assert len(calls) == 4


def test_questions_with_the_same_formal_query_may_share_paraphrases():
    made, _ = paraphrases(Scripted(paraphrasing()), AUNT, COUSIN)
    assert len({q.paraphrases for q in made.asked.questions}) == 1
    assert made.counts.refused == {}


def test_no_paraphrases_of_a_template():
    say = paraphrasing()
    session = Scripted(lambda c: "Who is it?" if c.subject == "q00001" else say(c))
    made, calls = paraphrases(session, AUNT, UNCLE)
    assert {call.subject for call in calls} == {"q00002"}
    assert made.asked.questions[0].paraphrases == ()
    assert made.counts.wanted == 2


def test_the_template_of_a_question_is_no_paraphrase_of_another():
    say = paraphrasing(["Who is the aunt of bob?", "What do you know of the uncles of bob?"])
    session = Scripted(lambda c: "Who is it?" if c.subject == "q00001" else say(c))
    made, _ = paraphrases(session, AUNT, UNCLE)
    assert "Who is the aunt of bob?" not in made.asked.questions[1].paraphrases
    assert len(made.asked.questions[1].paraphrases) == 2
    assert made.counts.refused == {"ambiguous": 1}


def test_paraphrases_are_audited():
    def say(call):
        if call.purpose == "audit" and "Name" in wanted(call, "Question"):
            return "FAIL: it is rude"
        return paraphrasing()(call)

    made, _ = paraphrases(Scripted(say), AUNT, judge_model="judge")
    assert made.asked.questions[0].paraphrases == tuple(GOOD[2:])
    assert made.counts.refused == {"audit_failed": 1}
