"""The order in which replies arrive changes nothing."""

import hashlib
import json

import pytest

from rulemine.llm.call import Failure
from rulemine.verbalizer.verbalize import same_words
from tests import some_seeds
from tests.verbalizer.scripted import WAYS, Scripted, asked_for, lines, rejections_in, run, wanted

PEOPLE = ("ann", "bob", "carl", "dora")
MANY = [
    ((s, relation, o), direction)
    for s in PEOPLE
    for o in PEOPLE
    if s != o
    for relation in ("aunt", "uncle")
    for direction in ("subject", "object")
]


LABELS = ("Asked For: ", "Question: ")


def moody(call):
    """Everything that a model can do wrong, as a function of what it is asked."""
    stated = [line for line in call.messages[-1]["content"].splitlines() if line.startswith(LABELS)]
    asked = f"{call.purpose} {stated} {len(rejections_in(call))}"
    mood = hashlib.sha256(asked.encode()).digest()[0] % 100
    if mood < 3:
        return Failure("endpoint_error", "500", False)
    if call.purpose == "audit":
        return "PASS" if mood < 70 else "FAIL: no" if mood < 85 else "who knows"
    name = wanted(call, "Question Entity")
    fine = wanted(call)
    if call.purpose == "paraphrase":
        ways = [WAYS[mood % 4].format(fine), f"Who are relatives of {name}?", WAYS[3].format(fine)]
        return json.dumps({"questions": ways})
    if mood < 30:
        return "Who is it?"
    if mood < 50:
        return f"Who are relatives of {name}?"
    if mood < 60:
        return f"Who is the aunt of {name}?"
    return WAYS[mood % 4].format(fine)


@pytest.mark.parametrize(
    "options",
    [
        {"paraphrases": 2},
        {"judge_model": "judge", "paraphrases": 1},
    ],
)
def test_the_order_of_arrival_changes_nothing(options):
    asked = asked_for(*MANY)
    plain = run(asked, Scripted(moody), fail_fast=False, **options)
    assert plain.counts.problems["ambiguous"]
    assert 0 < plain.counts.verbalized < plain.counts.questions
    orders = set()
    for seed in some_seeds(8):
        session = Scripted(moody, shuffle=seed)
        made = run(asked, session, fail_fast=False, **options)
        orders.add(tuple(call.key for call in session.calls))
        assert made == plain
        assert lines(made) == lines(plain)
    assert len(orders) == len(some_seeds(8))


def test_no_two_formal_queries_share_a_text():
    made = run(asked_for(*MANY), Scripted(moody), paraphrases=2)
    queries: dict[str, set] = {}
    for q in made.asked.questions:
        query = q.topic, q.relations[0], q.block.direction
        if q.wording == "model":
            for pattern in q.patterns:
                queries.setdefault(same_words(pattern, {"topic": q.topic}), set()).add(query)
        else:
            queries.setdefault(q.question.lower().rstrip("?"), set()).add(query)
    assert max(map(len, queries.values())) == 1
