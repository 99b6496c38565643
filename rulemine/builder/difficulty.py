"""Edges that a graph states between the ends of a removed triple."""

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import KnowledgeGraph

__all__ = ["edges_between"]


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
