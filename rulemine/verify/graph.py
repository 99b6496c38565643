"""Graphs as sorted numbers, with look-ups by name; the facts that triples state, and priors of answers.

Of each relation a graph has the pairs of subject and object, each packed into one number, ascending; and
the same turned round, made when first needed. So twenty million triples take 160 megabytes, or twice that,
and every look-up is a search in a sorted array.
"""

import gzip
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "MASK", "Facts", "Graph", "Ints", "Priors", "Terms", "Triple", "Way", "blocks", "distinct", "member",
    "packed", "spans",
]  # fmt: skip

Ints = npt.NDArray[np.int64]
Triple = tuple[str, str, str]
Way = tuple[str, str]
"""A relation, and the end of its triples that a step along them leads to: subject or object."""

AT_ONCE = 1 << 21
"""Bytes of a file that are read at once."""

MASK = (1 << 32) - 1
"""The part of a packed pair that is its second entity."""

_NONE = np.empty(0, np.int64)


class _Numbers(dict[str, int]):
    """Name → its number; a new name gets the next one."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


class Terms:
    """Names and their numbers, which all graphs of a release share; the given ones are numbered first."""

    def __init__(self, entities: Iterable[str] = (), relations: Iterable[str] = ()) -> None:
        self.entities = _Numbers(zip(entities, range(1 << 32), strict=False))
        self.relations = _Numbers(zip(relations, range(1 << 32), strict=False))
        self._names: tuple[list[str], ...] = [], []

    @property
    def names(self) -> tuple[list[str], ...]:
        """The names of entities and of relations, by number."""
        if [*map(len, self._names)] != [len(self.entities), len(self.relations)]:
            self._names = [*self.entities], [*self.relations]
        return self._names


class Graph:
    """A set of triples; of two graphs with the same names there are the difference and the union.

    Args:
        terms: Its names.
        pairs: The number of a relation → its pairs, see `packed`, ascending, each once.
    """

    def __init__(self, terms: Terms, pairs: Mapping[int, Ints]) -> None:
        self.terms, self._pairs = terms, pairs
        self._turned: dict[int, Ints] = {}
        self._steps: dict[tuple[Way, str | None], frozenset[str]] = {}

    @classmethod
    def of(cls, triples: Iterable[Triple], terms: Terms) -> "Graph":
        """The graph of some triples."""
        return cls._of(terms, [_rows([name for triple in triples for name in triple], terms)])

    @classmethod
    def read(cls, path: Path, terms: Terms) -> "Graph":
        """The graph of a file of the release: a triple a line, tabs between its names.

        Names in lines of another form are taken three by three: writing the file again shows that.
        """
        texts = (lines.decode().replace("\n", "\t") for lines in blocks(path))
        return cls._of(terms, [_rows(text.split("\t"), terms) for text in texts])

    @classmethod
    def _of(cls, terms: Terms, rows: list[npt.NDArray[np.int32]]) -> "Graph":
        columns = np.concatenate([np.empty((0, 3), np.int32), *rows])
        order = np.argsort(columns[:, 1], kind="stable")
        ends = np.bincount(columns[:, 1], minlength=len(terms.relations)).cumsum()
        parts = np.split(packed(columns[order, 0], columns[order, 2]), ends)
        return cls(terms, {number: distinct(part) for number, part in enumerate(parts[:-1])})

    def __sub__(self, other: "Graph") -> "Graph":
        return Graph(
            self.terms,
            {r: own[~member(other._pairs.get(r, _NONE), own)] for r, own in self._pairs.items()},
        )

    def __or__(self, other: "Graph") -> "Graph":
        return Graph(
            self.terms,
            {
                r: distinct(np.concatenate((self._pairs.get(r, _NONE), other._pairs.get(r, _NONE))))
                for r in {**self._pairs, **other._pairs}
            },
        )

    def __len__(self) -> int:
        return sum(map(len, self._pairs.values()))

    def __contains__(self, triple: Triple) -> bool:
        return triple[2] in self.step((triple[1], "object"), triple[0])

    def __iter__(self) -> Iterator[Triple]:
        """All triples, relation by relation."""
        entities, relations = self.terms.names
        for relation, pairs in self._pairs.items():
            for s, o in zip((pairs >> 32).tolist(), (pairs & MASK).tolist(), strict=True):
                yield entities[s], relations[relation], entities[o]

    def pairs(self, relation: str, end: int = 0) -> Ints:
        """The pairs of a relation, the subject first (0) or the object first (1), ascending."""
        number = self.terms.relations.get(relation, -1)
        own = self._pairs.get(number, _NONE)
        if end and number not in self._turned:
            self._turned[number] = np.sort(packed(own & MASK, own >> 32))
        return self._turned[number] if end else own

    def step(self, way: Way, start: str) -> frozenset[str]:
        """All that a way leads to from an entity."""
        found = self._steps.get((way, start))
        if found is None:
            number = self.terms.entities.get(start, -1)
            pairs = self.pairs(way[0], int(way[1] == "subject"))
            low, high = pairs.searchsorted((number << 32, (number + 1) << 32))
            found = self._steps[way, start] = self._named(pairs[low:high] & MASK)
        return found

    def targets(self, way: Way) -> frozenset[str]:
        """All that a way leads to from anywhere."""
        if (way, None) not in self._steps:
            ends = self.pairs(way[0], int(way[1] == "object")) >> 32
            self._steps[way, None] = self._named(distinct(ends))
        return self._steps[way, None]

    def between(self, subject: str, object_: str) -> list[str]:
        """The relations that lead from one entity to another, sorted."""
        keys, relations = self._joining
        s, o = (self.terms.entities.get(name, -1) for name in (subject, object_))
        low, high = keys.searchsorted((s << 32 | o, (s << 32 | o) + 1)) if s >= 0 <= o else (0, 0)
        names = self.terms.names[1]
        return sorted([names[number] for number in relations[low:high].tolist()])

    def among(self, entities: Set[str]) -> set[Triple]:
        """All triples whose ends are two of some entities."""
        known = np.array([self.terms.entities.get(name, -1) for name in entities], np.int64)
        pairs = packed(np.repeat(known, len(known)), np.tile(known, len(known)))
        joined, names = pairs[member(self._joining[0], pairs)].tolist(), self.terms.names[0]
        both = [(names[pair >> 32], names[pair & MASK]) for pair in joined]
        return {(s, relation, o) for s, o in both for relation in self.between(s, o)}

    @cached_property
    def _joining(self) -> tuple[Ints, npt.NDArray[np.int32]]:
        """The pairs of all relations, ascending, and the relation of each."""
        keys = np.concatenate([_NONE, *self._pairs.values()])
        sizes = [len(own) for own in self._pairs.values()]
        relations = np.repeat(np.array([*self._pairs], np.int32), sizes)
        order = np.argsort(keys, kind="stable")
        return keys[order], relations[order]

    def _named(self, numbers: Ints) -> frozenset[str]:
        return frozenset(map(self.terms.names[0].__getitem__, numbers.tolist()))


class Facts:
    """What triples state, by the rows of ``relations.tsv``, each under its relation."""

    def __init__(self, relations: Mapping[str, Mapping[str, Any]]) -> None:
        self._readings = {
            name: (row["fact"], row["reversed"] == "yes", row["symmetric"] == "yes")
            for name, row in relations.items()
        }
        self._alike, self._ways = defaultdict[str, list[str]](list), dict[Way, list[Way]]()
        for name in sorted(self._readings):
            self._alike[self._readings[name][0]].append(name)

    def reading(self, relation: str) -> tuple[str, bool, bool]:
        """The first relation with its facts; whether it is turned round; whether symmetric."""
        return self._readings.get(relation) or (relation, False, False)

    def alike(self, fact: str) -> list[str]:
        """The relations that state the facts of a first one, sorted."""
        return self._alike.get(fact, [fact])

    def of(self, triple: Triple) -> Triple:
        """What stands for the fact of a triple: one of its statements, the same for all."""
        one, relation, other = triple
        fact, turned, symmetric = self.reading(relation)
        if turned or (symmetric and other < one):
            one, other = other, one
        return one, fact, other

    def statements(self, triple: Triple) -> list[Triple]:
        """All triples that state the fact of a triple, sorted; it is one of them."""
        one, fact, other = self.of(triple)
        readings = [(name, *self.reading(name)[1:]) for name in self.alike(fact)]
        forth = {(one, name, other) for name, turned, both in readings if both or not turned}
        back = {(other, name, one) for name, turned, both in readings if both or turned}
        return sorted({triple} | forth | back)

    def ways(self, relation: str, end: str) -> list[Way]:
        """Relations and ends of all that answers a question for an end of a relation, sorted."""
        if (relation, end) not in self._ways:
            asked = ("?", relation, "") if end == "object" else ("", relation, "?")
            found = ((r, "object" if s else "subject") for s, r, _ in self.statements(asked))
            self._ways[relation, end] = sorted(found)
        return self._ways[relation, end]


class Priors:
    """The priors of answers: which fraction of the topic entities of a question have one for an answer."""

    def __init__(self, graph: Graph, facts: Facts) -> None:
        self._graph, self._facts = graph, facts
        self._of_fact: dict[str, tuple[Ints, Ints, int, int]] = {}

    def _asked(self, relation: str, end: str) -> tuple[Ints, Ints, int]:
        """The facts of a relation by answer and by topic entity, and how many topic entities there are."""
        fact, turned, symmetric = self._facts.reading(relation)
        if fact not in self._of_fact:
            found = [np.empty(0, np.int64)]
            for other in self._facts.alike(fact):
                _, backward, both = self._facts.reading(other)
                found += [self._graph.pairs(other, at) for at in (0, 1) if both or at == backward]
            forth = distinct(np.concatenate(found))
            back = np.sort(packed(forth & MASK, forth >> 32))
            firsts, seconds = (len(distinct(pairs >> 32)) for pairs in (forth, back))
            self._of_fact[fact] = forth, back, firsts, seconds
        forth, back, firsts, seconds = self._of_fact[fact]
        by_second = symmetric or (end == "object") != turned
        return (back, forth, firsts) if by_second else (forth, back, seconds)

    def of(self, triple: Triple) -> dict[str, float]:
        """End that is asked for → its prior, for a triple of the graph."""
        found = {}
        for end, name in (("subject", triple[0]), ("object", triple[2])):
            by_answer, _, topics = self._asked(triple[1], end)
            number = self._graph.terms.entities[name]
            low, high = by_answer.searchsorted((number << 32, (number + 1) << 32))
            found[end] = int(high - low) / topics
        return found

    def answers_each(self, relation: str, end: str) -> Ints:
        """How many answers each topic entity of questions for an end of a relation has."""
        counts: Ints = np.unique(self._asked(relation, end)[1] >> 32, return_counts=True)[1]
        return counts


def blocks(path: Path) -> Iterator[bytes]:
    """The content of a file in pieces of whole lines, without the last line end of each."""
    rest = b""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        while block := file.read(AT_ONCE):
            lines, _, rest = (rest + block).rpartition(b"\n")
            yield lines
    yield rest


def _rows(fields: list[str], terms: Terms) -> npt.NDArray[np.int32]:
    """Subject, relation, object, subject … as numbers, shape (n, 3)."""
    found = np.empty((len(fields) // 3, 3), np.int32)
    for column, numbers in enumerate((terms.entities, terms.relations, terms.entities)):
        names = fields[column : 3 * len(found) : 3]
        found[:, column] = np.fromiter(map(numbers.__getitem__, names), np.int32, len(names))
    return found


def packed(firsts: npt.NDArray[Any], seconds: npt.NDArray[Any]) -> Ints:
    """Pairs of entities as one number each, which sorts by the first."""
    return firsts.astype(np.int64) << 32 | seconds  # type: ignore[no-any-return]


def spans(pairs: Ints, firsts: Ints) -> tuple[Ints, Ints]:
    """Where the pairs of each first entity begin, and how many there are."""
    low = pairs.searchsorted(firsts << 32)
    return low, pairs.searchsorted((firsts + 1) << 32) - low


def distinct(values: Ints) -> Ints:
    """The distinct ones of numbers, ascending; ``numpy.unique`` would hash them, which is far slower."""
    if not (values[1:] > values[:-1]).all():
        values = np.sort(values)
        values = values[np.append(True, values[1:] != values[:-1])]
    return values


def member(keys: Ints, wanted: Ints) -> npt.NDArray[np.bool_]:
    """Which of the wanted numbers are among others, which are ascending."""
    if not len(keys):
        return np.zeros(len(wanted), bool)
    return keys[keys.searchsorted(wanted).clip(max=len(keys) - 1)] == wanted  # type: ignore[no-any-return]
