"""Near-duplicate and near-inverse relations: another relation states most of their triples as well.

Where a triple of such a relation is removed and its restatement stays, the answer can be read off it.

Guarantee: fractions are counted on the complete graph; a relation overlaps with itself only inversely,
when it is symmetric.
"""

from typing import NamedTuple

import numpy as np

from rulemine.kg.graph import KnowledgeGraph

__all__ = ["LEAST_SHARE", "RelationOverlap", "overlapping_relations"]

LEAST_SHARE = 0.8
"""Least fraction of a relation's triples that the other one states; below it, one tells little."""


class RelationOverlap(NamedTuple):
    """A relation, and another one that states at least `LEAST_SHARE` of its triples.

    Attributes:
        relation: The relation.
        other: The other one.
        reversed: Whether the other one states them from object to subject (near-inverse).
        share: The fraction of the relation's triples that the other one states.
    """

    relation: str
    other: str
    reversed: bool
    share: float


def overlapping_relations(kg: KnowledgeGraph) -> tuple[RelationOverlap, ...]:
    """All overlapping relations of a graph, sorted."""
    found: list[RelationOverlap] = []
    entities, relations = max(1, len(kg.entities)), len(kg.relations)
    s, r, o = (kg.triples[:, column].astype(np.int64) for column in range(3))
    sizes = kg.relation_sizes()
    pairs = s * entities + o
    order = np.argsort(pairs, kind="stable")
    for turned, wanted in ((False, pairs), (True, o * entities + s)):
        first = np.searchsorted(pairs[order], wanted, "left")
        count = np.searchsorted(pairs[order], wanted, "right") - first
        # One triple after another of each pair: few steps, as few relations share a pair.
        codes = [np.empty(0, np.int64)]
        for step in range(int(count.max(initial=0))):
            at = np.flatnonzero(count > step)
            codes.append(r[at] * relations + r[order[first[at] + step]])
        both, shared = np.unique(np.concatenate(codes), return_counts=True)
        one, other = np.divmod(both, max(1, relations))
        share = shared / sizes[one]
        keep = (share >= LEAST_SHARE) & (turned | (one != other))
        found += [
            RelationOverlap(kg.relations[a], kg.relations[b], turned, float(part))
            for a, b, part in zip(one[keep], other[keep], share[keep], strict=True)
        ]
    return tuple(sorted(found))
