"""Compares what a predicted query's result comes from with what the gold's comes from.

PSJS, the provenance subgraph Jaccard similarity of CypherBench (Feng, Papicchio, Rahman, arXiv 2412.18702,
section 5.2): a query that finds the right part of the graph scores even if it returns the wrong thing of it.
"""

from collections.abc import Iterable

__all__ = ["provenance_similarity"]


def provenance_similarity(gold: Iterable[object], predicted: Iterable[object]) -> float:
    """The Jaccard similarity of two provenance sets.

    Args:
        gold: What the gold query binds, as the rows of `rulemine.cypher.provenance_query` say: its nodes (as
            the paper's program has it), or its edges, or both (the subgraph that the paper speaks of).
        predicted: The same of the predicted query; empty if it failed.

    Returns:
        The share of those bound by either query that both bind, from 0 to 1; 0 if neither binds any.

    Example:
        >>> provenance_similarity(["n1", "n2", "n3"], ["n2", "n3", "n4"])
        0.5
    """
    one, other = set(gold), set(predicted)
    return len(one & other) / len(one | other) if one or other else 0.0
