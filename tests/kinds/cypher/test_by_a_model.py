"""Questions over a property graph in a model's words, over HTTP: the same bytes every way."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import KEY, ChatServer, FakeModel, questions
from tests.command_line import FACTS, RULES, Command, assert_refused, run_here, tree

BUILD = [
    "build", "facts.tsv", "--set", "name=facts", "--kind", "cypher", "--set", "rules=rules.tsv",
    "--set", "cypher.per_template=3",
]  # fmt: skip
MODELS = ["--model", "writer", "--set", "verbalizer.judge_model=judge"]


def says(request: dict[str, Any], times: int) -> str:
    """What the fake model says; but a third of the texts are broken off, a quarter fails and is mended."""
    prompt = request["messages"][-1]["content"]
    drawn = sha256(prompt.encode()).digest()[0]
    said = FakeModel().answer(request)
    if "refined_question" not in prompt:
        return said[: len(said) // 2] if drawn % 3 == 0 else said
    if drawn % 4 == 0 and "please" not in FakeModel._line(prompt, "Question"):
        better = FakeModel._line(prompt, "Question").replace("Can you", "Can you please")
        return json.dumps({"verdict": "DIRECTION", "reason": "turned", "refined_question": better})
    return said


def words(url: str, output: str, *more: str) -> list[str]:
    """The command that builds them."""
    model = ["--set", f"endpoint.base_url={url}", *MODELS]
    return [*BUILD, "-o", output, *model, *more]


def _write(folder: Path) -> None:
    (folder / "facts.tsv").write_text(FACTS)
    (folder / "rules.tsv").write_text(RULES)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release."""
    folder = tmp_path_factory.mktemp("made")
    _write(folder)
    with ChatServer(says) as running:
        ended = run_here(folder, words(running.url, "facts"), OPENAI_API_KEY=KEY)
        assert ended.status == 0, ended.err
        assert running.again == 0
        assert {body["model"] for body in running.bodies} == {"writer", "judge"}
    return folder / "facts"


def test_texts_are_the_model_s_or_those_of_templates(made: Path) -> None:
    rows = questions(made)
    by_model = [row for row in rows if row["wording"] == "model"]
    assert len(by_model) > len(rows) / 2
    assert any("please" in row["question"] for row in by_model)
    assert all(anchor in row["question"] for row in rows for anchor in row["anchors"])
    rejected = map(json.loads, (made / "rejected.jsonl").read_text().splitlines())
    fallen = {row["question"] for row in rejected if row["stage"] == "verbalize"}
    assert fallen == {row["id"] for row in rows if row["wording"] == "fallback"}
    assert "cypher_question" in (made / "llm/prompt.toml").read_text()


def test_it_is_renamed_and_built_again(made: Path, here: Path, command: Command) -> None:
    for naming in ("private", "text"):
        assert command("rename", made, "--naming", naming, "-o", naming).status == 0
        for row in questions(here / naming):
            assert all(anchor in row["question"] for anchor in row["anchors"])
    _write(here)
    ended = command("verify", here / "private", "--neo4j", "none")
    assert ended.status == 0, ended.out
    ended = command(*BUILD, "-o", "again", "--replay", "private")
    assert ended.status == 0, ended.err
    assert tree(here / "again") == tree(made)


def test_judges_of_a_panel_are_not_shown_rows(made: Path, command: Command) -> None:
    ended = command("evaluate", made, "--judge", "m", "--dry-run", "-o", "said.jsonl")
    assert_refused(ended, r"its questions are about rows .* verbalizer.judge_model")
