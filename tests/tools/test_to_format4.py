"""Releases of format 3 as format 4: the bytes that a build writes, and questions of every kind."""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from rulemine.codec import dump_line, to_json
from rulemine.errors import ReleaseError
from rulemine.files import describe_content
from rulemine.release.reader import Release
from rulemine.release.records import question_from_json
from tests.command_line import Command
from tools.to_format4 import main, question_of

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "format3.jsonl").read_text("utf-8").splitlines()
]
"""A question of each kind that is converted, as builds wrote them."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["kind"])
def test_a_question_of_every_kind_is_read(row: dict[str, Any]) -> None:
    new = question_of(row)
    assert dump_line(to_json(question_from_json(new, "here"))) == dump_line(new)
    assert new.keys() - row.keys() >= {"relations", "intermediates", "removed", "block"}
    old = row[row["kind"]]
    assert new["removed"] == (old["removed"] if row["kind"] != "rules" else [old["removed"]])
    assert new["rules"] == old.get("rules", [old.get("rule")])
    assert all(old[name] == value for name, value in new["block"].items())
    assert all(row[name] == new[name] for name in row if name not in (row["kind"], "rules"))


@pytest.fixture
def release(here: Path, command: Command) -> Path:
    """What a build writes."""
    assert command("build", "demo", "--set", "selection.per_rule=1", "-o", "new").status == 0
    return here / "new"


def as_before(new: Path, old: Path) -> Path:
    """Writes a release of the kind ``rules`` as format 3 had it."""
    manifest = json.loads((new / "manifest.json").read_text("utf-8"))
    for name in manifest["files"]:
        (old / name).parent.mkdir(parents=True, exist_ok=True)
        (old / name).write_bytes((new / name).read_bytes())
    for file in (old / "questions").iterdir():
        rows = []
        for row in map(json.loads, file.read_text("utf-8").splitlines()):
            (relation,), (removed,), (rule,) = (
                row.pop(k) for k in ("relations", "removed", "rules")
            )
            own, _ = row.pop("block"), row.pop("intermediates")
            block = {"removed": removed, "relation": relation, "direction": own.pop("direction")}
            rows.append(row | {"rules": block | {"rule": rule} | own})
        file.write_text("".join(f"{dump_line(row)}\n" for row in rows), "utf-8")
    (old / "README.md").write_text("what it said before\n")
    for name in manifest["files"]:
        size, digest = describe_content(old / name)
        manifest["files"][name] = {"bytes": size, "sha256": digest}
    manifest["format_version"] = 3
    later = {key: manifest["config"].pop(key) for key in ("verbalizer", "about")}
    manifest["config"] |= {"structures": {"max_share": 0.2}, **later}
    (old / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
    return old


def test_a_whole_release_has_the_bytes_of_a_build(release: Path, here: Path) -> None:
    old = as_before(release, here / "old")
    with pytest.raises(ReleaseError, match=r"expected 4\. Convert .*tools/to_format4\.py"):
        Release.open(old)
    assert main([str(old), "converted"]) == ""
    with tarfile.open("old.tar.gz", "w:gz") as archive:
        archive.add(old, "release")
    assert main(["old.tar.gz", "unpacked"]) == ""
    written = {p.relative_to(release): p.read_bytes() for p in release.rglob("*") if p.is_file()}
    for folder in (here / "converted", here / "unpacked"):
        found = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        assert found == written


def test_what_cannot_be_converted_is_named(release: Path, here: Path) -> None:
    assert "usage" in main([])
    assert main([str(release), "other"]) == f"{release}: is of format 4; expected 3."
    assert "is there already" in main(["old", str(release)])
    manifest = {"format_version": 3, "config": {"kind": "cypher"}}
    (here / "rows").mkdir()
    (here / "rows" / "manifest.json").write_text(json.dumps(manifest))
    assert "build it again" in main(["rows", "other"])
    assert "cannot be read as a release" in main(["nowhere", "other"])
    assert not (here / "other").exists()
