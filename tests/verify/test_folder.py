"""Files are read in pieces, twice: for their digests, and for what they say."""

import gzip
import json
from pathlib import Path

import pytest

from rulemine.verify import folder as folders
from rulemine.verify import verify
from rulemine.verify.folder import Folder
from rulemine.verify.report import Findings
from tests.verify.tiny import seal, write_release

LINES = "removed.jsonl"


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_the_size_of_pieces_makes_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    release = write_release(tmp_path)
    at_once = verify(release)
    lines = (release / LINES).read_bytes().splitlines(keepends=True)
    spoilt = [*lines, b"\xff\n", *lines, b"{}\r\n", *lines, b"sk-abcdefghij1234567890"]
    monkeypatch.setattr(folders, "_CHUNK", size)
    assert verify(release) == at_once
    (release / LINES).write_bytes(b"".join(spoilt))
    seal(release)
    in_pieces = verify(release)
    monkeypatch.undo()
    assert verify(release) == in_pieces
    found = {(p.line, p.invariant) for p in in_pieces.problems if p.file == LINES}
    end = len(spoilt)
    assert {(5, "encoding"), (10, "whole lines"), (end, "whole lines"), (end, "secret")} <= found


@pytest.mark.parametrize("name", [LINES, "kg/complete.tsv.gz"])
def test_a_file_that_changes_while_it_is_verified_is_named(tmp_path: Path, name: str) -> None:
    release, findings = write_release(tmp_path), Findings()
    folder = Folder(release, findings)
    folder.check()
    assert folder.has(name)
    path = release / name
    content = path.read_bytes()
    path.write_bytes(gzip.compress(b"a\tb\tc\n") if name.endswith(".gz") else content + b"{}\n")
    list(folder.lines(name))
    path.unlink()
    assert list(folder.lines(name)) == []
    found = [(p.file, p.invariant) for p in findings.report(release).problems]
    assert found == [(name, "missing"), (name, "readable")]


def test_a_long_line_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = write_release(tmp_path)
    (release / "notes.txt").write_text("x" * 100_000 + "\nend\n")
    seal(release)
    monkeypatch.setattr(folders, "_CHUNK", 1 << 10)
    folder = Folder(release, Findings())
    folder.check()
    assert [(n, len(line)) for n, line in folder.lines("notes.txt")] == [(1, 100_000), (2, 3)]
    assert (
        json.loads((release / "manifest.json").read_text())["files"]["notes.txt"]["bytes"]
        == 100_005
    )


def test_a_file_far_larger_than_listed_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = write_release(tmp_path)
    monkeypatch.setattr(folders, "_CHUNK", 1 << 12)
    (release / "kg/complete.tsv.gz").write_bytes(gzip.compress(b"a\tb\tc\n" * 10_000))
    report = verify(release)
    (problem,) = (p for p in report.problems if p.file == "kg/complete.tsv.gz")
    assert (problem.invariant, problem.found) == ("size", "more than 8190 bytes, not read")
    assert any("needs" in what for what in report.skipped)
