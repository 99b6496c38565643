"""Structure questions in a model's words, over HTTP: whole, the same bytes every way, and verified."""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from rulemine.cli.main import main
from rulemine.query.structures import STRUCTURES
from tests.chat_server import KEY, ChatServer, FakeModel, questions
from tests.command_line import Command, assert_refused, tree

FEW = [
    "--set", 'structures.names=["1p", "2p", "2i", "pi", "2u", "up"]',
    "--set", "structures.per_structure=12", "--set", "mining.max_atoms=2",
]  # fmt: skip
MODELS = [
    "--model", "writer", "--set", "verbalizer.judge_model=judge",
    "--set", "verbalizer.rewriter_model=rewriter",
]  # fmt: skip


def says(request: dict[str, Any], times: int) -> str:
    """Says what the fake model says, but names an answer in a third of the texts and fails a quarter."""
    prompt = request["messages"][-1]["content"]
    drawn = sha256(prompt.encode()).digest()[0]
    draft = FakeModel._line(prompt, "Draft")
    if "refined_question" in prompt and drawn % 4 == 0:
        better = ("", draft.replace("?", ", please?"), "Where is that?")[drawn % 3]
        return json.dumps({"status": "FAIL", "reason": "stiff", "refined_question": better})
    if "refined_question" not in prompt and drawn % 3 == 0:
        answer = json.loads(FakeModel._line(prompt, "Answers"))[0]
        return json.dumps({"question": draft.replace("?", f", like {answer}?")})
    return FakeModel().answer(request)


def words(url: str, output: str, *more: str) -> list[str]:
    """The command that builds them."""
    model = ["--set", f"endpoint.base_url={url}", *MODELS]
    return ["build", "structures-demo", "-o", output, *FEW, *model, *more]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counter[str]]:
    """A release, and how often which model was asked."""
    folder = tmp_path_factory.mktemp("made")
    with ChatServer(says) as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        assert main(words(running.url, str(folder / "demo"))) == 0
        assert running.again == 0
        return folder / "demo", Counter(body["model"] for body in running.bodies)


def test_every_text_of_the_model_was_judged(made: tuple[Path, Counter[str]]) -> None:
    release, asked = made
    rows = questions(release)
    by_model = [row for row in rows if row["wording"] == "model"]
    assert {row["structure"] for row in by_model} == {*STRUCTURES} - {"3p", "3i", "ip"}
    assert all(asked[model] > 10 for model in ("writer", "judge", "rewriter"))
    passed = set()
    for line in (release / "llm/journal.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if entry["purpose"] == "structure_audit" and "PASS" in entry["reply"]["text"]:
            passed |= set(entry["questions"])
    assert {row["id"] for row in by_model} <= passed
    rejected = map(json.loads, (release / "rejected.jsonl").read_text().splitlines())
    fallen = {row["question"]: row for row in rejected if row["stage"] == "verbalize"}
    asks = {row["id"]: row["query"] for row in rows}  # a split may leave others out
    assert fallen.keys() & asks.keys() == {
        row["id"] for row in rows if row["wording"] == "fallback"
    }
    assert all(row["query"] == asks.get(name, row["query"]) for name, row in fallen.items())
    assert any(row["reason"] == "answer_named" for row in fallen.values())


def test_it_verifies_in_every_naming_and_is_built_again(made, here, command):
    release, _ = made
    last = release
    for naming in ("private", "entity", "numeric", "text"):
        assert command("rename", last, "--naming", naming, "-o", naming).status == 0
        last = here / naming
        for row in questions(last):
            assert all(anchor in row["question"] for anchor in row["anchors"])
    assert tree(last) == tree(release)
    for verified in (last, here / "private"):
        assert command("verify", verified).status == 0, command("verify", verified).out
    replay = ["build", "structures-demo", "-o", "again", *FEW, "--replay", "private"]
    assert command(*replay).status == 0
    assert tree(here / "again") == tree(release)


def test_what_is_for_other_kinds_is_refused(command: Command) -> None:
    ended = command(*words("http://127.0.0.1:9/v1", "demo", "--set", "verbalizer.paraphrases=2"))
    assert_refused(ended, r"verbalizer\.\w+: for the kind rules only; .* one text")
    ended = command("build", "demo", *MODELS)
    told = r"verbalizer\.rewriter_model: for the kinds structures, subgraphs, cypher only"
    assert_refused(ended, told)
