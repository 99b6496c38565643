"""A derivation of an answer as a tree: the query with its variables bound by the triples of a witness."""

from collections.abc import Sequence
from typing import NamedTuple

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import Triple
from rulemine.query.links import linked, parts_of
from rulemine.query.tree import Anchor, Intersection, Projection, Query, Union

__all__ = ["Bound", "ProofStep", "bind"]


class Bound(NamedTuple):
    """A node of the query with its entity.

    Attributes:
        entity: The entity.
        steps: The atoms that lead to it, in the order of the query's text; none for an anchor.
        others: Branches of unions at this node that the derivation does not take.
    """

    entity: str
    steps: "tuple[ProofStep, ...]"
    others: int = 0


class ProofStep(NamedTuple):
    """An atom of the query with its triple.

    Attributes:
        triple: The triple.
        end: The end of it that is asked for, ``subject`` or ``object``.
        below: Where it starts.
    """

    triple: Triple
    end: str
    below: Bound


def bind(
    query: Query, entity: str, triples: Sequence[Triple], declarations: Declarations
) -> Bound | None:
    """Binds the variables of a query.

    Args:
        query: The query.
        entity: An answer.
        triples: Those of a witness of it; each may be used more than once.
        declarations: Which relations state the same facts: unions of their statements are no branches.

    Returns:
        The first derivation by the order of branches and triples; None if the triples give none.
    """
    if isinstance(query, Anchor):
        return Bound(entity, ()) if entity == query.entity else None
    if isinstance(query, Projection):
        for triple in triples:
            start, end = (triple[2], triple[0]) if query.inverse else (triple[0], triple[2])
            if (triple[1], end) == (query.relation, entity):
                below = bind(query.of, start, triples, declarations)
                if below is not None:
                    side = "subject" if query.inverse else "object"
                    return Bound(entity, (ProofStep(triple, side, below),))
        return None
    parts = parts_of(query)
    if isinstance(query, Union):
        found = (bind(part, entity, triples, declarations) for part in parts)
        first = next((bound for bound in found if bound is not None), None)
        branches = linked(query, declarations)
        more = len(branches.parts) - 1 if isinstance(branches, Union) else 0
        return first and first._replace(others=first.others + more)
    if isinstance(query, Intersection):
        every = [bind(part, entity, triples, declarations) for part in parts]
        if None in every:
            return None
        nodes = [bound for bound in every if bound is not None]
        steps = tuple(step for bound in nodes for step in bound.steps)
        return Bound(entity, steps, sum(bound.others for bound in nodes))
    return bind(parts[0], entity, triples, declarations)
