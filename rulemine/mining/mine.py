"""From a knowledge graph to its rules: the built-in miner.

Guarantees: the rules and measures of AMIE 3.5.1's default mode, made independent of the order of
work (Lajus, Galárraga, Suchanek: Fast and Exact Rule Mining with AMIE 3, ESWC 2020); canonical form
and canonical order; the same rules for any number of threads and any order of the input.
"""

import numpy as np
import numpy.typing as npt

from rulemine.errors import MiningError, did_you_mean, list_problems
from rulemine.kg import KnowledgeGraph
from rulemine.mining.jvm import MEASURE_COLUMNS, Allowed, Progress, mine_rows
from rulemine.mining.options import MiningOptions
from rulemine.mining.rules import Rules
from rulemine.rule import Atom, Measures, Rule

__all__ = ["allowed_relations", "mine"]


def mine(
    kg: KnowledgeGraph,
    options: MiningOptions | None = None,
    progress: Progress | None = None,
) -> Rules:
    """Mines the rules of a graph.

    Args:
        kg: The graph; it is not changed.
        options: Thresholds and means; None: AMIE's defaults.
        progress: Told (done, total) about ten times a second, in units of work; total is 0 while it
            is not known yet.

    Returns:
        The rules in canonical order: by head relation, number of atoms and body. Empty when none
        reaches the thresholds. A tuple with `Rules.to_pandas`.

    Raises:
        MiningError: The graph is too large, or lacks a relation that the options name.
        HeapError: The Java heap is too small, or cannot be had.
        JavaError: No usable Java runtime.
        KeyboardInterrupt: Ctrl-C; the miner has stopped by then.
    """
    options = options or MiningOptions()
    allowed = allowed_relations(kg, options)
    if not len(kg.triples):
        return Rules()
    rows = mine_rows(
        np.ascontiguousarray(kg.triples),
        len(kg.entities),
        len(kg.relations),
        options,
        progress,
        allowed,
    )
    sizes = np.bincount(kg.triples[:, 1], minlength=len(kg.relations)).tolist()
    found = np.unique(rows[:, MEASURE_COLUMNS:]).tolist()
    atoms = {a: Atom(a >> 3 & 7, kg.relations[a >> 6], a & 7) for a in found if a >= 0}
    heads = {int(h): Atom(0, kg.relations[int(h)], 1) for h in np.unique(rows[:, 0])}
    return Rules(
        Rule(
            heads[head],
            tuple([atoms[a] for a in body if a >= 0]),
            Measures(support, body_size, pca_body_size, sizes[head], functional),
        )
        for head, functional, support, body_size, pca_body_size, *body in rows.tolist()
    )


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
