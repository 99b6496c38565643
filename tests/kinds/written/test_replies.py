"""Candidates in replies of all sorts."""

import json
import random

from rulemine.kinds.written.replies import (
    Candidate,
    Refusal,
    Unread,
    read_candidate,
    text_of,
)  # fmt: skip
from rulemine.llm.call import Failure, Reply
from tests import each

ROW = {
    "question": "Who directed {Up}?",
    "nodes": [{"id": "e1", "label": "{Up}"}],
    "answer": {"id": "e2", "label": 'The "Duke"'},
    "triples": [{"subject": "e2", "relation": "directed", "object": "e1"}],
    "sparql": "SELECT ?x { ?x <relation:directed> <entity:e1> }",
}
TEXT = json.dumps(ROW)


@each(
    ("text", "reason", "detail"),
    [
        ("", Unread.EMPTY, ""),
        ("  \n", Unread.EMPTY, ""),
        ("The subgraph has no good question.", Unread.NO_JSON, ""),
        (TEXT[:-20], Unread.NO_JSON, ""),
        ('["question"]', Unread.NO_JSON, ""),
        *(
            (json.dumps({k: v for k, v in ROW.items() if k != name}), Unread.FIELDS, name)
            for name in ROW
        ),
        (json.dumps({**ROW, "question": 7}), Unread.FIELDS, "question"),
        (json.dumps({**ROW, "question": " "}), Unread.FIELDS, "question"),
        (json.dumps({**ROW, "nodes": []}), Unread.FIELDS, "nodes"),
        (json.dumps({**ROW, "nodes": {"id": "e1"}}), Unread.FIELDS, "nodes"),
        (json.dumps({**ROW, "nodes": [{"id": 1}]}), Unread.FIELDS, "nodes"),
        (json.dumps({**ROW, "answer": {"id": 1, "label": " "}}), Unread.FIELDS, "answer"),
        (json.dumps({**ROW, "triples": [["a", "b"]]}), Unread.FIELDS, "triples"),
        (json.dumps({**ROW, "triples": [7]}), Unread.FIELDS, "triples"),
        (json.dumps({**ROW, "triples": [ROW["triples"][0]] * 101}), Unread.FIELDS, "triples"),
        (json.dumps({**ROW, "sparql": "x" * 20_001}), Unread.FIELDS, "sparql"),
        ("[" * 100_000, Unread.NO_JSON, ""),
    ],
)
def test_what_cannot_be_read_has_a_reason(text, reason, detail):
    found = read_candidate(text)
    assert isinstance(found, Refusal)
    assert (found.reason, found.detail) == (reason, detail)


def test_no_reply_makes_the_reader_raise():
    draw = random.Random(4)
    for _ in range(500):
        text = list(TEXT)
        for _ in range(draw.randint(1, 5)):
            at = draw.randrange(len(text))
            text[at] = draw.choice(['"', "{", "}", "[", "]", ",", "1", "null", "", "\\", "\x00"])
        assert isinstance(read_candidate("".join(text)), Candidate | Refusal)


def test_what_a_model_says():
    assert text_of(Reply(f"<think>Hm {{}}</think>{TEXT}")) == TEXT
    reasons = {
        Unread.EMPTY: Reply("\n"),
        Unread.CUT_OFF: Reply(TEXT, "length"),
        Unread.UNANSWERED: Failure("refused", "too long", lasting=True),
    }
    assert {text_of(answer).reason for answer in reasons.values()} == {*reasons}
