"""A release of a kind that no package here supplies is read, archived and scored, but not renamed."""

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


def test_it_is_not_renamed(riddles: Path, here: Path, command: Command) -> None:
    ended = command("rename", "riddles", "--naming", "text", "-o", "names")
    assert_refused(ended, "the kind riddles cannot be renamed, since it is not installed")


def test_it_is_verified_archived_and_scored(riddles: Path, here: Path, command: Command) -> None:
    said = command("verify", "riddles")
    assert said.status == 0, said
    assert "verified but for what is special to the kind riddles" in said.out
    assert "not written again, since the kind riddles is not installed" in said.out
    assert command("archive", "riddles").status == 0
    assert Release.open(here / "riddles.tar").questions() == Release.open(riddles).questions()
    assert command("answer", "riddles", "--with", "lookup", "-o", "lookup.jsonl").status == 0
    assert "Hits@Any" in command("evaluate", "riddles", "lookup.jsonl").out
