import re
from importlib import resources
from pathlib import Path

import pytest

from rulemine.builder.phrases import PACKAGED, read_phrases
from rulemine.builder.verbalizer.roles import both_ways, roles_of
from tests.builder.verbalizer.role_wordings import ASKED_FOR, HELD_OUT, STATEMENTS

ENDS = {"S": "{subject}", "O": "{object}"}


def template(wording: str) -> str:
    return re.sub(r"\b[SO]\b", lambda found: ENDS[found[0]], wording)


def exchanged(statement: str) -> str:
    other = {"{subject}": "{object}", "{object}": "{subject}"}
    return re.sub(r"\{(?:subject|object)\}", lambda found: other[found[0]], statement)


def packaged() -> list[str]:
    folder = Path(str(resources.files("rulemine"))) / "phrases"
    return [
        phrase.statement
        for name in PACKAGED
        for phrase in read_phrases(folder / f"{name}.toml").values()
    ]


RIGHT = [(row[0], wording) for row in (*STATEMENTS, *ASKED_FOR, *HELD_OUT) for wording in row[1]]
WRONG = [(row[0], wording) for row in (*STATEMENTS, *ASKED_FOR) for wording in row[2]]
WRONG_HELD_OUT = [(row[0], wording) for row in HELD_OUT for wording in row[2]]


@pytest.mark.parametrize(("written", "wording"), RIGHT)
def test_no_right_wording_is_taken_for_a_wrong_one(written: str, wording: str) -> None:
    assert not roles_of(template(wording)).contradict(roles_of(template(written)))


@pytest.mark.parametrize(("written", "wording"), WRONG)
def test_wordings_the_wrong_way_round_are_noticed(written: str, wording: str) -> None:
    assert roles_of(template(wording)).contradict(roles_of(template(written)))
    assert roles_of(template(written)).contradict(roles_of(template(wording)))


def test_most_of_the_wordings_held_out_are_noticed() -> None:
    noticed = [
        roles_of(template(wording)).contradict(roles_of(template(written)))
        for written, wording in WRONG_HELD_OUT
    ]
    assert len(noticed) == 51
    assert sum(noticed) >= 42


@pytest.mark.parametrize("statement", packaged())
def test_packaged_statements_agree_with_themselves_and_not_with_their_reverse(
    statement: str,
) -> None:
    roles = roles_of(statement)
    assert not roles.contradict(roles)
    reverse = roles_of(exchanged(statement))
    assert reverse.contradict(roles) is not both_ways(statement)


def test_the_packaged_statements_that_hold_both_ways_are_few_and_named() -> None:
    """A word too many among the symmetric ones would make the comparison blind."""
    mutual = {statement for statement in packaged() if both_ways(statement)}
    assert len(mutual) == 21
    assert "{subject} is married to {object}" in mutual
    assert "{subject} and {object} were in the cast of Saturday Night Live together" in mutual


@pytest.mark.parametrize(
    "statement",
    [
        "{subject}",
        "",
        "{subject} {subject}",
        "{subject}{object}",
        "{subject} is {object}",
        "'s {object} 's {subject} 's",
        "{subject} is the {object}",
        "{object} has {subject}",
        "of of {subject} of of {object} of of",
        "{subject} is who {object} is",
        "{subject} is a , {object} as",
        "{subject} as the {object} for",
        "S ist die Tante von {subject}, {object}",
        "{subject} — “{object}”",
        "{subject} is the 叔母 of {object}",
        "the the the {subject} is is is {object}",
        "{subject} has been {object} has been",
        "one of {subject} is {object}",
    ],
)
def test_clauses_that_cannot_be_read_are_no_trouble(statement: str) -> None:
    roles = roles_of(statement)
    assert not roles.contradict(roles)


def test_one_that_says_nothing_contradicts_nothing() -> None:
    aunt = roles_of("{subject} is the aunt of {object}")
    assert not roles_of("{subject} {object}").contradict(aunt)
    assert not roles_of("{object} is not the aunt of {subject}").contradict(aunt)
