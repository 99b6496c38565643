"""A selection: the triples to remove, and for each the proofs that survive without it.

Guarantees, whichever procedure made it: no removed triple is in the body of a certificate; every
removed triple has a certificate; no rule has more certificates than its cap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rulemine.arrays import read_arrays, write_arrays
from rulemine.errors import counted
from rulemine.rules.rule import Rule

__all__ = ["Selection", "SelectionCounts", "read_selection", "write_selection"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SelectionCounts:
    """What a selection was chosen from.

    Attributes:
        groundings: All groundings of the rules.
        provable: Distinct triples that are the head of some grounding.
        considered: Groundings that were considered: all of them or a sample.
        upper_bound: No selection from these groundings under this cap removes more triples; see the
            procedure for how it is computed. 0 for a procedure that does not maximize.
    """

    groundings: int
    provable: int
    considered: int
    upper_bound: int


@dataclass(frozen=True, eq=False)
class Selection:
    """What is removed, one row per certificate.

    Attributes:
        rules: The rules it was chosen from.
        head: int64, shape (m,): the removed triple, a row of ``kg.triples``.
        rule: int32, shape (m,): position in `rules`.
        body: int64, shape (m, k): rows of ``kg.triples`` in the order of ``Rule.body``, padded with −1.
        level: int16, shape (m,): smallest level, in percent, at which the head is removed; 100
            without levels. Equal heads have equal levels.
        counts: What it was chosen from.
    """

    rules: tuple[Rule, ...]
    head: Ints
    rule: npt.NDArray[np.int32]
    body: Ints
    level: npt.NDArray[np.int16]
    counts: SelectionCounts

    def __len__(self) -> int:
        return len(self.head)

    @cached_property
    def removed(self) -> Ints:
        """The removed triples: rows of ``kg.triples``, ascending, each once."""
        return np.unique(self.head)

    @property
    def rules_covered(self) -> int:
        """How many rules have a certificate."""
        return len(np.unique(self.rule))

    def removed_at(self, level: int) -> Ints:
        """The triples removed at a level, in percent: rows of ``kg.triples``, ascending."""
        return np.unique(self.head[self.level <= level])

    def describe(self) -> str:
        """What was selected, in a sentence."""
        bound = self.counts.upper_bound
        most = f" (caps and heads allow at most {bound:,})" if bound else ""
        return (
            f"{counted(len(self.removed), 'triple')} removed{most}, "
            f"{counted(len(self), 'certificate')}, {self.rules_covered:,} of "
            f"{counted(len(self.rules), 'rule')}"
        )


def write_selection(folder: Path, selection: Selection) -> None:
    """Writes a selection without its rules; equal selections give equal bytes.

    Raises:
        OutputError: The folder cannot be written.
    """
    c = selection.counts
    write_arrays(
        folder,
        head=selection.head,
        rule=selection.rule,
        body=selection.body,
        level=selection.level,
        counts=np.array([c.groundings, c.provable, c.considered, c.upper_bound]),
    )


def read_selection(folder: Path, rules: Sequence[Rule]) -> Selection:
    """Reads what `write_selection` wrote.

    Args:
        folder: Where it was written.
        rules: The rules, in the same order.

    Raises:
        InputError: A file is missing or damaged.
    """
    names = ("head", "rule", "body", "level", "counts")
    head, rule, body, level, counts = read_arrays(folder, names)
    return Selection(tuple(rules), head, rule, body, level, SelectionCounts(*counts.tolist()))
