"""SimpleKG JSON, the files in which CypherBench publishes its graphs (arXiv 2412.18702).

An object with ``schema``, ``entities`` and ``relations``. What the published schema has no place for (units,
precision, descriptions of relations and properties) stands under keys that its readers pass over:
``description`` and ``sources`` of a type, ``details`` of its properties.

Guarantee: reading what was written gives an equal graph, and writing that gives the same bytes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from rulemine.codec import dump_line, from_json, parse_object, shown, slots_of
from rulemine.errors import ConfigError, InputError
from rulemine.files import read_text, write_lines
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import (
    NAME,
    EntityType,
    Property,
    RelationType,
    Schema,
    schema_of,
)
from rulemine.kg.property_graph.values import from_plain, to_plain

__all__ = ["read_simplekg", "simplekg_of", "simplekg_pieces", "write_simplekg"]

_R = TypeVar("_R")

_DETAILS = ("unit", "from_unit", "precision", "description", "sources")
_SIGNATURE = {"subj_label": "subject", "obj_label": "object"}


def read_simplekg(path: Path, schema: Schema | None = None) -> PropertyGraph:
    """The graph of a file.

    Args:
        path: JSON, plain, .gz or .zst; UTF-8.
        schema: Takes the place of the one in the file; None: none does.

    Raises:
        InputError: It is missing, not JSON, or breaks its schema; all faults are counted by kind.
        ConfigError: Its schema breaks the rules of `Schema`.
    """
    where = str(path)
    return simplekg_of(parse_object(read_text(path), where), where, schema)


def simplekg_of(whole: dict[str, Any], where: str, schema: Schema | None = None) -> PropertyGraph:
    """The graph of the JSON of a file; see `read_simplekg`.

    Args:
        whole: The JSON.
        where: What it was read from, for messages.
        schema: See `read_simplekg`.
    """
    keys = {"schema": dict, "entities": list, "relations": list}
    wrong = [key for key, kind in keys.items() if not isinstance(whole.get(key), kind)]
    if wrong:
        raise InputError(
            f"{where}: no SimpleKG: {wrong[0]} is "
            f"{shown(whole[wrong[0]]) if wrong[0] in whole else 'missing'}. An object was expected, with "
            "schema (an object), entities and relations (lists)."
        )
    schema, faults = schema or _schema(whole["schema"], where), Faults()
    types: Mapping[str, _Known] = {row.label: _named(row) for row in schema.entities}
    relations = {row.signature: _named(row) for row in schema.relations}
    nodes = [
        GraphNode(
            row.eid, row.label, row.name,
            _values(f"node {row.eid!r}", row.properties, types.get(row.label), faults),
            row.aliases or (), row.description or "", row.provenance or (),
        )
        for row in _records(_Node, whole["entities"], "entities", faults)
    ]  # fmt: skip
    type_of = {node.id: node.type for node in nodes}
    edges = []
    for row in _records(_Edge, whole["relations"], "relations", faults):
        known = relations.get(
            (type_of.get(row.subj_id, ""), row.label, type_of.get(row.obj_id, ""))
        )
        values = _values(f"edge {row.rid!r}", row.properties, known, faults)
        ends = row.subj_id, row.obj_id
        edges.append(GraphEdge(row.rid, row.label, *ends, values, row.provenance or ()))
    return PropertyGraph(schema, nodes, edges, where, faults)


_Known = Mapping[str, Property]


@dataclass(frozen=True, slots=True)
class _Node:
    eid: str
    label: str
    name: str
    aliases: tuple[str, ...] | None = None
    description: str | None = None
    properties: dict[str, Any] | None = None
    provenance: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Edge:
    rid: str
    label: str
    subj_id: str
    obj_id: str
    properties: dict[str, Any] | None = None
    provenance: tuple[str, ...] | None = None


def _records(kind: type[_R], rows: Iterable[Any], key: str, faults: Faults) -> Iterator[_R]:
    for at, row in enumerate(rows):
        try:
            made = from_json(kind, row, f"{key}[{at}]")
        except InputError as problem:
            faults.add("fields missing or wrong", str(problem).rstrip("."))
            continue
        if "" in [getattr(made, slot.name) for slot in slots_of(kind)[:3]]:
            faults.add("fields missing or wrong", f"{key}[{at}]: an id, label or name is empty")
        else:
            yield made


def _values(
    where: str, given: Mapping[str, Any] | None, known: _Known | None, faults: Faults
) -> dict[str, Any]:
    """The values of a row; none of an unknown type, which building the graph reports."""
    values = {}
    for name, plain in (given or {}).items():
        if known is None or plain is None:
            continue
        if name not in known:
            values[name] = plain  # building the graph reports that too
        elif (value := from_plain(plain, known[name].datatype)) is not None:
            values[name] = value
        else:
            expected = f"{where}: {name} is {shown(plain)}; expected {known[name].datatype}"
            faults.add("values that do not fit", expected)
    return values


def _schema(given: Mapping[str, Any], where: str) -> Schema:
    """The schema of a file, by way of the form that TOML has."""
    table: dict[str, Any] = {"name": given.get("name", "")}
    for key in ("entities", "relations"):
        rows = given.get(key, [])
        table[key] = list(map(_as_toml, rows)) if isinstance(rows, list) else rows
    try:
        return schema_of(table, f"{where}: schema")
    except ConfigError as problem:
        raise InputError(str(problem)) from None


def _as_toml(row: Any) -> Any:
    if not isinstance(row, dict):
        return row
    known = {"label", "description", "sources", "properties", *_SIGNATURE}
    kept = {_SIGNATURE.get(k, k): v for k, v in row.items() if k in known and v is not None}
    details = row.get("details") or {}
    if isinstance(own := kept.get("properties"), dict) and isinstance(details, dict):
        kept["properties"] = {
            name: {"datatype": datatype, **more}
            if isinstance(more := details.get(name), dict)
            else datatype
            for name, datatype in own.items()
            if name != NAME
        }
    return kept


def _named(row: EntityType | RelationType) -> _Known:
    return {own.name: own for own in row.properties}


def write_simplekg(graph: PropertyGraph, path: Path) -> None:
    """Writes a graph, compressed if the name ends in .gz.

    Raises:
        OutputError: It cannot be written.
    """
    write_lines(path, simplekg_pieces(graph))


def simplekg_pieces(graph: PropertyGraph) -> Iterator[str]:
    """The text of a graph's file, an entity or relation a line."""
    yield f'{{"schema":{dump_line(_schema_row(graph.schema))},\n"entities":[\n'
    yield from _joined(_node_row, graph.nodes)
    yield '],\n"relations":[\n'
    yield from _joined(_edge_row, graph.edges)
    yield "]}\n"


def _joined(row_of: Callable[[Any], dict[str, Any]], rows: Iterable[Any]) -> Iterator[str]:
    before = ""
    for row in rows:
        yield f"{before}{dump_line(row_of(row))}"
        before = ",\n"
    if before:
        yield "\n"


def _schema_row(schema: Schema) -> dict[str, Any]:
    return {
        "name": schema.name,
        "entities": [
            {"label": row.label, "description": row.description, **_rest(row)}
            for row in schema.entities
        ],
        "relations": [
            {"label": row.label, "subj_label": row.subject, "obj_label": row.object}
            | ({"description": row.description} if row.description else {})
            | _rest(row)
            for row in schema.relations
        ],
    }


def _rest(row: EntityType | RelationType) -> dict[str, Any]:
    details = {
        own.name: more
        for own in row.properties
        if (more := {key: value for key in _DETAILS if (value := getattr(own, key))})
    }
    return (
        {"properties": {own.name: own.datatype for own in row.properties}}
        | ({"details": details} if details else {})
        | ({"sources": row.sources} if row.sources else {})
    )


def _node_row(node: GraphNode) -> dict[str, Any]:
    return {
        "eid": node.id, "label": node.type, "name": node.name, "aliases": node.aliases,
        "description": node.description, "properties": _plain(node.properties),
        "provenance": node.provenance,
    }  # fmt: skip


def _edge_row(edge: GraphEdge) -> dict[str, Any]:
    return {
        "rid": edge.id, "label": edge.type, "subj_id": edge.subject, "obj_id": edge.object,
        "properties": _plain(edge.properties), "provenance": edge.provenance,
    }  # fmt: skip


def _plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: to_plain(properties[name]) for name in sorted(properties)}
