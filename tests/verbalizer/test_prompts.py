"""Prompt files: every problem is reported."""

import re
from pathlib import Path

import pytest

from checks.isolated.try_pair_writer import prompts_for_pairs
from rulemine.config import packaged
from rulemine.errors import ConfigError, InputError
from rulemine.kinds.registry import KINDS
from rulemine.verbalizer.prompts import load_prompts
from rulemine.verbalizer.replies import SCHEMAS

DEFAULT = packaged("verbalizer", "prompts.toml")

EXAMPLE = Path(__file__).parents[2] / "examples" / "local_model_prompts.toml"
"""A prompt file for rule questions alone."""


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
        ("system =", "sytem =", "[question] unknown key 'sytem'; did you mean 'system'?"),
        ("system =", "sytem =", "[question] key system is missing"),
        ("{meaning}", "{meaing}", "[question] user: has {meaing}; did you mean 'meaning'?"),
        ("Meaning: {meaning}", "", "[question] user: needs the placeholder {meaning}"),
        ("{earlier}\n", "", "[question] user: needs the placeholder {earlier}"),
        (
            "Removed Triple: ({subject}, {relation}, {object})",
            "({subject}, {relation}, {object})",
            "[question] user: must have the line 'Removed Triple: ({subject}, {relation}, {object})'",
        ),
        (
            "Question Entity: {topic}\n",
            "About Question Entity: {topic}\n",
            "[question] user: must have the line 'Question Entity: {topic}' exactly once",
        ),
        (
            "Answer Entity: {answer}\n",
            "Answer Entity: {answer}\nAnswer Entity: {answer}\n",
            "[question] user: must have the line 'Answer Entity: {answer}' exactly once",
        ),
        ("{context}\n", "Also {context}\n", "{context} stands for whole lines"),
        ('{{"question": "…"}}', '{"question": "…"}', "[question] user: has {\"question\": \"…\"}"),
        ('{{"question": "…"}}', "{", "[question] user: has a single '{'"),
        ('"You turn', '"{topic} You turn', "[question] system: has {topic}; it takes no placeholders"),
        ('"Context: {fact}', '"Context:\\n{fact}', "[question] context: has a line break"),
        ('private = "', 'privat = "', "[names] unknown key 'privat'; did you mean 'private'?"),
        ('private = "codes', 'private = "\\n\\ncodes\\nx', "[names] private: has a line break"),
        ('sample = "{subject} | {object}"', "sample = 3", "[gloss] sample is 3; a text was expected"),
    ],
)  # fmt: skip
def test_the_problems_of_a_prompt_file_are_reported(tmp_path, old, new, found):
    text = DEFAULT.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(ConfigError) as caught:
        load_prompts(written(tmp_path, text.replace(old, new, 1)))
    assert found in str(caught.value)
    assert "prompts.toml" in str(caught.value)


def test_all_problems_are_in_one_message(tmp_path):
    text = DEFAULT.read_text(encoding="utf-8")
    text = text.replace("[audit]", "[audits]").replace("sample =", "samples =", 1)
    with pytest.raises(ConfigError) as caught:
        load_prompts(written(tmp_path, text))
    assert str(caught.value).count("\n  ") == 4


def test_a_missing_or_broken_file_is_named(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_prompts(str(tmp_path / "none.toml"))
    with pytest.raises(InputError, match=r"prompts\.toml: is not valid TOML"):
        load_prompts(written(tmp_path, "[question"))


@pytest.mark.parametrize(
    ("kind", "purpose"),
    [("rules", "audit"), ("structures", "structure_audit"), ("cypher", "cypher_audit")],
)
def test_a_judge_is_told_of_every_verdict_that_its_schema_allows(kind, purpose):
    verdicts = next(iter(SCHEMAS[purpose]["properties"].values()))["enum"]
    told = KINDS[kind].wording.loaded(kind, "").sections[purpose]["user"]
    assert [word for word in verdicts if not re.search(rf"\b{word}\b", told)] == []


def test_sections_that_another_kind_needs_may_be_missing():
    prompts = KINDS["rules"].wording.loaded("rules", str(EXAMPLE))
    assert prompts.sections["question"]["user"]
    with pytest.raises(ConfigError, match=r"section \[structure_question\] is missing"):
        KINDS["structures"].wording.loaded("structures", str(EXAMPLE))


def test_the_example_for_pairs_of_a_very_small_model_is_a_prompt_file(tmp_path):
    prompts = KINDS["subgraphs"].wording.loaded("subgraphs", written(tmp_path, prompts_for_pairs()))
    assert "Ann Lee" in prompts.sections["pairs"]["user"]
