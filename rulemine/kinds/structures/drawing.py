"""Draws queries of a structure backward from an answer, with as many removed links as wanted.

Each step is drawn among those from which the rest of the structure can still be drawn, so that queries
of which every link is removed do not have to be found by chance.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import among
from rulemine.kg.entity_types import EntityTypes
from rulemine.kinds.structures.edges import (
    CORE,
    MISSING,
    REMEMBERED,
    STATED,
    Draws,
    DrawTable,
    Ints,
    Steps,
    Taken,
)
from rulemine.kinds.structures.listed import MOST_AKIN, Listing
from rulemine.kinds.structures.plans import ANY, LINKS, NARROW, Either, Hop, Meet, first_of, plan_of
from rulemine.query.tree import Anchor, Intersection, Query, Union
from rulemine.recipe.joins import Joins

__all__ = ["Drawer", "Drawn"]

Bools = npt.NDArray[np.bool_]

OTHER_STEPS = 8
"""Draws of a step, until it comes from an entity that the query does not have yet."""

OTHER_MEETS = 32
"""Draws of the other branches of an intersection, until each is needed."""

OTHER_BRANCHES = 64
"""Draws of the second branch of a union, until it is like the first."""


class Drawn(NamedTuple):
    """A query that was drawn.

    Attributes:
        query: The query.
        anchors: Its anchors, all different.
        links: The links of its steps.
    """

    query: Query
    anchors: tuple[int, ...]
    links: tuple[int, ...]


class Drawer:
    """Draws queries.

    Args:
        steps: The steps of the graph.
        types: The types of its entities.
        pools: The anchors to draw from, one array of shape (entities,) for each split.
        max_answers: The most answers of a query.
        max_evidence: The most triples in the derivations of its answers.
        together: Whether a text may say of one entity that it is given by both of two links, each a
            relation and whether it leads from objects to subjects.
        joins: The joins that people make; None: there is no list of them.

    Attributes:
        listed: Structure → what the joins allow, of those with more than one link.
    """

    def __init__(
        self,
        steps: Steps,
        types: EntityTypes,
        pools: list[Bools],
        max_answers: int,
        max_evidence: int,
        together: Callable[[tuple[str, bool], tuple[str, bool]], bool] = lambda _one, _other: True,
        joins: Joins | None = None,
    ) -> None:
        self.steps, self.types, self.pools = steps, types, pools
        self._together = cache(together)
        self._most = max_answers, max_evidence
        self._barred: dict[int, Bools] = {}
        several = [name for name in LINKS if joins is not None and name != "1p"]
        self.listed = {name: Listing(steps, joins, name) for name in several if joins}
        self._tables: dict[tuple[Any, ...], DrawTable] = {}
        self._having = cache(steps.having)
        self._all = DrawTable(steps, np.arange(len(steps.link), dtype=np.int32))
        self.all_needed = lru_cache(REMEMBERED)(self._all_needed)
        self.together = lru_cache(REMEMBERED)(self._are_together)

    def bar(self, pool: int, pairs: Iterable[tuple[str, ...]], *, stated_too: bool = True) -> None:
        """Takes the steps between some unordered pairs of entities out of the draws of a pool.

        Args:
            pool: The pool.
            pairs: The pairs.
            stated_too: Whether also those that the incomplete graph states.
        """
        found = self.steps.between(pairs)
        if not stated_too:
            found &= self.steps.status != STATED
        self._barred[pool] = self._barred.get(pool, found) | found
        self.forget(pool)

    def forget(self, pool: int) -> None:
        """Gives up what is kept for the draws of a pool; it is made again when it is needed."""
        self._tables = {key: table for key, table in self._tables.items() if key[1] != pool}

    def draw(
        self,
        name: str,
        missing: int | None,
        pool: int,
        draws: Draws,
        core: bool = False,
        narrow: bool = True,
        listing: Listing | None = None,
    ) -> Drawn | None:
        """Draws a query of a structure.

        Args:
            name: The structure.
            missing: The removed links of the derivation that is drawn; None: as they come.
            pool: Which anchors to draw from.
            draws: The stream.
            core: Whether the removed links are of the core; where they come as they come, one is.
            narrow: Whether each inner step of a chain of three leads from one entity to one.
            listing: What may be joined; None: everything.

        Returns:
            The query; None: this draw led nowhere.
        """
        count = LINKS[name]
        statuses = [ANY] * count
        if missing is not None:
            gone = draws.shuffled(list(range(count)))[:missing]
            of_gone = CORE if core else MISSING
            statuses = [of_gone if i in gone else STATED for i in range(count)]
        elif core:
            statuses[draws.below(count)] = CORE
        drawn = _Draw(self, pool, draws, listing)
        few, some = self._most
        query = drawn.root(plan_of(name, statuses, few, some, NARROW if narrow else some))
        if query is None or set(drawn.anchors) & set(drawn.nodes):
            return None
        return Drawn(query, tuple(drawn.anchors), tuple(drawn.links))

    def table(
        self, step: Hop, pool: int, root: Meet | None = None, listing: Listing | None = None
    ) -> DrawTable:
        """The steps from which the rest can be drawn; of a root, those to entities with all its branches."""
        # The branches of a root may come in any order.
        branches = None if root is None else frozenset(Counter(root.parts).items())
        key = step, pool, branches, listing
        if key not in self._tables:
            steps = self.steps
            at = self._having(step.status)
            # Most are left out by what costs least.
            at = at[(steps.fan[at] >= step.least) & (steps.fan[at] <= step.most)]
            if pool in self._barred:
                at = at[~self._barred[pool][at]]
            at = at[self._possible(step.below, pool, listing)[steps.source[at]]]
            if root is not None:
                at = at[self._possible(root, pool, listing)[steps.target[at]]]
            if listing is not None:
                at = listing.joined(
                    at, step, root, lambda hop: self.table(hop, pool, None, listing).at
                )
            self._tables[key] = DrawTable(steps, at)
        return self._tables[key]

    def _are_together(self, link: int, beside: tuple[int, ...], above: int | None) -> bool:
        """Whether a text may say of one entity that links give it and that another goes on from it."""
        links = self.steps.links
        others = [links[other] for other in beside]
        if above is not None:
            relation, inverse = links[above]
            others.append((relation, not inverse))
        return all(self._together(links[link], other) for other in others)

    def _all_needed(self, taken: frozenset[int]) -> bool:
        """Whether of some steps, each makes what all of them lead to together smaller."""
        return _all_smaller([self.steps.reached(step) for step in taken])

    def akin(self, first: Taken, table: DrawTable, draws: Draws) -> Taken | None:
        """Draws a step of the same link from an entity akin to that from which a step comes.

        Two entities are akin if some link leads to both from one entity, and to few others.

        Args:
            first: The step.
            table: What the other one must be among.
            draws: The stream.
        """
        steps = self.steps
        shared = self._all.into(first.source, draws)
        if shared is None or steps.fan[shared.step] > MOST_AKIN:
            return None
        others = steps.reached(shared.step)
        source = int(others[draws.below(len(others))])
        if source == first.source:
            return None
        return self.one_of(steps.leaving(first.link, source), table, draws)

    def one_of(self, some: Ints, table: DrawTable, draws: Draws) -> Taken | None:
        """One of some steps that a table has; None: it has none."""
        steps, found = self.steps, some[among(some, table.at)]
        if not len(found):
            return None
        step = int(found[draws.below(len(found))])
        return Taken(step, int(steps.target[step]), int(steps.link[step]), int(steps.source[step]))

    def _possible(
        self, plan: Hop | Meet | Either | None, pool: int, listing: Listing | None
    ) -> Bools:
        """At which entities something can be drawn, shape (entities,)."""
        if plan is None:
            return self.pools[pool]
        if isinstance(plan, Hop):
            return self.table(plan, pool, None, listing).count > 0
        if isinstance(plan, Either):
            return self._possible(plan.part, pool, listing)
        possible = np.ones(len(self.steps.kg.entities), bool)
        for part, times in Counter(plan.parts).items():
            possible &= self.table(part, pool, None, listing).count >= times
        return possible


class _Draw:
    """One draw: what was drawn so far."""

    def __init__(self, drawer: Drawer, pool: int, draws: Draws, listing: Listing | None) -> None:
        self.drawer, self.pool, self.draws, self.listing = drawer, pool, draws, listing
        self.anchors: list[int] = []
        self.nodes: list[int] = []
        self.links: list[int] = []

    def root(self, plan: Hop | Meet | Either) -> Query | None:
        """The whole query."""
        whole = plan if isinstance(plan, Meet) else None
        table = self.drawer.table(first_of(plan), self.pool, whole, self.listing)
        found = table.anywhere(self.draws)
        if found is None:
            return None
        self.nodes.append(found.target)
        return self._rest(plan, found, None)

    def _from(self, hop: Hop, taken: Taken) -> Query | None:
        """A step that was drawn, and what is below it."""
        self.links.append(taken.link)
        below = self._below(hop.below, taken.source, taken.link)
        return None if below is None else self.drawer.steps.projection(taken.link, below)

    def _into(
        self, hop: Hop, target: int, beside: tuple[int, ...], above: int | None
    ) -> Taken | None:
        """Draws a step to an entity from one that is new.

        Args:
            hop: What is to be drawn.
            target: The entity.
            beside: The links that give it already.
            above: The link that goes on from it, if one does.
        """
        listing = self.listing
        table = self.drawer.table(hop, self.pool, None, listing)
        allowed = None if listing is None else listing.allowed(above, beside)
        for _ in range(OTHER_STEPS):
            found = table.into(target, self.draws, allowed)
            if found is None:
                return None
            if (
                found.source not in self.nodes
                and found.source not in self.anchors
                and self.drawer.together(found.link, beside, above)
            ):
                return found
        return None

    def _below(self, plan: Hop | Meet | Either | None, source: int, above: int) -> Query | None:
        """What a step starts from.

        Args:
            plan: What is to be drawn.
            source: The entity that the step starts from.
            above: The link of the step.
        """
        if plan is None:
            self.anchors.append(source)
            return Anchor(self.drawer.steps.kg.entities[source])
        self.nodes.append(source)
        found = self._into(first_of(plan), source, (), above)
        return None if found is None else self._rest(plan, found, above)

    def _rest(self, plan: Hop | Meet | Either, first: Taken, above: int | None) -> Query | None:
        """What begins with a step that was drawn.

        Args:
            plan: What is to be drawn.
            first: The step.
            above: The link that goes on from it, if one does.
        """
        if isinstance(plan, Meet):
            return self._meet(plan, first, above)
        query = self._from(first_of(plan), first)
        if query is None or isinstance(plan, Hop):
            return query
        return self._either(plan.other, first, query, above)

    def _meet(self, plan: Meet, first: Taken, above: int | None) -> Query | None:
        """An intersection whose first branch begins with a step; each branch to anchors alone is needed."""
        first_hop, *others = plan.parts
        if first_hop.below is not None:  # its members are not known yet
            query = self._from(first_hop, first)
            if query is None:
                return None
            found = self._into(others[0], first.target, (first.link,), above)
            more = self._from(others[0], found) if found is not None else None
            return None if more is None else _met([query, more])
        for _ in range(OTHER_MEETS):
            taken = [first]
            for hop in others:
                links = tuple([one.link for one in taken])
                more_taken = self._into(hop, first.target, links, above)
                if more_taken is None:
                    return None
                taken.append(more_taken)
            sources = {one.source for one in taken}
            if len(sources) == len(taken) and self.drawer.all_needed(
                frozenset([one.step for one in taken])
            ):
                found_all = [
                    self._from(hop, one) for hop, one in zip(plan.parts, taken, strict=True)
                ]
                return _met([query for query in found_all if query is not None])
        return None

    def _either(self, hop: Hop, first: Taken, query: Query, above: int | None) -> Query | None:
        """A union of a branch and another one of its link, whose anchors are akin.

        Anchors and members have types in common.

        Args:
            hop: The other branch.
            first: The step of the first one.
            query: The first one.
            above: The link that goes on from the union, if one does; its members must be able to.
        """
        drawer, types = self.drawer, self.drawer.types
        table, steps = drawer.table(hop, self.pool, None, self.listing), drawer.steps
        listed = None if self.listing is None else self.listing.akin(first.link, first.source)
        for _ in range(OTHER_BRANCHES if listed is None else min(OTHER_STEPS, len(listed))):
            if listed is None:
                found = drawer.akin(first, table, self.draws)
            else:
                found = drawer.one_of(listed, table, self.draws)
            if found is None or (above is not None and not len(steps.leaving(above, found.target))):
                continue
            if types.shared((first.source, found.source)) and types.shared(
                (first.target, found.target)
            ):
                self.nodes.append(found.target)
                other = self._from(hop, found)
                whole = other and Union.of([query, other])
                return whole if isinstance(whole, Union) else None
        return None


def _met(queries: Sequence[Query]) -> Query | None:
    """The intersection of different queries; None if some are the same."""
    whole = Intersection.of(queries)
    return whole if isinstance(whole, Intersection) and len(whole.parts) == len(queries) else None


def _all_smaller(sets: Sequence[Ints]) -> bool:
    """Whether every set, all ascending, makes their intersection smaller."""
    sizes = []
    for left_out in range(-1, len(sets)):
        rest = [some for i, some in enumerate(sets) if i != left_out]
        rest.sort(key=len)
        found = rest[0]
        for other in rest[1:]:
            at = other.searchsorted(found)
            found = found[other.take(at, mode="clip") == found]
        sizes.append(len(found))
    return min(sizes[1:]) > sizes[0]
