"""Remaining proofs of a triple in an incomplete graph: their number, and the shortest."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.rules.bodies import bind_rule
from rulemine.rules.path_bodies import Chains
from rulemine.rules.rule import Rule

__all__ = ["RemainingProofs", "remaining_proofs"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class RemainingProofs:
    """The remaining proofs of some triples.

    Attributes:
        count: int64, shape (m,): groundings of all rules with the triple as head.
        shortest: int64, shape (m,): body atoms of the shortest of them; 0 if there is none.
    """

    count: Ints
    shortest: Ints


def remaining_proofs(
    incomplete: KnowledgeGraph,
    rules: Sequence[Rule],
    heads: npt.NDArray[np.int32],
    progress: Callable[[int, int], None] | None = None,
) -> RemainingProofs:
    """Counts the remaining proofs of triples in a graph.

    A proof is a rule with a substitution under which the whole body is in the graph and the head is
    the triple. The triple itself need not be in the graph, and a body that contains it does not count.

    Args:
        incomplete: The graph.
        rules: The rules; one with unknown entities or relations proves nothing.
        heads: int32, shape (m, 3), subject, relation, object ids of the graph.
        progress: Called with (rules done, all rules).
    """
    index = Index(incomplete)
    chains = Chains(index)
    count = np.zeros(len(heads), np.int64)
    shortest = np.zeros(len(heads), np.int64)
    for done, rule in enumerate(rules, start=1):
        bound = bind_rule(index, rule)
        if bound is not None:
            chain = chains.of(bound)
            found = bound.count(heads) if chain is None else chain.over(heads).counts
            count += found
            length = len(rule.body)
            shortest[(found > 0) & ((shortest == 0) | (shortest > length))] = length
        if progress:
            progress(done, len(rules))
    return RemainingProofs(count, shortest)
