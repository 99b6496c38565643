"""How true it is that entities answer a query, from vectors that score single links.

Several links are answered as CQD-Beam does (Arakelyan et al., ICLR 2021): truth is a number from 0 to 1, of
an intersection the product, of a union the maximum, and a link goes on from the truest entities only. A
link that the graph states has truth 1, as in QTO (Bai et al., ICML 2023); of others it is the probability of
the end, divided by that of the likeliest end that is not stated. No entity is linked to itself by a relation
without such a triple.

Guarantees: truths depend on the query, the vectors and what the graph states. They depend neither on the
number of threads nor on other queries: vectors are rounded, so that sums in float64 are exact in any order.
"""

import functools
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.answerers.model_free.complex_vectors import Links, Vectors
from rulemine.query.links import parts_of
from rulemine.query.tree import Anchor, Difference, Intersection, Projection, Query

__all__ = ["FuzzyAnswers", "Truth"]

Truth = npt.NDArray[np.float64]
"""How true it is of each entity, 0 … 1, shape (entities,)."""

UNSTATED = 0.9999
"""The highest truth of a link that the graph does not state."""

LEAST_SCORE = -1e30
"""Below every score of a triple; taken where nothing else can be linked."""

STEP = 2.0**-18
"""Vectors are rounded to multiples of this; sums of products are exact up to 2¹⁷."""


class FuzzyAnswers:
    """Answers queries.

    Args:
        vectors: The vectors.
        links: What the graph states.
        entities: In the order of the vectors.
        relations: Relation → its place in the order of the vectors.
        beam: From how many entities a link goes on.

    Attributes:
        ids: Entity → its place.
    """

    def __init__(
        self,
        vectors: Vectors,
        links: Links,
        entities: Sequence[str],
        relations: Mapping[str, int],
        beam: int,
    ) -> None:
        self.ids = {name: i for i, name in enumerate(entities)}
        self._vectors = Vectors(*map(_rounded, vectors))
        self._links, self._relations, self._beam = links, relations, beam
        self._keys = links.subjects * (2 * len(relations)) + links.relations
        of = np.repeat(np.arange(len(links.subjects)), np.diff(links.first))
        self._with_loops = set(links.relations[of[links.subjects[of] == links.objects]].tolist())

    def truth(self, query: Query) -> Truth:
        """The truth of each entity.

        1 means that the graph states the answer, and only that, unless the query has a difference.
        """
        if isinstance(query, Anchor):
            truth = np.zeros(len(self.ids))
            truth[[self.ids[query.entity]] if query.entity in self.ids else []] = 1
            return truth
        parts = [self.truth(part) for part in parts_of(query)]
        if isinstance(query, Projection):
            if query.relation not in self._relations:
                return np.zeros(len(self.ids))
            place = self._relations[query.relation] + len(self._relations) * query.inverse
            return self._beyond(parts[0], place)
        if isinstance(query, Difference):
            return parts[0] * (1 - parts[1])
        combined: Truth = functools.reduce(
            np.multiply if isinstance(query, Intersection) else np.maximum, parts
        )
        return combined

    def _beyond(self, start: Truth, relation: int) -> Truth:
        """Where a relation leads to from entities that may be wrong."""
        best = np.argsort(-start, kind="stable")
        best = best[: np.count_nonzero(start)]
        truth = np.zeros(len(start))
        if len(best):
            beam = best[: self._beam]
            links = self._of_links(beam, np.full(len(beam), relation))
            truth = (start[beam, None] * links).max(axis=0)
        for entity in best[self._beam : np.count_nonzero(start == 1)].tolist():
            truth[self._stated(entity, relation)] = 1  # what is certain needs no vectors
        return truth

    def _of_links(self, subjects: npt.NDArray[np.int64], relations: npt.NDArray[np.int64]) -> Truth:
        """The truth of all links of some pairs, shape (pairs, entities)."""
        directions = _rounded(self._vectors.directions(subjects, relations))
        truth: Truth = directions @ self._vectors.entities.T
        for row, subject, relation in zip(truth, subjects, relations, strict=True):
            stated = self._stated(subject, relation)
            row[stated] = -np.inf
            if relation not in self._with_loops:
                row[subject] = -np.inf
            row -= max(row.max(), LEAST_SCORE)
            np.exp(row, out=row)
            row *= UNSTATED
            row[stated] = 1
        return truth

    def _stated(self, subject: int, relation: int) -> npt.NDArray[np.int64]:
        """The objects that the graph states."""
        key = subject * 2 * len(self._relations) + relation
        at = np.searchsorted(self._keys, key)
        if at == len(self._keys) or self._keys[at] != key:
            return np.empty(0, np.int64)
        return self._links.objects[self._links.first[at] : self._links.first[at + 1]]


def _rounded(numbers: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    return np.rint(numbers.astype(np.float64) / STEP) * STEP
