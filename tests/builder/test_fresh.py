"""Fresh variants of a small release: whole releases on the same graphs, from nothing but the release."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.builder.rebuild import prepare_run
from rulemine.files import write_jsonl
from rulemine.kinds.written.scripted import ScriptedWriter
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.recipe.loading import load_recipe
from rulemine.release.contents import read_parts
from rulemine.release.differences import compare
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests.chat_server import KEY, ChatServer
from tests.command_line import Command
from tests.releases import built
from tests.verify.tiny import seal

SAME = (
    "kg/complete.tsv.gz", "kg/incomplete.tsv.gz", "removed.jsonl", "rules.jsonl", "entities.tsv",
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with rules, and the release of a few seed sets drawn from the demo."""
    folder = tmp_path_factory.mktemp("made")
    shutil.copy(built("demo-rules") / "rules.jsonl", folder)
    settings = {
        "rules": str(folder / "rules.jsonl"), "variants.texts": "", "selection.share": 0.3,
        "variants.questions": 24, "questions.ratios": (1, 1, 2),
    }  # fmt: skip
    given = [(tuple(key.split(".")), value) for key, value in settings.items()]
    Build(load_recipe("variants-demo", given), folder / "published").run()
    return folder


@pytest.fixture(scope="module")
def target(made: Path) -> Path:
    beside = made / "published"
    for number in (1, 2):
        place, files = made / f"out/run-{number}", {"rules": str(made / "rules.jsonl")}
        release = Release.open(made / "published")
        prepare_run(release, number, place, files, [], BuildContext(), beside).run()
        beside = place
    return made / "out"


def test_runs_are_whole_releases_on_the_same_graphs(made: Path, target: Path) -> None:
    published = Release.open(made / "published")
    asked = [row for row in published.seed_rows() if row.split == "test"]
    for number in (1, 2):
        run = Release.open(target / f"run-{number}")
        for name in SAME:
            assert run.manifest["files"][name] == published.manifest["files"][name]
        assert list(run.seed_rows()) == asked
        assert {q.split for q in run.questions()} == {"test"}
        assert {q.block.seed_text for q in run.questions()} <= {row.id for row in asked}
        assert run.manifest["config"]["variants"]["run"] == number
        assert verify(run.path).ok
    texts = [[q.question for q in Release.open(target / f"run-{n}").questions()] for n in (1, 2)]
    assert texts[0] != texts[1]


def test_the_table_is_written_and_the_same_command_makes_nothing_again(made, target, command):
    before = (target / "run-1/manifest.json").stat().st_mtime_ns
    words = ("--set", f"rules={made / 'rules.jsonl'}")
    ended = command("build", made / "published", "--runs", 2, "-o", target, *words)
    assert (ended.status, ended.err.count("reused")) == (0, 2)
    assert (target / "run-1/manifest.json").stat().st_mtime_ns == before
    content = json.loads((target / "variants.json").read_text())
    assert [row["run"] for row in content["runs"]] == [0, 1, 2]
    assert [(row["first"], row["second"]) for row in content["pairs"]] == [
        ("published", "run-1"), ("published", "run-2"), ("run-1", "run-2"),
    ]  # fmt: skip
    assert (target / "variants.md").read_text().startswith("Variants of variants-demo")


def test_a_model_writes_a_run_and_its_journal_makes_it_again(made, command, tmp_path, monkeypatch):
    """A model that says what the scripted writer would, in other words."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    release = Release.open(made / "published")
    names = WriterNames(release.kg("complete"), (), ())  # pairs have those that are shown
    script = ScriptedWriter(read_parts(release).templates, names)

    def says(request: dict[str, Any], _times: int) -> str:
        lines = request["messages"][-1]["content"].split("\n")
        shown = [tuple(json.loads(line)) for line in lines if line.startswith('["')]
        reply = json.loads(script.pairs(shown, 5))
        for pair in reply["qa_pairs"]:
            pair["question"] = f"Tell me: {pair['question']}"
        return json.dumps(reply)

    words = ("build", made / "published", "--runs", 1, "--set", f"rules={made / 'rules.jsonl'}")
    with ChatServer(says) as server:
        model = ("--model", "m", "--set", f"endpoint.base_url={server.url}")
        ended = command(*words, "-o", tmp_path / "a", *model)
    assert ended.status == 0, ended.err
    assert all("Names: labels" in body["messages"][-1]["content"] for body in server.bodies)
    assert {body["temperature"] for body in server.bodies} == {0.8}
    assert all(q.wording == "model" for q in Release.open(tmp_path / "a/run-1").questions())
    ended = command(*words, "-o", tmp_path / "b", "--replay", tmp_path / "a")
    assert ended.status == 0, ended.err
    assert "Texts of published are templates" in (tmp_path / "b/variants.md").read_text()
    assert not list(compare(Release.open(tmp_path / "a/run-1"), tmp_path / "b/run-1"))


def test_a_run_is_built_again_from_itself_in_any_naming(target, made, command, tmp_path):
    """Without finished stages, which the runs shared."""
    rename(Release.open(target / "run-2"), tmp_path / "p", "private")
    ended = command("verify", tmp_path / "p", "--rebuild", "--set", f"rules={made / 'rules.jsonl'}")
    assert "every byte is what its recipe makes" in ended.out, ended.out


def test_what_cannot_be_run(made: Path, target: Path, command: Command, tmp_path: Path) -> None:
    def refused(told: str, *words: object) -> None:
        ended = command("build", *words, "--runs", 1)
        assert (ended.status, told in ended.err) == (2, True), ended.err
        assert not (tmp_path / "o").exists()

    published, output = made / "published", ("-o", tmp_path / "o")
    refused("rules names rules.jsonl: give the file", published, *output)
    refused("itself a fresh variant (run 1)", target / "run-1", *output)
    refused("would make another release", published, *output, "--set", "seed=3")
    refused("Give --model NAME too", published, *output, "--set", "verbalizer.paraphrases=1")
    refused("runs are written at 0.8", published, *output, "--set", "verbalizer.temperature=0.5")
    refused("so there is nothing to replay", published, *output, "--replay", target)
    refused('labels=l.tsv: the recipe names "none"', published, *output, "--set", "labels=l.tsv")
    without = tmp_path / "without"
    shutil.copytree(published, without)
    rows = [json.loads(line) for line in (without / "seed_texts.jsonl").read_text().splitlines()]
    write_jsonl(without / "seed_texts.jsonl", [row | {"split": "train"} for row in rows])
    seal(without)
    refused("no seed text has a question in its test split", without, *output)
