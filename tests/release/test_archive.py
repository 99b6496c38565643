"""An archive is the same bytes for the same release, and nothing else is read as one."""

import gzip
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from rulemine.errors import OutputError, ReleaseError
from rulemine.release.archive import write_archive
from rulemine.release.publish import publish
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests.command_line import Command, assert_refused, run
from tests.verify.tiny import write_release

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
    for path in sorted(release.rglob("*"), reverse=True):  # in another order, other times and modes
        if path.is_file():
            copy = other / path.relative_to(release)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(path.read_bytes())
            copy.chmod(0o600)
            os.utime(copy, (1, 1))
    graph = gzip.decompress((other / GRAPH).read_bytes())
    (other / GRAPH).write_bytes(gzip.compress(graph[:100], 1) + gzip.compress(graph[100:], 9))
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
    subprocess.run(["sha256sum", "--quiet", "-c", "a.tar.sha256"], cwd=tmp_path, check=True)
    assert folder.name == Release.open(release).name
    unpacked = subprocess.run(["gunzip", "-c", folder / GRAPH], capture_output=True, check=True)
    assert unpacked.stdout == gzip.decompress((release / GRAPH).read_bytes())
    assert verify(folder).ok
    assert archived(folder).read_bytes() == file.read_bytes()
    publish(release, folder)  # which a build over it does
    assert Release.open(folder).identity == Release.open(release).identity
    with tarfile.open(file) as tar:
        names = tar.getnames()
        stated = {(m.type, m.mode, m.mtime, m.uid, m.gid, m.uname, m.gname) for m in tar}
    assert names == sorted(names)
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
    assert command("data", "query", file, '(p "wife" "ada")').status == 0


def test_where_an_archive_goes(release, tmp_path, command, monkeypatch):
    monkeypatch.chdir(release)
    for _ in range(2):  # its own is replaced
        assert command("archive", ".").status == 0  # beside it, named after it
    file = tmp_path / "release.tar"
    before = file.read_bytes()
    assert_refused(command("archive", file), "release.tar: is the release itself")
    assert_refused(command("archive", ".", "-o", "a.tar"), "inside the release")
    with pytest.raises(OutputError, match=r"ends in \.tar"):
        write_archive(Release.open(release), tmp_path / "a.tar.gz")
    for other in (file.with_name("release.tar.sha256"), file):
        other.write_text("my notes\n")
        assert_refused(
            command("archive", "."), f"{other.name}: is there, and is not as rulemine archive"
        )
        assert other.read_text() == "my notes\n"
    file.write_bytes(before)


def _with_header(whole: bytes, at: int, field: bytes) -> bytes:
    """The first header with another field, and the sum that goes with it."""
    block = bytearray(whole[:512])
    block[at : at + len(field)] = field
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block):06o}\0 ".encode()
    return bytes(block) + whole[512:]


def _second(whole: bytes) -> int:
    """Where the second file begins."""
    return 512 + -(-int(whole[124:135], 8) // 512) * 512


def _endless(whole: bytes) -> bytes:
    """Headers that say something of the next one, which RFCs allow without end."""
    further = bytearray(_with_header(_with_header(whole, 156, b"x"), 124, b"00000000012\0")[:512])
    return (bytes(further) + b"10 a=bcde\n".ljust(512, b"\0")) * 3000


SPOILT: list[Callable[[bytes], bytes]] = [
    lambda whole: whole[: len(whole) // 2],
    lambda whole: whole[: _second(whole)] + whole,  # a file twice
    lambda whole: _with_header(whole, 0, b"x"),  # in another folder
    lambda whole: _with_header(whole, 156, b"2/etc/passwd"),  # a link
    lambda whole: _with_header(whole, 156, b"1/etc/passwd"),  # a hard link
    lambda whole: _with_header(whole, 0, b"../../../x"),
    lambda whole: _with_header(whole, 0, b"/tmp/x\0\0\0\0"),
    lambda whole: _with_header(whole, 0, b"a/.bashrc\0\0\0"),
    lambda whole: _with_header(whole, 156, b"3"),  # a device
    lambda whole: _with_header(whole, 156, b"5"),  # a folder
    lambda whole: _with_header(whole, 156, b"S"),  # sparse
    lambda whole: _with_header(whole, 124, b"77777777777"),  # a bomb
    lambda whole: _with_header(whole, 124, b"-0000000001"),
    lambda whole: b"no tar" + whole[6:],
    lambda _whole: b"",
    lambda _whole: bytes(10_240),
    gzip.compress,
    lambda whole: _endless(whole) + whole,
]


def test_what_is_no_whole_archive_is_refused(release: Path) -> None:
    file = archived(release)
    whole, before = file.read_bytes(), set(Path(tempfile.gettempdir()).iterdir())
    told = r"a\.tar: (is a file, and no archive|cannot be unpacked)"
    for spoil in SPOILT:
        file.write_bytes(spoil(whole))
        for reader in (Release.open, verify):
            with pytest.raises((ReleaseError, OutputError), match=told):
                reader(file)
    left = set(Path(tempfile.gettempdir()).iterdir()) - before
    paths = [path for folder in left for path in folder.rglob("*")]
    assert all(path.is_dir() or path.is_file() for path in paths)
    assert sum(path.stat().st_size for path in paths if path.is_file()) < 1 << 20


def test_published_digests_hold(tmp_path: Path) -> None:
    """The bytes of an archive for ever; a change here makes every published digest wrong."""
    contents = {"README.md": b"# toy\n", "kg/complete.tsv.gz": b"a\tb\tc\n" * 20_000}
    digest = "b0ff2f9e0d2f160896ae15fd9e29c8cb94427154c99b9240af8469a9c3e96c7e"
    assert write_archive(_toy(tmp_path, contents), tmp_path / "toy.tar") == digest


def _toy(place: Path, contents: dict[str, bytes]) -> Release:
    folder = place / "toy"
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    (folder / "manifest.json").write_text("{}\n")
    files = {n: {"bytes": len(c), "sha256": sha256(c).hexdigest()} for n, c in contents.items()}
    return Release(folder, folder, {"name": "toy", "files": files})
