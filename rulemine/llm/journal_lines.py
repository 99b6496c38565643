"""The lines of a journal: how they are read and written, and which of several entries with one key counts.

Guarantees: only what a crash can leave behind is taken for a torn tail; anything else that is no entry is
an error with its line number, so that no paid call is lost to a typing mistake or a wrong path. What is
written for a release depends on the entries alone, not on their order, times or attempts.
"""

import io
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rulemine.codec import from_json, parse_object
from rulemine.errors import MOST_PROBLEMS_SHOWN, InputError, list_problems
from rulemine.files import BLOCK, opened, read_jsonl, write_jsonl
from rulemine.llm.call import Answer, Entry, Failure, Reply, Used

__all__ = ["Found", "read_used", "scan_journal", "settle", "weight", "write_journal"]

_START = b'{"key": "'
"""How every line begins; tells half a first line from a file that is no journal."""

_DIGEST = re.compile("[0-9a-f]{64}")


def weight(answer: Answer) -> int:
    """How much an answer counts: 2 a reply, 1 a lasting failure, 0 one that the next run asks anew."""
    return 2 if isinstance(answer, Reply) else int(answer.lasting)


def settle(entries: dict[str, Entry], entry: Entry) -> None:
    """Adds an entry unless the one that is there counts for more: see `rulemine.llm.journal`."""
    known = entries.get(entry.key)
    counts = 0 if known is None else weight(known.answer)
    if counts == 0 or weight(entry.answer) > counts:
        entries[entry.key] = entry


@dataclass(slots=True)
class Found:
    """What a file holds.

    Attributes:
        entries: Those that count, by key.
        size: Of the file, bytes.
        end: Where the tail begins, bytes.
        ended: Whether a line end comes before the tail, or nothing at all.
        dropped: Bytes of the tail and of lines with NUL bytes.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    size: int = 0
    end: int = 0
    ended: bool = True
    dropped: int = 0


class _Unread(NamedTuple):
    """A line that is no JSON object."""

    line: bytes
    problem: str


def scan_journal(path: Path) -> Found:
    """Reads a journal.

    The tail is what follows the last JSON object. Objects with wrong fields do not belong to it: somebody
    wrote them. Lines with NUL bytes before it are left out, for the journal never writes any, and the power
    may fail while a batch is half on the disk.

    Raises:
        InputError: The file is missing or unreadable, is no journal, or lines before the tail are wrong.
    """
    found, problems = Found(), _Problems(path)
    unread: list[_Unread] = []  # since the last object
    head = b""
    with opened(path) as raw, io.BufferedReader(raw, BLOCK) as file:
        for number, line in enumerate(file, start=1):
            where = f"line {number}"
            head = head or line[: len(_START)]
            found.size += len(line)
            if line.isspace():
                if not unread and line.endswith(b"\n"):
                    found.end = found.size
                continue
            try:
                row = _object_of(line, where)
            except InputError as problem:
                unread.append(_Unread(line, str(problem)))
                continue
            for other in unread:
                if b"\0" in other.line:
                    found.dropped += len(other.line)
                else:
                    problems.add(other.problem)
            unread.clear()
            found.end, found.ended = found.size, line.endswith(b"\n")
            try:
                settle(found.entries, _used_of(row, where).entry)
            except InputError as problem:
                problems.add(str(problem))
    if unread and not found.entries and not (head.startswith(b"\0") or _START.startswith(head)):
        problems.add("holds no entry of a journal.")
    problems.raise_any()
    found.dropped += found.size - found.end
    return found


def read_used(path: Path) -> tuple[Used, ...]:
    """The lines of a release's journal, in the order of the file.

    Raises:
        InputError: It is missing, unreadable or malformed.
    """
    return tuple(_used_of(row, f"{path}: line {number}") for number, row in read_jsonl(path))


def write_journal(path: Path, rows: Iterable[tuple[Entry, tuple[str, ...]]]) -> None:
    """Writes the journal of a release, sorted by key; attempts and times are left out.

    Args:
        path: The file.
        rows: As `rulemine.llm.call.Used`; at most one of a key.

    Raises:
        OutputError: It cannot be written.
    """
    ordered = sorted(rows, key=lambda row: row[0].key)
    write_jsonl(path, ({**entry.to_json(), "questions": sorted(ids)} for entry, ids in ordered))


def _object_of(line: bytes, where: str) -> dict[str, Any]:
    try:
        return parse_object(line.decode(), where)
    except UnicodeDecodeError:
        raise InputError(f"{where} is not UTF-8.") from None


class _Problems:
    """The problems of a file, the first of them in words."""

    def __init__(self, path: Path) -> None:
        self._path, self._shown, self._unseen = path, list[str](), 0

    def add(self, problem: str) -> None:
        if len(self._shown) < MOST_PROBLEMS_SHOWN:
            self._shown.append(problem)
        else:
            self._unseen += 1

    def raise_any(self) -> None:
        if self._shown:
            raise InputError(
                list_problems(
                    str(self._path),
                    self._shown,
                    "A journal is written by this program alone. Mend or remove what is named (calls whose "
                    "lines are removed are asked again), or move the file away.",
                    self._unseen,
                )
            )


@dataclass(frozen=True, slots=True)
class _Usage:
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class _Line:
    """All that a line of a journal may hold; ``questions`` in a release only."""

    key: str
    purpose: str
    model: str
    prompt_version: str
    prompt_digest: str
    request: str
    failure: Failure | None = None
    reply: str | None = None
    finish_reason: str | None = None
    usage: _Usage | None = None
    attempts: int = 1
    time: str = ""
    questions: tuple[str, ...] = ()


def _used_of(row: dict[str, Any], where: str) -> Used:
    line = from_json(_Line, row, where)
    for name in ("key", "prompt_digest", "request"):
        if not _DIGEST.fullmatch(value := getattr(line, name)):
            raise InputError(f"{where}: field {name!r} is {value!r}, no SHA-256 in hexadecimal.")
    answer: Answer
    match line.failure, line.reply, line.finish_reason, line.usage:
        case Failure() as failure, None, None, None:
            answer = failure
        case None, str() as text, str() as reason, _Usage() as tokens:
            answer = Reply(text, reason, tokens.prompt_tokens, tokens.completion_tokens)
        case _:
            raise InputError(
                f"{where}: either 'failure' or all of 'reply', 'finish_reason', 'usage' were expected."
            )
    # What many lines have in common is held once.
    entry = Entry(
        line.key, sys.intern(line.purpose), sys.intern(line.model), sys.intern(line.prompt_version),
        sys.intern(line.prompt_digest), line.request, answer, line.attempts, line.time,
    )  # fmt: skip
    return Used(entry, line.questions)
