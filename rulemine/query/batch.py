"""Many queries on one graph: those that differ in their anchors alone share a tree.

Guarantees: the answers are those of `rulemine.query.evaluate`, whatever the order of the queries; but what
the graph lacks is no error: an entity or a relation of that name has no triples.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rulemine.errors import QueryError
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import Ints
from rulemine.query.grading import evaluate
from rulemine.query.links import parts_of
from rulemine.query.parser import parse
from rulemine.query.query_graph import SHIFT, QueryGraph
from rulemine.query.tree import Anchor, Projection, Query

__all__ = ["Batch"]

_NAME = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)
"""The name of an entity or a relation, without its quotes."""

NOBODY = ""
"""Stands for every entity that a graph lacks; no entity has this name."""


class _Shared(NamedTuple):
    """Queries with the same tree.

    Attributes:
        tree: The tree; its anchors are numbers, the positions in each list of `anchors`.
        steps: Its projections with their heights.
        places: The positions of the queries.
        anchors: The anchors of each.
    """

    tree: Query
    steps: list[tuple[int, Projection]]
    places: list[int]
    anchors: list[list[str]]


class Batch:
    """Queries that are answered together.

    Args:
        lines: The queries as text.

    Attributes:
        height: The most projections on a way from an anchor to the answers, 0 without queries.

    Raises:
        QueryError: A line is no query.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        shared: dict[str, _Shared] = {}
        self._size = 0
        for line in lines:
            try:
                pattern, anchors = _taken_apart(line)
                if pattern not in shared:
                    tree = parse(pattern)
                    shared[pattern] = _Shared(tree, _steps(tree), [], [])
            except (ValueError, QueryError):
                parse(line)  # its error names the column of the line as it is
                raise
            shared[pattern].places.append(self._size)
            shared[pattern].anchors.append(anchors)
            self._size += 1
        self._shared = list(shared.values())
        self.height = max((at for group in self._shared for at, _ in group.steps), default=0)

    def over(self, kg: KnowledgeGraph) -> KnowledgeGraph:
        """A graph with the same triples and ids, and labels for what it lacks after its own."""
        asked = {step.relation for group in self._shared for _, step in group.steps}
        return replace(
            kg,
            entities=(*kg.entities, NOBODY),
            relations=(*kg.relations, *sorted(asked - kg.relation_ids.keys())),
        )

    def answers(self, kg: KnowledgeGraph) -> list[set[int]]:
        """The answers to each query.

        Args:
            kg: A graph from `over`, maybe with more triples.

        Returns:
            Ids of entities, for each query in the order given.
        """
        found: list[set[int]] = [set()] * self._size
        graph = _Bound(kg)
        nobody = len(kg.entities) - 1
        for group in self._shared:
            values = graph.values(group.tree, group.anchors)
            for place, entities in zip(group.places, values, strict=True):
                found[place] = set(entities.tolist())
                found[place].discard(nobody)
        return found

    def starts(self, kg: KnowledgeGraph, height: int) -> dict[tuple[str, str], set[int]]:
        """The entities from which the projections of a height start.

        Args:
            kg: As for `answers`.
            height: The most projections on a way from an anchor through those, themselves included; ≥ 1.

        Returns:
            Relation and the end of it that is asked for → ids of entities.
        """
        found: dict[tuple[str, str], set[int]] = {}
        graph = _Bound(kg)
        for group in self._shared:
            for step in [step for at, step in group.steps if at == height]:
                entities = found.setdefault((step.relation, DIRECTIONS[not step.inverse]), set())
                for value in graph.values(step.of, group.anchors):
                    entities.update(value.tolist())
        return found


class _Bound(QueryGraph):
    """A graph in which the anchors of a tree are numbers, for which there are entities."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        super().__init__(kg)
        self._bound: Sequence[str] = ()

    def values(self, tree: Query, bound: Sequence[Sequence[str]]) -> Iterator[Ints]:
        """The answers of a tree, for each list of anchors."""
        if isinstance(tree, Projection) and isinstance(tree.of, Anchor):  # most are, so all at once
            side, ids, at = self.sides[tree.inverse], self.kg.entity_ids, int(tree.of.entity)
            topics = np.array([ids.get(some[at], ids[NOBODY]) for some in bound], np.int64)
            spans = side.span(self.relation(tree.relation) * self.entities + topics)
            for first, last in zip(*(ends.tolist() for ends in spans), strict=True):
                yield side.ends[first:last] >> SHIFT
            return
        for self._bound in bound:
            yield evaluate(self, tree).entities

    def entity(self, label: str) -> int:
        """The id of the entity for a number."""
        ids = self.kg.entity_ids
        return ids.get(self._bound[int(label)], ids[NOBODY])


def _taken_apart(line: str) -> tuple[str, list[str]]:
    """A query with numbers in place of its anchors, and these."""
    parts = _NAME.split(line)
    anchors: list[str] = []
    for i in range(1, len(parts), 2):
        name = parts[i]
        if not parts[i - 1].rstrip().endswith(("p", "p-")):
            parts[i] = str(len(anchors))
            anchors.append(json.loads(f'"{name}"') if "\\" in name else name)
    return '"'.join(parts), anchors


def _steps(tree: Query) -> list[tuple[int, Projection]]:
    """The projections of a tree with their heights."""
    found: list[tuple[int, Projection]] = []

    def height(query: Query) -> int:
        below = max(map(height, parts_of(query)), default=0)
        if not isinstance(query, Projection):
            return below
        found.append((below + 1, query))
        return below + 1

    height(tree)
    return found
