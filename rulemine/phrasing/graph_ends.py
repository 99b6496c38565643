"""What a graph shows of the ends of its relations: people or things, of which type, how many, and whose role.

- An end holds people as far as its entities are of a type such as *human*, or stand where only people do: as
  a spouse, as what has a place of birth.
- Its noun is the type that nine tenths of its entities have: stated (``rdf:type``, ``instance of``), or one
  that a noun such as *country of origin* names.
- The role of a noun is at the end of which there is one: many people have one place of birth.
- *aunt* and *uncle* are at the ends that they do not share; so are all nouns for women and men.

Guarantee: a function of the triples, the labels and the relations' names.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.entity_types import states_type
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import rows_by_relation
from rulemine.phrasing.derive import reading
from rulemine.phrasing.ends import NOTHING_KNOWN, End, Ends
from rulemine.phrasing.lexicon import (
    BY_PEOPLE,
    FAMILY,
    FEMALE,
    KIN,
    MALE,
    PEOPLE_DO,
    PROPERTY_NOUNS,
    TYPES,
    UNIQUE_ROLES,
)  # fmt: skip
from rulemine.phrasing.relation_names import object_has_role, phrase_of
from rulemine.phrasing.roles import RoleNoun

__all__ = ["GraphEnds", "graph_ends"]

Ints = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]

_NONE: Ints = np.empty(0, np.int64)

_ONE = 1.2
"""Up to so many on average count as one."""

_SEVERAL = 1.5
"""From so many on average on there are several."""

_MOST = 0.9
"""The share of an end's entities that a type has to hold."""

_FEWEST = 5
"""Ends of fewer entities say nothing."""

_HUMAN = frozenset({"human", "person", "people", "man", "woman", "human being", "natural person"})
_HAS_PERSON = frozenset(
    {
        "birth",
        "death",
        "occupation",
        "profession",
        "nationality",
        "citizenship",
        "burial",
        "birthplace",
        "birthday",
        "skill",
        "skills",
        "employer",
        "hobby",
    }
)
_IS_PERSON = (KIN - {"parent", "parents", "child", "children", "partner", "ancestor", "descendant"}) | {
    "actor", "actress", "author", "writer", "screenwriter", "composer", "singer", "politician", "athlete",
}  # fmt: skip
_NO_NOUN = frozenset({
    "place", "state", "class", "category", "field", "topic", "subject", "type", "person", "thing",
    "entity", "object", "concept", "resource", "item", "node", "location", "agent",
})  # fmt: skip
"""Words for what may be anything, or means another thing where it stands alone."""


@dataclass(frozen=True)
class GraphEnds:
    """What a graph shows of its relations.

    Attributes:
        ends: Relation → its ends.
        roles: Relation → the end that plays the role of its noun, where the graph shows it.
    """

    ends: Mapping[str, Ends]
    roles: Mapping[str, str]

    def of(self, relation: str) -> tuple[Ends, str]:
        """The ends of a relation, and which of them plays the role; "": that is not known."""
        return self.ends.get(relation, NOTHING_KNOWN), self.roles.get(relation, "")


def graph_ends(
    kg: KnowledgeGraph, names: Mapping[str, str], labels: Callable[[], Mapping[str, str]]
) -> GraphEnds:
    """What a graph shows of its relations.

    Args:
        kg: The graph.
        names: Relation → what it is called, where that is not its own name.
        labels: Gives entity → label, for the names of types.

    Example:
        >>> kg = KnowledgeGraph.from_triples([("ann", "born_in", "rome"), ("bo", "born_in", "rome")])
        >>> graph_ends(kg, {}, dict).of("born_in")[0].object.single
        True
    """
    return _Reader(kg, [names.get(relation, relation) for relation in kg.relations], labels).read()


class _Reader:
    def __init__(
        self, kg: KnowledgeGraph, names: list[str], labels: Callable[[], Mapping[str, str]]
    ) -> None:
        self._kg, self._names, self._labels = kg, names, labels
        s, o = (kg.triples[:, column].astype(np.int64) for column in (0, 2))
        rows = rows_by_relation(kg)
        self._pairs = [(s[at], o[at]) for at in rows]
        self._members = [(distinct(s[at]), distinct(o[at])) for at in rows]
        words = [phrase_of(name) for name in names]
        self._words = words
        readings = [reading(name) for name in names]
        self._nouns = [noun for noun, _ in readings]
        self._kinds = [kind for _, kind in readings]

    def read(self) -> GraphEnds:
        votes = self._votes()
        turned = {i: vote == "subject" for i, vote in votes.items()}
        people = self._people(turned)
        nouns, starts, kinds = self._types(turned)
        sizes = np.bincount(kinds, minlength=len(nouns))
        found = {}
        for i, relation in enumerate(self._kg.relations):
            both = []
            for end, members in enumerate(self._members[i]):
                share = float(people[members].mean()) if people.any() else None
                own = _spans(starts, members, kinds)
                fits = np.bincount(own, minlength=len(nouns)) >= _MOST * len(members)
                at = min(
                    np.flatnonzero(fits).tolist(), key=lambda k: (sizes[k], nouns[k]), default=-1
                )
                known = at >= 0 and len(members) >= _FEWEST and not (share and share > 1 - _MOST)
                noun = nouns[at] if known else ""
                mean = len(self._pairs[i][0]) / len(self._members[i][1 - end])
                both.append(End(share, noun, mean <= _ONE))
            found[relation] = Ends(*both)
        return GraphEnds(found, {self._kg.relations[i]: vote for i, vote in votes.items()})

    def _flags(self, *members: Ints) -> _Flags:
        flags = np.zeros(len(self._kg.entities), bool)
        for some in members:
            flags[some] = True
        return flags

    def _people(self, turned: Mapping[int, bool]) -> _Flags:
        """Which entities are people."""
        found = [_NONE]
        for i, noun in enumerate(self._nouns):
            words, both = self._words[i], self._members[i]
            has, is_ = reversed(both) if turned.get(i) else both
            if noun is not None:
                if {noun.head, *noun.before.split(), *noun.after.split()} & _HAS_PERSON:
                    found.append(has)
                if noun.head in _IS_PERSON and not noun.after:
                    found.append(is_)
                if noun.head in KIN & _IS_PERSON:
                    found.append(has)
            elif words == ["reports", "to"]:
                found += both
            elif words[-1:] == ["by"] and set(words) & BY_PEOPLE:
                found.append(both[1])
            elif set(words) & (PEOPLE_DO - {"works", "studied", "attended"}):
                found.append(both[0])
        found += [members for noun, members in self._stated() if noun in _HUMAN]
        return self._flags(*found)

    def _stated(self) -> Iterator[tuple[str, Ints]]:
        """The types that the graph states: what each is called, and the entities that are of it."""
        which = [i for i, name in enumerate(self._names) if states_type(name)]
        labels = self._labels() if which else {}
        for i in which:
            s, o = self._pairs[i]
            order = np.argsort(o, kind="stable")
            kinds, starts = np.unique(o[order], return_index=True)
            for kind, members in zip(kinds.tolist(), np.split(s[order], starts[1:]), strict=True):
                entity = self._kg.entities[kind]
                yield " ".join(phrase_of(labels.get(entity, entity))), members

    def _types(self, turned: Mapping[int, bool]) -> tuple[list[str], Ints, Ints]:
        """The nouns of types, where the types of each entity start, and these by number."""
        found: dict[str, list[Ints]] = {}
        for noun, members in self._stated():
            words = noun.split()
            plain = len(words) <= 3 and all(w.isalpha() and w.isascii() for w in words)
            if plain and words[-1] not in _NO_NOUN and noun not in _HUMAN:
                found.setdefault(noun, []).append(members)
        for i, role in enumerate(self._nouns):
            if role is not None and role.head in TYPES - _NO_NOUN and role.link == "of":
                found.setdefault(role.head, []).append(self._members[i][not turned.get(i, False)])
        for i, kind in enumerate(self._kinds):
            if kind and kind.split(" ")[-1] in TYPES - _NO_NOUN:
                found.setdefault(kind, []).append(self._members[i][1])
        nouns = sorted(found)
        pairs = [
            distinct(np.concatenate(found[noun])) * len(nouns) + k for k, noun in enumerate(nouns)
        ]
        entity, kinds = np.divmod(np.sort(np.concatenate(pairs or [_NONE])), max(1, len(nouns)))
        return nouns, np.searchsorted(entity, np.arange(len(self._kg.entities) + 1)), kinds

    def _votes(self) -> dict[int, str]:
        """Which end plays the role of a noun, by the numbers of both; then what the graph's others say."""
        own: dict[int, str] = {}
        for i, noun in enumerate(self._nouns):
            if noun is not None and object_has_role(self._kg.relations[i]):
                own[i] = "object"
            elif noun is not None and (vote := self._own_vote(i, noun)):
                own[i] = vote
        family = {i for i, noun in enumerate(self._nouns) if noun and _of_family(noun)}
        among = {own[i] for i in family & own.keys()} | ({self._by_gender()} - {""})
        every = set(own.values()) | among
        settled = among if among else every
        found = dict(own)
        for i, noun in enumerate(self._nouns):
            if i in own or noun is None:
                continue
            if i in family and len(settled) == 1:
                found[i] = next(iter(settled))
            elif i not in family and every == {"subject"}:
                found[i] = "subject"
        return found

    def _own_vote(self, i: int, noun: RoleNoun) -> str:
        s, o = self._pairs[i]
        subjects, objects = self._members[i]
        if min(len(subjects), len(objects)) < _FEWEST:
            return ""
        of_subject, of_object = len(s) / len(subjects), len(s) / len(objects)
        if noun.head == "parent" and not noun.after:
            most = [int(np.bincount(end).max()) for end in (s, o)]
            return (
                "object" if most[0] <= 2 < most[1] else "subject" if most[1] <= 2 < most[0] else ""
            )
        unique = noun.head in UNIQUE_ROLES | {"father", "mother"}
        if not unique and not (noun.head in PROPERTY_NOUNS and noun.link == "of"):
            return ""
        if of_subject <= _ONE and of_object >= _SEVERAL:
            return "object"
        return "subject" if of_object <= _ONE and of_subject >= _SEVERAL else ""

    def _by_gender(self) -> str:
        """Which end the nouns for men and for women name: no entity stands there for both."""
        shared = []
        for end in (0, 1):
            women, men = (
                self._flags(*(self._members[i][end] for i in self._with_heads(heads)))
                for heads in (FEMALE, MALE)
            )
            if min(women.sum(), men.sum()) < _FEWEST:
                return ""
            shared.append(float((women & men).sum() / min(women.sum(), men.sum())))
        apart = [share <= (1 - _MOST) / 10 for share in shared]
        if apart[0] == apart[1]:
            return ""
        return "subject" if apart[0] else "object"

    def _with_heads(self, heads: frozenset[str]) -> list[int]:
        return [
            i
            for i, noun in enumerate(self._nouns)
            if noun and not noun.after and noun.head in heads
        ]


def _spans(starts: Ints, entities: Ints, values: Ints) -> Ints:
    """The values of some entities, one after another; those of entity i begin at ``starts[i]``."""
    count = starts[entities + 1] - starts[entities]
    at = np.repeat(starts[entities] - (np.cumsum(count) - count), count) + np.arange(count.sum())
    found: Ints = values[at]
    return found


def _of_family(noun: RoleNoun) -> bool:
    return noun.head in FAMILY and not noun.after
