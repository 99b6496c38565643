"""The release of the demo: what a newcomer sees first."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import run

SPLITS = ("train", "validation", "test")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    ended = run(folder, ["build", "demo", "-o", "demo"])
    assert ended.status == 0, ended.err
    return folder / "demo"


@pytest.fixture(scope="module")
def questions(demo: Path) -> list[dict[str, Any]]:
    lines = [(demo / f"questions/{split}.jsonl").read_text("utf-8") for split in SPLITS]
    return [json.loads(line) for line in "".join(lines).splitlines()]


def is_latin(name: str) -> bool:
    return all(unicodedata.name(c).startswith("LATIN") for c in name if c.isalpha())


def test_the_demo_has_a_core(questions: list[dict[str, Any]]) -> None:
    assert sum(question["core"] for question in questions) >= 40
    assert len({question["question"] for question in questions}) == len(questions)


def test_its_names_are_those_that_people_read(questions: list[dict[str, Any]]) -> None:
    latin = sum(is_latin(question["question"]) for question in questions)
    assert 0.7 * len(questions) < latin < len(questions)


def test_its_questions_agree_in_number_and_have_articles(questions: list[dict[str, Any]]) -> None:
    siblings = {True: "Who are the siblings of ", False: "Who is a sibling of "}
    guilds = set()
    for question in questions:
        text, (topic,) = question["question"], question["anchors"]
        several = len(question["answers"]) > 1
        if question["rules"]["relation"] == "sibling_of":
            assert text == f"{siblings[several]}{topic}?"
        if "Guild" in topic:
            guilds.add(text.split(topic)[0][-5:])
        assert text.count(topic) == 1
        assert "the the" not in text
    assert guilds == {" the "}


def test_what_is_declared_is_completed(demo: Path) -> None:
    counts = json.loads((demo / "manifest.json").read_text("utf-8"))["counts"]
    assert counts["relations_declared"] == 5
    assert counts["relations_undeclared"] == []
    assert counts["answers_completed"] > 0
