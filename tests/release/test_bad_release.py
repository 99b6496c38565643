"""Releases and predictions that do not fit: one paragraph, status 2, nothing written."""

import gzip
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rulemine.files import digest_of
from tests import each
from tests.command_line import FACTS, RULES, Command, assert_refused, run_here, tree


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with predictions for it beside it, not to be changed."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "kg.tsv").write_text(FACTS)
    (folder / "rules.txt").write_text(RULES)
    done = run_here(folder, ["build", "kg.tsv", "--rules", "rules.txt", "-o", "release"])
    assert done.status == 0, done.err
    ids = [json.loads(line)["id"] for line in (folder / "release/questions/test.jsonl").open()]
    (folder / "good.jsonl").write_text("".join(f'{{"id": "{i}", "answers": []}}\n' for i in ids))
    return folder


@pytest.fixture
def place(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Goes to a fresh folder with a release of one's own, and predictions for it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "no-cache"))
    monkeypatch.delenv("RULEMINE_DATA", raising=False)

    def go() -> Path:
        folder = tmp_path / f"here{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        shutil.copytree(built / "release", folder / "release")
        shutil.copy(built / "good.jsonl", folder)
        monkeypatch.chdir(folder)
        return folder / "release"

    return go


READERS = {
    "verify": ["verify", "release"],
    "show": ["show", "release", "q00001"],
    "rename": ["rename", "release", "--naming", "text", "-o", "other"],
    "answer": ["answer", "release", "--with", "reasoner", "-o", "p.jsonl"],
    "evaluate": ["evaluate", "release", "good.jsonl", "-o", "report.txt"],
    "baselines": ["evaluate", "--baselines", "release", "-o", "table.txt"],
}


def change_manifest(release: Path, **values: object) -> None:
    path = release / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


@each("reader", READERS)
def test_a_folder_that_is_no_release(place, command, reader):
    release = place()
    (release / "manifest.json").unlink()
    before = tree(release.parent)
    assert_refused(command(*READERS[reader]), r"release/manifest\.json: no such file")
    shutil.rmtree(release)
    assert_refused(command(*READERS[reader]), "release.*: no such (file|folder)")
    assert not set(tree(release.parent)) - set(before)


@each("reader", READERS)
@each("name", ["manifest.json", "kg/complete.tsv.gz", "questions/test.jsonl"])
@each("kind", ["zero", "pipe"])
def test_a_release_with_a_file_without_end(place, command, reader, name, kind):
    release = place()
    (release / name).unlink()
    if kind == "pipe":
        os.mkfifo(release / name)
    else:
        (release / name).symlink_to("/dev/zero")
    ended = command(*READERS[reader])
    unread = name.startswith("kg/") and reader in ("answer", "evaluate", "show")
    named = reader == "verify" and name != "manifest.json"
    assert ended.status == (0 if unread else 1 if named else 2), ended
    told = rf"{name}.*(no such file|regular file|NUL byte)"
    assert unread or re.search(told, ended.out + ended.err)


@each(
    ("change", "expected"),
    [
        ({"format_version": 99}, "format version is 99; .*pip install -U rulemine"),
        ({"name": "../../x"}, 'name is "../../x", which no release has'),
        ({"name": "a\nb"}, "name is "),
        ({"config": {"kind": "nope"}}, 'config is {"kind":"nope"}, which no release has'),
        ({"config": {"kind": "variants"}}, 'config is {"kind":"variants"}, which no release has'),
        ({"config": {"kind": ["rules"]}}, "config is"),
        (
            {"config": {"kind": "structures", "structures": {}}},
            "config.kind is structures, but .* has questions of the kind rules",
        ),
        ({"levels": [0, 1]}, r"levels is \[0,1\], which no release has"),
        ({"naming": ["text"]}, "naming is"),
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


def test_a_manifest_without_options_is_shown_all_the_same(place, command):
    change_manifest(place(), config={})
    assert command("show", "release", "q00001").status == 0


NOT_READ = {
    "evaluate": ("kg/incomplete.tsv.gz", "rules.jsonl"),
    "show": ("kg/complete.tsv.gz", "kg/incomplete.tsv.gz"),
}


def spoil(path: Path, how: str) -> None:
    content = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(gzip.decompress(content).replace(b"\t", b"\tx", 1)))
    else:
        path.write_bytes(content.replace(b"q0", b"q1", 1) if b"q0" in content else content[:-1])


@each("name", ["questions/test.jsonl", "kg/incomplete.tsv.gz", "rules.jsonl"])
@each("how", ["missing", "edited", "cut"])
def test_a_release_with_a_missing_or_edited_file(place, command, name, how):
    release = place()
    spoil(release / name, how)
    before = tree(release.parent)
    for reader in (reader for reader in READERS if name not in NOT_READ.get(reader, ())):
        ended = command(*READERS[reader])
        assert tree(release.parent) == before, reader
        if reader == "verify":
            assert ended.status == 1
            assert name in ended.out
        else:
            assert_refused(ended, re.escape(f"release/{name}"))


def test_a_release_that_names_what_it_does_not_list(place, command):
    release = place()
    path = release / "removed.jsonl"
    path.write_text(re.sub(r'"e[0-9]+"', '"nobody"', path.read_text(), count=1))
    content = path.read_bytes()
    files = json.loads((release / "manifest.json").read_text())["files"]
    files["removed.jsonl"] = {"bytes": len(content), "sha256": digest_of(content)}
    change_manifest(release, files=files)
    assert_refused(command(*READERS["rename"]), "the name 'nobody' is used but is in neither")
    assert not Path("other").exists()
    assert command("verify", release).status == 1


GOOD = '{"id": "q00001", "answers": []}'


def test_bad_predictions(place: Callable[[], Path], command: Command) -> None:
    folder = place().parent
    lines = (folder / "good.jsonl").read_text().splitlines()
    bad: list[tuple[list[str], str]] = [
        ([], r"p\.jsonl: is empty"),
        ([*lines, lines[0]], r"line \d+: id 'q\d+' again, first at line 1"),
        ([*lines, GOOD.replace("q00001", "q99999")], r"line \d+: unknown id 'q99999'; known"),
        (['{"id": "q'], r"p\.jsonl: line 1: is not valid JSON"),
        ([lines[0], "[]"], "line 2"),
        ([lines[0], GOOD.replace("[]", "[5]")], r"'answers\[0\]': expected `str`"),
        ([GOOD.replace("[]", '"x"')], "'answers': expected `array"),
        ([GOOD.replace('"q00001"', "1")], "'id' is 1"),
        (['{"raw_output": "x"}'], "has no 'id'"),
        (['{"id": "q00001", "output": "x"}'], "it has the key.* 'output'"),
        (['{"id": "q00001", "raw_output": "x", "answers": []}'], "has both"),
        (['{"id": "q00001", "raw_output": "\\ud800"}'], "line 1: is not valid JSON"),
        (['[{"id": "q00001"'], "is not valid JSON"),
    ]
    for rows, expected in bad:
        (folder / "p.jsonl").write_text("".join(f"{line}\n" for line in rows))
        before = tree(folder)
        assert_refused(command("evaluate", "release", "p.jsonl", "-o", "report.txt"), expected)
        assert tree(folder) == before
    for content, expected in (
        ("{}".encode("utf-16"), "UTF-16 byte order mark"),
        (b'{"id": "\xff"}', "line 1 is not UTF-8"),
        (b"\0", "NUL byte"),
    ):
        (folder / "p.jsonl").write_bytes(content)
        assert_refused(command("evaluate", "release", "p.jsonl"), expected)
    assert_refused(command("evaluate", "release", "none.jsonl"), "no such file")
    told = "the release comes first; release is one"
    assert_refused(command("evaluate", "release", "release"), told)


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
