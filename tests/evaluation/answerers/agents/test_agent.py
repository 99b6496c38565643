import pytest

from rulemine.evaluation.answerers.agents.agent import (
    chosen,
    is_none,
    json_value,
    read_yes,
    scored,
)

RELATIONS = ["family.mother", "family.mother_in_law", "inverse of family.mother"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("family.mother", ["family.mother"]),
        ("family.mother, inverse of family.mother", ["family.mother", "inverse of family.mother"]),
        ('["family.mother_in_law"]', ["family.mother_in_law"]),
        ("- family.mother\n- family.mother\n", ["family.mother"]),
        ("I take inverse of family.mother, of course.", ["inverse of family.mother"]),
        (
            "Relations: family.mother\nfamily.mother_in_law",
            ["family.mother", "family.mother_in_law"],
        ),
        ("family.father", []),
        ("", []),
        ("none", []),
    ],
)
def test_options_are_found_in_a_reply(text: str, expected: list[str]) -> None:
    assert chosen(text, RELATIONS) == expected


def test_a_list_of_names_is_not_searched_for_words_that_are_names_too() -> None:
    assert chosen("Yes, Minister", ["Yes, Minister", "Yes", "It"]) == ["Yes, Minister"]
    assert chosen("anything", []) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{family.mother (Score: 0.4)}", {"family.mother": 0.4}),
        ("1. {family.mother_in_law (Score: .5)}: fits", {"family.mother_in_law": 0.5}),
        ("family.mother, score = 8; family.mother (score: 0.1)", {"family.mother": 1.0}),
        ("family.father (Score: 0.4)", {}),
        ("family.mother", {}),
        ("Score: 0.5", {}),
        ("family.mother (Score: " + "9" * 400 + ")", {"family.mother": 1.0}),
    ],
)
def test_ratings_belong_to_the_option_before_them(text: str, expected: dict[str, float]) -> None:
    assert scored(text, RELATIONS) == expected


def test_yes_is_the_first_of_yes_and_no() -> None:
    assert read_yes('{"Go back": "Yes", "Reason": "no way"}')
    assert not read_yes("No. Yes would be wrong.")
    assert not read_yes("Yesterday")
    assert not read_yes("")


@pytest.mark.parametrize("text", ["", " ", "none", "None.", '"unknown"', "NULL", "n/a"])
def test_nothing_is_said_in_several_ways(text: str) -> None:
    assert is_none(text)
    assert not is_none("None but the brave")


def test_json_is_found_in_words() -> None:
    assert json_value('{"a": [1]} is it', list) == [1]
    assert json_value('It is ```json\n{"a": "{b"}\n```', dict) == {"a": "{b"}
    assert json_value('So: {"a": [1, "b,]",],}', dict) == {"a": [1, "b,]"]}
    assert json_value("[" * 100_000, list) is None
    assert json_value('{"a": 1', dict) is None
    assert json_value("[1]", dict) is None
    assert json_value('["\\ud83d\\ude00 \\ud800"]', list) == ["\U0001f600 \ufffd"]
