from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.llm.call import Answer, Call, Failure, Reply
from rulemine.llm.estimates import Purpose, Takes, tokens_of
from rulemine.llm.journal import Journal
from rulemine.phrasing.glosses import load_glosses
from rulemine.phrasing.templates import load_templates
from rulemine.verbalizer.estimate import estimate
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Calls, load_prompts
from rulemine.verbalizer.verbalize import ATTEMPTS
from tests import each
from tests.verbalizer.test_prompts import item

PROMPTS = load_prompts("")
GLOSSES = load_glosses("", load_templates("family", ["aunt", "uncle"]))
CHOSEN = VerbalizerSection(name="openai", model="small")
FULL = replace(CHOSEN, judge_model="large", paraphrases=3)
INPUTS = [
    item((name, "aunt", other), direction)
    for name, other in (("7", "72"), ("Ann", "Bob of the long name"), ("x", "y"))
    for direction in ("subject", "object")
]


ANSWER = Reply("Who?", "stop", 1, 1)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(Journal(tmp_path / "j.sqlite")) as opened:
        yield opened


def keep(journal: Journal, *calls: Call, answer: Answer = ANSWER) -> Journal:
    for call in calls:
        journal.keep(call, answer)
    return journal


def calls_of(chosen) -> Calls:
    return Calls(PROMPTS, chosen, 0, GLOSSES)


def made(chosen=CHOSEN, done=None, in_batches=False, inputs=INPUTS):
    return estimate(inputs, calls_of(chosen), done, in_batches)


def purposes_of(found):
    return {purpose.label: purpose for purpose in found.purposes}


def test_calls_and_tokens_are_those_of_every_text_its_audit_and_its_paraphrases():
    found, full, n = made(), made(FULL), len(INPUTS)
    assert [*purposes_of(found)] == ["questions"]
    assert found.typical.calls == found.questions == n
    assert found.typical.sent > 100 * n
    assert found.typical.received > 10 * n
    assert (found.worst.calls, found.worst.received) == (
        ATTEMPTS * n,
        CHOSEN.max_tokens * ATTEMPTS * n,
    )
    assert found.worst.sent > 3 * found.typical.sent
    calls = {label: purpose.usually for label, purpose in purposes_of(full).items()}
    assert calls == {"questions": n, "audits": 4 * n, "paraphrases": n}
    # Three attempts at the text and at the paraphrases, and the audit of each.
    assert (full.typical.calls, full.worst.calls) == (6 * n, 3 * (1 + 1 + 1 + 3) * n)
    assert min(purpose.typical.sent for purpose in full.purposes) > 0
    # Later attempts send the rejected texts, too.
    purpose = Purpose("questions", [100, 300], usually=1, most=3, reply=5, room=50, more=20)
    assert purpose.worst == Takes(3, 3 * (200 + 20), 3 * 50)


def test_questions_that_differ_in_their_proof_only_share_their_calls():
    first = INPUTS[0].question
    other = replace(INPUTS[0], question=replace(first, id="q00002", rules=("1" * 12,)))
    found = made(FULL, inputs=[INPUTS[0], other])
    calls = calls_of(FULL)
    assert calls.question(other).key == calls.question(INPUTS[0]).key
    assert found.about == "2 questions"
    assert found.typical.calls == made(FULL, inputs=INPUTS[:1]).typical.calls == 6


def test_what_the_journal_has_costs_nothing(journal):
    first = calls_of(CHOSEN).question(INPUTS[0], ())
    audits = [calls_of(FULL).audit(INPUTS[0], text) for text in ("a?", "b?")]
    found = made(FULL, keep(journal, first, *audits))
    questions, audits = (purposes_of(found)[label] for label in ("questions", "audits"))
    assert questions.typical.calls == len(INPUTS) - 1
    assert questions.answered == 1
    assert audits.answered == 2
    assert audits.typical.calls == 4 * len(INPUTS) - 2
    assert found.typical.sent < made(FULL).typical.sent
    assert found.worst.calls == made(FULL).worst.calls - 3


def test_what_was_audited_for_other_questions_is_not_counted_for_these(journal):
    keep(journal, *(calls_of(FULL).audit(about, "a?") for about in INPUTS))
    assert purposes_of(made(FULL, journal))["audits"].answered == 0
    keep(journal, calls_of(FULL).question(INPUTS[0], ()))
    assert purposes_of(made(FULL, journal))["audits"].answered == 4


def test_only_failures_that_last_are_not_asked_again(journal):
    calls = [calls_of(CHOSEN).question(about, ()) for about in INPUTS]
    for lasting, left in ((False, 6), (True, 5)):
        failure = Failure("refused", "no", lasting)
        assert made(done=keep(journal, calls[0], answer=failure)).typical.calls == left
    found = made(done=keep(journal, *calls))
    assert (found.typical, found.worst.calls) == (
        Takes(),
        12,
    )  # what was answered may still be rejected


@each(("text", "tokens"), (
    ("", 0), ("   ", 0), ("aunt", 1), ("sister", 2), ("72", 2), ("e00039", 6), ("a\nb", 3), ("é", 2),
    ("叔母", 4), ("/a_b", 4), ("don't", 3),
))  # fmt: skip
def test_tokens_are_counted(text, tokens):
    assert tokens_of(text) == tokens
