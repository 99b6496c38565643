"""What a pattern matches, as arrays: which nodes there are and how many rows, without making the rows.

Guarantee: the nodes and numbers are those of all rows of `rulemine.cypher.questions.evaluator.bindings`, at a
cost of the edges of the pattern's relations, however many rows there are.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.cypher.questions.pattern import (
    CURRENT,
    END,
    START,
    MatchPattern,
    PatternEdge,
    PatternNode,
)
from rulemine.kg.property_graph.graph import PropertyGraph

__all__ = ["Matched", "candidates", "holds", "m0_counts", "matched"]

Ints = npt.NDArray[np.int64]


class Matched(NamedTuple):
    """The values of a variable.

    Attributes:
        nodes: The distinct nodes that it is bound to, ascending.
        rows: How many rows there are.
    """

    nodes: Ints
    rows: int


def matched(
    graph: PropertyGraph, match: MatchPattern, variable: str = "n", *, together: bool = False
) -> Matched:
    """The nodes of a variable over all rows of a pattern, and how many rows there are.

    Args:
        graph: The graph.
        match: The pattern; see `rulemine.cypher.questions.evaluator.bindings`.
        variable: One that every row binds.
        together: See `rulemine.cypher.questions.evaluator.bindings`.
    """
    if not match.edges:
        some = {name: candidates(graph, node) for name, node in match.named.items()}
        rows = int(np.prod([len(own) for own in some.values()]))
        return Matched(distinct(np.array(some[variable] if rows else (), np.int64)), rows)
    form = "match" if together else match.category.form
    joined = [_edges(graph, match, edge) for edge in match.edges]
    if form == "union":
        return Matched(distinct(np.concatenate([own[variable] for own in joined])),
                       sum(len(own["edge"]) for own in joined))  # fmt: skip
    if len(joined) == 1:
        return Matched(distinct(joined[0][variable]), len(joined[0]["edge"]))
    asked, own = joined
    if form == "optional":
        times = np.bincount(asked["n"], minlength=len(graph.nodes))[own["n"]]
        return Matched(distinct(own[variable]), int(np.maximum(times, 1).sum()))
    own, other = joined if variable in joined[0] else joined[::-1]
    ways = _ways(own, other, len(graph.nodes))
    return Matched(distinct(own[variable][ways > 0]), int(ways.sum()))


def m0_counts(graph: PropertyGraph, match: MatchPattern) -> dict[int, int]:
    """Each n of a pattern whose m0 are counted, ascending, with the number of its distinct m0."""
    asked, other = (_edges(graph, match, edge) for edge in match.edges)
    width = len(graph.nodes)
    optional = match.category.form == "optional"
    if optional:
        keep = np.zeros(width, bool)
        keep[other["n"]] = True
        keep = keep[asked["n"]]
    else:
        keep = _ways(asked, other, width) > 0
    pairs = distinct(asked["n"][keep] * width + asked["m0"][keep])
    times = np.bincount(pairs // width, minlength=width)
    some = distinct(other["n"]) if optional else np.flatnonzero(times)
    return dict(zip(some.tolist(), times[some].tolist(), strict=True))


def _edges(graph: PropertyGraph, match: MatchPattern, edge: PatternEdge) -> dict[str, Ints]:
    """The edges that an edge of a pattern may be: variable → end, ``edge`` → edge, ascending."""
    subject, object_ = match.named[edge.subject], match.named[edge.object]
    found = graph.of_signature(subject.type, edge.relation, object_.type)
    for node, at in ((subject, 1), (object_, 2)):
        if node.fixed:
            some = candidates(graph, node)
            keep = found[at] == some[0] if len(some) == 1 else np.isin(found[at], some)
            found = tuple(column[keep] for column in found)
    if match.time is not None:
        keep = np.array([holds(graph, one, match.time) for one in found[0].tolist()], bool)
        found = tuple(column[keep] for column in found)
    return {"edge": found[0], edge.subject: found[1], edge.object: found[2]}


def _ways(own: dict[str, Ints], other: dict[str, Ints], width: int) -> Ints:
    """With how many others each edge shares what both name; no edge is bound twice."""
    shared = sorted(own.keys() & other.keys() - {"edge"})
    keys, others = own[shared[0]], other[shared[0]]
    if len(shared) > 1:
        keys, others = keys * width + own[shared[1]], others * width + other[shared[1]]
    if len(shared) > 1 or len(keys) + len(others) < width // 16:  # rather than count at all nodes
        both = np.concatenate((keys, others))
        number = np.unique(both, return_inverse=True)[1]
        keys, others, width = number[: len(keys)], number[len(keys) :], len(both)
    ways = np.bincount(others, minlength=width)[keys]
    edges, more = own["edge"], other["edge"]
    # Edges are sorted by relation: those of two relations have nothing in common.
    if len(edges) and len(more) and edges[0] <= more[-1] and more[0] <= edges[-1]:
        at = np.minimum(np.searchsorted(more, edges), len(more) - 1)
        ways -= (more[at] == edges) & (others[at] == keys)
    return ways.astype(np.int64)


def candidates(graph: PropertyGraph, node: PatternNode) -> tuple[int, ...]:
    """The nodes that a node of a pattern may be."""
    if node.id is not None:
        at = graph.positions.get(node.id)
        return (at,) if at is not None and graph.nodes[at].type == node.type else ()
    return graph.of_type(node.type) if node.name is None else graph.named(node.type, node.name)


def holds(graph: PropertyGraph, edge: int, time: str | int | None) -> bool:
    """Whether an edge holds at the time that a pattern asks for."""
    if time is None:
        return True
    start, end = (graph.edges[edge].properties.get(name) for name in (START, END))
    if time == CURRENT:
        return start is not None and end is None
    return start is not None and start <= time and (end is None or end >= time)  # type: ignore[operator]
