"""The cache of large graphs: never stale, never half, never in the way."""

import errno
import gzip
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rulemine import files
from rulemine.kg import cache as kg_cache
from rulemine.kg.cache import read_cached
from rulemine.kg.graph import KnowledgeGraph
from tests import each
from tests.command_line import FACTS, Command, tree

Read = Callable[[Path], tuple[KnowledgeGraph, list[str]]]
RDF = b"<http://a/x> <http://schema.org/knows> <http://a/y> .\n<http://a/x> <http://b/r> 3 .\n"


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads a file through the cache, whatever its size; also gives the notes."""

    def call(path: Path) -> tuple[KnowledgeGraph, list[str]]:
        notes: list[str] = []
        return read_cached(path, tmp_path / "cache", note=notes.append, least=0), notes

    return call


def assert_same(one: KnowledgeGraph, other: KnowledgeGraph) -> None:
    for name in ("entities", "relations", "duplicates", "trimmed", "left_out", "digest"):
        assert getattr(one, name) == getattr(other, name)
    assert one.relation_iris == other.relation_iris
    for a, b in ((one.triples, other.triples), (one.source_order, other.source_order)):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)
    assert not one.triples.flags.writeable


TEXT = ("Zoë\tr \te\u2028f\nb\ts\tb\nb\ts\tb\n" + FACTS).encode()


@each(("name", "raw"), [("a.tsv", TEXT), ("a.tsv.gz", gzip.compress(TEXT)), ("a.ttl", RDF)])
def test_the_second_time_the_file_is_not_taken_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, raw: bytes
) -> None:
    (tmp_path / name).write_bytes(raw)
    notes: list[str] = []
    given = (tmp_path / name, tmp_path / "cache")
    first = read_cached(*given, note=notes.append, least=0)
    monkeypatch.setattr(KnowledgeGraph, "read", None)
    assert_same(read_cached(*given, note=notes.append, least=0), first)
    assert notes == []


def test_a_changed_file_and_another_format_are_read_anew(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "kg.tsv"
    path.write_text("a\tr\tb\n")
    before = path.stat()
    read(path)
    path.write_text("a\tr\tc\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert read(path)[0].labeled() == [("a", "r", "c")]
    for suffix, relation in ((".nt", "knows"), (".tsv", "<http://a/knows>")):
        path = tmp_path / f"one{suffix}"
        path.write_text("<http://a/x>\t<http://a/knows>\t<http://a/y> .\n")
        assert read(path)[0].relations == (relation,)


def test_a_damaged_entry_is_told_and_made_again(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "kg.tsv"
    path.write_text("a\tr\tb\nb\tr\ta\n")
    kg, _ = read(path)
    entry = next((tmp_path / "cache").iterdir())
    whole = entry.read_bytes()
    cut = [whole[:at] for at in range(0, len(whole), 97)] + [b"[]\n", b""]
    flipped = [
        whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(0, len(whole), 7)
    ]
    for number, damaged in enumerate(cut + flipped):
        entry.write_bytes(damaged)
        again, notes = read(path)
        assert_same(again, kg)  # where a flipped bit says nothing of the graph, the entry is used
        assert notes or number >= len(cut)
        assert all("is damaged" in note and str(entry) in note for note in notes)
        assert not notes or entry.read_bytes() == whole


def test_an_entry_that_cannot_be_written_is_a_note(
    tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "kg.tsv"
    path.write_text("a\tr\tb\n")
    with monkeypatch.context() as patched:
        patched.setattr(files.os, "fsync", full)
        kg, notes = read(path)
    assert kg.labeled() == [("a", "r", "b")]
    assert len(notes) == 1
    assert "could not be cached" in notes[0]
    assert "No space left on device" in notes[0]
    assert list((tmp_path / "cache").iterdir()) == []
    (tmp_path / "cache").rmdir()
    (tmp_path / "cache").write_text("a file")
    kg, notes = read(path)
    assert (len(kg), len(notes)) == (1, 1)


def test_it_is_for_large_files_and_can_be_turned_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kg.tsv"
    path.write_text("a\tr\tb\n")
    read_cached(path, tmp_path / "cache")
    monkeypatch.setenv(kg_cache.VARIABLE, "off")
    read_cached(path, tmp_path / "cache", least=0)
    assert not (tmp_path / "cache").exists()


def test_the_commands_use_it(here: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kg_cache, "LEAST_BYTES", 1)
    words = ("build", "kg.tsv", "--rules", "rules.txt", "-o")
    assert command(*words, "one").status == 0
    entry = next((here / "no-cache/rulemine/graphs").iterdir())
    entry.write_bytes(entry.read_bytes()[:-1])
    ended = command(*words, "two")
    assert ended.status == 0
    assert f"note: {entry}: is damaged" in ended.err
    assert tree(here / "one/questions") == tree(here / "two/questions")
