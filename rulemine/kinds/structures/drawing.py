"""Draws queries of a structure backward from an answer, with as many removed links as wanted.

Each step is drawn among those from which the rest of the structure can still be drawn, so that queries
of which every link is removed do not have to be found by chance.
"""

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
        self._having, self._plan = cache(steps.having), cache(plan_of)
        self._all = DrawTable(steps, np.arange(len(steps.link), dtype=np.int32))
        self.all_needed = lru_cache(REMEMBERED)(steps.all_needed)
        self.together = lru_cache(REMEMBERED)(self._are_together)
        self.groups = lru_cache(REMEMBERED)(DrawTable.groups)
        self.anchor = lru_cache(REMEMBERED)(lambda entity: Anchor(steps.kg.entities[entity]))

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
        self.groups.cache_clear()

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
        plan = self._plan(name, tuple(statuses), few, some, NARROW if narrow else some)
        query = drawn.root(plan)
        if query is None or set(drawn.anchors) & set(drawn.nodes):
            return None
        return Drawn(query, tuple(drawn.anchors), tuple(drawn.links))

    def table(
        self, step: Hop, pool: int, root: Meet | None = None, listing: Listing | None = None
    ) -> DrawTable:
        """The steps from which the rest can be drawn; of a root, those to entities with all its branches."""
        # The branches of a root may come in any order.
        branches = None if root is None else root.branches
        key = step, pool, branches, listing
        table = self._tables.get(key)
        if table is None:
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
            table = self._tables[key] = DrawTable(steps, at)
        return table

    def _are_together(self, link: int, beside: tuple[int, ...], above: int | None) -> bool:
        """Whether a text may say of one entity that links give it and that another goes on from it."""
        links = self.steps.links
        others = [links[other] for other in beside]
        if above is not None:
            relation, inverse = links[above]
            others.append((relation, not inverse))
        return all(self._together(links[link], other) for other in others)

    def akin(self, first: int, table: DrawTable, draws: Draws) -> int | None:
        """Draws a step of the same link from an entity akin to that from which a step comes.

        Two entities are akin if some link leads to both from one entity, and to few others.

        Args:
            first: The step.
            table: What the other one must be among.
            draws: The stream.
        """
        steps = self.steps
        source = steps.sources[first]
        groups = self._all.groups(source)
        if not groups:
            return None
        shared = self._all.one_of(groups, draws)
        if steps.fan[shared] > MOST_AKIN:
            return None
        others = steps.reached(shared)
        other = int(others[draws.below(len(others))])
        if other == source:
            return None
        found = steps.leaving(steps.numbers[first], other)
        return _one_of(found[among(found, table.at)], draws)

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
        for part, times in plan.branches:
            possible &= self.table(part, pool, None, listing).count >= times
        return possible


class _Draw:
    """One draw: what was drawn so far."""

    def __init__(self, drawer: Drawer, pool: int, draws: Draws, listing: Listing | None) -> None:
        self.drawer, self.pool, self.draws, self.listing = drawer, pool, draws, listing
        self.steps = drawer.steps
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
        self.nodes.append(self.steps.targets[found])
        return self._rest(plan, found, None)

    def _table(self, hop: Hop) -> DrawTable:
        return self.drawer.table(hop, self.pool, None, self.listing)

    def _from(self, hop: Hop, step: int) -> Query | None:
        """A step that was drawn, and what is below it."""
        link = self.steps.numbers[step]
        self.links.append(link)
        below = self._below(hop.below, self.steps.sources[step], link)
        return None if below is None else self.steps.projection(link, below)

    def _into(
        self, table: DrawTable, target: int, beside: tuple[int, ...], above: int | None
    ) -> int | None:
        """Draws a step to an entity from one that is new.

        Args:
            table: What is to be drawn from.
            target: The entity.
            beside: The links that give it already.
            above: The link that goes on from it, if one does.
        """
        allowed = None if self.listing is None else self.listing.allowed(above, beside)
        groups = self.drawer.groups(table, target, allowed)
        if not groups:
            return None
        sources, links = self.steps.sources, self.steps.numbers
        for _ in range(OTHER_STEPS):
            step = table.one_of(groups, self.draws)
            source = sources[step]
            if (
                source not in self.nodes
                and source not in self.anchors
                and self.drawer.together(links[step], beside, above)
            ):
                return step
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
            return self.drawer.anchor(source)
        self.nodes.append(source)
        found = self._into(self._table(first_of(plan)), source, (), above)
        return None if found is None else self._rest(plan, found, above)

    def _rest(self, plan: Hop | Meet | Either, first: int, above: int | None) -> Query | None:
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

    def _meet(self, plan: Meet, first: int, above: int | None) -> Query | None:
        """An intersection whose first branch begins with a step; each branch to anchors alone is needed."""
        steps, tables = self.steps, [self._table(hop) for hop in plan.parts[1:]]
        target = steps.targets[first]
        links: tuple[int, ...] = (steps.numbers[first],)
        if plan.parts[0].below is not None:  # its members are not known yet
            query = self._from(plan.parts[0], first)
            if query is None:
                return None
            found = self._into(tables[0], target, links, above)
            more = self._from(plan.parts[1], found) if found is not None else None
            return None if more is None else _met([query, more])
        for _ in range(OTHER_MEETS):
            taken, beside = [first], links
            for table in tables:
                found = self._into(table, target, beside, above)
                if found is None:
                    return None
                taken.append(found)
                beside = (*beside, steps.numbers[found])
            sources = {steps.sources[step] for step in taken}
            if len(sources) == len(taken) and self.drawer.all_needed(frozenset(taken)):
                found_all = [
                    self._from(hop, step) for hop, step in zip(plan.parts, taken, strict=True)
                ]
                return _met([query for query in found_all if query is not None])
        return None

    def _either(self, hop: Hop, first: int, query: Query, above: int | None) -> Query | None:
        """A union of a branch and another one of its link, whose anchors are akin.

        Anchors and members have types in common.

        Args:
            hop: The other branch.
            first: The step of the first one.
            query: The first one.
            above: The link that goes on from the union, if one does; its members must be able to.
        """
        drawer, types, steps, table = self.drawer, self.drawer.types, self.steps, self._table(hop)
        source, target, tries, listed = (
            steps.sources[first],
            steps.targets[first],
            OTHER_BRANCHES,
            None,
        )
        if self.listing is not None:
            listed = self.listing.akin(steps.numbers[first], source)
            tries = min(OTHER_STEPS, len(listed))
            listed = listed[among(listed, table.at)]
        for _ in range(tries):
            found = (
                drawer.akin(first, table, self.draws)
                if listed is None
                else _one_of(listed, self.draws)
            )
            if found is None:
                continue
            member = steps.targets[found]
            if above is not None and not len(steps.leaving(above, member)):
                continue
            if types.shared((source, steps.sources[found])) and types.shared((target, member)):
                self.nodes.append(member)
                other = self._from(hop, found)
                whole = other and Union.of([query, other])
                return whole if isinstance(whole, Union) else None
        return None


def _one_of(some: Ints, draws: Draws) -> int | None:
    """Draws one of some steps; None: there is none."""
    return int(some[draws.below(len(some))]) if len(some) else None


def _met(queries: Sequence[Query]) -> Query | None:
    """The intersection of different queries; None if some are the same."""
    whole = Intersection.of(queries)
    return whole if isinstance(whole, Intersection) and len(whole.parts) == len(queries) else None
