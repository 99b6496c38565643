"""Data sets are found in order, checked against their digest, and fetched only when asked for."""

import gzip
import io
import json
import os
import tarfile
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from rulemine.datasets import registry as datasets
from rulemine.datasets import sources
from rulemine.datasets.registry import (
    DataSet,
    data_sets,
    find_files,
    get_files,
    load_kg,
    load_labels,
)
from rulemine.datasets.sources import SourceFile
from rulemine.errors import DatasetError, InputError
from rulemine.files import digest_of, read_bytes, write_bytes
from tests import ROOT

DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")

CONTENT = b"a\tr\tb\n"
MORE = b"b\tr\tc\na\tr\tb\n"


class Places:
    """The three places in which files are looked for, all empty, and a data set of two files."""

    def __init__(self, root: Path) -> None:
        self.named, self.here, self.cache = root / "named", root / "work" / "data", root / "cache"
        self.fetched: list[str] = []
        self.offered: dict[str, bytes] = {}
        self.sets: dict[str, DataSet] = {}

    def put(self, folder: Path, content: bytes = CONTENT, name: str = "toy/one.tsv") -> Path:
        write_bytes(folder / name, content)
        return folder / name

    def offer(self, content: bytes, *file: Any, **how: Any) -> None:
        """Makes ``toy`` a data set of one file, and offers its content for download."""
        self.sets["toy"] = DataSet(
            "a toy", "kg", "a page", "none", "nobody", (SourceFile("toy/x.tsv", *file, **how),)
        )
        self.offered[str(file[0])] = content


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    found = Places(tmp_path)
    found.here.mkdir(parents=True)
    monkeypatch.chdir(found.here.parent)
    monkeypatch.setenv("RULEMINE_DATA", str(found.named))
    monkeypatch.setenv("XDG_CACHE_HOME", str(found.cache))
    found.cache /= "rulemine"
    one = SourceFile("toy/one.tsv", "https://x.example/one.txt", 6, (digest_of(CONTENT),))
    two = SourceFile(
        "toy/two.tsv", "https://x.example/all.tar.gz", 12, ("0" * 64, digest_of(MORE)), "in/two.txt"
    )
    found.sets = {
        name: DataSet("a toy", "kg", "here", "none", "nobody", files)
        for name, files in (("toy", (one,)), ("both", (one, two)))
    }
    monkeypatch.setattr(datasets, "data_sets", lambda: found.sets)

    def fetch(url: str, _progress: object) -> bytes:
        found.fetched.append(url)
        if url not in found.offered:
            raise OSError("Network is unreachable")
        return found.offered[url]

    monkeypatch.setattr(sources, "fetch", fetch)
    return found


def archive(**members: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name.replace("__", "/") + ".txt")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def test_places_are_searched_in_order(places):
    assert find_files("toy") == (None,)
    for folder in (places.cache, places.here, places.named):
        path = places.put(folder)
        (found,) = find_files("toy")
        assert found is not None
        assert found.resolve() == path
    assert places.fetched == []
    places.put(places.named, name="toy/one.tsv.gz")
    assert load_kg("toy").labeled() == [("a", "r", "b")]


def test_a_file_of_another_version_is_named_not_used(places):
    path = places.put(places.named, b"something else")
    places.put(places.cache)
    for function in (find_files, get_files, load_kg):
        with pytest.raises(DatasetError) as caught:
            function("toy")
        assert str(path) in str(caught.value)
        assert digest_of(CONTENT) in str(caught.value)


def test_without_a_network_the_message_says_what_to_put_where(places):
    with pytest.raises(DatasetError) as caught:
        get_files("toy")
    message = str(caught.value)
    assert "https://x.example/one.txt (Network is unreachable)" in message
    assert f"Put it there, e.g. at {places.named / 'toy/one.tsv'}" in message
    assert not places.cache.exists()


def test_downloads_are_checked_kept_and_not_repeated(places):
    places.offered["https://x.example/one.txt"] = CONTENT
    places.offered["https://x.example/all.tar.gz"] = archive(other=b"x", in__two=MORE)
    paths = get_files("both")
    kept = [path.relative_to(places.cache).as_posix() for path in paths]
    assert kept == ["toy/one.tsv.gz", "toy/two.tsv.gz"]
    assert get_files("both") == paths == find_files("both")
    assert len(places.fetched) == 2
    kg = load_kg("both")
    assert (kg.labeled(), kg.duplicates) == ([("a", "r", "b"), ("b", "r", "c")], 1)


def test_a_wrong_download_is_not_kept(places):
    for offer in (b"not it", b""):
        places.offered["https://x.example/one.txt"] = offer
        with pytest.raises(DatasetError, match=f"has digest {digest_of(offer)}; expected"):
            get_files("toy")
        assert not places.cache.exists()
    places.put(places.named)
    for offer in (b"not an archive", archive(other=b"x"), archive(in__two=MORE)[:40]):
        places.offered["https://x.example/all.tar.gz"] = offer
        with pytest.raises(DatasetError, match=r"both: toy/two\.tsv .* cannot be downloaded"):
            get_files("both")
        assert not places.cache.exists()


def test_a_data_set_wins_over_a_folder_of_its_name_and_a_path_over_nothing(places):
    places.put(places.named)
    Path("toy").mkdir()
    for name in ("toy/train.txt", "my.tsv", "plain"):
        Path(name).write_bytes(MORE)
    assert [len(load_kg(name)) for name in ("toy", "./toy", "my.tsv", "plain")] == [1, 2, 2, 2]


def test_an_unknown_name_gets_a_suggestion(places):
    with pytest.raises(DatasetError, match=r"no such data set, .*did you mean 'toy'"):
        load_kg("tooy")
    with pytest.raises(InputError, match="no such file"):
        load_kg("none.tsv")


def test_only_https_is_fetched(monkeypatch):
    monkeypatch.setattr(urllib.request, "urlopen", None)
    for url in ("http://x.example/a", "file:///etc/hostname", "ftp://x.example/a"):
        with pytest.raises(OSError, match="not an https address"):
            sources.fetch(url, None)


def test_a_file_known_by_its_git_blob_is_checked_by_that(places):
    url, blob = "https://x.example/blob.txt", "eb365133a3b6c6ae45e81b5653f5361354170ccb"
    places.offer(MORE, url, 0, (), "", blob)
    with pytest.raises(DatasetError, match=f"expected {blob}"):
        get_files("toy")
    places.offered[url] = CONTENT
    assert load_kg("toy").labeled() == [("a", "r", "b")]
    places.put(places.named, MORE, "toy/x.tsv.gz")
    with pytest.raises(DatasetError, match=f"{blob} was expected"):
        find_files("toy")


def test_labels_are_two_columns_or_a_json_object_each_entity_once(tmp_path):
    path = tmp_path / "labels.tsv"
    path.write_text("a\tAnn, the elder\nb\tБен\na\tAnn, the elder\n")
    assert load_labels(str(path)) == {"a": "Ann, the elder", "b": "Бен"}
    path.write_text("a\tAnn\nb\nc\t\na\tAnna\n")
    with pytest.raises(InputError) as caught:
        load_labels(str(path))
    for part in ("line 2 is not", "line 3 is not", "line 4 gives 'a' a second label"):
        assert part in str(caught.value)
    path = tmp_path / "entities.json"
    many = {"Q1": {"label": "the  sun", "description": "a star"}, "Q2": "Ann", "Q3": ""}
    path.write_text(json.dumps(many))
    assert load_labels(str(path)) == {"Q1": "the sun", "Q2": "Ann"}
    path.write_text("[1]")
    with pytest.raises(InputError, match="no JSON object of entity"):
        load_labels(str(path))


def test_corrections_of_labels_come_before_the_labels(tmp_path, monkeypatch):
    labels, corrections = tmp_path / "labels.tsv", tmp_path / "corrections.tsv"
    labels.write_text("a\tAnn\nb\tBen\n")
    corrections.write_text("a\tAnna\n")
    entry = DataSet("a toy", "labels", "here", "none", "nobody", (), labels, corrections)
    monkeypatch.setattr(datasets, "data_sets", lambda: {"toy": entry})
    assert load_labels("toy") == {"a": "Anna", "b": "Ben"}


UNCHECKED = {"primekg", "wikidata5m", "yago45", "metaqa"}
"""The data sets of whose files no digest could be found out."""


def test_every_data_set_says_what_it_is_and_where_it_comes_from():
    for name, entry in data_sets().items():
        assert entry.kind in ("kg", "labels"), name
        assert all((entry.title, entry.source, entry.license, entry.citation)), name
        assert entry.files or entry.path, name
        for file in entry.files:
            assert all(url.startswith("https://") for url in (file.url, *file.more) if url), name
            assert (".tar.gz" in file.url) == bool(file.member)
            digests = filter(None, (*file.accepted, file.download))
            known = {len(bytes.fromhex(digest)) for digest in digests}
            assert known == (set() if name in UNCHECKED else {20} if file.blob else {32})
            assert not (file.sha256 and file.blob)
            assert file.bytes > 0 or not file.sha256


def test_the_contents_of_several_addresses_follow_one_another(places):
    urls = ("https://x.example/a", "https://x.example/b")
    places.offer(MORE, urls[0], 0, (digest_of(CONTENT + MORE),), more=urls[1:])
    places.offered[urls[1]] = CONTENT
    with pytest.raises(DatasetError, match="expected"):
        load_kg("toy")
    places.offered.update(zip(urls, (CONTENT, MORE), strict=True))
    assert load_kg("toy").labeled() == [("a", "r", "b"), ("b", "r", "c")]


def test_a_download_without_a_digest_is_used_and_the_user_notified(places):
    places.offer(gzip.compress(CONTENT), "https://x/x.gz", 0, ())
    notes = []
    for _ in range(2):
        assert load_kg("toy", note=notes.append).labeled() == [("a", "r", "b")]
        assert len(notes) == 1
    assert "toy/x.tsv" in notes[0]
    assert digest_of(CONTENT) in notes[0]


def test_a_digest_of_the_compressed_download_is_checked(places):
    packed, notes = gzip.compress(CONTENT), []
    places.offer(gzip.compress(MORE), "https://x/x.gz", 0, (), download=digest_of(packed))
    with pytest.raises(DatasetError, match="was discarded"):
        load_kg("toy")
    places.offered["https://x/x.gz"] = packed
    assert len(load_kg("toy", note=notes.append)) == 1
    assert notes == []


def test_a_file_without_an_address_has_to_be_put_there(places):
    places.offer(b"", "", 0, ())
    with pytest.raises(DatasetError, match=r"a page\. Fetch it by hand .*named/toy/x\.tsv"):
        load_kg("toy")
    places.put(places.named, name="toy/x.tsv")
    assert len(load_kg("toy")) == 1


@pytest.mark.skipif(not (DATA / "family").is_dir(), reason=f"no data sets at {DATA}")
def test_real_files_have_the_digest_and_size_that_are_written_down(monkeypatch):
    monkeypatch.setenv("RULEMINE_DATA", str(DATA))
    for name in ("family", "family-all", "umls", "codex-m", "wn18rr"):
        (path,), (file,) = find_files(name), data_sets()[name].files
        assert path is not None
        assert len(read_bytes(path)) == file.bytes
