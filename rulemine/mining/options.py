"""What the miner is asked for, and the resources it may use.

Guarantees: existing `MiningOptions` and `Resources` are valid. Resources never change a rule: a limit
of time decides which head relations are finished, never what their rules are.
"""

import math
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from rulemine.errors import HeapError, MiningError

__all__ = [
    "MAX_ATOMS",
    "MIN_ATOMS",
    "MiningOptions",
    "MiningSection",
    "Resources",
    "TimeLimit",
    "parse_heap",
]

MIN_ATOMS = 2
MAX_ATOMS = 5
"""Rules of six atoms would take weeks on graphs for which rules are worth mining."""

MAX_ATOMS_WITH_CONSTANTS = 3

MAX_THREADS = 1024

_HEAP = re.compile(r"([0-9]{1,9})([mMgG])")
_SMALLEST_HEAP = 16 * 2**20


@dataclass(frozen=True, slots=True)
class MiningOptions:
    """Everything that decides which rules are mined; the defaults are those of AMIE 3.5.1.

    Attributes:
        max_atoms: Atoms of a rule at most, the head included; 2 to 5.
        min_head_coverage: Smallest support / head size, 0 to 1. The support is at least 1 even at 0.
        min_std_confidence: Smallest standard confidence, 0 to 1.
        min_pca_confidence: Smallest PCA confidence, 0 to 1.
        min_initial_support: Triples that a head relation has at least; 1 or more.
        head_relations: Only these relations may be heads; empty: all. A filter changes nothing else:
            what is left are the unfiltered rules that pass it, with the same measures.
        body_relations: Only these relations may occur in bodies; empty: all.
        exclude_relations: These relations occur nowhere, whatever the two above say.
        max_recursion: Atoms of one relation in a rule at most, the head included; 1 or more.
        skyline: Whether a rule must have a higher PCA confidence than the output rules contained in
            it, and than some rule that it was made from by adding one atom.
        perfect_pruning: Whether rules with a PCA confidence of 1 are left unextended.
        constants: Whether atoms may have entities, as with AMIE's ``-const``; for rules of up to 3
            atoms, and not together with injective.
        injective: Whether different variables must stand for different entities in support, body size
            and PCA body size. Head size and functional variable stay as they are.

    Raises:
        MiningError: A value is of the wrong kind or out of its range.
    """

    max_atoms: int = 3
    min_head_coverage: float = 0.01
    min_std_confidence: float = 0.1
    min_pca_confidence: float = 0.1
    min_initial_support: int = 100
    head_relations: tuple[str, ...] = ()
    body_relations: tuple[str, ...] = ()
    exclude_relations: tuple[str, ...] = ()
    max_recursion: int = 3
    skyline: bool = True
    perfect_pruning: bool = True
    constants: bool = False
    injective: bool = False

    def __post_init__(self) -> None:
        _integer("max_atoms", self.max_atoms, MIN_ATOMS, MAX_ATOMS)
        _fraction("min_head_coverage", self.min_head_coverage)
        _fraction("min_std_confidence", self.min_std_confidence)
        _fraction("min_pca_confidence", self.min_pca_confidence)
        _integer("min_initial_support", self.min_initial_support, 1, 2**31 - 1)
        _names("head_relations", self.head_relations)
        _names("body_relations", self.body_relations)
        _names("exclude_relations", self.exclude_relations)
        _integer("max_recursion", self.max_recursion, 1, 2**31 - 1)
        _switch("skyline", self.skyline)
        _switch("perfect_pruning", self.perfect_pruning)
        _switch("constants", self.constants)
        _switch("injective", self.injective)
        if self.constants and self.max_atoms > MAX_ATOMS_WITH_CONSTANTS:
            raise MiningError(
                f"max_atoms is {self.max_atoms}; with constants, expected at most "
                f"{MAX_ATOMS_WITH_CONSTANTS}."
            )
        if self.constants and self.injective:
            raise MiningError("constants and injective are both asked for; choose one of them.")


@dataclass(frozen=True, slots=True)
class Resources:
    """What a mining run may use; never part of a stage's key.

    Attributes:
        threads: Threads of the miner, 1 to 1024; None: one per processor this process may use.
        heap: Size of the Java heap, e.g. ``512m`` or ``4g``; None: half of the memory.
        limit_seconds: Ends the run after this many seconds, 0 or more, with the head relations
            finished by then; None: never. See `Rules.unfinished`.

    Raises:
        MiningError: A value is of the wrong kind or out of its range.
        HeapError: The heap is not a size.
    """

    threads: int | None = None
    heap: str | None = None
    limit_seconds: float | None = None

    def __post_init__(self) -> None:
        if self.threads is not None:
            _integer("threads", self.threads, 1, MAX_THREADS)
        if self.heap is not None:
            parse_heap(self.heap)
        if self.limit_seconds is not None:
            _seconds("limit_seconds", self.limit_seconds)

    @property
    def thread_count(self) -> int:
        """The number of threads to use."""
        return self.threads if self.threads is not None else min(_processors(), MAX_THREADS)


class TimeLimit:
    """The seconds that are left to a run, reading and writing included."""

    SECONDS_PER_RULE = 1e-5
    """To write one; what is needed for the rules found so far is set aside while mining."""

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        """Starts the clock.

        Args:
            seconds: The limit; None: there is none.
            clock: Gives the time in seconds.
        """
        self.seconds = seconds
        self._clock = clock
        self._end = math.inf if seconds is None else clock() + seconds

    def left(self, rules: int = 0) -> float:
        """Seconds until the limit when this many rules are still to be written; below 0: too late."""
        return self._end - self._clock() - rules * self.SECONDS_PER_RULE


def parse_heap(text: str) -> int:
    """The bytes of a heap size such as ``512m`` or ``4g``.

    Raises:
        HeapError: It is not such a size, or below 16m.
    """
    match = _HEAP.fullmatch(text)
    size = int(match[1]) << (30 if match[2] in "gG" else 20) if match else 0
    if size < _SMALLEST_HEAP:
        raise HeapError(
            f"heap is {text!r}; expected a whole number of megabytes or gigabytes, "
            "at least 16m. Write for example 512m or 4g."
        )
    return size


def _integer(name: str, value: object, least: int, most: int) -> None:
    # bool is an int to Python, but not to whoever writes it here.
    if type(value) is not int or not least <= value <= most:
        raise MiningError(f"{name} is {value!r}; expected a whole number from {least} to {most}.")


def _fraction(name: str, value: object) -> None:
    ok = type(value) in (int, float) and math.isfinite(value) and 0 <= value <= 1  # type: ignore[arg-type,operator]
    if not ok:
        raise MiningError(f"{name} is {value!r}; expected a number from 0 to 1.")


def _names(name: str, value: object) -> None:
    # One name, being a sequence of letters, would pass for many.
    if not (isinstance(value, tuple) and all(isinstance(label, str) for label in value)):
        raise MiningError(f"{name} is {value!r}; expected a tuple of relation names.")


def _seconds(name: str, value: object) -> None:
    ok = type(value) in (int, float) and math.isfinite(value) and value >= 0  # type: ignore[arg-type,operator]
    if not ok:
        raise MiningError(f"{name} is {value!r}; expected a number of seconds, 0 or more.")


def _switch(name: str, value: object) -> None:
    if type(value) is not bool:
        raise MiningError(f"{name} is {value!r}; expected True or False.")


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class MiningSection:
    """How rules are mined.

    Attributes:
        max_atoms: Atoms of a rule at most, the head included; 2 … 5.
        min_head_coverage: 0 … 1.
        min_std_confidence: 0 … 1.
        min_pca_confidence: 0 … 1.
        min_initial_support: A head relation has at least this many facts; ≥ 1.
    """

    max_atoms: int = 3
    min_head_coverage: float = 0.1
    min_std_confidence: float = 0.3
    min_pca_confidence: float = 0.4
    min_initial_support: int = 100
