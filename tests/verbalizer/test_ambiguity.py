"""Ambiguous texts are retracted, repeatedly, or lost."""

from dataclasses import replace

import pytest

from rulemine.verbalizer.verbalize import same_words
from tests.verbalizer.scripted import (
    AUNT,
    COUSIN,
    OTHER,
    UNCLE,
    Scripted,
    asked_for,
    inputs_of,
    rejections_in,
    run,
    well,
)

VAGUE = "Who are relatives of bob?"


def vague(*sure, text=VAGUE):
    """Says the same to everybody, and to those named never anything else."""

    def say(call):
        if call.purpose == "question" and (call.subject in sure or not rejections_in(call)):
            return text
        return well(call)

    return say


def texts(made):
    return [(q.id, q.wording, q.question) for q in made.asked.questions]


def test_a_text_with_two_meanings_goes_back_to_both():
    session = Scripted(vague())
    made = run(asked_for(AUNT, UNCLE), session)
    assert texts(made) == [
        ("q00001", "model", "Who are the aunts of bob?"),
        ("q00002", "model", "Who are the uncles of bob?"),
    ]
    quoted = [rejections_in(call) for call in session.calls[2:]]
    assert VAGUE in quoted[0][0]
    assert "the uncles of bob" in quoted[0][0]
    assert "the aunts of bob" in quoted[1][0]
    assert made.counts.problems == {"ambiguous": 2}
    assert made.counts.first == 0


def test_questions_with_the_same_formal_query_may_share_a_text():
    session = Scripted(well)
    made = run(asked_for(AUNT, COUSIN), session)
    assert len(session.calls) == 2
    assert len({q.question for q in made.asked.questions}) == 1
    assert made.counts.problems == {}


def test_three_meanings_and_one_that_cannot_do_better():
    """The one that has used up its attempts keeps its text when the others find new ones."""

    def say(call):
        if call.subject != "q00001":
            return vague()(call)
        return VAGUE if len(rejections_in(call)) == 2 else "Who is it?"

    made = run(asked_for(AUNT, UNCLE, COUSIN), Scripted(say))
    assert texts(made) == [
        ("q00001", "model", VAGUE),
        ("q00002", "model", "Who are the uncles of bob?"),
        ("q00003", "model", "Who are the aunts of bob?"),
    ]


def test_three_meanings_all_resolved():
    say = vague(text="Who are relatives of ann?")
    rows = (
        (("ann", "aunt", "bob"), "object"),
        (("cid", "aunt", "ann"), "subject"),
        (("ed", "uncle", "ann"), "subject"),
    )
    session = Scripted(say)
    made = run(asked_for(*rows), session)
    assert len({row[2] for row in texts(made)}) == 3
    (quoted,) = rejections_in(session.calls[3])
    assert "the aunts of ann; the uncles of ann" in quoted
    assert made.counts.problems == {"ambiguous": 3}


def test_what_cannot_be_told_apart_loses_its_text():
    session = Scripted(vague("q00001", "q00002"))
    made = run(asked_for(AUNT, UNCLE, OTHER), session)
    # The third names bob in the place of dora until it is told to name her.
    assert [r.question for r in made.asked.rejections] == ["q00001", "q00002"]
    assert {r.reason for r in made.asked.rejections} == {"ambiguous"}
    assert made.asked.rejections[0].detail == "template used: ambiguous, ambiguous, ambiguous"
    assert len([call for call in session.calls if call.subject == "q00001"]) == 3
    assert len(made.asked.questions) == 3


def test_one_of_two_does_better():
    session = Scripted(vague("q00001"))
    made = run(asked_for(AUNT, UNCLE), session)
    assert texts(made) == [
        ("q00001", "model", VAGUE),
        ("q00002", "model", "Who are the uncles of bob?"),
    ]


def template_of_the_other(call):
    """q00001 never gets a good text, and the model says its template for q00002."""
    if call.subject == "q00001":
        return "Who is it?"
    return well(call) if rejections_in(call) else "Who is the aunt of BOB ?"


def test_a_text_that_is_the_template_of_another_question_goes_back():
    session = Scripted(template_of_the_other)
    made = run(asked_for(AUNT, UNCLE), session)
    assert texts(made) == [
        ("q00001", "fallback", "Who is the aunt of bob?"),
        ("q00002", "model", "Who are the uncles of bob?"),
    ]
    assert made.counts.problems["ambiguous"] == 1


def test_a_template_used_late_sends_another_text_back():
    """q00003 has the template of q00001, which that only gets when it cannot be quoted from q00002."""

    def say(call):
        if call.subject == "q00003":
            return well(call) if rejections_in(call) else "Who is the aunt of bob?"
        return VAGUE

    session = Scripted(say)
    made = run(asked_for(AUNT, UNCLE, (("bob", "uncle", "fay"), "object")), session)
    assert [row[1] for row in texts(made)] == ["fallback", "fallback", "model"]
    assert made.asked.questions[2].question == "Who are everyone whose uncle is bob?"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Who  is {topic} ?", "who is {topic}", True),
        ("Who’s {topic}?", "Who's {topic}?", True),
        ("Who is {topic}?", "Who was {topic}?", False),
        ("{topic}?", "{topic}{{?", False),
    ],
)
def test_same_words(one, other, same):
    assert (same_words(one, {"topic": "X?"}) == same_words(other, {"topic": "x?"})) is same


def test_marks_of_a_name_stay():
    text = "Who founded {topic}?"
    assert same_words(text, {"topic": "Yahoo?"}) != same_words(text, {"topic": "Yahoo"})


def test_the_pattern_of_a_template():
    (item,) = inputs_of(asked_for((("{a}", "aunt", "b"), "object")))
    assert item.template == "Who is {topic} the aunt of?"
    (item,) = inputs_of(asked_for((("c", "aunt", "a"), "subject")))
    assert item.template == "Who is the aunt of {topic}?"


def test_other_queries_with_the_same_answers_may_not_share_a_text():
    """The town where bob was born, and the town where he lives, are two questions in any release."""
    asked = asked_for(AUNT, UNCLE)
    questions = [replace(q, answers=asked.questions[0].answers) for q in asked.questions]
    asked = replace(asked, questions=tuple(questions))
    made = run(asked, Scripted(vague()))
    assert len({text for *_, text in texts(made)}) == 2
    assert made.counts.problems == {"ambiguous": 2}
    made = run(asked, Scripted(vague("q00001", "q00002")))
    assert [wording for _, wording, _ in texts(made)] == ["fallback", "fallback"]


def test_questions_with_the_same_template_may_share_a_text():
    """The published procedure asks one question for each removed triple."""
    asked = asked_for(AUNT, UNCLE)
    questions = [replace(q, question="Who is the aunt of bob?") for q in asked.questions]
    made = run(replace(asked, questions=tuple(questions)), Scripted(vague()))
    assert [text for *_, text in texts(made)] == [VAGUE, VAGUE]
