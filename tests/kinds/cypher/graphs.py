"""Small property graphs and patterns, written down in a line or two."""

import re
from typing import Any

from rulemine.cypher import MatchPattern, PatternNode
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema


def schema_of(types: str, relations: str = "") -> Schema:
    """A schema of types such as ``Town(motto str, km float km) Person`` and ``lives_in Person Town, …``."""
    entities = [
        EntityType(name, _properties(own))
        for name, own in re.findall(r"(\w+)(?:\(([^)]*)\))?", types)
    ]
    rows = [RelationType(*row.split()) for row in relations.split(", ") if row]
    return Schema("small", tuple(entities), tuple(rows))


def _properties(text: str) -> tuple[Property, ...]:
    return tuple(Property(*one.split(" ", 2)) for one in text.split(", ") if one)


def graph_of(schema: Schema, nodes: dict[str, Any], edges: str = "") -> PropertyGraph:
    """A graph.

    Args:
        schema: Its schema.
        nodes: Types → ids in a line, which are names; or ids → names, or names and properties.
        edges: Triples of ids, such as ``p0 lives_in t0, …``.
    """
    made = []
    for type_, own in nodes.items():
        rows = {one: one for one in own.split()} if isinstance(own, str) else own
        for id_, row in rows.items():
            name, values = (row, {}) if isinstance(row, str) else row
            made.append(GraphNode(id_, type_, name, values))
    triples = [row.split() for row in edges.split(", ") if row]
    linked = [GraphEdge(f"e{n}", r, s, o) for n, (s, r, o) in enumerate(triples)]
    return PropertyGraph(schema, made, linked)


def pattern(
    template: str, types: str, relations: str = "", time: Any = None, **ids: str
) -> MatchPattern:
    """A pattern; ``Town:Arden`` is a node that is fixed, with an id if the name has one; ``_`` is a space."""
    parts = (word.replace("_", " ").partition(":") for word in types.split())
    nodes = tuple(PatternNode(type_, name or None, ids.get(name)) for type_, _, name in parts)
    return MatchPattern(template, nodes, tuple(relations.split()), time)
