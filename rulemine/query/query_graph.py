"""A graph that is ready for queries: its triples by relation and either end, and what was removed."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rulemine.errors import QueryError, counted
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.index import Index, Ints, Rows
from rulemine.query.tree import quoted

__all__ = ["COST", "SHIFT", "WHOLE", "QueryGraph", "levels_of"]

SHIFT = 16
"""Bits of a cost; no query has so many atoms (`rulemine.query.tree.MOST_ATOMS`)."""

COST = (1 << SHIFT) - 1

WHOLE = 100
"""The level at which all removed triples are removed."""

MOST_SLOTS = 1 << 24
"""Up to this product of relations and entities, places are looked up in an array, else by binary search."""


def levels_of(kg: KnowledgeGraph, removed: Mapping[Triple, int] | Iterable[Triple]) -> Ints:
    """The level at which each triple is removed.

    Args:
        kg: The complete graph.
        removed: The removed triples with their levels; without them, all go at level 1.

    Returns:
        int64, shape (triples,): 1 … 100, or 0 for a triple that is never removed.

    Raises:
        QueryError: The graph lacks one of the triples, or a level is out of range.
    """
    of = removed if isinstance(removed, Mapping) else dict.fromkeys(removed, 1)
    levels = np.zeros(len(kg), np.int64)
    entities, relations = kg.entity_ids, kg.relation_ids
    ids = [(entities.get(s, -1), relations.get(r, -1), entities.get(o, -1)) for s, r, o in of]
    found = np.array(ids, np.int32).reshape(-1, 3)
    rows = np.where((found >= 0).all(axis=1), kg.rows_of(found), -1)
    for triple, row, level in zip(of, rows.tolist(), of.values(), strict=True):
        if row < 0 or not 1 <= level <= WHOLE:
            fault = (
                "the complete graph lacks it" if row < 0 else f"its level is {level}, not 1 … 100"
            )
            raise QueryError(f"removed triple {' '.join(triple)!r}: {fault}. Correct the list.")
        levels[row] = level
    return levels


class _Side:
    """The triples by relation and one end: those of key ``relation * entities + end`` stand together.

    Attributes:
        rows: Rows of ``kg.triples``, by key and then by the other end.
        ends: The other ends, ``<< SHIFT``.
    """

    def __init__(self, keys: Ints, rows: Rows, other: npt.NDArray[np.int32], slots: int) -> None:
        self.rows = rows
        self.ends: Ints = other[rows].astype(np.int64) << SHIFT
        self._keys = keys
        self._starts = None
        if slots <= MOST_SLOTS:
            counts = np.bincount(keys, minlength=slots)
            self._starts = np.concatenate(([0], np.cumsum(counts)))

    def span(self, key: Ints | int) -> tuple[Ints, Ints]:
        """Where the triples of keys begin and end."""
        if self._starts is not None:
            return self._starts[key], self._starts[key + 1]
        return self._keys.searchsorted(key), self._keys.searchsorted(key, "right")


class QueryGraph:
    """A complete graph that is ready for queries, and what the incomplete ones lack.

    Attributes:
        kg: The complete graph.
        levels: int, shape (triples,): the level, 1 … 100, at which each triple is removed; 0: never.
    """

    def __init__(self, kg: KnowledgeGraph, levels: Ints | None = None) -> None:
        self.kg = kg
        self.levels = np.zeros(len(kg), np.int64) if levels is None else levels
        index = Index(kg)
        self.entities = index.entities
        slots = len(kg.relations) * self.entities
        self.sides = (  # of projections, and of inverse ones
            _Side(index.subject_keys, index.by_subject, kg.triples[:, 2], slots),
            _Side(index.object_keys, index.by_object, kg.triples[:, 0], slots),
        )
        self._edges: dict[int, tuple[Ints, Ints]] = {}

    def edges(self, level: int) -> tuple[Ints, Ints]:
        """The other ends of the triples of both sides, with cost 1 for what is removed at a level."""
        if level not in self._edges:
            self._edges[level] = self.with_costs((self.levels > 0) & (self.levels <= level))
        return self._edges[level]

    @cached_property
    def lasting(self) -> tuple[Ints, Ints]:
        """As `edges`, with costs that are the higher, the lower the level at which a triple is removed."""
        return self.with_costs(np.where(self.levels > 0, WHOLE + 1 - self.levels, 0))

    def with_costs(self, costs: npt.NDArray[np.int64 | np.bool_]) -> tuple[Ints, Ints]:
        """As `edges`, with any costs of the triples, 0 … 100."""
        forward, backward = (side.ends | costs[side.rows] for side in self.sides)
        return forward, backward

    def ends(self, relation: str, inverse: bool) -> tuple[Ints, Ints]:
        """Where each triple leads from and to under a projection; two int64 arrays, shape (triples,)."""
        base = self.relation(relation) * self.entities
        first, last = self.sides[0].span(base)[0], self.sides[0].span(base + self.entities - 1)[1]
        found = self.kg.triples[self.sides[0].rows[first:last]].astype(np.int64)
        source, target = (2, 0) if inverse else (0, 2)
        return found[:, source], found[:, target]

    def relation(self, label: str) -> int:
        """The id of a relation.

        Raises:
            QueryError: The graph has none of that name.
        """
        found = self.kg.relation_ids.get(label)
        if found is None:
            raise _unknown("relation", "relations", label, self.kg.relations)
        return found

    def entity(self, label: str) -> int:
        """The id of an entity.

        Raises:
            QueryError: The graph has none of that name.
        """
        found = self.kg.entity_ids.get(label)
        if found is None:
            raise _unknown("entity", "entities", label, self.kg.entities)
        return found


def _unknown(noun: str, plural: str, label: str, known: Sequence[str]) -> QueryError:
    # Comparing with millions would take minutes.
    near = known if len(known) <= 50_000 else [name for name in known if name[:3] == label[:3]]
    close = difflib.get_close_matches(label, near[:50_000], n=1)
    hint = (
        f"did you mean {quoted(close[0])}?"
        if close
        else f"it has {counted(len(known), noun, plural)}."
    )
    return QueryError(f"query: the graph has no {noun} {quoted(label)}; {hint}")
