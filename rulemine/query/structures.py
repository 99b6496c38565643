"""The structure of a query: its shape code, short name, anchors, hops and atoms.

A query is seen as an undirected tree with an edge per atom: the root is the answer, the leaves are the
anchors. The shape code is that of SynthKGQA (appendix A.2): the root's branches one after another, each
walked down k edges to the first leaf or branching node; a leaf gives ``(k)``, a branching node ``(``, k if
k > 1, its own branches, ``)``. Branches that branch come first, then those with more edges, then by text.
Ours, where the paper has nothing: a union is one branch ``{A|B}``, what a difference takes away ``-{A}``,
last; an entity by itself is ``(0)``; a count begins with ``#``.

Statements of one fact over one operand are one link, see `rulemine.query.links`.
"""

import functools
from collections.abc import Iterator
from typing import NamedTuple

from rulemine.kg.facts import Declarations
from rulemine.query.links import NONE_DECLARED, linked
from rulemine.query.tree import (
    Anchor,
    Count,
    Difference,
    Intersection,
    Projection,
    Query,
    Union,
)

__all__ = ["STRUCTURES", "Structure", "structure_of"]

STRUCTURES = {
    "1p": "(1)",
    "2p": "(2)",
    "3p": "(3)",
    "2i": "(1)(1)",
    "3i": "(1)(1)(1)",
    "ip": "((1)(1))",
    "pi": "(2)(1)",
    "2u": "{(1)|(1)}",
    "up": "({(1)|(1)})",
}
"""Short name → shape code, of the nine structures of ComplexLogicalQA."""

_NAMES = {shape: name for name, shape in STRUCTURES.items()}


class Structure(NamedTuple):
    """What can be said of a query without a graph.

    Attributes:
        name: One of `STRUCTURES`, else the shape code.
        shape: The shape code.
        anchors: The entities that it names, sorted, each once.
        hops: The greatest distance of an anchor from the answer.
        atoms: The number of atoms; statements of one fact over one operand are one.
    """

    name: str
    shape: str
    anchors: tuple[str, ...]
    hops: int
    atoms: int


@functools.lru_cache(1 << 10)  # checks and the question ask for the same one
def structure_of(query: Query, declarations: Declarations = NONE_DECLARED) -> Structure:
    """The structure of a query.

    Args:
        query: The query.
        declarations: Which relations state the same facts.

    Example:
        >>> from rulemine.query import parse
        >>> structure_of(parse('(and (p "r" "a") (p "r" (p- "s" "b")))'))
        Structure(name='pi', shape='(2)(1)', anchors=('a', 'b'), hops=2, atoms=3)
    """
    links = linked(query, declarations)
    shape = _shape(links)
    anchors = list(_anchors(links, 0))
    return Structure(
        _NAMES.get(shape, shape),
        shape,
        tuple(sorted({entity for entity, _ in anchors})),
        max(distance for _, distance in anchors),
        links.size,
    )


class _Branch(NamedTuple):
    """A part of a shape code, in its order among siblings."""

    straight: bool
    less_edges: int
    text: str


def _shape(query: Query) -> str:
    return f"#{_shape(query.of)}" if isinstance(query, Count) else _as_one(query).text


def _as_one(query: Query) -> _Branch:
    """All branches of the node that a query gives, as one part of a union."""
    branches, taken = sorted(_branches(query)), sorted(_taken(query))
    straight = len(branches) == 1 and branches[0].straight and not taken
    return _Branch(straight, -query.size, "".join([*(b.text for b in branches), *taken]))


def _branches(query: Query) -> list[_Branch]:
    """The branches of the node that a query gives, without what is taken away from it."""
    if isinstance(query, Anchor):
        return [_Branch(True, 0, "(0)")]
    if isinstance(query, Intersection):
        return [branch for part in query.parts for branch in _branches(part)]
    if isinstance(query, Union):
        parts = sorted(_as_one(part) for part in query.parts)
        return [_Branch(False, -query.size, "{" + "|".join(part.text for part in parts) + "}")]
    if isinstance(query, Difference):
        return _branches(query.of)
    edges, below = 1, query.of
    while isinstance(below, Projection):
        edges, below = edges + 1, below.of
    if isinstance(below, Anchor):
        return [_Branch(True, -edges, f"({edges})")]
    return [_Branch(False, -query.size, f"({edges if edges > 1 else ''}{_shape(below)})")]


def _taken(query: Query) -> list[str]:
    """The codes of what is taken away from a node."""
    if isinstance(query, Difference):
        return [*_taken(query.of), f"-{{{_shape(query.minus)}}}"]
    if isinstance(query, Intersection):
        return [code for part in query.parts for code in _taken(part)]
    return []


def _anchors(query: Query, distance: int) -> Iterator[tuple[str, int]]:
    if isinstance(query, Anchor):
        yield query.entity, distance
    elif isinstance(query, Projection):
        yield from _anchors(query.of, distance + 1)
    elif isinstance(query, Difference):
        yield from _anchors(query.of, distance)
        yield from _anchors(query.minus, distance)
    elif isinstance(query, Intersection | Union):
        for part in query.parts:
            yield from _anchors(part, distance)
    elif isinstance(query, Count):
        yield from _anchors(query.of, distance)
