"""The release of the demo: what a newcomer sees first."""

import json
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from rulemine.release.publish import rename
from rulemine.release.reader import Release
from tests.golden import differences
from tests.releases import built

SPLITS = ("train", "validation", "test")


@pytest.fixture(scope="module")
def demo() -> Path:
    return built("demo") / "demo"


@pytest.fixture(scope="module")
def questions(demo: Path) -> list[dict[str, Any]]:
    lines = [(demo / f"questions/{split}.jsonl").read_text("utf-8") for split in SPLITS]
    return [json.loads(line) for line in "".join(lines).splitlines()]


def is_latin(name: str) -> bool:
    return all(unicodedata.name(c).startswith("LATIN") for c in name if c.isalpha())


def test_the_demo_has_a_core(questions):
    assert sum(question["core"] for question in questions) >= 40
    assert len({question["question"] for question in questions}) == len(questions)


def test_its_names_are_those_that_people_read(questions):
    latin = sum(is_latin(question["question"]) for question in questions)
    assert 0.7 * len(questions) < latin < len(questions)


def test_its_questions_agree_in_number_and_have_articles(questions):
    guilds = set()
    for question in questions:
        text, (topic,) = question["question"], question["anchors"]
        if question["relations"] == ["sibling_of"]:
            assert text == f"Who are the siblings of {topic}?"
        if "Guild" in topic:
            guilds.add(text.split(topic)[0][-5:])
        assert text.count(topic) == 1
        assert "the the" not in text
    assert guilds == {" the "}


def test_all_that_looks_declared_is(demo):
    counts = json.loads((demo / "manifest.json").read_text("utf-8"))["counts"]
    assert counts["relations_undeclared"] == []


def test_every_file_is_as_it_was_written_down_in_every_naming(demo, tmp_path):
    assert differences("demo", demo) == []
    for naming in ("private", "entity", "text", "numeric"):
        rename(Release.open(demo), tmp_path / naming, naming)
        assert differences(f"demo-{naming}", tmp_path / naming) == []


def test_a_changed_file_a_new_one_and_one_that_is_gone_are_named(demo, tmp_path):
    made = shutil.copytree(demo, tmp_path / "made")
    with (made / "rules.jsonl").open("a") as file:
        file.write("\n")
    (made / "relations.tsv").unlink()
    (made / "kg" / "more.tsv").touch()
    found = ["kg/more.tsv is new", "relations.tsv is gone", "rules.jsonl differs"]
    assert differences("demo", made)[:-1] == [f"demo: {each}" for each in found]
