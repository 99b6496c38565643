"""Difficulty features of the questions about a removed triple, measured on the incomplete graph.

Guarantee: everything is counted on the complete graph without *all* removed triples, i.e. at the
highest level of incompleteness.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rulemine.builder.removal.selection import Selection
from rulemine.kg.graph import KnowledgeGraph
from rulemine.release.records import Difficulty
from rulemine.rules.proofs import RemainingProofs, remaining_proofs
from rulemine.rules.rule import Rule

__all__ = ["DifficultyTable", "edges_between", "measure_difficulty"]

Ints = npt.NDArray[np.int64]


class DifficultyTable:
    """The difficulty features of all removed triples; see `measure_difficulty`."""

    def __init__(
        self,
        removed: Ints,
        proofs: RemainingProofs,
        reverse: Sequence[tuple[str, ...]],
        parallel: Sequence[tuple[str, ...]],
    ) -> None:
        self._position = {row: i for i, row in enumerate(removed.tolist())}
        self._proofs = proofs
        self._reverse = reverse
        self._parallel = parallel

    def of(self, row: int, rule: Rule, answers_stated: int) -> Difficulty:
        """The difficulty features of a question.

        Args:
            row: The removed triple, a row of the complete graph's triples.
            rule: The rule of the question's certificate.
            answers_stated: How many of its answers the incomplete graph states (easy answers).
        """
        i = self._position[row]
        return Difficulty(
            proofs=int(self._proofs.count[i]),
            shortest_proof=int(self._proofs.shortest[i]),
            reverse_edge=self._reverse[i],
            parallel_edge=self._parallel[i],
            answers_stated=answers_stated,
            head_coverage=rule.known.head_coverage,
            std_confidence=rule.known.std_confidence,
            pca_confidence=rule.known.pca_confidence,
        )


def measure_difficulty(kg: KnowledgeGraph, selection: Selection) -> DifficultyTable:
    """The difficulty features of all triples that a selection removes from a graph."""
    removed = selection.removed
    incomplete = kg.without(removed)
    heads = kg.triples[removed]
    proofs = remaining_proofs(incomplete, selection.rules, heads)
    return DifficultyTable(
        removed,
        proofs,
        edges_between(incomplete, heads[:, 2], heads[:, 0]),
        edges_between(incomplete, heads[:, 0], heads[:, 2]),
    )


def edges_between(
    kg: KnowledgeGraph, subjects: npt.NDArray[np.int32], objects: npt.NDArray[np.int32]
) -> list[tuple[str, ...]]:
    """The relations stated from one entity to another.

    Args:
        kg: The graph.
        subjects: Entity ids, shape (m,).
        objects: Likewise.

    Returns:
        For each pair, the relations from subject to object, sorted.
    """
    n = max(1, len(kg.entities))
    # Only triples with both ends among the given entities can match.
    rows = np.flatnonzero(_among(kg, subjects, 0) & _among(kg, objects, 2))
    pairs = kg.triples[rows, 0].astype(np.int64) * n + kg.triples[rows, 2]
    # Triples are sorted by relation before object; a stable sort keeps this order in equal pairs.
    order = np.argsort(pairs, kind="stable")
    pairs = pairs[order]
    wanted = subjects.astype(np.int64) * n + objects
    first = np.searchsorted(pairs, wanted, "left")
    last = np.searchsorted(pairs, wanted, "right")
    relations = kg.triples[rows[order], 1]
    return [
        tuple(kg.relations[r] for r in relations[a:b].tolist())
        for a, b in zip(first.tolist(), last.tolist(), strict=True)
    ]


def _among(
    kg: KnowledgeGraph, entities: npt.NDArray[np.int32], column: int
) -> npt.NDArray[np.bool_]:
    """Which triples have one of the entities at one end."""
    there = np.zeros(len(kg.entities), bool)
    there[entities] = True
    found: npt.NDArray[np.bool_] = there[kg.triples[:, column]]
    return found
