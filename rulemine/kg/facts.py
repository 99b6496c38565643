"""Facts and their statements: relations that are declared symmetric, inverse or the same as another.

A fact may be stated by several triples: `a spouse b` and `b spouse a`, `a parent b` and `b child a`.
Statements of one fact are removed together, and a question about a relation is answered from all of them.

Relations may look like others that nobody declared: another relation states most of their triples as well, so
that the answer can be read off where one of the two is removed. Of these, what merely looks so
(`undeclared_relations`) is reported and never applied; what the triples bear out with little doubt
(`found_declarations`) may be declared.

The *prior* of an answer in a direction is the fraction of the relation's topic entities (those with an answer
in this direction) that have this answer. An answer with a high prior can be guessed.

Guarantees: without declarations each triple is a fact of its own; declarations are closed (the inverse
of an inverse is the same relation, a relation inverse to itself is symmetric), whatever their order.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph, pack, row_type
from rulemine.kg.index import Rows

__all__ = [
    "CORE_PRIOR", "LEAST_SHARE", "Declarations", "FoundDeclaration", "Lookalike", "Reading",
    "RelationOverlap", "declared_by", "facts_of", "found_declarations", "least_share", "other_direction",
    "overlapping_relations", "priors", "undeclared_relations",
]  # fmt: skip

Ints = npt.NDArray[np.int64]

ROWS_AT_ONCE = 1 << 20
"""About how many triples a block of facts has."""

CORE_PRIOR = 0.05
"""Highest prior of an answer in the core. With a confidence of 0.3 or more, lift is then at least 6."""

LEAST_SHARE = 0.8
"""Least fraction of a relation's triples that the other one states; less says little of the other."""

LEAST_TRIPLES = 10
"""Fewest triples of a relation that is reported to look symmetric, inverse or the same."""

FOUND_SHARE = 0.9
"""Least fraction of a relation's triples that a found declaration states: the lower end of its interval."""

FOUND_TRIPLES = 30
"""Fewest triples, self-loops aside, of a relation about which a declaration is found."""

Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: for intervals that hold with 95 %."""


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
        """The relation and direction that stand for all questions which the same statements answer."""
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
    stated = np.stack((subject, relation, obj), axis=1).astype(np.int32)
    keys = pack(stated, len(kg.relations), len(kg.entities))
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first[which].astype(row_type(len(kg)))


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


def priors(kg: KnowledgeGraph, declarations: Declarations | None = None) -> npt.NDArray[np.float64]:
    """The priors of the two ends of every triple, counted over all statements of the facts.

    Args:
        kg: The complete KG.
        declarations: Which relations state the same facts.

    Returns:
        float64, shape (triples, 2), 0 < prior ≤ 1: of the subject as answer to the question for
        subjects, of the object as answer to the question for objects.
    """
    declared = declarations or Declarations()
    facts, found = facts_of(kg, declared), np.empty((len(kg), 2))
    for rows in blocks_of_facts(kg, declared):
        found[rows] = _priors(kg, declared, rows, facts[rows] == rows)
    return found


def _priors(
    kg: KnowledgeGraph, declared: Declarations, rows: Ints, counted: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """The priors of the ends of some triples, those of whole relations.

    Each fact is counted once, in one of its statements, and a symmetric one also the other way round.
    """
    relation, subject, obj = oriented(kg, declared, rows)
    readings = [declared[r] for r in kg.relations]
    stated_by = kg.triples[rows, 1]
    turned = np.array([reading.reversed for reading in readings], bool)[stated_by]
    both = np.array([reading.symmetric for reading in readings], bool)[stated_by]
    again = np.flatnonzero(counted & both & (subject != obj))
    r = np.concatenate((relation, relation[again])) * max(1, len(kg.entities))
    counted = np.concatenate((counted, np.ones(len(again), bool)))
    subjects, objects = (
        r + np.concatenate((subject, obj[again])),
        r + np.concatenate((obj, subject[again])),
    )

    def share(ends: Ints, topics: Ints) -> npt.NDArray[np.float64]:
        # Of the relation's topic entities, those with the answer.
        which = np.unique(ends, return_inverse=True)[1]
        sizes = np.bincount(distinct(topics) // max(1, len(kg.entities)))
        having = np.bincount(which[counted])
        part: npt.NDArray[np.float64] = having[which[: len(rows)]] / sizes[relation]
        return part

    as_subject, as_object = share(subjects, objects), share(objects, subjects)
    of_subject = np.where(turned, as_object, as_subject)
    return np.column_stack((of_subject, np.where(turned, as_subject, as_object)))


class RelationOverlap(NamedTuple):
    """A relation, and another one that states at least `LEAST_SHARE` of its triples.

    Attributes:
        relation: The relation.
        other: The other one.
        reversed: Whether the other one states them from object to subject (near-inverse).
        restated: How many of the relation's triples the other one states.
        size: How many triples the relation has.
    """

    relation: str
    other: str
    reversed: bool
    restated: int
    size: int

    @property
    def share(self) -> float:
        """The fraction of the relation's triples that the other one states."""
        return self.restated / self.size


def overlapping_relations(kg: KnowledgeGraph, loops: bool = True) -> tuple[RelationOverlap, ...]:
    """All overlapping relations of a graph, sorted.

    Args:
        kg: The graph.
        loops: Whether self-loops count.
    """
    found: list[RelationOverlap] = []
    kept = kg.triples[loops | (kg.triples[:, 0] != kg.triples[:, 2]), 1]
    sizes = np.bincount(kept, minlength=len(kg.relations))
    for turned, codes in zip((False, True), _restated(kg, loops), strict=True):
        both, shared = np.unique(codes, return_counts=True)
        one, other = np.divmod(both, max(1, len(kg.relations)))
        keep = (shared / sizes[one] >= LEAST_SHARE) & (turned | (one != other))
        columns = (some[keep].tolist() for some in (one, other, shared, sizes[one]))
        found += [
            RelationOverlap(kg.relations[a], kg.relations[b], turned, restated, size)
            for a, b, restated, size in zip(*columns, strict=True)
        ]
    return tuple(sorted(found))


def _restated(kg: KnowledgeGraph, loops: bool) -> tuple[Ints, Ints]:
    """The relations of each two triples of which one restates the other, in both orders.

    Returns:
        First · number of relations + second: where the direction is the same, and where it is the other one.
        A self-loop has both directions, and restates itself in the other one.
    """
    beside = kg.triples[kg.beside_others]
    beside = beside if loops else beside[beside[:, 0] != beside[:, 2]]
    s, r, o = beside.T.astype(np.int64)
    pairs = np.minimum(s, o) * max(1, len(kg.entities)) + np.maximum(s, o)
    order = np.argsort(pairs)
    pairs, r, way = pairs[order], r[order], np.sign(o - s)[order]
    relations, itself = len(kg.relations), r[way == 0]
    same, turned = [r[:0]], [itself * relations + itself]
    # One triple after another of each pair: few steps, as few relations share a pair.
    at = np.arange(len(pairs))
    for step in range(1, len(pairs)):
        at = at[: np.searchsorted(at, len(pairs) - step)]
        at = at[pairs[at] == pairs[at + step]]
        if not len(at):
            break
        one, other = r[at], r[at + step]
        codes = np.stack((one * relations + other, other * relations + one))
        same.append(codes[:, way[at] == way[at + step]].ravel())
        turned.append(codes[:, way[at] == -way[at + step]].ravel())
    return np.concatenate(same), np.concatenate(turned)


class Lookalike(NamedTuple):
    """Two relations that look like statements of the same facts, or one that looks symmetric.

    Attributes:
        relation: The first by name.
        other: The other one; the same where it looks symmetric.
        looks: ``symmetric``, ``inverse`` or ``same``, as template files call it.
        share: The fraction of the triples of each that the other one states, the lower of the two,
            rounded to three decimals.
    """

    relation: str
    other: str
    looks: str
    share: float


def undeclared_relations(kg: KnowledgeGraph, declared: Declarations) -> tuple[Lookalike, ...]:
    """The relations that look symmetric, inverse or the same but are not declared to be, sorted.

    Each states at least `LEAST_SHARE` of the triples of the other one. Self-loops do not count, nor do
    relations with fewer than `LEAST_TRIPLES` triples.
    """
    rows = {row[:3]: row for row in overlapping_relations(kg, loops=False)}
    found = [
        Lookalike(a, b, looks, round(min(own.share, back.share), 3))
        for a, b, looks, own, back in _undeclared(rows, declared)
        if back and min(own.size, back.size) >= LEAST_TRIPLES
    ]
    return tuple(sorted(found))


def _undeclared(
    rows: Mapping[tuple[str, str, bool], RelationOverlap], declared: Declarations
) -> Iterator[tuple[str, str, str, RelationOverlap, RelationOverlap | None]]:
    """Two relations that overlap and are not declared to, what they look like, and the rows of both.

    Where each overlaps with the other, they come once; where only the first does, the second row is None.
    """
    for (a, b, turned), own in rows.items():
        back, one, other = rows.get((b, a, turned)), declared[a], declared[b]
        same = one.symmetric or (one.reversed != other.reversed) == turned
        if (back and a > b) or (one.fact == other.fact and same):
            continue
        if turned and a != b and (a, b, False) in rows and (not back or (b, a, False) in rows):
            continue  # one of them is symmetric, and they are the same
        looks = "symmetric" if a == b else "inverse" if turned else "same"
        yield a, b, looks if back else "narrower" + "_inverse" * turned, own, back


class FoundDeclaration(NamedTuple):
    """A declaration that the triples of a graph bear out.

    Attributes:
        relation: The first by name; of ``narrower``, the one whose triples the other one states.
        other: The other one; the same where it is symmetric.
        looks: ``symmetric``, ``inverse`` or ``same``, which are declared; ``narrower`` or
            ``narrower_inverse``, where only the other one states the triples of the first (from object to
            subject), which is no declaration.
        counts: How many of how many triples the other relation states, self-loops aside: of `relation`; for
            ``inverse`` and ``same`` also of `other`.
    """

    relation: str
    other: str
    looks: str
    counts: tuple[tuple[int, int], ...]

    @property
    def declares(self) -> bool:
        """Whether it is a declaration."""
        return not self.looks.startswith("narrower")


def found_declarations(
    kg: KnowledgeGraph, declared: Declarations | None = None
) -> tuple[FoundDeclaration, ...]:
    """The declarations that the triples of a graph bear out in each direction that they state, sorted.

    A direction is borne out if at least `FOUND_TRIPLES` triples join different entities, and if the 95 %
    Wilson interval of the fraction of them that the other relation states begins at `FOUND_SHARE` or above
    (E. B. Wilson, Probable Inference, JASA 22, 1927).

    Args:
        kg: The complete graph.
        declared: What is declared already, and not found again.
    """
    sure = {
        row[:3]: row
        for row in overlapping_relations(kg, loops=False)
        if row.size >= FOUND_TRIPLES and least_share(*row[3:]) >= FOUND_SHARE
    }
    found = []
    for a, b, looks, own, back in _undeclared(sure, declared or Declarations()):
        counts = (own[3:], back[3:]) if back and a != b else (own[3:],)
        found.append(FoundDeclaration(a, b, looks, counts))
    return tuple(sorted(found))


def declared_by(found: Iterable[FoundDeclaration]) -> Declarations:
    """What is declared by what is found."""
    rows = sorted(found)
    inverse, same = (
        [(row.relation, row.other) for row in rows if row.looks == looks]
        for looks in ("inverse", "same")
    )
    return Declarations.of([r.relation for r in rows if r.looks == "symmetric"], inverse, same)


def least_share(hits: int, tries: int) -> float:
    """The lower end of the 95 % Wilson interval of a fraction."""
    p, z = hits / tries, Z95 * Z95 / tries
    return (p + z / 2 - math.sqrt(z * (p * (1 - p) + z / 4))) / (1 + z)
