"""What is removed: a plan, which grounding selects each fact, and a selection, with the proofs that stay.

Guarantees, whichever procedure made it: no removed triple is in the body of a certificate; every
removed triple has a certificate; no rule has more certificates than its cap.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct, read_arrays, write_arrays
from rulemine.errors import counted
from rulemine.rules.rule import Rule

__all__ = ["RemovalPlan", "Selection", "SelectionCounts", "read_selection", "write_selection"]

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
        core_upper_bound: No selection removes more facts for the core; 0 for a procedure that does not
            maximize.
        restated: Facts that could be asked about and are left because others join their two entities; −1:
            none is left for that.
    """

    groundings: int
    provable: int
    considered: int
    upper_bound: int
    core_upper_bound: int = 0
    restated: int = -1


@dataclass(frozen=True, eq=False)
class RemovalPlan:
    """Removed facts with their selecting groundings, one row each (``brink``: one per certificate).

    Attributes:
        rules: The rules it was chosen from.
        head: int64, shape (m,): head of the grounding, a row of ``kg.triples``.
        rule: int32, shape (m,): its rule, a position in `rules`.
        body: int64, shape (m, k): its body, rows of ``kg.triples`` in the order of ``Rule.body``, padded
            with −1.
        unit: int64, shape (m,): rows with the same number go at the same level.
        size: int64, shape (m,): how many triples the row removes that no row before it does.
        counts: What it was chosen from.
    """

    rules: tuple[Rule, ...]
    head: Ints
    rule: npt.NDArray[np.int32]
    body: Ints
    unit: Ints
    size: Ints
    counts: SelectionCounts

    def __len__(self) -> int:
        return len(self.head)

    def only(self, keep: npt.NDArray[np.bool_]) -> "RemovalPlan":
        """The rows that are marked."""
        columns = ("head", "rule", "body", "unit", "size")
        return replace(self, **{name: getattr(self, name)[keep] for name in columns})


@dataclass(frozen=True, eq=False)
class Selection:
    """What is removed, one row per removed triple (``brink``: one per certificate).

    Attributes:
        rules: The rules it was chosen from.
        head: int64, shape (m,): the removed triple, a row of ``kg.triples``. With declared relations,
            every statement of a removed fact has a row (see `rulemine.kg.facts`).
        rule: int32, shape (m,): rule of the published certificate, a position in `rules`.
        body: int64, shape (m, k): body of the published certificate, rows of ``kg.triples`` in the
            order of ``Rule.body``, padded with −1.
        selected_by: int32, shape (m,): rule that selected the triple; equal to `rule` where the
            published certificate is its own.
        level: int16, shape (m,): percentage of the removal at which the head goes, 1 … 100. Equal for
            all statements of a fact, and for all removed triples that join two entities of the core.
        directions: bool, shape (m, 2): whether the subject, and the object, may be asked for.
        prior: float64, shape (m, 2): see `rulemine.kg.facts.priors`.
        core: bool, shape (m,): see `rulemine.release.records.Removal`.
        proofs: int64, shape (m,): remaining proofs, see `rulemine.release.records.Difficulty`.
        shortest: int64, shape (m,): body atoms of the shortest of them.
        counts: What it was chosen from.
    """

    rules: tuple[Rule, ...]
    head: Ints
    rule: npt.NDArray[np.int32]
    body: Ints
    selected_by: npt.NDArray[np.int32]
    level: npt.NDArray[np.int16]
    directions: npt.NDArray[np.bool_]
    prior: npt.NDArray[np.float64]
    core: npt.NDArray[np.bool_]
    proofs: Ints
    shortest: Ints
    counts: SelectionCounts

    @classmethod
    def of_nothing(cls) -> "Selection":
        """What removes nothing."""
        none, flags = np.zeros(0, np.int64), np.zeros((0, 2), bool)
        return cls(
            rules=(),
            head=none,
            rule=none.astype(np.int32),
            body=none.reshape(0, 0),
            selected_by=none.astype(np.int32),
            level=none.astype(np.int16),
            directions=flags,
            prior=flags.astype(float),
            core=flags[:, 0],
            proofs=none,
            shortest=none,
            counts=SelectionCounts(0, 0, 0, 0),
        )

    def __len__(self) -> int:
        return len(self.head)

    @cached_property
    def removed(self) -> Ints:
        """The removed triples: rows of ``kg.triples``, ascending, each once."""
        return distinct(self.head)

    @property
    def rules_covered(self) -> int:
        """How many rules selected a triple."""
        return len(distinct(self.selected_by))

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
        **{name: getattr(selection, name) for name in _ARRAYS},
        counts=np.array(astuple(c)),
    )


def read_selection(folder: Path, rules: Sequence[Rule]) -> Selection:
    """Reads what `write_selection` wrote.

    Args:
        folder: Where it was written.
        rules: The rules, in the same order.

    Raises:
        InputError: A file is missing or damaged.
    """
    arrays = dict(zip(_ARRAYS, read_arrays(folder, _ARRAYS), strict=True))
    (counts,) = read_arrays(folder, ("counts",))
    return Selection(tuple(rules), counts=SelectionCounts(*counts.tolist()), **arrays)


_ARRAYS = (
    "head", "rule", "body", "selected_by", "level", "directions", "prior", "core", "proofs", "shortest",
)  # fmt: skip
