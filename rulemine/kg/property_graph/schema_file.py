"""Schemas of property graphs as TOML files.

Guarantee: what `schema_text` writes is read back as an equal schema. The format: ``docs/property-graphs.md``.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from rulemine.codec import shown
from rulemine.config import decode, read_toml
from rulemine.errors import ConfigError, did_you_mean, list_problems
from rulemine.kg.property_graph.schema import (
    EntityType,
    Property,
    RelationType,
    Schema,
    problems_of,
)

__all__ = ["ADVICE", "read_schema", "schema_of", "schema_text"]

_KEYS = ("name", "entities", "relations")
ADVICE = "Correct the schema; docs/property-graphs.md describes its keys."
"""What to do about a schema with problems."""

_Row = TypeVar("_Row", EntityType, RelationType)


def read_schema(path: Path) -> Schema:
    """The schema that a TOML file holds.

    Raises:
        InputError: The file is missing or not TOML.
        ConfigError: Keys are unknown, values wrong, or rules of `Schema` broken; all in one message.
    """
    return schema_of(read_toml(path), str(path))


def schema_of(table: Mapping[str, Any], where: str, problems: Iterable[str] = ()) -> Schema:
    """The schema of a table as TOML has it.

    Args:
        table: The table.
        where: The file, for messages.
        problems: What is known to be wrong, for the same message.

    Raises:
        ConfigError: As `read_schema`.
    """
    problems = [*problems]
    problems += [f"unknown key {k!r}; {did_you_mean(k, _KEYS)}" for k in table if k not in _KEYS]
    name = table.get("name", "")
    if not isinstance(name, str) or not name.strip():
        problems.append(f"name is {shown(name)}; expected the name of the graph")
    entities = list(_rows(EntityType, table.get("entities", []), "entities", problems))
    relations = list(_rows(RelationType, table.get("relations", []), "relations", problems))
    if not entities:
        problems.append("entities is empty; expected a table [[entities]] for each type")
    if problems := problems + problems_of(entities, relations):
        raise ConfigError(list_problems(where, problems, ADVICE))
    return Schema(name, tuple(entities), tuple(relations))


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
