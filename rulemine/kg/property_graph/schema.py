"""The schema of a property graph: types of entities and relations, and their properties.

Guarantee: in a schema that was made, labels are unique, the ends of relations are types of it, and every
property has a datatype; ``name`` is implicit, and no property is called so.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from rulemine.errors import ConfigError, list_problems
from rulemine.kg.property_graph.values import DATATYPES

__all__ = ["NAME", "EntityType", "Property", "RelationType", "Schema", "problems_of"]

NAME = "name"
"""What every node has beside its properties."""

_LABEL = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Property:
    """A property of entities or of relations.

    Attributes:
        name: Its name.
        datatype: One of `rulemine.kg.property_graph.values.DATATYPES`.
        unit: The unit of its numbers, e.g. ``km ** 2``; or "".
        precision: What a date in a source must have at least: ``year`` accepts 1999 and 1999-05, which stand
            for their first days; ``day`` and "" do not.
        description: What it says, for people and prompts.
        sources: What it is called in a source of triples, if not by its name.
        from_unit: The unit of its numbers in the source; "": `unit`.
    """

    name: str
    datatype: str
    unit: str = ""
    precision: str = ""
    description: str = ""
    sources: tuple[str, ...] = ()
    from_unit: str = ""


@dataclass(frozen=True, slots=True)
class EntityType:
    """A type of entities.

    Attributes:
        label: Its label, e.g. ``Country``.
        properties: What its entities may have.
        description: What it is.
        sources: What it is called in a source of triples; several names make one type of several.
    """

    label: str
    properties: tuple[Property, ...] = ()
    description: str = ""
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationType:
    """A relation between entities of two types; the same label may join several pairs of types.

    Attributes:
        label: Its label, e.g. ``hasCapital``.
        subject: The type of its subjects.
        object: The type of its objects.
        properties: What its edges may have.
        description: What it says.
        sources: See `EntityType`.
    """

    label: str
    subject: str
    object: str
    properties: tuple[Property, ...] = ()
    description: str = ""
    sources: tuple[str, ...] = ()

    @property
    def signature(self) -> tuple[str, str, str]:
        """Type of the subject, label, type of the object."""
        return self.subject, self.label, self.object


@dataclass(frozen=True)
class Schema:
    """A schema.

    Attributes:
        name: The name of the graph.
        entities: The types of entities, sorted by label.
        relations: The relations, sorted by signature.

    Raises:
        ConfigError: It breaks a rule; one message lists all that do.
    """

    name: str
    entities: tuple[EntityType, ...]
    relations: tuple[RelationType, ...]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "entities", tuple(sorted(self.entities, key=lambda row: row.label))
        )
        by_signature = sorted(self.relations, key=lambda row: row.signature)
        object.__setattr__(self, "relations", tuple(by_signature))
        if problems := problems_of(self.entities, self.relations):
            advice = "Correct the schema."
            raise ConfigError(list_problems(f"schema {self.name!r}", problems, advice))

    def entity(self, label: str) -> EntityType:
        """The type of a label.

        Raises:
            KeyError: There is none.
        """
        return self._entities[label]

    def signatures(self, label: str) -> tuple[RelationType, ...]:
        """The relations of a label, one for each pair of types."""
        return tuple(row for row in self.relations if row.label == label)

    def relation(self, subject: str, label: str, object_: str) -> RelationType | None:
        """The relation of a signature; None: there is none."""
        return self._relations.get((subject, label, object_))

    @cached_property
    def _entities(self) -> Mapping[str, EntityType]:
        return {row.label: row for row in self.entities}

    @cached_property
    def _relations(self) -> Mapping[tuple[str, str, str], RelationType]:
        return {row.signature: row for row in self.relations}


def problems_of(entities: Iterable[EntityType], relations: Iterable[RelationType]) -> list[str]:
    """What breaks the rules of a schema, a line each; empty: nothing."""
    entities, relations = tuple(entities), tuple(relations)
    return list(chain(_of_rows(entities, relations), _of_ends(entities, relations)))


def _of_rows(
    entities: tuple[EntityType, ...], relations: tuple[RelationType, ...]
) -> Iterator[str]:
    yield from _twice("entity type", (row.label for row in entities))
    yield from _twice("relation", (" ".join(row.signature) for row in relations))
    yield from _twice("source of an entity type", (own for row in entities for own in row.sources))
    rows: list[EntityType | RelationType] = [*entities, *relations]
    for row in rows:
        if not _LABEL.fullmatch(row.label):
            yield f"label {row.label!r}; letters, digits and _ were expected, a letter first"
        yield from _twice(f"property of {row.label}", (p.name for p in row.properties))
        for own in row.properties:
            where = f"{row.label}.{own.name}"
            if own.datatype not in DATATYPES:
                yield f"{where}: datatype {own.datatype!r}; one of {', '.join(DATATYPES)}"
            if own.name == NAME or not _LABEL.fullmatch(own.name):
                yield f"{where}: no name for a property; letters, digits and _ were expected, not {NAME!r}"
            if own.precision not in ("", "day", "year"):
                yield f"{where}: precision {own.precision!r}; day or year"


def _of_ends(
    entities: tuple[EntityType, ...], relations: tuple[RelationType, ...]
) -> Iterator[str]:
    known = {row.label for row in entities}
    datatypes: dict[tuple[str, str], tuple[str, str]] = {}
    for relation in relations:
        for end in sorted({relation.subject, relation.object} - known):
            yield f"relation {relation.label}: {end!r} is no entity type"
        for own in relation.properties:
            first = datatypes.setdefault((relation.label, own.name), (own.datatype, own.unit))
            if first != (own.datatype, own.unit):
                yield (
                    f"{relation.label}.{own.name}: {' '.join(filter(None, first))} in one signature, "
                    f"{' '.join(filter(None, (own.datatype, own.unit)))} in another"
                )


def _twice(what: str, names: Iterable[str]) -> Iterator[str]:
    yield from (
        f"{what} {name!r} is there {n} times" for name, n in Counter(names).items() if n > 1
    )
