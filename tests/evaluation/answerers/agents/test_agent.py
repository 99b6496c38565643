"""How agents read what a model says."""

from rulemine.evaluation.answerers.agents.agent import chosen, is_none, json_value, read_yes, scored

M, IN_LAW = "family.mother", "family.mother_in_law"
RELATIONS = [M, IN_LAW, f"inverse of {M}"]


def test_options_are_found_in_a_reply():
    cases = {
        M: [M], f"{M}, inverse of {M}": [M, f"inverse of {M}"], f'["{IN_LAW}"]': [IN_LAW],
        f"- {M}\n- {M}\n": [M], f"I take inverse of {M}, of course.": [f"inverse of {M}"],
        f"Relations: {M}\n{IN_LAW}": [M, IN_LAW], "family.father": [], "": [], "none": [],
    }  # fmt: skip
    assert {text: chosen(text, RELATIONS) for text in cases} == cases
    # A list of names is not searched for words that are names too.
    assert chosen("Yes, Minister", ["Yes, Minister", "Yes", "It"]) == ["Yes, Minister"]
    assert chosen("anything", []) == []


def test_ratings_belong_to_the_option_before_them():
    cases = {
        f"{{{M} (Score: 0.4)}}": {M: 0.4}, f"1. {{{IN_LAW} (Score: .5)}}: fits": {IN_LAW: 0.5},
        f"{M}, score = 8; {M} (score: 0.1)": {M: 1.0}, "family.father (Score: 0.4)": {}, M: {},
        "Score: 0.5": {}, f"{M} (Score: " + "9" * 400 + ")": {M: 1.0},
    }  # fmt: skip
    assert {text: scored(text, RELATIONS) for text in cases} == cases


def test_yes_is_the_first_of_yes_and_no_and_nothing_is_said_in_several_ways():
    assert read_yes('{"Go back": "Yes", "Reason": "no way"}')
    assert [*map(read_yes, ("No. Yes would be wrong.", "Yesterday", ""))] == [False] * 3
    assert all(map(is_none, ("", " ", "none", "None.", '"unknown"', "NULL", "n/a")))
    assert not is_none("None but the brave")


def test_json_is_found_in_words():
    assert json_value('{"a": [1]} is it', list) == [1]
    assert json_value('It is ```json\n{"a": "{b"}\n```', dict) == {"a": "{b"}
    assert json_value('So: {"a": [1, "b,]",],}', dict) == {"a": [1, "b,]"]}
    assert json_value('["\\ud83d\\ude00 \\ud800"]', list) == ["\U0001f600 \ufffd"]
    for text, kind in (("[" * 100_000, list), ('{"a": 1', dict), ("[1]", dict)):
        assert json_value(text, kind) is None
