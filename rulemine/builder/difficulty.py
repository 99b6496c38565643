"""Edges that a graph states between the ends of a removed triple."""

import numpy as np
import numpy.typing as npt

from rulemine.builder.removal.selection import Selection
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.answers import missing_from

__all__ = ["core_joined_by", "edges_between"]


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


def core_joined_by(kg: KnowledgeGraph, reference: KnowledgeGraph, selection: Selection) -> int:
    """Of how many removed triples of the core another graph joins the two ends, as the complete one does not.

    Args:
        kg: The complete graph.
        reference: The other one, matched by labels.
        selection: What is removed.
    """
    more = missing_from(kg, reference).labeled()
    pairs = {frozenset((s, o)) for s, _, o in more}
    core = np.unique(selection.head[selection.core])
    return sum(frozenset((s, o)) in pairs for s, _, o in kg.labeled(core))
