"""The Java virtual machine of this process; the only module that imports jpype.

Guarantees: the JVM starts when it is first needed, once per process, with an explicit heap; Python
handles Ctrl-C while Java runs; running out of heap raises a `HeapError` and does not end the process.
A process that has started the JVM must not fork (use spawn): the JVM does not survive a fork.
"""

import math
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.errors import HeapError, JavaError, MiningError, RulemineError
from rulemine.mining.java_home import OLDEST_JAVA, find_jvm
from rulemine.mining.options import (
    AS_AMIE,
    MiningOptions,
    Phase,
    Resources,
    Search,
    TimeLimit,
    parse_heap,
    part_of_memory,
)

__all__ = [
    "EVERYTHING",
    "JAR",
    "Allowed",
    "Progress",
    "Rows",
    "heap_size",
    "mine_rows",
    "start_jvm",
]

JAR = Path(__file__).with_name("amie.jar")

Progress = Callable[[int, int], None]
"""Called with (done, total) about ten times a second; total is 0 while unknown."""

Rows = npt.NDArray[np.int64]
"""Rules of one head relation as the miner returns them, see `mine_rows`."""

Finished = Callable[[int, Rows], None]


class Allowed(NamedTuple):
    """Relations that a rule may have: bool, shape (relations,); None: all."""

    heads: npt.NDArray[np.bool_] | None
    bodies: npt.NDArray[np.bool_] | None


EVERYTHING = Allowed(None, None)

POLL_MILLISECONDS = 100
MEASURE_COLUMNS = 5
"""Head relation, functional variable, support, body size, PCA body size; the atoms follow."""

_FIRST_HEAP = 32 << 20
"""Initial heap, which grows; the JVM's default is a fraction of the memory."""

BYTES_A_TRIPLE = 48
"""Heap for the index. Measured: 47 at 10 million synthetic triples, with a tenth as many entities."""

MANY_TRIPLES = 1 << 20
"""After mining more triples than this, the memory of their index is returned to the system."""

_LARGEST_YOUNG = 256 << 20
"""Largest young generation of the heap, in bytes: the rest is for the index."""

_BESIDE_HEAP = 2560 << 20
"""Bytes of addresses that a JVM reserves besides its heap. Measured: 2,335 MiB, whatever the heap."""

_LEAST_HEAP = 64
"""The smallest heap in MiB, unless a smaller one is asked for or less memory is left."""

MOST_TRIPLES = 2**30 - 8
"""The index numbers both ends of each triple with Java's 32-bit integers."""

ROWS_A_BUFFER = 1 << 26
"""Rows per buffer: Java reads NumPy's memory in place, in buffers of at most 2 GiB."""

_DONE, _CANCELLED, _OUT_OF_MEMORY, _FAILED = 1, 2, 3, 4

_started_heap: str | None = None

_indexed: tuple[npt.NDArray[np.int32], Any] | None = None
"""Triples, and the job that has their index."""


def start_jvm(heap: str | None = None, *, long_run: bool = False) -> None:
    """Starts the JVM unless it is running.

    Args:
        heap: Its heap, e.g. ``4g``; None: half of the memory, or the heap of the running JVM.
        long_run: Whether to prepare for many seconds of work; ignored if the JVM is running.

    Raises:
        JavaError: No usable Java runtime, the jar is missing, or the runtime does not start.
        HeapError: The heap exceeds the memory of the machine, or differs from that of the running JVM.
    """
    global _started_heap
    if _started_heap is not None:
        if heap is not None and parse_heap(heap) != parse_heap(_started_heap):
            raise HeapError(
                f"the Java virtual machine of this process runs with a heap of {_started_heap}; "
                f"it cannot be changed to {heap}. Request it before the first use, or in a new "
                "process."
            )
        return
    size = heap_size(heap)
    if not JAR.is_file():
        raise JavaError(
            f"{JAR} is missing. In a checkout, build it with: make jar (needs a JDK "
            f"{OLDEST_JAVA} or newer). Otherwise install the package again."
        )
    library = find_jvm()
    import jpype.config

    if jpype.isJVMStarted():
        raise JavaError(
            "another library has started a Java virtual machine in this process, without this "
            "package's jar and options. Mine in a process of its own."
        )
    if threading.current_thread() is not threading.main_thread():
        jpype.config.destroy_jvm = False  # at the end Java would wait for this thread
    try:
        jpype.startJVM(
            *_flags(size, long_run), jvmpath=str(library), classpath=[str(JAR)],
            convertStrings=False, interrupt=False,
        )  # fmt: skip
    except (OSError, RuntimeError, jpype.JVMNotFoundException) as problem:
        raise JavaError(
            f"{library}: the Java virtual machine does not start ({problem}). Try a smaller "
            "--heap, or another Java runtime by JAVA_HOME."
        ) from problem
    _started_heap = size


def heap_size(heap: str | None) -> str:
    """The heap to start a Java virtual machine with: the one asked for, else half of what there is.

    Raises:
        HeapError: It exceeds the memory of the machine, or the addresses that this process may use.
    """
    memory, room = _physical_memory(), _room()
    if heap is not None and parse_heap(heap) > memory:
        raise HeapError(
            f"a heap of {heap} was requested, but this machine has {memory >> 20}m of memory. "
            "Give a smaller --heap."
        )
    if room < (parse_heap(heap) if heap else _FIRST_HEAP):
        # Java would end this process with a line of its own.
        raise HeapError(
            f"a heap of {heap or f'{_FIRST_HEAP >> 20}m'} does not fit: the addresses of this process are "
            f"limited (ulimit -v), and {max(room, 0) >> 20}m are left beside what Java takes for itself. "
            f"Raise the limit{', or give a smaller --heap' if heap else ''}."
        )
    return heap or f"{max(min(memory, room) // 2 >> 20, min(_LEAST_HEAP, room >> 20))}m"


def _room() -> int:
    """Bytes of addresses that are left for a heap; those of a machine where no limit is set."""
    try:
        import resource
    except ImportError:  # Windows
        return 1 << 62
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return 1 << 62
    sizes = Path("/proc/self/statm")
    used = int(sizes.read_text().split()[0]) * resource.getpagesize() if sizes.exists() else 0
    return limit - used - _BESIDE_HEAP


def _flags(heap: str, long_run: bool) -> list[str]:
    # The optimizing compiler pays off only if the work takes far more than ten seconds.
    compiler = [] if long_run else ["-XX:TieredStopAtLevel=1"]
    return [
        *compiler,
        f"-Xmx{heap}",
        f"-Xms{min(parse_heap(heap), _FIRST_HEAP) >> 20}m",
        f"-XX:MaxNewSize={min(parse_heap(heap) // 3, _LARGEST_YOUNG) >> 20}m",
        # The JVM guards the main thread's stack at this depth, and Python must have all of it: with the
        # default of 1 MB, JSON nested deeply enough kills the process (from Python 3.12 on, any text can).
        "-Xss8m",
        "-Xrs",  # leaves SIGINT to Python; see also interrupt=False
        "-XX:+UseSerialGC",  # the least start-up time and memory; the miner makes little garbage
        "-XX:-ShrinkHeapInSteps",  # what is collected is given back to the system at once
        "-Xshare:auto",
        "-XX:-UsePerfData",
        "-Djava.awt.headless=true",
        "--enable-native-access=ALL-UNNAMED",
    ]


def _index_size(triples: int) -> int:
    return 16 + (triples * BYTES_A_TRIPLE >> 20)


def _enough(triples: int) -> int:
    """The heap to suggest next, in MiB: four times the index, and twice the heap that was too small."""
    return max(4 * _index_size(triples), 2 * parse_heap(_started_heap or "64m") >> 20)


def _physical_memory() -> int:
    """Bytes of memory for this process: of the machine, or its container, job or worker if that is less."""
    part = part_of_memory()
    sizes = [] if part is None else [part]
    if hasattr(os, "sysconf"):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    groups = Path("/sys/fs/cgroup")
    limits = [groups / "memory.max", groups / "memory/memory.limit_in_bytes"]
    own = Path("/proc/self/cgroup")
    with suppress(OSError, ValueError, IndexError):
        inner = groups / own.read_text().split("0::/")[1].strip()
        limits += [p / "memory.max" for p in (inner, *inner.parents) if p.is_relative_to(groups)]
    for path in limits:
        with suppress(OSError, ValueError):
            sizes.append(int(path.read_text()))  # "max" is no number
    return min(sizes, default=4 << 30)


def mine_rows(
    triples: npt.NDArray[np.int32],
    entities: int,
    relations: int,
    options: MiningOptions,
    finished: Finished,
    resources: Resources | None = None,
    limit: TimeLimit | None = None,
    progress: Progress | None = None,
    allowed: Allowed = EVERYTHING,
    *,
    search: Search = AS_AMIE,
    keep: bool = False,
    phase: Phase | None = None,
) -> None:
    """Mines rules as tables of integers, one for each head relation.

    Args:
        triples: int32, shape (n, 3), C-contiguous, unique rows: subject, relation, object ids.
        entities: Number of entities.
        relations: Number of relations.
        options: What is mined.
        finished: Called with (head relation, its rows) when one is finished, in no particular order.
            The rows are int64, shape (rules, `MEASURE_COLUMNS` + max_atoms - 1), in canonical order.
            An atom is ``relation << 6 | subject << 3 | object``, -1 if the rule has fewer. A term of 7
            is an entity, whose id plus one is in the upper half of the number, and so is that in the
            column of a head with an entity.
        resources: Threads and heap.
        limit: Time limit; ends the run with the head relations finished by then.
        progress: Called about ten times a second.
        allowed: The relations that may be heads, and that may occur in bodies.
        search: What of the search is turned off.
        keep: Whether Java keeps the index of the graph for the next call with the same array.
        phase: All that is done of the search; the rows are then its rules, as it has them.

    Raises:
        MiningError: The graph is too large for the index.
        HeapError: The heap is too small.
        JavaError: No usable Java runtime.
        KeyboardInterrupt: Ctrl-C; raised after the miner has stopped.
    """
    resources = resources or Resources()
    if triples.dtype != np.int32 or triples.ndim != 2 or not triples.flags.c_contiguous:
        raise TypeError(
            f"triples are {triples.dtype} {triples.shape}, not int32 (n, 3), contiguous"
        )
    if len(triples) > MOST_TRIPLES:
        raise MiningError(
            f"the graph has {len(triples):,} triples; at most {MOST_TRIPLES:,} (2³⁰ − 8) can be mined. "
            "Mine a part of it, such as its most frequent relations."
        )
    start_jvm(resources.heap, long_run=_is_long(len(triples), options.max_atoms))
    import jpype

    try:
        bias = _bias(jpype, options, allowed, search)
        job = _new_job(jpype, triples, entities, relations, options, resources, bias)
        if keep:
            _share_index(triples, job)
        columns = MEASURE_COLUMNS + options.max_atoms - 1
        if phase is not None:
            columns = phase.rules.shape[1]
            rules = jpype.JArray(jpype.JLong)(phase.rules.ravel())
            job.only(phase.length, phase.measuring, rules)
        job.start()
        state = _wait(job, progress, finished, limit or TimeLimit(None), columns)
        if state in (_DONE, _CANCELLED):
            if not keep and len(triples) > MANY_TRIPLES:
                del job  # and with it the index: what comes after mining needs the memory
                jpype.java.lang.System.gc()
            return
        message = str(job.message())
    except jpype.JException as problem:
        state = _OUT_OF_MEMORY if "OutOfMemoryError" in str(type(problem)) else _FAILED
        message = str(problem)
    if state == _OUT_OF_MEMORY:
        raise HeapError(
            f"the miner ran out of memory with a Java heap of {_started_heap}. Raise it with "
            f"--heap (for example --heap {_enough(len(triples))}m; the index of {len(triples):,} triples "
            f"alone takes about {_index_size(len(triples))}m), or raise the thresholds."
        )
    raise RulemineError(f"the miner failed: {message}. This is a bug; please report it.")


def _share_index(triples: npt.NDArray[np.int32], job: Any) -> None:
    """Lets a job use the index of the first one that had the same array."""
    global _indexed
    if _indexed is not None and _indexed[0] is triples:
        job.takeIndexOf(_indexed[1])
    else:
        _indexed = triples, job


def _is_long(triples: int, max_atoms: int) -> bool:
    """A heuristic: FB15k-237 (272,115 triples) takes a second at 3 atoms and half a minute at 4."""
    return triples > {2: 10**8, 3: 10**6, 4: 10**5}.get(max_atoms, 10**3)


def _new_job(
    jpype: Any,
    triples: npt.NDArray[np.int32],
    entities: int,
    relations: int,
    options: MiningOptions,
    resources: Resources,
    bias: Any,
) -> Any:
    parts = [
        jpype.nio.convertToDirectBuffer(triples[start : start + ROWS_A_BUFFER].data.cast("B"))
        for start in range(0, len(triples), ROWS_A_BUFFER)
    ]
    miner = jpype.JClass("org.rulemine.amie.Miner")
    return miner.job(
        jpype.JArray(jpype.JClass("java.nio.ByteBuffer"))(parts),
        entities,
        relations,
        options.max_atoms,
        float(options.min_head_coverage),
        float(options.min_std_confidence),
        float(options.min_pca_confidence),
        options.min_initial_support,
        bias,
        resources.thread_count,
    )


def _bias(jpype: Any, options: MiningOptions, allowed: Allowed, search: Search) -> Any:
    masks = [
        None if mask is None else jpype.JArray(jpype.JBoolean)(mask.tolist()) for mask in allowed
    ]
    return jpype.JClass("org.rulemine.amie.rule.Bias")(
        *masks, *search, options.constants, options.injective
    )


def _wait(
    job: Any, progress: Progress | None, finished: Finished, limit: TimeLimit, columns: int
) -> int:
    """Waits for a job in short intervals; an interrupt stops the job first."""
    rules = 0
    try:
        while not (state := int(job.awaitEnd(_turn(limit.left(rules))))):
            if progress is not None:
                progress(int(job.done()), int(job.total()))
            rules += _take_finished(job, finished, columns)
            if limit.left(rules) <= 0:
                job.cancel()
        _take_finished(job, finished, columns)
    except BaseException:
        job.cancel()
        while not job.awaitEnd(POLL_MILLISECONDS):
            time.sleep(0)
        raise
    if progress is not None and state == _DONE:
        progress(int(job.total()), int(job.total()))
    return state


def _turn(seconds: float) -> int:
    """Milliseconds to wait before the next check, with this many seconds left."""
    return min(POLL_MILLISECONDS, max(1, math.ceil(1000 * min(seconds, 1))))


def _take_finished(job: Any, finished: Finished, columns: int) -> int:
    """Passes on the rows of finished head relations, and returns how many there were."""
    rules = 0
    while (head := int(job.takeFinished())) >= 0:
        rows = np.array(job.takeRows(head), np.int64).reshape(-1, columns)
        finished(head, rows)
        rules += len(rows)
    return rules
