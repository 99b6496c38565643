"""Queries: their lines, answers, costs, derivations and evidence.

    "x"            the entity x                    (p "r" X)    {y : (x, r, y), x in X}
    (and X Y …)    intersection                    (p- "r" X)   {y : (y, r, x), x in X}
    (or X Y …)     union                           (minus X Y)  X without Y      (count X)  at the root

Only canonical lines are read: parts sorted by their text, all different, none of the kind of the whole. No
query that was read is nested deeper than `MOST_DEPTH`, so that recursion is safe.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import reduce
from typing import NamedTuple

from rulemine.verify.facts import Way
from rulemine.verify.proofs import Triples
from rulemine.verify.triples import Triple

__all__ = [
    "ENDS",
    "Query",
    "answers",
    "as_asked",
    "asks",
    "costs",
    "derivations",
    "evidence",
    "line",
    "read",
    "settled",
]

MOST_DEPTH = 100

_TOKEN = re.compile(r'[()]|"(?:[^"\\]|\\.)*"|[^()"\s]+')

ENDS = {"p": "object", "p-": "subject"}
"""Word of a step → the end of its triple that it leads to."""

_PARTS = {"p": 1, "p-": 1, "minus": 2, "count": 1}

_SETS: dict[str, Callable[..., set[str]]] = {
    "and": set.intersection, "or": set.union, "link": set.union, "minus": set.difference, "count": set.copy,
}  # fmt: skip


class Query(NamedTuple):
    """A query: the word of its parenthesis ("" for an entity), name, parts, and the whole text."""

    word: str
    name: str
    parts: "tuple[Query, ...]"
    text: str


def as_asked(ways: list[Way], topic: str) -> str:
    """The line of the question for everything that answers it, see `rulemine.verify.facts.Facts.ways`."""
    words = {end: word for word, end in ENDS.items()}
    parts = sorted(f"({words[end]} {_quoted(name)} {_quoted(topic)})" for name, end in ways)
    return parts[0] if len(parts) == 1 else f"(or {' '.join(parts)})"


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def asks(query: Query, relations: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether a query asks for an end that is asked for, or for what has several ends at once."""
    if query.word in ENDS:
        return relations.get(query.name, {}).get("ask", "both") in ("both", ENDS[query.word])
    parts = () if query.word == "and" else query.parts[:1] if query.word == "minus" else query.parts
    return all(asks(part, relations) for part in parts)


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
        return Query("", name := _name(start), (), _quoted(name))
    word, parts = next(tokens, ""), list[Query]()
    names = [_name(next(tokens, ""))] if word in ENDS else []
    while (item := next(tokens, "")) != ")" and depth < MOST_DEPTH:
        parts.append(_read(item, tokens, depth + 1))
    fits = len(parts) == _PARTS.get(word)
    if word in ("and", "or"):
        parts.sort(key=lambda part: part.text)
        fits = 1 < len(parts) == len({p.text for p in parts}) and word not in {
            p.word for p in parts
        }
    elif word == "minus" and fits:
        fits = word not in _TOKEN.findall(parts[1].text)
    if not fits or any(part.word == "count" for part in parts):
        raise ValueError(word)
    texts = [word, *map(_quoted, names), *(part.text for part in parts)]
    return Query(word, "".join(names), tuple(parts), f"({' '.join(texts)})")


def _name(token: str) -> str:
    if token[:1] != '"':
        raise ValueError(token)
    return str(json.loads(token))


def line(query: Query) -> str:
    """The canonical line of a query, whose nodes may be links (unions of all statements of a fact)."""
    if not query.word:
        return _quoted(query.name)
    word = "or" if query.word == "link" else query.word
    if query.word == "link" and len(query.parts) == 1:
        return line(query.parts[0])
    texts = [line(part) for part in query.parts]
    if word in ("and", "or"):
        texts = sorted({text for whole in texts for text in _parts_of(whole, word)})
        if len(texts) == 1:
            return texts[0]
    return f"({' '.join([word, *[_quoted(query.name)] * (word in ENDS), *texts])})"


def _parts_of(text: str, word: str) -> list[str]:
    """The parts of a line if it has a word, else the line."""
    query = read(text)
    return [part.text for part in query.parts] if query.word == word else [text]


def answers(query: Query, triples: Triples) -> set[str]:
    """All entities that answer a query; of a count, those that are counted."""
    sets = [answers(part, triples) for part in query.parts]
    if query.word in ENDS:
        return {end for start in sets[0] for end in _step(query, start, triples)}
    return _SETS[query.word](*sets) if sets else {query.name}


def _step(query: Query, start: str, triples: Triples) -> frozenset[str]:
    if query.word == "p":
        return triples.objects(start, query.name)
    return triples.subjects(query.name, start)


def settled(query: Query, triples: Triples) -> Query:
    """The query with the entities that are taken away in place of each query for them.

    `costs` and `derivations` see some triples only, which do not show what a difference takes away.
    """
    parts = [settled(part, triples) for part in query.parts]
    if query.word == "minus":
        both = answers(query.parts[0], triples) & answers(query.parts[1], triples)
        parts[1:] = [Query("", name, (), _quoted(name)) for name in sorted(both)]
    return query._replace(parts=tuple(parts))


def evidence(query: Query, wanted: Set[str], triples: Triples) -> Iterator[tuple[Triple, str]]:
    """The triples of all derivations of some answers of a query, each with the end that it leads to."""
    for part in query.parts[: 1 if query.word == "minus" else None]:
        below = answers(part, triples)
        if query.word in ENDS:
            steps = [(x, y) for x in below for y in _step(query, x, triples) & wanted]
            for x, y in steps:
                yield _triple(query, x, y), ENDS[query.word]
            below = {x for x, _ in steps}
        else:
            below &= wanted
        yield from evidence(part, below, triples)


def costs(
    query: Query,
    triples: Triples,
    cost: Callable[[Triple], int],
    add: Callable[[int, int], int],
) -> dict[str, int]:
    """Each answer of a query, with the least cost of its derivations.

    Args:
        query: The query; one with differences as `settled` gives it.
        triples: Look-ups; those of `evidence` are enough.
        cost: What a triple costs.
        add: What two parts of a derivation cost together; never less than either.
    """
    if not query.word:
        return {query.name: 0}
    found = [costs(part, triples, cost, add) for part in query.parts]
    if query.word == "and":
        shared = set.intersection(*map(set, found))
        return {y: reduce(add, (part[y] for part in found)) for y in shared}
    if query.word == "minus":
        gone = set().union(*found[1:])
        return {y: least for y, least in found[0].items() if y not in gone}
    least: dict[str, int] = {}
    for part in found:
        for x, below in part.items():
            for y in _step(query, x, triples) if query.word in ENDS else (x,):
                whole = add(below, cost(_triple(query, x, y))) if query.word in ENDS else below
                least[y] = min(whole, least.get(y, whole))
    return least


def derivations(
    query: Query, triples: Sequence[Triple], ends: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The derivations that begin a list of triples, one for each step in the order of the query's text.

    Args:
        query: The query; one with differences as `settled` gives it.
        triples: The list.
        ends: The ends that the triples before lead to.

    Yields:
        What is derived, and the ends that all triples up to its last one lead to.
    """
    if not query.word:
        yield query.name, ends
    elif query.word in ENDS:
        for x, used in derivations(query.parts[0], triples, ends):
            for s, r, o in triples[len(used) : len(used) + 1]:
                start, end = (s, o) if query.word == "p" else (o, s)
                if (start, r) == (x, query.name):
                    yield end, (*used, ENDS[query.word])
    elif query.word == "and":
        found = list(derivations(query.parts[0], triples, ends))
        for part in query.parts[1:]:
            found = [
                (x, more)
                for x, used in found
                for y, more in derivations(part, triples, used)
                if x == y
            ]
        yield from found
    elif query.word == "minus":
        gone = {part.name for part in query.parts[1:]}
        for x, used in derivations(query.parts[0], triples, ends):
            if x not in gone:
                yield x, used
    else:
        for part in query.parts:
            yield from derivations(part, triples, ends)


def _triple(query: Query, start: str, end: str) -> Triple:
    return (start, query.name, end) if query.word == "p" else (end, query.name, start)
