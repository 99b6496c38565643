"""Pairs: how replies are read, whole or broken, and held against the subgraph that the writer saw."""

import json
import random
import re
from typing import Any

from rulemine.kinds.variants.ask import PairReason, Shown, Verified, verified
from rulemine.kinds.written.replies import (
    MOST_ITEMS,
    Candidate,
    NamedNode,
    Refusal,
    Unread,
    read_candidates,
)
from tests import each

TRIPLES = (
    ('Ann "A." O’Hara', "parent_of", "Bob {1}"), ("Bob {1}", "lives_in", "Rome"),
    ("Rome", "part_of", "Italy"), ("Ann", "lives_in", "Rome"), ("ann", "lives_in", "Rome"),
)  # fmt: skip
SHOWN = Shown((40, 10, 30, 20, 50), TRIPLES)
KEYS = ("subject", "predicate", "object")


def item(**changed: Any) -> dict[str, Any]:
    """A pair as a model writes it."""
    path = [dict(zip(KEYS, triple, strict=True)) for triple in TRIPLES[:2]]
    question = "Where does a child\nof Ann live?"
    return {"question": question, "answer": "Rome", "supporting_path": path, **changed}


def reply(*items: Any) -> str:
    return json.dumps({"valid_qa_pairs": True, "number_of_qa_pairs": 9, "qa_pairs": items})


GOOD = Candidate("Where does a child\nof Ann live?", NamedNode("Rome", "Rome"), TRIPLES[:2])


def reasons(text: str) -> list[str]:
    """What became of each pair: why it is none, or nothing."""
    return [found.reason if isinstance(found, Refusal) else "" for found in read_candidates(text)]


@each(
    "text",
    [
        reply(item()),
        f"Sure! Here is one:\n```json\n{reply(item())}\n```\nAnything else?",
        json.dumps([item()]),
        f"```json\n{json.dumps([item()])}\n```",
        reply(item()).replace("}]", ",},]"),
        reply(item(supporting_path=[list(triple) for triple in TRIPLES[:2]], extra=1)),
    ],
)
def test_a_pair_is_read_in_every_form_that_models_give_it(text: str) -> None:
    assert list(read_candidates(text)) == [GOOD]


@each(
    ("text", "reason"),
    [
        ("I am sorry, but there are none.", Unread.NO_JSON),
        ("", Unread.EMPTY),
        ("[" * 100_000, Unread.NO_JSON),
        ('{"qa_pairs": ' + "[" * 100_000, Unread.CUT_OFF),
        (reply(), Unread.NONE),
        (reply("Who?"), Unread.FIELDS),
        (reply(item(answer=None)), Unread.FIELDS),
        (reply(item(question=" ")), Unread.FIELDS),
        (reply(item(question="x" * 20_001)), Unread.FIELDS),
        (reply(item(supporting_path=[])), Unread.FIELDS),
        (reply(item(supporting_path="Ann parent_of Bob")), Unread.FIELDS),
        (reply(item(supporting_path=[["Ann", "parent_of"]])), Unread.FIELDS),
        (reply(item(supporting_path=[{"subject": "Ann", "predicate": 3}])), Unread.FIELDS),
    ],
)
def test_a_reply_without_pairs_says_why(text: str, reason: str) -> None:
    assert reasons(text) == [reason]


def test_of_half_a_reply_the_pairs_that_are_whole_count() -> None:
    whole = reply(item(), item(answer="Bob {1}"))
    ends = [found.end() for found in re.finditer(r"\}\]\}", whole)][:2]
    for cut in range(whole.index("[") + 1, len(whole)):
        found = list(read_candidates(whole[:cut]))
        pairs = [pair for pair in found if isinstance(pair, Candidate)]
        assert len(pairs) == sum(end <= cut for end in ends), whole[:cut]
        closed = cut >= whole.rindex("]") + 1
        assert len(found) - len(pairs) == (not closed), "what is missing is counted once"


def test_readers_raise_nothing() -> None:
    rng = random.Random(0)
    whole = reply(item(), item())
    for _ in range(500):
        text = list(whole)
        for _ in range(rng.randint(1, 5)):
            text[rng.randrange(len(text))] = rng.choice('{}[]",:\\\ud800x0')
        assert list(read_candidates("".join(text)))


def test_half_of_a_surrogate_pair_which_no_file_can_hold_is_replaced() -> None:
    (found,) = read_candidates(reply(item(question="Where \ud800?", answer="Rome\udfff")))
    assert isinstance(found, Candidate)
    assert found.question == "Where \N{REPLACEMENT CHARACTER}?"
    assert found.answer.label == "Rome\N{REPLACEMENT CHARACTER}"


def test_no_more_than_a_number_of_pairs_are_read() -> None:
    assert reasons(reply(*[item()] * (MOST_ITEMS + 7))) == [""] * MOST_ITEMS


def pair(answer: str, *triples: tuple[str, ...]) -> Candidate:
    return Candidate("?", NamedNode(answer, answer), triples)


def test_a_path_is_found_in_the_subgraph_by_its_names() -> None:
    loosely = ('ann "a." o\'hara', "PARENT_OF", " Bob  {1}")
    in_words = (TRIPLES[0][0], "Parent of", TRIPLES[0][2]), ("Bob {1}", "lives in", "Rome")
    for given, rows, answer in (
        (pair("Rome", *TRIPLES[:2]), (40, 10), (10, True)),
        (pair("Bob {1}", *TRIPLES[:2]), (40, 10), (40, True)),
        (pair("rome", loosely, TRIPLES[1]), (40, 10), (10, True)),
        (pair("Rome", *in_words), (40, 10), (10, True)),
        (pair("Rome", TRIPLES[0], TRIPLES[1], TRIPLES[0]), (40, 10), (10, True)),
        (pair("ann", *TRIPLES[3:]), (20, 50), (50, False)),
    ):
        assert verified(given, SHOWN) == Verified(rows, answer), given
    twins = Shown((1, 2), (("a", "part_of", "b"), ("a", "part-of", "b")))
    assert [twins.row(("a", r, "b")) for r in ("part-of", "part of")] == [2, None]


@each(
    ("found", "reason"),
    [
        (pair("Rome", TRIPLES[0], ("Bob {1}", "lives_in", "Paris")), PairReason.OUTSIDE),
        (pair("Rome", TRIPLES[0], TRIPLES[1][::-1]), PairReason.OUTSIDE),
        (pair("Rome", TRIPLES[0], ("Rome", "lives in", "Bob {1}")), PairReason.OUTSIDE),
        (pair("Rome", TRIPLES[2], ("ANN", "lives_in", "Rome")), PairReason.OUTSIDE),
        (pair("Rome", TRIPLES[0], ("Bob {1} lives in Rome",)), PairReason.OUTSIDE),
        (pair("Rome", TRIPLES[1]), PairReason.SINGLE),
        (pair("Rome", TRIPLES[1], TRIPLES[1]), PairReason.SINGLE),
        (pair("Italy", *TRIPLES[:2]), PairReason.ANSWER),
        (pair("ANN", *TRIPLES[3:]), PairReason.ANSWER),
    ],
)
def test_a_path_that_is_none_is_refused(found: Candidate, reason: str) -> None:
    assert verified(found, SHOWN) == Refusal(reason)
