"""Sorted access paths to the triples of a graph: by relation and end, and by entity in either direction."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import KnowledgeGraph, row_type
from rulemine.kg.vocabulary import spans

__all__ = ["Incidence", "Index", "rows_by_relation"]

Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.integer[Any]]

MOST_STARTS = 1 << 24
"""Up to so many entities · relations, a table says where the triples of an end begin, without a search."""


def _by_relation(kg: KnowledgeGraph) -> Rows:
    """The rows of the triples, relation by relation, of each as they stand."""
    relation = kg.triples[:, 1]
    small = len(kg.relations) <= 2**15  # then numpy sorts by counting
    order = np.argsort(relation.astype(np.int16) if small else relation, kind="stable")
    return order.astype(row_type(len(kg)))


def rows_by_relation(kg: KnowledgeGraph) -> list[Rows]:
    """The rows of the triples of each relation, as they stand."""
    return np.split(_by_relation(kg), kg.relation_sizes().cumsum())[:-1]


class Index:
    """Sorted access paths to the triples of a graph, by (relation, subject) and (relation, object).

    Attributes:
        kg: The graph.
        entities: The number of its entities, at least 1.
        by_subject: The rows of its triples by relation, subject, object.
        by_object: The rows by relation, object, subject.
        subject_keys: int64, shape (triples,): relation · entities + subject, in the order of `by_subject`.
        object_keys: The same of objects, in the order of `by_object`.
    """

    def __init__(self, kg: KnowledgeGraph) -> None:
        self.kg = kg
        self.entities = max(1, len(kg.entities))
        # Triples are sorted by subject, relation, object, and stable sorts keep what they do not touch.
        self.by_subject = _by_relation(kg)
        self.subject_keys = self._keys(0)[self.by_subject]
        keys = self._keys(2)
        self.by_object = np.argsort(keys, kind="stable").astype(self.by_subject.dtype)
        self.object_keys = keys[self.by_object]
        self._starts: dict[int, Ints] = {}
        self._degrees: dict[tuple[int, int], float] = {}

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
        return self.by_subject[low:high].astype(np.int64)

    def ranges(self, column: int, keys: Ints) -> tuple[Ints, Ints]:
        """Where the triples of some ends stand in `by_subject` (column 0) or `by_object` (2).

        Args:
            column: The end.
            keys: int64, shape (n,): relation · entities + entity.

        Returns:
            Where those of each key begin, and how many there are, shape (n,).
        """
        ordered = self.object_keys if column else self.subject_keys
        size = self.entities * len(self.kg.relations)
        if size > MOST_STARTS:
            first = ordered.searchsorted(keys)
            return first, ordered.searchsorted(keys, "right") - first
        if column not in self._starts:
            counts = np.bincount(ordered, minlength=size)
            self._starts[column] = np.concatenate(([0], counts.cumsum()))
        starts = self._starts[column]
        first = starts[keys]
        return first, starts[keys + 1] - first

    def mean_degree(self, relation: int, column: int) -> float:
        """Triples of a relation per entity at one of its ends: the subject (column 0) or the object (2)."""
        if (relation, column) not in self._degrees:
            ends = distinct(self.kg.triples[self.of_relation(relation), column])
            self._degrees[relation, column] = len(self.of_relation(relation)) / max(1, len(ends))
        return self._degrees[relation, column]


class Incidence:
    """The triples at each entity, whichever end it is; a self-loop is there twice.

    Args:
        kg: The graph.
        rows: Which of its triples, each once; None: all.

    Attributes:
        others: int64, shape (2 · triples,): the other end of each triple, by entity, then ascending.
        rows: int64, of the same shape: the row of the triple; of those to one other end first those forward,
            then ascending.
        forward: bool, of the same shape: whether the entity is its subject.
        starts: int64, shape (entities + 1,): where the triples of each entity begin; the last is the end.
        degrees: int64, shape (entities,): how many there are.
    """

    def __init__(self, kg: KnowledgeGraph, rows: Ints | None = None) -> None:
        which = np.arange(len(kg)) if rows is None else rows
        heads, tails = (kg.triples[which, column].astype(np.int64) for column in (0, 2))
        ends, others = np.concatenate((heads, tails)), np.concatenate((tails, heads))
        order = np.argsort(ends * max(1, len(kg.entities)) + others, kind="stable")
        self.others = others[order]
        self.rows: Ints = np.concatenate((which, which))[order]
        self.forward = order < len(which)
        self.degrees: Ints = np.bincount(ends, minlength=len(kg.entities))
        self.starts: Ints = np.concatenate(([0], self.degrees.cumsum()))

    def at(self, entities: Ints) -> Ints:
        """The places in `others`, `rows` and `forward` of the triples of some entities, entity by entity."""
        return spans(self.starts[entities], self.degrees[entities])
