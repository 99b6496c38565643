"""The steps that a query can take through a graph, with what is removed of them, ready for random draws.

A step leads from one entity to another by a *link*: a relation and the end of it that is asked for, one
link for all relations that state the same facts (see `rulemine.kg.facts`).
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from rulemine.arrays import among
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.query.tree import Projection, Query, Union
from rulemine.seeds import Stream

__all__ = ["ANY", "CORE", "MISSING", "REMEMBERED", "STATED", "DrawTable", "Draws", "Steps"]

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

STATED, CORE, MISSING, BARRED = 0, 1, 2, 3
"""Of a step: the incomplete graph states it; it was removed and may be asked for, with its triple in the core
or not; it was removed and may not be asked for."""

ANY = -1
"""The status of steps whose status does not matter."""

REMEMBERED = 2**16
"""How many combinations of steps are remembered: most are drawn several times."""


class Draws:
    """A random stream that is fast to draw single numbers from.

    Args:
        source: The stream.
    """

    def __init__(self, source: Stream) -> None:
        self._source = source
        self._numbers: list[float] = []

    def below(self, bound: int) -> int:
        """An integer drawn uniformly from 0 … `bound` − 1."""
        if not self._numbers:
            self._numbers = self._source.uniform(4096).tolist()
        return int(self._numbers.pop() * bound)

    def shuffled(self, some: list[int]) -> list[int]:
        """The numbers in random order."""
        some = list(some)
        for i in range(len(some) - 1, 0, -1):
            j = self.below(i + 1)
            some[i], some[j] = some[j], some[i]
        return some


@dataclass(frozen=True, eq=False)
class Steps:
    """All steps between different entities by links that may be asked about; made by `Steps.of`.

    Attributes:
        kg: The complete graph.
        declarations: Which relations state the same facts.
        links: The relation of each link, and whether a projection to it is inverse.
        link: int32, shape (steps,): the link of each step.
        source: int32, likewise: where it comes from.
        target: int32, likewise: where it leads.
        status: int8, likewise: `STATED`, `CORE`, `MISSING` or `BARRED`.
        fan: int32, likewise: to how many entities the link leads from this source.
        first: int32, likewise: where these begin in `by_source`.
        by_source: int32, likewise: all steps by link, source and target.
    """

    kg: KnowledgeGraph
    declarations: Declarations
    links: tuple[tuple[str, bool], ...]
    link: Ints
    source: Ints
    target: Ints
    status: npt.NDArray[np.int8]
    fan: Ints
    first: Ints
    by_source: Ints

    @classmethod
    def of(
        cls,
        kg: KnowledgeGraph,
        removed: Bools,
        allowed: Bools,
        core: Bools,
        declarations: Declarations,
        excluded: Collection[str],
    ) -> "Steps":
        """The steps of a graph.

        Args:
            kg: The complete graph.
            removed: Shape (triples,): what the incomplete graph lacks.
            allowed: Shape (triples, 2): whether the subject, and the object, of a removed triple may be
                asked for.
            core: Shape (triples,): which removed triples are in the core.
            declarations: Which relations state the same facts.
            excluded: Relations that are not asked about.
        """
        links: dict[tuple[str, str], int] = {}
        number = np.full((len(kg.relations), 2), -1, np.int32)
        for i, relation in enumerate(kg.relations):
            for end, direction in enumerate(DIRECTIONS):
                stating = {name for name, _ in declarations.statements(relation, direction)}
                if not stating & set(excluded):
                    asked = declarations.asked(relation, direction)
                    number[i, end] = links.setdefault(asked, len(links))
        fits = kg.triples[:, 0] != kg.triples[:, 2]
        s, r, o = kg.triples[fits].T
        askable = np.where(core[fits, None], CORE, MISSING).astype(np.int8)
        status = np.where(removed[fits, None], np.where(allowed[fits], askable, BARRED), STATED)
        link = np.concatenate((number[r, 0], number[r, 1]))
        source, target = np.concatenate((o, s)), np.concatenate((s, o))
        state = status.astype(np.int8).T.reshape(-1)
        order = np.lexsort((state, source, link, target))
        order = order[link[order] >= 0]
        link, source, target = link[order], source[order], target[order]
        # Of several statements of one fact, the least status.
        new = np.ones(len(order), bool)
        new[1:] = (np.diff(link) != 0) | (np.diff(source) != 0) | (np.diff(target) != 0)
        link, source, target, state = link[new], source[new], target[new], state[order[new]]
        by_source = np.lexsort((source, link)).astype(np.int32)
        group = np.ones(len(by_source), bool)
        group[1:] = (np.diff(link[by_source]) != 0) | (np.diff(source[by_source]) != 0)
        starts = np.flatnonzero(group)
        sizes = np.diff(starts, append=len(by_source))
        fan, first = np.empty((2, len(by_source)), np.int32)
        fan[by_source], first[by_source] = np.repeat(sizes, sizes), np.repeat(starts, sizes)
        return cls(
            kg,
            declarations,
            tuple((relation, end == DIRECTIONS[0]) for relation, end in links),
            link,
            source,
            target,
            state,
            fan,
            first,
            by_source,
        )

    def reached(self, step: int) -> Ints:
        """To which entities the link of a step leads from its source, ascending."""
        first = int(self.first[step])
        return self.target[self.by_source[first : first + int(self.fan[step])]]

    def all_needed(self, taken: Collection[int]) -> bool:
        """Whether of some steps, each makes what all of them lead to together smaller."""
        sets = [self.reached(step) for step in taken]
        size = _size_in_common(sets)
        return all(_size_in_common([*sets[:i], *sets[i + 1 :]]) > size for i in range(len(sets)))

    def leaving(self, link: int, source: int) -> Ints:
        """The steps of a link from an entity, ascending."""
        order, sources, ends = self.by_source, self.sources, self._ends
        # A search by numpy would make an array of the sources of all steps of the link.
        place = bisect_left(order.data, source, ends[link], ends[link + 1], key=sources.__getitem__)
        if place == ends[link + 1] or sources[order[place]] != source:
            return order[:0]
        return order[place : place + int(self.fan[order[place]])]

    def entering(self, target: int) -> Ints:
        """The steps to an entity, ascending."""
        low, high = (bisect_left(self.targets, one) for one in (target, target + 1))
        return np.arange(low, high, dtype=np.int32)

    def having(self, status: int) -> Ints:
        """The steps of a status, ascending; `MISSING`: also those of the core."""
        fits = np.isin(
            self.status, {ANY: [*range(4)], MISSING: [CORE, MISSING]}.get(status, [status])
        )
        return np.flatnonzero(fits).astype(np.int32)

    @cached_property
    def sources(self) -> memoryview:
        """`source`; views give single numbers faster than arrays, and take less room than lists."""
        return np.ascontiguousarray(self.source).data

    @cached_property
    def targets(self) -> memoryview:
        """`target`, likewise."""
        return np.ascontiguousarray(self.target).data

    @cached_property
    def numbers(self) -> memoryview:
        """`link`, likewise."""
        return np.ascontiguousarray(self.link).data

    @cached_property
    def _ends(self) -> list[int]:
        """Where the steps of each link begin in `by_source`, and where the last ones end."""
        counts = np.bincount(self.link, minlength=len(self.links))
        return [0, *np.cumsum(counts).tolist()]

    @cached_property
    def projection(self) -> Callable[[int, Query], Query]:
        """Gives what a link leads to from what a query gives, with all statements of its facts."""
        return lru_cache(REMEMBERED)(self._projection)

    def _projection(self, link: int, of: Query) -> Query:
        statements = self._statements[link]
        if len(statements) == 1:
            return Projection(*statements[0], of)
        return Union.of(Projection(*statement, of) for statement in statements)

    def between(self, pairs: Iterable[tuple[str, ...]]) -> Bools:
        """Which steps join one of some unordered pairs of entities, shape (steps,)."""
        ids, size = self.kg.entity_ids, max(1, len(self.kg.entities))
        wanted = [sorted((ids[a], ids[b])) for a, b in pairs]
        low, high = np.minimum(self.source, self.target), np.maximum(self.source, self.target)
        keys = low.astype(np.int64) * size + high
        found: Bools = np.isin(keys, [a * size + b for a, b in wanted])
        return found

    @cached_property
    def _statements(self) -> list[list[tuple[str, bool]]]:
        """For each link, the relations that state its facts, and whether a projection to it is inverse."""
        return [
            [
                (stating, end == DIRECTIONS[0])
                for stating, end in self.declarations.statements(relation, DIRECTIONS[not inverse])
            ]
            for relation, inverse in self.links
        ]


class DrawTable:
    """Some of the steps, by the entity that they lead to and by link, for draws.

    Args:
        steps: The steps.
        at: int32, ascending: which ones.

    Attributes:
        at: As given.
    """

    def __init__(self, steps: Steps, at: Ints) -> None:
        self.at, self._steps = at, steps
        target, link = steps.target[at], steps.link[at]  # by target, then link, then source
        new = np.ones(len(at), bool)
        new[1:] = (np.diff(target) != 0) | (np.diff(link) != 0)
        first = np.flatnonzero(new).astype(np.int32)
        self._first = np.append(first, np.int32(len(at))).data
        ends = np.cumsum(np.bincount(target[first], minlength=len(steps.kg.entities)))
        self._groups_of = np.append(np.int32(0), ends.astype(np.int32)).data
        self._step = at.data
        self._numbers = steps.numbers

    @property
    def count(self) -> npt.NDArray[np.int64]:
        """int64, shape (entities,): how many of them lead to each entity."""
        return np.bincount(self._steps.target[self.at], minlength=len(self._steps.kg.entities))

    def groups(self, target: int, allowed: bytes | None = None) -> Sequence[int]:
        """The groups of the steps to an entity, one for each link.

        Args:
            target: The entity.
            allowed: For each link, whether it may be drawn; None: all may.
        """
        groups = range(self._groups_of[target], self._groups_of[target + 1])
        if allowed is None:
            return groups
        step, first, numbers = self._step, self._first, self._numbers
        return [group for group in groups if allowed[numbers[step[first[group]]]]]

    def one_of(self, groups: Sequence[int], draws: Draws) -> int:
        """Draws a step: one of some groups uniformly, then the step."""
        return self._one_in(groups[draws.below(len(groups))], draws)

    def anywhere(self, draws: Draws) -> int | None:
        """Draws a step: its link uniformly, then the entity that it leads to, then the step.

        Returns:
            The step; None: there is none.
        """
        by_link, starts = self._by_link
        if not len(by_link):
            return None
        place = draws.below(len(starts) - 1)
        low, high = starts[place], starts[place + 1]
        return self._one_in(by_link[low + draws.below(high - low)], draws)

    @cached_property
    def _by_link(self) -> tuple[memoryview, list[int]]:
        """The groups by link, and where those of each link begin."""
        link = self._steps.link[self.at[np.asarray(self._first)[:-1]]]
        order = np.argsort(link, kind="stable")
        starts = np.flatnonzero(np.diff(link[order], prepend=-1))
        return order.astype(np.int32).data, [*starts.tolist(), len(order)]

    def _one_in(self, group: int, draws: Draws) -> int:
        first = self._first[group]
        return self._step[first + draws.below(self._first[group + 1] - first)]


def _size_in_common(sets: Sequence[Ints]) -> int:
    """The size of the intersection of some sets, one at least, all ascending."""
    found, *others = sorted(sets, key=len)
    for other in others:
        found = found[among(found, other)]
    return len(found)
