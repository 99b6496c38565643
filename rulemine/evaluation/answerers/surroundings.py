"""A graph as a walker sees it: the relations at an entity, and what lies behind them.

Guarantee: every list is sorted, and parallel relations are all kept.
"""

from functools import cached_property

import numpy as np

from rulemine.evaluation.spelling import Spelling
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Incidence

__all__ = ["WAYS", "Surroundings"]

WAYS = ("out", "in")
"""How a relation leaves an entity: ``out``, the entity is the subject; ``in``, it is the object."""


class Surroundings:
    """Access to a graph by name, in both directions.

    Args:
        kg: The graph.
    """

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._kg, self._around = kg, Incidence(kg)

    def named(self, text: str) -> str | None:
        """The entity of that name, as the graph writes it; letters may be composed otherwise."""
        name = self._spelling.of(text)
        return name if self.known(name) else None

    def known(self, entity: str) -> bool:
        """Whether the graph has an entity of that name."""
        return entity in self._kg.entity_ids

    def relations(self, entity: str) -> list[tuple[str, str]]:
        """The relations at an entity with their way (of `WAYS`), sorted; none for an unknown entity."""
        return sorted({(relation, way) for relation, way, _ in self._at(entity)})

    def neighbors(self, entity: str, relation: str, way: str) -> list[str]:
        """What a relation leads to from an entity, sorted; none where it does not lead anywhere."""
        return [other for *its, other in self._at(entity) if its == [relation, way]]

    def _at(self, entity: str) -> list[tuple[str, str, str]]:
        """The triples of an entity as relation, way and other end, sorted by that."""
        if not self.known(entity):
            return []
        at = self._around.at(np.array([self._kg.entity_ids[entity]]))
        relations = self._kg.triples[self._around.rows[at], 1].tolist()
        columns = relations, self._around.forward[at].tolist(), self._around.others[at].tolist()
        entities, names = self._kg.entities, self._kg.relations
        return [(names[r], WAYS[not out], entities[e]) for r, out, e in zip(*columns, strict=True)]

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self._kg.entities)
