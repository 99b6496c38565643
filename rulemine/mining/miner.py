"""The built-in rule miner.

Guarantees: the rules and measures of AMIE 3.5.1's default mode, independent of the order of execution
(Lajus, Galárraga, Suchanek: Fast and Exact Rule Mining with AMIE 3, ESWC 2020); canonical form and
canonical order; the same rules for any number of threads or processes and any order of the input.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.errors import MiningError, TooManyRulesError, counted, did_you_mean, list_problems
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining.jvm import MEASURE_COLUMNS, Allowed, Progress, Rows, mine_rows
from rulemine.mining.options import AS_AMIE, MiningOptions, Phase, Resources, Search, TimeLimit
from rulemine.mining.result import Rules, RuleTable

__all__ = ["MiningTask", "allowed_relations", "explain_no_rules", "mine"]


class MiningTask(NamedTuple):
    """What one call does.

    Attributes:
        heads: Head relations.
        phase: What is done of their search; None: all of it.
    """

    heads: tuple[int, ...]
    phase: Phase | None = None


Run = Callable[
    [Callable[[MiningTask], list[tuple[int, Rows]]], Sequence[MiningTask]],
    Iterable[list[tuple[int, Rows]]],
]
"""Calls the function with each of the items, and yields the results, in any order; there may be more items
after each result."""

MANY_RULES = 10_000_000
"""Above this number of rules a warning says which thresholds filter nothing."""

MOST_TASKS = 500
"""Undivided head relations are grouped into at most about this many tasks."""

LARGE = 20
"""A head relation with more than 1/`LARGE` of the work is divided."""

PARTS = 32
"""How many tasks extend or measure the rules of one length, if none gets more than `MOST_RULES`."""

MOST_RULES = 20_000
"""The most rules in one task."""


def mine(
    kg: KnowledgeGraph,
    options: MiningOptions | None = None,
    resources: Resources | None = None,
    progress: Progress | None = None,
    *,
    limit: TimeLimit | None = None,
    most: int | None = None,
    on_warning: Callable[[str], None] | None = None,
    run: Run | None = None,
    search: Search = AS_AMIE,
) -> Rules:
    """Mines the rules of a graph.

    Args:
        kg: The graph; it is not changed.
        options: What to mine; None: AMIE's defaults.
        resources: Threads, heap and time limit.
        progress: Called with (done, total) about ten times a second, in units of work; total is 0
            while unknown.
        limit: A time limit that started earlier, in place of that of the resources.
        most: As soon as more rules than this are found, mining ends without any; None: no bound.
        on_warning: Called with a sentence when there are more than `MANY_RULES`.
        run: Calls a function with items, as `map` does but in any order, in other processes; their Java heaps
            and threads are theirs. None: this process mines.
        search: What of AMIE's search is turned off.

    Returns:
        The rules, ordered by head relation, number of atoms and body. Empty when none
        reaches the thresholds; see `Rules.unfinished` for a run with a time limit.

    Raises:
        MiningError: The graph is too large, or lacks a relation that the options name.
        TooManyRulesError: There are more than ``most``, whatever the number of threads.
        OutputError: The rules do not fit where temporary files are.
        HeapError: The Java heap is too small, or not available.
        JavaError: No usable Java runtime.
        KeyboardInterrupt: Ctrl-C; raised after the miner has stopped.
    """
    options = options or MiningOptions()
    resources = resources or Resources()
    limit = limit or TimeLimit(resources.limit_seconds)
    allowed = allowed_relations(kg, options)
    sizes = kg.relation_sizes().tolist()
    wanted = [
        head
        for head, size in enumerate(sizes)
        if size >= options.min_initial_support and (allowed.heads is None or allowed.heads[head])
    ]
    table = RuleTable(MEASURE_COLUMNS + options.max_atoms - 1)
    rules = 0

    def finished(head: int, rows: Rows) -> None:
        nonlocal rules
        table.add(head, rows)
        if rules <= MANY_RULES < (rules := rules + len(rows)) and on_warning is not None:
            on_warning(_explain_many_rules(options, sizes, [sizes[head] for head in wanted]))
        if most is not None and rules > most:
            raise TooManyRulesError(f"more than {most:,} rules. Raise the thresholds.")

    if run is not None and wanted:
        part = partial(
            _mine_part, kg.triples, len(kg.entities), len(kg.relations), options, allowed, search
        )
        tasks = MiningTasks(wanted, sizes, options)
        for found in run(part, tasks.items):
            for head, rows in tasks.take(found):
                finished(head, rows)
            if progress is not None:
                progress(tasks.done, tasks.total)
    # Run the miner even without head relations, so that a problem with Java or the heap is reported.
    elif len(kg.triples) and limit.left() > 0:
        mine_rows(
            np.ascontiguousarray(kg.triples),
            len(kg.entities),
            len(kg.relations),
            options,
            finished,
            resources,
            limit,
            progress,
            allowed,
            search=search,
        )
    return Rules(kg, table, wanted)


def _mine_part(
    triples: npt.NDArray[np.int32],
    entities: int,
    relations: int,
    options: MiningOptions,
    allowed: Allowed,
    search: Search,
    task: MiningTask,
) -> list[tuple[int, Rows]]:
    """The rows of a task, with what this process may use; Java keeps the index for the next."""
    found: list[tuple[int, Rows]] = []
    mask = np.isin(np.arange(relations), task.heads)
    mine_rows(
        triples,
        entities,
        relations,
        options,
        lambda head, rows: found.append((head, rows)),
        allowed=Allowed(mask, allowed.bodies),
        search=search,
        keep=True,
        phase=task.phase,
    )
    return found


class MiningTasks:
    """Divides mining into tasks for several processes.

    A task is some head relations, or a part of one that is too large for a task: some rules of one length,
    which are extended by an atom or measured. What is found of a length is put together here, each rule once,
    before the next length begins. So the rows of a head relation are those of `rulemine.mining.jvm.mine_rows`
    for all of it, whatever the order in which tasks end.

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


def _explain_many_rules(options: MiningOptions, sizes: list[int], heads: list[int]) -> str:
    """Names the thresholds that filter nothing, given the sizes of all relations and of head relations."""
    o = options
    idle = []
    single = sum(math.ceil(o.min_head_coverage * size) <= 1 for size in heads)
    if single:
        idle.append(
            f"min_head_coverage {o.min_head_coverage:g} is reached by a single triple in {single:,} of "
            f"the {len(heads):,} head relations (the largest has {max(heads):,} triples)"
        )
    if o.min_std_confidence == 0:
        idle.append("min_std_confidence is 0")
    if o.min_pca_confidence <= o.min_std_confidence:
        idle.append(
            f"min_pca_confidence {o.min_pca_confidence:g} is reached by every rule that reaches "
            f"min_std_confidence {o.min_std_confidence:g}"
        )
    if o.min_initial_support <= min(sizes):
        idle.append(f"min_initial_support {o.min_initial_support} is reached by every relation")
    if not idle:
        return f"more than {MANY_RULES:,} rules; every threshold filters some. Raise one of them."
    return (
        f"more than {MANY_RULES:,} rules. These thresholds filter nothing: {'; '.join(idle)}. "
        "Raise one of them."
    )


def explain_no_rules(kg: KnowledgeGraph, options: MiningOptions) -> str:
    """Explains why a graph has no rules, and which threshold to lower or filter to relax."""
    allowed = allowed_relations(kg, options)
    sizes = kg.relation_sizes()
    heads = sizes if allowed.heads is None else sizes[allowed.heads]
    if not len(heads) or (allowed.bodies is not None and not allowed.bodies.any()):
        where = "head" if not len(heads) else "body"
        return (
            f"no rule: the filters leave none of {counted(len(sizes), 'relation')} for the {where} of a "
            f"rule. See head_relations, body_relations and exclude_relations."
        )
    if (most := int(heads.max())) < options.min_initial_support:
        return (
            f"no rule: the largest head relation has {counted(most, 'triple')}, and "
            f"{options.min_initial_support:,} are needed. Lower min_initial_support."
        )
    return (
        f"no rule reaches head coverage {options.min_head_coverage}, standard confidence "
        f"{options.min_std_confidence} and PCA confidence {options.min_pca_confidence} with at most "
        f"{options.max_atoms} atoms. Lower min_std_confidence or min_pca_confidence first, then "
        "min_head_coverage."
    )


def allowed_relations(kg: KnowledgeGraph, options: MiningOptions) -> Allowed:
    """The relations that may be heads and that may occur in bodies, by the filters of the options.

    Raises:
        MiningError: The graph lacks relations that are named; the message lists them all.
    """
    filters = ("head_relations", "body_relations", "exclude_relations")
    problems = [
        f"{name} names {label!r}, which is not a relation of the graph; "
        f"{did_you_mean(label, kg.relations)}"
        for name in filters
        for label in getattr(options, name)
        if label not in kg.relation_ids
    ]
    if problems:
        raise MiningError(
            list_problems("mine", problems, "Give names as they are in the file of the graph.")
        )

    def mask(named: tuple[str, ...]) -> npt.NDArray[np.bool_] | None:
        if not (named or options.exclude_relations):
            return None
        ids = kg.relation_ids
        kept = np.full(len(kg.relations), not named)
        kept[[ids[label] for label in named]] = True
        kept[[ids[label] for label in options.exclude_relations]] = False
        return kept

    return Allowed(mask(options.head_relations), mask(options.body_relations))
