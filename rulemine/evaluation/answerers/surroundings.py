"""A graph as a walker sees it: the relations at an entity, and what lies behind them.

Guarantee: every list is sorted, and parallel relations are all kept.
"""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.spelling import Spelling
from rulemine.kg.graph import KnowledgeGraph, Triple

__all__ = ["WAYS", "Surroundings"]

WAYS = ("out", "in")
"""How a relation leaves an entity: ``out``, the entity is the subject; ``in``, it is the object."""


class Surroundings:
    """Access to a graph by name, in both directions.

    Args:
        kg: The graph.
    """

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._kg = kg

    def named(self, text: str) -> str | None:
        """The entity of that name, as the graph writes it; letters may be composed otherwise."""
        name = self._spelling.of(text)
        return name if name in self._kg.entity_ids else None

    def known(self, entity: str) -> bool:
        """Whether the graph has an entity of that name."""
        return entity in self._kg.entity_ids

    def relations(self, entity: str) -> list[tuple[str, str]]:
        """The relations at an entity with their way (of `WAYS`), sorted; none for an unknown entity."""
        at = self._kg.entity_ids.get(entity)
        if at is None:
            return []
        names = self._kg.relations
        found = {
            (names[r], WAYS[way]) for way in (0, 1) for r in self._rows(at, way)[:, 1].tolist()
        }
        return sorted(found)

    def neighbors(self, entity: str, relation: str, way: str) -> list[str]:
        """What a relation leads to from an entity, sorted; none where it does not lead anywhere."""
        at, along = self._kg.entity_ids.get(entity), self._kg.relation_ids.get(relation)
        if at is None or along is None:
            return []
        number = WAYS.index(way)
        rows = self._rows(at, number)
        names = self._kg.entities
        return [
            names[e] for e in sorted(rows[rows[:, 1] == along, 2 if number == 0 else 0].tolist())
        ]

    def triples(self, entity: str) -> list[Triple]:
        """The triples of an entity in both directions, sorted, each once."""
        at = self._kg.entity_ids.get(entity)
        if at is None:
            return []
        rows = {tuple(row) for way in (0, 1) for row in self._rows(at, way).tolist()}
        names, relations = self._kg.entities, self._kg.relations
        return [(names[s], relations[r], names[o]) for s, r, o in sorted(rows)]

    def _rows(self, entity: int, way: int) -> npt.NDArray[np.int32]:
        """The triples with an entity at one end."""
        rows, starts = self._sides[way]
        return rows[starts[entity] : starts[entity + 1]]

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self._kg.entities)

    @cached_property
    def _sides(self) -> list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]]:
        """The triples by subject and by object, and where those of each entity begin."""
        triples = self._kg.triples
        bounds = np.arange(len(self._kg.entities) + 1)
        by_object = triples[np.argsort(triples[:, 2], kind="stable")]
        return [
            (rows, np.searchsorted(np.ascontiguousarray(rows[:, column]), bounds))
            for rows, column in ((triples, 0), (by_object, 2))
        ]
