"""Evaluates queries over a graph, and grades each answer by how many removed triples it needs.

Each triple costs 0 if the incomplete graph states it, 1 if it was removed. `missing` of an answer is the
least sum of costs over the atoms of its derivations (witnesses): 0 for an anchor; for a projection the
minimum over its edges of cost and operand; the sum over the parts of an intersection; the minimum over
those of a union; for a difference that of the set it takes away from. This is the number of links to
predict of "Is Complex Query Answering Really Complex?" (Gregucci et al., 2025), counted per atom.

A graded set of entities is one sorted int64 array of ``entity << SHIFT | cost``, an entity at most once.
Guarantees: memory is bounded by the triples of the largest relation, the number of entities and
`MOST_KEPT`, whatever the query; the same graph and query give the same answers, grades and witnesses.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from rulemine.errors import QueryError
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.index import Ints
from rulemine.query.query_graph import COST, SHIFT, WHOLE, QueryGraph, levels_of
from rulemine.query.tree import (
    Anchor,
    Count,
    Difference,
    Intersection,
    Projection,
    Query,
    Union,
    quoted,
)

__all__ = ["Grades", "evaluate"]

MOST_KEPT = 1 << 23
"""How many entities of parts of a query are kept for its witnesses; further parts are computed again."""

_AT_ONCE = 1 << 20

Add = Callable[[Ints, Ints], Ints]
"""Adds costs to graded entities."""


def evaluate(
    kg: "KnowledgeGraph | QueryGraph",
    query: Query,
    removed: Mapping[Triple, int] | Iterable[Triple] = (),
    level: int = WHOLE,
) -> "Grades":
    """Answers a query on the complete graph and grades the answers.

    Args:
        kg: The complete graph. For many queries make a `QueryGraph` of it once.
        query: The query.
        removed: The triples that the incomplete graph lacks, or each with its level, 1 … 100; not for a
            `QueryGraph`, which has them.
        level: The incompleteness level: what is removed at this level or a lower one is missing.

    Raises:
        QueryError: The query names what the graph lacks, a removed triple is not in the graph, or a
            `QueryGraph` comes with removed triples.

    Example:
        >>> from rulemine.query import parse
        >>> kg = KnowledgeGraph.from_triples([("ann", "parent", "bo"), ("bo", "parent", "cy")])
        >>> grades = evaluate(kg, parse('(p "parent" (p "parent" "ann"))'), [("bo", "parent", "cy")])
        >>> grades.answers, grades.missing.tolist()
        (('cy',), [1])
    """
    if isinstance(kg, KnowledgeGraph):
        kg = QueryGraph(kg, levels_of(kg, removed))
    elif removed:
        raise QueryError("evaluate: a QueryGraph has its removed triples already. Leave them out.")
    return Grades(kg, query, level)


class _Pass:
    """One evaluation of a query and its parts, with fixed costs.

    Args:
        graph: The graph.
        edges: See `QueryGraph.edges`.
        add: How costs along a derivation add up.
        stated_only: Whether to leave out what costs anything, i.e. to evaluate on the incomplete graph.
    """

    def __init__(
        self, graph: QueryGraph, edges: tuple[Ints, Ints], add: Add, stated_only: bool = False
    ) -> None:
        self.graph, self.edges, self.add, self.stated_only = graph, edges, add, stated_only
        self._values: dict[str, Ints] = {}
        self._kept = 0

    def value(self, query: Query) -> Ints:
        """The graded entities of a query."""
        value = self._values.get(query.text)
        if value is None:
            value = self._compute(query)
            if self.stated_only:
                value = value[value & COST == 0]
            self._kept += len(value)
            if self._kept <= MOST_KEPT:
                self._values[query.text] = value
        return value

    def _compute(self, query: Query) -> Ints:
        if isinstance(query, Projection):
            return self._project(query)
        if isinstance(query, Intersection):
            value = self.value(query.parts[0])
            for part in query.parts[1:]:
                value = self.meet(value, self.value(part))
            return value
        if isinstance(query, Union):
            return self._unite(query.parts)
        if isinstance(query, Difference):
            value, less = self.value(query.of), self.value(query.minus)
            return value[~_shared(value, less)[0]] if len(less) else value
        if isinstance(query, Count):
            return self.value(query.of)
        return np.array([self.graph.entity(query.entity) << SHIFT])

    def _project(self, query: Projection) -> Ints:
        graph, of = self.graph, query.of
        side, edges = graph.sides[query.inverse], self.edges[query.inverse]
        base = graph.relation(query.relation) * graph.entities
        if isinstance(of, Anchor):
            first, last = side.span(base + graph.entity(of.entity))
            return edges[first:last]
        value = self.value(of)
        first, last = side.span(base + (value >> SHIFT))
        count = last - first
        before = count.cumsum() - count
        at = (first - before).repeat(count)
        at += np.arange(len(at))
        return _least(self.add(edges[at], (value & COST).repeat(count)))

    def _unite(self, parts: Sequence[Query]) -> Ints:
        waiting: list[Ints] = []
        size = limit = 0
        for part in parts:
            waiting.append(self.value(part))
            size += len(waiting[-1])
            if size > max(_AT_ONCE, limit):  # rather than all at once: there may be many
                waiting = [_least(np.concatenate(waiting))]
                size = len(waiting[0])
                limit = 2 * size
        return _least(np.concatenate(waiting))

    def meet(self, a: Ints, b: Ints) -> Ints:
        """The entities of both; costs add up."""
        if len(b) < len(a):
            a, b = b, a
        if not len(a):
            return a
        same, other = _shared(a, b)
        return self.add(a[same], other[same] & COST)

    def witness(self, query: Query, entity: int) -> list[tuple[int, bool]]:
        """The cheapest derivation of an answer, of equals the first; see `Grades.derivation`."""
        steps: list[tuple[int, bool]] = []
        waiting = [(query, entity)]
        while waiting:
            node, at = waiting.pop()
            if isinstance(node, Projection):
                graph, back = self.graph, not node.inverse
                side, edges = graph.sides[back], self.edges[back]
                first, last = side.span(graph.relation(node.relation) * graph.entities + at)
                found = self.meet(edges[first:last], self.value(node.of))
                below = int(found[np.argmin(found & COST)]) >> SHIFT
                place = int(first) + int(np.searchsorted(side.ends[first:last], below << SHIFT))
                steps.append((int(side.rows[place]), node.inverse))
                waiting.append((node.of, below))
            elif isinstance(node, Union):
                costs = [self._cost(part, at) for part in node.parts]
                waiting.append((node.parts[costs.index(min(costs))], at))
            elif isinstance(node, Intersection):
                waiting += [(part, at) for part in node.parts]
            elif isinstance(node, Difference | Count):
                waiting.append((node.of, at))
        return steps[::-1]

    def _cost(self, query: Query, entity: int) -> int:
        found = self.meet(np.array([entity << SHIFT]), self.value(query))
        return int(found[0]) & COST if len(found) else COST + 1


def _shared(a: Ints, b: Ints) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], Ints]:
    """Which entities of the first are in the second, which is not empty, and their entries there."""
    other = b.take(b.searchsorted(a & ~COST), mode="clip")
    return (a ^ other) <= COST, other


def _least(found: Ints) -> Ints:
    """Each entity with its least cost; sorts in place."""
    found.sort()
    entities = found >> SHIFT
    new = np.ones(len(found), bool)
    np.not_equal(entities[1:], entities[:-1], out=new[1:])
    return found[new]


def _plus(found: Ints, costs: Ints) -> Ints:
    return found + costs


def _most(found: Ints, costs: Ints) -> Ints:
    """The greater of both costs rather than their sum."""
    return found + np.maximum(costs - (found & COST), 0)


class Grades:
    """The answers of a query on the complete graph, graded at one level.

    Attributes:
        graph: The graph.
        query: The query.
        level: The level.
        entities: int64, shape (answers,): ids of the answers, ascending; of a count, what is counted.
        missing: int64, shape (answers,): the least number of removed triples in a derivation, counted
            once per atom.
    """

    def __init__(self, graph: QueryGraph, query: Query, level: int = WHOLE) -> None:
        self.graph, self.query, self.level = graph, query, level
        self._pass = _Pass(graph, graph.edges(level), _plus)
        found = self._pass.value(query)
        self.entities: Ints = found >> SHIFT
        self.missing: Ints = found & COST

    def __len__(self) -> int:
        return len(self.entities)

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """All answers, sorted."""
        return self._labels(self.entities)

    @property
    def stated(self) -> tuple[str, ...]:
        """The answers of which no triple is missing, sorted."""
        return self._labels(self.entities[self.missing == 0])

    @property
    def hard(self) -> dict[str, int]:
        """The other answers with their `missing`, sorted."""
        hard = self.missing > 0
        labels = self._labels(self.entities[hard])
        return dict(zip(labels, self.missing[hard].tolist(), strict=True))

    @cached_property
    def _given(self) -> Ints:
        """What the incomplete graph gives."""
        given: Ints = self.entities[self.missing == 0]
        if self.query.subtracts:
            edges = self.graph.edges(self.level)
            given = _Pass(self.graph, edges, _plus, stated_only=True).value(self.query) >> SHIFT
        return given

    @property
    def spurious(self) -> tuple[str, ...]:
        """What the incomplete graph gives and the complete one does not, sorted; only with a difference."""
        if not self.query.subtracts:
            return ()
        return self._labels(np.setdiff1d(self._given, self.entities))

    @property
    def value(self) -> int | None:
        """Of a count, its value on the complete graph."""
        return len(self.entities) if isinstance(self.query, Count) else None

    @property
    def stated_value(self) -> int | None:
        """Of a count, its value on the incomplete graph."""
        return len(self._given) if isinstance(self.query, Count) else None

    @cached_property
    def stated_until(self) -> Ints:
        """The level from which on each answer is not stated, shape (answers,); 0: stated at every level."""
        worst = _Pass(self.graph, self.graph.lasting, _most).value(self.query) & COST
        until: Ints = np.where(worst > 0, WHOLE + 1 - worst, 0)
        return until

    def witness(self, answer: str) -> Ints:
        """The cheapest derivation of an answer.

        Of equally cheap ones, the first: from the root down, each variable takes the first entity by name
        and each union its first part.

        Args:
            answer: One of `answers`.

        Returns:
            Rows of ``kg.triples``, one per atom of the derivation, in the order of the query's text: each
            after those of its operand. The number of removed ones is the answer's `missing`.

        Raises:
            QueryError: It is no answer.
        """
        entity = self.graph.kg.entity_ids.get(answer, -1)
        if not (self.entities == entity).any():
            raise QueryError(
                f"query: {quoted(answer)} is not one of its answers. Name one of them."
            )
        return np.array([row for row, _ in self.derivation(entity)], np.int64)

    def derivation(self, entity: int) -> list[tuple[int, bool]]:
        """As `witness`, for the id of an answer.

        Returns:
            The row of each triple, and whether its atom leads from its object to its subject.
        """
        return self._pass.witness(self.query, entity)

    def members(self, part: Query) -> Ints:
        """The entities that a part of the query gives on the complete graph, ids ascending."""
        return self._pass.value(part) >> SHIFT

    def _labels(self, entities: Ints) -> tuple[str, ...]:
        labels = self.graph.kg.entities
        return tuple(labels[i] for i in entities.tolist())
