"""Overlapping relations: near-duplicates and near-inverses, by statistics of the graph."""

from typing import Any

import numpy as np

from rulemine.verify.triples import Graph

__all__ = ["find_overlaps"]

OVERLAP = 0.8
"""Fraction of a relation's triples that another one must restate."""


def find_overlaps(graph: Graph) -> set[tuple[str, str, int]]:
    """Pairs of relations of which the second restates at least `OVERLAP` of the first, and 1 or −1 (inverse).

    A relation is paired with itself only as its inverse.
    """
    names = list(graph.terms.relations)
    n, m = graph.terms.sizes
    s, r, o = (column.astype(np.int64) for column in graph.columns.T)
    ends = np.concatenate((s * n + o, o * n + s))
    turned = np.arange(len(ends)) >= len(s)
    relation = np.concatenate((r, r))
    order = np.argsort(ends, kind="stable")
    ends, turned, relation = ends[order], turned[order], relation[order]
    both: list[Any] = [[np.empty(0, np.int64)], [np.empty(0, np.int64)]]
    # Triples with equal ends are adjacent: each is compared with the next, the one after it, and so on.
    apart = 1
    while (same := np.flatnonzero(ends[apart:] == ends[:-apart])).size:
        for one, other in ((same, same + apart), (same + apart, same)):
            straight = ~turned[one]
            pairs = relation[one] * m + relation[other]
            for way in (0, 1):
                both[way].append(pairs[straight & (turned[other] == bool(way))])
        apart += 1
    sizes = np.bincount(r, minlength=m)
    found: set[tuple[str, str, int]] = set()
    for way in (0, 1):
        numbers, times = np.unique(np.concatenate(both[way]), return_counts=True)
        for number, shared in zip(numbers.tolist(), times.tolist(), strict=True):
            first, second = divmod(number, m)
            if shared / int(sizes[first]) >= OVERLAP:
                found.add((names[first], names[second], -1 if way else 1))
    return found
