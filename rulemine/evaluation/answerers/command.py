"""Any program as a system: questions on its standard input, answers on its standard output.

The program gets one JSON object a line, ``{"id", "question", "topic_entities"}``, and writes one prediction a
line, as in a prediction file (`rulemine.evaluation.predictions`), before it gets the next question. It is
started without a shell, finds the graph in the file that the environment variable ``RULEMINE_KG`` names
(subject, relation, object, separated by tabs), a property graph also in that of ``RULEMINE_GRAPH`` (SimpleKG
JSON), and the naming of the entities in ``RULEMINE_NAMING``, and learns from the end of its input that there
are no more questions. What it writes to standard error is kept.

Guarantees: what was answered is kept as it arrives and not asked again by the same program on the same graph;
a question that a program does not answer (it takes too long, ends, or writes something else) counts as
answered with nothing, is reported, and is asked again by the next run; an answer is waited for no longer than
was agreed, whatever the program does or starts; no process is left behind.
"""

import json
import os
import selectors
import shlex
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar, Self, cast

from rulemine.codec import dump_line, parse_object
from rulemine.config import Section, option
from rulemine.cypher.rows import row_of
from rulemine.errors import ConfigError, InputError, LimitError, OutputError, counted
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.evaluation.predictions import prediction_of
from rulemine.files import describe_content, digest_of, read_bytes, take_lock, write_bytes
from rulemine.kg.property_graph.simplekg import simplekg_pieces

__all__ = ["Command", "NoAnswerError", "Program"]

MOST_BYTES = 1 << 26
"""An answer may be so long."""

GRACE = 5.0
"""Seconds that a program has to end once its input has ended."""

SHOWN = 200
"""So many bytes of its standard error are shown at most."""

MOST_FAILURES = 20
"""A run ends after so many questions in a row without an answer: the program does not work."""

NOTHING = Answered(answers=(), again=True)


class NoAnswerError(Exception):
    """A question got no answer: what the program did.

    Attributes:
        kind: That in a word or two, to be counted.
    """

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


class Program:
    """A program that is started when it is needed, in a process group of its own; a context manager.

    Args:
        words: The program and its arguments.
        environment: Its whole environment.
        log: Where its standard error goes, a file with a name.
    """

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str], log: IO[bytes]
    ) -> None:
        self._words, self._environment, self._log = words, environment, log
        self._process: subprocess.Popen[bytes] | None = None
        self._in: IO[bytes]
        self._out: IO[bytes]
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, problem: object, *_: object) -> None:
        if self._process is not None and problem is None:
            self._end_input()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
        self.stop()

    def answer(self, key: str, line: str, timeout: float, *, last: bool) -> dict[str, Any]:
        """The answer to a question, an object that is a prediction.

        Args:
            key: The id of the question.
            line: The question, without LF.
            timeout: Seconds until there must be an answer, a start included.
            last: Whether the input ends with it, and so does the process with its answer.

        Raises:
            NoAnswerError: There is none; the process may wait, or write on.
            ConfigError: The program cannot be started.
        """
        fresh = self._process is None
        try:
            output = self._exchange(f"{line}\n".encode(), time.monotonic() + timeout, last)
        except NoAnswerError as found:
            if fresh or found.kind != "ended":
                raise
            self.stop()  # it may be one that ends after an answer
            output = self._exchange(f"{line}\n".encode(), time.monotonic() + timeout, last)
        if last:
            self.stop()
        try:
            row = parse_object(output.decode("utf-8"), "")
        except (InputError, UnicodeDecodeError):
            shown = output[:60].decode("utf-8", "replace")
            raise NoAnswerError("no JSON object", f"wrote {shown!r}, no JSON object") from None
        prediction, problem = prediction_of(row)
        if prediction is None:
            raise NoAnswerError("no prediction", f"wrote no prediction: {problem}")
        if prediction.id != key:
            raise NoAnswerError("another id", f"answered {prediction.id!r} instead")
        return row

    def stop(self) -> None:
        """Ends the process and all that it started."""
        process, self._process, self._rest = self._process, None, b""
        if process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (self._in, self._out):
            with suppress(OSError):  # what it did not read is lost
                pipe.close()

    def last_error(self) -> str:
        """Where its standard error is and what that ends with, as a sentence; "" if it is empty."""
        path = Path(self._log.name)
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - SHOWN))
            last = file.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
        return f"Its standard error ({path}) ends with {last!r}. " if last else ""

    def _start(self) -> None:
        try:
            process = subprocess.Popen(  # noqa: S603 - what the user wants to be run
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=self._environment,
                start_new_session=True,  # so that all of it can be ended
                bufsize=0,
            )
        except OSError as problem:
            raise ConfigError(
                f"command: {self._words[0]!r} cannot be started ({problem.strerror}). Give the name of a "
                "program, or its path, and its arguments."
            ) from None
        self._process = process
        self._in, self._out = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        os.set_blocking(self._in.fileno(), False)

    def _exchange(self, question: bytes, until: float, last: bool) -> bytes:
        """Writes a question, and reads until there is a line with something on it."""
        if self._process is None:
            self._start()
        read, self._rest = self._rest, b""
        answer = bytearray(read)
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._out, selectors.EVENT_READ)
            waiting.register(self._in, selectors.EVENT_WRITE)
            while True:
                if b"\n" in read:
                    line, ended, rest = bytes(answer).lstrip().partition(b"\n")
                    if ended:
                        self._rest = rest
                        return line
                if len(answer) > MOST_BYTES:
                    raise NoAnswerError(
                        "too long", f"wrote more than {MOST_BYTES >> 20} MiB in a line"
                    )
                ready = waiting.select(max(0.0, until - time.monotonic()))
                if not ready:
                    raise NoAnswerError("time-out", "took longer than its time-out")
                read = b""
                for key, _ in ready:
                    if key.fileobj is self._in:
                        question = self._write(question)
                        if not question:
                            waiting.unregister(self._in)
                            if last:
                                self._end_input()
                    elif read := os.read(self._out.fileno(), 1 << 16):
                        answer += read
                    elif answer.strip():
                        return bytes(answer)  # a last line without an end
                    else:
                        raise NoAnswerError("ended", f"ended{self._status()} without an answer")

    def _write(self, text: bytes) -> bytes:
        """Writes what fits, and returns the rest."""
        try:
            return text[os.write(self._in.fileno(), text) :]
        except BrokenPipeError:
            return b""  # what it wrote before it ended is still to be read

    def _end_input(self) -> None:
        with suppress(BrokenPipeError):
            self._in.close()

    def _status(self) -> str:
        """How the process ended, in words; "" if it only closed its output."""
        with suppress(subprocess.TimeoutExpired):
            status = self._process.wait(GRACE) if self._process else 0
            return f" (signal {-status})" if status < 0 else f" (exit status {status})"
        return ""


def _words(program: str) -> list[str]:
    """The words of a command line, as a shell would split them; none where it would not."""
    try:
        return shlex.split(program)
    except ValueError:
        return []


@dataclass(frozen=True)
class Command(Section):
    """See the module.

    Attributes:
        program: The program and its arguments, as in a shell, but no shell reads them. On the command line it
            may stand after ``--`` instead.
        timeout: Seconds that it may take for a question; for the first one after a start, that included.
        restart: Whether it is started anew for every question, for programs that answer when their input
            ends.
    """

    program: str = option(
        "", expected="a program and its arguments", fits_too=lambda text: not text or _words(text)
    )
    timeout: float = option(60.0, above=0)
    restart: bool = option(False)

    answers: ClassVar = ("entities", "rows")

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the program answers to each question.

        Raises:
            ConfigError: There is no such program, or it cannot be started.
            LimitError: It answers nothing; what it answered before is kept.
        """
        words = _words(self.program)
        if not words:
            raise ConfigError(
                "command: no program. Name it at the end, --with command … -- python my_system.py, or as an "
                'option, --with command:program="python my_system.py".'
            )
        contents = [_content(words[:1]), _content(words[1:])]
        with ExitStack() as opened:
            if given.folder is None:
                folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
            else:
                folder = given.folder / "command"
            graph = given.kg.digest
            kg = folder / f"kg-{graph[:16]}.tsv"
            if not kg.exists():
                folder.mkdir(parents=True, exist_ok=True)
                given.kg.write(kg)
            environment = {
                "PYTHONUNBUFFERED": "1",  # a line that waits in a buffer is no answer
                **os.environ,
                "RULEMINE_KG": str(kg.resolve()),
                "RULEMINE_NAMING": given.naming,
            }
            if given.graph is not None:
                text = "".join(simplekg_pieces(given.graph)).encode()
                graph = digest_of(text)
                path = folder / f"graph-{graph[:16]}.json"
                if not path.exists():
                    write_bytes(path, text)
                environment["RULEMINE_GRAPH"] = str(path.resolve())
            same = [words, self.restart, graph, given.naming, *contents]
            name = f"answers-{digest_of(dump_line(same).encode())[:16]}"
            kept = opened.enter_context(_Kept(folder / f"{name}.jsonl"))
            log = opened.enter_context((folder / f"{name}.log").open("ab"))
            program = opened.enter_context(Program(words, environment, log))
            return self._ask(program, kept, given, questions)

    def _ask(
        self, program: Program, kept: "_Kept", given: Context, questions: Sequence[OpenQuestion]
    ) -> list[Answered]:
        found: list[Answered] = []
        reasons: Counter[str] = Counter()
        reused = in_a_row = 0
        for number, q in enumerate(questions):
            line = dump_line(
                {"id": q.id, "question": q.question, "topic_entities": list(q.anchors)}
            )
            answer = kept.get(line)
            reused += answer is not None
            if answer is None:
                begun = time.monotonic()
                try:
                    answer = program.answer(q.id, line, self.timeout, last=self.restart)
                except NoAnswerError as problem:
                    program.stop()
                    reasons[problem.kind] += 1
                    in_a_row += 1
                    if reasons.total() == 1:
                        given.note(f"{q.id}: the program {problem}.")
                    if in_a_row == MOST_FAILURES:
                        raise LimitError(
                            f"command: no answer to {counted(in_a_row, 'question')} in a row; to {q.id} the "
                            f"program {problem}. {program.last_error()}What it answered is kept. "
                            "Mend it and run the same command again."
                        ) from None
                else:
                    in_a_row = 0
                    answer["usage"] = _usage(answer, time.monotonic() - begun)
                    kept.keep(line, answer)
            found.append(NOTHING if answer is None else _found(answer))
            if given.progress is not None:
                given.progress(number + 1, len(questions))
        if reused:
            given.note(f"{counted(reused, 'answer')} of an earlier run were kept: {kept.path}.")
        if reasons:
            each = ", ".join(f"{n} × {kind}" for kind, n in sorted(reasons.items()))
            given.note(
                f"{counted(reasons.total(), 'question')} of {len(questions):,} got no answer ({each}) and "
                f"count as answered with nothing. {program.last_error()}{_advice(reasons)}"
                "Run again to ask them again."
            )
        return found


def _advice(reasons: Mapping[str, int]) -> str:
    """What programs that are right in themselves most often do wrong; "" if it is something else."""
    advice = ""
    if reasons.get("time-out"):
        advice = (
            "A program that waits for the end of its input, or whose input or output is buffered, needs "
            "command:restart=true; a slow one a longer command:timeout. "
        )
    if reasons.get("no JSON object"):
        advice += "Anything but answers belongs to standard error. "
    return advice


def _content(words: Sequence[str]) -> str:
    """The digest of the first file that words name: the program, or its script; "" if they name none.

    Further files may be logs and caches, which change while it runs.
    """
    for word in words:
        with suppress(OSError, ValueError, InputError):
            if Path(word).is_file():
                return describe_content(Path(word))[1]
    return ""


def _usage(answer: dict[str, Any], seconds: float) -> dict[str, Any]:
    """What the program says its answer cost, or the seconds that were measured."""
    usage = answer.get("usage") or {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0}
    return {"seconds": round(seconds, 3), **usage}


def _found(answer: dict[str, Any]) -> Answered:
    prediction, problem = prediction_of(answer)
    if prediction is None:
        raise ValueError(problem)
    cost = prediction.cost
    return Answered(
        answers=prediction.answers,
        text=prediction.raw_output,
        cypher=prediction.cypher,
        sparql=prediction.sparql,
        rows=None if prediction.rows is None else tuple(map(row_of, prediction.rows)),
        ranking=prediction.ranking,
        retrieved=prediction.retrieved,
        generated=prediction.generated,
        calls=cost.calls if cost else 0,
        prompt_tokens=cost.prompt_tokens if cost else 0,
        completion_tokens=cost.completion_tokens if cost else 0,
        seconds=cost.seconds if cost else None,
    )


class _Kept:
    """Questions and their answers, line by line, in a file that one process at a time may have."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._answers: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> "_Kept":
        self._file = self.path.open("ab")
        if not take_lock(self._file.fileno()):
            self._file.close()
            raise OutputError(
                f"{self.path}: another process is asking this program. Wait for its end, or choose "
                "another -o."
            )
        whole, _, torn = read_bytes(self.path).rpartition(b"\n")
        for line in whole.split(b"\n"):
            with suppress(ValueError, KeyError, TypeError):  # damaged: asked again
                row = json.loads(line)
                if prediction_of(row["answer"])[0] is not None:
                    self._answers[row["question"]] = row["answer"]
        if torn:
            self._file.write(b"\n")
        return self

    def __exit__(self, *problem: object) -> None:
        self._file.close()

    def get(self, question: str) -> dict[str, Any] | None:
        """The answer that is kept, if there is one."""
        return self._answers.get(question)

    def keep(self, question: str, answer: dict[str, Any]) -> None:
        """Adds an answer."""
        self._answers[question] = answer
        try:
            self._file.write(f"{dump_line({'question': question, 'answer': answer})}\n".encode())
            self._file.flush()
        except OSError as problem:
            raise OutputError(
                f"{self.path}: cannot be written ({problem.strerror}). Free space and run again."
            ) from None
