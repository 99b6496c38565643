"""Replies as the verifier reads them, against their format and against the builder's reading."""

import itertools
import random
import sys

import pytest

from rulemine.llm.call import Reply
from rulemine.phrasing.glosses import Gloss as BuilderGloss
from rulemine.phrasing.glosses import Glosses, load_glosses
from rulemine.phrasing.templates import load_templates
from rulemine.text.normalization import fold_loosely
from rulemine.verbalizer.replies import (
    Choice,
    Verdict,
    read_choice,
    read_list,
    read_question,
    read_verdict,
)
from rulemine.verbalizer.round_trip import is_recognised
from rulemine.verify.model.prompts import Gloss, recognised
from rulemine.verify.model.replies import choice, fold, texts_said, verdict

PARTS = [
    "<think>", "</think>", "hm", "```", "json", "\n", " ", "{", "}", "[", "]", '"', ":", ",", "“", "”",
    '{"question": "Who is 7?"}', '{"questions": ["Who is 7?", "Is it 7?"]}', "Who is 7?", "Is it 7?",
    '{"verdict": "PASS", "reason": ""}', '{"verdict": "FAIL", "reason": "no"}', '{"verdict": "pass"}',
    "PASS", "FAIL", "fail: no", "Pass.", "\ufeff", "Sure! It is: ",
    '{"reason": "so", "verdict": "PASS", "x": [{}]}',
    '{"question": "Who is 7?", "why": {"verdict": "FAIL", "reason": ""}}',
    "1. ", "2. ", "- ", "relation: 3, direction: subject",
    '{"relation": "3", "direction": "object"}', '{"relation": 3, "direction": "subject"}',
    '{"relation": "“3”", "direction": "object"}', "relation: aunt; direction: Object.", "\\", "null", "7",
]  # fmt: skip


def test_whatever_is_said_verdicts_and_choices_are_read_as_the_builder_reads_them() -> None:
    draw = random.Random(5)
    read = [0, 0, 0, 0]
    for _ in range(4_000):
        text = "".join(draw.choices(PARTS, k=draw.choice((1, 1, 2, 3, 5))))
        reply = Reply(text, draw.choice(("stop", "stop", "stop", "length", "content_filter")), 0, 0)
        wanted = read_verdict(reply)
        passed = wanted.passed if isinstance(wanted, Verdict) else None
        assert verdict(reply.text, reply.finish_reason) == passed, text
        said = read_choice(reply)
        expected = tuple(said) if isinstance(said, Choice) else None
        assert choice(reply.text, reply.finish_reason) == expected, text
        question, several = read_question(reply), read_list(reply)
        if isinstance(question, str) and fold(question):
            assert fold(question) in texts_said(text), text
        if isinstance(several, tuple):
            assert {fold(t) for t in several} - {""} <= texts_said(text), text
        for i, value in enumerate((passed, expected)):
            read[i] += value is not None
        read[2] += isinstance(question, str)
        read[3] += isinstance(several, tuple)
    assert min(read) > 50


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ('{"question": "Who is Ann O’Hara?"}', "Who is Ann O'Hara?"),
        ('```json\n{"question": "Who is 7?"}\n```', "Who is 7?"),
        ("<think>Who is 8?</think>\nWho is 7?", "Who is 7?"),
        ("“Who is 7?”", "Who is 7?"),
        ("who  is ７?", "Who is 7?"),
        ("Who is Zoe\u0308—Ann?", "Who is Zoë-Ann?"),
        ('{"questions": ["Is it 7?", "Who is 7?"]}', "Who is 7?"),
        ("1. Is it 7?\n2. Who is 7?", "Who is 7?"),
        ("Who made Who Is 7?", "Who made Who Is 7??"),
    ],
)
def test_a_text_is_recognised_however_it_is_given(reply: str, text: str) -> None:
    assert fold(text) in texts_said(reply)
    assert fold("Who is 72?") not in texts_said(reply)


def test_thoughts_are_not_said() -> None:
    assert fold("Who is 8?") not in texts_said("<think>Who is 8?</think>\nWho is 7?")


def test_what_the_builder_takes_for_one_spelling_is_one() -> None:
    for number in range(0x3000):
        text = f"a{chr(number)}b"
        assert fold(fold_loosely(text)) == fold(text), hex(number)
    assert fold("a" * 3) != fold("a" * 4)
    assert sys.maxunicode > 0x3000


def test_round_trips_are_right_where_the_builder_takes_them_for_right() -> None:
    glosses = load_glosses("", load_templates("", {"aunt", "uncle", "/a/b/c", "linked to"}))
    same = Gloss("{subject} is a twin of {object}", "twins of {topic}", "twins of {topic}")
    rows = [*glosses.rows, BuilderGloss("twin", *same, "written")]
    glosses = Glosses(tuple(sorted(rows, key=lambda row: row.relation)))
    ours = {g.relation: Gloss(g.statement, g.subjects, g.objects) for g in glosses.rows}
    verdicts = set()
    for relation, named in itertools.product([*ours], [*ours, "1", "AUNT", ""]):
        for direction, end in itertools.product(("subject", "object"), repeat=2):
            right = recognised((named, end), relation, direction, ours)
            assert right == is_recognised(Choice(named, end), relation, direction, glosses)
            verdicts.add((relation == "twin", right))
    assert len(verdicts) == 4
    assert not recognised(("aunt", "subject"), "unknown", "subject", ours)
    assert not recognised(None, "aunt", "subject", ours)
