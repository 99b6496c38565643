"""Facts and their statements: relations that are declared symmetric, inverse or the same as another.

A fact may be stated by several triples: `a spouse b` and `b spouse a`, `a parent b` and `b child a`.
Statements of one fact are removed together, and a question about a relation is answered from all of them.

Guarantees: without declarations each triple is a fact of its own; declarations are closed (the inverse
of an inverse is the same relation, a relation inverse to itself is symmetric), whatever their order.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph, row_type
from rulemine.kg.index import Rows

__all__ = ["Declarations", "Reading", "facts_of", "other_direction"]

Ints = npt.NDArray[np.int64]

ROWS_AT_ONCE = 1 << 20
"""About how many triples a block of facts has."""


class Reading(NamedTuple):
    """How a relation states its facts.

    Attributes:
        fact: The relation that stands for all that state the same facts: the first of them by name.
        reversed: Whether it states them from object to subject. False where `symmetric`.
        symmetric: Whether the facts hold in both directions.
    """

    fact: str
    reversed: bool
    symmetric: bool


def other_direction(direction: str) -> str:
    """``subject`` for ``object`` and the reverse."""
    return DIRECTIONS[1 - DIRECTIONS.index(direction)]


@dataclass(frozen=True)
class Declarations:
    """Which relations state the same facts; see `Declarations.of`.

    Attributes:
        readings: Relation → its reading, for the relations about which something is declared.
    """

    readings: Mapping[str, Reading] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        symmetric: Iterable[str] = (),
        inverse: Iterable[tuple[str, str]] = (),
        same: Iterable[tuple[str, str]] = (),
    ) -> "Declarations":
        """The closure of declarations.

        Args:
            symmetric: Relations that hold in both directions.
            inverse: Pairs of relations, one the inverse of the other.
            same: Pairs of relations that state the same.
        """
        links: dict[str, list[tuple[str, bool]]] = {}
        pairs = [(r, r, True) for r in symmetric]
        pairs += [(a, b, True) for a, b in inverse] + [(a, b, False) for a, b in same]
        for a, b, turned in pairs:
            links.setdefault(a, []).append((b, turned))
            links.setdefault(b, []).append((a, turned))
        readings: dict[str, Reading] = {}
        for first in sorted(links):
            turned_of, waiting, both_ways = {first: False}, [first], False
            while waiting and first not in readings:
                at = waiting.pop()
                for other, turned in links[at]:
                    found = turned_of[at] ^ turned
                    if other not in turned_of:
                        waiting.append(other)
                    both_ways |= turned_of.setdefault(other, found) != found
            for relation, turned in turned_of.items():
                reading = Reading(first, turned and not both_ways, both_ways)
                readings.setdefault(relation, reading)
        return cls(dict(sorted(readings.items())))

    def within(self, relations: Iterable[str]) -> "Declarations":
        """What is declared about some of the relations, by way of the others too."""
        return Declarations.of(*self._links(set(relations)))

    def joined(self, other: "Declarations") -> "Declarations":
        """The closure of what these and others declare."""
        both = zip(self._links({*self.readings}), other._links({*other.readings}), strict=True)
        symmetric, inverse, same = (one + more for one, more in both)
        return Declarations.of(symmetric, inverse, same)

    def _links(self, relations: Set[str]) -> tuple[list[Any], list[Any], list[Any]]:
        """What `Declarations.of` makes this of, for some of the relations."""
        leaders: dict[str, str] = {}
        symmetric, inverse, same = list[str](), list[tuple[str, str]](), list[tuple[str, str]]()
        for relation in sorted(self.readings.keys() & relations):
            fact, turned, both_ways = self.readings[relation]
            leader = leaders.setdefault(fact, relation)
            if leader != relation:
                links = same if turned == self.readings[leader].reversed else inverse
                links.append((leader, relation))
            if both_ways:
                symmetric.append(relation)
        return symmetric, inverse, same

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(frozenset(self.readings.items()))

    def __getitem__(self, relation: str) -> Reading:
        return self.readings.get(relation) or Reading(relation, False, False)

    def statements(self, relation: str, direction: str) -> tuple[tuple[str, str], ...]:
        """Everything that answers a question: relations with the end of theirs that answers it, sorted.

        Args:
            relation: The relation asked about.
            direction: The end asked for, see `rulemine.kg.graph.DIRECTIONS`.
        """
        if relation not in self.readings:
            return ((relation, direction),)
        own = self[relation]
        found = {(relation, direction)}
        for other, reading in self.readings.items():
            if reading.fact == own.fact:
                same = reading.reversed == own.reversed
                found.add((other, direction if same else other_direction(direction)))
                if own.symmetric:
                    found |= {(other, end) for end in DIRECTIONS}
        return tuple(sorted(found))

    def asked(self, relation: str, direction: str) -> tuple[str, str]:
        """What stands for all questions with the same statements: a relation and a direction."""
        fact, turned, symmetric = self[relation]
        if symmetric:
            return fact, DIRECTIONS[1]
        return fact, other_direction(direction) if turned else direction


def facts_of(kg: KnowledgeGraph, declarations: Declarations) -> Rows:
    """The fact that each triple states.

    Returns:
        int32, int64 from 2³¹ triples on, shape (triples,): the first row of ``kg.triples`` that states the
        same fact.
    """
    if not declarations.readings:
        return np.arange(len(kg), dtype=row_type(len(kg)))
    relation, subject, obj = oriented(kg, declarations)
    symmetric = np.array([declarations[r].symmetric for r in kg.relations], bool)[kg.triples[:, 1]]
    low, high = np.minimum(subject, obj), np.maximum(subject, obj)
    subject, obj = np.where(symmetric, low, subject), np.where(symmetric, high, obj)
    pair = subject * max(1, len(kg.entities)) + obj
    order = np.lexsort((pair, relation))  # stable: the first of equals is their first row
    new = np.ones(len(kg), bool)
    new[1:] = (np.diff(pair[order]) != 0) | (np.diff(relation[order]) != 0)
    facts = np.empty(len(kg), row_type(len(kg)))
    facts[order] = order[np.flatnonzero(new)[np.cumsum(new) - 1]]
    return facts


def oriented(
    kg: KnowledgeGraph, declarations: Declarations, rows: Ints | None = None
) -> tuple[Ints, Ints, Ints]:
    """The triples as statements of the relations that stand for their facts.

    Args:
        kg: The graph.
        declarations: Which relations state the same facts.
        rows: Some of its triples; None: all.

    Returns:
        Relation (a number, equal for relations that state the same facts), subject, object ids; each
        int64, shape (triples,). Symmetric facts keep the order in which they are stated.
    """
    turned = np.array([declarations[r].reversed for r in kg.relations], bool)
    triples = kg.triples if rows is None else kg.triples[rows]
    s, r, o = triples.T.astype(np.int64)
    number = _fact_relations(kg, declarations)[r]
    return number, np.where(turned[r], o, s), np.where(turned[r], s, o)


def _fact_relations(kg: KnowledgeGraph, declarations: Declarations) -> Ints:
    """Of each relation a number, equal for relations that state the same facts."""
    facts = [declarations[r].fact for r in kg.relations]
    numbers = {fact: i for i, fact in enumerate(sorted(set(facts)))}
    return np.array([numbers[fact] for fact in facts], np.int64)


def blocks_of_facts(kg: KnowledgeGraph, declarations: Declarations) -> Iterator[Ints]:
    """The rows of ``kg.triples``, in blocks; those that state facts of one relation are in one block.

    Blocks come in the order of the numbers that `oriented` gives to relations, so that what is counted by
    relation needs memory for the triples of a few relations alone.
    """
    number = _fact_relations(kg, declarations)
    sizes = np.bincount(number, kg.relation_sizes(), len(number)).astype(np.int64)
    small = len(number) <= 2**15  # then numpy sorts by counting
    order = np.argsort(
        number.astype(np.int16 if small else np.int64)[kg.triples[:, 1]], kind="stable"
    ).astype(row_type(len(kg)))
    ends = np.append(0, sizes.cumsum())
    low = 0
    while low < len(order):
        # As many relations as fit, at least one.
        high = max(
            int(ends[np.searchsorted(ends, low, "right")]),
            int(ends[np.searchsorted(ends, low + ROWS_AT_ONCE, "right") - 1]),
        )
        yield order[low:high].astype(np.int64)
        low = high
