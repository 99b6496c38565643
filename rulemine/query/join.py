"""Joining atoms over a knowledge graph: the one engine behind groundings, proofs and forward chaining.

A table of bindings (rows = partial substitutions, columns = variables) is extended atom by atom
through sorted indexes; every step is a handful of array operations, whatever the number of rows.
Memory is bounded by cutting tables before they are extended, which changes no result.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index, Ints, Rows
from rulemine.query.atom import Atom

__all__ = ["BoundAtom", "Joined", "bind", "join"]


ROWS_AT_ONCE = 1 << 18
"""About how many rows of a binding table are made in one go."""


class BoundAtom(NamedTuple):
    """An atom over a particular graph.

    Attributes:
        subject: Column of the binding table, ≥ 0; or −1 − entity id for a constant.
        relation: Relation id.
        object: As `subject`.
    """

    subject: int
    relation: int
    object: int


class Joined(NamedTuple):
    """A chunk of results of `join`; never empty.

    Attributes:
        origin: Row of the given bindings that each result extends, shape (m,).
        bindings: The full substitutions, shape (m, columns).
        triples: Rows of ``kg.triples`` that the atoms became, shape (m, atoms).
    """

    origin: Ints
    bindings: Ints
    triples: Ints


def bind(kg: KnowledgeGraph, atoms: Sequence[Atom]) -> tuple[BoundAtom, ...] | None:
    """Atoms over a graph; None when the graph lacks one of their relations or entities."""

    def term(value: int | str) -> int:
        return value if isinstance(value, int) else -1 - kg.entity_ids[value]

    try:
        return tuple(
            BoundAtom(term(a.subject), kg.relation_ids[a.relation], term(a.object)) for a in atoms
        )
    except KeyError:
        return None


def join(
    index: Index, atoms: Sequence[BoundAtom], bindings: Ints, bound: frozenset[int]
) -> Iterator[Joined]:
    """All ways to extend bindings so that every atom is a triple of the graph.

    Args:
        index: The graph.
        atoms: Joined in the order given, which decides the order of the result.
        bindings: int64, shape (n, columns); the columns in `bound` are given, the others are ignored
            and filled in.
        bound: The columns that are bound.

    Yields:
        Chunks in canonical order: row of `bindings`, then the triples of each atom in turn by
        subject and object.
    """
    used = np.empty((len(bindings), 0), np.int64)
    yield from _extend(index, atoms, Joined(np.arange(len(bindings)), bindings, used), bound)


def _extend(
    index: Index, atoms: Sequence[BoundAtom], table: Joined, bound: frozenset[int]
) -> Iterator[Joined]:
    if not len(table.origin):
        return
    done = table.triples.shape[1]
    if done == len(atoms):
        yield table
        return
    atom = atoms[done]
    paths = _Paths(index, atom, table.bindings, bound)
    known = bound | {t for t in (atom.subject, atom.object) if t >= 0}
    ends = np.cumsum(paths.count)
    start = 0
    while start < len(ends):
        base = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, base + ROWS_AT_ONCE, "right")))
        source, rows = paths.expand(start, stop)
        bindings = table.bindings.take(source, axis=0)
        found = index.kg.triples.take(rows, axis=0)
        if atom.subject >= 0:
            bindings[:, atom.subject] = found[:, 0]
        if atom.object >= 0:
            bindings[:, atom.object] = found[:, 2]
        triples = np.empty((len(rows), done + 1), np.int64)
        triples[:, :done] = table.triples.take(source, axis=0)
        triples[:, done] = rows
        yield from _extend(index, atoms, Joined(table.origin[source], bindings, triples), known)
        start = stop


class _Paths:
    """Where the triples of one atom lie for every row of a table: `count[i]` from `first[i]` on."""

    def __init__(self, index: Index, atom: BoundAtom, table: Ints, bound: frozenset[int]) -> None:
        n = len(table)
        subject = _values(atom.subject, table, bound)
        object_ = _values(atom.object, table, bound)
        relation = atom.relation
        self.order: Rows | None
        if subject is not None and object_ is not None:
            ids = np.empty((n, 3), np.int32)
            ids[:, 0], ids[:, 1], ids[:, 2] = subject, relation, object_
            row = index.kg.rows_of(ids)
            self.order, self.first, self.count = None, row, (row >= 0).astype(np.int64)
        elif subject is not None:
            self.order = index.by_subject
            self.first, self.count = index.ranges(0, relation * index.entities + subject)
        elif object_ is not None:
            self.order = index.by_object
            self.first, self.count = index.ranges(2, relation * index.entities + object_)
        else:
            self.order = index.of_relation(relation)
            if atom.subject == atom.object:
                ends = index.kg.triples[self.order]
                self.order = self.order[ends[:, 0] == ends[:, 2]]
            self.first = np.zeros(n, np.int64)
            self.count = np.full(n, len(self.order), np.int64)

    def expand(self, start: int, stop: int) -> tuple[Ints, Ints]:
        """Row of the table and row of ``kg.triples`` of every match of the rows start … stop − 1."""
        count = self.count[start:stop]
        source = np.repeat(np.arange(start, stop), count)
        within = np.arange(len(source)) - np.repeat(np.cumsum(count) - count, count)
        position = self.first[source] + within
        rows = position if self.order is None else self.order[position].astype(np.int64, copy=False)
        return source, rows


def _values(term: int, table: Ints, bound: frozenset[int]) -> Ints | None:
    if term < 0:
        return np.full(len(table), -1 - term, np.int64)
    return table[:, term] if term in bound else None
