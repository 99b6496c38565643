from collections import Counter
from dataclasses import replace

import pytest

from rulemine.llm.call import Failure, Reply
from rulemine.llm.journal import line_of
from rulemine.phrasing.glosses import load_glosses
from rulemine.phrasing.templates import load_templates
from rulemine.verbalizer.estimate import Share, estimate
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import load_prompts
from rulemine.verbalizer.requests import Calls
from tests.verbalizer.test_prompts import brief

PROMPTS = load_prompts("")
GLOSSES = load_glosses("", load_templates("family", ["aunt", "uncle"]))
CHOSEN = VerbalizerSection(name="openai", model="small")
FULL = replace(CHOSEN, judge_model="large", round_trip=True, paraphrases=3)
BRIEFS = [
    brief((name, "aunt", other), direction)
    for name, other in (("7", "72"), ("Ann", "Bob of the long name"), ("x", "y"))
    for direction in ("subject", "object")
]


class Answered:
    """A journal of calls and answers, in memory."""

    def __init__(self, *entries):
        self.lines = {call.key: line_of(call, answer) for call, answer in entries}

    def get(self, key):
        return self.lines.get(key)

    def counts(self):
        return Counter((row["purpose"], row["request"]["model"]) for row in self.lines.values())


def entry(call, answer=None):
    return call, answer or Reply("Who?", "stop", 1, 1)


def calls_of(chosen) -> Calls:
    return Calls(PROMPTS, chosen, 0, GLOSSES)


def made(chosen=CHOSEN, done=None, prices=(0.0, 0.0), briefs=BRIEFS):
    return estimate(briefs, calls_of(chosen), done, prices)


def test_one_call_for_each_question():
    found = made()
    assert list(found.shares) == ["question"]
    assert found.calls == found.questions == len(BRIEFS)
    assert found.sent == found.shares["question"].sent > 100 * len(BRIEFS)
    assert found.received > 10 * len(BRIEFS)


def test_every_text_is_audited_and_recognised():
    found = made(FULL)
    calls = {purpose: share.calls for purpose, share in found.shares.items()}
    n = len(BRIEFS)
    assert calls == {"question": n, "audit": 4 * n, "round_trip": 4 * n, "paraphrase": n}
    assert found.calls == 10 * n
    assert min(share.sent for share in found.shares.values()) > 0


def test_questions_that_differ_in_their_proof_only_share_their_calls():
    other = replace(BRIEFS[0], question=replace(BRIEFS[0].question, id="q00002", rule="1" * 12))
    found = made(FULL, briefs=[BRIEFS[0], other])
    calls = calls_of(FULL)
    assert calls.question(other, ()).key == calls.question(BRIEFS[0], ()).key
    assert found.questions == 2
    assert found.calls == made(FULL, briefs=BRIEFS[:1]).calls == 10


def test_what_the_journal_has_costs_nothing():
    first = calls_of(CHOSEN).question(BRIEFS[0], ())
    audits = [calls_of(FULL).audit(BRIEFS[0], text) for text in ("a?", "b?")]
    found = made(FULL, Answered(*map(entry, (first, *audits))))
    assert found.shares["question"].calls == len(BRIEFS) - 1
    assert found.shares["question"].answered == 1
    assert found.shares["audit"].answered == 2
    assert found.shares["audit"].calls == 4 * len(BRIEFS) - 2
    assert found.sent < made(FULL).sent


def test_nothing_is_left_when_everything_is_answered():
    calls = [calls_of(CHOSEN).question(about, ()) for about in BRIEFS]
    found = made(done=Answered(*map(entry, calls)))
    assert found.shares == {"question": Share(0, len(BRIEFS), 0, 0)}
    assert "calls             0 (0 for questions); 6 more are in the journal" in found.to_text()


def test_another_model_answered_nothing():
    other = replace(FULL, model="other", judge_model="another")
    calls = [calls_of(other).question(about, ()) for about in BRIEFS]
    audit = calls_of(other).audit(BRIEFS[0], "a?")
    found = made(FULL, Answered(*map(entry, calls), entry(audit)))
    assert {share.answered for share in found.shares.values()} == {0}


@pytest.mark.parametrize(("lasting", "left"), [(True, 5), (False, 6)])
def test_only_failures_that_last_are_not_asked_again(lasting, left):
    failure = Failure("refused", "no", lasting)
    call = calls_of(CHOSEN).question(BRIEFS[0], ())
    assert made(done=Answered(entry(call, failure))).calls == left


def test_the_price_is_told_where_prices_are_given():
    found = made(prices=(1e6, 1e7))
    assert f"price             {found.sent + 10 * found.received:,.2f}" in found.to_text()
    assert "price             unknown" in made().to_text()


def test_three_prompts_are_shown_in_full():
    found = made()
    sent = [calls_of(CHOSEN).question(about, ()).messages[1]["content"] for about in BRIEFS]
    assert len(set(found.prompts)) == 3
    for prompt in found.prompts:
        assert any(prompt.endswith(f"[user]\n{text}") for text in sent)
        assert prompt in found.to_text()
    assert len(made(briefs=BRIEFS[:2]).prompts) == 2


def test_no_question_takes_nothing():
    found = made(briefs=[])
    assert (found.calls, found.sent, found.prompts) == (0, 0, ())
    assert "0 questions" in found.to_text()


def test_what_was_audited_for_other_questions_is_not_counted_for_these():
    audits = [calls_of(FULL).audit(about, "a?") for about in BRIEFS]
    first = calls_of(FULL).question(BRIEFS[0], ())
    assert made(FULL, Answered(*map(entry, audits))).shares["audit"].answered == 0
    found = made(FULL, Answered(*map(entry, (first, *audits))))
    assert found.shares["audit"].answered == 4
