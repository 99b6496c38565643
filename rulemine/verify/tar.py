"""The archive of a release, read in its place: nothing is unpacked.

An archive is one uncompressed ustar whose bytes follow from its files: sorted, all in one folder, mode 0644,
owner 0, time 0, zeros at the end up to a multiple of 10,240 bytes, ``SHA256SUMS`` last. Whatever differs is a
problem; files that can be read all the same are checked like those of a folder.
"""

import hashlib
import re
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from rulemine.errors import ReleaseError
from rulemine.verify.report import Findings, shown

__all__ = ["SUMS", "Tar", "check_sums"]

SUMS = "SHA256SUMS"

_PLAIN = re.compile(
    rb"(?=.{100}0000644\x00)(\w[\w.-]*/\w[\w./-]*)\x00*0000644\x00(?:0000000\x00){2}[0-7]{11}\x00"
    rb"0{11}\x00[0-7]{6}\x00 0\x00{100}ustar\x0000\x00{247}",
    re.DOTALL,
)
"""A header with nothing but the name, the size and the sum of a regular file."""

_UNIT = 512
_END = 10_240
_NO_TAR = (tarfile.TarError, OSError, ValueError, OverflowError, RecursionError)
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"BZh", b"PK\3\4")


class Tar:
    """An archive.

    Attributes:
        top: The folder that all files are in.
        names: The files in it, without that folder, sorted.
    """

    def __init__(self, path: Path, findings: Findings) -> None:
        """Reads the headers.

        Raises:
            ReleaseError: It is no uncompressed tar, or may not be read.
        """
        self._path, self._findings = path, findings
        self._members: dict[str, tarfile.TarInfo] = {}
        self.top, begin = "", b""
        try:
            with path.open("rb") as file:
                begin = file.read(_UNIT)
            self._tar = tarfile.open(path, "r:")  # noqa: SIM115  # open as long as this object is there
        except PermissionError as problem:
            raise ReleaseError(
                f"{path}: cannot be read ({problem.strerror}). Check its permissions."
            ) from None
        except _NO_TAR as problem:
            if begin.startswith(_COMPRESSED):
                raise ReleaseError(
                    f"{path}: is compressed; an uncompressed tar was expected. Decompress it first."
                ) from None
            raise ReleaseError(
                f"{path}: is a file and no tar ({problem}); the folder of a release or its archive was "
                "expected."
            ) from None
        self._check_headers()
        self.names = sorted(self._members)

    def open(self, name: str) -> IO[bytes]:
        """Opens a file of the archive.

        Raises:
            FileNotFoundError: There is none of that name.
        """
        file = self._tar.extractfile(self._members[name]) if name in self._members else None
        if file is None:
            raise FileNotFoundError(2, "no such file")
        return file

    def _check_headers(self) -> None:
        length, end, order = self._path.stat().st_size, 0, list[str]()
        with self._path.open("rb") as file:
            try:
                for member in self._tar:
                    file.seek(member.offset)
                    plain = _PLAIN.fullmatch(file.read(_UNIT))
                    exact = plain and plain[1].decode() == member.name and member.offset == end
                    start, end = end, member.offset_data + member.size + -member.size % _UNIT
                    if not start < end <= length:
                        end = start
                        self._add(f"{shown(member.name)} cut off", "all of it")
                        break
                    self.top = self.top or member.name[: member.name.find("/") + 1]
                    name = member.name.removeprefix(self.top)
                    file.seek(member.offset_data + member.size)
                    if not exact:
                        self._add(
                            f"the header of {shown(member.name)}", "one of a regular file, no more"
                        )
                    elif file.read(end - file.tell()).strip(b"\0"):
                        self._add(f"{shown(member.name)} not filled up", "zeros after it")
                    elif ".." in name.split("/") or not member.name.startswith(self.top):
                        self._add(shown(member.name), "files in one folder")
                    elif name in self._members:
                        self._add(f"{shown(name)} twice", "each file once")
                    else:
                        self._members[name] = member
                        order.append(name)
            except _NO_TAR as problem:
                self._add(shown(str(problem)), "a complete tar")
            file.seek(end)
            whole = end + 2 * _UNIT + -(end + 2 * _UNIT) % _END
            if length != whole or file.read().strip(b"\0"):
                self._add(f"{length:,} bytes, or more than zeros at the end", f"{whole:,} bytes")
        if order != [*sorted(set(order) - {SUMS}), SUMS]:
            self._add("another order of files", f"sorted by name, {SUMS} last")

    def _add(self, found: str, expected: str) -> None:
        self._findings.add(self._path.name, None, "archive", found, expected)


def check_sums(
    names: Iterable[str], opened: Callable[[str], IO[bytes]], findings: Findings
) -> None:
    """Checks that `SUMS` has exactly the digests of the other files."""
    expected = ""
    for name in sorted(set(names) - {SUMS}):
        digest = hashlib.sha256()
        with opened(name) as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
        expected += f"{digest.hexdigest()}  {name}\n"
    with opened(SUMS) as file:
        found = file.read(len(expected) + 1).decode("utf-8", "replace")
    lines = zip(found.splitlines(), expected.splitlines(), strict=False)
    for number, (one, two) in enumerate(lines, start=1):
        if one != two:
            findings.add(SUMS, number, "sums", shown(one), shown(two))
            return
    if found != expected:
        findings.add(SUMS, None, "sums", "more or fewer lines", "a line for each other file")
