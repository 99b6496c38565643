"""Draws queries of a structure by walks from an answer back to the anchors.

A plan says which steps of a structure are removed. Its first step is drawn among all from which the rest
can be drawn: of their links one at random, then one of the entities that it leads to, then the step, so that
neither hubs nor large relations prevail. Each further step leads to where the one before starts, by a link
that may be joined with it; at a dead end another step is tried, none twice. A first step from which a walk
found nothing new is not taken again. What each part of a query gives is known at once: parts that give too
much, branches that are not needed and anchors that would be passed through are not drawn.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.kg.entity_types import EntityTypes
from rulemine.kinds.neighbors import Neighbors
from rulemine.kinds.structures.steps import (
    CORE,
    REMEMBERED,
    REMOVED,
    STATED,
    Bools,
    Ints,
    Joinable,
    Steps,
    changes,
)  # fmt: skip
from rulemine.query.tree import Anchor, Intersection, Projection, Query, Union

__all__ = ["LINKS", "Walk"]

Bits = npt.NDArray[np.uint8]

LINKS = {"1p": 1, "2p": 2, "3p": 3, "2i": 2, "3i": 3, "ip": 3, "pi": 3, "2u": 1, "up": 2}
"""The links of a derivation of each structure: the most that its hard answer can miss."""

MOST_AKIN = 10
"""The most entities that a link may lead to together for them to be akin."""

NEEDED = 0.9, 0.7
"""An intersection gives at most this fraction of what it would give without one of its branches; the second
where joins are found."""

TRIES, EACH = 64, 8
"""Steps that are tried in one walk, and in one place of it."""

WALKS = 2000
"""After so many walks in a row without a new query it is taken that there is none."""


class Hop(NamedTuple):
    """A step to be drawn: its status, what it starts from (None: an anchor), and its least fan-out."""

    status: int
    below: "Goal | None" = None
    least: int = 1


class Goal(NamedTuple):
    """The steps that lead to an entity: one or, in an intersection, several; of a union, that of one branch.

    Attributes:
        hops: The steps.
        most: The most entities that it may give.
        union: Whether it is a union.
    """

    hops: tuple[Hop, ...]
    most: int
    union: bool = False


def plan_of(name: str, s: tuple[int, ...], few: int) -> Goal:
    """What is to be drawn, from the answer down.

    Args:
        name: The structure.
        s: The statuses of the steps of a derivation, from the anchors up.
        few: The most answers.
    """

    def step(status: int, most: int, below: Goal | None = None, union: bool = False) -> Goal:
        return Goal((Hop(status, below),), most, union)

    def meet(some: tuple[int, ...], most: int) -> Goal:
        # What is scarce is drawn first. A branch to one entity would make the others needless.
        return Goal(tuple(Hop(one, least=2) for one in sorted(some, reverse=True)), most)

    if name in ("1p", "2u"):
        return step(s[0], few, union=name == "2u")
    if name in ("2p", "up"):
        return step(s[1], few, step(s[0], few if name == "up" else 1, union=name == "up"))
    if name == "3p":
        return step(s[2], few, step(s[1], 1, step(s[0], 1)))
    if name in ("2i", "3i"):
        return meet(s, few)
    if name == "ip":
        return step(s[2], few, meet(s[:2], 1))
    # "By the director of X" says something where there is more by the same.
    return Goal((Hop(s[1], step(s[0], few), least=5), Hop(s[2], least=2)), few)


class Drawn(NamedTuple):
    """A part of a query.

    Attributes:
        form: It, as nested tuples: an entity; a link, and what it starts from; or a class of
            `rulemine.query.tree`, and the set of its parts.
        gives: The entities that it gives.
        less: Those that it would give with one branch less, for each branch.
        anchors: Its anchors.
        between: The entities that it passes through.
        links: Its links, the last one first.
    """

    form: Any
    gives: frozenset[int]
    less: tuple[frozenset[int], ...]
    anchors: tuple[int, ...]
    between: frozenset[int]
    links: tuple[int, ...]


class StepTable:
    """Steps to be drawn from, in their order, which is by target and link.

    Attributes:
        at: Which ones.
        starts: Where those of each target and link begin, and where the last ones end.
        links: The links of these groups.
        targets: Where each group leads.
    """

    def __init__(self, steps: Steps, at: Ints) -> None:
        first = changes(steps.target[at], steps.link[at])
        self.at, self.starts = at, np.append(first, len(at))
        self.links, self.targets = steps.link[at[first]], steps.target[at[first]]
        self._ends = self.targets.data

    def by_link(self) -> list[list[int]]:
        """The groups of each link."""
        order = np.argsort(self.links, kind="stable")
        ends = np.flatnonzero(np.diff(self.links[order])) + 1
        return [some.tolist() for some in np.split(order, ends)] if len(order) else []

    def to(self, target: int) -> list[int]:
        """Where the groups that lead to an entity begin and end."""
        return [bisect_left(self._ends, end) for end in (target, target + 1)]

    def drawn(self, group: int, random: Callable[[int], int]) -> int:
        """A step of a group at random."""
        start = self.starts.item(group)
        return self.at.item(start + random(self.starts.item(group + 1) - start))


class Walk:
    """Draws queries of one structure over one graph, each once.

    Args:
        name: The structure.
        steps: The steps of the graph.
        joinable: Which of their links may be joined.
        neighbors: Who is joined to whom, which says whether anchors belong together.
        types: The types of the entities.
        anchors: Shape (entities,): which may be anchors.
        barred: Shape (steps,): which are not taken.
        few: The most answers of a query.
        most: How many queries may have an anchor or an answer in common.
        random: Draws an integer from 0 … n − 1, given n.
    """

    def __init__(
        self,
        name: str,
        steps: Steps,
        joinable: Joinable,
        neighbors: Neighbors,
        types: EntityTypes,
        anchors: Bools,
        barred: Bools,
        few: int,
        most: int,
        random: Callable[[int], int],
    ) -> None:
        self._name, self._steps, self._joinable = name, steps, joinable
        self._neighbors, self._types = neighbors, types
        self._anchors, self._barred = anchors, barred
        self._few, self._most, self._random = few, most, random
        self._seen = set[Any]()
        self._times, self._full = Counter[Any](), set[Any]()
        self._table, self._plans = lru_cache(None)(self._made), lru_cache(None)(self._planned)
        self._groups_to = lru_cache(REMEMBERED)(self._joined)
        self._akin = lru_cache(REMEMBERED)(self._akin_to)
        self._after, self._beside = (
            np.packbits(pairs, axis=1) for pairs in (joinable.after, joinable.beside)
        )
        near = (joinable.akin.any(axis=1) | joinable.ends)[steps.link] & (steps.fan <= MOST_AKIN)
        self._near = StepTable(steps, np.flatnonzero(near).astype(np.int32))

    def draw(self, missing: int, core: bool) -> Query | None:
        """A new query; None: many walks led nowhere.

        Args:
            missing: How many steps of a derivation are removed.
            core: Whether these are of the core.
        """
        plans, steps = self._plans(missing, core), self._steps
        for _ in range(WALKS if plans else 0):
            plan, table, groups_of = plans[self._random(len(plans))]
            groups = groups_of[self._random(len(groups_of))]
            first = table.drawn(groups[self._random(len(groups))], self._random)
            if (plan, first) in self._seen:
                continue
            target, self._left = int(steps.target[first]), TRIES
            for part in self._node(plan, target, None, frozenset((target,)), first):
                if (
                    part.form not in self._seen
                    and (inside := part.gives | part.between).isdisjoint(part.anchors)
                    and self._neighbors.belong_together(part.anchors, inside)
                    and self._types.shared(part.gives)
                    and self._full.isdisjoint(shared := part.gives.union(part.anchors))
                ):
                    self._seen.add(part.form)
                    self._times.update(shared)
                    self._full |= {one for one in shared if self._times[one] >= self._most}
                    return self._query(part.form)
            self._seen.add((plan, first))
        return None

    def _planned(self, missing: int, core: bool) -> list[tuple[Goal, StepTable, list[list[int]]]]:
        """The plans of which something can be drawn, the steps that are drawn first, by link."""
        count, gone = LINKS[self._name], CORE if core else REMOVED
        found = dict.fromkeys(
            plan_of(
                self._name, tuple(gone if i in some else STATED for i in range(count)), self._few
            )
            for some in combinations(range(count), missing)
        )
        return [
            (plan, table, table.by_link())
            for plan in found
            for table in [self._first(plan)]
            if len(table.at)
        ]

    def _query(self, form: Any) -> Query:
        """The query of a form, see `Drawn`."""
        if isinstance(form, int):
            return Anchor(self._steps.kg.entities[form])
        what, of = form
        if isinstance(what, int):
            return Union.of(
                Projection(*one, self._query(of)) for one in self._steps.statements[what]
            )
        found: Query = what.of(map(self._query, of))
        return found

    def _node(
        self,
        node: Goal,
        target: int,
        above: int | None,
        seen: frozenset[int],
        first: int | None = None,
    ) -> Iterator[Drawn]:
        """Draws what gives an entity.

        Args:
            node: What it is.
            target: The entity.
            above: The link that goes on from it.
            seen: The entities that the query passes through so far.
            first: The step that is drawn first.
        """
        for part in self._hop(node, 0, target, above, (), seen, first):
            found = iter((part,))
            if node.union:
                found = self._either(part, above, seen)
            elif node.hops[1:]:
                found = self._meet(node, target, above, seen, (part,))
            yield from (one for one in found if len(one.gives) <= node.most)

    def _hop(
        self,
        node: Goal,
        place: int,
        target: int,
        above: int | None,
        beside: tuple[int, ...],
        seen: frozenset[int],
        first: int | None = None,
    ) -> Iterator[Drawn]:
        """Draws one of the steps of a node and what it starts from, beside links that are drawn."""
        steps, below = self._steps, node.hops[place].below
        for step in self._into(node, place, target, above, beside) if first is None else (first,):
            source, link = steps.source.item(step), steps.link.item(step)
            if source in seen:
                continue
            if below is None:
                yield Drawn(
                    (link, source), steps.reached(link, source), (), (source,), _NONE, (link,)
                )
                continue
            for part in self._node(below, source, link, seen | {source}):
                # "The director of A": it goes on from one entity. From several it goes back, "shares a
                # director with A", and from a union, "films directed by A or B".
                (relation, inverse), last = steps.links[link], steps.links[part.links[0]]
                if below.union or len(part.gives) == 1 or last == (relation, not inverse):
                    gives = _NONE.union(*(steps.reached(link, one) for one in part.gives))
                    ends = part.between.union(e for e in part.gives if steps.reached(link, e))
                    yield Drawn(
                        (link, part.form), gives, (), part.anchors, ends, (link, *part.links)
                    )

    def _into(
        self, node: Goal, place: int, target: int, above: int | None, beside: tuple[int, ...]
    ) -> Iterator[int]:
        """Draws steps to an entity, each time of their links one at random."""
        table, groups, most = self._groups_to(node, place, target, above, beside)
        tried = set[int]()
        for _ in range(min(EACH, self._left, most)):
            step = table.drawn(groups[self._random(len(groups))], self._random)
            if step not in tried:
                tried.add(step)
                self._left -= 1
                yield step

    def _meet(
        self,
        node: Goal,
        target: int,
        above: int | None,
        seen: frozenset[int],
        parts: tuple[Drawn, ...],
    ) -> Iterator[Drawn]:
        """Draws intersections of some parts and those that a node has beside; each is needed."""
        sets = [part.gives for part in parts]
        if len(parts) == len(node.hops):
            gives = frozenset.intersection(*sets)
            less = [frozenset.intersection(*sets[:i], *sets[i + 1 :]) for i in range(len(sets))]
            if len(gives) <= NEEDED[self._joinable.found] * min(map(len, less)):
                form = Intersection, frozenset(part.form for part in parts)
                anchors = tuple(one for part in parts for one in part.anchors)
                links = tuple(one for part in parts for one in part.links)
                between = _NONE.union(*(part.between for part in parts))
                yield Drawn(form, gives, tuple(less), anchors, between, links)
            return
        beside = tuple(part.links[0] for part in parts)
        seen = seen.union(*(part.anchors for part in parts))
        for part in self._hop(node, len(parts), target, above, beside, seen):
            if not any(part.gives <= some or some <= part.gives for some in sets):
                yield from self._meet(node, target, above, seen, (*parts, part))

    def _either(self, part: Drawn, above: int | None, seen: frozenset[int]) -> Iterator[Drawn]:
        """Draws unions of a step from an anchor and one of the same link from an anchor that is akin."""
        (anchor,), (link,), reached = part.anchors, part.links, self._steps.reached
        others = self._akin(anchor, link)
        for other in {others[self._random(len(others))]: 0 for _ in range(min(EACH, len(others)))}:
            more = reached(link, other)
            gives = part.gives | more
            if (
                other not in seen
                and max(len(part.gives), len(more)) < len(gives)
                and (above is None or any(reached(above, one) for one in more))
                and self._types.shared((anchor, other))
                and self._types.shared(gives)
            ):
                form = Union, frozenset((part.form, (link, other)))
                yield Drawn(form, gives, (part.gives, more), (anchor, other), _NONE, (link,))

    def _akin_to(self, anchor: int, link: int) -> list[int]:
        """The entities akin to one from which a link leads on, too, ascending.

        Two entities are akin if some link leads from one to the other, or from a third to both and to few;
        along a list of joins, that third is one that the union gives.
        """
        steps, near, which = self._steps, self._near, self._joinable
        some = near.at[slice(*near.starts[near.to(anchor)])]
        some = some[:: -(-len(some) // TRIES) or 1].tolist()
        ends = [(int(steps.link[step]), int(steps.source[step])) for step in some]
        found = _NONE.union(
            *(steps.reached(*end) for end in ends if which.akin[end[0], link]),
            (one for of, one in ends if which.ends[of]),
        )
        return [
            one
            for one in sorted(found - {anchor})
            if self._anchors[one] and steps.reached(link, one)
        ]

    def _joined(
        self, node: Goal, place: int, target: int, above: int | None, beside: tuple[int, ...]
    ) -> tuple[StepTable, list[int], int]:
        """The steps of a place, which groups of them lead to an entity and may be joined, and how many."""
        table = self._table(node, place)
        low, high = table.to(target)
        link = table.links[low:high]
        fits = np.ones(len(link), bool) if above is None else self._joinable.after[link, above]
        for other in beside:
            fits = fits & self._joinable.beside[link, other]
        groups = np.flatnonzero(fits) + low
        return table, groups.tolist(), int((table.starts[groups + 1] - table.starts[groups]).sum())

    def _made(self, node: Goal, place: int) -> StepTable:
        """The steps of a place from whose source the rest below can be drawn."""
        steps, hop = self._steps, node.hops[place]
        # A condition that holds of most is idle: "produced in the United States".
        led_to = np.bincount(
            steps.link[changes(steps.target, steps.link)], minlength=len(steps.links)
        )
        idle = 0 if self._joinable.found else led_to[steps.link] // 2
        most = np.maximum(idle, self._few) if node.hops[1:] else node.most
        # What is of the core is removed, too.
        fits = np.isin(steps.status, (hop.status, CORE if hop.status == REMOVED else hop.status))
        fits &= ~self._barred & (steps.fan >= hop.least) & (steps.fan <= most)
        if hop.below is None:
            fits &= self._anchors[steps.source] & self._joinable.leaves[steps.link]
        at = np.flatnonzero(fits).astype(np.int32)
        if hop.below is not None:
            first = self._possible(hop.below, self._after)
            at = at[_has(first, steps.source[at], steps.link[at])]
        return StepTable(steps, at)

    def _first(self, plan: Goal) -> StepTable:
        """The steps that may be drawn first."""
        at, steps = self._table(plan, 0).at, self._steps
        if plan.hops[1:]:
            beside = self._possible(plan._replace(hops=plan.hops[1:]), self._beside)
            at = at[_has(beside, steps.target[at], steps.link[at])]
        return StepTable(steps, at)

    def _possible(self, node: Goal, pairs: Bits) -> Bits:
        """Whether a node can give each entity, above or beside each link: shape (entities, links / 8)."""
        possible = np.full((len(self._steps.kg.entities), pairs.shape[1]), 255, np.uint8)
        for place in range(len(node.hops)):
            table, found = self._table(node, place), np.zeros_like(possible)
            if len(table.at):
                new = changes(table.targets)
                found[table.targets[new]] = np.bitwise_or.reduceat(pairs[table.links], new)
            possible &= found
        return possible


_NONE = frozenset[int]()


def _has(bits: Bits, rows: Ints, links: Ints) -> Bools:
    """Whether the bit of a link is set in a row."""
    return np.asarray(bits[rows, links >> 3] >> (7 - (links & 7)) & 1, bool)
