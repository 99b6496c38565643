"""What the miner is asked for: thresholds, and the means it may use.

Guarantees: an existing `MiningOptions` is valid; the means (threads, heap) never change the rules.
A limit of time decides which head relations are finished, never what their rules are.
"""

import math
import os
import re
from dataclasses import dataclass

from rulemine.errors import HeapError, MiningError

__all__ = ["MAX_ATOMS", "MIN_ATOMS", "MiningOptions", "MiningSection", "parse_heap"]

MIN_ATOMS = 2
MAX_ATOMS = 5
"""Rules of six atoms would take weeks on graphs for which rules are worth mining."""

MAX_ATOMS_WITH_CONSTANTS = 3

MAX_THREADS = 1024

_HEAP = re.compile(r"([0-9]{1,9})([mMgG])")
_SMALLEST_HEAP = 16 * 2**20


@dataclass(frozen=True, slots=True)
class MiningOptions:
    """Thresholds and means of a mining run; the defaults are those in force in AMIE 3.5.1.

    Attributes:
        max_atoms: Atoms of a rule at most, the head included; `MIN_ATOMS` … `MAX_ATOMS`.
        min_head_coverage: Smallest support / head size, 0 … 1. The support is at least 1 even at 0.
        min_std_confidence: Smallest standard confidence, 0 … 1.
        min_pca_confidence: Smallest PCA confidence, 0 … 1.
        min_initial_support: A head relation has at least this many facts; ≥ 1.
        head_relations: Only these may be heads; None: all. A filter changes nothing else: what is
            left are the unfiltered rules that keep to it, with the same measures.
        body_relations: Only these may occur in bodies; None: all.
        exclude_relations: These occur nowhere, whatever the two above say.
        max_recursion: Atoms of one relation in a rule at most, the head included; ≥ 1.
        skyline: Whether a rule must have a higher PCA confidence than the output rules contained in
            it, and than some rule that it was made from by adding one atom.
        perfect_pruning: Whether rules with a PCA confidence of 1 are left unextended.
        constants: Whether atoms may have constants, as with AMIE's ``-const``; for `max_atoms` up to
            `MAX_ATOMS_WITH_CONSTANTS`, and not together with `injective`.
        injective: Whether different variables must stand for different entities in support, body size
            and PCA body size. Head size and functional variable are as ever.
        limit_seconds: Ends early after so many seconds, ≥ 0, with the head relations finished until
            then; None: never. See `Rules.unfinished`.
        threads: Threads of the miner, ≥ 1; None: one per processor this process may use.
        heap: Size of the Java heap, e.g. ``512m`` or ``4g``; None: half of the memory.

    Raises:
        MiningError: A value is of the wrong kind or out of its range.
        HeapError: The heap is not a size.
    """

    max_atoms: int = 3
    min_head_coverage: float = 0.01
    min_std_confidence: float = 0.1
    min_pca_confidence: float = 0.1
    min_initial_support: int = 100
    head_relations: tuple[str, ...] | None = None
    body_relations: tuple[str, ...] | None = None
    exclude_relations: tuple[str, ...] = ()
    max_recursion: int = 3
    skyline: bool = True
    perfect_pruning: bool = True
    constants: bool = False
    injective: bool = False
    limit_seconds: float | None = None
    threads: int | None = None
    heap: str | None = None

    def __post_init__(self) -> None:
        _integer("max_atoms", self.max_atoms, MIN_ATOMS, MAX_ATOMS)
        _share("min_head_coverage", self.min_head_coverage)
        _share("min_std_confidence", self.min_std_confidence)
        _share("min_pca_confidence", self.min_pca_confidence)
        _integer("min_initial_support", self.min_initial_support, 1, 2**31 - 1)
        _names("head_relations", self.head_relations, optional=True)
        _names("body_relations", self.body_relations, optional=True)
        _names("exclude_relations", self.exclude_relations, optional=False)
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
        if self.limit_seconds is not None:
            _seconds("limit_seconds", self.limit_seconds)
        if self.threads is not None:
            _integer("threads", self.threads, 1, MAX_THREADS)
        if self.heap is not None:
            parse_heap(self.heap)

    @property
    def thread_count(self) -> int:
        """The number of threads to use."""
        return self.threads if self.threads is not None else min(_processors(), MAX_THREADS)


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


def _share(name: str, value: object) -> None:
    ok = type(value) in (int, float) and math.isfinite(value) and 0 <= value <= 1  # type: ignore[arg-type,operator]
    if not ok:
        raise MiningError(f"{name} is {value!r}; expected a number from 0 to 1.")


def _names(name: str, value: object, *, optional: bool) -> None:
    # One name, being a sequence of letters, would pass for many.
    ok = isinstance(value, tuple) and all(isinstance(label, str) for label in value)
    if not (ok or (optional and value is None)):
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
