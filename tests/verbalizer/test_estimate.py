from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.llm.call import Answer, Call, Failure, Reply
from rulemine.llm.journal import Journal
from rulemine.phrasing.glosses import load_glosses
from rulemine.phrasing.templates import load_templates
from rulemine.verbalizer.estimate import Share, estimate, tokens_of
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import load_prompts
from rulemine.verbalizer.requests import Calls
from tests.verbalizer.test_requests import brief

PROMPTS = load_prompts("")
GLOSSES = load_glosses("", load_templates("family", ["aunt", "uncle"]))
CHOSEN = VerbalizerSection(name="openai", model="small")
FULL = replace(CHOSEN, judge_model="large", round_trip=True, paraphrases=3)
BRIEFS = [
    brief((name, "aunt", other), direction)
    for name, other in (("7", "72"), ("Ann", "Bob of the long name"), ("x", "y"))
    for direction in ("subject", "object")
]


ANSWER = Reply("Who?", "stop", 1, 1)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal(tmp_path / "j.sqlite")
    yield opened
    opened.close()


def keep(journal: Journal, *calls: Call, answer: Answer = ANSWER) -> Journal:
    for call in calls:
        journal.keep(call, answer)
    return journal


def calls_of(chosen) -> Calls:
    return Calls(PROMPTS, chosen, 0, GLOSSES)


def made(chosen=CHOSEN, done=None, prices=(0.0, 0.0), briefs=BRIEFS):
    return estimate(briefs, calls_of(chosen), done, prices)


def test_one_call_for_each_question():
    found = made()
    assert list(found.shares) == ["question"]
    assert found.total == found.shares["question"]
    assert found.total.calls == found.questions == len(BRIEFS)
    assert found.total.sent > 100 * len(BRIEFS)
    assert found.total.received > 10 * len(BRIEFS)


def test_every_text_is_audited_and_recognised():
    found = made(FULL)
    calls = {purpose: share.calls for purpose, share in found.shares.items()}
    n = len(BRIEFS)
    assert calls == {"question": n, "audit": 4 * n, "round_trip": 4 * n, "paraphrase": n}
    assert found.total.calls == 10 * n
    assert min(share.sent for share in found.shares.values()) > 0


def test_questions_that_differ_in_their_proof_only_share_their_calls():
    other = replace(BRIEFS[0], question=replace(BRIEFS[0].question, id="q00002", rule="1" * 12))
    found = made(FULL, briefs=[BRIEFS[0], other])
    calls = calls_of(FULL)
    assert calls.question(other, ()).key == calls.question(BRIEFS[0], ()).key
    assert found.questions == 2
    assert found.total.calls == made(FULL, briefs=BRIEFS[:1]).total.calls == 10


def test_what_the_journal_has_costs_nothing(journal):
    first = calls_of(CHOSEN).question(BRIEFS[0], ())
    audits = [calls_of(FULL).audit(BRIEFS[0], text) for text in ("a?", "b?")]
    found = made(FULL, keep(journal, first, *audits))
    assert found.shares["question"].calls == len(BRIEFS) - 1
    assert found.shares["question"].answered == 1
    assert found.shares["audit"].answered == 2
    assert found.shares["audit"].calls == 4 * len(BRIEFS) - 2
    assert found.total.sent < made(FULL).total.sent


def test_nothing_is_left_when_everything_is_answered(journal):
    calls = [calls_of(CHOSEN).question(about, ()) for about in BRIEFS]
    found = made(done=keep(journal, *calls))
    assert found.shares == {"question": Share(0, len(BRIEFS), 0, 0)}
    assert "calls             0 (0 for questions); 6 more are in the journal" in found.to_text()


def test_another_model_answered_nothing(journal):
    other = replace(FULL, model="other", judge_model="another")
    calls = [calls_of(other).question(about, ()) for about in BRIEFS]
    found = made(FULL, keep(journal, *calls, calls_of(other).audit(BRIEFS[0], "a?")))
    assert {share.answered for share in found.shares.values()} == {0}


@pytest.mark.parametrize(("lasting", "left"), [(True, 5), (False, 6)])
def test_only_failures_that_last_are_not_asked_again(journal, lasting, left):
    call = calls_of(CHOSEN).question(BRIEFS[0], ())
    failure = Failure("refused", "no", lasting)
    assert made(done=keep(journal, call, answer=failure)).total.calls == left


def test_the_price_is_told_where_prices_are_given():
    found = made(prices=(1e6, 1e7))
    assert (
        f"price             {found.total.sent + 10 * found.total.received:,.2f}" in found.to_text()
    )
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
    assert (found.total, found.prompts) == (Share(), ())
    assert "0 questions" in found.to_text()


def test_what_was_audited_for_other_questions_is_not_counted_for_these(journal):
    audits = [calls_of(FULL).audit(about, "a?") for about in BRIEFS]
    keep(journal, *audits)
    assert made(FULL, journal).shares["audit"].answered == 0
    keep(journal, calls_of(FULL).question(BRIEFS[0], ()))
    assert made(FULL, journal).shares["audit"].answered == 4


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("   ", 0), ("aunt", 1), ("sister", 2), ("72", 2), ("e00039", 6), ("a\nb", 3), ("é", 2),
     ("叔母", 4), ("/a_b", 4), ("don't", 3)],
)  # fmt: skip
def test_tokens_are_counted(text, tokens):
    assert tokens_of(text) == tokens


def test_prose_is_counted_above_the_rule_of_thumb():
    """Four characters to a token, as providers say of English."""
    for purpose, section in PROMPTS.sections.items():
        text = section["user"]
        assert 1.1 < tokens_of(text) / (len(text) / 4) < 1.6, purpose
