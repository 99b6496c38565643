"""The form of a query: its links, structure, shape code, hops and anchors, and what it is with a branch less.

All statements of a fact over one operand are one link. The shape code reads a query as a tree with an edge
per link and the answer at its root; see ``docs/structures.md``. What a difference takes away comes last.
"""

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from rulemine.verify.facts import Facts
from rulemine.verify.questions.queries import ENDS, Query

__all__ = ["LINK", "STRUCTURES", "QueryForm", "form_of", "leaves", "linked", "nodes", "smaller"]

LINK = "link"
"""The word of a node whose parts are all statements of a fact over one operand."""

STRUCTURES = {
    "(1)": "1p", "(2)": "2p", "(3)": "3p", "(1)(1)": "2i", "(1)(1)(1)": "3i", "((1)(1))": "ip",
    "(2)(1)": "pi", "{(1)|(1)}": "2u", "({(1)|(1)})": "up",
}  # fmt: skip
"""Shape code → structure; any other query is called by its code."""


class QueryForm(NamedTuple):
    """What a question says of the form of its query."""

    structure: str
    shape: str
    hops: int
    anchors: list[str]


def linked(query: Query, facts: Facts) -> Query:
    """Makes the statements of each fact over one operand one node, with the word `LINK`.

    Raises:
        ValueError: Some statement of a fact is not asked for.
    """
    if query.word != "or" and query.word not in ENDS:
        return query._replace(parts=tuple(linked(part, facts) for part in query.parts))
    groups: dict[Hashable, list[Query]] = {}
    for arm in query.parts if query.word == "or" else (query,):
        ways = tuple(facts.ways(arm.name, ENDS[arm.word])) if arm.word in ENDS else ()
        groups.setdefault((ways, arm.parts[0].text if ways else arm.text), []).append(arm)
    nodes = []
    for (ways, _), arms in groups.items():  # type: ignore[misc]
        if len(arms) < len(ways):
            raise ValueError(arms[0].text)
        if ways:
            of = linked(arms[0].parts[0], facts)
            nodes.append(Query(LINK, "", tuple(arm._replace(parts=(of,)) for arm in arms), ""))
        else:
            nodes.append(linked(arms[0], facts))
    return nodes[0] if len(nodes) == 1 else query._replace(parts=tuple(nodes))


def form_of(links: Query) -> QueryForm:
    """The form of a query as `linked` gives it."""
    shape, anchors = _shape(links), list(leaves(links))
    names = sorted({name for name, _ in anchors})
    return QueryForm(STRUCTURES.get(shape, shape), shape, max(hops for _, hops in anchors), names)


def smaller(links: Query) -> Iterator[Query]:
    """The query with one branch less, for every branch at any depth."""
    if links.word == LINK:
        for of in smaller(_below(links)):
            yield links._replace(parts=tuple(p._replace(parts=(of,)) for p in links.parts))
    elif links.word in ("minus", "count"):
        of, *minus = links.parts
        if minus:
            yield of
        for i, part in enumerate(links.parts):
            for less in smaller(part):
                yield links._replace(parts=(*links.parts[:i], less, *links.parts[i + 1 :]))
    elif links.word:
        for i, part in enumerate(links.parts):
            rest = links.parts[:i] + links.parts[i + 1 :]
            yield rest[0] if len(rest) == 1 else links._replace(parts=rest)
            for less in smaller(part):
                yield links._replace(parts=(*rest, less))


def nodes(links: Query) -> Iterator[Query]:
    """A query as `linked` gives it, and all its parts; not the single statements of its links."""
    yield links
    for part in (_below(links),) if links.word == LINK else links.parts:
        yield from nodes(part)


def _below(link: Query) -> Query:
    """What a link starts from."""
    return link.parts[0].parts[0]


def _size(links: Query) -> int:
    """Links of a query."""
    return 1 + _size(_below(links)) if links.word == LINK else sum(map(_size, links.parts))


_Branch = tuple[bool, int, str]
"""Whether a branch of the tree is straight, its links (negative), and its code: in the order of siblings."""


def _shape(links: Query) -> str:
    return f"#{_shape(links.parts[0])}" if links.word == "count" else _arm(links)[2]


def _branches(links: Query) -> list[_Branch]:
    """The branches of the node that a query gives, without what is taken away from it."""
    if links.word == "and":
        return [branch for part in links.parts for branch in _branches(part)]
    if links.word == "or":
        arms = sorted(map(_arm, links.parts))
        return [(False, -_size(links), "{" + "|".join(code for _, _, code in arms) + "}")]
    if links.word == "minus":
        return _branches(links.parts[0])
    if links.word != LINK:
        return [(True, 0, "(0)")]
    steps, of = 1, _below(links)
    while of.word == LINK:
        steps, of = steps + 1, _below(of)
    if not of.word:
        return [(True, -steps, f"({steps})")]
    return [(False, -_size(links), f"({steps if steps > 1 else ''}{_shape(of)})")]


def _taken(links: Query) -> list[str]:
    """The codes of what is taken away from the node that a query gives."""
    if links.word == "minus":
        return [*_taken(links.parts[0]), f"-{{{_shape(links.parts[1])}}}"]
    return [code for part in links.parts for code in _taken(part)] if links.word == "and" else []


def _arm(links: Query) -> _Branch:
    branches, taken = sorted(_branches(links)), sorted(_taken(links))
    straight = len(branches) == 1 and branches[0][0] and not taken
    return straight, -_size(links), "".join([*(code for _, _, code in branches), *taken])


def leaves(links: Query, hops: int = 0) -> Iterator[tuple[str, int]]:
    """The entities that a query names, each with its distance from the answer."""
    if links.word == LINK:
        yield from leaves(_below(links), hops + 1)
    elif links.word:
        for part in links.parts:
            yield from leaves(part, hops)
    else:
        yield links.name, hops
