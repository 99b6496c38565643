"""Texts of a model: which are taken, and why others are refused."""

import re
from dataclasses import replace
from typing import NamedTuple

import pytest

from rulemine.kinds.texts import CHECKED, SAME, Texts
from rulemine.query.links import relations_at
from rulemine.query.parser import parse
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.text.naming_rules import (
    ANCHOR_MISSING,
    ANCHOR_TELLS,
    ANSWER_NAMED,
    INTERMEDIATE_NAMED,
)
from tests import each
from tests.kinds.structures.worlds import RandomWorld


class Asked(NamedTuple):
    """Questions of a small world, a ``2p`` and a ``2i`` among them."""

    world: RandomWorld
    asked: QuestionSet
    one: Question
    two: Question

    def texts(self) -> Texts:
        return Texts(self.asked.names, self.world.templates)


@pytest.fixture(scope="module")
def made() -> Asked:
    world = RandomWorld(0)
    asked = world.ask(names=("2p", "2i"), ratios=None)
    one = next(q for q in asked.questions if q.structure == "2p" and q.intermediates)
    two = next(q for q in asked.questions if q.structure == "2i")
    return Asked(world, asked, one, two)


@each(
    ("text", "reason"),
    [
        ("Who came after the others?", ANCHOR_MISSING),
        ("Who came after {topic}, like {answer}?", ANSWER_NAMED),
        ("Who came after {topic} and {between}?", INTERMEDIATE_NAMED),
        ("Who came **after** {topic}?", f"{CHECKED}: markup"),
        ("It came after {topic}.", f"{CHECKED}: not_a_question"),
    ],
)
def test_a_text_that_breaks_a_rule_is_refused_with_the_query(text, reason, made):
    one = made.one
    (topic,), (between, *_) = one.anchors, one.intermediates
    text = text.format(topic=topic, answer=one.answers[0], between=between)
    found = made.texts().from_model(one, text)
    assert isinstance(found, Rejection)
    assert (found.reason, found.text, found.query) == (reason, text, one.query)
    assert found.detail == "in the naming entity"


def test_a_text_is_taken_once_in_every_naming(made: Asked) -> None:
    one, two, texts = made.one, made.two, made.texts()
    taken = texts.from_model(one, f"Who came after {one.anchors[0]}?")
    assert not isinstance(taken, Rejection)
    assert (taken.wording, taken.patterns) == ("model", ("Who came after {topic}?",))
    again = texts.from_model(one, f"who came after {one.anchors[0]}?")
    assert isinstance(again, Rejection)
    assert again.reason == SAME
    assert texts.from_template(two) == two
    assert isinstance(texts.from_template(two), Rejection)
    both = texts.from_model(two, f"What is joined to {two.anchors[1]} and {two.anchors[0]}?")
    assert not isinstance(both, Rejection)
    assert {*re.findall(r"\{(\w+)\}", both.patterns[0])} == {"topic1", "topic2"}


@each("between", ["nothing", "places", "places, but for one relation"])
def test_an_anchor_whose_name_tells_an_answer_is_refused_but_between_places(made, between):
    two, templates = made.two, made.world.templates
    anchor, answer = two.anchors[0], two.answers[0]
    text = {row.entity: row.text for row in made.asked.names}
    telling = {anchor: f"{text[anchor]}, {text[answer]}"}
    names = [replace(row, text=telling.get(row.entity, row.text)) for row in made.asked.names]
    at = relations_at(parse(two.query), anchor)
    kept = {"nothing": set(), "places": {*at}}.get(between, {*at} - {min(at)})
    texts = Texts(names, replace(templates, places=frozenset(kept)))
    for found in (
        texts.from_template(two),
        texts.from_model(two, f"What is joined to {two.anchors[1]} and {two.anchors[0]}?"),
    ):
        if between == "places":
            assert not isinstance(found, Rejection)
        else:
            assert isinstance(found, Rejection)
            assert (found.reason, found.text) == (ANCHOR_TELLS, "")
            assert (found.detail, found.query) == ("in the naming text", two.query)
