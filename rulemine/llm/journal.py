"""The journal of calls: while working a SQLite database with a row a call, in a release JSON Lines.

Guarantees: an answer is in the file when `keep` returns, so that a kill loses only what was in flight (a
power failure may take the last moments with it); one process at a time has a working journal open; a line
that was changed since it was written is refused when it is read.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rulemine.codec import dump_line
from rulemine.errors import InputError, OutputError
from rulemine.files import digest_of, read_jsonl
from rulemine.llm.call import Answer, Call, Failure, Reply, key_of

__all__ = ["Journal", "answer_of", "find_journal", "line_of", "reading"]

JOURNALS = ("llm/journal.jsonl", "journal.jsonl", "llm/journal.sqlite", "journal.sqlite")
"""Where a journal lies in a release, or in the folder of stages of a build."""

_MARK = 0x52554C45
"""SQLite's application id: distinguishes a journal from another program's database."""

_TABLES = """
CREATE TABLE IF NOT EXISTS call (key TEXT PRIMARY KEY, line TEXT, time TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS took (key TEXT PRIMARY KEY, seconds REAL) WITHOUT ROWID;
"""
"""``time`` has the digest of the line after a blank, but in journals of older versions. How long a reply took
is apart: it is no part of what a release publishes."""


class Journal:
    """A journal; close it at the end.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Opens a working journal, made with its folders if it is not there.

        Args:
            path: The file.
            read_only: Whether it must be there and is left as it is. It may be a release's then.

        Raises:
            InputError: The file is no journal, or is damaged.
            OutputError: It cannot be written, or another process has it open.
        """
        self.path = path
        lines = read_only and path.suffix == ".jsonl"
        place = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        with self._problems():
            if not read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                "file::memory:" if lines else place,
                uri=True, timeout=0, isolation_level=None, check_same_thread=False,
            )  # fmt: skip
        try:
            if lines:
                self._db.executescript(_TABLES)
                for number, row in read_jsonl(path):
                    answer_of(row, f"{path}: line {number}")
                    self._put(row["key"], row, "")
            else:
                with self._problems():
                    self._open(read_only)
        except BaseException:
            self._db.close()
            raise

    def _open(self, read_only: bool) -> None:
        names = ("application_id", "schema_version")
        mark, tables = (self._db.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
        if mark != _MARK and (mark, tables) != (0, 0):
            raise sqlite3.DatabaseError("a database of another program")
        if read_only:
            return
        for setting in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=NORMAL"):
            self._db.execute(f"PRAGMA {setting}").fetchone()
        self._db.execute("BEGIN EXCLUSIVE")  # from here on no other process can
        self._db.execute(f"PRAGMA application_id={_MARK}")
        self._db.execute("COMMIT")
        self._db.executescript(_TABLES)

    def get(self, key: str) -> dict[str, Any] | None:
        """The line of a call, see `line_of`; None where it was never answered."""
        with self._problems():
            query = "SELECT line, time FROM call WHERE key = ?"
            if (found := self._db.execute(query, (key,)).fetchone()) is None:
                return None
            line, time = found
            if time.partition(" ")[2] not in ("", digest_of(line.encode())):
                raise ValueError(f"the line of call {key} was changed")
            return dict(json.loads(line))

    def limits(self) -> set[int]:
        """The values of ``max_tokens`` that calls were made with."""
        with self._problems():
            rows = self._db.execute(
                "SELECT DISTINCT json_extract(line, '$.request.max_tokens') FROM call"
            )
            return {limit for (limit,) in rows if type(limit) is int}

    def counts(self) -> dict[tuple[str, str], int]:
        """(purpose, model) → calls with a lasting answer."""
        with self._problems():
            rows = self._db.execute(
                "SELECT json_extract(line, '$.purpose'), json_extract(line, '$.request.model'), COUNT(*) "
                "FROM call WHERE json_extract(line, '$.failure.lasting') IS NOT 0 GROUP BY 1, 2"
            )
            return {(purpose, model): count for purpose, model, count in rows}

    def keep(self, call: Call, answer: Answer, seconds: float = 0.0) -> None:
        """Writes a call and its answer down, in the place of a failure that passed.

        Args:
            call: The call.
            answer: Its answer.
            seconds: How long the answer took.

        Raises:
            OutputError: The disk is full or out of reach.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._put(call.key, line_of(call, answer), now)
        with self._problems():
            self._db.execute(
                "INSERT OR REPLACE INTO took VALUES (?, ?)", (call.key, round(seconds, 3))
            )

    def seconds(self, key: str) -> float:
        """How long the answer to a call took when it came; 0 where the journal does not say."""
        found = self._db.execute("SELECT seconds FROM took WHERE key = ?", (key,)).fetchone()
        return 0.0 if found is None else float(found[0])

    def _put(self, key: str, line: Mapping[str, Any], time: str) -> None:
        with self._problems():
            text = dump_line(line)
            row = (key, text, f"{time} {digest_of(text.encode())}")
            self._db.execute("INSERT OR REPLACE INTO call VALUES (?, ?, ?)", row)

    def close(self) -> None:
        """Lets the file go."""
        self._db.close()

    @contextmanager
    def _problems(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.OperationalError, OSError) as problem:
            message = f"the journal of calls cannot be opened or written ({problem}). What is in it is kept"
            if "locked" in str(problem):
                message = "another process has this journal open. Wait for it, or choose another -o"
            raise OutputError(f"{self.path}: {message}.") from None
        except (sqlite3.DatabaseError, ValueError) as problem:
            raise InputError(
                f"{self.path}: no journal of calls, or a damaged one ({problem}). Move it away; a run "
                "without it asks everything anew."
            ) from None


def find_journal(path: Path) -> Path:
    """The journal that a path names: a journal itself, or a folder with one.

    Raises:
        InputError: There is none.
    """
    if path.is_file():
        return path
    for name in JOURNALS:
        if (path / name).is_file():
            return path / name
    what = f"holds none of {', '.join(JOURNALS)}" if path.exists() else "no such file or folder"
    raise InputError(
        f"{path}: {what}. Name a journal, or a release that a language model had a part in."
    )


@contextmanager
def reading(path: Path) -> Iterator[Journal | None]:
    """A journal, which is left as it is; None: it is not there."""
    if not path.exists():
        yield None
        return
    with closing(Journal(path, read_only=True)) as journal:
        yield journal


def line_of(call: Call, answer: Answer) -> dict[str, Any]:
    """The line of a call, as a release has it: with ``reply`` and ``usage``, or with ``failure``."""
    request = json.loads(json.dumps(call.request, sort_keys=True))
    line = {"key": call.key, "purpose": call.purpose, "sample": call.sample, "request": request}
    values = asdict(answer)
    if isinstance(answer, Failure):
        return {**line, "failure": values}
    usage = {name: values.pop(name) for name in ("prompt_tokens", "completion_tokens")}
    reply = {k: v for k, v in values.items() if v or k in ("text", "finish_reason")}
    return {**line, "reply": reply, "usage": usage}


def answer_of(line: Mapping[str, Any], where: str = "journal") -> Answer:
    """The answer in a line; whatever has nothing to do with the call is not looked at.

    Raises:
        InputError: A field is missing or of another kind, or the key is not that of the request.
    """
    try:
        if line["key"] != key_of(line["request"], line["sample"]):
            raise ValueError("its key is not that of request and sample")
        if not isinstance(line["purpose"], str) or not isinstance(line["request"]["model"], str):
            raise ValueError("purpose and model are no texts")
        if "failure" in line:
            return Failure(**line["failure"])
        if not all(type(count) is int for count in line["usage"].values()):
            raise ValueError("its usage is not counted in integers")
        return Reply(**line["reply"], **line["usage"])
    except (KeyError, TypeError, ValueError) as problem:
        what = f"no line of a journal of calls ({problem!r})"
        raise InputError(f"{where}: {what}. Take the file as it was published.") from None
