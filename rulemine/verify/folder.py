"""The files of a release: the manifest, sizes and digests, and the lines of each file.

Checks that the manifest exists and is well formed, that every file it lists exists with the stated size and
digest (of the uncompressed content if the name ends in .gz), that every file of the layout is listed, that
the folder has no other files, that every file is UTF-8 with LF, and that none has what looks like an API key.
Over 400 lines because all that is known of a folder is here.
"""

import errno
import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import IO, Any

from rulemine.errors import ReleaseError
from rulemine.release.unpacking import unpacked
from rulemine.verify.kinds import checks_of
from rulemine.verify.known import padded, spans_of_threes
from rulemine.verify.protocol import KindChecks
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import MANIFEST, SPLITS
from rulemine.verify.shaping import Shape
from rulemine.verify.triples import Columns, Terms

__all__ = ["Folder", "key_at"]

FORMAT_VERSION = 5
"""The format version that this verifier knows."""

MANIFEST_NAME = "manifest.json"
QUESTION_FILES = tuple(f"questions/{split}.jsonl" for split in SPLITS)
LAYOUT = (
    "README.md", "entities.tsv", "kg/complete.tsv.gz", "kg/incomplete.tsv.gz", *QUESTION_FILES,
    "rejected.jsonl", "relations.tsv", "removed.jsonl", "rules.jsonl",
)  # fmt: skip
"""The files of every release."""

MODEL_LAYOUT = ("llm/glosses.toml", "llm/journal.jsonl", "llm/prompt.toml")
"""The files of a release whose questions a language model verbalized."""

OPTIONAL = ("kg/reference.tsv.gz",)
"""The files that a release may have."""

_KEY_START = b"sk-"
_KEY = re.compile(rb"sk-(?:[A-Za-z0-9]{1,10}[-_]){0,3}([A-Za-z0-9_-]{20,})")
_RUN = re.compile(rb"[A-Za-z0-9]{20,}")
_JOINED = re.compile(rb"[A-Za-z0-9_-]\Z")
_LEAST_DIGITS = 2


class Folder:
    """The folder of a release, or its archive, read on demand; what cannot be read becomes a problem.

    Attributes:
        manifest: The manifest; empty if it is missing or malformed.
    """

    def __init__(self, path: Path, findings: Findings) -> None:
        """Reads the manifest.

        Raises:
            ReleaseError: The path is no folder and no archive, or the release is of a newer format.
        """
        self.path = path
        self._findings = findings
        self._folder = unpacked(path)
        if not self._folder.is_dir():
            what = "is no regular file" if path.exists() else "no such folder"
            raise ReleaseError(
                f"{path}: {what}; the folder of a release or its archive was expected."
            )
        self._digests: dict[str, str] = {}
        self.manifest = self._read_manifest()

    def __getstate__(self) -> dict[str, Any]:
        # In another process it says what the manifest does; no file is read there.
        return {"path": self.path, "manifest": self.manifest, "_findings": Findings()}

    def _read_manifest(self) -> dict[str, Any]:
        add = self._findings.add
        try:
            with self._open(MANIFEST_NAME) as file:
                raw = file.read()
        except OSError as problem:
            add(MANIFEST_NAME, None, "manifest", str(problem.strerror), "the file, written last")
            return {}
        self._check_secret(MANIFEST_NAME, raw)
        try:
            value = _parse(raw.decode("utf-8"))
        except (ValueError, RecursionError) as problem:
            add(MANIFEST_NAME, None, "manifest", f"not JSON in UTF-8 ({problem})", "an object")
            return {}
        version = value.get("format_version") if isinstance(value, dict) else None
        if type(version) is int and version != FORMAT_VERSION:
            newer = version > FORMAT_VERSION
            advice = "Upgrade: pip install -U rulemine" if newer else "Build it again"
            raise ReleaseError(
                f"{self.path / MANIFEST_NAME}: format version {version}; this program verifies version "
                f"{FORMAT_VERSION}. {advice}."
            )
        if (misfit := MANIFEST(value, "")) is not None:
            add(MANIFEST_NAME, None, "manifest", misfit.found, misfit.expected)
            return {}
        return dict(value)

    def option(self, section: str, key: str) -> Any:
        """An option of the build; None if the manifest does not state it."""
        options = self.manifest["config"].get(section)
        return options.get(key) if isinstance(options, dict) else None

    @cached_property
    def kind(self) -> str:
        """The kind of its questions; none if the manifest names none, which becomes a problem."""
        kind = self.manifest["config"].get("kind")
        if not isinstance(kind, str) or not kind:
            expected = "config.kind: the kind of its questions"
            self._findings.add(MANIFEST_NAME, None, "kind", shown(kind), expected)
            return ""
        return kind

    @cached_property
    def checks(self) -> KindChecks:
        """What is special to the kind; where nothing is known of it, a note says so."""
        found = checks_of(self.kind)
        if not found.known and self.kind:
            self._findings.note(f"verified but for what is special to the kind {self.kind}")
        return found

    @cached_property
    def levels(self) -> list[int]:
        """The incompleteness levels of the manifest; [100] if they are invalid, which becomes a problem."""
        levels = self.manifest["levels"]
        whole = isinstance(levels, list) and all(type(v) is int and 1 <= v <= 100 for v in levels)
        if not whole or levels != sorted(set(levels)) or levels[-1:] != [100]:
            expected = "ascending percentages, the last one 100"
            self._findings.add(MANIFEST_NAME, None, "levels", shown(levels), expected)
            return [100]
        return list(levels)

    def check(self) -> None:
        """Checks that files and manifest agree, and reads every listed file."""
        add, listed = self._findings.add, self.manifest["files"]
        levels = [f"kg/incomplete-{level}.tsv.gz" for level in self.levels if level < 100]
        layout = {*LAYOUT, *levels, *MODEL_LAYOUT * (self.option("verbalizer", "name") == "openai")}
        layout |= {*self.checks.files(self.levels)}
        optional = self.checks.optional
        for name in sorted(name for name in layout - set(listed) if not optional(name)):
            add(MANIFEST_NAME, None, "layout", f"no {name} in files", "every file of the layout")
        others = set(listed) - layout - set(OPTIONAL) if self.checks.known else set()
        for name in sorted(name for name in others if not optional(name)):
            found = f"{shown(name)} in files"
            add(MANIFEST_NAME, None, "layout", found, "files of the layout only")
        for name, entry in sorted(listed.items()):
            parts = PurePosixPath(name).parts
            if not parts or name.startswith("/") or ".." in parts or name == MANIFEST_NAME:
                add(MANIFEST_NAME, None, "layout", shown(name), "files inside the folder")
                continue
            if (size := self._look_through(name, entry["bytes"])) is None:
                continue
            if size != entry["bytes"]:
                add(name, None, "size", f"{size} bytes", f"{entry['bytes']} (manifest)")
            if (digest := self._digests[name]) != entry["sha256"]:
                add(name, None, "digest", f"{digest[:12]}…", f"{entry['sha256'][:12]}… (manifest)")
        for name in self._names():
            if name not in listed and name != MANIFEST_NAME:
                add(name, None, "unlisted", "a file", "only what the manifest lists")
        self._findings.count("files", len(self._digests))

    def _names(self) -> list[str]:
        """The names of all files that are there, sorted."""
        there = (path for path in self._folder.rglob("*") if not path.is_dir())
        return sorted(path.relative_to(self._folder).as_posix() for path in there)

    def _open(self, name: str) -> IO[bytes]:
        """Opens a file, unless what is there is a device, a pipe or a folder, which may have no end.

        Raises:
            OSError: It cannot be opened.
        """
        path = self._folder / name
        if path.exists() and not path.is_file():
            raise OSError(errno.EINVAL, "is no regular file")
        return path.open("rb")

    def _check_secret(self, name: str, content: bytes, line: int = 1) -> bool:
        """Whether a piece of a file has no API key."""
        if (at := key_at(content)) is not None:
            line += content.count(b"\n", 0, at)
            # The key is not repeated: reports get shared.
            found, expected = "what looks like an API key (sk-…)", "no key in a release; revoke it"
            self._findings.add(name, line, "secret", found, expected)
            return False
        return True

    def _look_through(self, name: str, stated: int) -> int | None:
        """Computes the digest of a file and its size; None if it cannot be read or is far too large."""
        digest, size, clean = hashlib.sha256(), 0, True
        try:
            for number, block in self._blocks(name):
                digest.update(block)
                if (size := size + len(block)) > 2 * stated + _CHUNK:
                    found = f"more than {size} bytes, not read"
                    self._findings.add(name, None, "size", found, f"{stated} (manifest)")
                    return None
                clean = clean and self._check_secret(name, block, number)
        except _UNREADABLE as problem:
            self._note_unreadable(name, problem)
            return None
        self._digests[name] = digest.hexdigest()
        return size

    def digest(self, name: str) -> str:
        """The digest of a readable file."""
        return self._digests[name]

    def _blocks(self, name: str) -> Iterator[tuple[int, bytes]]:
        """The content in pieces of whole lines, each with the number of its first line.

        No file is held in memory: journals and graphs take hundreds of megabytes.
        """
        number, pieces = 1, list[bytes]()
        with self._open(name) as raw:
            file: Any = gzip.GzipFile(fileobj=raw) if name.endswith(".gz") else raw
            while block := file.read(_CHUNK):
                if end := block.rfind(b"\n") + 1:
                    whole = b"".join((*pieces, block[:end]))
                    yield number, whole
                    number += whole.count(b"\n")
                    pieces.clear()
                if end < len(block):
                    pieces.append(block[end:])
        if pieces:
            yield number, b"".join(pieces)

    def _note_unreadable(self, name: str, problem: Exception) -> None:
        if isinstance(problem, FileNotFoundError):
            finding = ("missing", "no such file", "a file, as the manifest lists it")
        else:
            expected = "a complete gzip file" if name.endswith(".gz") else "a readable file"
            finding = ("readable", shown(str(problem)), expected)
        self._findings.add(name, None, *finding)

    def has(self, name: str) -> bool:
        """Whether a file is listed and readable."""
        return name in self._digests

    def read(self, name: str) -> Iterator[tuple[int, bytes]]:
        """Reads the blocks of a file again; checks that it has not changed."""
        digest = hashlib.sha256()
        try:
            for number, block in self._blocks(name):
                digest.update(block)
                yield number, block
        except _UNREADABLE as problem:
            self._note_unreadable(name, problem)
            return
        if digest.hexdigest() != self._digests[name]:
            found, expected = "a file that just changed", "a release that nothing changes"
            self._findings.add(name, None, "readable", found, expected)

    def _chunks(self, name: str) -> Iterator[tuple[int, bytes]]:
        """The content in pieces of whole lines, without the last LF; each with its first line number."""
        add, returned = self._findings.add, False
        for number, block in self.read(name):
            if not block.endswith(b"\n"):
                last = number + block.count(b"\n")
                add(name, last, "whole lines", "no line end", "LF after every line")
            if b"\r" in block and not returned:
                returned = True
                line = number + block.count(b"\n", 0, block.index(b"\r"))
                add(name, line, "whole lines", "a carriage return", "LF line ends only")
            yield number, block.removesuffix(b"\n")

    def lines(self, name: str) -> Iterator[tuple[int, str]]:
        """The lines of a file, numbered from 1; lines that are not UTF-8 become problems."""
        for first, chunk in self._chunks(name):
            yield from self._decoded(name, first, chunk)

    def _decoded(self, name: str, first: int, chunk: bytes) -> Iterator[tuple[int, str]]:
        for number, raw in enumerate(chunk.split(b"\n"), start=first):
            try:
                yield number, raw.decode("utf-8")
            except UnicodeDecodeError as problem:
                found = f"byte 0x{raw[problem.start]:02x}"
                self._findings.add(name, number, "encoding", found, "UTF-8")

    def records(self, name: str, shape: Shape) -> Iterator[tuple[int, dict[str, Any]]]:
        """The records of a JSON Lines file that fit a shape; other lines become problems."""
        add = self._findings.add
        for number, line in self.lines(name):
            try:
                value = _parse(line)
            except (ValueError, RecursionError) as problem:
                add(name, number, "record", f"not JSON ({problem}): {shown(line)}", "an object")
                continue
            if (misfit := shape(value, "")) is not None:
                add(name, number, "record", misfit.found, misfit.expected)
                continue
            yield number, value

    def fields(
        self, name: str, columns: int, labels: bool = True, empty: int = 0
    ) -> Iterator[tuple[int, list[str]]]:
        """The well-formed rows of a TSV file; other lines become problems.

        Args:
            name: The file.
            columns: Fields per row.
            labels: Whether the fields are labels, which have no white space at their ends.
            empty: How many of the last fields may be empty.
        """
        yield from self._rows(name, self.lines(name), columns, labels, empty)

    def triples(self, name: str, terms: Terms) -> Iterator[tuple[Sequence[int], Columns]]:
        """The rows of a TSV file of three columns, as `fields` gives them, many at a time.

        Yields:
            Line numbers, and the triples of these lines.
        """
        for first, chunk in self._chunks(name):
            if (columns := terms.known_columns(chunk + b"\n")) is None:
                numbers, fields = self._checked(name, first, chunk)
                yield numbers, terms.columns(fields)
            else:
                yield range(first, first + len(columns)), columns

    def threes(self, name: str) -> Iterator[tuple[Sequence[int], list[str]]]:
        """The rows of a TSV file of three columns, as `fields` gives them, many at a time.

        Yields:
            Line numbers, and the fields of these lines, one row after another.
        """
        for first, chunk in self._chunks(name):
            if (fields := _regular(chunk)) is None:
                yield self._checked(name, first, chunk)
            else:
                yield range(first, first + len(fields) // 3), fields

    def _checked(self, name: str, first: int, chunk: bytes) -> tuple[list[int], list[str]]:
        """Lines of three columns, line by line."""
        rows = list(self._rows(name, self._decoded(name, first, chunk), 3, True))
        return [number for number, _ in rows], [field for _, row in rows for field in row]

    def _rows(
        self,
        name: str,
        lines: Iterable[tuple[int, str]],
        columns: int,
        labels: bool,
        empty: int = 0,
    ) -> Iterator[tuple[int, list[str]]]:
        for number, line in lines:
            row = line.split("\t")
            if len(row) != columns or not all(row[: columns - empty]):
                expected = f"{columns} non-empty fields"
            elif labels and [*map(str.strip, row)] != row:
                expected = "fields without white space at their ends"
            else:
                yield number, row
                continue
            self._findings.add(name, number, "record", shown(line), expected)


_CHUNK = 1 << 22
"""Bytes of a file that are parsed at once."""

_UNREADABLE = (OSError, EOFError, ValueError, zlib.error)
"""Errors of reading a file, compressed or not."""


def _regular(chunk: bytes) -> list[str] | None:
    """The fields of lines of three columns; None if a line is not well formed."""
    spans = spans_of_threes(padded(chunk + b"\n"))
    if spans is None or not spans[1].all():
        return None
    try:
        fields = chunk.decode("utf-8").replace("\n", "\t").split("\t")
    except UnicodeDecodeError:
        return None
    return fields if [*map(str.strip, fields)] == fields else None


def _parse(text: str) -> Any:
    value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    if "\\u" in text:  # JSON accepts half a surrogate pair; UTF-8 does not
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a duplicate key")
    return value


def _no_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not allowed")


def key_at(content: bytes) -> int | None:
    """The position of the first text that looks like an API key; None if there is none.

    Most services write keys as ``sk-`` and a long run of letters and digits, maybe with short words between.
    Other keys cannot be distinguished from text.
    """
    at = content.find(_KEY_START)
    while at >= 0:
        found = _KEY.match(content, at)
        if found and not _JOINED.search(content[max(0, at - 1) : at]):
            for run in _RUN.findall(found[1]):
                digits = sum(48 <= byte <= 57 for byte in run)
                if _LEAST_DIGITS <= digits < len(run):
                    return at
        at = content.find(_KEY_START, at + 1)
    return None
