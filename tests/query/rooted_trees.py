"""All rooted trees of a few edges, as queries, triples and shape codes; the codes by the definition."""

from functools import cache

from rulemine.query.tree import Anchor, Intersection, Projection, Query

Tree = tuple["Tree", ...]
"""The branches of a node, sorted; a leaf has none."""


@cache
def rooted_trees(edges):
    """All of them with so many edges: 1, 2, 4, 9, 20, 48 of 1 … 6."""
    return tuple(sorted(set(_grown(edges))))


def _grown(edges):
    if edges == 0:
        yield ()
    for below in range(edges):  # one branch with so many edges below its first, and the rest
        for branch in rooted_trees(below):
            for rest in rooted_trees(edges - 1 - below):
                yield tuple(sorted((branch, *rest)))


def shape_of(tree):
    """The shape code of SynthKGQA (appendix A.2), with the order of siblings of the specification."""
    written = []
    for branch in tree:
        edges, node = 1, branch
        while len(node) == 1:
            edges, node = edges + 1, node[0]
        inside = shape_of(node)
        text = f"({edges})" if not node else f"({edges if edges > 1 else ''}{inside})"
        written.append((not node, -edges - _edges(node), text))
    return "".join(text for _, _, text in sorted(written))


def _edges(tree):
    return sum(1 + _edges(branch) for branch in tree)


def query_of(tree, name="r"):
    """A query of this shape; all relations and anchors are different."""
    parts: list[Query] = []
    for number, branch in enumerate(tree):
        own = f"{name}{number}"
        parts.append(Projection(own, False, query_of(branch, own) if branch else Anchor(own)))
    return Intersection.of(parts)
