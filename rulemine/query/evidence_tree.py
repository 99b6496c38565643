"""Triples as a query: the tree that they form, with an answer as its root and its leaves as anchors; paths.

A path is edges that lead from one node to another and visit none twice.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from rulemine.errors import NoTreeError
from rulemine.kg.graph import Triple
from rulemine.query.tree import Anchor, Intersection, Projection, Query

__all__ = ["NO_TREE", "PathStep", "query_of_triples", "simple_path"]


class PathStep(NamedTuple):
    """One edge of a path.

    Attributes:
        edge: Its position among the edges given.
        forward: Whether the path runs from its first end to its second.
    """

    edge: int
    forward: bool


def simple_path(
    edges: Sequence[tuple[Hashable, Hashable]], start: Hashable, end: Hashable
) -> list[PathStep] | None:
    """All edges as one path, walked in either direction.

    Args:
        edges: The two ends of each edge.
        start: The node where the path begins.
        end: The node where it ends, another one.

    Returns:
        The steps from `start` to `end`; None when the edges are no such path, e.g. when one is left
        over or a node is visited twice.

    Example:
        >>> simple_path([("z", "y"), ("z", "x")], "x", "y")
        [PathStep(edge=1, forward=False), PathStep(edge=0, forward=True)]
    """
    left = dict(enumerate(edges))
    at, seen, steps = start, {start}, []
    while left:
        touching = [edge for edge, ends in left.items() if at in ends]
        if len(touching) != 1:
            return None
        source, target = left.pop(touching[0])
        steps.append(PathStep(touching[0], source == at))
        at = target if source == at else source
        if at in seen:
            return None
        seen.add(at)
    return steps if at == end else None


NO_TREE = {
    "loop": "a triple joins an entity with itself",
    "parallel": "two triples join the same entities",
    "absent": "the answer is in no triple",
    "apart": "the triples are not connected",
    "cycle": "the triples form a cycle",
}
"""Why triples are no tree."""


def query_of_triples(triples: Sequence[Triple], answer: str) -> Query:
    """The query that triples witness: each entity but answer and leaves becomes a variable.

    Args:
        triples: Different triples, in any order.
        answer: An end of one of them. It is the root, and never an anchor.

    Raises:
        NoTreeError: They form no tree; the reason is one of `NO_TREE`.

    Example:
        >>> query_of_triples([("ann", "parent", "bo"), ("bo", "parent", "cy")], "cy")
        <query (p "parent" (p "parent" "ann"))>
    """
    pairs = Counter(frozenset((s, o)) for s, _, o in triples)
    near: dict[str, list[tuple[str, str, bool]]] = {}
    for s, r, o in triples:
        if s == o:
            raise NoTreeError(NO_TREE["loop"])
        near.setdefault(s, []).append((o, r, True))
        near.setdefault(o, []).append((s, r, False))
    if max(pairs.values(), default=0) > 1:
        raise NoTreeError(NO_TREE["parallel"])
    if answer not in near:
        raise NoTreeError(NO_TREE["absent"])
    seen = {answer}

    def below(entity: str, parent: str | None) -> Query:
        branches: list[Query] = []
        for other, relation, inverse in near[entity]:
            if other == parent:
                continue
            if other in seen:
                raise NoTreeError(NO_TREE["cycle"])
            seen.add(other)
            branches.append(Projection(relation, inverse, below(other, entity)))
        return Intersection.of(branches) if branches else Anchor(entity)

    query = below(answer, None)
    if len(seen) < len(near):
        raise NoTreeError(NO_TREE["apart"])
    return query
