"""A graph sorted for joins: the triples of each relation by subject and by object."""

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import KnowledgeGraph

__all__ = ["Index"]


Ints = npt.NDArray[np.int64]


class Index:
    """Sorted access paths to the triples of a graph, by (relation, subject) and (relation, object)."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        self.kg = kg
        self.entities = max(1, len(kg.entities))
        # Triples are sorted by subject, relation, object, and stable sorts keep what they do not touch.
        relation = kg.triples[:, 1]
        small = len(kg.relations) <= 2**15  # then numpy sorts by counting
        self.by_subject = np.argsort(
            relation.astype(np.int16) if small else relation, kind="stable"
        )
        self.subject_keys = self._keys(0)[self.by_subject]
        keys = self._keys(2)
        self.by_object = np.argsort(keys, kind="stable")
        self.object_keys = keys[self.by_object]

    def _keys(self, column: int) -> Ints:
        keys = self.kg.triples[:, 1].astype(np.int64)
        keys *= self.entities
        keys += self.kg.triples[:, column]
        return keys

    def of_relation(self, relation: int) -> Ints:
        """Rows of the triples of a relation, by subject, then object."""
        low, high = np.searchsorted(
            self.subject_keys, [relation * self.entities, (relation + 1) * self.entities]
        )
        return self.by_subject[low:high]
