"""An archive is the same bytes for the same release, and nothing else is read as one."""

import gzip
import json
import os
import subprocess
import tarfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from rulemine.errors import OutputError, ReleaseError
from rulemine.release.reader import Release
from rulemine.release.storing.archive import write_archive
from rulemine.release.storing.publish import publish
from rulemine.verify import verify
from tests.command_line import Command, assert_refused, run
from tests.verify.tiny import seal, write_release

GRAPH = "kg/complete.tsv.gz"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release")


def archived(folder: Path, name: str = "a") -> Path:
    file = folder.parent / f"{name}.tar"
    write_archive(Release.open(folder), file)
    return file


def test_only_the_contents_decide_the_bytes(release: Path, tmp_path: Path) -> None:
    whole = archived(release).read_bytes()
    other = tmp_path / "other" / "folder"
    other.mkdir(parents=True)
    for path in sorted(
        release.rglob("*"), reverse=True
    ):  # in another order, with other times and modes
        if path.is_file():
            copy = other / path.relative_to(release)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(path.read_bytes())
            copy.chmod(0o600)
            os.utime(copy, (1, 1))
    graph = gzip.decompress((other / GRAPH).read_bytes())
    halves = gzip.compress(graph[:100], 1) + gzip.compress(graph[100:], 9)
    (other / GRAPH).write_bytes(halves)  # another compressor
    assert archived(other).read_bytes() == whole
    before = os.umask(0o077)
    ended = run(tmp_path, ["archive", "other/folder", "-o", "c.tar"], TZ="Asia/Tokyo")
    os.umask(before)
    assert ended.status == 0, ended
    assert ended.out == (tmp_path / "c.tar.sha256").read_text()
    assert (tmp_path / "c.tar").read_bytes() == whole
    assert archived(tmp_path / "c.tar", "d").read_bytes() == whole  # from an archive


def test_what_tar_and_sha256sum_make_of_it(release: Path, tmp_path: Path) -> None:
    file = archived(release)
    out = tmp_path / "out"
    out.mkdir()
    subprocess.run(["tar", "-xf", file], cwd=out, check=True)
    [folder] = out.iterdir()
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder, check=True)
    subprocess.run(["sha256sum", "--quiet", "-c", "a.tar.sha256"], cwd=tmp_path, check=True)
    assert folder.name == Release.open(release).name
    assert gzip.decompress((folder / GRAPH).read_bytes()) == gzip.decompress(
        (release / GRAPH).read_bytes()
    )
    assert verify(folder).ok
    assert archived(folder).read_bytes() == file.read_bytes()
    publish(release, folder)  # which a build over it does
    assert Release.open(folder).identity == Release.open(release).identity
    with tarfile.open(file) as tar:
        stated = {(m.type, m.mode, m.mtime, m.uid, m.gid, m.uname, m.gname) for m in tar}
    assert stated == {(tarfile.REGTYPE, 0o644, 0, 0, 0, "", "")}


def test_an_archive_is_read_as_a_folder_is(release: Path, command: Command) -> None:
    file = archived(release)
    one, two = Release.open(release), Release.open(file)
    assert one.identity == two.identity
    assert one.questions() == two.questions()
    assert one.kg("complete").labeled() == two.kg("complete").labeled()
    assert Release.open(file).folder == two.folder  # unpacked once
    predictions = release.parent / "p.jsonl"
    answered = command("answer", file, "--with", "reasoner", "-o", predictions)
    assert answered.status == 0, answered.err
    scores = [command("evaluate", r, predictions, "--split", "all") for r in (release, file)]
    assert scores[0] == scores[1]
    assert command("verify", file).status == 0
    assert command("show", file, "q00001").out == command("show", release, "q00001").out
    assert command("query", file, '(p "wife" "ada")').status == 0


def test_a_large_file_is_stored_in_blocks(release: Path) -> None:
    rows = "".join(f"p{i}\tknows\tp{i + 1}\n" for i in range(10_000))
    (release / "kg/reference.tsv.gz").write_bytes(gzip.compress(rows.encode()))
    (release / "rejected.jsonl").write_bytes(b"")
    seal(release)
    file = archived(release)
    opened = Release.open(file)
    assert gzip.decompress((opened.folder / "kg/reference.tsv.gz").read_bytes()) == rows.encode()
    assert opened.file("rejected.jsonl").read_bytes() == b""


def test_a_faulty_release_is_not_archived(release: Path, command: Command) -> None:
    questions = release / "questions/test.jsonl"
    questions.write_bytes(questions.read_bytes() + b"\n")
    with pytest.raises(ReleaseError, match=r"questions/test\.jsonl: its digest"):
        archived(release)
    (release / "questions/train.jsonl").write_text("{}\n")
    seal(release)  # what no digest shows
    ended = command("archive", release)
    assert ended.status == 1
    assert "release.tar: not written" in ended.out
    assert [path.name for path in release.parent.iterdir()] == ["release"]


def test_nothing_else_is_overwritten(
    release: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = archived(release)
    write_archive(Release.open(release), file)  # its own is
    with pytest.raises(OutputError, match="is an input"):
        write_archive(Release.open(file), file)
    with pytest.raises(OutputError, match=r"ends in \.tar"):
        write_archive(Release.open(release), tmp_path / "a.tar.gz")
    assert_refused(command("archive", file), "a.tar: is an input")
    monkeypatch.chdir(release)
    assert command("archive", ".").status == 0  # beside it, named after it
    assert (tmp_path / "release.tar").read_bytes() == file.read_bytes()
    with pytest.raises(OutputError, match="inside the release"):
        write_archive(Release.open(release), release / "a.tar")
    beside = tmp_path / "a.tar.sha256"
    beside.write_text("my notes\n")
    with pytest.raises(OutputError, match="has no digest"):
        write_archive(Release.open(release), file)
    (tmp_path / "b.tar").write_text("my notes")
    with pytest.raises(OutputError, match=r"b\.tar: is there and is no archive"):
        write_archive(Release.open(release), tmp_path / "b.tar")
    assert beside.read_text() == "my notes\n"


def test_a_name_that_tar_cannot_hold_is_replaced(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release")
    manifest = json.loads((release / "manifest.json").read_text())
    manifest["name"] = manifest["config"]["name"] = "família"
    (release / "manifest.json").write_text(json.dumps(manifest))
    assert Release.open(archived(release)).folder.name == "release"
    assert verify(tmp_path / "a.tar").ok


def _flipped(whole: bytes) -> bytes:
    return whole[:520] + bytes([whole[520] ^ 1]) + whole[521:]


def _linked(whole: bytes) -> bytes:
    return _with_header(whole, 156, b"2/etc/passwd")


def _outside(whole: bytes) -> bytes:
    return _with_header(whole, 0, b"../../../x")


def _absolute(whole: bytes) -> bytes:
    return _with_header(whole, 0, b"/tmp/x\0\0\0\0")


def _device(whole: bytes) -> bytes:
    return _with_header(whole, 156, b"3")


def _huge(whole: bytes) -> bytes:
    return _with_header(whole, 124, b"77777777777")


def _negative(whole: bytes) -> bytes:
    return _with_header(whole, 124, b"-0000000001")


def _second(whole: bytes) -> int:
    """Where the second file begins."""
    return 512 + -(-int(whole[124:135], 8) // 512) * 512


def _with_header(whole: bytes, at: int, field: bytes) -> bytes:
    """The first header with another field, and the sum that goes with it."""
    block = bytearray(whole[:512])
    block[at : at + len(field)] = field
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block):06o}\0 ".encode()
    return bytes(block) + whole[512:]


SPOILT: dict[str, tuple[Callable[[bytes], bytes], str, str]] = {
    "flipped": (_flipped, "not what its files", "sums"),
    "cut": (lambda whole: whole[: len(whole) // 2], "not all of it|unexpected end", "archive"),
    "cut at the end": (lambda whole: whole[:-512], "not what its files", "archive"),
    "longer": (lambda whole: whole + bytes(10_240), "not what its files", "archive"),
    "twice": (lambda whole: whole[: _second(whole)] + whole, "is there twice", "archive"),
    "link": (_linked, "no archive", "archive"),
    "outside": (_outside, "no archive", "archive"),
    "absolute": (_absolute, "no archive", "archive"),
    "device": (_device, "no archive", "archive"),
    "bomb": (_huge, "no archive", "archive"),
    "negative": (_negative, "no archive", "archive"),
}  # fmt: skip


@pytest.mark.parametrize("how", SPOILT)
def test_what_is_no_whole_archive_is_refused(release: Path, tmp_path: Path, how: str) -> None:
    spoil, said, invariant = SPOILT[how]
    file = archived(release)
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(ReleaseError, match=rf"a\.tar: .*({said})"):
        Release.open(file)
    assert invariant in {problem.invariant for problem in verify(file).problems}


def test_tars_of_others_and_compressed_ones_are_named(release: Path, tmp_path: Path) -> None:
    file = archived(release)
    packed = tmp_path / "a.tar.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    with tarfile.open(tmp_path / "other.tar", "w") as tar:
        tar.add(release, "release")
    (tmp_path / "text.tar").write_text("no tar")
    for reader in (Release.open, verify):
        with pytest.raises(ReleaseError, match=r"is compressed.*Decompress it first"):
            reader(packed)
        with pytest.raises(ReleaseError, match=r"is a file,? and no (tar|archive)"):
            reader(tmp_path / "text.tar")
    with pytest.raises(ReleaseError, match=r"no archive of a release"):
        Release.open(tmp_path / "other.tar")
    assert {problem.invariant for problem in verify(tmp_path / "other.tar").problems} >= {"archive"}


@pytest.mark.parametrize("size", [32_767, 32_768, 32_769, 65_536])
def test_full_blocks_are_read_back(tmp_path: Path, size: int) -> None:
    content, folder = b"a" * size, tmp_path / "toy"
    folder.mkdir()
    (folder / "a.gz").write_bytes(gzip.compress(content))
    (folder / "manifest.json").write_text("{}\n")
    files = {"a.gz": {"bytes": size, "sha256": sha256(content).hexdigest()}}
    write_archive(Release(folder, folder, {"name": "toy", "files": files}), tmp_path / "toy.tar")
    with tarfile.open(tmp_path / "toy.tar") as tar:
        assert tar.getnames() == ["toy/a.gz", "toy/manifest.json", "toy/SHA256SUMS"]
        packed = tar.extractfile("toy/a.gz")
        assert packed is not None
        assert gzip.decompress(packed.read()) == content


def test_published_digests_hold(tmp_path: Path) -> None:
    """The bytes of an archive for ever; a change here makes every published digest wrong."""
    contents = {"README.md": b"# toy\n", "kg/complete.tsv.gz": b"a\tb\tc\n" * 10_000}
    files = {n: {"bytes": len(c), "sha256": sha256(c).hexdigest()} for n, c in contents.items()}
    folder = tmp_path / "toy"
    (folder / "kg").mkdir(parents=True)
    for name, content in contents.items():
        packed = name.endswith(".gz")
        (folder / name).write_bytes(gzip.compress(content) if packed else content)
    (folder / "manifest.json").write_text("{}\n")
    toy = Release(folder, folder, {"name": "toy", "files": files})
    digest = "8ad61debea564985f0aa0af2c38a983cf7d8894efb692de2cfd88b84083261ff"
    assert write_archive(toy, tmp_path / "toy.tar") == digest
