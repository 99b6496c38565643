"""The original AMIE 3.5.1 as a miner: a jar that the user has, run in a process of its own.

Guarantees: every option either means to AMIE what it means to this package's miner, or is refused; labels are
handed over as numbers, so that none is mangled; the rules are AMIE's, complete or none, in canonical form and
order; AMIE's `System.exit` ends its own process alone, and AMIE ends with this process, SIGKILL apart.

With one thread, the default here, AMIE prints the same rules every time. With more, a few of them depend on
which thread came first (see `rulemine.mining.difference`).
"""

import os
import re
import signal
import subprocess
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NoReturn

import numpy as np

from rulemine.errors import (
    ConfigError,
    HeapError,
    InputError,
    LimitError,
    MiningError,
    OutputError,
    counted,
)
from rulemine.files import digest_of, opened
from rulemine.kg.graph import ROWS_AT_ONCE, KnowledgeGraph
from rulemine.mining.java_home import find_java
from rulemine.mining.jvm import MEASURE_COLUMNS, Progress, heap_size
from rulemine.mining.miner import allowed_relations
from rulemine.mining.options import MiningOptions, Resources, TimeLimit, parse_heap
from rulemine.mining.result import Rules, RuleTable, row_of
from rulemine.query.atom import Atom, Term
from rulemine.rules.formats import read_rules
from rulemine.rules.rule import Measures, Rule, sort_rules

__all__ = ["AmieJar"]

MAIN_CLASS = "amie/mining/AMIE.class"

RECURSION = 3
"""AMIE's limit of atoms of one relation. In 3.5.1 its option ``-rl`` takes no value, so it cannot be set."""

LEAST = 1e-12
"""Stands for thresholds of 0; every rule with a support passes it. At 0, AMIE 3.5.1 asks for no support, and
compares rules with the PCA confidence of others that it has not counted."""

LONGEST_LIST = 100_000
"""Characters of a list of relations; Linux allows 131,072 bytes for one argument."""

SECONDS_BETWEEN_LOOKS = 0.1
GRACE = 1.0
"""Seconds for a broken AMIE to end by itself."""

LINES_SHOWN = 5
ROUNDING = 1e-8
"""AMIE prints nine decimals."""

_MINED = re.compile(r"^(\d+) rules mined\.", re.MULTILINE)
_LOADED = re.compile(r"Loaded (\d+) facts")
_OF_JAVA = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
"""Variables whose options would come on top of ours; the last would take the place of the heap."""


@dataclass(frozen=True)
class AmieJar:
    """The jar of AMIE 3.5.1.

    Attributes:
        path: Where it is.
        digest: SHA-256 of its bytes.

    Example:
        ``AmieJar.open("amie3.5.1.jar").mine(kg)``
    """

    path: Path
    digest: str

    @classmethod
    def open(cls, path: str | Path) -> "AmieJar":
        """Looks at a jar without running it.

        Raises:
            InputError: It is missing, unreadable, or not a jar of AMIE.
        """
        path = Path(path)
        with opened(path) as file:
            digest = digest_of(file.read())
        try:
            with zipfile.ZipFile(path) as jar:
                found = MAIN_CLASS in jar.namelist()
        except zipfile.BadZipFile:
            raise InputError(
                f"{path}: is no jar file. Give the jar of AMIE 3.5.1, amie3.5.1.jar."
            ) from None
        if not found:
            raise InputError(
                f"{path}: is not AMIE; it has no {MAIN_CLASS}. Give the jar of AMIE 3.5.1, amie3.5.1.jar."
            )
        return cls(path, digest)

    def command(
        self, kg: KnowledgeGraph, options: MiningOptions, resources: Resources, folder: Path
    ) -> list[str]:
        """Writes a graph for AMIE, and returns the words of the command that mines it.

        Args:
            kg: The graph.
            options: What to mine.
            resources: Threads (None: one) and heap.
            folder: Where the graph is written to: entity 5 as ``e5``, relation 3 as ``r3``.

        Raises:
            ConfigError: AMIE has nothing for an option.
            MiningError: The graph lacks relations that the options name.
            HeapError: The heap exceeds the memory.
            JavaError: There is no usable Java runtime.
            OutputError: The graph cannot be written.
        """
        refuse_unknown(options)
        heads, bodies = (
            np.ones(len(kg.relations), bool) if mask is None else mask
            for mask in allowed_relations(kg, options)
        )
        graph = folder / "kg.tsv"
        try:
            _write(kg, heads | bodies, graph)
        except OSError as problem:
            raise OutputError(
                f"{graph}: cannot be written ({problem.strerror}). Free space, or name another folder for "
                "temporary files by TMPDIR."
            ) from None
        return [
            str(find_java()), f"-Xmx{heap_size(resources.heap)}",
            # Otherwise a thread of AMIE dies of it, and the others print what they have as if it were all.
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:-UsePerfData", "-Djava.awt.headless=true",
            "-Duser.language=en", "-Duser.country=US",  # decimal points
            "-jar", str(self.path.resolve()),
            "-maxad", str(options.max_atoms),
            "-minhc", repr(max(options.min_head_coverage, LEAST)),
            "-minc", repr(options.min_std_confidence),
            "-minpca", repr(max(options.min_pca_confidence, LEAST)),
            "-minis", str(options.min_initial_support),
            # Not -htr: it ignores -minis.
            *_list_of("-hexr", bodies & ~heads), *_list_of("-bexr", heads & ~bodies),
            *(["-const"] if options.constants else []),
            *([] if options.skyline else ["-noSkyline"]),
            *([] if options.perfect_pruning else ["-dpr"]),
            "-nc", str(resources.threads or 1),
            # The thread that prints rules as they are found can miss the end, and wait for it forever.
            "-oute",
            str(graph),
        ]  # fmt: skip

    def mine(
        self,
        kg: KnowledgeGraph,
        options: MiningOptions | None = None,
        resources: Resources | None = None,
        progress: Progress | None = None,
        *,
        limit: TimeLimit | None = None,
    ) -> Rules:
        """Mines the rules of a graph, as `rulemine.mining.mine` does.

        Args:
            kg: The graph.
            options: What to mine; None: AMIE's defaults.
            resources: Threads (None: one), heap and time limit.
            progress: Called with (0, 0) about ten times a second: AMIE does not say how far it is.
            limit: A time limit that started earlier, in place of that of the resources.

        Raises:
            ConfigError: AMIE has nothing for an option.
            MiningError: AMIE failed, or prints what AMIE 3.5.1 does not; or the graph lacks relations that
                the options name.
            LimitError: The time limit ended it. AMIE finishes all head relations together, so there are no
                rules.
            HeapError: The heap is too small for AMIE, or exceeds the memory.
            JavaError: There is no usable Java runtime.
            OutputError: The graph cannot be written.
            KeyboardInterrupt: Ctrl-C; raised after AMIE was ended.
            SystemExit: SIGTERM or SIGHUP reached the main thread, which does not handle it.
        """
        options, resources = options or MiningOptions(), resources or Resources()
        limit = limit or TimeLimit(resources.limit_seconds)
        # On Windows a file of a process that was just ended may be busy for a moment.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
            folder = Path(place)
            words = self.command(kg, options, resources, folder)
            status = _run(words, folder, limit, progress)
            text, errors = ((folder / name).read_text("utf-8", "replace") for name in _STREAMS)
            if "java.lang.OutOfMemoryError" in text + errors:
                heap = heap_size(resources.heap)
                raise HeapError(
                    f"{self.path}: AMIE ran out of memory with a Java heap of {heap}. Raise it with --heap "
                    f"(for example --heap {2 * parse_heap(heap) >> 20}m), or raise the thresholds."
                )
            if status or _BROKEN in errors:
                how = f"ended with exit status {status}" if status else "failed"
                raise MiningError(f"{self.path}: AMIE {how}. {_last_lines(text, errors)}")
            return self._rules(kg, options, folder / _STREAMS[0], text, errors)

    def _rules(
        self, kg: KnowledgeGraph, options: MiningOptions, file: Path, text: str, errors: str
    ) -> Rules:
        """What AMIE printed, as rules of the graph."""
        mined, loaded = _MINED.findall(text), _LOADED.search(text)
        if not mined or not loaded:
            raise MiningError(
                f"{self.path}: AMIE ended before it was done; a line such as '145 rules mined.' is missing. "
                f"{_last_lines(text, errors)}"
            )
        handed = sum(1 for _ in (file.parent / "kg.tsv").open("rb"))
        if int(loaded[1]) != handed:
            raise MiningError(
                f"{self.path}: AMIE read {counted(int(loaded[1]), 'triple')} of {handed:,}. "
                f"{_last_lines(text, errors)}"
            )
        try:
            read = read_rules(file) if int(mined[-1]) else ()
            sizes: list[int] = kg.relation_sizes().tolist()
            rules = sort_rules(_named(kg, rule, sizes) for rule in read)
        except InputError as problem:
            reason = str(problem).removeprefix(f"{file}: ")
            raise MiningError(
                f"{self.path}: what AMIE printed cannot be read as the table of AMIE 3.5.1: {reason}"
            ) from None
        if len(rules) != int(mined[-1]):
            raise MiningError(
                f"{self.path}: AMIE printed {len(rules):,} of {counted(int(mined[-1]), 'rule')}. Run it "
                "again; if that does not help, give another jar of AMIE 3.5.1."
            )
        table = RuleTable(MEASURE_COLUMNS + options.max_atoms - 1)
        for head, group in groupby(rules, lambda rule: rule.head.relation):
            rows = [row_of(kg, rule, options.max_atoms) for rule in group]
            table.add(kg.relation_ids[head], np.array(rows, np.int64))
        return Rules(kg, table, list(table.sizes))


_STREAMS = ("output", "errors")
"""Files for what AMIE prints."""

_BROKEN = 'Exception in thread "'
"""Java prints it when a thread has died; AMIE's others then wait for it forever, or go on without it."""


def refuse_unknown(options: MiningOptions) -> None:
    """Refuses what AMIE 3.5.1 has no option for.

    Raises:
        ConfigError: The message says which option, and what to do.
    """
    if options.injective:
        raise ConfigError(
            "injective: AMIE lets different variables stand for the same entity, and has no option against "
            "it. Leave it out, or mine with the engine rulemine."
        )
    if min(options.max_recursion, options.max_atoms) != min(RECURSION, options.max_atoms):
        raise ConfigError(
            f"max_recursion is {options.max_recursion}; AMIE 3.5.1 always allows {RECURSION} atoms of one "
            "relation (its -rl takes no number). Leave it out, or mine with the engine rulemine."
        )


def _write(kg: KnowledgeGraph, used: np.ndarray, path: Path) -> None:
    """Writes the triples of some relations: the others can be in no rule, and so change none."""
    rows = kg.triples[used[kg.triples[:, 1]]]
    with path.open("w", encoding="ascii", newline="\n") as file:
        for at in range(0, len(rows), ROWS_AT_ONCE):
            some = rows[at : at + ROWS_AT_ONCE].tolist()
            file.writelines(f"e{s}\tr{r}\te{o}\n" for s, r, o in some)


def _list_of(flag: str, relations: np.ndarray) -> list[str]:
    names = ",".join(f"r{relation}" for relation in np.flatnonzero(relations).tolist())
    if len(names) > LONGEST_LIST:
        raise ConfigError(
            f"the filters keep {counted(int(relations.sum()), 'relation')} out of heads alone, or out of "
            f"bodies alone. AMIE takes them in one argument; that has {len(names):,} characters, and at most "
            f"{LONGEST_LIST:,} are possible. Use exclude_relations, or mine a part of the graph."
        )
    return [flag, names] if names else []


def _run(words: list[str], folder: Path, limit: TimeLimit, progress: Progress | None) -> int:
    """Runs AMIE to its end and returns its exit status; kills it when anything else ends this.

    Raises:
        LimitError: The time is up.
        KeyboardInterrupt: Ctrl-C, which reaches AMIE too when it is pressed on a terminal.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _OF_JAVA}
    with (
        _told_of_the_end(),
        (folder / _STREAMS[0]).open("wb") as output,
        (folder / _STREAMS[1]).open("w+b") as errors,
        subprocess.Popen(  # noqa: S603 - the jar that the user names
            words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
        ) as process,
    ):  # fmt: skip
        try:
            while process.poll() is None:
                if limit.left() <= 0:
                    raise LimitError(
                        f"AMIE was ended after {limit.seconds:g} s. It finishes all head relations together, "
                        "so there are no rules yet, and nothing was written. Give it more time "
                        "(--limit-seconds), raise the thresholds, or mine with the engine rulemine."
                    )
                if _BROKEN.encode() in (folder / _STREAMS[1]).read_bytes():
                    with suppress(subprocess.TimeoutExpired):  # for the rest of what it says
                        process.wait(GRACE)
                    break
                if progress is not None:
                    progress(0, 0)
                try:
                    process.wait(SECONDS_BETWEEN_LOOKS)
                except subprocess.TimeoutExpired:
                    continue
        finally:
            process.kill()  # without effect on what has ended
        status = process.wait()
    if status in (-signal.SIGINT, 128 + signal.SIGINT):
        raise KeyboardInterrupt
    return 0 if _BROKEN.encode() in (folder / _STREAMS[1]).read_bytes() else status


@contextmanager
def _told_of_the_end() -> Iterator[None]:
    """Meanwhile signals that would end this process at once raise SystemExit, so that AMIE is ended too."""

    def leave(number: int, _frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        signals = []  # only the main thread may handle signals
    ours = [number for number in signals if signal.getsignal(number) == signal.SIG_DFL]
    try:
        for number in ours:
            signal.signal(number, leave)
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _last_lines(text: str, errors: str) -> str:
    """The last lines of its standard error, or else of its output, without places in its code."""
    exceptions = re.findall(r"^Unexpected exception: .*", text, re.MULTILINE)  # of its command line
    lines = [
        line.rstrip()
        for line in (errors if errors.strip() else text).splitlines()
        if line.strip() and not line.startswith("\tat ")
    ]
    lines = [*exceptions, *lines[-LINES_SHOWN:]]
    return (
        "Its last lines:" + "".join(f"\n  {line}" for line in lines)
        if lines
        else "It said nothing."
    )


def _named(kg: KnowledgeGraph, rule: Rule, sizes: list[int]) -> Rule:
    """A rule over numbers as one over the labels of a graph with relations of these sizes, in canonical form.

    Raises:
        InputError: It has a number that the graph does not have, or its head coverage is of another graph.
    """

    def atom(numbered: Atom) -> Atom:
        ends: list[Term] = [
            end if isinstance(end, int) else kg.entities[int(end[1:])]
            for end in (numbered.subject, numbered.object)
        ]
        return Atom(ends[0], kg.relations[int(numbered.relation[1:])], ends[1])

    try:
        head, body = atom(rule.head), tuple(map(atom, rule.body))
    except (ValueError, IndexError):
        raise InputError(f"{rule}: names what the graph does not have.") from None
    known = rule.known
    size = sizes[kg.relation_ids[head.relation]]
    if abs(known.support / size - known.support / known.head_size) > ROUNDING:
        raise InputError(f"{rule}: its head coverage is not support / {counted(size, 'triple')}.")
    measures = Measures(known.support, known.body_size, known.pca_body_size, size, known.functional)
    return Rule(head, body, measures).canonical()
