"""Queries made from queries: with all statements of their facts, with one part less, with other names.

A relation declared symmetric, inverse or the same as another (see `rulemine.kg.facts`) is asked as the
union of its statements over one operand, such as ``(or (p "spouse" "e1") (p- "spouse" "e1"))``. Such a
union counts as one link wherever links are counted.
"""

from collections.abc import Iterator, Mapping

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS
from rulemine.query.tree import Anchor, Count, Difference, Intersection, Projection, Query, Union

__all__ = ["expanded", "linked", "parts_of", "renamed", "smaller"]

NONE_DECLARED = Declarations()


def expanded(query: Query, declarations: Declarations) -> Query:
    """The query with every projection in place of which all statements of its facts are asked for."""
    if isinstance(query, Projection):
        of = expanded(query.of, declarations)
        statements = declarations.statements(query.relation, DIRECTIONS[not query.inverse])
        return Union.of(Projection(r, end == DIRECTIONS[0], of) for r, end in statements)
    return _rebuilt(query, [expanded(part, declarations) for part in parts_of(query)])


def linked(query: Query, declarations: Declarations) -> Query:
    """The query with a projection in place of every union of statements of one fact over one operand."""
    if not declarations.readings:
        return query
    parts = [linked(part, declarations) for part in parts_of(query)]
    if isinstance(query, Union):
        groups = _groups(parts, declarations)
        parts = [some[0] if len(some) == 1 else _as_asked(some[0], declarations) for some in groups]
    return _rebuilt(query, parts)


def smaller(query: Query, declarations: Declarations = NONE_DECLARED) -> Iterator[Query]:
    """The query with one branch less, for every branch at any depth.

    Branches are the parts of intersections and unions, and what a difference takes away. Statements of one
    fact over one operand are one part.
    """
    if isinstance(query, Difference):
        yield query.of
    if not isinstance(query, Intersection | Union):
        parts = parts_of(query)
        for i, part in enumerate(parts):
            for less in smaller(part, declarations):
                yield _rebuilt(query, [*parts[:i], less, *parts[i + 1 :]])
        return
    groups = [[part] for part in query.parts]
    if isinstance(query, Union):
        groups = _groups(list(query.parts), declarations)
    for i, group in enumerate(groups):
        rest = [part for other in groups[:i] + groups[i + 1 :] for part in other]
        if rest:
            yield type(query).of(rest)
        if len(group) == 1:
            for less in smaller(group[0], declarations):
                yield type(query).of([*rest, less])
        else:
            statements = [part for part in group if isinstance(part, Projection)]
            for less in smaller(statements[0].of, declarations):
                some = [Projection(part.relation, part.inverse, less) for part in statements]
                yield type(query).of([*rest, *some])


def renamed(query: Query, names: Mapping[str, str]) -> Query:
    """The query with other names of its entities: name → other name, one-to-one."""
    if isinstance(query, Anchor):
        return Anchor(names[query.entity])
    return _rebuilt(query, [renamed(part, names) for part in parts_of(query)])


def parts_of(query: Query) -> list[Query]:
    """The queries that a node is made of, none for an anchor."""
    if isinstance(query, Projection | Count):
        return [query.of]
    if isinstance(query, Difference):
        return [query.of, query.minus]
    return list(query.parts) if isinstance(query, Intersection | Union) else []


def _rebuilt(query: Query, parts: list[Query]) -> Query:
    """A node like another, of other parts."""
    if isinstance(query, Projection):
        return Projection(query.relation, query.inverse, parts[0])
    if isinstance(query, Intersection | Union):
        return type(query).of(parts)
    if isinstance(query, Difference):
        return Difference(parts[0], parts[1])
    return Count(parts[0]) if isinstance(query, Count) else query


def _as_asked(query: Query, declarations: Declarations) -> Query:
    """A projection as the one that stands for all statements of its fact; any other query as it is."""
    if not isinstance(query, Projection):
        return query
    fact, end = declarations.asked(query.relation, DIRECTIONS[not query.inverse])
    return Projection(fact, end == DIRECTIONS[0], query.of)


def _groups(parts: list[Query], declarations: Declarations) -> list[list[Query]]:
    """The parts of a union; those that state one fact over one operand together."""
    groups: dict[str, list[Query]] = {}
    for part in parts:
        groups.setdefault(_as_asked(part, declarations).text, []).append(part)
    return list(groups.values())
