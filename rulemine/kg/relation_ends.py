"""Which relations join entities of the same types: what a reader may take one of them for.

Guarantee: a function of the triples alone, the same in every naming.
"""

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import KnowledgeGraph

__all__ = ["RelationEnds"]

SHARED = 0.1
"""Ends are of one type that share this part of their entities, those of the smaller one."""


class RelationEnds:
    """The entities at the ends of all relations of a graph.

    Args:
        kg: The graph.

    Example:
        >>> triples = [("ann", "mother_of", "bo"), ("bo", "child_of", "ann"), ("bo", "lives_in", "rome")]
        >>> RelationEnds(KnowledgeGraph.from_triples(triples)).alike("child_of")
        frozenset({'mother_of'})
    """

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._kg, entities = kg, max(1, len(kg.entities))
        s, r, o = kg.triples.T.astype(np.int64)
        pairs = distinct(np.concatenate((2 * r * entities + s, (2 * r + 1) * entities + o)))
        self._end, self._entity = np.divmod(pairs, entities)
        self._sizes = np.bincount(self._end, minlength=2 * len(kg.relations))

    def alike(self, relation: str) -> frozenset[str]:
        """The other relations between entities of the same types, in either direction."""
        if relation not in self._kg.relation_ids:
            return frozenset()
        own = self._kg.relation_ids[relation]
        subjects, objects = (self._like(2 * own + end) for end in (0, 1))
        same = (subjects[0::2] & objects[1::2]) | (subjects[1::2] & objects[0::2])
        same[own] = False
        return frozenset(self._kg.relations[at] for at in np.flatnonzero(same).tolist())

    def _like(self, end: int) -> npt.NDArray[np.bool_]:
        """Which ends share enough entities with an end."""
        here = np.zeros(max(1, len(self._kg.entities)), bool)
        here[self._entity[self._end == end]] = True
        shared = np.bincount(self._end, here[self._entity], len(self._sizes))
        found: npt.NDArray[np.bool_] = shared >= SHARED * np.minimum(self._sizes, self._sizes[end])
        return found & (shared > 0)
