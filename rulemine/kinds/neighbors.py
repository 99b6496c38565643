"""What entities have to do with each other: whether somebody would name both in one question.

Two entities belong together if they are neighbors, or share a neighbor that is no hub: a work, a group or a
place, but neither a country nor a large genre. Two strangers joined by "and" or "or" are nothing that anybody
asks about.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import combinations, product

import numpy as np

from rulemine.arrays import distinct
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import rows_by_relation
from rulemine.recipe.joins import Link

__all__ = ["Neighbors", "usually_one"]

FEW = 200
"""The most neighbors of an entity that is no hub."""

USUAL = 0.8
"""The least fraction of the entities that a relation leads from, from which it leads to one."""


class Neighbors:
    """The neighbors of entities.

    Args:
        kg: The complete graph.
        places: The relations between places.

    Attributes:
        hubs: Shape (entities,): which have more than `FEW` neighbors.
    """

    def __init__(self, kg: KnowledgeGraph, places: Collection[str]) -> None:
        self._size = size = len(kg.entities)
        s, r, o = kg.triples.T.astype(np.int64)
        there = np.isin(r, [kg.relation_ids[name] for name in places if name in kg.relation_ids])
        ways = np.stack([s * size + o, o * size + s])
        self._placed = frozenset(ways[:, there].reshape(-1).tolist())
        one, self._near = np.divmod(distinct(ways.reshape(-1)), size)
        self._starts = np.searchsorted(one, np.arange(size + 1))
        self.hubs = np.diff(self._starts) > FEW
        self._near_by = lru_cache(1 << 14)(self._few)

    def _few(self, entity: int) -> frozenset[int]:
        """An entity, and those of its neighbors that are no hubs."""
        near = self._near[slice(*self._starts[entity : entity + 2])]
        return frozenset([entity, *near[~self.hubs[near]].tolist()])

    def belong_together(self, entities: Iterable[int], but: Collection[int] = ()) -> bool:
        """Whether any two entities belong together, by others than some.

        Of two places neither may lie in the other: to name both would say where the one is.

        Args:
            entities: Their ids in the graph, in any order.
            but: What they may share besides, such as answers.
        """
        return all(
            one * self._size + other not in self._placed
            and not (self._near_by(one) & self._near_by(other)).issubset(but)
            for one, other in combinations(entities, 2)
        )


def usually_one(kg: KnowledgeGraph, declarations: Declarations) -> frozenset[Link]:
    """The links that lead to one entity from most that they lead from, so that it is "the director of X".

    Args:
        kg: The complete graph.
        declarations: Which relations state the same facts.

    Returns:
        Those that do so from a fraction of `USUAL` or more; of those that state one fact, the one asked.
    """
    rows, found = dict(zip(kg.relations, rows_by_relation(kg), strict=True)), set[Link]()
    for relation, end in product(rows, DIRECTIONS):
        some = [
            kg.triples[rows[stating]][:, [2, 0] if other == DIRECTIONS[0] else [0, 2]]
            for stating, other in declarations.statements(relation, end)
            if stating in rows
        ]
        _, leads_to = np.unique(np.unique(np.concatenate(some), axis=0)[:, 0], return_counts=True)
        if (leads_to == 1).mean() >= USUAL:
            asked, of = declarations.asked(relation, end)
            found.add((asked, of == DIRECTIONS[0]))
    return frozenset(found)
