"""Strict in; atomic and deterministic out."""

import gzip
import json
import os
import stat
from pathlib import Path

import pytest

from rulemine import files
from rulemine.errors import InputError, OutputError
from tests import each


@each("name", ["a.txt", "a.txt.gz"])
def test_what_is_written_is_read_and_nothing_else_is_left(tmp_path, name):
    path = tmp_path / "new" / "folder" / name
    files.write_text(path, "Zoë\n\u2028x\n")
    assert files.read_text(path) == "Zoë\n\u2028x\n"
    assert [p.name for p in path.parent.iterdir()] == [name]


def test_compressed_bytes_hold_no_time_and_no_name(tmp_path):
    files.write_text(tmp_path / "one.gz", "same")
    files.write_text(tmp_path / "other.gz", "same")
    raw = (tmp_path / "one.gz").read_bytes()
    assert raw == (tmp_path / "other.gz").read_bytes()
    assert raw[3] == 0, "no flags: no name, no comment"
    assert raw[4:8] == bytes(4), "no time"
    assert gzip.decompress(raw) == b"same"
    files.write_stream(tmp_path / "large.gz", [b"same"] * 9)
    assert gzip.decompress((tmp_path / "large.gz").read_bytes()) == b"same" * 9


@each(
    ("problem", "told"),
    [
        (
            OSError(28, "No space left on device"),
            r"a\.txt: cannot be written \(No space left on device\)",
        ),
        (KeyboardInterrupt(), None),
    ],
)
def test_a_failed_or_interrupted_write_leaves_the_old_file_and_no_other(
    tmp_path, monkeypatch, problem, told
):
    path = tmp_path / "a.txt"
    files.write_text(path, "old")

    def full(_: int) -> None:
        raise problem

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises((OutputError, KeyboardInterrupt), match=told):
        files.write_text(path, "new")
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a.txt": "old"}


def test_files_have_the_rights_of_ordinary_files_and_none_is_below_a_file(tmp_path):
    mask = os.umask(0o022)
    os.umask(mask)
    files.write_text(tmp_path / "a", "x")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~mask
    with pytest.raises(OutputError, match="cannot be written"):
        files.write_text(tmp_path / "a" / "below", "y")


@each(
    ("name", "content", "expected"),
    [
        ("a.tsv", "é\n".encode("utf-16"), "UTF-16 byte order mark"),
        ("a.tsv", "\ufeffé\n".encode("utf-16-be"), "UTF-16 byte order mark"),
        ("a.tsv", "é\n".encode("utf-32"), "UTF-32 byte order mark"),
        ("a.tsv", "a\nb\n".encode("utf-16-le"), "line 1 holds a NUL byte"),
        ("a.tsv", b"one\n\x7fELF\0\0", "line 2 holds a NUL byte"),
        ("a.tsv", b"one\ntwo\ncaf\xe9\n", r"line 3 is not UTF-8 \(byte 0xe9\)"),
        ("a.tsv", gzip.compress(b"a", mtime=0), "not UTF-8|NUL byte"),
        ("a.gz", b"plain text", "not a complete gz file"),
        ("a.gz", gzip.compress(b"a" * 9999, mtime=0)[:-9], "not a complete gz file"),
        ("a.gz", gzip.compress(b"ab" * 99, mtime=0)[:12] + b"\xff" * 99, "not a complete gz file"),
        ("a.zst", b"plain text", "not a complete zst file|needs the package zstandard"),
    ],
)
def test_what_is_not_text_is_refused_by_name(tmp_path, name, content, expected):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=expected) as caught:
        files.read_text(path)
    assert str(path) in str(caught.value) or "zstandard" in str(caught.value)


def test_missing_files_and_folders_are_refused(tmp_path):
    for name, told in (
        ("none", "no such file"),
        ("", "is a folder"),
        ("n" * 300, "cannot be read"),
    ):
        with pytest.raises(InputError, match=told):
            files.read_text(tmp_path / name)


def test_zstd_is_read_where_the_package_is_there(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    (tmp_path / "a.zst").write_bytes(zstandard.ZstdCompressor().compress(b"text\n"))
    assert files.read_lines(tmp_path / "a.zst") == ["text"]


def test_lines_end_with_lf_or_crlf_only(tmp_path):
    path = tmp_path / "a"
    path.write_bytes("\ufeffa\u2028b\x0bc\r\nd\n  \n\n".encode())
    assert files.read_lines(path) == ["a\u2028b\x0bc", "d"]
    for content in ("", "\n\n", "\ufeff", " \n"):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match="is empty"):
            files.read_lines(path)


def test_json_lines_are_read_with_their_numbers(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [{"id": "q1", "text": "a\nb ∧ é"}, {"id": "q2"}]
    files.write_jsonl(path, rows)
    assert path.read_text("utf-8") == '{"id":"q1","text":"a\\nb ∧ é"}\n{"id":"q2"}\n'
    assert list(files.read_jsonl(path)) == [(1, rows[0]), (2, rows[1])]
    path.write_text('\n{"a": 1}\n\n{"a": 2}')
    assert [n for n, _ in files.read_jsonl(path)] == [2, 4]


@each(
    "line",
    [
        '{"a": 1',
        "{'a': 1}",
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": ' + "[" * 100_000,
        '{"a": ' + "9" * 5000 + "}",
        '{"a": "\\ud800"}',
        '{"\\uDFFF": 1}',
        "[1, 2]",
        '"text"',
        "null",
    ],
)
def test_a_line_that_is_no_json_object_is_named(tmp_path, line):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n' + line + "\n")
    with pytest.raises(InputError, match="line 2"):
        list(files.read_jsonl(path))


def test_lines_are_strict_json():
    with pytest.raises(ValueError, match="not JSON compliant"):
        files.dump_line({"a": float("nan")})
    assert json.loads(files.dump_line({"b": 1, "a": [None, 0.1]})) == {"b": 1, "a": [None, 0.1]}
    assert files.parse_object('{"a": "\\ud83d\\ude00"}', "here") == {"a": "😀"}


def test_a_device_or_pipe_is_written_to_and_not_replaced(tmp_path):
    # Renaming over /dev/null, which `-o /dev/null` once did, breaks the whole machine.
    before = Path(os.devnull).stat()
    files.write_text(Path(os.devnull), "x")
    after = Path(os.devnull).stat()
    assert (after.st_ino, stat.S_ISCHR(after.st_mode)) == (before.st_ino, True)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    files.write_text(pipe, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    files.write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"
