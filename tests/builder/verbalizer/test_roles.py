import re
from importlib import resources
from pathlib import Path

import pytest

from rulemine.builder.phrases import PACKAGED, read_phrases
from rulemine.builder.verbalizer.roles import both_ways, is_mutual, roles_of
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
    assert len(mutual) == 26
    assert "{subject} is married to {object}" in mutual
    assert "{subject} and {object} were in the cast of Saturday Night Live together" in mutual


def test_only_what_surely_holds_both_ways_is_mutual() -> None:
    """Of what is not, the gloss has to say which end a question asks for."""
    directed = {s for s in packaged() if both_ways(s) and not is_mutual(s)}
    assert directed == {"{subject} married in {object}"}


@pytest.mark.parametrize(
    "statement",
    [
        "{subject} is linked to {object} by “taxon parent”",
        "{subject} is linked to {object} by “adjacent station”",
        "{subject} likes {object}",
        "{subject} is connected by {object}",
        "{subject} is also known as {object}",
        "{subject} is the next station after {object}",
        "{subject} meets the requirement {object}",
        "{subject} shares the ownership of {object}",
        "{subject} is the aunt of {object}",
    ],
)
def test_a_word_that_may_be_mutual_does_not_hide_a_direction(statement: str) -> None:
    assert not is_mutual(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "{subject} is married to {object}",
        "{subject} has {object} as neighbor",
        "{subject} met {object}",
        "{subject} and {object} know each other",
        "{subject} works with {object}",
        "members of {subject} were also members of {object}",
    ],
)
def test_what_holds_both_ways_is_mutual(statement: str) -> None:
    assert is_mutual(statement)
    assert is_mutual(exchanged(statement))


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
