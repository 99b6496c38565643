"""SimpleKG JSON, the files in which CypherBench publishes its graphs (arXiv 2412.18702).

An object with ``schema``, ``entities`` and ``relations``. What the published schema has no place for (units,
precision, descriptions of relations and properties) stands under keys that its readers pass over:
``description`` and ``sources`` of a type, ``details`` of its properties.

Guarantee: reading what was written gives an equal graph, and writing that gives the same bytes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rulemine.codec import dump_line, parse_object, shown
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
    schema = schema or _schema(whole["schema"], where)
    reader = _Reader(schema)
    nodes = [n for at, row in enumerate(whole["entities"]) if (n := reader.node(at, row))]
    reader.types = {node.id: node.type for node in nodes}
    edges = [e for at, row in enumerate(whole["relations"]) if (e := reader.edge(at, row))]
    return PropertyGraph(schema, nodes, edges, where, reader.faults)


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


class _Reader:
    """Reads rows and collects what is wrong with them."""

    def __init__(self, schema: Schema) -> None:
        self.faults = Faults()
        self.types: Mapping[str, str] = {}
        self._entities = {row.label: _named(row) for row in schema.entities}
        self._relations = {row.signature: _named(row) for row in schema.relations}

    def node(self, at: int, row: Any) -> GraphNode | None:
        """The node of a row; None if it cannot be identified."""
        where = f"entities[{at}]"
        if (texts := self._texts(where, row, ("eid", "label", "name"))) is None:
            return None
        id_, label, name = texts
        where = f"node {id_!r}"
        return GraphNode(
            id_, label, name,
            self._values(where, row.get("properties"), self._entities.get(label)),
            self._list(where, row, "aliases"),
            row["description"] if isinstance(row.get("description"), str) else "",
            self._list(where, row, "provenance"),
        )  # fmt: skip

    def edge(self, at: int, row: Any) -> GraphEdge | None:
        """The edge of a row; None if it cannot be identified."""
        where = f"relations[{at}]"
        if (texts := self._texts(where, row, ("rid", "label", "subj_id", "obj_id"))) is None:
            return None
        id_, label, subject, object_ = texts
        where = f"edge {id_!r}"
        signature = self.types.get(subject, ""), label, self.types.get(object_, "")
        return GraphEdge(
            id_, label, subject, object_,
            self._values(where, row.get("properties"), self._relations.get(signature)),
            self._list(where, row, "provenance"),
        )  # fmt: skip

    def _texts(self, where: str, row: Any, keys: tuple[str, ...]) -> list[str] | None:
        if not isinstance(row, dict):
            self.faults.add(
                "rows that are no objects", f"{where} is {shown(row)}; expected an object"
            )
            return None
        texts = []
        for key in keys:
            value = row.get(key)
            if isinstance(value, str) and value:
                texts.append(value)
            else:
                found = shown(value) if key in row else "missing"
                self.faults.add(
                    "fields missing or wrong", f"{where}: {key} is {found}; expected text"
                )
        return texts if len(texts) == len(keys) else None

    def _list(self, where: str, row: Mapping[str, Any], key: str) -> tuple[str, ...]:
        value = row.get(key) or []
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self.faults.add(
            "fields missing or wrong", f"{where}: {key} is {shown(value)}; expected a list of texts"
        )
        return ()

    def _values(self, where: str, given: Any, known: Mapping[str, Property] | None) -> Any:
        """The values of a row; none of an unknown type, which building the graph reports."""
        if not isinstance(given, dict | None):
            self.faults.add(
                "fields missing or wrong",
                f"{where}: properties is {shown(given)}; expected an object",
            )
        if not isinstance(given, dict) or known is None:
            return {}
        values = {}
        for name, plain in given.items():
            if plain is None:
                continue
            if name not in known:
                values[name] = plain  # building the graph reports that too
            elif (value := from_plain(plain, known[name].datatype)) is not None:
                values[name] = value
            else:
                self.faults.add(
                    "values that do not fit",
                    f"{where}: {name} is {shown(plain)}; expected {known[name].datatype}",
                )
        return values


def _named(row: EntityType | RelationType) -> Mapping[str, Property]:
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
