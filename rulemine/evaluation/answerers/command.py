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

import os
import selectors
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, ClassVar, Self, cast

from rulemine.codec import dump_line, parse_object
from rulemine.config import Section, option
from rulemine.cypher.rows import row_of
from rulemine.errors import ConfigError, InputError, LimitError, counted
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.evaluation.predictions import prediction_of
from rulemine.files import describe_content, digest_of, write_bytes
from rulemine.kg.property_graph.simplekg import simplekg_pieces
from rulemine.llm.call import Call, Reply
from rulemine.llm.journal import Journal, answer_of
from rulemine.release.records import Cost, Prediction

__all__ = ["Command", "NoAnswerError", "Program"]

MOST_BYTES = 1 << 26
"""An answer may be so long."""

_TOO_LONG = f"wrote more than {MOST_BYTES >> 20} MiB in a line"

GRACE = 5.0
"""Seconds that a program has to end once its input has ended."""

SHOWN = 200
"""So many bytes of its standard error are shown at most."""

MOST_FAILURES = 20
"""A run ends after so many questions in a row without an answer: the program does not work."""

_ADVICE = {
    "time-out": "A program that waits for the end of its input, or whose input or output is buffered, needs "
    "command:restart=true; a slow one a longer command:timeout. ",
    "no JSON object": "Anything but answers belongs to standard error. ",
}
"""What programs that are right in themselves most often do wrong, by the kind of `NoAnswerError`."""

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
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, problem: object, *_: object) -> None:
        if self._process is not None and problem is None:
            _send(self._process, b"", last=True)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
        self.stop()

    def answer(self, question: str, timeout: float, *, last: bool) -> bytes:
        """The line that answers a question, the next one with something on it.

        Args:
            question: The question, without LF.
            timeout: Seconds until there must be an answer, a start included.
            last: Whether the input ends with it.

        Raises:
            NoAnswerError: There is none; the process may wait, or write on.
            ConfigError: The program cannot be started.
        """
        until, fresh = time.monotonic() + timeout, self._process is None
        process = self._process = self._process or self._start()
        _send(process, f"{question}\n".encode(), last)
        output = cast(IO[bytes], process.stdout).fileno()
        piece, self._rest = self._rest, b""
        answer = bytearray(piece)
        with selectors.DefaultSelector() as waiting:
            waiting.register(output, selectors.EVENT_READ)
            while True:
                if b"\n" in piece:
                    line, ended, self._rest = bytes(answer.lstrip()).partition(b"\n")
                    if ended:
                        return line
                    answer = bytearray(line)
                if len(answer) > MOST_BYTES:
                    raise NoAnswerError("too long", _TOO_LONG)
                left = until - time.monotonic()
                if left <= 0 or not waiting.select(left):
                    raise NoAnswerError("time-out", "took longer than its time-out")
                piece = os.read(output, 1 << 16)
                answer += piece
                if not piece:
                    break
        if answer.strip():
            return bytes(answer)  # a last line without an end
        if fresh:
            raise NoAnswerError("ended", f"ended{_status(process)} without an answer")
        self.stop()  # it may be one that ends after an answer
        return self.answer(question, timeout, last=last)

    def stop(self) -> None:
        """Ends the process and all that it started."""
        process, self._process, self._rest = self._process, None, b""
        if process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            _send(process, b"", last=True)
            cast(IO[bytes], process.stdout).close()

    def last_error(self) -> str:
        """Where its standard error is and what that ends with, as a sentence; "" if it is empty."""
        path = Path(self._log.name)
        last = path.read_bytes()[-SHOWN:].decode("utf-8", "replace").strip().rpartition("\n")[2]
        return f"Its standard error ({path}) ends with {last!r}. " if last else ""

    def _start(self) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(  # noqa: S603 - what the user wants to be run
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=self._environment,
                start_new_session=True,  # so that all of it can be ended
            )
        except OSError as problem:
            raise ConfigError(
                f"command: {self._words[0]!r} cannot be started ({problem.strerror}). Give the name of a "
                "program, or its path, and its arguments."
            ) from None


def _send(process: "subprocess.Popen[bytes]", text: bytes, last: bool) -> None:
    """Writes to a program, in a thread: it may never read it. Closes its input if it is the last."""
    pipe = cast(IO[bytes], process.stdin)

    def write() -> None:
        with suppress(OSError, ValueError):  # it ended; what it wrote before is still to be read
            pipe.write(text)
            pipe.flush()
        if last:
            with suppress(OSError):
                pipe.close()

    threading.Thread(target=write, daemon=True).start()


def _status(process: "subprocess.Popen[bytes]") -> str:
    """How a process ended, in words; "" if it only closed its output."""
    with suppress(subprocess.TimeoutExpired):
        status = process.wait(GRACE)
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
        with ExitStack() as opened:
            if given.folder is None:
                folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
            else:
                folder = given.folder / "command"
            kept = opened.enter_context(closing(Journal(folder / "answers.sqlite")))
            graph, environment = _graph(given, folder)
            contents = [_content(words[:1]), _content(words[1:])]
            same = dump_line([words, self.restart, graph, given.naming, *contents])
            log = opened.enter_context((folder / "errors.log").open("wb"))
            program = opened.enter_context(Program(words, environment, log))
            return self._ask(program, same, kept, given, questions)

    def _ask(
        self, program: Program, same: str, kept: Journal, given: Context,
        questions: Sequence[OpenQuestion],
    ) -> list[Answered]:  # fmt: skip
        """The answer to each question; what is kept is that of the same program, as `same` has it."""
        found: list[Answered] = []
        reasons: Counter[str] = Counter()
        reused = in_a_row = 0
        for q in questions:
            asked = {"id": q.id, "question": q.question, "topic_entities": list(q.anchors)}
            line = dump_line(asked)
            call = Call(same, [{"role": "user", "content": line}], purpose="command")
            known = kept.get(call.key)
            begun = time.monotonic()
            try:
                said = known and cast(Reply, answer_of(known)).text
                if not said:
                    output = program.answer(line, self.timeout, last=self.restart)
                    said = output.decode("utf-8", "surrogateescape")
                prediction = _prediction(q.id, said)
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
                found.append(NOTHING)
            else:
                if known is None:
                    in_a_row = 0
                    kept.keep(call, Reply(said), time.monotonic() - begun)
                reused += known is not None
                found.append(_found(prediction, kept.seconds(call.key)))
            if self.restart:
                program.stop()
            if given.progress is not None:
                given.progress(len(found), len(questions))
        if reused:
            given.note(f"{counted(reused, 'answer')} of an earlier run were kept: {kept.path}.")
        if reasons:
            each = ", ".join(f"{n} × {kind}" for kind, n in sorted(reasons.items()))
            advice = "".join(text for kind, text in _ADVICE.items() if reasons[kind])
            given.note(
                f"{counted(reasons.total(), 'question')} of {len(questions):,} got no answer ({each}) and "
                f"count as answered with nothing. {program.last_error()}{advice}Run again to ask them again."
            )
        return found


def _graph(given: Context, folder: Path) -> tuple[str, dict[str, str]]:
    """Writes the graph into a folder: its digest, and the environment that tells a program of it."""
    digest = given.kg.digest
    kg = folder / f"kg-{digest[:16]}.tsv"
    if not kg.exists():
        given.kg.write(kg)
    environment = {
        "PYTHONUNBUFFERED": "1",  # a line that waits in a buffer is no answer
        **os.environ,
        "RULEMINE_KG": str(kg.resolve()),
        "RULEMINE_NAMING": given.naming,
    }
    if given.graph is not None:
        text = "".join(simplekg_pieces(given.graph)).encode()
        digest = digest_of(text)
        path = folder / f"graph-{digest[:16]}.json"
        write_bytes(path, text)
        environment["RULEMINE_GRAPH"] = str(path.resolve())
    return digest, environment


def _content(words: Sequence[str]) -> str:
    """The digest of the first file that words name: the program, or its script; "" if they name none.

    Further files may be logs and caches, which change while it runs.
    """
    for word in words:
        with suppress(OSError, ValueError, InputError):
            if Path(word).is_file():
                return describe_content(Path(word))[1]
    return ""


def _prediction(key: str, said: str) -> Prediction:
    """The prediction in a line that answers the question of that id.

    Raises:
        NoAnswerError: There is none.
    """
    try:
        row = parse_object(said, "")
    except InputError:
        raise NoAnswerError("no JSON object", f"wrote {said[:60]!r}, no JSON object") from None
    prediction, problem = prediction_of(row)
    if prediction is None:
        raise NoAnswerError("no prediction", f"wrote no prediction: {problem}")
    if prediction.id != key:
        raise NoAnswerError("another id", f"answered {prediction.id!r} instead")
    return prediction


def _found(prediction: Prediction, seconds: float) -> Answered:
    """A prediction as what an answerer found; its time is what was measured where it says none."""
    cost = prediction.cost or Cost(0, 0, 0)
    return Answered(
        answers=prediction.answers,
        text=prediction.raw_output,
        cypher=prediction.cypher,
        sparql=prediction.sparql,
        rows=None if prediction.rows is None else tuple(map(row_of, prediction.rows)),
        ranking=prediction.ranking,
        retrieved=prediction.retrieved,
        generated=prediction.generated,
        calls=cost.calls,
        prompt_tokens=cost.prompt_tokens,
        completion_tokens=cost.completion_tokens,
        seconds=seconds if cost.seconds is None else cost.seconds,
    )
