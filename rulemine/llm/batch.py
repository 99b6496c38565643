"""Calls through files of a Batch API: what is to be asked is written down, what came back is read.

A folder has rounds, ``round-0001.requests.jsonl`` and so on, and whatever a Batch API (OpenAI's, or a program
that reads its files) made of them: every other ``*.jsonl``. The ``custom_id`` of a request is the key of its
call in the journal, and where it is not the first for that call, its number after it. So nothing else is
kept, and the folder alone says what was asked, answered, failed and lost.

Guarantees: a call is asked again only when its latest request has failed, or has no result in a file that has
others; a reply counts as it would over the network; files that are not rounds are only read; a run that is
killed leaves whole lines for the next.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from rulemine.errors import OutputError, counted
from rulemine.files import take_lock
from rulemine.llm.call import Answer, Call, Reply
from rulemine.llm.options import EndpointOptions
from rulemine.llm.wire import CallProblem, Wire, problem_of_status

__all__ = ["BatchFolder", "WantedError"]

MOST_LINES, MOST_BYTES = 50_000, 200_000_000
"""Requests, or texts to be embedded, and bytes of a file at most: the limits of OpenAI's API."""

MOST_TRIES = 6
"""Requests of a call at most."""

MOST_SHOWN = 10
"""Files that a message names, and kinds of failures."""

LOST = CallProblem("fault", "no result came back")

_ROUND = re.compile(r"round-(\d+)(?:-\d+)?\.requests\.jsonl")


class WantedError(
    BaseException
):  # no `except Exception` of a conversation may take it for an answer
    """A call has no reply yet; ends its conversation and no other."""


class _Place(NamedTuple):
    """Where a line is: its file, and the byte it begins at."""

    file: Path
    start: int

    def row(self) -> dict[str, Any]:
        with self.file.open("rb") as file:
            file.seek(self.start)
            found: dict[str, Any] = json.loads(file.readline())
            return found


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
        self._asked: dict[str, _Place] = {}
        self._results: dict[str, _Place] = {}
        self._back: set[Path] = set()
        self._round = 0
        self._new: dict[Path, str] = {}  # file that was begun -> its model
        self._weights: Counter[Path] = Counter()
        self._writing: dict[tuple[str, str], BinaryIO] = {}
        self._stack = ExitStack()
        self._open: dict[str, Path] = {}
        self._again: Counter[str] = Counter()

    def answer(self, call: Call) -> Answer:
        """The answer to a call that the results have, as it would have come over the network.

        Raises:
            WantedError: There is none; the call is in a round now, if it was not.
            OutputError: The folder cannot be used, or another process uses it.
        """
        try:
            if not self._round:
                self._read_folder()
            return self._answer(call)
        except OSError as problem:
            raise OutputError(
                f"{problem.filename or self.folder}: cannot be read or written ({problem.strerror}). What is "
                "there is kept. Free space, mend the permissions, or name another folder with "
                "--set endpoint.batch=FOLDER."
            ) from None

    def _answer(self, call: Call) -> Answer:
        if call.key in self._open:
            raise WantedError
        problem: CallProblem | None = None
        for number in count(1):
            id_ = call.key if number == 1 else f"{call.key}-{number}"
            if id_ in self._results:
                found = self._read(self._results[id_].row(), call)
                if isinstance(found, Reply):
                    return found
                problem = found
            elif id_ not in self._asked:
                break
            elif (file := self._asked[id_].file) not in self._back:
                self._open[call.key] = file
                raise WantedError
            else:
                problem = LOST
        if problem is not None:
            refused = problem.is_refusal and not self._wire.adapts(
                problem, call.model, call.request
            )
            if refused or number > MOST_TRIES:
                return problem.failure
            self._again[problem.detail] += 1
        self._want(call, id_)
        raise WantedError

    def _read(self, row: dict[str, Any], call: Call) -> Reply | CallProblem:
        """What a line of results says about its call."""
        status, text = _outcome(row)
        if status:
            return self._wire.read(text, call) if status == 200 else problem_of_status(status, text)
        error = row["error"] if isinstance(row.get("error"), dict) else {}
        words = [str(error[name]) for name in ("code", "message") if error.get(name)]
        return CallProblem("busy", ": ".join(words)[:300] or "no response")

    def _want(self, call: Call, id_: str) -> None:
        """Writes a request."""
        request = {"custom_id": id_, "method": "POST", "url": f"/v1{call.path}"}
        line = json.dumps({**request, "body": self._wire.body(call)}).encode() + b"\n"
        weight = max(1, len(call.inputs))
        file = self._writing.get((call.path, call.model))
        full = file is None or self._weights[Path(file.name)] + weight > MOST_LINES
        if file is None or full or file.tell() + len(line) > MOST_BYTES:
            part = f"-{len(self._new) + 1:02}" if self._new else ""
            path = self.folder / f"round-{self._round:04}{part}.requests.jsonl"
            file = self._stack.enter_context(path.open("xb", buffering=0))
            self._writing[call.path, call.model], self._new[path] = file, call.model
        file.write(line)  # whole, so that a kill tears none
        self._open[call.key] = Path(file.name)
        self._weights[self._open[call.key]] += weight

    def finish(self) -> str:
        """Says, as a paragraph, what is to be done with the files."""
        calls = Counter(self._open.values())
        to_send = [f"{p.name} ({counted(calls[p], 'call')} of {m})" for p, m in self._new.items()]
        awaited = [
            f"{p.name} ({counted(n, 'call')})" for p, n in calls.items() if p not in self._new
        ]
        kinds = [f"{n:,} × {what.rstrip('. ')}" for what, n in self._again.most_common()]
        parts = [
            f"{self.folder}: {counted(len(self._open), 'call')} to be answered.",
            f"Send each of these files as a batch: {_some(to_send)}." * bool(to_send),
            f"Nothing has come back yet of {_some(awaited)}: send it if that was not done."
            * bool(awaited),
            f"{self._again.total():,} failed before, and are asked anew: {_some(kinds)}."
            * bool(kinds),
            "Put the files that come back, of results and of errors, into this folder under any names that "
            "end in .jsonl; then the same command goes on.",
        ]
        return " ".join(filter(None, parts))

    def close(self) -> None:
        """Closes the files."""
        self._stack.close()

    def _read_folder(self) -> None:
        if (self.folder / "manifest.json").exists():
            raise OutputError(
                f"{self.folder}: is a release, and files beside its own would count as an edit of it. Name "
                "another folder with --set endpoint.batch=FOLDER."
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = self._stack.enter_context((self.folder / ".lock").open("ab"))
        if not take_lock(lock.fileno()):
            raise OutputError(
                f"{self.folder}: another process uses this folder of batches. Wait for its end, or name "
                "another with --set endpoint.batch=FOLDER."
            )
        paths = sorted(path for path in self.folder.glob("*.jsonl") if path.is_file())
        rounds = {path: int(m[1]) for path in paths if (m := _ROUND.fullmatch(path.name))}
        for path in rounds:
            for place, row in _rows(path):
                if not row:  # a run was killed while it wrote this line
                    os.truncate(path, place.start)
                self._asked[str(row.get("custom_id"))] = place
        for path in paths:
            if path not in rounds:
                self._read_results(path)
        self._round = 1 + max(rounds.values(), default=0)

    def _read_results(self, path: Path) -> None:
        """Notes where the results of a file are; of two to a request a reply counts, else the first."""
        odd: list[int] = []
        foreign: list[str] = []
        for number, (place, row) in enumerate(_rows(path), start=1):
            id_ = row.get("custom_id")
            if not isinstance(id_, str) or not row.keys() & {"response", "error"}:
                odd.append(number)
            elif id_ not in self._asked:
                foreign.append(id_)
            else:
                self._back.add(self._asked[id_].file)
                status, text = _outcome(row)
                if status == 400:  # maybe for a parameter, which later calls are asked without
                    body = self._asked[id_].row()["body"]
                    self._wire.adapts(problem_of_status(400, text), body["model"], body)
                before = self._results.setdefault(id_, place)
                if status == 200 and before != place and _outcome(before.row())[0] != 200:
                    self._results[id_] = place
        if odd:
            lines = counted(len(odd), "line is", "lines are")
            self._status(
                f"{path}: {lines} no result of a call (the first: line {odd[0]}). If the file was cut short, "
                "take it whole before you send again."
            )
        if foreign:
            results = counted(len(foreign), "result")
            self._status(
                f"{path}: {results} of another folder's rounds, not read (the first: {foreign[0][:80]})."
            )


def _rows(path: Path) -> Iterator[tuple[_Place, dict[str, Any]]]:
    """The lines of a file, each with its place; one that is no JSON object has no fields."""
    start = 0
    with path.open("rb") as file:
        for line in file:
            if not line.isspace():
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    row = {}
                yield _Place(path, start), row if isinstance(row, dict) else {}
            start += len(line)


def _outcome(row: dict[str, Any]) -> tuple[int, str]:
    """The status and the body of a response; 0: there is none."""
    response = row["response"] if isinstance(row.get("response"), dict) else {}
    status, body, error = response.get("status_code"), response.get("body"), row.get("error")
    if type(status) is not int:
        return 0, ""
    if not body and error:  # as some programs write it
        body = error if isinstance(error, dict) and "error" in error else {"error": error}
    return status, json.dumps(body)


def _some(items: list[str]) -> str:
    rest = len(items) - MOST_SHOWN
    return ", ".join(items[:MOST_SHOWN] + [f"and {rest} more"] * (rest > 0))
