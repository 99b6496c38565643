"""The protocol by which ComplexLogicalQA counts structures: linear qualifiers are part of the chain.

A part of an intersection that is a chain down to a literal, or to a variable that only qualifiers use, says
something about what the rest leads to, such as its release date. Here such a question has one structure with
the step to the date: it goes on from the rest to the date. Of several such parts the longest counts.

The paper says this of its counting by hand and gives the release date as its example. That the longest
counts, and that what has nothing else than such parts stays as it is, is our reading.
"""

from dataclasses import replace

from rulemine.query.tree import Anchor, Count, Difference, Intersection, Projection, Query, Union

__all__ = ["with_chains"]


def with_chains(query: Query) -> Query:
    r"""A query with each linear qualifier as a part of the chain that it is about.

    Example:
        >>> from rulemine.query.parser import parse
        >>> with_chains(parse('(and (p "made" "ann") (p- "released" "\\"2010\\""))'))
        <query (p "released" (p "made" "ann"))>
    """
    if isinstance(query, Anchor):
        return query
    if isinstance(query, Projection):
        return replace(query, of=with_chains(query.of))
    if isinstance(query, Count):
        return Count(with_chains(query.of))
    if isinstance(query, Difference):
        return Difference(with_chains(query.of), with_chains(query.minus))
    if isinstance(query, Union):
        return Union.of(map(with_chains, query.parts))
    parts = list(map(with_chains, query.parts))
    lengths = [_steps(part) for part in parts]
    rest = [part for part, steps in zip(parts, lengths, strict=True) if not steps]
    if not rest or len(rest) == len(parts):
        return Intersection.of(parts)
    chain = parts[max(range(len(parts)), key=lengths.__getitem__)]
    found = Intersection.of(rest)
    while isinstance(chain, Projection):
        found = Projection(chain.relation, not chain.inverse, found)
        chain = chain.of
    return found


def _steps(query: Query) -> int:
    """The steps of a chain down to a value; 0 of anything else."""
    steps = 0
    while isinstance(query, Projection):
        query, steps = query.of, steps + 1
    return steps if isinstance(query, Anchor) and query.entity.startswith('"') else 0
