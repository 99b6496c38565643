import json
import random
from typing import Any

import pytest

from rulemine.llm.call import Reply
from rulemine.verbalizer import replies
from rulemine.verbalizer.brief import Problem
from rulemine.verbalizer.replies import (
    Choice,
    GlossWords,
    Verdict,
    read_choice,
    read_gloss,
    read_list,
    read_question,
    read_verdict,
)
from rulemine.verify.model import replies as verifier

READERS = (read_question, read_list, read_verdict, read_choice, read_gloss)
GLOSS = {"statement": "{subject} is {object}", "subjects": "a {topic}", "objects": "b {topic}"}


def reply(text: str, finish: str = "stop") -> Reply:
    return Reply(text, finish, 1, 1)


def code(value: Any) -> str | None:
    return value.code if isinstance(value, Problem) else None


@pytest.mark.parametrize("name", ["QUESTION", "PARAPHRASE", "AUDIT", "ROUND_TRIP", "GLOSS"])
def test_schemas_are_strict(name: str) -> None:
    schema = getattr(replies, f"{name}_SCHEMA")
    assert schema["additionalProperties"] is False
    assert schema["required"] == list(schema["properties"])
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize(
    "text",
    [
        "Who is 7?",
        "  Who is 7?\n",
        '"Who is 7?"',
        "“Who is 7?”",
        '{"question": "Who is 7?"}',
        '{"question": " \\"Who is 7?\\" "}',
        '```json\n{"question": "Who is 7?"}\n```',
        '```\n{"question":\n "Who is 7?"}\n```',
        "```\nWho is 7?\n```",
        "<think>Is it 7?\nOr 8?</think>\n\nWho is 7?",
        'thoughts without a start</think>{"question": "Who is 7?"}',
        "<think></think>Who is 7?",
    ],
)
def test_a_question_is_read(text: str) -> None:
    assert read_question(reply(text)) == "Who is 7?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"A" or "B"?', '"A" or "B"?'),
        ('Who wrote "It"', 'Who wrote "It"'),
        ('"Who" is "it"', '"Who" is "it"'),
        ("7", "7"),
        ("{topic} is whose aunt?", "{topic} is whose aunt?"),
    ],
)
def test_what_looks_like_quotes_or_json_and_is_none(text: str, expected: str) -> None:
    assert read_question(reply(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ('""', "empty"),
        ('{"question": " "}', "empty"),
        ("<think>hm</think>", "empty"),
        ("<think>hm", "cut_off"),
        ("Sure!\nWho is 7?", "several_lines"),
        ('{"questions": ["Who?"]}', "malformed"),
        ('{"answer": "7"}', "malformed"),
        ('{"question": ["Who?"]}', "malformed"),
        ('{"question": null}', "malformed"),
        ('{"question": "Who is 7?"', "malformed"),
        ('["Who?"]', "malformed"),
        ("{}", "malformed"),
        ('{"question": ' * 100_000, "malformed"),
        ("[" * 100_000, "malformed"),
    ],
)
def test_no_question(text: str, expected: str) -> None:
    assert code(read_question(reply(text))) == expected


@pytest.mark.parametrize("read", READERS)
def test_replies_that_did_not_come_to_an_end(read: Any) -> None:
    assert code(read(reply('{"question": "Who is 7?"}', "length"))) == "cut_off"
    assert code(read(reply("", "content_filter"))) == "filtered"
    assert code(read(reply("", "length"))) == "cut_off"
    assert code(read(reply("", "stop"))) == "empty"


@pytest.mark.parametrize(
    "text",
    [
        '{"questions": ["Who is 7?", "What is 7?"]}',
        "Who is 7?\nWhat is 7?",
        "1. Who is 7?\n2. What is 7?",
        "1) Who is 7?\n\n2) What is 7?",
        "- Who is 7?\n- What is 7?",
        '"Who is 7?"\n"What is 7?"',
        '<think>…</think>```json\n{"questions": ["Who is 7?", "What is 7?"]}\n```',
    ],
)
def test_a_list_is_read(text: str) -> None:
    assert read_list(reply(text)) == ("Who is 7?", "What is 7?")


def test_numbers_that_do_not_count_lines_belong_to_them() -> None:
    text = "7. Who is it?\n8. Who is it?"
    assert read_list(reply(text)) == ("7. Who is it?", "8. Who is it?")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"questions": ["a?", 2]}', "malformed"),
        ('{"questions": "a?"}', "malformed"),
        ('{"questions": []}', "empty"),
        ('{"questions": ["a?", ""]}', "empty"),
    ],
)
def test_no_list(text: str, expected: str) -> None:
    assert code(read_list(reply(text))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"verdict": "PASS", "reason": ""}', Verdict(True, "")),
        ('{"verdict": "FAIL", "reason": "wrong\\n end"}', Verdict(False, "wrong end")),
        ("PASS", Verdict(True, "")),
        ("Pass.", Verdict(True, "")),
        ("FAIL: it asks for\nthe other end", Verdict(False, "it asks for the other end")),
        ("FAIL", Verdict(False, "")),
    ],
)
def test_verdicts(text: str, expected: Verdict) -> None:
    assert read_verdict(reply(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"verdict": "MAYBE", "reason": ""}',
        '{"verdict": "PASS"}',
        '{"verdict": true, "reason": ""}',
        "PASS or FAIL?",
        "PASSED",
        "It does not FAIL",
        "true",
    ],
)
def test_no_verdict(text: str) -> None:
    assert code(read_verdict(reply(text))) == "malformed"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"relation": "3", "direction": "subject"}', Choice("3", "subject")),
        ('{"relation": 3, "direction": "object"}', Choice("3", "object")),
        ("relation: 3, direction: subject", Choice("3", "subject")),
        ("Relation: /a/b, c\nDirection: Object.", Choice("/a/b, c", "object")),
        ('relation: "born in", direction: object', Choice("born in", "object")),
    ],
)
def test_choices(text: str, expected: Choice) -> None:
    assert read_choice(reply(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"relation": "3", "direction": "both"}',
        '{"relation": true, "direction": "subject"}',
        '{"relation": "3"}',
        "relation: 3",
        "relation: 3, direction: up",
        "3 subject",
    ],
)
def test_no_choice(text: str) -> None:
    assert code(read_choice(reply(text))) == "malformed"


def test_glosses() -> None:
    expected = GlossWords(*GLOSS.values())
    assert read_gloss(reply(json.dumps(GLOSS))) == expected
    assert read_gloss(reply("\n".join(f"{k}: {v}" for k, v in GLOSS.items()))) == expected
    assert code(read_gloss(reply(json.dumps({**GLOSS, "objects": ""})))) == "empty"
    assert code(read_gloss(reply(json.dumps({**GLOSS, "objects": "a\nb"})))) == "several_lines"
    assert code(read_gloss(reply("statement: a\nobjects: b\nsubjects: c"))) == "malformed"


PIECES = (
    "{", "}", "[", "]", '"', "'", ":", ",", "\n", "\r\n", "\\", "\\u", "\\ud800", "\ud800", "\x00", "\u2028",
    "question", "questions", "verdict", "reason", "relation", "direction", "subject", "statement", "PASS",
    "FAIL", "```", "```json\n", "<think>", "</think>", "1.", "2)", "-", "Who is 7?", " ", "null", "true",
    "NaN", "1e999", "9" * 5000, '{"question": "Who?"}', '{"questions": ["a?"]}', "“", "”", "{" * 3000, "é",
)  # fmt: skip


def test_random_replies_raise_nothing() -> None:
    draw = random.Random(11)
    for _ in range(10_000):
        text = "".join(draw.choices(PIECES, k=draw.randint(0, 9)))
        said = reply(text, draw.choice(["stop", "stop", "stop", "length", "tool_calls", ""]))
        question, wordings, verdict, choice, gloss = (read(said) for read in READERS)
        assert isinstance(question, Problem) or (isinstance(question, str) and question.strip())
        assert isinstance(wordings, Problem) or all(map(str.strip, wordings))
        assert isinstance(verdict, Problem | Verdict)
        assert isinstance(choice, Problem | Choice)
        assert isinstance(gloss, Problem | GlossWords)


SHAPES = (
    "{}", '"{}"', "“{}”", "'{}'", "```\n{}\n```", "<think>{}</think>{}", '{{"question": "{}"}}',
    '```json\n{{"question": "{}"}}\n```', '{{"questions": ["{}", "{}"]}}', "1. {}\n2. {}", "- {}\n- {}",
    '{{"verdict": "PASS", "reason": "{}"}}', '{{"verdict": "FAIL", "reason": {}}}', "FAIL: {}", "PASS",
    "pass", '{{"relation": "{}", "direction": "object"}}', "relation: {}, direction: subject",
    '{{"relation": {}, "direction": "subject"}}', 'relation: "{}"\ndirection: object.', "Sure!\n{}",
)  # fmt: skip
FILLINGS = (
    "Who is 7?",
    '"A" or "B"?',
    "7",
    "",
    " ",
    "“x”",
    "Jose\u0301?",
    "<think>",
    "</think>",
    "a\nb",
    "\\n",
)


def test_the_verifier_reads_the_same() -> None:
    draw = random.Random(12)
    questions = verdicts = choices = 0
    for _ in range(8_000):
        text = draw.choice(SHAPES).replace("{{", "\0").replace("}}", "\1")
        while "{}" in text:
            text = text.replace("{}", draw.choice(FILLINGS), 1)
        said = reply(text.replace("\0", "{").replace("\1", "}"), draw.choice(["stop", "length"]))
        question, wordings = read_question(said), read_list(said)
        texts = [question] if isinstance(question, str) else []
        texts += () if isinstance(wordings, Problem) else wordings
        for row in texts:
            questions += 1
            # Tags are markup, which no question may hold.
            assert "<" in row or verifier.fold(row) in verifier.texts_said(said.text), said
        verdict, choice = read_verdict(said), read_choice(said)
        passed = None if isinstance(verdict, Problem) else verdict.passed
        assert verifier.verdict(said.text, said.finish_reason) is passed, said
        if '"A"' in said.text:
            continue  # no relation is called that
        chosen = None if isinstance(choice, Problem) else tuple(choice)
        assert verifier.choice(said.text, said.finish_reason) == chosen, said
        verdicts += passed is not None
        choices += chosen is not None
    assert min(questions, verdicts, choices) > 300


@pytest.mark.parametrize(
    "text",
    [
        '{"question": "Who?", "answer": "7"}',
        '\ufeff{"question": "Who?"}',
        'Sure! Here it is: {"question": "Who?"} Good luck.',
        'Sure!\n```json\n{"question": "Who?"}\n```\nGood luck.',
        '<think>{"question": "What?"}</think>\n{"question": "Who?"}',
        '{"thoughts": "a {b"}\n{"question": "Who?"}',
        "\ufeffWho?",
    ],
)
def test_what_any_reader_would_understand_is_read(text: str) -> None:
    assert read_question(reply(text)) == "Who?"
