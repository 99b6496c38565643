"""Queries made from queries: with all statements of their facts, with one part less, with other names.

A relation declared symmetric, inverse or the same as another (see `rulemine.kg.facts`) is asked as the
union of its statements over one operand, such as ``(or (p "spouse" "e1") (p- "spouse" "e1"))``. Such a
union counts as one link wherever links are counted.
"""

import operator
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, Triple
from rulemine.query.tree import Anchor, Count, Difference, Intersection, Projection, Query, Union

__all__ = [
    "expanded", "linked", "parts_of", "positive", "relations_at", "renamed", "renamed_derivation", "smaller",
]  # fmt: skip

NONE_DECLARED = Declarations()

_SMALL, _REMEMBERED = 32, 4096
"""The links of queries of up to so many atoms are cached, for so many queries."""


def expanded(query: Query, declarations: Declarations) -> Query:
    """The query with every projection in place of which all statements of its facts are asked for."""
    if isinstance(query, Projection):
        of = expanded(query.of, declarations)
        if query.relation not in declarations.readings:
            return query if of is query.of else Projection(query.relation, query.inverse, of)
        statements = declarations.statements(query.relation, DIRECTIONS[not query.inverse])
        return Union.of(Projection(r, end == DIRECTIONS[0], of) for r, end in statements)
    own = parts_of(query)
    parts = [expanded(part, declarations) for part in own]
    return query if all(map(operator.is_, parts, own)) else _rebuilt(query, parts)


def linked(query: Query, declarations: Declarations) -> Query:
    """The query with a projection in place of every union of statements of one fact over one operand."""
    if not declarations.readings or isinstance(query, Anchor):
        return query
    return (_known_links if query.size <= _SMALL else _links)(query, declarations)


def _links(query: Query, declarations: Declarations) -> Query:
    parts = [linked(part, declarations) for part in parts_of(query)]
    if isinstance(query, Union):
        groups = _groups(parts, declarations)
        parts = [some[0] if len(some) == 1 else _as_asked(some[0], declarations) for some in groups]
    elif all(part is own for part, own in zip(parts, parts_of(query), strict=True)):
        return query
    return _rebuilt(query, parts)


_known_links = lru_cache(_REMEMBERED)(_links)


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


def renamed_derivation(
    query: Query, names: Mapping[str, str], triples: Sequence[Triple], answers: Collection[str]
) -> tuple[Triple, ...]:
    """The triples of a derivation, with other names, in the order of the renamed query's text.

    Args:
        query: The query; of a difference, the derivation is of what nothing is taken from.
        names: As for `renamed`.
        triples: A derivation on the query, see `rulemine.query.grading.Grades.witness`.
        answers: What it may derive.

    Raises:
        ValueError: The triples are no derivation of any of them.
    """
    for end, derived in _derived(query, names, triples, 0):
        if end in answers and len(derived) == len(triples):
            return tuple((names[s], r, names[o]) for s, r, o in derived)
    raise ValueError(f"{triples} derive none of {answers} by {query}")


def _derived(
    query: Query, names: Mapping[str, str], triples: Sequence[Triple], first: int
) -> Iterator[tuple[str, list[Triple]]]:
    """What derivations that begin at a triple lead to, and their triples in the new order."""
    if isinstance(query, Anchor):
        yield query.entity, []
    elif isinstance(query, Projection):
        for start, below in _derived(query.of, names, triples, first):
            for s, r, o in triples[first + len(below) :][:1]:
                own, end = (o, s) if query.inverse else (s, o)
                if (own, r) == (start, query.relation):
                    yield end, [*below, (s, r, o)]
    elif isinstance(query, Intersection):
        found: list[tuple[str | None, int, list[list[Triple]]]] = [(None, first, [])]
        for part in query.parts:
            found = [
                (end, at + len(derived), [*others, derived])
                for other, at, others in found
                for end, derived in _derived(part, names, triples, at)
                if other in (None, end)
            ]
        texts = [renamed(part, names).text for part in query.parts]
        for entity, _, lists in found:
            in_order = sorted(zip(texts, lists, strict=True), key=lambda pair: pair[0])
            yield str(entity), [triple for _, some in in_order for triple in some]
    else:
        parts = parts_of(query)
        for part in parts[:1] if isinstance(query, Difference) else parts:
            yield from _derived(part, names, triples, first)


def parts_of(query: Query) -> list[Query]:
    """The queries that a node is made of, none for an anchor."""
    if isinstance(query, Projection | Count):
        return [query.of]
    if isinstance(query, Difference):
        return [query.of, query.minus]
    return list(query.parts) if isinstance(query, Intersection | Union) else []


def relations_at(query: Query, anchor: str) -> frozenset[str]:
    """The relations that join an anchor to the rest of a query.

    Example:
        >>> from rulemine.query import parse
        >>> sorted(relations_at(parse('(p "r" (and (p "s" "a") (p- "t" "a") (p "u" "b")))'), "a"))
        ['s', 't']
    """
    if isinstance(query, Projection) and isinstance(query.of, Anchor):
        return frozenset((query.relation,)) if query.of.entity == anchor else frozenset()
    return frozenset().union(*(relations_at(part, anchor) for part in parts_of(query)))


def positive(query: Query) -> Query:
    """The query without what differences take away, at any depth, and without the count.

    Example:
        >>> from rulemine.query import parse
        >>> positive(parse('(count (p "r" (minus (p "s" "a") (p "t" "b"))))')).text
        '(p "r" (p "s" "a"))'
    """
    if isinstance(query, Difference | Count):
        return positive(query.of)
    return _rebuilt(query, [positive(part) for part in parts_of(query)])


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
