"""Releases and predictions that do not fit: one paragraph, status 2, nothing written."""

import gzip
import os
import re
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from rulemine.files import digest_of
from tests import each
from tests.command_line import Command, assert_refused, tree
from tests.verify.tampering import change_manifest
from tests.verify.tiny import write_release


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Goes to a fresh folder with a release of one's own, and predictions for it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "no-cache"))
    monkeypatch.delenv("RULEMINE_DATA", raising=False)

    def go() -> Path:
        folder = tmp_path / f"here{len(list(tmp_path.iterdir()))}"
        release = write_release(folder / "release")
        (folder / "good.jsonl").write_text('{"id": "q1", "answers": []}\n')
        monkeypatch.chdir(folder)
        return release

    return go


READERS = {
    "verify": ["verify", "release"],
    "show": ["show", "release", "q1"],
    "rename": ["rename", "release", "--naming", "text", "-o", "other"],
    "answer": ["answer", "release", "--with", "reasoner", "-o", "p.jsonl"],
    "evaluate": ["evaluate", "release", "good.jsonl", "-o", "report.txt"],
    "baselines": ["evaluate", "--baselines", "release", "-o", "table.txt"],
}


NOT_READ = {
    "answer": ("kg/complete.tsv.gz",),
    "evaluate": ("kg/complete.tsv.gz", "kg/incomplete.tsv.gz", "rules.jsonl"),
    "show": ("kg/complete.tsv.gz", "kg/incomplete.tsv.gz"),
}


def spoil(path: Path, how: str) -> None:
    content = path.read_bytes()
    path.unlink()
    if how == "pipe":
        os.mkfifo(path)
    elif how == "endless":
        path.symlink_to("/dev/zero")
    elif how == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif how == "edited" and path.suffix == ".gz":
        path.write_bytes(gzip.compress(gzip.decompress(content).replace(b"\t", b"\tx", 1)))
    elif how == "edited":
        path.write_bytes(content.replace(b'"q', b'"p', 1) if b'"q' in content else content[:-1])


@each(
    ("name", "how"),
    [
        ("manifest.json", "missing"),
        *product(
            ["manifest.json", "kg/complete.tsv.gz", "questions/test.jsonl"], ["endless", "pipe"]
        ),
        *product(
            ["questions/test.jsonl", "kg/incomplete.tsv.gz", "rules.jsonl"],
            ["missing", "edited", "cut"],
        ),
    ],
)
def test_a_release_with_a_file_that_is_not_as_it_was(place, command, name, how):
    release = place()
    spoil(release / name, how)
    for reader, words in READERS.items():
        before = {*release.parent.iterdir()}
        ended = command(*words)
        if name in NOT_READ.get(reader, ()):
            assert ended.status == 0, (reader, ended)
            continue
        assert {*release.parent.iterdir()} == before, reader
        if reader == "verify" and name != "manifest.json":
            assert (ended.status, name in ended.out) == (1, True), ended
        else:
            assert_refused(ended, re.escape(f"release/{name}"))


def test_a_folder_that_is_not_there(place, command):
    shutil.rmtree(place())
    for words in READERS.values():
        assert_refused(command(*words), "release.*: no such (file|folder)")


@each(
    ("change", "expected"),
    [
        ({"format_version": 99}, "format version is 99; .*pip install -U rulemine"),
        ({"name": "../../x"}, 'name is "../../x", which no release has'),
        ({"name": "a\nb"}, "name is "),
        ({"config": {"kind": "nope"}}, 'config is {"kind":"nope"}, which no release has'),
        (
            {"config": {"kind": "structures", "structures": {}}},
            "config.kind is structures, but .* has questions of the kind rules",
        ),
        *(
            ({"files": {name: {"bytes": 0, "sha256": digest_of(b"")}}}, "files is")
            for name in ("../good.jsonl", "/etc/hostname", "kg/../../good.jsonl")
        ),
    ],
)
def test_an_impossible_manifest(place, command, change, expected):
    release = place()
    change_manifest(release, **change)
    before = tree(release.parent)
    more = {"export": ["--to", "rdf", "-o", "x"], "study": ["--with", "lookup", "-o", "x"]}
    for reader in (*READERS, *more):
        ended = command(*READERS.get(reader, [reader, "release", *more.get(reader, ())]))
        if reader == "verify" and "questions of the kind" in expected:
            assert ended.status == 1, ended
        else:
            assert_refused(ended, expected)
    assert tree(release.parent) == before


BAD_WORDS = """
show release | name a question, or give --sample
show release q99999 | no question 'q99999'
show release --sample -1 | --sample is -1
rename release --naming x -o o | naming 'x'; known: entity, numeric
rename release --naming text -o good.jsonl | good\\.jsonl: is a file
answer release --with lookupp -o p | did you mean 'lookup'
answer release --with lookup --kg half -o p | half
answer release --with lookup --split dev -o p | no split 'dev'
answer release --with neighbors:hops=0 -o p | hops is 0
answer release --with lookup -o . | is a folder
evaluate release good.jsonl --matching x | matching: 'x'
evaluate release good.jsonl --naming x | no naming 'x'
evaluate release good.jsonl --split x | no split 'x'
evaluate release good.jsonl --seed -1 | seed is -1
evaluate release good.jsonl none | none: no such file
evaluate release good.jsonl -o . | is a folder
evaluate --baselines release --split x | no split 'x'
evaluate release/questions/test.jsonl good.jsonl | rulemine evaluate release good.jsonl
build release | release: is a release
data get | name a data set; known: codex-l
data get famly | did you mean 'family'
bild | command: 'bild' is unknown; did you mean 'build'
"""


def test_bad_words_to_other_commands(place: Callable[[], Path], command: Command) -> None:
    folder = place().parent
    before = tree(folder)
    for line in BAD_WORDS.strip("\n").split("\n"):
        words, expected = line.split("|")
        assert_refused(command(*words.split()), expected.strip())
        assert tree(folder) == before, line
