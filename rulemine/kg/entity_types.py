"""Types of entities: stated by the graph, read off the names of its relations, or induced from its triples.

- *stated*: the objects of a relation such as ``rdf:type``, where most entities have one;
- *names*: Freebase writes ``/domain/type/property``, and the subjects of such a relation are of that type;
- *induced*: the subjects of a relation are a type, and so are its objects; two of these with mostly the
  same members are one type, named after the larger.

A graph has one source of types; entities that it leaves without a type get induced ones.

Guarantees: the types depend on the triples alone; every entity that is in a triple has a type; their names
hold no tab and are the same in every naming of a release.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rulemine.arrays import among, distinct
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.vocabulary import spans

__all__ = ["EntityTypes", "states_type", "types_of"]

Ints = npt.NDArray[np.int64]

MOST = 0.5
"""The fraction that is most: of entities that get types from one source, of members that two types share."""

_STATES_TYPE = re.compile(
    r"(?:.*[/#:])?(?:rdf:type|type|has[ _-]?type|instance[ _-]?of|p31)>?", re.IGNORECASE
)
"""Names of relations that state the type of their subject; *is a* is left out: it orders classes."""

_FREEBASE = re.compile(r"/[^/.]+/[^/.]+(?=/[^/.]+(?:\./|$))")
"""``/domain/type`` of ``/domain/type/property``, with or without a second property after a dot."""

_EVERYTHING = "/common/"
"""The Freebase domain whose types every entity may have."""


@dataclass(frozen=True, eq=False)
class EntityTypes:
    """The types of all entities of a graph; made by `types_of`.

    Attributes:
        source: ``stated``, ``names`` or ``induced``; with ``, induced`` after it where some entities have
            only induced ones.
        names: The names of the types, sorted.
        starts: int64, shape (entities + 1,): the types of entity i lie from ``starts[i]`` to
            ``starts[i + 1]``.
        types: int64: the types of all entities, positions in `names`, ascending for each.
    """

    source: str
    names: tuple[str, ...]
    starts: Ints
    types: Ints
    _sets: dict[int, frozenset[int]] = field(default_factory=dict, repr=False)

    def of(self, entity: int) -> frozenset[int]:
        """The types of an entity, by their positions in `names`."""
        found = self._sets.get(entity)
        if found is None:
            own = self.types[self.starts[entity] : self.starts[entity + 1]]
            found = self._sets[entity] = frozenset(own.tolist())
        return found

    def shared(self, entities: Iterable[int]) -> frozenset[int]:
        """The types that all of some entities have, by their positions; none where there is no entity."""
        found: frozenset[int] | None = None
        for entity in entities:
            found = self.of(entity) if found is None else found & self.of(entity)
            if not found:
                break
        return found or frozenset()

    def having(self, types: Iterable[int]) -> Ints:
        """The entities that have all of some types, one at least; ids, ascending."""
        entities, starts = self._members
        sets = [entities[starts[kind] : starts[kind + 1]] for kind in types]
        found, *others = sorted(sets, key=len)
        for other in others:
            found = found[among(found, other)]
        return found

    @cached_property
    def _members(self) -> tuple[Ints, Ints]:
        """The entities of all types, ascending for each, and where those of each begin."""
        order = np.argsort(self.types, kind="stable")
        entity = np.arange(len(self.starts) - 1).repeat(np.diff(self.starts))
        starts = self.types[order].searchsorted(np.arange(len(self.names) + 1))
        return entity[order], starts

    def labels(self, types: Iterable[int]) -> tuple[str, ...]:
        """The names of types, sorted."""
        return tuple(self.names[i] for i in sorted(types))


def types_of(kg: KnowledgeGraph) -> EntityTypes:
    """The types of the entities of a graph.

    Example:
        >>> kg = KnowledgeGraph.from_triples([("ann", "lives_in", "rome"), ("bo", "lives_in", "rome")])
        >>> types = types_of(kg)
        >>> types.source, types.labels(types.of(0))
        ('induced', ('subject of lives_in',))
    """
    every = np.ones(len(kg.entities), bool)
    for source, (entities, names) in (("stated", _stated(kg)), ("names", _from_names(kg))):
        left = every.copy()
        left[entities] = False
        if len(entities) and left.sum() < MOST * len(left):
            others, more = _induced(kg, left)
            source += ", induced" * bool(left.any())
            return _made(kg, source, np.concatenate((entities, others)), names + more)
    return _made(kg, "induced", *_induced(kg, every))


def states_type(relation: str) -> bool:
    """Whether a relation states the type of its subject, by its name."""
    return _STATES_TYPE.fullmatch(relation) is not None


_Pairs = tuple[Ints, list[str]]
"""Entities, and the type of each."""


def _stated(kg: KnowledgeGraph) -> _Pairs:
    which = [i for i, name in enumerate(kg.relations) if states_type(name)]
    rows = kg.triples[np.isin(kg.triples[:, 1], which)]
    return rows[:, 0].astype(np.int64), [kg.entities[i] for i in rows[:, 2].tolist()]


def _from_names(kg: KnowledgeGraph) -> _Pairs:
    found = [
        None if name.startswith(_EVERYTHING) else _FREEBASE.match(name) for name in kg.relations
    ]
    s, r, _ = (column.astype(np.int64) for column in kg.triples.T)
    pairs = distinct(s * max(1, len(kg.relations)) + r)
    subject, relation = np.divmod(pairs, max(1, len(kg.relations)))
    known = np.array([match is not None for match in found], bool)[relation]
    names = [match[0] if match else "" for match in found]
    return subject[known], [names[i] for i in relation[known].tolist()]


def _induced(kg: KnowledgeGraph, wanted: npt.NDArray[np.bool_]) -> _Pairs:
    """The induced types of some entities; slots are numbered 2 · relation + end."""
    s, r, o = (column.astype(np.int64) for column in kg.triples.T)
    slots = max(1, 2 * len(kg.relations))
    pairs = distinct(np.concatenate((s * slots + 2 * r, o * slots + 2 * r + 1)))
    entity, slot = np.divmod(pairs, slots)
    starts = np.searchsorted(entity, np.arange(len(kg.entities) + 1))
    by_slot = np.argsort(slot, kind="stable")
    members = entity[by_slot]
    sizes = np.bincount(slot, minlength=slots)
    ends = np.cumsum(sizes)
    leader = list(range(slots))
    for one in range(slots):
        own = members[ends[one] - sizes[one] : ends[one]]
        at = spans(starts[own], starts[own + 1] - starts[own])
        both = np.bincount(slot[at], minlength=slots)
        alike = both > MOST * (sizes[one] + sizes - both)
        for other in np.flatnonzero(alike[:one]).tolist():
            a, b = _root(leader, one), _root(leader, other)
            # The largest leads, so that a type is named after what most of its members have in common.
            low, high = sorted((a, b), key=lambda i: (-int(sizes[i]), i))
            leader[high] = low
    names = [
        f"{DIRECTIONS[root % 2]} of {kg.relations[root // 2]}" if sizes[i] else ""
        for i in range(slots)
        for root in (_root(leader, i),)
        if kg.relations
    ]
    chosen = wanted[entity]
    return entity[chosen], [names[i] for i in slot[chosen].tolist()]


def _root(leader: list[int], i: int) -> int:
    while leader[i] != i:
        leader[i] = leader[leader[i]]
        i = leader[i]
    return i


def _made(kg: KnowledgeGraph, source: str, entities: Ints, types: list[str]) -> EntityTypes:
    names = tuple(sorted(set(types)))
    number = {name: i for i, name in enumerate(names)}
    width = max(1, len(names))
    ids = np.fromiter(map(number.__getitem__, types), np.int64, len(types))
    entity, kind = np.divmod(distinct(entities * width + ids), width)
    starts = np.searchsorted(entity, np.arange(len(kg.entities) + 1))
    return EntityTypes(source, names, starts, kind)
