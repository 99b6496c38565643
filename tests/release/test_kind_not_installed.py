"""A release of a kind that no package here supplies is read, renamed, archived and scored."""

import json
import shutil
from pathlib import Path

import pytest

from rulemine.files import describe_content
from rulemine.release.reader import Release
from tests.command_line import Command, assert_refused
from tests.releases import built


@pytest.fixture
def riddles(here: Path) -> Path:
    """A release of the kind ``structures`` that says it is of another."""
    folder = shutil.copytree(built("coast-structures") / "release", here / "riddles")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    config = manifest["config"]
    config |= {"kind": "riddles", "riddles": config.pop("structures")}
    for file in (folder / "questions").iterdir():
        text = file.read_text("utf-8")
        file.write_text(text.replace('"kind":"structures"', '"kind":"riddles"'), "utf-8")
    for name in manifest["files"]:
        size, digest = describe_content(folder / name)
        manifest["files"][name] = {"bytes": size, "sha256": digest}
    (folder / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
    return folder


def test_it_is_renamed_but_for_what_only_its_questions_have(
    riddles: Path, here: Path, command: Command
) -> None:
    for naming, source, made in (("numeric", "riddles", "codes"), ("private", "codes", "back")):
        ended = command("rename", source, "--naming", naming, "-o", made)
        assert ended.status == 0, ended
        assert "the kind riddles is not installed: files of its own are left out" in ended.err
    given, codes = Release.open(riddles), Release.open(here / "codes")
    assert codes.identity == given.identity
    before = {q.id: q for q in given.questions()}
    for question in codes.questions():
        assert question.block == before[question.id].block
        assert set(question.block) == {"answer_types"}
        assert set(question.anchors).isdisjoint(before[question.id].anchors)
    for split in ("train", "validation", "test"):
        name = f"questions/{split}.jsonl"
        assert (here / "back" / name).read_bytes() == (riddles / name).read_bytes()
    assert command("rename", "riddles", "--naming", "text", "-o", "names").status == 0
    ended = command("rename", "names", "--naming", "private", "-o", "hidden")
    assert_refused(ended, "so names in what only its questions have cannot be hidden")
    card = (here / "codes" / "README.md").read_text("utf-8")
    assert "The package with the kind riddles was not installed" in card


def test_it_is_verified_archived_and_scored(riddles: Path, here: Path, command: Command) -> None:
    said = command("verify", "riddles")
    assert said.status == 0, said
    assert "verified but for what is special to the kind riddles" in said.out
    assert "not written again, since the kind riddles is not installed" in said.out
    assert command("archive", "riddles").status == 0
    assert Release.open(here / "riddles.tar").questions() == Release.open(riddles).questions()
    assert command("answer", "riddles", "--with", "lookup", "-o", "lookup.jsonl").status == 0
    assert "Hits@Any" in command("evaluate", "riddles", "lookup.jsonl").out
