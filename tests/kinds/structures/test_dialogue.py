"""The dialogue about a structure question: checks, judge, proposals, rewriter; and what becomes of it."""

import json

from rulemine.kg.entity_names import NAMINGS
from rulemine.kinds.structures.inputs import make_structure_inputs
from rulemine.llm.call import Call
from rulemine.phrasing.glosses import load_glosses
from rulemine.release.naming import Namer
from rulemine.release.question_set import QuestionSet
from rulemine.verbalizer.estimate import estimate
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Calls, load_prompts
from rulemine.verbalizer.verbalize import Verbalized, verbalize
from tests import each
from tests.structures import structure_question, world
from tests.verbalizer.scripted import Scripted, lines, rejections_in, wanted

WORLD = world()
NAMES, TEMPLATES = WORLD.names, WORLD.templates
GLOSSES = load_glosses("", TEMPLATES)

BOTH = '(and (p- "citizen_of" "france") (p- "won" "oscar"))'
"""Answers: ann and bob."""

CHAIN = '(p "born_in" (p- "directed" "film3"))'
"""Answer: lyon, over bob."""

EITHER = '(p "born_in" (or (p- "citizen_of" "france") (p- "citizen_of" "italy")))'
"""Answers: all four cities, over everyone."""

GOOD = "Where was the director of Film3 born?"
LEAKS = "Where was Bob, the director of Film3, born?"
PATTERN = "Where was the director of {topic} born?"
SAID = {
    "2i": "Who is both a citizen of France and a winner of the Oscar?",
    "2p": GOOD,
    "up": "Where was someone born who is a citizen of either France or Italy?",
}
"""What a good model says, by structure, in the naming ``text``."""


def asked_for(*queries: str) -> QuestionSet:
    """Questions q00001 and so on."""
    questions = tuple(structure_question(n, text) for n, text in enumerate(queries, start=1))
    return QuestionSet(questions, (), NAMES, len(NAMES))


def run(asked: QuestionSet, session, *, naming="text", **options) -> Verbalized:
    """Verbalizes questions with some options."""
    chosen = VerbalizerSection(**{"name": "openai", "model": "m", **options})
    calls = Calls(load_prompts(""), chosen, 7, GLOSSES)
    inputs = make_structure_inputs(asked, GLOSSES, TEMPLATES, naming)
    return verbalize(asked, inputs, calls, session)


def verdict(status: str, reason: str = "", refined: str = "") -> str:
    """The reply of a judge."""
    return json.dumps({"status": status, "reason": reason, "refined_question": refined})


def good(call: Call) -> str:
    """What a good model says to anything."""
    if call.purpose == "structure_audit":
        return verdict("PASS")
    return json.dumps({"question": SAID[wanted(call, "Structure")[:2]]})


def script(texts, verdicts=()):
    """A model that says these texts one after another, and of a judge these verdicts; then PASS."""
    texts, verdicts = iter(texts), iter(verdicts)

    def say(call: Call):
        if call.purpose == "structure_audit":
            return next(verdicts, verdict("PASS"))
        return next(texts)

    return Scripted(say)


def purposes(session: Scripted) -> list[str]:
    return [call.purpose.removeprefix("structure_") for call in session.calls]


def models(session: Scripted) -> list[str]:
    return [call.model for call in session.calls]


def test_a_text_that_passes_names_every_anchor_in_every_naming():
    asked = asked_for(BOTH, CHAIN, EITHER)
    session = Scripted(good)
    made = run(asked, session)
    assert made.asked.rejections == ()
    assert made.counts.first == 3
    assert sorted(purposes(session)) == ["audit"] * 3 + ["question"] * 3
    both, chain, _ = made.asked.questions
    assert {q.wording for q in made.asked.questions} == {"model"}
    assert both.question == "Who is both a citizen of france and a winner of the oscar?"
    private = {row.entity: row.private for row in NAMES}
    order = sorted(both.anchors, key=private.__getitem__)
    france, oscar = (f"{{topic{order.index(name) + 1}}}" for name in ("france", "oscar"))
    pattern = f"Who is both a citizen of {france} and a winner of the {oscar}?"
    assert (both.patterns, chain.patterns) == ((pattern,), (PATTERN,))
    for naming in NAMINGS:
        again = Namer(NAMES, TEMPLATES, naming).question(both)
        france, oscar = (row.name_in(naming) for row in NAMES if row.entity in both.anchors)
        assert again.question == f"Who is both a citizen of {france} and a winner of the {oscar}?"
    told = [(row["purpose"], row["questions"]) for row in lines(made)]
    both = ("structure_audit", "structure_question")
    assert sorted(told) == [(what, [q.id]) for what in both for q in asked.questions]


def test_the_prompt_has_structure_triples_anchors_answers_and_intermediates():
    session = script([GOOD])
    run(asked_for(CHAIN), session)
    write, judge = session.calls
    for call in (write, judge):
        assert wanted(call, "Structure").startswith("2p, a chain of two links")
        triples = json.loads(wanted(call, "Triples"))
        assert triples == [["Bob", "born_in", "Lyon"], ["Bob", "directed", "Film3"]]
        assert json.loads(wanted(call, "Question Entities")) == ["Film3"]
        assert json.loads(wanted(call, "Answers")) == ["Lyon"]
        assert json.loads(wanted(call, "Intermediates")) == ["Bob"]
        statements = [
            f"{name}: {GLOSSES[name].state('S', 'O')}" for name in ("born_in", "directed")
        ]
        assert "\n".join(("", *statements, "")) in call.messages[1]["content"]
    assert wanted(judge, "Question") == GOOD


@each(
    ("text", "code", "reason"),
    [
        (LEAKS, "intermediate_named", "“bob”"),
        ("Was the director of Film3 born in Lyon?", "answer_named", "“lyon”"),
        ("Where was the director born?", "topic_missing", "“Film3”"),
        ("Where was the director of Film30 born?", "topic_missing", "“Film3”"),
        ("Where the director of Film3 was born.", "not_a_question", "question mark"),
        ("Where was the director\nof Film3 born?", "several_lines", "one line"),
    ],
)
def test_what_fails_the_checks_is_never_judged_and_is_written_again(text, code, reason):
    session = script([json.dumps({"question": text}), GOOD])
    made = run(asked_for(CHAIN), session)
    assert purposes(session) == ["question", "question", "audit"]
    (rejected,) = rejections_in(session.calls[1])
    assert reason in rejected
    assert made.counts.problems == {code: 1}
    assert made.asked.questions[0].patterns == (PATTERN,)


def test_one_of_two_anchors_is_not_enough():
    session = script(["Who won the Oscar?", "Who is a citizen of France?", "Who won?"])
    made = run(asked_for(BOTH), session)
    (rejection,) = made.asked.rejections
    assert rejection.detail == "template used: topic_missing, topic_missing, topic_missing"
    missing = [row.partition("words ")[2] for row in rejections_in(session.calls[2])]
    assert missing == ["(“France”).", "(“Oscar”)."]


def test_the_proposal_of_the_judge_is_tried_before_the_rewriter():
    better = "In which town was the director of Film3 born?"
    session = script([GOOD], [verdict("FAIL", "stiff", better)])
    made = run(asked_for(CHAIN), session, judge_model="judge", rewriter_model="other")
    assert models(session) == ["m", "judge", "judge"]
    assert wanted(session.calls[2], "Question") == better
    assert made.asked.questions[0].patterns == ("In which town was the director of {topic} born?",)
    assert made.counts.problems == {"audit_failed": 1}


@each("proposal", ["", GOOD, LEAKS])
def test_without_a_proposal_that_passes_the_rewriter_is_told_why(proposal):
    session = script(
        [GOOD, "Where is the director of Film3 from?"], [verdict("FAIL", "too stiff", proposal)]
    )
    made = run(asked_for(CHAIN), session, rewriter_model="other")
    assert models(session) == ["m", "m", "other", "m"]
    assert purposes(session) == ["question", "audit", "question", "audit"]
    told = rejections_in(session.calls[2])
    assert (
        told[0] == f"- Rejected before, so mend it: {GOOD} Reason: A judge rejected it (too stiff)."
    )
    assert len(told) == 1 + (proposal == LEAKS)
    assert made.asked.questions[0].patterns == ("Where is the director of {topic} from?",)


def test_a_proposal_passes_the_judge_too_and_uses_up_no_attempt():
    def say(call: Call):
        if call.purpose == "structure_audit":
            n = "x" * len(session.calls)
            return verdict("FAIL", f"no {n}", f"Where was the {n} of Film3 born?")
        return f"Where was the {'y' * len(session.calls)} of Film3 born?"

    session = Scripted(say)
    made = run(asked_for(CHAIN), session)
    assert purposes(session) == ["question", "audit", "audit"] * 3
    chosen = VerbalizerSection(name="openai", model="m")
    inputs = make_structure_inputs(asked_for(CHAIN), GLOSSES, TEMPLATES, "private")
    told = estimate(inputs, Calls(load_prompts(""), chosen, 7, GLOSSES), None)
    assert told.worst.calls == len(session.calls), "no dialogue is longer"
    (rejection,) = made.asked.rejections
    assert rejection.detail == "template used: " + ", ".join(["audit_failed"] * 6)
    assert rejection.text == "Where was the xxxxxxxx of Film3 born?"


def test_after_three_attempts_the_question_keeps_its_template():
    texts = [LEAKS, "I cannot", "Where was Film3 born twice?"]
    replies = iter(texts)

    def say(call: Call):
        if call.subject == "q00001":
            return good(call)
        return verdict("FAIL", "twice") if call.purpose == "structure_audit" else next(replies)

    session = Scripted(say)
    asked = asked_for(BOTH, CHAIN)
    made = run(asked, session)
    (rejection,) = made.asked.rejections
    assert rejection.detail == "template used: intermediate_named, refusal, audit_failed"
    assert (rejection.stage, rejection.reason) == ("verbalize", "audit_failed")
    assert (rejection.removed, rejection.direction, rejection.rule) == (None, "", "")
    assert rejection.query == asked.questions[1].query
    assert rejection.text == texts[2]
    left = {q.id: q.wording for q in made.asked.questions}
    assert left == {"q00001": "model", "q00002": "fallback"}


@each(
    ("said", "told"),
    [
        *(
            (said, "could not be read")
            for said in ("maybe", '{"reason": "none"}', '{"status": "fine"}')
        ),
        ("FAIL: too stiff", "too stiff"),
    ],
)
def test_a_verdict_that_fails_or_cannot_be_read_fails_the_text(said, told):
    session = script([GOOD, "Where is the director of Film3 from?"], [said, "pass"])
    made = run(asked_for(CHAIN), session)
    assert made.counts.problems == {"audit_failed": 1}
    assert told in rejections_in(session.calls[2])[0]
    assert made.asked.questions[0].patterns == ("Where is the director of {topic} from?",)


def test_the_estimate_is_a_question_and_an_audit_each():
    asked = asked_for(BOTH, CHAIN, EITHER)
    chosen = VerbalizerSection(name="openai", model="m", rewriter_model="other")
    inputs = make_structure_inputs(asked, GLOSSES, TEMPLATES, "private")
    found = estimate(inputs, Calls(load_prompts(""), chosen, 7, GLOSSES), None)
    calls = [(part.label, part.typical.calls) for part in found.purposes]
    assert calls == [("questions", 3), ("audits", 3)]
    assert "6, at most 27 (3 for questions, 3 for audits)" in found.to_text()
    assert "Structure: 2p" in "".join(found.prompts.values())
