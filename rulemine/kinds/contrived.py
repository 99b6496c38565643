"""How contrived a query is: points for signs that nobody would ask it, counted on the complete graph.

A link is a relation in one direction, with all statements of its facts. For every set of entities from which
a step goes on (what a chain passes through), points are given for

- its size n: ⌊log₂ n⌋, at most `MOST`; 2 more if its members share no type;
- a hub in it: ⌊log₂ c⌋ − 3, from 0 to `MOST`, where c is how many entities the link that gives the set leads
  from to the member that most lead to; of several links that give it together, the one with the least;
- a stray step: ⌊log₄ 1/f⌋, at most `MOST`, where f is the fraction of all that the link before leads to from
  which the link of the step leads;
- a step back by the link that gave the set, the other way: 2;
- a step from place to place after another: 2;
- only loose links that give it, which say little of what they lead to: 2;
- a loose link of the step: 1.

Every link of gossip gives 2 points; a branch of an intersection 1 if the others alone give fewer than twice
as many answers, 2 if fewer than 4/3 times as many, and 1 if a loose link gives it; a union of different
links 3. Guarantee: points depend on the query, the graph and the declarations of its relations alone.
"""

from bisect import insort
from collections.abc import Collection, Hashable, Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import among, distinct
from rulemine.kg.entity_types import EntityTypes
from rulemine.kg.facts import Declarations
from rulemine.query.grading import Grades
from rulemine.query.links import linked, parts_of
from rulemine.query.query_graph import QueryGraph
from rulemine.query.tree import Anchor, Difference, Intersection, Projection, Query, Union

__all__ = ["Contrived", "LessContrived"]

Ints = npt.NDArray[np.int64]

KEPT = 0.3
"""The fraction of the candidates of a stratum that is asked."""

MOST = 4
"""The most points for one size."""

_REMEMBERED = 4096

_Ends = frozenset[tuple[str, bool]]
"""A link: each relation that states its facts, and whether a projection to it is inverse."""


class _Reach(NamedTuple):
    """From what a link leads to what; int64, ascending.

    Attributes:
        sources: From which entities.
        targets: To which ones.
        crowd: From how many to each of these.
    """

    sources: Ints
    targets: Ints
    crowd: Ints


class Contrived:
    """Scores queries of one graph.

    Args:
        graph: The complete graph.
        declarations: Which relations state the same facts.
        types: The types of the entities.
        places: The relations between places.
        gossip: The relations about private lives.
        loose: Those that say little of what they lead to, such as whom somebody shared an award with.
    """

    def __init__(
        self,
        graph: QueryGraph,
        declarations: Declarations,
        types: EntityTypes,
        places: Collection[str] = (),
        gossip: Collection[str] = (),
        loose: Collection[str] = (),
    ) -> None:
        self._graph, self._declarations, self._types = graph, declarations, types
        self._places, self._gossip = frozenset(places), frozenset(gossip)
        self._loose = frozenset(loose)
        self._reach = cache(self._found_reach)
        self._fits = cache(self._share)
        # Candidates have many parts in common.
        self._link = lru_cache(_REMEMBERED)(self._found_link)

    def points(self, grades: Grades) -> int:
        """The points of a query.

        Args:
            grades: The query, graded.

        Example:
            >>> from rulemine.kg.entity_types import types_of
            >>> from rulemine.kg.graph import KnowledgeGraph
            >>> from rulemine.query import parse
            >>> kg = KnowledgeGraph.from_triples(
            ...     [("ann", "wrote", "emma"), ("ann", "wrote", "persuasion"),
            ...      ("emma", "filmed_by", "may"), ("persuasion", "filmed_by", "jo")])
            >>> contrived = Contrived(QueryGraph(kg), Declarations(), types_of(kg))
            >>> contrived.points(Grades(QueryGraph(kg), parse('(p "filmed_by" (p "wrote" "ann"))')))
            1
        """
        return sum(self._points(grades, part) for part in self._within(grades.query))

    def _within(self, query: Query) -> Iterator[Query]:
        """A query and its parts, at any depth; a link is one part, however many statements it has."""
        yield query
        link = self._link(query)
        for part in parts_of(query) if link is None else [link[1]]:
            yield from self._within(part)

    def _points(self, grades: Grades, query: Query) -> int:
        link = self._link(query)
        if link is not None:
            ends, of = link
            gossip = any(relation in self._gossip for relation, _ in ends)
            return 2 * gossip + (0 if isinstance(of, Anchor) else self._of_step(grades, ends, of))
        if isinstance(query, Intersection):
            loose = sum(map(self._is_loose, self._leading(query)))
            return loose + _of_branches([grades.members(part) for part in query.parts])
        if isinstance(query, Union):
            found = [self._link(part) for part in query.parts]
            return 3 * any(one is None or one[0] != (found[0] or one)[0] for one in found)
        return 0

    def _of_step(self, grades: Grades, ends: _Ends, of: Query) -> int:
        """The points of a step that goes on from what a query gives."""
        members, before = grades.members(of), [*self._leading(of)]
        points = min(MOST, len(members).bit_length() - 1)
        points += 2 * (not self._types.shared(members.tolist()))
        if not before:
            return points
        crowds = [self._most_crowded(self._reach(one), members) for one in before]
        points += min(MOST, max(0, min(crowds).bit_length() - 4))
        fits = max(self._fits(one, ends) for one in before)
        points += min(MOST, (int(1 / fits).bit_length() - 1) // 2) if fits else MOST
        back = frozenset((relation, not inverse) for relation, inverse in ends)
        points += 2 * (back in before)
        points += 2 * (all(map(self._is_loose, before)) + self._is_loose(ends))
        return points + 2 * (self._between_places(ends) and any(map(self._between_places, before)))

    def _leading(self, query: Query) -> Iterator[_Ends]:
        """The links that lead to what a query gives."""
        link = self._link(query)
        if link is not None:
            yield link[0]
            return
        for part in parts_of(query)[:1] if isinstance(query, Difference) else parts_of(query):
            yield from self._leading(part)

    def _found_link(self, query: Query) -> tuple[_Ends, Query] | None:
        """The link of a query that is one, and what it starts from."""
        if isinstance(query, Projection):
            return frozenset([(query.relation, query.inverse)]), query.of
        if not isinstance(query, Union) or not isinstance(
            linked(query, self._declarations), Projection
        ):
            return None
        parts = [part for part in query.parts if isinstance(part, Projection)]
        return frozenset((part.relation, part.inverse) for part in parts), parts[0].of

    def _is_loose(self, ends: _Ends) -> bool:
        return any(relation in self._loose for relation, _ in ends)

    def _between_places(self, ends: _Ends) -> bool:
        return all(relation in self._places for relation, _ in ends)

    def _found_reach(self, ends: _Ends) -> _Reach:
        graph = self._graph
        pairs = [graph.ends(relation, inverse) for relation, inverse in sorted(ends)]
        found = [sources * graph.entities + targets for sources, targets in pairs]
        sources, targets = np.divmod(distinct(np.concatenate(found)), graph.entities)
        return _Reach(distinct(sources), *np.unique(targets, return_counts=True))

    @staticmethod
    def _most_crowded(reach: _Reach, members: Ints) -> int:
        """From how many entities a link leads to the one of some to which it leads from most."""
        at = reach.targets.searchsorted(members)
        crowd = reach.crowd.take(at, mode="clip")
        return int(crowd[reach.targets.take(at, mode="clip") == members].max(initial=0))

    def _share(self, before: _Ends, ends: _Ends) -> float:
        """Of what a link leads to, the share from which another one leads."""
        return float(among(self._reach(before).targets, self._reach(ends).sources).mean())


class LessContrived:
    """Which of the candidates of a stratum are asked: those with the fewest points so far.

    Args:
        share: The fraction of them.

    Attributes:
        points: Query → its points, of all candidates.
    """

    def __init__(self, share: float = KEPT) -> None:
        self.share = share
        self.points: dict[str, int] = {}
        self._seen: set[tuple[Hashable, str]] = set()
        self._has: dict[tuple[Hashable, str, float], bool] = {}
        self._shares: dict[Hashable, float] = {}
        self._of: dict[Hashable, list[int]] = {}

    def has(self, stratum: Hashable, query: Query, points: int) -> bool:
        """Whether a candidate is asked; while the share stays, the answer is the same again.

        Args:
            stratum: What it is compared within.
            query: The candidate.
            points: Its points.
        """
        some, share = self._of.setdefault(stratum, []), self._share(stratum)
        if (stratum, query.text) not in self._seen:
            self._seen.add((stratum, query.text))
            insort(some, points)
            self.points[query.text] = points
        found = stratum, query.text, share
        if found not in self._has:
            self._has[found] = points <= some[int((len(some) - 1) * share)]
        return self._has[found]

    def refused(self, stratum: Hashable, query: Query) -> bool:
        """Whether a candidate was compared before, and is not asked."""
        return not self._has.get((stratum, query.text, self._share(stratum)), True)

    def lift(self, stratum: Hashable) -> bool:
        """Has all candidates of a stratum asked from now on; whether that is new."""
        if self.is_lifted(stratum):
            return False
        self._shares[stratum] = 1
        return True

    def widen(self, stratum: Hashable) -> bool:
        """Has twice as many of the candidates of a stratum asked, unless that is all; whether it did."""
        if 2 * self._share(stratum) >= 1:
            return False
        self._shares[stratum] = 2 * self._share(stratum)
        return True

    def is_widened(self, stratum: Hashable) -> bool:
        """Whether more candidates of a stratum are asked than at first."""
        return self._share(stratum) > self.share

    def is_lifted(self, stratum: Hashable) -> bool:
        """Whether all candidates of a stratum are asked."""
        return self._share(stratum) == 1

    def _share(self, stratum: Hashable) -> float:
        return self._shares.get(stratum, self.share)

    def to_plain(self, asked: Iterable[str]) -> dict[str, float]:
        """The mean points of all candidates and of the queries that are asked, for the manifest."""
        return {"drawn": _mean(self.points.values()), "asked": _mean(map(self.points.get, asked))}


def _mean(points: Iterable[int | None]) -> float:
    """The mean with two decimals, without what is None; 0 without any."""
    some = [one for one in points if one is not None]
    return round(sum(some) / len(some), 2) if some else 0.0


def _of_branches(sets: list[Ints]) -> int:
    """The points of branches that take little away from what the others give."""
    points, whole = 0, len(_met(sets))
    for i in range(len(sets)):
        others = len(_met(sets[:i] + sets[i + 1 :]))
        points += (2 * whole > others) + (4 * whole > 3 * others)
    return points


def _met(sets: list[Ints]) -> Ints:
    found = sets[0]
    for some in sets[1:]:
        found = found[among(found, some)]
    return found
