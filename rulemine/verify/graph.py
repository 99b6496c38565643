"""Graphs as sorted numbers, with look-ups by name.

Of each relation a graph has the pairs of subject and object, each packed into one number, ascending; and
the same turned round, made when first needed. So twenty million triples take 160 megabytes, or twice that,
and every look-up is a search in a sorted array.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.verify.files import blocks

__all__ = ["MASK", "Graph", "Ints", "Terms", "Triple", "distinct", "member", "packed", "spans"]

Ints = npt.NDArray[np.int64]
Triple = tuple[str, str, str]

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
        self._others: dict[tuple[str, str, int], frozenset[str]] = {}

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
        left = {r: own[~member(other._pairs.get(r, _NONE), own)] for r, own in self._pairs.items()}
        return Graph(self.terms, left)

    def __or__(self, other: "Graph") -> "Graph":
        both = {
            r: distinct(np.concatenate((self._pairs.get(r, _NONE), other._pairs.get(r, _NONE))))
            for r in {**self._pairs, **other._pairs}
        }
        return Graph(self.terms, both)

    def __len__(self) -> int:
        return sum(map(len, self._pairs.values()))

    def __contains__(self, triple: Triple) -> bool:
        return triple[2] in self.objects(triple[0], triple[1])

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

    def objects(self, subject: str, relation: str) -> frozenset[str]:
        """The objects of a subject."""
        return self._ends(subject, relation, 0)

    def subjects(self, relation: str, object_: str) -> frozenset[str]:
        """The subjects of an object."""
        return self._ends(object_, relation, 1)

    def _ends(self, entity: str, relation: str, end: int) -> frozenset[str]:
        found = self._others.get((entity, relation, end))
        if found is None:
            pairs, number = self.pairs(relation, end), self.terms.entities.get(entity, -1)
            low, high = pairs.searchsorted((number << 32, (number + 1) << 32))
            found = self._named(pairs[low:high] & MASK)
            self._others[entity, relation, end] = found
        return found

    def targets(self, relation: str, end: int) -> frozenset[str]:
        """All entities at one end of a relation: its subjects (0) or its objects (1)."""
        key = "", relation, end
        if key not in self._others:
            self._others[key] = self._named(distinct(self.pairs(relation, end) >> 32))
        return self._others[key]

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
        joined = pairs[member(self._joining[0], pairs)]
        ends = np.stack((joined >> 32, joined & MASK), axis=1).tolist()
        names = self.terms.names[0]
        both = [(names[s], names[o]) for s, o in ends]
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
