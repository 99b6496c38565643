"""Parts of a query that do nothing: branches, differences, steps of a chain.

A branch does nothing if the answers are the same without it, on the complete graph or on any up to a larger
one that supplies further answers; a difference, if it takes away nothing; a step of a chain, if it leads to
all entities of its type that its relation leads to from anywhere.
"""

from collections.abc import Iterator
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from rulemine.arrays import among, distinct
from rulemine.kg.entity_types import EntityTypes
from rulemine.kg.facts import Declarations
from rulemine.query.grading import Grades
from rulemine.query.links import linked, parts_of, smaller
from rulemine.query.query_graph import QueryGraph
from rulemine.query.structures import structure_of
from rulemine.query.tree import Difference, Projection, Query, Union

__all__ = ["Idle", "IdleParts"]

Ints = npt.NDArray[np.int64]

_Ends = frozenset[tuple[str, bool]]
"""Relations, and whether a projection to each is inverse."""

REMEMBERED = 2**16
"""Counts that are remembered: many queries have the same links and types."""


class Idle:
    """Which part of a query does nothing."""

    NEEDLESS = "a branch is not needed"
    CHAIN = "a step of its chain leads to all there is"
    NEGATION = "what it takes away takes nothing away"


class IdleParts:
    """Looks for parts of queries that do nothing.

    Args:
        graph: The complete graph.
        wider: A larger one, if any.
        declarations: Which relations state the same facts: their statements over one operand are one part.
    """

    def __init__(
        self, graph: QueryGraph, wider: QueryGraph | None, declarations: Declarations
    ) -> None:
        self.graph, self.wider, self.declarations = graph, wider, declarations
        self._range = cache(self._found_range)
        self._alike = lru_cache(REMEMBERED)(self._count_alike)

    def in_query(self, grades: Grades, types: EntityTypes, *, branches: bool = True) -> str | None:
        """Which part does nothing, of `Idle`; None: every part does something.

        Args:
            grades: The query, graded.
            types: The types of the entities.
            branches: Whether branches are looked at.
        """
        query = grades.query
        if any(
            not np.isin(grades.members(part.of), grades.members(part.minus)).any()
            for part in _within(query)
            if isinstance(part, Difference)
        ):
            return Idle.NEGATION
        if branches and self.needless(grades):
            return Idle.NEEDLESS
        if structure_of(query, self.declarations).hops > 1 and any(
            self._leads_to_all(grades, link, types) for link in _links(query, self.declarations)
        ):
            return Idle.CHAIN
        return None

    def needless(self, grades: Grades) -> bool:
        """Whether some branch does nothing.

        One of an intersection is needed on every graph up to the larger one if without it the complete graph
        gives an answer that the larger one does not give the whole query; one of a union, if the complete
        graph gives the whole query an answer that the larger one does not give without it.
        """
        query, wide = grades.query, set[str]()
        for less in smaller(query, self.declarations):
            others = grades.members(less)
            if np.array_equal(others, grades.entities):
                return True
            if self.wider is None:
                continue
            more = self._names(others[~among(others, grades.entities)])
            fewer = self._names(grades.entities[~among(grades.entities, others)])
            wide = wide or {*Grades(self.wider, query).answers}
            if more <= wide and fewer <= {*Grades(self.wider, less).answers}:
                return True
        return False

    def _names(self, entities: Ints) -> set[str]:
        return {self.graph.kg.entities[entity] for entity in entities.tolist()}

    def _leads_to_all(self, grades: Grades, link: Query, types: EntityTypes) -> bool:
        members = grades.members(link)
        statements = parts_of(link) if isinstance(link, Union) else [link]
        ends = frozenset((p.relation, p.inverse) for p in statements if isinstance(p, Projection))
        everything = self._range(ends)
        if len(members) == len(everything):
            return True
        shared = types.shared(members.tolist())
        return bool(shared) and self._alike(ends, types, shared) == among(members, everything).sum()

    def _count_alike(self, ends: _Ends, types: EntityTypes, shared: frozenset[int]) -> int:
        """To how many entities that have all of some types relations lead."""
        return int(among(types.having(shared), self._range(ends)).sum())

    def _found_range(self, ends: _Ends) -> Ints:
        """Ids of all entities that relations, in their directions, lead to; ascending."""
        found = [self.graph.ends(relation, inverse)[1] for relation, inverse in sorted(ends)]
        return distinct(np.concatenate(found))


def _within(query: Query) -> Iterator[Query]:
    """A query and all its parts, at any depth."""
    yield query
    for part in parts_of(query):
        yield from _within(part)


def _links(query: Query, declarations: Declarations) -> Iterator[Query]:
    """The projections of a query; statements of one fact over one operand together, as their union."""
    if isinstance(query, Projection):
        yield query
    parts = parts_of(query)
    if isinstance(query, Union) and isinstance(linked(query, declarations), Projection):
        yield query
        parts = parts_of(parts[0])
    for part in parts:
        yield from _links(part, declarations)
