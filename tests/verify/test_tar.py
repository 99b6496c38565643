"""Whatever is changed in an archive, the reader and the verifier both find it, each in its own way."""

import contextlib
import errno
import random
from pathlib import Path

import pytest

from rulemine.errors import ReleaseError
from rulemine.release.reader import Release
from rulemine.release.storing.archive import write_archive
from rulemine.verify import verify
from tests.verify.tiny import write_release

FIELDS = (0, 100, 108, 116, 124, 136, 156, 157, 257, 265, 297, 329, 337, 345)
"""Where the fields of a header begin."""

VALUES = (
    b"\0" * 8, b"77777777777", b"\x80" + b"\xff" * 10, b"\xff\xfe", b"x", b"L", b"g", b"S", b"5", b"1",
    b"../..", b"/etc", b"0000755",
)  # fmt: skip
"""Sizes that are too large or negative, links, folders, other formats, names that lead elsewhere."""


def changed(whole: bytes, rng: random.Random) -> bytes:
    content, blocks = bytearray(whole), len(whole) // 512
    at, other = rng.randrange(blocks) * 512, rng.randrange(blocks) * 512
    match rng.randrange(6):
        case 0:
            content[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        case 1:
            del content[rng.randrange(len(whole)) :]
        case 2:
            content[at:at] = content[other : other + 512 * rng.randrange(1, 4)]
        case 3:
            del content[at : at + 512 * rng.randrange(1, 30)]
        case _:
            heads = [k for k in range(0, len(whole), 512) if whole[k + 257 : k + 262] == b"ustar"]
            at, field, value = rng.choice(heads), rng.choice(FIELDS), rng.choice(VALUES)
            content[at + field : at + field + len(value)] = value
            content[at + 148 : at + 156] = b" " * 8
            content[at + 148 : at + 156] = f"{sum(content[at : at + 512]):06o}\0 ".encode()
    return bytes(content)


def test_every_change_is_found_twice(tmp_path: Path) -> None:
    file = tmp_path / "a.tar"
    write_archive(Release.open(write_release(tmp_path / "release")), file)
    whole = file.read_bytes()
    assert verify(file).ok
    for number in range(150):
        content = changed(whole, random.Random(number))
        if content == whole:
            continue
        file.write_bytes(content)
        with pytest.raises(ReleaseError):
            Release.open(file)
        with contextlib.suppress(ReleaseError):  # no tar at all
            assert verify(file).problems, number


def test_headers_without_end_are_a_problem(tmp_path: Path) -> None:
    file = tmp_path / "a.tar"
    write_archive(Release.open(write_release(tmp_path / "release")), file)
    whole = file.read_bytes()
    further = bytearray(whole[:512])
    further[156:157] = b"x"
    further[124:136] = b"00000000012\0"
    further[148:156] = b" " * 8
    further[148:156] = f"{sum(further):06o}\0 ".encode()
    chain = (bytes(further) + b"10 a=bcde\n".ljust(512, b"\0")) * 3000
    file.write_bytes(chain + whole)
    with pytest.raises(ReleaseError, match="no tar"):
        verify(file)
    first = 1024 + -(-int(whole[124:135], 8) // 512) * 512 - 512
    file.write_bytes(whole[:first] + chain + whole[first:])
    assert verify(file).problems


def test_an_archive_of_somebody_else_is_not_called_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.tar"
    write_archive(Release.open(write_release(tmp_path / "release")), file)

    def refuse(*_words: object, **_more: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ReleaseError, match=r"a\.tar: cannot be read \(Permission denied\)"):
        verify(file)
