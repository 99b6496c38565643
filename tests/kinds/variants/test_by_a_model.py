"""The kind ``variants`` by a model, over HTTP: built, verified, replayed to the same bytes; wrong input."""

import json
import shutil
from pathlib import Path

import pytest

from tests.chat_server import KEY, ChatServer, questions
from tests.command_line import Command, assert_refused, run_here, tree
from tests.golden import differences

FEW = [
    "--set", "variants.questions=6", "--set", "variants.pairs=1", "--set", "mining.max_atoms=2",
    "--set", 'variants.judges=["judge"]', "--set", "questions.split=none",
]  # fmt: skip
MODEL = ["--model", "writer"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("variants")
    with ChatServer() as server:
        words = [
            "build",
            "variants-demo",
            "-o",
            "out",
            *FEW,
            *MODEL,
            "--set",
            f"endpoint.base_url={server.url}",
        ]
        dry = run_here(folder, [*words, "--dry-run"], OPENAI_API_KEY=KEY)
        assert dry.status == 0, dry.err
        assert not server.bodies
        assert "calls             44, at most 2,478 (8 for pairs, 36 for judges)" in dry.out
        assert "Write pairs of a question in English and its answer" in dry.out
        ended = run_here(folder, words, OPENAI_API_KEY=KEY)
        assert ended.status == 0, ended.err
    return folder / "out"


def test_a_release_by_a_model_verifies_and_has_every_call(made: Path, command: Command) -> None:
    ended = command("verify", made)
    assert ended.status == 0, ended.out
    rows = questions(made)
    assert len(rows) == 6
    lines = [json.loads(line) for line in (made / "llm/journal.jsonl").read_text().splitlines()]
    of = {row["id"]: [line for line in lines if row["id"] in line["questions"]] for row in rows}
    for row in rows:
        assert row["wording"] == "model"
        assert [one["model"] for one in row["block"]["judgements"]] == ["judge"] * 3
        asked = sorted(line["purpose"] for line in of[row["id"]])
        assert asked == ["judge_support"] * 3 + ["judge_wording"] * 3 + ["pairs"]
    counts = json.loads((made / "manifest.json").read_text())["counts"]
    assert len(lines) == sum(counts["model_calls"].values())
    assert any(not line["questions"] for line in lines), "calls for pairs that were refused"


def test_a_replay_gives_the_same_bytes(made: Path, command: Command) -> None:
    shutil.copytree(made.with_name("out.stages"), made.with_name("again.stages"))
    for stage in ("ask", "split", "release"):
        shutil.rmtree(made.with_name("again.stages") / stage, ignore_errors=True)
    again = made.with_name("again")
    ended = command("build", "variants-demo", "-o", again, *FEW, *MODEL, "--replay", made)
    assert ended.status == 0, ended.err
    assert tree(again) == tree(made)
    assert differences("variants-demo-by-model", made) == []


def test_wrong_options_are_refused_before_anything_is_mined(here: Path, command: Command) -> None:
    (here / "t.txt").write_text("Nothing that is known.\n")
    for key, said, more in (
        ('variants.judges=["a", "b"]', "one model, or three", MODEL),
        ("variants.pairs=0", "expected a whole number ≥ 1", MODEL),
        ("verbalizer.prompt=no.toml", "no.toml", MODEL),
        ('variants.judges=["a"]', "variants.judges", []),
        ("variants.texts=t.txt", "t.txt has 1 text, none of which names an entity", []),
    ):
        words = ["build", "variants-demo", "-o", "out", *more, "--set", key]
        assert_refused(command(*words), said)
        assert [path.name for path in here.glob("out*")] == []
