"""The steps that a query can take through a graph, with what is removed of them, ready for random draws.

A step leads from one entity to another by a *link*: a relation and the end of it that is asked for, one
link for all relations that state the same facts (see `rulemine.kg.facts`).
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.query.tree import Projection, Query, Union
from rulemine.seeds import Stream

__all__ = ["CORE", "MISSING", "REMEMBERED", "STATED", "DrawTable", "Draws", "Steps", "Taken"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

STATED, CORE, MISSING, BARRED = 0, 1, 2, 3
"""Of a step: the incomplete graph states it; it was removed and may be asked for, with its triple in the core
or not; it was removed and may not be asked for."""


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


class Taken(NamedTuple):
    """A step that was drawn.

    Attributes:
        step: Its position in the arrays of `Steps`.
        target: Where it leads.
        link: Its link.
        source: Where it comes from.
    """

    step: int
    target: int
    link: int
    source: int


@dataclass(frozen=True, eq=False)
class Steps:
    """All steps between different entities by links that may be asked about; made by `Steps.of`.

    Attributes:
        kg: The complete graph.
        declarations: Which relations state the same facts.
        links: The relation of each link, and whether a projection to it is inverse.
        link: int64, shape (steps,): the link of each step.
        source: int64, likewise: where it comes from.
        target: int64, likewise: where it leads.
        status: int8, likewise: `STATED`, `CORE`, `MISSING` or `BARRED`.
        fan: int64, likewise: to how many entities the link leads from this source.
        first: int64, likewise: where these begin in `members`.
        members: int64, likewise: the targets of all steps by link, source and target.
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
    members: Ints

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
        number = np.full((len(kg.relations), 2), -1)
        for i, relation in enumerate(kg.relations):
            for end, direction in enumerate(DIRECTIONS):
                stating = {name for name, _ in declarations.statements(relation, direction)}
                if not stating & set(excluded):
                    asked = declarations.asked(relation, direction)
                    number[i, end] = links.setdefault(asked, len(links))
        s, r, o = (column.astype(np.int64) for column in kg.triples.T)
        fits = s != o
        askable = np.where(core[:, None], CORE, MISSING)
        status = np.where(removed[:, None], np.where(allowed, askable, BARRED), STATED)
        link = np.concatenate((number[r, 0][fits], number[r, 1][fits]))
        source = np.concatenate((o[fits], s[fits]))
        target = np.concatenate((s[fits], o[fits]))
        state = np.concatenate((status[fits, 0], status[fits, 1]))
        order = np.lexsort((state, source, link, target))
        order = order[link[order] >= 0]
        link, source, target = link[order], source[order], target[order]
        # Of several statements of one fact, the least status.
        new = np.ones(len(order), bool)
        new[1:] = (np.diff(link) != 0) | (np.diff(source) != 0) | (np.diff(target) != 0)
        link, source, target, state = link[new], source[new], target[new], state[order][new]
        keys = link * max(1, len(kg.entities)) + source
        _, which, count = np.unique(keys, return_inverse=True, return_counts=True)
        which = which.reshape(-1)
        return cls(
            kg,
            declarations,
            tuple((relation, end == DIRECTIONS[0]) for relation, end in links),
            link,
            source,
            target,
            state.astype(np.int8),
            count[which].astype(np.int64),
            (np.cumsum(count) - count)[which].astype(np.int64),
            target[np.lexsort((target, which))],
        )

    def reached(self, step: int) -> Ints:
        """To which entities the link of a step leads from its source, ascending."""
        first = int(self.first[step])
        return self.members[first : first + int(self.fan[step])]

    def leaving(self, link: int, source: int) -> Ints:
        """The steps of a link from an entity, ascending."""
        keys, steps = self._by_source
        key = link * max(1, len(self.kg.entities)) + source
        low, high = keys.searchsorted((key, key + 1))
        return steps[low:high]

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
        found: Bools = np.isin(low * size + high, [a * size + b for a, b in wanted])
        return found

    @cached_property
    def _by_source(self) -> tuple[Ints, Ints]:
        """A key for link and source of every step, ascending, and the steps in their order."""
        key = self.link * max(1, len(self.kg.entities)) + self.source
        order = np.argsort(key, kind="stable")
        return key[order], order

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
        chosen: bool, shape (steps,): which ones.

    Attributes:
        chosen: As given.
        count: int64, shape (entities,): how many of them lead to each entity.
    """

    def __init__(self, steps: Steps, chosen: Bools) -> None:
        self.chosen = chosen
        at = np.flatnonzero(chosen)  # by target, then link, then source
        target, link = steps.target[at], steps.link[at]
        new = np.ones(len(at), bool)
        new[1:] = (np.diff(target) != 0) | (np.diff(link) != 0)
        first = np.flatnonzero(new)
        entities = len(steps.kg.entities)
        group_link = link[first]
        by_link = np.argsort(group_link, kind="stable")
        present, starts = np.unique(group_link[by_link], return_index=True)
        self.count = np.bincount(target, minlength=entities)
        # Views give single numbers faster than arrays, and take less room than lists.
        self._step = at.data
        self._source = np.ascontiguousarray(steps.source[at]).data
        self._first = np.append(first, len(at)).data
        self._link = np.ascontiguousarray(group_link).data
        self._target = np.ascontiguousarray(target[first]).data
        self._groups_of = np.searchsorted(target[first], np.arange(entities + 1)).data
        self._by_link = by_link.data
        self._links = present.tolist()
        self._starts = [*starts.tolist(), len(first)]

    def into(self, target: int, draws: Draws, allowed: bytes | None = None) -> "Taken | None":
        """Draws a step to an entity: its link uniformly, then the step; None: there is none.

        Args:
            target: The entity.
            draws: The stream.
            allowed: For each link, whether it may be drawn; None: all may.
        """
        groups: Sequence[int] = range(self._groups_of[target], self._groups_of[target + 1])
        if allowed is not None:
            groups = [group for group in groups if allowed[self._link[group]]]
        return self._taken(groups[draws.below(len(groups))], draws) if groups else None

    def anywhere(self, draws: Draws) -> "Taken | None":
        """Draws a step: its link uniformly, then the entity that it leads to, then the step.

        Returns:
            The step; None: there is none.
        """
        if not self._links:
            return None
        place = draws.below(len(self._links))
        low, high = self._starts[place], self._starts[place + 1]
        return self._taken(self._by_link[low + draws.below(high - low)], draws)

    def _taken(self, group: int, draws: Draws) -> "Taken":
        first = self._first[group]
        at = first + draws.below(self._first[group + 1] - first)
        return Taken(self._step[at], self._target[group], self._link[group], self._source[at])
