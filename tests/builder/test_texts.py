"""Texts of a model: which are taken, and why others are refused."""

import re

import pytest

from rulemine.builder.texts import CHECKED, SAME, Texts
from rulemine.release.records import Rejection
from rulemine.text.naming_rules import ANCHOR_MISSING, ANSWER_NAMED, INTERMEDIATE_NAMED
from tests.builder.structures.worlds import RandomWorld

WORLD = RandomWorld(0)
ASKED = WORLD.ask(names=("2p", "2i"))
ONE = next(q for q in ASKED.questions if q.structure == "2p" and q.block.intermediates)
TWO = next(q for q in ASKED.questions if q.structure == "2i")
(TOPIC,) = ONE.anchors


def texts() -> Texts:
    return Texts(ASKED.names, WORLD.templates)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Who came after the others?", ANCHOR_MISSING),
        (f"Who came after {TOPIC}, like {ONE.answers[0]}?", ANSWER_NAMED),
        (f"Who came after {TOPIC} and {ONE.block.intermediates[0]}?", INTERMEDIATE_NAMED),
        (f"Who came **after** {TOPIC}?", f"{CHECKED}: markup"),
        (f"It came after {TOPIC}.", f"{CHECKED}: not_a_question"),
    ],
)
def test_a_text_that_breaks_a_rule_is_refused_with_the_query(text: str, reason: str) -> None:
    found = texts().from_model(ONE, text)
    assert isinstance(found, Rejection)
    assert (found.reason, found.text, found.query) == (reason, text, ONE.query)
    assert found.detail == "in the naming entity"


def test_a_text_is_taken_once_in_every_naming() -> None:
    made = texts()
    taken = made.from_model(ONE, f"Who came after {TOPIC}?")
    assert not isinstance(taken, Rejection)
    assert (taken.wording, taken.patterns) == ("model", ("Who came after {topic}?",))
    again = made.from_model(ONE, f"who CAME after {TOPIC}?")
    assert isinstance(again, Rejection)
    assert again.reason == SAME
    template = made.from_template(TWO)
    assert template == TWO
    assert isinstance(made.from_template(TWO), Rejection)
    both = made.from_model(TWO, f"What is joined to {TWO.anchors[1]} and {TWO.anchors[0]}?")
    assert not isinstance(both, Rejection)
    assert {*re.findall(r"\{(\w+)\}", both.patterns[0])} == {"topic1", "topic2"}
