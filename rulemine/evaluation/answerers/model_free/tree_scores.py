"""How likely entities are answers of queries, from how likely single links are.

As in CQD-Beam (Arakelyan et al., ICLR 2021): of an intersection the truth is the product, of a union the
maximum; a link goes on from the likeliest entities only, and of several ways to an entity the likeliest
counts. What the graph states by itself has truth 1.
"""

import functools
from collections.abc import Callable, Sequence

import numpy as np

from rulemine.evaluation.answerers.model_free.likely_links import Likely, LikelyLinks, Link
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Ints
from rulemine.query.batch import Batch
from rulemine.query.links import parts_of
from rulemine.query.parser import parse
from rulemine.query.tree import Anchor, Difference, Intersection, Projection, Query

__all__ = ["TreeScores"]

NOTHING = Likely(np.empty(0, np.int64), np.empty(0))


class TreeScores:
    """Answers queries.

    Args:
        kg: The graph.
        links: Its links, stated and derived.
        places: Entity id → its place among equally likely ones, shape (entities,).
        beam: From how many entities a link goes on.
    """

    def __init__(self, kg: KnowledgeGraph, links: LikelyLinks, places: Ints, beam: int) -> None:
        self._kg, self._links, self._places, self._beam = kg, links, places, beam

    def answers(self, lines: Sequence[str], progress: Callable[[int, int], None]) -> list[Likely]:
        """The likely answers of queries as text; every stated answer is among them.

        Raises:
            QueryError: A line is no query.
        """
        queries = [parse(line) for line in lines]
        steps = [_by_height(query) for query in queries]
        for height in range(max(map(len, steps), default=0)):
            # Links are looked for many at once: first those of the anchors, then those that follow.
            self._links.find(
                (
                    link
                    for some in steps
                    for step in (some[height] if height < len(some) else ())
                    for link, _ in self._onwards(step)
                ),
                progress,
            )
        batch = Batch(lines)
        found = []
        for query, stated in zip(queries, batch.answers(batch.over(self._kg)), strict=True):
            likely = self._truth(query)
            if not query.subtracts:
                sure = np.array(sorted(stated), np.int64)
                likely = _highest([likely, Likely(sure, np.ones(len(sure)))])
            found.append(likely)
        return found

    def best(self, likely: Likely) -> Ints:
        """Positions of entities, the likeliest first."""
        return np.lexsort((self._places[likely.ids], -likely.truth))

    def _truth(self, query: Query) -> Likely:
        if isinstance(query, Anchor):
            at = self._kg.entity_ids.get(query.entity)
            return NOTHING if at is None else Likely(np.array([at]), np.ones(1))
        if isinstance(query, Projection):
            ways = [(self._links.of(link), truth) for link, truth in self._onwards(query)]
            return _highest([Likely(ids, truth * start) for (ids, truth), start in ways])
        parts = [self._truth(part) for part in parts_of(query)]
        if isinstance(query, Intersection):
            return functools.reduce(_both, parts)
        if isinstance(query, Difference):
            return _without(*parts)
        return _highest(parts)

    def _onwards(self, step: Projection) -> list[tuple[Link, float]]:
        """The links with which a step goes on, and how likely it is that it starts there."""
        start = self._truth(step.of)
        best = self.best(start)[: self._beam]
        return [
            (Link(step.relation, step.inverse, entity), truth)
            for entity, truth in zip(
                start.ids[best].tolist(), start.truth[best].tolist(), strict=True
            )
        ]


def _by_height(query: Query) -> list[list[Projection]]:
    """The projections of a query, by the most projections on a way from an anchor to each."""
    found: list[list[Projection]] = []

    def visit(query: Query) -> int:
        height = max(map(visit, parts_of(query)), default=0)
        if isinstance(query, Projection):
            if height == len(found):
                found.append([])
            found[height].append(query)
            height += 1
        return height

    visit(query)
    return found


def _highest(parts: Sequence[Likely]) -> Likely:
    """What is in some of the parts, as likely as where it is likeliest."""
    if len(parts) == 1:
        return parts[0]
    ids = np.concatenate([NOTHING.ids, *(part.ids for part in parts)])
    truth = np.concatenate([NOTHING.truth, *(part.truth for part in parts)])
    order = np.lexsort((-truth, ids))
    ids, truth = ids[order], truth[order]
    new = np.ones(len(ids), bool)
    new[1:] = ids[1:] != ids[:-1]
    return Likely(ids[new], truth[new])


def _both(one: Likely, two: Likely) -> Likely:
    ids, first, second = np.intersect1d(one.ids, two.ids, assume_unique=True, return_indices=True)
    return Likely(ids, one.truth[first] * two.truth[second])


def _without(one: Likely, two: Likely) -> Likely:
    truth = one.truth.copy()
    _, first, second = np.intersect1d(one.ids, two.ids, assume_unique=True, return_indices=True)
    truth[first] *= 1 - two.truth[second]
    return Likely(one.ids[truth > 0], truth[truth > 0])
