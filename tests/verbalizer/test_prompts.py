from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.config import packaged
from rulemine.errors import ConfigError
from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.phrasing.glosses import Gloss
from rulemine.verbalizer.brief import Brief
from rulemine.verbalizer.prompts import load_prompts
from tests.builder.rule_questions.asking import question

DEFAULT = packaged("verbalizer", "prompts.toml")

AUNT = Gloss(
    "aunt",
    "{subject} is the aunt of {object}",
    "the aunts of {topic}",
    "the nieces of {topic}",
    "model",
)


def brief(
    removed: tuple[str, str, str] = ("7", "aunt", "72"),
    direction: str = "subject",
    naming: str = "entity",
    context: tuple[str, ...] = (),
) -> Brief:
    asked = question(1, removed, direction)
    topic, answer = (EntityNames("e00001", name, name) for name in (asked.topic, asked.hard_answer))
    gloss = replace(AUNT, relation=removed[1])
    return Brief(asked, naming, topic, answer, (answer,), removed, gloss, context)


def user(messages) -> list[str]:
    assert [message["role"] for message in messages] == ["system", "user"]
    return messages[1]["content"].split("\n")


def test_a_question_is_asked_for_with_each_fact_on_a_line_of_its_own():
    lines = user(load_prompts("").question(brief(), (), "English"))
    for line in (
        "Removed Triple: (7, aunt, 72)",
        "Question Entity: 72",
        "Answer Entity: 7",
        "Relation: aunt",
        "Meaning: 7 is the aunt of 72",
        "Asked For: the aunts of 72",
    ):
        assert lines.count(line) == 1
    assert [line.split(":")[0] for line in lines[:7]][-1] == "Names"
    assert sum(line.startswith("Context:") for line in lines) == 0
    assert any("in English" in line for line in lines)


def test_the_other_direction_asks_for_the_other_end():
    lines = user(load_prompts("").question(brief(direction="object"), (), "English"))
    assert "Question Entity: 7" in lines
    assert "Answer Entity: 72" in lines
    assert "Meaning: 7 is the aunt of 72" in lines
    assert "Asked For: the nieces of 7" in lines


@pytest.mark.parametrize("purpose", ["question", "paraphrase", "audit"])
def test_the_three_lines_and_the_context_are_in_every_prompt_about_a_fact(purpose):
    prompts = load_prompts("")
    about = brief(context=("72 is the son of 1", "72 lives in Ayr"))
    messages = {
        "question": prompts.question(about, (), "English"),
        "paraphrase": prompts.paraphrase(about, ["Who is the aunt of 72?"], 2, (), "English"),
        "audit": prompts.audit(about, "Who is the aunt of 72?"),
    }[purpose]
    lines = user(messages)
    for line in ("Removed Triple: (7, aunt, 72)", "Question Entity: 72", "Answer Entity: 7"):
        assert lines.count(line) == 1
    context = [line for line in lines if line.startswith("Context: ")]
    assert ["72 is the son of 1" in context[0], "72 lives in Ayr" in context[1]] == [True, True]


@pytest.mark.parametrize("naming", NAMINGS)
def test_the_naming_in_force_is_told(naming):
    prompts = load_prompts("")
    lines = user(prompts.question(brief(naming=naming), (), "English"))
    assert f"Names: {prompts.names[naming]}" in lines
    assert len(set(prompts.names.values())) == len(NAMINGS)


@pytest.mark.parametrize(
    "name",
    [
        "{topic}",
        "{{x}}",
        "{",
        "}",
        "%s \\1 \\g<0>",
        "a\u2028b",
        "{context}",
        "Answer Entity: x",
        "“quoted”",
    ],
)
def test_names_are_put_in_as_they_are(name):
    prompts = load_prompts("")
    about = brief((name, "aunt", "72"), direction="object", context=(name,))
    text = prompts.question(about, [(name, name)], "English")[1]["content"]
    assert f"\nQuestion Entity: {name}\n" in text
    assert f"Removed Triple: ({name}, aunt, 72)\n" in text
    assert f"\nMeaning: {name} is the aunt of 72\n" in text
    assert f"\nAsked For: the nieces of {name}\n" in text
    for relation in ("{relation}", "/a/b./c", "x{y}"):
        text = prompts.question(brief(("7", relation, "72")), (), "English")[1]["content"]
        assert f"\nRelation: {relation}\n" in text


def test_earlier_attempts_come_with_their_reasons_each_on_one_line():
    prompts = load_prompts("")
    earlier = [("Who is\n7?", "names\tthe answer"), ("x" * 1000, "too long")]
    lines = user(prompts.question(brief(), earlier, "English"))
    told = [line for line in lines if "Rejected before" in line]
    assert len(told) == 2
    assert "Who is 7?" in told[0]
    assert "names the answer" in told[0]
    assert len(told[1]) < 400
    assert len(user(prompts.question(brief(), (), "English"))) == len(lines) - 2


def test_every_further_attempt_is_another_prompt():
    prompts = load_prompts("")
    asked = [prompts.question(brief(), [("a?", "b")] * n, "English") for n in range(4)]
    assert len({str(messages) for messages in asked}) == 4


def test_relations_of_a_round_trip_are_named():
    lines = user(
        load_prompts("").round_trip(
            "Who?",
            [
                Gloss("a", "{subject} {{a}} {object}", "", "", ""),
                Gloss("b c", "{object} b {subject}", "", "", ""),
            ],
        )
    )
    assert "a: S {a} O" in lines
    assert "b c: O b S" in lines
    assert "Question: Who?" in lines


def test_a_gloss_is_asked_for_with_samples_and_placeholders_in_braces():
    messages = load_prompts("").gloss(
        "aunt", [("7", "aunt", "72"), ("{a}", "aunt", "b")], (), "German"
    )
    lines = user(messages)
    assert "Relation: aunt" in lines
    assert "7 | 72" in lines
    assert "{a} | b" in lines
    text = messages[1]["content"]
    assert "{subject} is the aunt of {object}" in text
    assert "{topic}" in text
    assert "in German" in text


def written(folder: Path, text: str) -> str:
    path = folder / "prompts.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_file_of_the_package_is_found_by_its_path_too():
    assert load_prompts(str(DEFAULT)) == load_prompts("")


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("[audit]", "[audits]", "unknown section [audits]; did you mean 'audit'?"),
        ("[audit]", "[audits]", "section [audit] is missing"),
        ("[names]", "names = 3\n[other]", "names is 3"),
        ("[question]\n", "[question]\nversion = 1\n", "[question] unknown key 'version'"),
        ("system =", "sytem =", "[question] unknown key 'sytem'; did you mean 'system'?"),
        ("system =", "sytem =", "[question] key system is missing"),
        ("{meaning}", "{meaing}", "[question] user: holds {meaing}; did you mean 'meaning'?"),
        ("Meaning: {meaning}", "", "[question] user: lacks {meaning}"),
        ("{earlier}\n", "", "[question] user: lacks {earlier}"),
        (
            "Removed Triple: ({subject}, {relation}, {object})",
            "({subject}, {relation}, {object})",
            "[question] user: needs the line 'Removed Triple: ({subject}, {relation}, {object})' once",
        ),
        (
            "Question Entity: {topic}\n",
            "About Question Entity: {topic}\n",
            "[question] user: needs the line 'Question Entity: {topic}' once",
        ),
        (
            "Answer Entity: {answer}\n",
            "Answer Entity: {answer}\nAnswer Entity: {answer}\n",
            "[question] user: needs the line 'Answer Entity: {answer}' once",
        ),
        ("{context}\n", "Also {context}\n", "{context} stands for whole lines"),
        ('{{"question": "…"}}', '{"question": "…"}', "[question] user: holds {\"question\": \"…\"}"),
        ('{{"question": "…"}}', "{", "[question] user: holds a lone '{'"),
        ('"You turn', '"{topic} You turn', "[question] system: holds {topic}; it takes none"),
        ('"Context: {fact}', '"Context:\\n{fact}', "[question] context: holds a line break"),
        ('private = "', 'privat = "', "[names] unknown key 'privat'; did you mean 'private'?"),
        ('private = "codes', 'private = "\\n\\ncodes\\nx', "[names] private holds a line break"),
        ('sample = "{subject} | {object}"', "sample = 3", "[gloss] sample is 3; a text was expected"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_prompt_file_is_said(tmp_path, old, new, found):
    text = DEFAULT.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(ConfigError) as caught:
        load_prompts(written(tmp_path, text.replace(old, new, 1)))
    assert found in str(caught.value)
    assert "prompts.toml" in str(caught.value)


def test_all_problems_are_in_one_message(tmp_path):
    text = DEFAULT.read_text(encoding="utf-8")
    text = text.replace("[audit]", "[audits]").replace(
        "[question]\n", "[question]\nversion = 1\n", 1
    )
    with pytest.raises(ConfigError) as caught:
        load_prompts(written(tmp_path, text))
    assert str(caught.value).count("\n  ") == 3


def test_a_missing_or_broken_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        load_prompts(str(tmp_path / "none.toml"))
    with pytest.raises(ConfigError, match=r"prompts\.toml: is not valid TOML"):
        load_prompts(written(tmp_path, "[question"))
