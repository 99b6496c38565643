"""Graphs of the verifier: numbers for names, in sorted arrays.

A graph of twenty million triples would take more than ten gigabytes as a set of tuples; as three columns of
numbers it takes 240 megabytes. Every look-up is a search in a sorted column. Guarantees: a `Graph` is a set
(duplicates are dropped); numbers mean the same in all graphs of one `Terms`.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import compress
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rulemine.verify.known import Known, padded, spans_of_threes

__all__ = ["Graph", "ReadGraph", "Terms", "Triple", "distinct"]

Triple = tuple[str, str, str]

Ints = npt.NDArray[np.int64]
Columns = npt.NDArray[np.int32]
Keys = npt.NDArray[Any]
_Number = TypeVar("_Number", bound=np.integer[Any])

_AT_ONCE = 1 << 16


class ReadGraph(NamedTuple):
    """A graph as it was read, with no other names than its own.

    Attributes:
        entities: Its entities in code point order.
        relations: Its relations, likewise.
        triples: int32, shape (n, 3): the places of subject, relation and object; ascending, each row once.
    """

    entities: tuple[str, ...]
    relations: tuple[str, ...]
    triples: Columns


class _Numbers(dict[str, int]):
    """Name → its number; a new name gets the next one."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number

    @property
    def names(self) -> list[str]:
        """The names by number."""
        return list(self)


class Terms:
    """The numbers of all names; the given ones are numbered first, in sorted order.

    Attributes:
        entities: Entity → number.
        relations: Relation → number.
        known_entities: The number of given entities.
        known_relations: The number of given relations.
    """

    def __init__(self, entities: Iterable[str] = (), relations: Iterable[str] = ()) -> None:
        self.entities, self.relations = _Numbers(), _Numbers()
        for numbers, names in ((self.entities, entities), (self.relations, relations)):
            ordered = sorted(dict.fromkeys(names))  # most tables are sorted already
            numbers.update(zip(ordered, range(len(ordered)), strict=True))
        self.known_entities, self.known_relations = len(self.entities), len(self.relations)
        self._plain = all(name == name.strip() for name in self.relations)
        self._known = Known(list(self.entities)), Known(list(self.relations))

    @property
    def sizes(self) -> tuple[int, int]:
        """How many entities and relations have numbers; at least one each."""
        return max(1, len(self.entities)), max(1, len(self.relations))

    def known_columns(self, lines: bytes) -> Columns | None:
        """The triples of whole lines of TSV as numbers, shape (n, 3); None where a field is no known name."""
        content = padded(lines)
        if not self._plain or (spans := spans_of_threes(content)) is None:
            return None
        starts, lengths = spans
        found = np.empty((len(starts) // 3, 3), np.int32)
        entities, relations = self._known
        for column, names in enumerate((entities, relations, entities)):
            found[:, column] = names.numbers(content, starts[column::3], lengths[column::3])
        return None if found.min(initial=0) < 0 else found

    def columns(self, fields: Sequence[str]) -> Columns:
        """Subject, relation, subject … as numbers, shape (n, 3)."""
        found = np.empty((len(fields) // 3, 3), np.int32)
        for column, numbers in enumerate((self.entities, self.relations, self.entities)):
            names = fields[column::3]
            found[:, column] = np.fromiter(map(numbers.__getitem__, names), np.int32, len(names))
        return found

    def pack(self, columns: Columns) -> Keys:
        """Packs each triple into a key that sorts as its three numbers.

        Returns:
            int64, or the twelve bytes of a triple where there are too many names for that.
        """
        entities, relations = self.sizes
        if entities * entities * relations >= 2**63:
            return columns.astype(">i4", order="C").view("S12").reshape(-1)
        packed = columns[:, 0].astype(np.int64)
        for column, size in ((1, relations), (2, entities)):
            packed *= size
            packed += columns[:, column]
        return packed

    def unpack(self, keys: Keys) -> npt.NDArray[Any]:
        """Subject, relation and object of keys, shape (n, 3)."""
        entities, relations = self.sizes
        if keys.dtype.kind == "S":
            return np.ascontiguousarray(keys).view(">i4").reshape(-1, 3)
        rest, objects = np.divmod(keys, entities)
        return np.stack((*np.divmod(rest, relations), objects), axis=1)


class Graph:
    """A set of triples.

    Args:
        terms: The numbers of its names.
        columns: int32, shape (n, 3), in any order, duplicates allowed.
    """

    def __init__(self, terms: Terms, columns: Columns) -> None:
        self.terms = terms
        keys = terms.pack(columns)
        if not (keys[1:] > keys[:-1]).all():
            keys, first = np.unique(keys, return_index=True)
            columns = columns[first]
        self.columns, self._keys = columns, keys
        self._sizes = terms.sizes

    def __getstate__(self) -> dict[str, Any]:
        _ = self._by_relation  # arrays, which processes may share
        return self.__dict__

    @classmethod
    def of(cls, triples: Iterable[Triple], terms: Terms | None = None) -> "Graph":
        """Makes a graph of triples of names."""
        terms = Terms() if terms is None else terms
        return cls(terms, terms.columns([name for triple in triples for name in triple]))

    @property
    def keys(self) -> Keys:
        """The triples as `Terms.pack` packs them, ascending."""
        if self._sizes != self.terms.sizes:  # names were added since
            self._keys, self._sizes = self.terms.pack(self.columns), self.terms.sizes
        return self._keys

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, triple: Triple) -> bool:
        return bool(member(self.keys, self.keys_of([triple])).any())

    def keys_of(self, triples: Iterable[Triple]) -> Keys:
        """The keys of the given triples, ascending; triples with unknown names are left out."""
        terms = self.terms
        found = [
            (terms.entities[s], terms.relations[r], terms.entities[o])
            for s, r, o in triples
            if s in terms.entities and o in terms.entities and r in terms.relations
        ]
        return np.sort(terms.pack(np.array(found, np.int32).reshape(-1, 3)))

    def triples(self, keys: Keys | None = None) -> Iterator[Triple]:
        """The triples of the given keys, or all, as names."""
        entities, relations = self.terms.entities.names, self.terms.relations.names
        for start in range(0, len(self if keys is None else keys), _AT_ONCE):
            if keys is None:
                some = self.columns[start : start + _AT_ONCE]
            else:
                some = self.terms.unpack(keys[start : start + _AT_ONCE])
            for s, r, o in zip(*some.T.tolist(), strict=True):
                yield entities[s], relations[r], entities[o]

    def among(self, entities: Iterable[str]) -> set[Triple]:
        """All triples that join two of some entities."""
        ends = [self.terms.entities[e] for e in entities if e in self.terms.entities]
        found = [self.keys[:0]]
        for number in ends:
            some = self._span(number)
            found.append(self.keys[some][np.isin(self.columns[some, 2], ends)])
        return set(self.triples(np.concatenate(found)))

    def joined(self, other: "Graph") -> "Graph":
        """The union with a graph of the same terms."""
        return Graph(self.terms, np.concatenate((self.columns, other.columns)))

    def read(self) -> ReadGraph:
        """The graph with its own names alone, all of which were given from the start."""
        columns = self.columns
        names = self.terms.entities.names, self.terms.relations.names
        own: list[tuple[str, ...]] = []
        for labels, ends in zip(names, ((0, 2), (1,)), strict=True):
            used = np.zeros(len(labels), bool)
            for column in ends:
                used[columns[:, column]] = True
            if not used.all():
                columns = columns.copy() if columns is self.columns else columns
                place = np.cumsum(used, dtype=np.int32) - 1
                for column in ends:
                    columns[:, column] = place[columns[:, column]]
            own.append(tuple(compress(labels, used.tolist())))
        entities, relations = own
        return ReadGraph(entities, relations, columns)

    def relation_sizes(self) -> dict[str, int]:
        """Relation → number of triples."""
        sizes = np.bincount(self.columns[:, 1], minlength=len(self.terms.relations)).tolist()
        return dict(zip(self.terms.relations, sizes, strict=True))

    def _span(self, subject: int, relation: int | None = None) -> slice:
        """The rows of a subject, with one relation or all."""
        n, m = self.terms.sizes
        first, count = (subject * m, m) if relation is None else (subject * m + relation, 1)
        keys = self.keys
        ends: Any = [first * n, (first + count) * n]
        if keys.dtype.kind == "S":
            rows = [(*divmod(pair, m), 0) for pair in (first, first + count)]
            ends = self.terms.pack(np.array(rows, np.int32))
        low, high = keys.searchsorted(ends)
        return slice(low, high)

    def objects(self, subject: str, relation: str) -> frozenset[str]:
        """All o with relation(subject, o)."""
        s = self.terms.entities.get(subject, -1)
        r = self.terms.relations.get(relation, -1)
        if s < 0 or r < 0:
            return frozenset()
        return self._named(self.columns[self._span(s, r), 2])

    def subjects(self, relation: str, target: str) -> frozenset[str]:
        """All s with relation(s, target)."""
        r = self.terms.relations.get(relation, -1)
        o = self.terms.entities.get(target, -1)
        if r < 0 or o < 0:
            return frozenset()
        objects, subjects = self.ends(r, 2)
        low, high = objects.searchsorted(np.array([o, o + 1], np.int32))
        return self._named(subjects[low:high])

    def all_at(self, relation: str, column: int) -> frozenset[str]:
        """All entities at one end of a relation, subject (0) or object (2)."""
        r = self.terms.relations.get(relation, -1)
        return self._named(distinct(self.ends(r, column)[0])) if r >= 0 else frozenset()

    def between(self, subject: str, target: str) -> frozenset[str]:
        """All relations from one entity to another."""
        s = self.terms.entities.get(subject, -1)
        o = self.terms.entities.get(target, -1)
        if s < 0 or o < 0:
            return frozenset()
        found = self.columns[self._span(s)]
        numbers = found[found[:, 2] == o, 1].tolist()
        return frozenset(self._relation_names[number] for number in numbers)

    def ends(self, relation: int, column: int) -> tuple[Columns, Columns]:
        """One end of the triples of a relation, subject (0) or object (2), ascending, and the other end."""
        if (relation, column) not in self._ends:
            order, first = self._by_relation
            rows = order[slice(*first[relation : relation + 2])]
            one, other = self.columns[rows, column], self.columns[rows, 2 - column]
            if column:  # triples are sorted by subject
                turned = np.argsort(one, kind="stable")
                one, other = one[turned], other[turned]
            self._ends[relation, column] = one, other
        return self._ends[relation, column]

    @cached_property
    def _ends(self) -> dict[tuple[int, int], tuple[Columns, Columns]]:
        return {}

    @cached_property
    def _by_relation(self) -> tuple[Columns, list[int]]:
        """The rows relation by relation, and where those of each begin, also of relations without any."""
        relations = self.columns[:, 1]
        small = len(self.terms.relations) <= 2**15  # then numpy sorts by counting
        order = np.argsort(relations.astype(np.int16) if small else relations, kind="stable")
        sizes = np.bincount(relations, minlength=len(self.terms.relations))
        return order.astype(np.int32), [0, *sizes.cumsum().tolist()]

    @cached_property
    def _entity_names(self) -> list[str]:
        return self.terms.entities.names

    @cached_property
    def _relation_names(self) -> list[str]:
        return self.terms.relations.names

    def _named(self, numbers: Columns) -> frozenset[str]:
        return frozenset(map(self._entity_names.__getitem__, numbers.tolist()))


def distinct(values: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """The distinct ones of numbers, ascending; ``numpy.unique`` would hash them, which is far slower."""
    ordered = np.sort(values)
    new = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


def member(keys: Keys, wanted: Keys) -> npt.NDArray[np.bool_]:
    """Which of the wanted keys are among the others, which are ascending."""
    at = np.searchsorted(keys, wanted)
    found = at < len(keys)
    found[found] = keys[at[found]] == wanted[found]
    return found
