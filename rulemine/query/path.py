"""Paths: edges that lead from one node to another and visit none twice."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

__all__ = ["PathStep", "simple_path"]


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
