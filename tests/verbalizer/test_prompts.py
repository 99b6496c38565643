"""Prompt files, what a prompt is made from, and the prompts."""

import re
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from checks.isolated.try_model import prompts_for_pairs
from rulemine.config import packaged
from rulemine.errors import ConfigError, InputError
from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.registry import KINDS
from rulemine.llm.call import Call
from rulemine.phrasing.glosses import Gloss, load_glosses
from rulemine.phrasing.templates import load_templates
from rulemine.release.naming import name_entities
from rulemine.release.question_set import QuestionSet
from rulemine.verbalizer.inputs import VerbalizationInput, find_homonyms, make_inputs
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import SEEDS, Calls, load_prompts
from rulemine.verbalizer.replies import SCHEMAS, TextProblem
from tests import each
from tests.kinds.rules.asking import question

DEFAULT = packaged("verbalizer", "prompts.toml")

EXAMPLE = Path(__file__).parents[2] / "examples" / "local_model_prompts.toml"
"""A prompt file for rule questions alone."""


def written(folder: Path, text: str) -> str:
    path = folder / "prompts.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@each(("old", "new", "found"), (
    ("[audit]", "[audits]", "unknown section [audits]; did you mean 'audit'?"),
    ("[audit]", "[audits]", "section [audit] is missing"),
    ("[names]", "names = 3\n[other]", "names is 3"),
    ("system =", "sytem =", "[question] unknown key 'sytem'; did you mean 'system'?"),
    ("system =", "sytem =", "[question] key system is missing"),
    ("{meaning}", "{meaing}", "[question] user: has {meaing}; did you mean 'meaning'?"),
    ("Meaning: {meaning}", "", "[question] user: needs the placeholder {meaning}"),
    ("{earlier}\n", "", "[question] user: needs the placeholder {earlier}"),
    ("Removed Triple: ({subject}, {relation}, {object})", "({subject}, {relation}, {object})",
     "[question] user: must have the line 'Removed Triple: ({subject}, {relation}, {object})'"),
    ("Question Entity: {topic}\n", "About Question Entity: {topic}\n",
     "[question] user: must have the line 'Question Entity: {topic}' exactly once"),
    ("Answer Entity: {answer}\n", "Answer Entity: {answer}\nAnswer Entity: {answer}\n",
     "[question] user: must have the line 'Answer Entity: {answer}' exactly once"),
    ("{context}\n", "Also {context}\n", "{context} stands for whole lines"),
    ('{{"question": "…"}}', '{"question": "…"}', "[question] user: has {\"question\": \"…\"}"),
    ('{{"question": "…"}}', "{", "[question] user: has a single '{'"),
    ('"You turn', '"{topic} You turn', "[question] system: has {topic}; it takes no placeholders"),
    ('"Context: {fact}', '"Context:\\n{fact}', "[question] context: has a line break"),
    ('private = "', 'privat = "', "[names] unknown key 'privat'; did you mean 'private'?"),
    ('private = "codes', 'private = "\\n\\ncodes\\nx', "[names] private: has a line break"),
    ('sample = "{subject} | {object}"', "sample = 3", "[gloss] sample is 3; a text was expected"),
))  # fmt: skip
def test_the_problems_of_a_prompt_file_are_reported(old, new, found, tmp_path):
    text = DEFAULT.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(ConfigError) as caught:
        load_prompts(written(tmp_path, text.replace(old, new, 1)))
    assert found in str(caught.value)
    assert "prompts.toml" in str(caught.value)


def test_all_problems_are_in_one_message_and_a_broken_file_is_named(tmp_path):
    assert load_prompts(str(DEFAULT)) == load_prompts("")
    text = DEFAULT.read_text(encoding="utf-8")
    text = text.replace("[audit]", "[audits]").replace("sample =", "samples =", 1)
    with pytest.raises(ConfigError) as caught:
        load_prompts(written(tmp_path, text))
    assert str(caught.value).count("\n  ") == 4
    with pytest.raises(InputError, match="no such file"):
        load_prompts(str(tmp_path / "none.toml"))
    with pytest.raises(InputError, match=r"prompts\.toml: is not valid TOML"):
        load_prompts(written(tmp_path, "[question"))


@each(
    ("kind", "purpose"),
    [("rules", "audit"), ("structures", "structure_audit"), ("cypher", "cypher_audit")],
)
def test_a_judge_is_told_of_every_verdict_that_its_schema_allows(kind, purpose):
    verdicts = next(iter(SCHEMAS[purpose]["properties"].values()))["enum"]
    told = KINDS[kind].wording.loaded(kind, "").sections[purpose]["user"]
    assert [word for word in verdicts if not re.search(rf"\b{word}\b", told)] == []


def test_sections_that_another_kind_needs_may_be_missing(tmp_path):
    prompts = KINDS["rules"].wording.loaded("rules", str(EXAMPLE))
    assert prompts.sections["question"]["user"]
    with pytest.raises(ConfigError, match=r"section \[structure_question\] is missing"):
        KINDS["structures"].wording.loaded("structures", str(EXAMPLE))
    prompts = KINDS["subgraphs"].wording.loaded("subgraphs", written(tmp_path, prompts_for_pairs()))
    assert "Ann Lee" in prompts.sections["pairs"]["user"]


FACTS = [
    ("m1", "lives_in", "ayr"), ("m1", "speaks", "gaelic"), ("m1", "parent_of", "kim"),
    ("m1", "parent_of", "lee"), ("m1", "works_with", "m1"), ("ann", "parent_of", "m1"),
    ("m2", "lives_in", "ayr"), ("zoe", "lives_in", "ayr"),
]  # fmt: skip
LABELS = {
    "m1": "Jo Day",
    "m2": "Jo Day",
    "ann": "Ann",
    "ayr": "Ayr",
    "gaelic": "Gaelic",
    "zoe": "Zoe",
}
KG = KnowledgeGraph.from_triples(FACTS)
DEMO = load_glosses("", load_templates("demo", KG.relations))


def asked(*questions) -> QuestionSet:
    names = name_entities(KG.entities, seed=1, labels=LABELS)
    return QuestionSet(questions, (), names, len(names))


def inputs_of(*questions, naming="text", removed=(("m1", "parent_of", "kim"),), seed=0):
    rows = np.array([KG.labeled().index(triple) for triple in removed], np.int64)
    return make_inputs(asked(*questions), KG, rows, DEMO, naming, seed)


CHILDREN = replace(question(1, ("m1", "parent_of", "kim")), answers=("kim", "lee"))
TOWN = question(2, ("zoe", "lives_in", "ayr"))


def test_an_input_names_everything_in_the_naming_of_the_prompts():
    (item,) = inputs_of(CHILDREN)
    assert item.removed == ("Jo Day (m1)", "parent_of", "kim")
    assert item.asked == "every X such that “Jo Day (m1) is a parent of X”"
    assert (item.shown()["topic"], item.shown()["answer"]) == ("Jo Day (m1)", "kim")
    assert {row.entity for _, rows in item.hidden for row in rows} == {"kim", "lee"}
    assert item.gloss.statement == "{subject} is a parent of {object}"
    assert item.question is CHILDREN
    (item,) = inputs_of(CHILDREN, naming="private")
    assert item.removed[0] == item.topics[0].private == item.shown()["topic"]
    (item,) = inputs_of(replace(CHILDREN, answers=("kim", "m1")))  # the topic is no answer to hide
    assert {row.entity for _, rows in item.hidden for row in rows} == {"kim"}


def test_homonyms_get_context_from_the_incomplete_graph_without_answers(monkeypatch):
    known = {"Jo Day (m1) speaks Gaelic", "Ann is a parent of Jo Day (m1)"}
    stated, seen = known | {"Jo Day (m1) lives in Ayr"}, set()
    for seed in range(20):
        (item,) = inputs_of(CHILDREN, seed=seed)
        assert len(item.context) == len(set(item.context)) == 2
        assert set(item.context) <= stated
        assert inputs_of(CHILDREN, seed=seed) == [item]
        seen.update(item.context)
    assert seen == stated
    monkeypatch.setattr("rulemine.verbalizer.inputs.DISTINCTIVE", 2)  # three live in Ayr
    assert {*chain(*(inputs_of(CHILDREN, seed=seed)[0].context for seed in range(20)))} == known


def test_a_removed_fact_is_no_context_and_there_may_be_none():
    gone = [("m1", "parent_of", "kim"), ("m1", "speaks", "gaelic"), ("ann", "parent_of", "m1")]
    (item,) = inputs_of(CHILDREN, removed=gone)
    assert item.context == ("Jo Day (m1) lives in Ayr",)
    (item,) = inputs_of(
        CHILDREN, removed=[*gone, FACTS[0]]
    )  # what is left has an answer, or itself
    assert item.context == ()


def test_the_context_does_not_depend_on_other_questions():
    alone, together = inputs_of(CHILDREN), inputs_of(TOWN, CHILDREN, TOWN)
    assert together[1] == alone[0]
    assert [item.question.id for item in together] == ["q00002", "q00001", "q00002"]


def test_only_homonyms_get_context_and_only_in_labels():
    (item,) = inputs_of(TOWN)
    assert item.context == ()
    for naming in ("private", "entity", "numeric"):
        (item,) = inputs_of(CHILDREN, naming=naming)
        assert item.context == ()


def test_homonyms_are_those_whose_label_was_made_unique():
    texts = ("Paris", "Paris", "Rome", "Rome (c)", "Oslo (e)", "Paris (a)")
    labels = dict(zip("abcdef", texts, strict=True))
    assert find_homonyms(name_entities(sorted(labels), seed=0, labels=labels)) == {"a", "b"}
    assert find_homonyms([EntityNames("e0", "x", "x (x)")]) == frozenset()


PROMPTS = load_prompts("")
CHOSEN = VerbalizerSection(name="openai", model="small", judge_model="large")
FAMILY = load_glosses("", load_templates("family", ["aunt", "uncle", "son"]))


AUNT = Gloss(
    "aunt", "{subject} is the aunt of {object}", "the aunts of {topic}", "the nieces of {topic}", "model"
)  # fmt: skip
MADE = Calls(PROMPTS, CHOSEN, 5, FAMILY)


def item(
    removed: tuple[str, str, str] = ("7", "aunt", "72"),
    direction: str = "subject",
    naming: str = "entity",
    context: tuple[str, ...] = (),
) -> VerbalizationInput:
    asked_of = question(1, removed, direction)
    topic, answer = (
        EntityNames("e00001", name, name) for name in (asked_of.topic, asked_of.hard_answer)
    )
    gloss = replace(AUNT, relation=removed[1])
    hidden = (("answer_named", (answer,)),)
    asks = gloss.asked(direction, asked_of.topic)
    return VerbalizationInput(asked_of, naming, (topic,), hidden, asks, removed, gloss, context)


def user(call: Call) -> str:
    """The user message of a call, between line breaks."""
    assert [said["role"] for said in call.messages] == ["system", "user"]
    return f"\n{call.messages[1]['content']}\n"


def test_a_question_is_asked_for_with_each_fact_on_a_line_of_its_own():
    text = user(MADE.question(item(), ()))
    for line in ("Relation: aunt", "Meaning: 7 is the aunt of 72", "Asked For: the aunts of 72"):
        assert text.count(f"\n{line}\n") == 1
    assert "\nContext:" not in text
    assert "in English" in text
    text = user(MADE.question(item(direction="object"), ()))
    assert "\nQuestion Entity: 7\nAnswer Entity: 72\n" in text
    assert "\nMeaning: 7 is the aunt of 72\nAsked For: the nieces of 7\n" in text


@each("purpose", ["question", "paraphrase", "audit"])
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


@each("naming", NAMINGS)
def test_the_naming_in_force_is_told(naming):
    text = user(MADE.question(item(naming=naming), ()))
    assert f"\nNames: {PROMPTS.names[naming]}\n" in text
    assert len(set(PROMPTS.names.values())) == len(NAMINGS)


@each(
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
    asked_of = {MADE.question(item(), [("a?", TextProblem("empty"))] * n).key for n in range(4)}
    assert len(asked_of) == 4


def test_a_gloss_is_asked_for_with_samples_and_placeholders_in_braces():
    text = user(MADE.words("gloss", "aunt", [("7", "aunt", "72"), ("{a}", "aunt", "b")]))
    assert "\n7 | 72\n{a} | b\n" in text
    assert "{subject} is the aunt of {object}" in text
    assert "{topic}" in text


def test_parameters_that_endpoints_refuse_are_left_out_or_cut():
    call = Calls(PROMPTS, replace(CHOSEN, temperature=-1.0), SEEDS + 3).question(item(), ())
    assert call.temperature is None
    assert "temperature" not in call.request
    assert call.seed == 3
