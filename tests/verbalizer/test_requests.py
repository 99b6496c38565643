from dataclasses import replace

import pytest

from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.llm.call import Call
from rulemine.phrasing.glosses import Gloss, load_glosses
from rulemine.phrasing.templates import load_templates
from rulemine.verbalizer.inputs import VerbalizationInput
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import SEEDS, Calls, load_prompts
from rulemine.verbalizer.replies import TextProblem
from tests.kinds.rules.asking import question

PROMPTS = load_prompts("")
CHOSEN = VerbalizerSection(name="openai", model="small", judge_model="large")
FAMILY = load_glosses("", load_templates("family", ["aunt", "uncle", "son"]))


AUNT = Gloss(
    "aunt",
    "{subject} is the aunt of {object}",
    "the aunts of {topic}",
    "the nieces of {topic}",
    "model",
)
MADE = Calls(PROMPTS, CHOSEN, 5, FAMILY)


def item(
    removed: tuple[str, str, str] = ("7", "aunt", "72"),
    direction: str = "subject",
    naming: str = "entity",
    context: tuple[str, ...] = (),
) -> VerbalizationInput:
    asked = question(1, removed, direction)
    topic, answer = (EntityNames("e00001", name, name) for name in (asked.topic, asked.hard_answer))
    gloss = replace(AUNT, relation=removed[1])
    hidden = (("answer_named", (answer,)),)
    asks = gloss.asked(direction, asked.topic)
    return VerbalizationInput(asked, naming, (topic,), hidden, asks, removed, gloss, context)


def user(call: Call) -> str:
    """The user message of a call, between line breaks."""
    assert [said["role"] for said in call.messages] == ["system", "user"]
    return f"\n{call.messages[1]['content']}\n"


def test_a_question_is_asked_for_with_each_fact_on_a_line_of_its_own():
    text = user(MADE.question(item(), ()))
    for line in (
        "Removed Triple: (7, aunt, 72)",
        "Question Entity: 72",
        "Answer Entity: 7",
        "Relation: aunt",
        "Meaning: 7 is the aunt of 72",
        "Asked For: the aunts of 72",
    ):
        assert text.count(f"\n{line}\n") == 1
    assert "\nContext:" not in text
    assert "in English" in text


def test_the_other_direction_asks_for_the_other_end():
    text = user(MADE.question(item(direction="object"), ()))
    assert "\nQuestion Entity: 7\nAnswer Entity: 72\n" in text
    assert "\nMeaning: 7 is the aunt of 72\nAsked For: the nieces of 7\n" in text


@pytest.mark.parametrize("purpose", ["question", "paraphrase", "audit"])
def test_the_three_lines_and_the_context_are_in_every_prompt_about_a_fact(purpose):
    about = item(context=("72 is the son of 1", "72 lives in Ayr"))
    text = {
        "question": user(MADE.question(about, ())),
        "paraphrase": user(MADE.paraphrase(about, ["Who is the aunt of 72?"], 2, ())),
        "audit": user(MADE.audit(about, "Who is the aunt of 72?")),
    }[purpose]
    for line in ("Removed Triple: (7, aunt, 72)", "Question Entity: 72", "Answer Entity: 7"):
        assert text.count(f"\n{line}\n") == 1
    context = [line for line in text.split("\n") if line.startswith("Context: ")]
    assert ["72 is the son of 1" in context[0], "72 lives in Ayr" in context[1]] == [True, True]


@pytest.mark.parametrize("naming", NAMINGS)
def test_the_naming_in_force_is_told(naming):
    text = user(MADE.question(item(naming=naming), ()))
    assert f"\nNames: {PROMPTS.names[naming]}\n" in text
    assert len(set(PROMPTS.names.values())) == len(NAMINGS)


@pytest.mark.parametrize(
    "name", ["{topic}", "{{x}}", "{", "%s \\1 \\g<0>", "a\u2028b", "{context}", "Answer Entity: x"]
)
def test_names_are_put_in_as_they_are(name):
    about = item((name, "{relation}", "72"), direction="object", context=(name,))
    text = user(MADE.question(about, [(name, TextProblem("audit_failed", name))]))
    assert f"\nQuestion Entity: {name}\n" in text
    assert f"Removed Triple: ({name}, {{relation}}, 72)\n" in text
    assert f"\nMeaning: {name} is the aunt of 72\n" in text
    assert f"\nAsked For: the nieces of {name}\n" in text


def test_earlier_attempts_come_with_their_reasons_each_on_one_line():
    earlier = [
        ("Who is\n7?", TextProblem("audit_failed", "names\tthe answer")),
        ("x" * 1000, TextProblem("too_long", "y" * 1000)),
    ]
    lines = user(MADE.question(item(), earlier)).split("\n")
    quoted = [line for line in lines if "Rejected before" in line]
    assert len(quoted) == 2
    assert "Who is 7?" in quoted[0]
    assert "names the answer" in quoted[0]
    assert len(quoted[1]) < 700
    assert len(user(MADE.question(item(), ())).split("\n")) == len(lines) - 2
    cut = TextProblem("cut_off")
    silent = MADE.question(item(), [*earlier, *((text, cut) for text in ("<think>Who", "", " "))])
    assert (user(silent).split("\n"), silent.sample) == (lines, 3)  # nothing there to be mended
    assert MADE.question(item(), [("Who is the", cut)]).sample == 0
    asked = {MADE.question(item(), [("a?", TextProblem("empty"))] * n).key for n in range(4)}
    assert len(asked) == 4


def test_a_gloss_is_asked_for_with_samples_and_placeholders_in_braces():
    text = user(MADE.words("gloss", "aunt", [("7", "aunt", "72"), ("{a}", "aunt", "b")]))
    assert "\n7 | 72\n{a} | b\n" in text
    assert "{subject} is the aunt of {object}" in text
    assert "{topic}" in text


def test_each_call_says_what_it_is_for():
    about, made = item(), MADE
    calls = [
        made.question(about, ()),
        made.paraphrase(about, ["a?"], 2, ()),
        made.audit(about, "a?"),
        made.words("gloss", "aunt", [("7", "aunt", "72")]),
    ]
    purposes = ["question", "paraphrase", "audit", "gloss"]
    assert [call.purpose for call in calls] == purposes
    assert [call.model for call in calls] == ["small", "small", "large", "small"]
    assert [call.subject for call in calls] == ["q00001"] * 3 + ["aunt"]
    assert {call.seed for call in calls} == {5}
    assert {call.temperature for call in calls} == {0.0}
    assert {call.max_tokens for call in calls} == {CHOSEN.max_tokens}
    keys = [tuple(call.schema["required"]) for call in calls]
    assert keys == [
        ("question",),
        ("questions",),
        ("verdict", "reason"),
        ("statement", "subjects", "objects"),
    ]
    assert len({call.key for call in calls}) == len(calls)


def test_parameters_that_endpoints_refuse_are_left_out_or_cut():
    call = Calls(PROMPTS, replace(CHOSEN, temperature=-1.0), SEEDS + 3).question(item(), ())
    assert call.temperature is None
    assert "temperature" not in call.request
    assert call.seed == 3
