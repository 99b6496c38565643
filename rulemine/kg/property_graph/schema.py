"""The schema of a property graph: types of entities and relations, and their properties; its file in TOML.

Guarantees: in a schema that was made, labels are unique, the ends of relations are types of it, and every
property has a datatype; ``name`` is implicit, and no property is called so. What `schema_text` writes is read
back as an equal schema. The format: ``docs/cypher.md``.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from rulemine.codec import shown
from rulemine.config import decode, read_toml
from rulemine.errors import ConfigError, did_you_mean, list_problems
from rulemine.kg.property_graph.values import DATATYPES

__all__ = [
    "ADVICE", "NAME", "EntityType", "Property", "RelationType", "Schema", "read_schema", "schema_of",
    "schema_text",
]  # fmt: skip

NAME = "name"
"""What every node has beside its properties."""

ADVICE = "Correct the schema; docs/cypher.md describes its keys."
"""What to do about a schema with problems."""

_KEYS = ("name", "entities", "relations")
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
        column: The column of its table; "": as its name.
        separator: What separates the items of lists in that column.
    """

    name: str
    datatype: str
    unit: str = ""
    precision: str = ""
    description: str = ""
    sources: tuple[str, ...] = ()
    from_unit: str = ""
    column: str = field(default="", compare=False)
    separator: str = field(default=";", compare=False)


@dataclass(frozen=True, slots=True)
class EntityType:
    """A type of entities.

    Attributes:
        label: Its label, e.g. ``Country``.
        properties: What its entities may have.
        description: What it is.
        sources: What it is called in a source of triples; several names make one type of several.
        table: The file of its entities; "": none.
        id_column: The column of their ids.
        name_column: The column of their names.
    """

    label: str
    properties: tuple[Property, ...] = ()
    description: str = ""
    sources: tuple[str, ...] = ()
    table: str = field(default="", compare=False)
    id_column: str = field(default="id", compare=False)
    name_column: str = field(default=NAME, compare=False)


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
        table: See `EntityType`.
        subject_column: The column of the ids of subjects.
        object_column: The column of the ids of objects.
    """

    label: str
    subject: str
    object: str
    properties: tuple[Property, ...] = ()
    description: str = ""
    sources: tuple[str, ...] = ()
    table: str = field(default="", compare=False)
    subject_column: str = field(default="subject", compare=False)
    object_column: str = field(default="object", compare=False)

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
        entities = sorted(self.entities, key=lambda row: row.label)
        relations = sorted(self.relations, key=lambda row: row.signature)
        object.__setattr__(self, "entities", tuple(entities))
        object.__setattr__(self, "relations", tuple(relations))
        if problems := [*_problems(entities, relations)]:
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


def _problems(entities: list[EntityType], relations: list[RelationType]) -> Iterator[str]:
    """What breaks the rules of a schema, a line each."""
    known = {row.label for row in entities}
    datatypes: dict[tuple[str, str], str] = {}
    yield from _twice("entity type", (row.label for row in entities))
    yield from _twice("relation", (" ".join(row.signature) for row in relations))
    yield from _twice("source of an entity type", (own for row in entities for own in row.sources))
    rows: list[EntityType | RelationType] = [*entities, *relations]
    for row in rows:
        if not _LABEL.fullmatch(row.label):
            yield f"label {row.label!r}; letters, digits and _ were expected, a letter first"
        if isinstance(row, RelationType):
            for end in sorted({row.subject, row.object} - known):
                yield f"relation {row.label}: {end!r} is no entity type"
        yield from _twice(f"property of {row.label}", (p.name for p in row.properties))
        for own in row.properties:
            where, what = f"{row.label}.{own.name}", f"{own.datatype} {own.unit}".rstrip()
            if own.datatype not in DATATYPES:
                yield f"{where}: datatype {own.datatype!r}; one of {', '.join(DATATYPES)}"
            if own.name == NAME or not _LABEL.fullmatch(own.name):
                yield f"{where}: no name for a property; letters, digits and _ were expected, not {NAME!r}"
            if own.precision not in ("", "day", "year"):
                yield f"{where}: precision {own.precision!r}; day or year"
            if isinstance(row, RelationType) and what != (
                first := datatypes.setdefault((row.label, own.name), what)
            ):
                yield f"{where}: {first} in one signature, {what} in another"


def _twice(what: str, names: Iterable[str]) -> Iterator[str]:
    yield from (
        f"{what} {name!r} is there {n} times" for name, n in Counter(names).items() if n > 1
    )


def read_schema(path: Path, tables: bool = False) -> Schema:
    """The schema that a TOML file holds.

    Args:
        path: The file.
        tables: Whether types and relations name the tables that they come from; else they must not.

    Raises:
        InputError: The file is missing or not TOML.
        ConfigError: Keys are unknown, values wrong, or rules of `Schema` broken; all in one message.
    """
    return schema_of(read_toml(path), str(path), tables)


def schema_of(table: Mapping[str, Any], where: str, tables: bool = False) -> Schema:
    """The schema of a table as TOML has it.

    Args:
        table: The table.
        where: The file, for messages.
        tables: See `read_schema`.

    Raises:
        ConfigError: As `read_schema`.
    """
    problems = [f"unknown key {k!r}; {did_you_mean(k, _KEYS)}" for k in table if k not in _KEYS]
    name = table.get("name", "")
    if not isinstance(name, str) or not name.strip():
        problems.append(f"name is {shown(name)}; expected the name of the graph")
    entities = list(_rows(EntityType, table.get("entities", []), "entities", problems))
    relations = list(_rows(RelationType, table.get("relations", []), "relations", problems))
    if not entities:
        problems.append("entities is empty; expected a table [[entities]] for each type")
    named = [r.label for r in entities if r.table] + [r.label for r in relations if r.table]
    if named and not tables:
        problems.append(f"{named[0]}.table: this schema is for a graph that has its own rows")
    if tables and not any(row.table for row in entities):
        problems.append('no entity type names its table, e.g. table = "towns.csv"')
    if problems := [*problems, *_problems(entities, relations)]:
        raise ConfigError(list_problems(where, problems, ADVICE))
    return Schema(name, tuple(entities), tuple(relations))


_Row = TypeVar("_Row", EntityType, RelationType)


def _rows(kind: type[_Row], given: Any, key: str, problems: list[str]) -> Iterator[_Row]:
    """The rows of an array of tables; of one with problems only what the ends of relations need."""
    if not isinstance(given, list):
        problems.append(f"{key} is {shown(given)}; expected tables [[{key}]]")
        given = []
    for at, row in enumerate(given):
        if not isinstance(row, Mapping):
            problems.append(f"{key}[{at}] is {shown(row)}; expected a table [[{key}]]")
            continue
        label = row.get("label")
        where = f"{label}." if isinstance(label, str) else f"{key}[{at}]."
        own = list(_properties(row.get("properties", {}), where, problems))
        made = decode(kind, {**row, "properties": own}, problems, where)
        if made is None and kind is EntityType and isinstance(label, str):
            # Its problems are reported; relations that end in it add nothing to them.
            made = EntityType(label)  # type: ignore[assignment]  # mypy checks both kinds
        if made is not None:
            yield made


def _properties(given: Any, where: str, problems: list[str]) -> Iterator[Property]:
    if not isinstance(given, Mapping):
        problems.append(f"{where}properties is {shown(given)}; expected a table: name = datatype")
        return
    for name, value in given.items():
        row = value if isinstance(value, Mapping) else {"datatype": value}
        if made := decode(Property, {**row, "name": name}, problems, f"{where}{name}."):
            yield made


def schema_text(schema: Schema) -> str:
    """A schema as TOML."""
    lines = [f"name = {_quoted(schema.name)}"]
    for entity in schema.entities:
        lines += ["", "[[entities]]", f"label = {_quoted(entity.label)}"]
        lines += _rest("entities", entity)
    for relation in schema.relations:
        lines += ["", "[[relations]]", f"label = {_quoted(relation.label)}"]
        lines += [f"subject = {_quoted(relation.subject)}", f"object = {_quoted(relation.object)}"]
        lines += _rest("relations", relation)
    return "\n".join(lines) + "\n"


def _rest(key: str, row: EntityType | RelationType) -> Iterator[str]:
    if row.description:
        yield f"description = {_quoted(row.description)}"
    if row.sources:
        yield f"sources = {_listed(row.sources)}"
    if row.properties:
        yield from ("", f"[{key}.properties]")
    for own in row.properties:
        more = [
            f"{name} = {_quoted(text)}"
            for name in ("unit", "from_unit", "precision", "description")
            if (text := getattr(own, name))
        ]
        more += [f"sources = {_listed(own.sources)}"] if own.sources else []
        datatype = _quoted(own.datatype)
        table = f"{{ {', '.join((f'datatype = {datatype}', *more))} }}"
        bare = re.fullmatch(r"[A-Za-z0-9_-]+", own.name)
        yield f"{own.name if bare else _quoted(own.name)} = {table if more else datatype}"


def _quoted(text: str) -> str:
    """A basic string of TOML; JSON escapes what it must but one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _listed(texts: tuple[str, ...]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"
