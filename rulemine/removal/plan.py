"""A plan: which facts are removed, and which grounding selects each, before certificates are published."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rulemine.removal.selection import SelectionCounts
from rulemine.rules.rule import Rule

__all__ = ["RemovalPlan"]

Ints = npt.NDArray[np.int64]


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
