"""The built-in rule miner.

Guarantees: the rules and measures of AMIE 3.5.1's default mode, independent of the order of execution
(Lajus, Galárraga, Suchanek: Fast and Exact Rule Mining with AMIE 3, ESWC 2020); canonical form and
canonical order; the same rules for any number of threads and any order of the input.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rulemine.codec import dump_line
from rulemine.errors import MiningError, TooManyRulesError, counted, did_you_mean, list_problems
from rulemine.files import digest_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining.checkpoint import Checkpoint, Rows
from rulemine.mining.jvm import JAR, MEASURE_COLUMNS, Allowed, Progress, mine_rows
from rulemine.mining.options import MiningOptions, Resources, TimeLimit
from rulemine.mining.result import Rules
from rulemine.mining.tasks import MiningTask, MiningTasks

__all__ = ["allowed_relations", "explain_no_rules", "mine"]

Run = Callable[
    [Callable[[MiningTask], list[tuple[int, Rows]]], Sequence[MiningTask]],
    Iterable[list[tuple[int, Rows]]],
]
"""Calls the function with each of the items, and yields the results, in any order; there may be more items
after each result."""

MANY_RULES = 10_000_000
"""Above this number of rules a warning says which thresholds filter nothing."""


def mine(
    kg: KnowledgeGraph,
    options: MiningOptions | None = None,
    resources: Resources | None = None,
    progress: Progress | None = None,
    *,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    limit: TimeLimit | None = None,
    most: int | None = None,
    on_warning: Callable[[str], None] | None = None,
    run: Run | None = None,
) -> Rules:
    """Mines the rules of a graph.

    Args:
        kg: The graph; it is not changed.
        options: What to mine; None: AMIE's defaults.
        resources: Threads, heap and time limit.
        progress: Called with (done, total) about ten times a second, in units of work; total is 0
            while unknown.
        checkpoint: A file for finished head relations, from which a later run can resume; see
            `Rules.discard_checkpoint`. None: no file.
        resume: Whether to continue from the checkpoint, which must be of the same graph and options;
            otherwise it is overwritten.
        limit: A time limit that started earlier, in place of that of the resources.
        most: As soon as more rules than this are found, mining ends without any; None: no bound.
        on_warning: Called with a sentence when there are more than `MANY_RULES`.
        run: Calls a function with items, as `map` does but in any order, in other processes; their Java heaps
            and threads are theirs. None: this process mines.

    Returns:
        The rules, ordered by head relation, number of atoms and body. Empty when none
        reaches the thresholds; see `Rules.unfinished` for a run with a time limit.

    Raises:
        MiningError: The graph is too large, or lacks a relation that the options name; or the
            checkpoint is of another run.
        TooManyRulesError: There are more than ``most``, whatever the number of threads.
        OutputError: The checkpoint cannot be written.
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
    table = Checkpoint(
        None if checkpoint is None else Path(checkpoint),
        MEASURE_COLUMNS + options.max_atoms - 1,
        lambda: _key(kg, options),
        resume=resume,
    )
    done = table.sizes
    rules = sum(done.values())

    def finished(head: int, rows: Rows) -> None:
        nonlocal rules
        table.add(head, rows)
        if rules <= MANY_RULES < (rules := rules + len(rows)) and on_warning is not None:
            on_warning(_explain_many_rules(options, sizes, [sizes[head] for head in wanted]))
        if most is not None and rules > most:
            raise TooManyRulesError(f"more than {most:,} rules. Raise the thresholds.")

    left = np.isin(np.arange(len(sizes)), [head for head in wanted if head not in done])
    if run is not None and left.any():
        part = partial(
            _mine_part, kg.triples, len(kg.entities), len(kg.relations), options, allowed
        )
        tasks = MiningTasks(np.flatnonzero(left).tolist(), sizes, options)
        for found in run(part, tasks.items):
            for head, rows in tasks.take(found):
                finished(head, rows)
            if progress is not None:
                progress(tasks.done, tasks.total)
    # Run the miner even without head relations, so that a problem with Java or the heap is reported.
    elif len(kg.triples) and (left.any() or not wanted) and limit.left() > 0:
        mine_rows(
            np.ascontiguousarray(kg.triples),
            len(kg.entities),
            len(kg.relations),
            options,
            finished,
            resources,
            limit,
            progress,
            Allowed(left, allowed.bodies) if done else allowed,
        )
    if checkpoint is not None and limit.seconds is not None:
        table.write()
    return Rules(kg, table, wanted)


def _mine_part(
    triples: npt.NDArray[np.int32],
    entities: int,
    relations: int,
    options: MiningOptions,
    allowed: Allowed,
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
        keep=True,
        phase=task.phase,
    )
    return found


def _key(kg: KnowledgeGraph, options: MiningOptions) -> str:
    """Identifies everything that the rules of a head relation depend on."""
    parts = [kg.digest, digest_of(JAR.read_bytes()), dump_line(asdict(options))]
    return digest_of("\n".join(parts).encode())


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
