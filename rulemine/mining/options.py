"""Options and resources of the miner.

Guarantees: every instance of `MiningOptions` and `Resources` is valid. Resources never change a rule: a
time limit decides which head relations are finished, not what their rules are.
"""

import math
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rulemine.config import Section, option
from rulemine.errors import ConfigError, HeapError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "AS_AMIE",
    "MAX_ATOMS",
    "MIN_ATOMS",
    "MiningOptions",
    "Phase",
    "Resources",
    "Search",
    "TimeLimit",
    "parse_heap",
    "part_of_memory",
    "take_part",
]

MIN_ATOMS = 2
MAX_ATOMS = 5
"""Rules of six atoms would take weeks on graphs for which rules are worth mining."""

MAX_ATOMS_WITH_CONSTANTS = 3

MAX_THREADS = 1024

_HEAP = re.compile(r"([0-9]{1,9})([mMgG])")
_SMALLEST_HEAP = 16 * 2**20
_HEAP_EXPECTED = "a whole number of megabytes or gigabytes, at least 16m, for example 512m or 4g"

_MOST_OF_JAVA = 2**31 - 1


def parse_heap(text: str) -> int:
    """The bytes of a heap size such as ``512m`` or ``4g``.

    Raises:
        HeapError: It is not such a size, or below 16m.
    """
    match = _HEAP.fullmatch(text)
    size = int(match[1]) << (30 if match[2] in "gG" else 20) if match else 0
    if size < _SMALLEST_HEAP:
        raise HeapError(f"heap is {text!r}; expected {_HEAP_EXPECTED}.")
    return size


def _is_heap(text: str) -> bool:
    try:
        return parse_heap(text) > 0
    except HeapError:
        return False


@dataclass(frozen=True, slots=True)
class MiningOptions(Section):
    """Everything that decides which rules are mined; the defaults are those of AMIE 3.5.1.

    Attributes:
        max_atoms: Maximum number of atoms of a rule, the head included.
        min_head_coverage: Smallest head coverage, support / head size. The support is at least 1 even at 0.
        min_std_confidence: Smallest standard confidence.
        min_pca_confidence: Smallest PCA confidence.
        min_initial_support: Minimum number of triples of a head relation.
        head_relations: Only these relations may be heads; empty: all. A filter changes nothing else:
            the result is the unfiltered rules that pass it, with the same measures.
        body_relations: Only these relations may occur in bodies; empty: all.
        exclude_relations: These relations occur in no rule, whatever the two options above say.
        constants: Whether atoms may have entities, as with AMIE's ``-const``; for rules of up to 3
            atoms, and not together with injective.
        injective: Whether different variables must stand for different entities in support, body size
            and PCA body size. Head size and functional variable stay as they are, and so do the proofs
            of a build.
    """

    max_atoms: int = option(3, least=MIN_ATOMS, most=MAX_ATOMS, flag=True)
    min_head_coverage: float = option(0.01, least=0, most=1, flag=True)
    min_std_confidence: float = option(0.1, least=0, most=1, flag=True)
    min_pca_confidence: float = option(0.1, least=0, most=1, flag=True)
    min_initial_support: int = option(100, least=1, most=_MOST_OF_JAVA, flag=True)
    head_relations: tuple[str, ...] = option((), flag=True)
    body_relations: tuple[str, ...] = option((), flag=True)
    exclude_relations: tuple[str, ...] = option((), flag=True)
    constants: bool = option(False, flag=True)
    injective: bool = option(False, flag=True)

    def __post_init__(self) -> None:
        Section.__post_init__(self)
        if self.constants and self.max_atoms > MAX_ATOMS_WITH_CONSTANTS:
            raise ConfigError(
                f"max_atoms is {self.max_atoms}; with constants, expected at most "
                f"{MAX_ATOMS_WITH_CONSTANTS}"
            )
        if self.constants and self.injective:
            raise ConfigError("constants and injective cannot be combined; choose one of them")


class Search(NamedTuple):
    """What of AMIE's search can be turned off, which no user needs; the defaults are those of AMIE 3.5.1.

    Attributes:
        max_recursion: Maximum number of atoms of one relation in a rule, the head included.
        skyline: Whether a rule must have a higher PCA confidence than the output rules contained in
            it, and than some rule that it was made from by adding one atom.
        perfect_pruning: Whether rules with a PCA confidence of 1 are not extended.
    """

    max_recursion: int = 3
    skyline: bool = True
    perfect_pruning: bool = True


AS_AMIE = Search()


@dataclass(frozen=True, slots=True)
class Resources(Section):
    """Resources of a mining run; never part of a stage's key.

    Attributes:
        threads: Threads of the miner; by default one per processor.
        heap: Java heap, e.g. ``4g``; by default half of the memory.
        limit_seconds: Ends the run after this many seconds, writing included, with the head relations
            finished by then; by default never. See `Rules.unfinished`.
    """

    threads: int | None = option(None, least=1, most=MAX_THREADS, flag=True)
    heap: str | None = option(
        None, fits_too=_is_heap, expected=_HEAP_EXPECTED, flag=True, metavar="SIZE"
    )
    limit_seconds: float | None = option(None, least=0, flag=True)

    @property
    def thread_count(self) -> int:
        """The number of threads to use."""
        return (
            self.threads
            if self.threads is not None
            else min(_part[0] or _processors(), MAX_THREADS)
        )


class Phase(NamedTuple):
    """A part of the search under one head relation.

    Attributes:
        length: Body atoms of the rules that are extended or measured; 0 extends the head alone.
        measuring: Whether they are measured; else they are extended.
        rules: These rules, and those of fewer atoms that are output if they are measured: int64, shape
            (rules, columns of `rulemine.mining.jvm.mine_rows` + 2). The two are a value, and whether a rule
            is open. The value is the PCA confidence of a measured rule, as the bits of a double, and before
            that the least of the rules that it was made of. Both sizes are 0 if it is not output.
    """

    length: int
    measuring: bool
    rules: "npt.NDArray[np.int64]"


class TimeLimit:
    """The time left to a run, reading and writing included."""

    SECONDS_PER_RULE = 1e-5
    """To write one; what is needed for the rules found so far is set aside while mining."""

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        """Starts the clock.

        Args:
            seconds: The limit; None: no limit.
            clock: Returns the time in seconds.
        """
        self.seconds = seconds
        self._clock = clock
        self._end = math.inf if seconds is None else clock() + seconds

    def left(self, rules: int = 0) -> float:
        """Seconds until the limit if this many rules must still be written; below 0: too late."""
        return self._end - self._clock() - rules * self.SECONDS_PER_RULE


_part: tuple[int | None, int | None] = None, None


def take_part(threads: int | None, memory: int | None) -> None:
    """Bounds what this process takes of its machine where nothing is asked for, as one of several on it.

    Args:
        threads: Threads; None: all processors.
        memory: Bytes of memory; None or 0: all.
    """
    global _part
    _part = threads, memory or None


def part_of_memory() -> int | None:
    """Bytes of memory that this process may use of its machine; None: all."""
    return _part[1]


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
