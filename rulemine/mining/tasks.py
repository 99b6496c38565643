"""Divides mining into tasks for several processes.

A task is some head relations, or a part of one that is too large for a task: some rules of one length, which
are extended by an atom or measured. What is found of a length is put together here, each rule once, before
the next length begins.

Guarantees: the rows of a head relation are those of `rulemine.mining.jvm.mine_rows` for all of it, whatever
the order in which tasks end.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rulemine.arrays import distinct
from rulemine.mining.checkpoint import Rows
from rulemine.mining.jvm import MEASURE_COLUMNS
from rulemine.mining.options import MiningOptions, Phase

__all__ = ["MiningTask", "MiningTasks"]

MOST_TASKS = 500
"""At least about this part of the work is worth a task of its own."""

LARGE = 20
"""A head relation with more than this part of the work is divided."""

PARTS = 32
"""Tasks that extend or measure the rules of a length,"""

MOST_RULES = 20_000
"""if none has more rules than this."""


class MiningTask(NamedTuple):
    """What one call does.

    Attributes:
        heads: Head relations.
        phase: What is done of their search; None: all of it.
    """

    heads: tuple[int, ...]
    phase: Phase | None = None


class MiningTasks:
    """The tasks of a run.

    Attributes:
        items: The tasks; more are appended while results are taken.
        total: Triples of all head relations.
    """

    def __init__(self, heads: Sequence[int], sizes: Sequence[int], options: MiningOptions) -> None:
        """Plans the work.

        Args:
            heads: Head relations.
            sizes: Relation → number of its triples, which is about the work it takes.
            options: What is mined.
        """
        self.total = sum(sizes[head] for head in heads)
        self._sizes = sizes
        self._finished = 0
        self._divided = {
            head: _Search(head, options.max_atoms)
            for head in heads
            # Rules with constants are made of all the others at once.
            if sizes[head] * LARGE > self.total and not options.constants
        }
        self.items = [task for search in self._divided.values() for task in search.advance()]
        enough = self.total / MOST_TASKS
        left: list[list[int]] = []
        work = 0
        for head in sorted(set(heads) - set(self._divided), key=lambda one: (-sizes[one], one)):
            if not left or work + sizes[head] > enough:
                left.append([])
                work = 0
            left[-1].append(head)
            work += sizes[head]
        self.items += [MiningTask(tuple(some)) for some in left]

    @property
    def done(self) -> int:
        """Triples of head relations that are finished; a divided one counts by phases."""
        parts = (int(self._sizes[head] * one.share) for head, one in self._divided.items())
        return self._finished + sum(parts)

    def take(self, found: list[tuple[int, Rows]]) -> Iterator[tuple[int, Rows]]:
        """Takes the result of a task, and appends the tasks that can begin now.

        Yields:
            The head relations that are finished with it, and their rows.
        """
        for head, rows in found:
            if search := self._divided.get(head):
                if not search.take(rows):
                    continue
                if tasks := search.advance():
                    self.items.extend(tasks)
                    continue
                del self._divided[head]
                rows = search.rows()
            self._finished += self._sizes[head]
            yield head, rows


class _Search:
    """A head relation whose search is divided; its rules have the columns of `Phase`."""

    def __init__(self, head: int, max_atoms: int) -> None:
        self._head = head
        columns = MEASURE_COLUMNS + max_atoms + 1
        self._rules = [np.empty((0, columns), np.int64) for _ in range(max_atoms)]  # by body length
        self._phase = -1
        self._waiting = 0
        self._found: list[Rows] = []

    @property
    def share(self) -> float:
        return self._phase / (2 * len(self._rules) - 2)

    def advance(self) -> list[MiningTask]:
        """The tasks of the next phase that has rules; none at the end."""
        while (last := self._phase + 1) < 2 * len(self._rules) - 2:
            self._phase = last
            length, measuring = (last + 1) // 2, last % 2 == 1
            rules, shorter = self._rules[length], self._rules[0]
            if measuring:
                rules = rules[rules[:, -1] == 0]
                shorter = np.concatenate([_output(some) for some in self._rules[:length]])
            elif length == 0:
                return self._tasks(Phase(0, False, rules))
            if len(rules):
                parts = max(min(PARTS, len(rules)), -(-len(rules) // MOST_RULES))
                # Rules that follow each other take about as long as each other.
                blocks = [np.concatenate([shorter, rules[n::parts]]) for n in range(parts)]
                return self._tasks(*(Phase(length, measuring, block) for block in blocks))
        return []

    def _tasks(self, *phases: Phase) -> list[MiningTask]:
        self._waiting = len(phases)
        return [MiningTask((self._head,), phase) for phase in phases]

    def take(self, found: Rows) -> bool:
        """Takes what a task of the phase found; returns whether it was the last."""
        self._found.append(found)
        self._waiting -= 1
        if self._waiting:
            return False
        measured = (self._phase + 1) // 2 if self._phase % 2 else None
        every = np.concatenate(self._found)
        self._found.clear()
        length = (every[:, MEASURE_COLUMNS:-2] >= 0).sum(axis=1)  # in body atoms
        for n in distinct(length).tolist():
            old = self._rules[n]
            kept = old[old[:, -1] == 1] if n == measured else old
            self._rules[n] = _merged(np.concatenate([kept, every[length == n]]))
        return True

    def rows(self) -> Rows:
        """The output rules, in canonical order."""
        return np.concatenate([_output(some) for some in self._rules])[:, :-2]


def _output(rules: Rows) -> Rows:
    return rules[rules[:, 3] > 0]


def _merged(rules: Rows) -> Rows:
    """Rules of one length in canonical order, each once, with the least of their values."""
    named = np.column_stack([rules[:, -1], rules[:, MEASURE_COLUMNS:-2]])
    order = np.lexsort(named.T[::-1])
    named = named[order]
    first = np.r_[0, np.flatnonzero((named[1:] != named[:-1]).any(axis=1)) + 1]
    values = np.ascontiguousarray(rules[order, -2]).view(np.float64)
    rules = rules[order[first]]
    rules[:, -2] = np.minimum.reduceat(values, first).view(np.int64)
    return rules
