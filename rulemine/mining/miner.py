"""From a knowledge graph to its rules: the built-in miner.

Guarantees: the rules and measures of AMIE 3.5.1's default mode, made independent of the order of
work (Lajus, Galárraga, Suchanek: Fast and Exact Rule Mining with AMIE 3, ESWC 2020); canonical form
and canonical order; the same rules for any number of threads and any order of the input.
"""

from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rulemine.codec import dump_line
from rulemine.errors import MiningError, did_you_mean, list_problems
from rulemine.files import digest_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining.checkpoint import Journal, Rows
from rulemine.mining.jvm import JAR, MEASURE_COLUMNS, Allowed, Progress, mine_rows
from rulemine.mining.options import MiningOptions
from rulemine.mining.result import Rules
from rulemine.query.atom import Atom
from rulemine.rules.rule import Measures, Rule

__all__ = ["allowed_relations", "mine"]


def mine(
    kg: KnowledgeGraph,
    options: MiningOptions | None = None,
    progress: Progress | None = None,
    *,
    journal: str | Path | None = None,
    resume: bool = False,
) -> Rules:
    """Mines the rules of a graph.

    Args:
        kg: The graph; it is not changed.
        options: Thresholds and means; None: AMIE's defaults.
        progress: Told (done, total) about ten times a second, in units of work; total is 0 while it
            is not known yet.
        journal: A file in which finished head relations are kept, for a later run to resume; whoever
            asks for it removes it. None: nothing is kept.
        resume: Go on from what the journal holds, which must be of the same graph and options;
            otherwise it starts anew.

    Returns:
        The rules in canonical order: by head relation, number of atoms and body. Empty when none
        reaches the thresholds. A tuple with `Rules.to_pandas`,
        and with `Rules.unfinished` when a limit of time is among the options.

    Raises:
        MiningError: The graph is too large, or lacks a relation that the options name; or the journal
            is of another run.
        OutputError: The journal cannot be written.
        HeapError: The Java heap is too small, or cannot be had.
        JavaError: No usable Java runtime.
        KeyboardInterrupt: Ctrl-C; the miner has stopped by then.
    """
    options = options or MiningOptions()
    allowed = allowed_relations(kg, options)
    if not len(kg.triples):
        return Rules()
    sizes = kg.relation_sizes().tolist()
    wanted = [
        head
        for head, size in enumerate(sizes)
        if size >= options.min_initial_support and (allowed.heads is None or allowed.heads[head])
    ]
    kept = (
        None
        if journal is None
        else Journal(Path(journal), lambda: _key(kg, options), resume=resume)
    )
    done: dict[int, Rows] = dict(kept.finished) if kept else {}

    def finished(head: int, rows: Rows) -> None:
        done[head] = rows
        if kept:
            kept.add(head, rows)

    rows: Rows | None = None
    left = np.isin(np.arange(len(sizes)), sorted(set(wanted) - done.keys()))
    # Without any head relation the miner runs too: what Java or the heap lacks is said in any case.
    if left.any() or not wanted:
        watched = kept is not None or options.limit_seconds is not None
        rows = mine_rows(
            np.ascontiguousarray(kg.triples),
            len(kg.entities),
            len(kg.relations),
            options,
            progress,
            Allowed(left, allowed.bodies) if done else allowed,
            finished if watched else None,
        )
    if kept or rows is None:
        none = np.empty((0, MEASURE_COLUMNS + options.max_atoms - 1), np.int64)
        rows = np.concatenate([none, *(done[head] for head in sorted(done))])
    rules = _rules(kg, sizes, rows)
    if done.keys() < set(wanted) and options.limit_seconds is not None:
        rules.unfinished = tuple(kg.relations[head] for head in wanted if head not in done)
        if kept:
            kept.write()
    return rules


def _key(kg: KnowledgeGraph, options: MiningOptions) -> str:
    """Names all that the rules of a head relation depend on."""
    means = ("threads", "heap", "limit_seconds")
    chosen = {name: value for name, value in asdict(options).items() if name not in means}
    parts = [kg.digest, digest_of(JAR.read_bytes()), dump_line(chosen)]
    return digest_of("\n".join(parts).encode())


def _rules(kg: KnowledgeGraph, sizes: list[int], rows: Rows) -> Rules:
    """Rules out of rows of the miner's table, in their order."""
    found = np.unique(rows[:, MEASURE_COLUMNS:]).tolist()
    atoms = {a: _atom(kg, a) for a in found if a >= 0}
    heads = {
        h: _head(kg, h, functional) for h, functional in np.unique(rows[:, :2], axis=0).tolist()
    }
    return Rules(
        Rule(
            heads[head],
            tuple([atoms[a] for a in body if a >= 0]),
            Measures(support, body_size, pca_body_size, sizes[head & _LOW], functional),
        )
        for head, functional, support, body_size, pca_body_size, *body in rows.tolist()
    )


_LOW = 2**32 - 1
_CONSTANT = 7
"""Stands in an atom for the entity whose id plus one is in the upper half of the number."""


def _atom(kg: KnowledgeGraph, packed: int) -> Atom:
    low = packed & _LOW
    subject, object_ = (
        kg.entities[(packed >> 32) - 1] if term == _CONSTANT else term
        for term in (low >> 3 & 7, low & 7)
    )
    return Atom(subject, kg.relations[low >> 6], object_)


def _head(kg: KnowledgeGraph, packed: int, functional: int) -> Atom:
    relation = kg.relations[packed & _LOW]
    if packed <= _LOW:
        return Atom(0, relation, 1)
    entity = kg.entities[(packed >> 32) - 1]
    return Atom(entity, relation, 1) if functional else Atom(0, relation, entity)


def allowed_relations(kg: KnowledgeGraph, options: MiningOptions) -> Allowed:
    """The relations that may be heads and that may occur in bodies, by the filters of the options.

    Raises:
        MiningError: The graph lacks a relation that is named; all such names are told.
    """
    filters = ("head_relations", "body_relations", "exclude_relations")
    problems = [
        f"{name} names {label!r}, which is no relation of the graph; "
        f"{did_you_mean(label, kg.relations)}"
        for name in filters
        for label in getattr(options, name) or ()
        if label not in kg.relation_ids
    ]
    if problems:
        raise MiningError(list_problems("mine", problems, "Names are those of the graph's file."))

    def mask(named: tuple[str, ...] | None) -> npt.NDArray[np.bool_] | None:
        if named is None and not options.exclude_relations:
            return None
        ids = kg.relation_ids
        kept = np.full(len(kg.relations), named is None)
        kept[[ids[label] for label in named or ()]] = True
        kept[[ids[label] for label in options.exclude_relations]] = False
        return kept

    return Allowed(mask(options.head_relations), mask(options.body_relations))
