import json
import random
from typing import Any

from rulemine.llm.call import Reply
from rulemine.verbalizer.replies import (
    UNREAD,
    TextProblem,
    Verdict,
    read_list,
    read_question,
    read_texts,
    read_verdict,
)
from tests import each, some_seeds

READERS = (read_question, read_list, lambda said: read_texts(said, "gloss"))
GLOSS = {"statement": "{subject} is {object}", "subjects": "a {topic}", "objects": "b {topic}"}


def reply(text: str, finish: str = "stop") -> Reply:
    return Reply(text, finish, 1, 1)


def code(value: Any) -> str | None:
    return value.code if isinstance(value, TextProblem) else None


@each("text", (
    "Who is 7?", "  Who is 7?\n", '"Who is 7?"', "“Who is 7?”", '{"question": "Who is 7?"}',
    '{"question": " \\"Who is 7?\\" "}', '```json\n{"question": "Who is 7?"}\n```',
    '```\n{"question":\n "Who is 7?"}\n```', "```\nWho is 7?\n```",
    "<think>Is it 7?\nOr 8?</think>\n\nWho is 7?",
    'thoughts without a start</think>{"question": "Who is 7?"}', "<think></think>Who is 7?",
    "<thinking>Is it 8?</thinking>Who is 7?", '\ufeff{"question": "Who is 7?", "answer": "8"}',
    'Here is the question:\n{"question": "Who is 7?"}\nI hope it helps.',
    'Sure!\n```json\n{"question": "Who is 7?"}\n```', '{"question": "Who is 7?",}',
    '```json\n[{"Question": "Who is 7?", "notes": ["a,]",],},]\n```',
    'It asks for {topic}: {"question": "Who is 7?"} (see {topic})',
    '{"question": "Who is 7?"}\n{"question": "Who is 7?"}',
    '{"question": …}\n```json\n{"question": "Who is 7?"}\n```', "Sure!\nWho is 7?",
    '**Sure, here\'s a fluent version of the question:**\n\n"Who is 7?"',
    "### Rewritten question\n\n**Who is 7?**\n\n---\n*Note:* it names 7 alone.\nI hope it helps!",
    "**Question**:\n```text\nWho is 7?\n```", "<question>\nWho is 7?\n</question>",
    '{"question": "Here is the question:\\nWho is 7?"}',
    "<|channel|>analysis<|message|>8?<|end|><|channel|>final<|message|>Who is 7?<|return|>",
    "Who is 7?<|im_end|>",
))  # fmt: skip
def test_a_question_is_read(text):
    assert read_question(reply(text)) == "Who is 7?"


@each(("text", "expected"), (
    ('"A" or "B"?', '"A" or "B"?'), ('Who wrote "It"', 'Who wrote "It"'), ('"Who" is "it"', '"Who" is "it"'),
    ("7", "7"), ("{topic} is whose aunt?", "{topic} is whose aunt?"),
))  # fmt: skip
def test_what_looks_like_quotes_or_json_and_is_none(text, expected):
    assert read_question(reply(text)) == expected


@each(("text", "expected"), (
    ("", "empty"), (" \n\t", "empty"), ('""', "empty"), ('{"question": " "}', "empty"),
    ("<think>hm</think>", "cut_off"), ("<think>hm", "cut_off"),
    ("<|channel|>analysis<|message|>hm", "cut_off"), ("Who is 7?\nWho is 8?", "several_lines"),
    ("Who is 7?\nAnswer: 8", "several_lines"), ("Who is 7?\n8", "several_lines"),
    ("He is 7.\nWho is he?", "several_lines"), ("Sure! Would you like this one?\nWho is 7?", "several_lines"),
    ("Who is 7?\nNote: or rather, who is 8?", "several_lines"),
    ("Here are two questions:\n1. Who is 7?\n2. Who is 8?", "several_lines"),
    ('{"questions": ["Who?"]}', "malformed"), ('{"text": "Who?"}', "malformed"),
    ('{"question": ["Who?"]}', "malformed"), ('{"question": null}', "malformed"),
    ('{"question": "Who is 7?"', "malformed"), ('["Who?"]', "malformed"), ("{}", "malformed"),
    ('{"question": ' * 100_000, "malformed"), ("[" * 100_000, "malformed"),
    ('{"question": "Who is 7?"} or {"question": "Who is 8?"}', "malformed"),
    ('{"question": "Who is 7?", "question": "Who is 8?"}', "malformed"),
    ('{"question": "Who is 7?", "Question": "Who is 8?"}', "malformed"),
    ('{"notes": {"question": "Who is 7?"}, "question": "Who is', "malformed"),
))  # fmt: skip
def test_no_question(text, expected):
    assert code(read_question(reply(text))) == expected


@each("read", READERS)
def test_replies_that_did_not_come_to_an_end(read):
    assert code(read(reply('{"question": "Who is 7?"}', "length"))) == "cut_off"
    assert code(read(reply("", "content_filter"))) == "filtered"
    assert code(read(reply("", "length"))) == "cut_off"
    assert code(read(reply("", "stop"))) == "empty"


@each("text", (
    '{"questions": ["Who is 7?", "What is 7?"]}', "Who is 7?\nWhat is 7?", "1. Who is 7?\n2. What is 7?",
    "1) Who is 7?\n\n2) What is 7?", "- Who is 7?\n- What is 7?", '"Who is 7?"\n"What is 7?"',
    '["Who is 7?", "What is 7?"]', '{"questions": ["Who is 7?", "What is 7?",],}',
    "Sure! Here are two paraphrases:\n\n1. Who is 7?\n2. What is 7?\n\nI hope they help.",
    '<think>…</think>```json\n{"questions": ["Who is 7?", "What is 7?"]}\n```',
))  # fmt: skip
def test_a_list_is_read(text):
    assert read_list(reply(text)) == ("Who is 7?", "What is 7?")


def test_numbers_that_do_not_count_lines_belong_to_them():
    assert read_list(reply("7. Who?\n8. Who?")) == ("7. Who?", "8. Who?")


@each(("text", "expected"), (
    ('{"questions": ["a?", 2]}', "malformed"), ('{"notes": ["a?", "b?"], "questions": ["c?"', "malformed"),
    ('{"questions": "a?"}', "malformed"), ('{"questions": []}', "empty"),
    ('{"questions": ["a?", ""]}', "empty"),
))  # fmt: skip
def test_no_list(text, expected):
    assert code(read_list(reply(text))) == expected


@each(("text", "expected"), (
    ('{"verdict": "PASS", "reason": ""}', Verdict(None)),
    ('{"verdict": "FAIL", "reason": "wrong\\n end"}', Verdict(TextProblem("audit_failed", "wrong end"))),
    ("PASS", Verdict(None)), ("Pass.", Verdict(None)),
    ("FAIL: it asks for\nthe other end", Verdict(TextProblem("audit_failed", "it asks for the other end"))),
    ("FAIL", Verdict(TextProblem("audit_failed"))), ('{"verdict": "pass"}', Verdict(None)),
    ('{"Verdict": "PASS", "reason": "",}', Verdict(None)),
    ('{"verdict": "FAIL", "reason": null, "score": 1}', Verdict(TextProblem("audit_failed"))),
))  # fmt: skip
def test_verdicts(text, expected):
    assert read_verdict(reply(text), "audit") == expected


@each("text", (
    '{"verdict": "MAYBE", "reason": ""}', '{"reason": "PASS"}', '{"verdict": true, "reason": ""}',
    "PASS or FAIL?", "PASSED", "It does not FAIL", "true",
))  # fmt: skip
def test_no_verdict(text):
    assert read_verdict(reply(text), "audit").problem is UNREAD


def test_glosses():
    assert read_texts(reply(json.dumps(GLOSS)), "gloss") == GLOSS
    assert read_texts(reply("\n".join(f"{k}: {v}" for k, v in GLOSS.items())), "gloss") == GLOSS
    assert code(read_texts(reply(json.dumps({**GLOSS, "objects": ""})), "gloss")) == "empty"
    lines = json.dumps({**GLOSS, "objects": "a\nb"})
    assert code(read_texts(reply(lines), "gloss")) == "several_lines"
    assert code(read_texts(reply("statement: a\nobjects: b\nsubjects: c"), "gloss")) == "malformed"


PIECES = (
    "{", "}", "[", "]", '"', "'", ":", ",", "\n", "\r\n", "\\", "\\u", "\\ud800", "\ud800", "\x00", "\u2028",
    "question", "questions", "verdict", "reason", "relation", "direction", "subject", "statement", "PASS",
    "FAIL", "```", "```json\n", "<think>", "</think>", "1.", "2)", "-", "Who is 7?", " ", "null", "true",
    "NaN", "1e999", "9" * 5000, '{"question": "Who?"}', '{"questions": ["a?"]}', "“", "”", "{" * 3000, "é",
)  # fmt: skip


def test_half_of_a_surrogate_pair_which_no_file_can_hold_is_replaced():
    found = read_verdict(reply('{"verdict": "FAIL", "reason": "\\ud800 \\ud83d\\ude00"}'), "audit")
    assert found.problem == TextProblem("audit_failed", "\N{REPLACEMENT CHARACTER} \U0001f600")


def test_random_replies_raise_nothing():
    draw = random.Random(11)
    for _ in some_seeds(10_000):
        text = "".join(draw.choices(PIECES, k=draw.randint(0, 9)))
        said = reply(text, draw.choice(["stop", "stop", "stop", "length", "tool_calls", ""]))
        question, wordings, gloss = (read(said) for read in READERS)
        assert isinstance(question, TextProblem) or (isinstance(question, str) and question.strip())
        assert isinstance(wordings, TextProblem) or all(map(str.strip, wordings))
        assert isinstance(read_verdict(said, "audit"), Verdict)
        assert isinstance(gloss, TextProblem | dict)
