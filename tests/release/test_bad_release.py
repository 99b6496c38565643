"""Releases and predictions that do not fit: one paragraph, status 2, nothing written."""

import gzip
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import FACTS, RULES, Command, assert_refused, run_here, tree


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release, not to be changed."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "kg.tsv").write_text(FACTS)
    (folder / "rules.txt").write_text(RULES)
    done = run_here(folder, ["build", "kg.tsv", "--rules", "rules.txt", "-o", "release"])
    assert done.status == 0, done.err
    return folder / "release"


@pytest.fixture
def release(built: Path, here: Path) -> Path:
    """A release of one's own, with predictions for it."""
    shutil.copytree(built, here / "release")
    ids = [json.loads(line)["id"] for line in (built / "questions/test.jsonl").open()]
    (here / "good.jsonl").write_text("".join(f'{{"id": "{i}", "answers": []}}\n' for i in ids))
    return here / "release"


READERS = {
    "verify": ["verify", "release"],
    "show": ["show", "release", "q00001"],
    "rename": ["rename", "release", "--naming", "text", "-o", "other"],
    "answer": ["answer", "release", "--with", "reasoner", "-o", "p.jsonl"],
    "evaluate": ["evaluate", "release", "good.jsonl", "-o", "report.txt"],
    "baselines": ["evaluate", "--baselines", "release", "-o", "table.txt"],
}


@pytest.mark.parametrize("reader", READERS)
def test_a_folder_that_is_no_release(
    release: Path, here: Path, command: Command, reader: str
) -> None:
    (release / "manifest.json").unlink()
    before = tree(here)
    assert_refused(command(*READERS[reader]), r"release/manifest\.json: no such file")
    shutil.rmtree(release)
    assert_refused(command(*READERS[reader]), "release.*: no such (file|folder)")
    assert not set(tree(here)) - set(before)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["manifest.json", "kg/complete.tsv.gz", "questions/test.jsonl"])
@pytest.mark.parametrize("kind", ["zero", "pipe"])
def test_a_release_with_a_file_without_end(
    release: Path, here: Path, command: Command, reader: str, name: str, kind: str
) -> None:
    (release / name).unlink()
    if kind == "pipe":
        os.mkfifo(release / name)
    else:
        (release / name).symlink_to("/dev/zero")
    ended = command(*READERS[reader])
    unread = name.startswith("kg/") and reader in ("answer", "evaluate", "show")
    named = reader == "verify" and name != "manifest.json"
    assert ended.status == (0 if unread else 1 if named else 2), ended
    assert unread or re.search(
        rf"{name}.*(no such file|regular file|NUL byte)", ended.out + ended.err
    )


@pytest.mark.parametrize("reader", READERS)
def test_a_release_of_a_newer_format(
    release: Path, here: Path, command: Command, reader: str
) -> None:
    path = release / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "format_version": 99}))
    before = tree(here)
    assert_refused(command(*READERS[reader]), "format version is 99; .*pip install -U rulemine")
    assert tree(here) == before


@pytest.mark.parametrize(
    ("change", "expected"),
    [
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
    ],
)
@pytest.mark.parametrize("reader", [*READERS, "export", "study"])
def test_an_impossible_manifest(
    release: Path, command: Command, reader: str, change: dict[str, object], expected: str
) -> None:
    path = release / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    more = {"export": ["--to", "rdf", "-o", "x"], "study": ["--with", "lookup", "-o", "x"]}
    ended = command(*READERS.get(reader, [reader, "release", *more.get(reader, ())]))
    if reader == "verify" and "questions of the kind" in expected:
        assert ended.status == 1, ended
    else:
        assert_refused(ended, expected)


def test_a_manifest_without_options_is_shown_all_the_same(release: Path, command: Command) -> None:
    path = release / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "config": {}}))
    assert command("show", "release", "q00001").status == 0


NOT_READ = {
    "evaluate": ("kg/incomplete.tsv.gz", "rules.jsonl"),
    "show": ("kg/complete.tsv.gz", "kg/incomplete.tsv.gz"),
}


@pytest.mark.parametrize(
    ("reader", "name"),
    [
        (reader, name)
        for reader in READERS
        for name in ("questions/test.jsonl", "kg/incomplete.tsv.gz", "rules.jsonl")
        if name not in NOT_READ.get(reader, ())
    ],
)
@pytest.mark.parametrize("how", ["missing", "edited", "cut"])
def test_a_release_with_a_missing_or_edited_file(
    release: Path, here: Path, command: Command, reader: str, name: str, how: str
) -> None:
    path = release / name
    content = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(gzip.decompress(content).replace(b"\t", b"\tx", 1)))
    else:
        path.write_bytes(content.replace(b"q0", b"q1", 1) if b"q0" in content else content[:-1])
    before = tree(here)
    ended = command(*READERS[reader])
    assert tree(here) == before
    if reader == "verify":
        assert ended.status == 1
        assert name in ended.out
    else:
        assert_refused(ended, re.escape(f"release/{name}"))


def test_a_release_that_names_what_it_does_not_list(release: Path, command: Command) -> None:
    path, manifest = release / "removed.jsonl", release / "manifest.json"
    content = re.sub(r'"e[0-9]+"', '"nobody"', path.read_text(), count=1)
    path.write_text(content)
    row = json.loads(manifest.read_text())
    digest = hashlib.sha256(content.encode()).hexdigest()
    row["files"]["removed.jsonl"] = {"bytes": len(content.encode()), "sha256": digest}
    manifest.write_text(json.dumps(row))
    assert_refused(command(*READERS["rename"]), "the name 'nobody' is used but is in neither")
    assert not Path("other").exists()
    assert command("verify", release).status == 1


GOOD = '{"id": "q00001", "answers": []}'


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda lines: [], r"p\.jsonl: is empty"),
        (lambda lines: [*lines, lines[0]], r"line \d+: id 'q\d+' again, first at line 1"),
        (
            lambda lines: [*lines, GOOD.replace("q00001", "q99999")],
            r"line \d+: unknown id 'q99999'; known",
        ),
        (lambda lines: ['{"id": "q'], r"p\.jsonl: line 1: is not valid JSON"),
        (lambda lines: [lines[0], "[]"], "line 2"),
        (lambda lines: [lines[0], GOOD.replace("[]", "[5]")], r"'answers\[0\]': expected `str`"),
        (lambda lines: [GOOD.replace("[]", '"x"')], "'answers': expected `array"),
        (lambda lines: [GOOD.replace('"q00001"', "1")], "'id' is 1"),
        (lambda lines: ['{"raw_output": "x"}'], "has no 'id'"),
        (lambda lines: ['{"id": "q00001", "output": "x"}'], "it has the key.* 'output'"),
        (lambda lines: ['{"id": "q00001", "raw_output": "x", "answers": []}'], "has both"),
        (lambda lines: ['{"id": "q00001", "raw_output": "\\ud800"}'], "line 1: is not valid JSON"),
        (lambda lines: ['[{"id": "q00001"'], "is not valid JSON"),
    ],
    ids=range(13),
)
@pytest.mark.usefixtures("release")
def test_bad_predictions(
    here: Path, command: Command, change: Callable[[list[str]], list[str]], expected: str
) -> None:
    lines = change((here / "good.jsonl").read_text().splitlines())
    (here / "p.jsonl").write_text("".join(f"{line}\n" for line in lines))
    before = tree(here)
    assert_refused(command("evaluate", "release", "p.jsonl", "-o", "report.txt"), expected)
    assert tree(here) == before


@pytest.mark.usefixtures("release")
def test_predictions_that_are_no_text(here: Path, command: Command) -> None:
    for content, expected in (
        ("{}".encode("utf-16"), "UTF-16 byte order mark"),
        (b'{"id": "\xff"}', "line 1 is not UTF-8"),
        (b"\0", "NUL byte"),
    ):
        (here / "p.jsonl").write_bytes(content)
        assert_refused(command("evaluate", "release", "p.jsonl"), expected)
    assert_refused(command("evaluate", "release", "none.jsonl"), "no such file")
    assert_refused(
        command("evaluate", "release", "release"),
        "release: is a release, and predictions were expected",
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["show", "release"], "name a question, or give --sample"),
        (["show", "release", "q99999"], "no question 'q99999'"),
        (["show", "release", "--sample", "-1"], "--sample is -1"),
        (["rename", "release", "--naming", "x", "-o", "o"], "naming 'x'; known: entity, numeric"),
        (["rename", "release", "--naming", "text", "-o", "kg.tsv"], r"kg\.tsv: is a file"),
        (["answer", "release", "--with", "lookupp", "-o", "p"], "did you mean 'lookup'"),
        (["answer", "release", "--with", "lookup", "--kg", "half", "-o", "p"], r"half"),
        (["answer", "release", "--with", "lookup", "--split", "dev", "-o", "p"], "no split 'dev'"),
        (["answer", "release", "--with", "neighbors:hops=0", "-o", "p"], "hops is 0"),
        (["answer", "release", "--with", "lookup", "-o", "."], "is a folder"),
        (["evaluate", "release", "good.jsonl", "--matching", "x"], "matching: 'x'"),
        (["evaluate", "release", "good.jsonl", "--naming", "x"], "no naming 'x'"),
        (["evaluate", "release", "good.jsonl", "--split", "x"], "no split 'x'"),
        (["evaluate", "release", "good.jsonl", "--seed", "-1"], "seed is -1"),
        (["compare", "release", "good.jsonl", "none"], "none: no such file"),
        (["evaluate", "release", "good.jsonl", "-o", "."], "is a folder"),
        (["evaluate", "--baselines", "release", "--split", "x"], "no split 'x'"),
        (["data", "get"], "name a data set; known: codex-l"),
        (["data", "path", "famly"], "did you mean 'family'"),
        ([], "usage: rulemine"),
        (["bild"], "command: 'bild' is unknown; did you mean 'build'"),
    ],
    ids=lambda v: " ".join(v)[:40],
)
@pytest.mark.usefixtures("release")
def test_bad_words_to_other_commands(
    here: Path, command: Command, words: list[str], expected: str
) -> None:
    before = tree(here)
    assert_refused(command(*words), expected)
    assert tree(here) == before


@pytest.mark.parametrize("name", ["../good.jsonl", "/etc/hostname", "kg/../../good.jsonl"])
def test_a_manifest_lists_no_file_outside_its_folder(
    release: Path, command: Command, name: str
) -> None:
    manifest = json.loads((release / "manifest.json").read_text())
    manifest["files"][name] = {"bytes": 0, "sha256": hashlib.sha256(b"").hexdigest()}
    (release / "manifest.json").write_text(json.dumps(manifest))
    for reader in ("evaluate", "verify"):
        assert_refused(command(*READERS[reader]), r"manifest\.json: files is")
