"""Replies as the verifier reads them: at least as generously as the builder."""

import random

import pytest

from rulemine.llm.call import Reply
from rulemine.text.normalization import fold_loosely
from rulemine.verbalizer.replies import (
    Choice,
    Verdict,
    read_choice,
    read_list,
    read_question,
    read_verdict,
)
from rulemine.verify.model.replies import fold, texts_said

PARTS = [
    "<think>", "</think>", "hm", "```", "json", "\n", " ", "{", "}", "[", "]", '"', ":", ",", "“", "”",
    '{"question": "Who is 7?"}', '{"questions": ["Who is 7?", "Is it 7?"]}', "Who is 7?", "Is it 7?",
    '{"verdict": "PASS", "reason": ""}', '{"verdict": "FAIL", "reason": "no"}', '{"verdict": "pass"}',
    "PASS", "FAIL", "fail: no", "Pass.", "1. ", "2. ", "- ", "relation: 3, direction: subject",
    '{"relation": "3", "direction": "object"}', '{"relation": 3, "direction": "subject"}', "Sure: ",
    '{"relation": "“3”", "direction": "object"}', "relation: aunt; direction: Object.", "\\", "null", "7",
    '{"question": "Who is \\"7\\"?", "why": "caf\\u00e9"}', "\ufeff",
]  # fmt: skip


def test_whatever_the_builder_reads_is_said() -> None:
    draw = random.Random(5)
    read = [0, 0, 0, 0]
    for _ in range(4_000):
        text = "".join(draw.choices(PARTS, k=draw.choice((1, 1, 2, 3, 5))))
        reply, said = Reply(text, "stop", 0, 0), texts_said(text)
        verdict, choice = read_verdict(reply), read_choice(reply)
        if isinstance(verdict, Verdict) and verdict.passed:
            assert any("pass" in words for words in said), text
            read[0] += 1
        if isinstance(choice, Choice):
            assert any(fold(choice.relation) in words for words in said), text
            read[1] += 1
        question, several = read_question(reply), read_list(reply)
        if isinstance(question, str) and fold(question):
            assert fold(question) in said, text
            read[2] += 1
        if isinstance(several, tuple):
            assert {fold(t) for t in several} - {""} <= said, text
            read[3] += 1
    assert min(read) > 50


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ('{"question": "Who is Ann O’Hara?"}', "Who is Ann O'Hara?"),
        ('```json\n{"question": "Who is 7?"}\n```', "Who is 7?"),
        ('Here it is: {"question": "Who is 7?", "note": 1}', "Who is 7?"),
        ('{"question": "Who is \\"Caf\\u00e9\\"?"}', 'Who is "Café"?'),
        ("<think>Who is 8?</think>\nWho is 7?", "Who is 7?"),
        ("“Who is 7?”", "Who is 7?"),
        ("who  is ７?", "Who is 7?"),
        ("Who is Zoe\u0308—Ann?", "Who is Zoë-Ann?"),
        ('{"questions": ["Is it 7?", "Who is 7?"]}', "Who is 7?"),
        ("1. Is it 7?\n2. **Question 2:** Who is 7?", "Who is 7?"),
        ("Who made Who Is 7?", "Who made Who Is 7??"),
    ],
)
def test_a_text_is_recognized_however_it_is_given(reply: str, text: str) -> None:
    assert fold(text) in texts_said(reply)
    assert fold("Who is 72?") not in texts_said(reply)


def test_thoughts_are_not_said() -> None:
    assert fold("Who is 8?") not in texts_said("<think>Who is 8?</think>\nWho is 7?")


def test_what_the_builder_takes_for_one_spelling_is_one() -> None:
    for number in range(0x3000):
        text = f"a{chr(number)}b"
        assert fold(fold_loosely(text)) == fold(text), hex(number)
    assert fold("a" * 3) != fold("a" * 4)
