"""Conversations to fine-tune a model on: the training split alone, with the prompt of the answerer."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation import answer
from rulemine.evaluation.sparql.running import SparqlRunner
from rulemine.exports.exporting import export
from rulemine.llm.session import Session
from rulemine.release.reader import Release
from tests.evaluation.answerers.scripted import Script
from tests.releases import built


@pytest.fixture(scope="module")
def coast() -> Release:
    return Release.open(built("coast-structures") / "release")


def conversations(folder: Path) -> list[list[dict[str, str]]]:
    lines = (folder / "train.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert all(row.keys() == {"messages"} for row in rows)
    return [row["messages"] for row in rows]


def test_no_question_of_another_split_is_in_it(coast: Release, tmp_path: Path) -> None:
    made = export(coast, "sparql-sft", tmp_path / "out")
    asked = {m[0]["content"].rpartition("Question: ")[2] for m in conversations(made.folder)}
    texts = {split: [q.question for q in coast.questions(split)] for split in ("train", "test")}
    assert len(texts["train"]) > 0 < len(texts["test"])
    assert made.questions == len(asked) == len(texts["train"])
    assert {text.partition("\n")[0] for text in asked} == set(texts["train"])
    every = "".join(path.read_text("utf-8") for path in made.folder.iterdir())
    for split in ("test", "validation"):
        for question in coast.questions(split):
            assert question.question not in every
            assert f'"{question.id}"' not in every


def test_the_prompt_is_that_of_the_answerer(coast: Release, tmp_path: Path) -> None:
    script = Script(lambda call: "none")
    answer(
        coast, "text-to-sparql", split="train", model="m", session=cast(Session, cast(Any, script))
    )
    made = conversations(export(coast, "sparql-sft", tmp_path / "out").folder)
    assert [m[0] for m in made] == [call.messages[0] for call in script.calls]


def test_what_the_model_is_taught_gives_the_answers(coast: Release, tmp_path: Path) -> None:
    made = conversations(export(coast, "sparql-sft", tmp_path / "out").folder)
    with SparqlRunner(coast.kg("complete")) as runner:
        for question, (_, taught) in zip(coast.questions("train"), made, strict=True):
            assert taught["role"] == "assistant"
            assert sorted(runner.run(taught["content"]).answers) == list(question.answers)


def test_there_is_nothing_without_answers(coast: Release, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="writes the split train"):
        export(coast, "sparql-sft", tmp_path / "out", without_answers=True)
