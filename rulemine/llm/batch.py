"""Calls through files of a Batch API: what is to be asked is written down, what came back is read.

A folder has rounds, ``round-0001.requests.jsonl`` and so on, and whatever a Batch API (OpenAI's, or a program
that reads its files) made of them: every other ``*.jsonl``. A request's ``custom_id`` is the key of its call
in the journal, so nothing else is kept, and the folder alone says what was asked, answered and failed.

Guarantees: a call is asked again only when every request of it has failed; a reply counts as it would over
the network; files that are not rounds are only read; a run that is killed leaves whole lines for the next.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from rulemine.errors import EndpointError, OutputError, counted
from rulemine.files import take_lock
from rulemine.llm.call import Answer, Call, Failure, Reply
from rulemine.llm.failures import MOST_FAILURES, MOST_TRIES, CallProblem, problem_of_status
from rulemine.llm.options import EndpointOptions
from rulemine.llm.wire import Wire

__all__ = ["BatchFolder", "WantedError"]

MOST_LINES, MOST_BYTES = 50_000, 200_000_000
"""Requests, or texts to be embedded, and bytes of a file at most: the limits of OpenAI's API."""

MOST_SHOWN = 10
"""Files that a message names, and kinds of failures."""

LONG = 50_000_000
"""Bytes of results from which on a sentence says that they are read."""

_ROUND = re.compile(r"round-(\d+)(?:-\d+)?\.requests\.jsonl")


class WantedError(
    BaseException
):  # no `except Exception` of a conversation may take it for an answer
    """A call has no reply yet; ends its conversation and no other."""


class _Place(NamedTuple):
    """Where a line is: the number of its file, and the byte it begins at."""

    file: int
    start: int


class _File(NamedTuple):
    """A file of requests that is being written: its number, how to write, and its model."""

    number: int
    handle: BinaryIO
    model: str


class BatchFolder:
    """The folder of one session."""

    def __init__(self, options: EndpointOptions, status: Callable[[str], object]) -> None:
        """Takes the folder, `EndpointOptions.batch`; nothing is read or made before the first call.

        Args:
            options: The options of the session.
            status: Called with what is worth knowing about the files, one sentence at a time.
        """
        self.folder = Path(options.batch)
        self._status, self._wire = status, Wire(options, status)
        self._files: list[Path] = []
        self._lines: list[int] = []  # of each file
        self._asked: dict[str, list[_Place]] = {}
        self._results: dict[str, list[_Place]] = {}
        self._lock: BinaryIO | None = None
        self._unusable: OutputError | None = None
        self._round = self._parts = 0
        self._writing: dict[tuple[str, str], _File] = {}
        self._written: dict[int, _File] = {}
        self._open: dict[str, int] = {}
        self._again: Counter[str] = Counter()
        self._row = 0

    def answer(self, call: Call) -> Answer:
        """The answer to a call that the results have, as it would have come over the network.

        Raises:
            WantedError: There is none; the call is in a round now, if it was not.
            EndpointError: Every one of many calls in a row has failed for good.
            OutputError: The folder cannot be used, or another process uses it.
        """
        with self._problems():
            if self._lock is None:
                self._read_folder()
            return self._answer(call)

    @contextmanager
    def _problems(self) -> Iterator[None]:
        """Says if the folder cannot be used; not again then, as what was not read would be asked anew."""
        if self._unusable is not None:
            raise self._unusable
        try:
            yield
        except OSError as problem:
            self._unusable = OutputError(
                f"{problem.filename or self.folder}: cannot be read or written ({problem.strerror}). What is "
                "there is kept. Free space, mend the permissions, or name another folder with --batch."
            )
            raise self._unusable from None

    def reply(self) -> None:
        """Counts a reply, of the results or kept from them earlier: failures are no longer in a row."""
        self._row = 0

    def _answer(self, call: Call) -> Answer:
        if call.key in self._open:
            raise WantedError
        problems: list[CallProblem] = []
        for place in self._results.get(call.key, ()):
            read = self._read(json.loads(self._line(place)), call)
            if isinstance(read, Reply):
                self.reply()
                return read
            problems.append(read)
        asked = self._asked.get(call.key, [])
        if len(asked) > len(problems):
            self._open[call.key] = asked[-1].file
            raise WantedError
        for problem in problems:
            if problem.kind == "refused" and not self._wire.adapts(
                problem, call.model, call.request
            ):
                return self._failure(
                    Failure(problem.code, problem.detail, problem.code == "context_too_long")
                )
        if len(problems) >= MOST_TRIES:
            return self._failure(Failure("endpoint_error", problems[-1].detail, lasting=False))
        if problems:
            self._again[problems[-1].detail] += 1
        self._want(call)
        raise WantedError

    def _failure(self, failure: Failure) -> Failure:
        self._row += 1
        if self._row >= MOST_FAILURES:
            raise EndpointError(
                f"{self.folder}: {self._row} calls in a row have failed; the last: "
                f"{failure.detail.rstrip('. ')}. All replies are kept. Check --model and the parameters, "
                "then remove the files of that round, requests and results: the same command writes its "
                "calls again."
            )
        return failure

    def _read(self, row: dict[str, Any], call: Call) -> Reply | CallProblem:
        """What a line of results says about its call."""
        status, text = _outcome(row)
        if status == 200:
            return self._wire.read(text, call)
        if status:
            return problem_of_status(status, {}, text)
        error = row["error"] if isinstance(row.get("error"), dict) else {}
        words = [str(error[name]) for name in ("code", "message") if error.get(name)]
        return CallProblem("retry", ": ".join(words)[:300] or "no response")

    def _want(self, call: Call) -> None:
        """Writes a request."""
        place = call.path, call.model
        request = {"custom_id": call.key, "method": "POST", "url": f"/v1{call.path}"}
        line = json.dumps({**request, "body": self._wire.body(call)}).encode() + b"\n"
        weight = max(1, len(call.inputs))
        file = self._writing.get(place)
        if file is not None:
            full = self._lines[file.number] + weight > MOST_LINES
            if full or file.handle.tell() + len(line) > MOST_BYTES:
                file = None
        if file is None:
            self._parts += 1
            part = f"-{self._parts:02}" if self._parts > 1 else ""
            path = self.folder / f"round-{self._round:04}{part}.requests.jsonl"
            file = _File(len(self._files), path.open("xb"), call.model)
            self._files.append(path)
            self._lines.append(0)
            self._writing[place] = self._written[file.number] = file
        file.handle.write(line)
        self._lines[file.number] += weight
        self._open[call.key] = file.number

    def finish(self) -> str:
        """Has all requests in their files; says, as a paragraph, what is to be done with them."""
        with self._problems():
            for file in self._written.values():
                file.handle.flush()
        files = [
            f"{self._files[number].name} ("
            + (
                f"new, {counted(count, 'call')} of {self._written[number].model}"
                if number in self._written
                else f"{count:,} of its calls have no result yet"
            )
            + ")"
            for number, count in sorted(Counter(self._open.values()).items())
        ]
        again = ""
        if self._again:
            kinds = [f"{count:,} × {what}" for what, count in self._again.most_common(MOST_SHOWN)]
            again = f" {self._again.total():,} failed before: {_some(kinds, '; ').rstrip('. ')}."
        return (
            f"{self.folder}: {counted(len(self._open), 'call')} to be answered. Send each of these files "
            f"as a batch, if that was not done: {_some(files)}.{again} Put the files that come back, of "
            "results and of errors, into this folder under any names that end in .jsonl; then the same "
            "command goes on."
        )

    def close(self) -> None:
        """Closes the files."""
        for file in self._written.values():
            with suppress(OSError):  # the next run ends the file with a whole line
                file.handle.close()
        if self._lock is not None:
            self._lock.close()

    def _read_folder(self) -> None:
        if (self.folder / "manifest.json").exists():
            raise OutputError(
                f"{self.folder}: is a release, and files beside its own would count as an edit of it. Name "
                "another folder with --batch."
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = (self.folder / ".lock").open("ab")
        if not take_lock(lock.fileno()):
            lock.close()
            raise OutputError(
                f"{self.folder}: another process uses this folder of batches. Wait for its end, or name "
                "another with --batch."
            )
        self._lock = lock
        paths = sorted(path for path in self.folder.glob("*.jsonl") if path.is_file())
        rounds = [path for path in paths if _ROUND.fullmatch(path.name)]
        self._round = 1 + max((int(_ROUND.sub(r"\1", path.name)) for path in rounds), default=0)
        for path in rounds:
            _end_whole(path)
            for place, row in self._rows(path):
                if isinstance(key := row.get("custom_id"), str):
                    self._asked.setdefault(key, []).append(place)
        results = _unlike(set(paths) - set(rounds))
        if (size := sum(path.stat().st_size for path in results)) > LONG:
            self._status(f"{self.folder}: reading {size / 1e6:,.0f} MB of results.")
        twice = 0
        for path in results:
            twice += self._read_results(path)
        if twice:
            calls = counted(twice, "call has", "calls have")
            self._status(
                f"{self.folder}: {calls} more than one reply. The first counts, by name of file."
            )

    def _read_results(self, path: Path) -> int:
        """Notes where the results of a file are; returns how many are second replies, unlike the first."""
        twice = 0
        odd: list[int] = []
        foreign: list[str] = []
        for number, (place, row) in enumerate(self._rows(path), start=1):
            key = row.get("custom_id")
            if not isinstance(key, str) or not row.keys() & {"response", "error"}:
                odd.append(number)
            elif key not in self._asked:
                foreign.append(key)
            else:
                status, text = _outcome(row)
                if status == 400:
                    self._learn(key, text)
                before = self._results.setdefault(key, [])
                if before and status == 200:
                    others = [json.loads(self._line(other)) for other in before]
                    twice += row not in others and _is_reply(row) and any(map(_is_reply, others))
                before.append(place)
        if odd:
            lines = counted(len(odd), "line is", "lines are")
            self._status(
                f"{path}: {lines} no result of a call (the first: line {odd[0]}). Was the file cut short?"
            )
        if foreign:
            results = counted(len(foreign), "result")
            self._status(
                f"{path}: {results} of another folder's rounds, not read (the first: {foreign[0][:80]})."
            )
        return twice

    def _learn(self, key: str, text: str) -> None:
        """Sees if a request was refused for a parameter that can be left out."""
        body = json.loads(self._line(self._asked[key][0]))["body"]
        self._wire.adapts(problem_of_status(400, {}, text), body["model"], body)

    def _rows(self, path: Path) -> Iterator[tuple[_Place, dict[str, Any]]]:
        """The lines of a file, each with its place; one that is no JSON object has no fields."""
        self._files.append(path)
        self._lines.append(0)
        start = 0
        with path.open("rb") as file:
            for line in file:
                if not line.isspace():
                    try:
                        row = json.loads(line)
                    except (ValueError, RecursionError):
                        row = {}
                    found = row if isinstance(row, dict) else {}
                    yield _Place(len(self._files) - 1, start), found
                start += len(line)

    def _line(self, place: _Place) -> bytes:
        with self._files[place.file].open("rb") as file:
            file.seek(place.start)
            return file.readline().strip()


def _outcome(row: dict[str, Any]) -> tuple[int, str]:
    """The status and the body of a response; 0: there is none."""
    response = row["response"] if isinstance(row.get("response"), dict) else {}
    status, body, error = response.get("status_code"), response.get("body"), row.get("error")
    if type(status) is not int:
        return 0, ""
    if not body and error:  # as some programs write it
        body = error if isinstance(error, dict) and "error" in error else {"error": error}
    return status, json.dumps(body)


def _unlike(paths: Iterable[Path]) -> list[Path]:
    """The files without copies, whole or cut short: a failure that is there twice would count twice."""
    known: dict[bytes, list[Path]] = {}
    for path in sorted(paths, key=lambda path: (-path.stat().st_size, path)):
        with path.open("rb") as file:
            same = known.setdefault(file.readline(1 << 20), [])
        if not any(_begins_with(other, path) for other in same):
            same.append(path)
    return sorted(path for same in known.values() for path in same)


def _begins_with(whole: Path, part: Path) -> bool:
    with whole.open("rb") as one, part.open("rb") as other:
        while piece := other.read(1 << 20):
            if piece != one.read(len(piece)):
                return False
    return True


def _some(items: list[str], between: str = ", ") -> str:
    rest = len(items) - MOST_SHOWN
    return between.join(items[:MOST_SHOWN] + [f"and {rest} more"] * (rest > 0))


def _is_reply(row: dict[str, Any]) -> bool:
    status, text = _outcome(row)
    return status == 200 and bool(re.search(r'"(message|embedding)": ', text))


def _end_whole(path: Path) -> None:
    """Cuts off the line that a killed run was writing; one that only lacks its end is whole."""
    tail, size = b"", 0
    with path.open("rb") as file:
        for tail in file:
            size += len(tail)
    try:
        json.loads(tail or b"{}")
    except ValueError:
        if not tail.endswith(b"\n"):
            os.truncate(path, size - len(tail))
