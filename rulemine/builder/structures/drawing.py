"""Draws queries of a structure backward from an answer, with as many removed links as wanted.

Each step is drawn among those from which the rest of the structure can still be drawn, so that queries
of which every link is removed do not have to be found by chance.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.builder.structures.edges import MISSING, STATED, Draws, Steps, Table
from rulemine.kg.entity_types import EntityTypes
from rulemine.query.tree import Anchor, Intersection, Query, Union

__all__ = ["LINKS", "Drawer", "Drawn"]

Bools = npt.NDArray[np.bool_]

LINKS = {"1p": 1, "2p": 2, "3p": 3, "2i": 2, "3i": 3, "ip": 3, "pi": 3, "2u": 1, "up": 2}
"""The links of a derivation of each structure: the most that its hard answer can miss."""

OTHER_ANCHORS = 8
"""Draws of another branch, until its anchor is new."""

OTHER_BRANCHES = 64
"""Draws of the second branch of a union, until it has the types of the first."""

ANY = -1
"""The status of steps whose status does not matter."""


class Hop(NamedTuple):
    """A projection to be drawn.

    Attributes:
        status: Of the step, see `rulemine.builder.structures.edges`; or `ANY`.
        below: What it starts from; None: an anchor.
        least: The fewest entities that it may lead to from where it starts.
        most: The most.
    """

    status: int
    below: "Hop | Meet | Either | None"
    least: int = 1
    most: int = 2**62


class Meet(NamedTuple):
    """An intersection to be drawn."""

    parts: tuple[Hop, ...]


class Either(NamedTuple):
    """A union to be drawn: the branch of the derivation, and the other one."""

    part: Hop
    other: Hop


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
    """

    def __init__(
        self,
        steps: Steps,
        types: EntityTypes,
        pools: list[Bools],
        max_answers: int,
        max_evidence: int,
    ) -> None:
        self.steps, self.types, self.pools = steps, types, pools
        self._most = max_answers, max_evidence
        self._tables: dict[tuple[Hop, int, bool], Table] = {}
        self._all = Table(steps, np.ones(len(steps.link), bool))

    def draw(self, name: str, missing: int | None, pool: int, draws: Draws) -> Drawn | None:
        """Draws a query of a structure.

        Args:
            name: The structure.
            missing: The removed links of the derivation that is drawn; None: as they come.
            pool: Which anchors to draw from.
            draws: The stream.

        Returns:
            The query; None: this draw led nowhere.
        """
        count = LINKS[name]
        statuses = [ANY] * count
        if missing is not None:
            gone = draws.shuffled(list(range(count)))[:missing]
            statuses = [MISSING if i in gone else STATED for i in range(count)]
        drawn = _Draw(self, pool, draws)
        query = drawn.root(self._plan(name, statuses))
        if query is None or set(drawn.anchors) & set(drawn.nodes):
            return None
        return Drawn(query, tuple(drawn.anchors), tuple(drawn.links))

    def _plan(self, name: str, s: list[int]) -> Hop | Meet | Either:
        """What is to be drawn; one branch to a single entity would make the other needless."""
        few, some = self._most
        other = STATED if MISSING not in s and ANY not in s else ANY
        if name == "1p":
            return Hop(s[0], None, most=few)
        if name == "2p":
            return Hop(s[1], Hop(s[0], None, most=some), most=few)
        if name == "3p":
            return Hop(s[2], Hop(s[1], Hop(s[0], None, most=some), most=some), most=few)
        if name in ("2i", "3i"):
            return Meet(tuple(Hop(status, None, least=2) for status in s))
        if name == "ip":
            both = Meet((Hop(s[0], None, least=2), Hop(s[1], None, least=2)))
            return Hop(s[2], both, most=few)
        if name == "pi":
            return Meet((Hop(s[1], Hop(s[0], None)), Hop(s[2], None, least=2)))
        if name == "2u":
            return Either(Hop(s[0], None, most=few), Hop(other, None, most=few))
        either = Either(Hop(s[0], None, most=some), Hop(other, None, most=some))
        return Hop(s[1], either, most=few)

    def table(self, step: Hop, pool: int, root: Meet | None = None) -> Table:
        """The steps from which the rest can be drawn; of a root, those to entities with all its branches."""
        key = step, pool, root is not None
        if key not in self._tables:
            steps = self.steps
            chosen = (steps.fan >= step.least) & (steps.fan <= step.most)
            if step.status != ANY:
                chosen &= steps.status == step.status
            chosen &= self._possible(step.below, pool)[steps.source]
            if root is not None:
                chosen &= self._possible(root, pool)[steps.target]
            self._tables[key] = Table(steps, chosen)
        return self._tables[key]

    def other(self, link: int, draws: Draws) -> tuple[int, int, int] | None:
        """Draws any step of a link."""
        return self._all.anywhere(draws, link)

    def _possible(self, plan: Hop | Meet | Either | None, pool: int) -> Bools:
        """At which entities something can be drawn, shape (entities,)."""
        if plan is None:
            return self.pools[pool]
        if isinstance(plan, Hop):
            return self.table(plan, pool).reached
        if isinstance(plan, Either):
            return self._possible(plan.part, pool)
        found = [self._possible(part, pool) for part in plan.parts]
        possible: Bools = np.logical_and.reduce(found)
        return possible


class _Draw:
    """One draw: what was drawn so far."""

    def __init__(self, drawer: Drawer, pool: int, draws: Draws) -> None:
        self.drawer, self.pool, self.draws = drawer, pool, draws
        self.anchors: list[int] = []
        self.nodes: list[int] = []
        self.links: list[int] = []

    def root(self, plan: Hop | Meet | Either) -> Query | None:
        """The whole query."""
        if isinstance(plan, Hop):
            first, table = plan, self.drawer.table(plan, self.pool)
        elif isinstance(plan, Meet):
            first = plan.parts[0]
            table = self.drawer.table(first, self.pool, plan)
        else:
            first, table = plan.part, self.drawer.table(plan.part, self.pool)
        found = table.anywhere(self.draws)
        if found is None:
            return None
        target, link, source = found
        self.nodes.append(target)
        query = self._from(first, link, source)
        if query is None or isinstance(plan, Hop):
            return query
        if isinstance(plan, Meet):
            return self._meet(plan.parts[1:], target, query)
        return self._either(plan.other, target, query, link)

    def _from(self, step: Hop, link: int, source: int) -> Query | None:
        """A step that was drawn, and what is below it."""
        self.links.append(link)
        below = self._below(step.below, source, link)
        return None if below is None else self.drawer.steps.projection(link, below)

    def _into(self, step: Hop, target: int) -> Query | None:
        """A step to an entity."""
        table = self.drawer.table(step, self.pool)
        for _ in range(OTHER_ANCHORS):
            found = table.into(target, self.draws)
            if found is None:
                return None
            if step.below is not None or found[1] not in self.anchors:
                return self._from(step, *found)
        return None

    def _below(self, plan: Hop | Meet | Either | None, source: int, above: int) -> Query | None:
        """What a step starts from.

        Args:
            plan: What is to be drawn.
            source: The entity that the step starts from.
            above: The link of the step.
        """
        if plan is None:
            if source in self.anchors:
                return None
            self.anchors.append(source)
            return Anchor(self.drawer.steps.kg.entities[source])
        self.nodes.append(source)
        if isinstance(plan, Hop):
            return self._into(plan, source)
        if isinstance(plan, Meet):
            query = self._into(plan.parts[0], source)
            return None if query is None else self._meet(plan.parts[1:], source, query)
        query = self._into(plan.part, source)
        return None if query is None else self._either(plan.other, source, query, None, above)

    def _meet(self, parts: tuple[Hop, ...], target: int, query: Query) -> Query | None:
        found = [query]
        for part in parts:
            more = self._into(part, target)
            if more is None:
                return None
            found.append(more)
        whole = Intersection.of(found)
        return whole if isinstance(whole, Intersection) else None

    def _either(
        self, step: Hop, target: int, query: Query, same: int | None, above: int | None = None
    ) -> Query | None:
        """A union of a branch and another one, whose anchor and members have types of the first's.

        Args:
            step: The other branch.
            target: A member of the first one.
            query: The first one.
            same: The link of the first one, which every other draw of the second takes too.
            above: The link that goes on from the union; its members must be able to.
        """
        draws, types, table = self.draws, self.drawer.types, self.drawer.table(step, self.pool)
        anchor = self.anchors[-1]
        for _ in range(OTHER_BRANCHES):
            if above is not None:
                start = self.drawer.other(above, draws)
                into = start and table.into(start[2], draws)
                found = start and into and (start[2], *into)
            else:
                found = table.anywhere(draws, same if draws.below(2) else None)
            if not found:
                continue
            member, link, source = found
            if source == anchor or member == source:
                continue
            if types.shared((anchor, source)) and types.shared((target, member)):
                self.nodes.append(member)
                self.links.append(link)
                self.anchors.append(source)
                other = Anchor(self.drawer.steps.kg.entities[source])
                whole = Union.of([query, self.drawer.steps.projection(link, other)])
                return whole if isinstance(whole, Union) else None
        return None
