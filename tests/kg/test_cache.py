"""The cache of large graphs: never stale, never half, never in the way."""

import errno
import gzip
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rulemine import files
from rulemine.datasets.registry import load_kg
from rulemine.kg import cache as kg_cache
from rulemine.kg.cache import read_cached
from rulemine.kg.graph import KnowledgeGraph
from tests.command_line import FACTS

Read = Callable[[Path], tuple[KnowledgeGraph, list[str]]]
TEXT = ("Zoë\tr \te\u2028f\nb\ts\tb\nb\ts\tb\n" + FACTS).encode()
RDF = b"<http://a/x> <http://schema.org/knows> <http://a/y> .\n<http://a/x> <http://b/r> 3 .\n"


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads a file through the cache, whatever its size; also gives the notes."""

    def call(path: Path) -> tuple[KnowledgeGraph, list[str]]:
        notes: list[str] = []
        return read_cached(path, tmp_path / "cache", note=notes.append, least=0), notes

    return call


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "kg.tsv"
    path.write_text("a\tr\tb\nb\tr\ta\n")
    return path


def assert_same(one: KnowledgeGraph, other: KnowledgeGraph) -> None:
    named = (
        "entities",
        "relations",
        "duplicates",
        "trimmed",
        "left_out",
        "digest",
        "relation_iris",
    )
    assert [getattr(one, name) for name in named] == [getattr(other, name) for name in named]
    for a, b in ((one.triples, other.triples), (one.source_order, other.source_order)):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)
    assert not one.triples.flags.writeable


def test_the_second_time_the_file_is_not_taken_apart(
    tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = {"a.tsv": TEXT, "a.tsv.gz": gzip.compress(TEXT), "a.ttl": RDF}
    paths = [tmp_path / name for name in contents]
    for path in paths:
        path.write_bytes(contents[path.name])
    first = list(map(read, paths))
    monkeypatch.setattr(KnowledgeGraph, "read", None)
    for (kg, _), path in zip(first, paths, strict=True):
        again, notes = read(path)
        assert_same(again, kg)
        assert notes == []


def test_a_changed_file_and_another_format_are_read_anew(small: Path, read: Read) -> None:
    before = small.stat()
    read(small)
    small.write_text(small.read_text().replace("b", "c"))
    os.utime(small, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert read(small)[0].entities == ("a", "c")
    for suffix, relation in ((".nt", "knows"), (".tsv", "<http://a/knows>")):
        path = small.with_name(f"one{suffix}")
        path.write_text("<http://a/x>\t<http://a/knows>\t<http://a/y> .\n")
        assert read(path)[0].relations == (relation,)


def test_a_damaged_entry_is_told_and_made_again(tmp_path: Path, small: Path, read: Read) -> None:
    kg, _ = read(small)
    entry = next((tmp_path / "cache").iterdir())
    whole = entry.read_bytes()
    cut = [whole[:at] for at in range(0, len(whole), 97)] + [b"[]\n", b""]
    flipped = [
        whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(0, len(whole), 7)
    ]
    for number, damaged in enumerate(cut + flipped):
        entry.write_bytes(damaged)
        again, notes = read(small)
        assert_same(again, kg)  # where a flipped bit says nothing of the graph, the entry is used
        assert notes or number >= len(cut)
        assert all("is damaged" in note and str(entry) in note for note in notes)
        assert not notes or entry.read_bytes() == whole


def test_an_entry_that_cannot_be_written_is_a_note(
    tmp_path: Path, small: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(files.os, "fsync", full)
        kg, (note,) = read(small)
    assert len(kg) == 2
    assert "could not be cached" in note
    assert "No space left on device" in note
    assert list((tmp_path / "cache").iterdir()) == []
    (tmp_path / "cache").rmdir()
    (tmp_path / "cache").write_text("a file")
    kg, notes = read(small)
    assert (len(kg), len(notes)) == (2, 1)


def test_large_files_go_through_it_unless_it_is_turned_off(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder, notes = tmp_path / "rulemine" / "graphs", list[str]()
    load_kg(str(small))
    assert not folder.exists()
    monkeypatch.setattr(kg_cache, "LEAST_BYTES", 1)
    with monkeypatch.context() as patched:
        patched.setenv(kg_cache.VARIABLE, "off")
        load_kg(str(small))
    assert not folder.exists()
    for _ in range(2):
        load_kg(str(small), note=notes.append)
        (entry,) = folder.iterdir()
        entry.write_bytes(entry.read_bytes()[:-1])
    assert [note.partition(" The graph")[0] for note in notes] == [f"{entry}: is damaged."]
