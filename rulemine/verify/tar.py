"""The archive of a release, read in its place: nothing is unpacked.

An archive is one uncompressed ustar whose bytes follow from its files: sorted, all in one folder, mode 0644,
owner 0, time 0, zeros at the end up to a multiple of 10,240 bytes, ``SHA256SUMS`` last. It is compared with
what its files give when they are written so; files that can be read are checked like those of a folder.
"""

import hashlib
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

from rulemine.errors import ReleaseError
from rulemine.verify.report import Findings, shown

__all__ = ["SUMS", "Tar", "check_sums"]

SUMS = "SHA256SUMS"

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
                begin = file.read(tarfile.BLOCKSIZE)
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
        self._read_headers()
        self.names = sorted(self._members)
        self._check_bytes()

    def open(self, name: str) -> IO[bytes]:
        """Opens a file of the archive.

        Raises:
            FileNotFoundError: There is none of that name.
        """
        file = self._tar.extractfile(self._members[name]) if name in self._members else None
        if file is None:
            raise FileNotFoundError(2, "no such file")
        return file

    def _read_headers(self) -> None:
        length = self._path.stat().st_size
        try:
            for member in self._tar:
                self.top = self.top or member.name[: member.name.find("/") + 1]
                name = member.name.removeprefix(self.top)
                whole = 0 <= member.size <= length - member.offset_data
                if member.type != tarfile.REGTYPE or member.sparse is not None or not whole:
                    self._add(shown(member.name), "a regular file, and all of it")
                elif ".." in name.split("/") or not member.name.startswith(self.top):
                    self._add(shown(member.name), "files in one folder")
                elif name in self._members:
                    self._add(f"{shown(name)} twice", "each file once")
                else:
                    self._members[name] = member
        except _NO_TAR as problem:
            self._add(shown(str(problem)), "a complete tar")

    def _check_bytes(self) -> None:
        """Checks that the archive is what its files give."""
        again = hashlib.sha256()
        sink: Any = SimpleNamespace(write=again.update)
        try:
            with tarfile.open(fileobj=sink, mode="w|", format=tarfile.USTAR_FORMAT) as tar:
                for name in sorted(self.names, key=lambda name: (name == SUMS, name)):
                    plain = tarfile.TarInfo(self._members[name].name)
                    plain.size = self._members[name].size
                    tar.addfile(plain, self.open(name))
            with self._path.open("rb") as file:
                same = hashlib.file_digest(file, "sha256").digest() == again.digest()
        except _NO_TAR:
            same = False
        if not same or SUMS not in self.names:
            self._add("other bytes than its files give", f"they alone, sorted by name, {SUMS} last")

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
