"""Triples as a query: the tree that they form, with an answer as its root and its leaves as anchors."""

from collections import Counter
from collections.abc import Sequence

from rulemine.errors import NoTreeError
from rulemine.kg.graph import Triple
from rulemine.query.tree import Anchor, Intersection, Projection, Query

__all__ = ["NO_TREE", "query_of_triples"]

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
