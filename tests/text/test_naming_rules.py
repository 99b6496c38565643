"""The three rules: every anchor is named, no answer and no intermediate is."""

import pytest

from rulemine.kg.entity_names import EntityNames
from rulemine.text.naming_rules import (
    ANCHOR_MISSING,
    ANSWER_NAMED,
    INTERMEDIATE_NAMED,
    naming_problem,
    telling_anchor,
)

YORK, NEW_YORK = EntityNames("e07", "Q1", "York"), EntityNames("e70", "Q2", "New York")
FILM, ANN = EntityNames("e11", "Q3", "Film"), EntityNames("e12", "Q4", "Ann O'Hara")


def asks(text):
    """A text with {0}, {1} … for anchors, as a function of the naming and the anchors."""

    def made(anchors):
        return lambda naming: text.format(*(entity.name_in(naming) for entity in anchors))

    return made


CASES = (
    ("Who lives in {0}?", [NEW_YORK], [ANN], [YORK], None),
    ("Who lives in {0} and in {1}?", [NEW_YORK, YORK], [ANN], [], None),
    ("Who lives in {0}?", [NEW_YORK, YORK], [], [], (ANCHOR_MISSING, "in the naming private")),
    ("Who lives in a town?", [YORK], [], [], (ANCHOR_MISSING, "in the naming private")),
    ("Which film is about {0}?", [YORK], [FILM], [], (ANSWER_NAMED, "in the naming text")),
    ("Which film is about {0}?", [YORK], [ANN], [FILM], (INTERMEDIATE_NAMED, "in the naming text")),
    ("Which films are about {0}?", [YORK], [ANN], [FILM], None),
    ("What did ANN O'HARA do in {0}?", [YORK], [ANN], [], (ANSWER_NAMED, "in the naming text")),
    ("What is q3 of {0}?", [YORK], [FILM], [], (ANSWER_NAMED, "in the naming entity")),
    ("Which 12 are in {0}?", [YORK], [ANN], [], (ANSWER_NAMED, "in the naming numeric")),
    ("Who lives in {0}?", [YORK], [YORK], [YORK], None),
)


@pytest.mark.parametrize(("text", "anchors", "answers", "intermediates", "expected"), CASES)
def test_three_rules(text, anchors, answers, intermediates, expected):
    found = naming_problem(asks(text)(anchors), anchors, answers, intermediates)
    assert (found and found[:2]) == expected
    if found:
        assert found.text == asks(text)(anchors)(found.detail.rsplit(" ", 1)[-1])


@pytest.mark.parametrize("anchors", [[NEW_YORK, YORK], [YORK, NEW_YORK]])
def test_an_anchor_inside_another_needs_its_own_place(anchors):
    def named(naming: str) -> str:
        return "Who lives in New York?" if naming == "text" else asks("{0} {1}?")(anchors)(naming)

    found = naming_problem(named, anchors, [], [])
    assert found == (ANCHOR_MISSING, "in the naming text", "Who lives in New York?")


@pytest.mark.parametrize(
    ("anchor", "answer", "naming"),
    [
        ("Panjab University, Chandigarh", "Chandigarh", "text"),
        ("KINGDOM of the Netherlands", "Kingdom", "text"),
        ("Chandigarh University", "Chandigarh Univers", None),
        ("Oslo", "Oslo II", None),
        ("Oslo", "oslo", "text"),
    ],
)
def test_the_name_of_an_anchor_tells_an_answer_by_whole_tokens(anchor, answer, naming):
    named, asked = EntityNames("e01", "Q1", anchor), EntityNames("e02", "Q2", answer)
    assert telling_anchor([named], [ANN, asked]) == naming
    assert telling_anchor([named], [named]) is None
