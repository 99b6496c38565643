"""Queries: their lines, and what they give on a graph.

    "x"            the entity x (an anchor)        (p "r" X)    {y : (x, r, y), x in X}
    (and X Y …)    intersection                    (p- "r" X)   {y : (y, r, x), x in X}
    (or X Y …)     union                           (minus X Y)  X without Y      (count X)  at the root

Only canonical lines are read: parts sorted by their text, all different, none of the kind of the whole. No
query that was read is nested deeper than `MOST_DEPTH`, so that recursion is safe.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import reduce
from typing import NamedTuple

from rulemine.verify.graph import Graph, Triple, Way

__all__ = [
    "LINK", "Few", "Query", "answers", "asks", "costs", "derivations", "evidence", "nodes", "quoted", "read",
    "triple_of",
]  # fmt: skip

MOST_DEPTH = 100

LINK = "link"
"""The word of a step along the triples of a relation, or of several that state the same facts."""

_TOKEN = re.compile(r'[()]|"(?:[^"\\]|\\.)*"|[^()"\s]+')

_ENDS = {"p": "object", "p-": "subject"}
"""Word of a step in a line → the end of its triple that it leads to."""

quoted = json.JSONEncoder(ensure_ascii=False).encode
"""A name as queries and rows have it."""

_PARTS = {"p": 1, "p-": 1, "minus": 2, "count": 1}

_SETS: dict[str, Callable[..., set[str]]] = {
    "and": set.intersection, "or": set.union, "minus": set.difference, "count": set.copy,
}  # fmt: skip


class Few:
    """Look-ups in a few triples, as those of a graph."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._found: dict[tuple[Way, str], set[str]] = {}
        for s, r, o in triples:
            self._found.setdefault(((r, "object"), s), set()).add(o)
            self._found.setdefault(((r, "subject"), o), set()).add(s)

    def step(self, way: Way, start: str) -> Set[str]:
        """All that a way leads to from an entity."""
        return self._found.get((way, start), set())


class Query(NamedTuple):
    """A query.

    Attributes:
        word: The word of its parenthesis, `LINK` for a step; "" for an entity.
        name: The entity.
        parts: Its parts.
        ways: Of a step, the ways that it may go.
    """

    word: str
    name: str = ""
    parts: "tuple[Query, ...]" = ()
    ways: tuple[Way, ...] = ()

    @property
    def text(self) -> str:
        """Its line, if each step goes one way."""
        if not self.word:
            return quoted(self.name)
        steps = [f"p{'-' * (end == 'subject')} {quoted(name)}" for name, end in self.ways]
        return f"({' '.join([*(steps or [self.word]), *(part.text for part in self.parts)])})"


def read(line: str) -> Query:
    """Reads a line.

    Raises:
        ValueError: It is no query, is not canonical, or is nested too deep.
    """
    tokens = iter(_TOKEN.findall(line))
    query = _read(next(tokens, ""), tokens, 0)
    if query.text != line:
        raise ValueError(query.text)
    return query


def _read(start: str, tokens: Iterator[str], depth: int) -> Query:
    """Reads the query that begins with a token."""
    if start != "(":
        return Query("", str(json.loads(start)))
    word, parts = next(tokens, ""), list[Query]()
    ways = [(str(json.loads(next(tokens, ""))), _ENDS[word])] if word in _ENDS else []
    while (item := next(tokens, "")) != ")" and depth < MOST_DEPTH:
        parts.append(_read(item, tokens, depth + 1))
    fits = len(parts) == _PARTS.get(word) and word not in [one.word for one in nodes(parts[-1])]
    if word in ("and", "or"):
        parts.sort(key=lambda part: part.text)
        fits = 1 < len(parts) == len({*parts}) and word not in [part.word for part in parts]
    if not fits or "count" in [part.word for part in parts]:
        raise ValueError(word)
    return Query(LINK if ways else word, "", tuple(parts), tuple(ways))


def nodes(query: Query) -> Iterator[Query]:
    """A query and all its parts."""
    yield query
    for part in query.parts:
        yield from nodes(part)


def asks(query: Query, relations: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether a query asks for ends that are asked for, or for what is the end of several links at once."""
    asked = (
        relations.get(name, {}).get("ask", "both") in ("both", end) for name, end in query.ways
    )
    below = {"and": 0, LINK: 0, "minus": 1}.get(query.word)
    return all(asked) and all(asks(part, relations) for part in query.parts[:below])


def answers(query: Query, graph: Graph | Few) -> set[str]:
    """All entities that answer a query; of a count, those that are counted."""
    sets = [answers(part, graph) for part in query.parts]
    if query.word == LINK:
        return set().union(*(graph.step(way, one) for one in sets[0] for way in query.ways))
    return _SETS[query.word](*sets) if sets else {query.name}


def triple_of(way: Way, start: str, end: str) -> Triple:
    """The triple by which a way leads from one entity to another."""
    return (start, way[0], end) if way[1] == "object" else (end, way[0], start)


def evidence(query: Query, wanted: Set[str], graph: Graph) -> Iterator[tuple[Triple, str]]:
    """The triples of all derivations of some answers of a query, each with the end that it leads to."""
    for part in query.parts[: 1 if query.word == "minus" else None]:
        below = answers(part, graph)
        steps = [
            (way, x, y) for x in below for way in query.ways for y in graph.step(way, x) & wanted
        ]
        yield from ((triple_of(way, x, y), way[1]) for way, x, y in steps)
        below &= {x for _, x, _ in steps} if query.ways else wanted
        yield from evidence(part, below, graph)


def costs(
    query: Query,
    few: Few,
    graph: Graph,
    cost: Callable[[Triple], int],
    add: Callable[[int, int], int],
) -> dict[str, int]:
    """Each answer of a query, with the least cost of its derivations.

    Args:
        query: The query.
        few: The triples of `evidence`.
        graph: The graph, which shows what differences take away.
        cost: What a triple costs.
        add: What two parts of a derivation cost together; never less than either.
    """
    if not query.word:
        return {query.name: 0}
    found = [costs(part, few, graph, cost, add) for part in query.parts]
    if query.word == "and":
        shared = set.intersection(*map(set, found))
        return {y: reduce(add, (part[y] for part in found)) for y in shared}
    if query.word == "minus":
        gone = answers(query.parts[1], graph)
        return {y: n for y, n in found[0].items() if y not in gone}
    every = [(y, n) for part in found for y, n in part.items()]
    if query.word == LINK:
        steps = [(way, x, y, n) for x, n in every for way in query.ways for y in few.step(way, x)]
        every = [(y, add(n, cost(triple_of(way, x, y)))) for way, x, y, n in steps]
    return dict(sorted(every, key=lambda one: -one[1]))  # of equal keys the last stays, the least


def derivations(
    query: Query, triples: Sequence[Triple], graph: Graph, ends: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The derivations that begin a list of triples, one for each step in the order of the query's text.

    Args:
        query: The query.
        triples: The list.
        graph: The graph, which shows what differences take away.
        ends: The ends that the triples before lead to.

    Yields:
        What is derived, and the ends that all triples up to its last one lead to.
    """
    if not query.word:
        yield query.name, ends
    elif query.word == "and":
        found = list(derivations(query.parts[0], triples, graph, ends))
        for part in query.parts[1:]:
            found = [
                (x, more)
                for x, used in found
                for y, more in derivations(part, triples, graph, used)
                if x == y
            ]
        yield from found
    elif query.word == LINK:
        for x, used in derivations(query.parts[0], triples, graph, ends):
            for triple in triples[len(used) : len(used) + 1]:
                ways = ((way, triple[2 if way[1] == "object" else 0]) for way in query.ways)
                yield from (
                    (y, (*used, way[1])) for way, y in ways if triple == triple_of(way, x, y)
                )
    else:
        minus = query.word == "minus"
        gone = answers(query.parts[1], graph) if minus else set()
        for part in query.parts[: 1 if minus else None]:
            every = derivations(part, triples, graph, ends)
            yield from (one for one in every if one[0] not in gone)
