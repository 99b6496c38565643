"""From a knowledge graph to its rules: the built-in miner.

Guarantees: the rules and measures of AMIE 3.5.1's default mode, made independent of the order of
work (Lajus, Galárraga, Suchanek: Fast and Exact Rule Mining with AMIE 3, ESWC 2020); canonical form
and canonical order; the same rules for any number of threads and any order of the input.
"""

import numpy as np

from rulemine.kg import KnowledgeGraph
from rulemine.mining.jvm import MEASURE_COLUMNS, Progress, mine_rows
from rulemine.mining.options import MiningOptions
from rulemine.rule import Atom, Measures, Rule

__all__ = ["mine"]


def mine(
    kg: KnowledgeGraph,
    options: MiningOptions | None = None,
    progress: Progress | None = None,
) -> tuple[Rule, ...]:
    """Mines the rules of a graph.

    Args:
        kg: The graph; it is not changed.
        options: Thresholds and means; None: AMIE's defaults.
        progress: Told (done, total) about ten times a second, in units of work; total is 0 while it
            is not known yet.

    Returns:
        The rules in canonical order: by head relation, number of atoms and body. Empty when none
        reaches the thresholds.

    Raises:
        MiningError: The graph is too large.
        HeapError: The Java heap is too small, or cannot be had.
        JavaError: No usable Java runtime.
        KeyboardInterrupt: Ctrl-C; the miner has stopped by then.
    """
    options = options or MiningOptions()
    if not len(kg.triples):
        return ()
    rows = mine_rows(
        np.ascontiguousarray(kg.triples), len(kg.entities), len(kg.relations), options, progress
    )
    sizes = np.bincount(kg.triples[:, 1], minlength=len(kg.relations)).tolist()
    found = np.unique(rows[:, MEASURE_COLUMNS:]).tolist()
    atoms = {a: Atom(a >> 3 & 7, kg.relations[a >> 6], a & 7) for a in found if a >= 0}
    heads = {int(h): Atom(0, kg.relations[int(h)], 1) for h in np.unique(rows[:, 0])}
    return tuple(
        Rule(
            heads[head],
            tuple([atoms[a] for a in body if a >= 0]),
            Measures(support, body_size, pca_body_size, sizes[head], functional),
        )
        for head, functional, support, body_size, pca_body_size, *body in rows.tolist()
    )
