"""Where links probably lead: what a graph states, and what rules with confidences derive from it.

How likely a derived link is follows from the confidences of the rules that derive it, by `AGGREGATIONS`:

``noisy-or``   1 − Π (1 − confidence): each rule is one more chance (Galárraga et al., WWW 2013)
``max-plus``   the highest confidence; among links with the same, the second highest decides, and so on
               (Meilicke et al., IJCAI 2019)

Guarantees: 1 means that the graph states the link, and only that; the same for any order of rules and links.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.query.atom import Atom
from rulemine.rules.rule import Rule
from rulemine.rules.walk import Derived, OpenEnds, Walks

__all__ = ["AGGREGATIONS", "Likely", "LikelyLinks", "Link"]

AGGREGATIONS = ("noisy-or", "max-plus")

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

UNIT = 1 << 40
"""Logarithms are whole multiples of 1 / this, so that their sums do not depend on the order."""

MOST_CERTAIN = 34.0
"""−ln(1 − x) for the highest x < 1 that is distinguished from those a little lower."""

COMPARED = 10
"""How many confidences ``max-plus`` compares."""

LOWER = 1e-9
"""What comes off a likelihood for every likelier link of the same highest confidence."""


class Link(NamedTuple):
    """A link with an open end.

    Attributes:
        relation: Its label.
        inverse: Whether the subject is open, rather than the object.
        entity: Id of the entity at the other end.
    """

    relation: str
    inverse: bool
    entity: int


class Likely(NamedTuple):
    """Entities, each with how likely it is that they are meant.

    Attributes:
        ids: Entity ids, ascending, each once.
        truth: > 0 and at most 1.
    """

    ids: Ints
    truth: Floats


class LikelyLinks:
    """Finds the ends of links; what was found is kept.

    Args:
        kg: The graph.
        rules: With their measures.
        aggregation: One of `AGGREGATIONS`.
        unseen: Groundings without the head that are added to those of each rule, so that rules with few
            groundings have little confidence.
    """

    def __init__(
        self, kg: KnowledgeGraph, rules: Sequence[Rule], aggregation: str, unseen: float
    ) -> None:
        self._kg, self._found = kg, dict[Link, Likely]()
        self._noisy = aggregation == AGGREGATIONS[0]
        # What is stated follows from itself.
        stated = [Rule(atom, (atom,)) for atom in (Atom(0, r, 1) for r in kg.relations)]
        confidence = np.array([r.support / (r.pca_body_size + unseen) for r in rules])
        order = np.argsort(-confidence, kind="stable")
        self._stated = len(stated)
        self._walks = Walks(Index(kg), [*stated, *(rules[i] for i in order.tolist())])
        self._confidence = np.concatenate((np.ones(len(stated)), confidence[order]))
        weights = -np.log1p(-np.minimum(self._confidence, 0.9999))
        self._weights = np.rint(weights * UNIT).astype(np.int64)
        loops = kg.triples[kg.triples[:, 0] == kg.triples[:, 2], 1]
        self._loops = {kg.relations[i] for i in distinct(loops).tolist()}

    def find(self, links: Iterable[Link], progress: Callable[[int, int], None]) -> None:
        """Finds the ends of links that were not found before; `of` has them then."""
        wanted = sorted(set(links) - self._found.keys())
        parts: dict[tuple[str, bool], list[int]] = {}
        for link in wanted:
            parts.setdefault((link.relation, link.inverse), []).append(link.entity)
        asked = [
            OpenEnds(relation, DIRECTIONS[not inverse], np.array(entities, np.int64))
            for (relation, inverse), entities in parts.items()
        ]
        for derived in self._walks.derive(asked):
            some = wanted[derived.topics.start : derived.topics.stop]
            self._found.update(zip(some, self._likely(derived, some), strict=True))
            progress(derived.topics.stop, len(wanted))

    def of(self, link: Link) -> Likely:
        """The ends of a link that was looked for."""
        return self._found[link]

    def _likely(self, derived: Derived, links: Sequence[Link]) -> list[Likely]:
        """The ends of some links."""
        topic, answer, rule = derived.topic - derived.topics.start, derived.answer, derived.rule
        new = np.ones(len(topic), bool)
        new[1:] = (topic[1:] != topic[:-1]) | (answer[1:] != answer[:-1])
        first = np.flatnonzero(new)
        truth = (self._noisy_or if self._noisy else self._max_plus)(topic, rule, first)
        stated = rule[first] < self._stated
        truth[stated] = 1
        topic, answer = topic[first], answer[first]
        # An entity is not linked to itself by a relation of which the graph has no such link.
        alone = np.array(
            [-1 if at.relation in self._loops else at.entity for at in links], np.int64
        )
        kept = stated | (answer != alone[topic])
        topic, answer, truth = topic[kept], answer[kept], truth[kept]
        ends = np.searchsorted(topic, np.arange(len(links) + 1)).tolist()
        return [Likely(answer[a:b], truth[a:b]) for a, b in pairwise(ends)]

    def _noisy_or(self, topic: Ints, rule: Ints, first: Ints) -> Floats:
        """Truth of each group of rows; `first` are their first rows."""
        if not len(first):
            return np.empty(0)
        total = np.add.reduceat(self._weights[rule], first) / UNIT
        truth: Floats = -np.expm1(-np.minimum(total, MOST_CERTAIN))
        return truth

    def _max_plus(self, topic: Ints, rule: Ints, first: Ints) -> Floats:
        """As `_noisy_or`. Rules are sorted by confidence, so the first row of a group has the highest."""
        group = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(rule))))
        place = np.arange(len(rule)) - first[group]
        highest = np.zeros((COMPARED, len(first)))
        among = place < COMPARED
        highest[place[among], group[among]] = self._confidence[rule[among]]
        owner = topic[first]
        order = np.lexsort((*-highest[::-1], owner))
        other = np.ones(len(order), bool)
        other[1:] = (np.diff(highest[:, order], axis=1) != 0).any(axis=0)
        start = np.ones(len(order), bool)
        start[1:] = np.diff(owner[order]) != 0
        above: Ints = np.cumsum(other | start, dtype=np.int64)
        above -= np.maximum.accumulate(np.where(start, above, 0))
        truth = np.empty(len(first))
        truth[order] = highest[0, order] * (1 - LOWER * np.minimum(above, 1 / LOWER / 2))
        return np.minimum(truth, 1 - LOWER)
