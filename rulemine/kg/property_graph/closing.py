"""Property graphs closed under declarations: every statement of each fact is an edge.

Cypher matches edges in their direction, so siblings of Bo are only found by edges in that
direction. What is declared symmetric, inverse or the same is therefore stated in all ways before anything is
asked; patterns stay directed.

Guarantees: what is given stays as it is; an edge is added only where none says the same with the same
properties; the result does not depend on the order of the edges. Relations without edges get none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rulemine.errors import ConfigError
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import Triple
from rulemine.kg.property_graph.graph import GraphEdge, PropertyGraph
from rulemine.kg.property_graph.schema import Property, RelationType, Schema
from rulemine.kg.property_graph.values import Value

__all__ = ["closed_edges"]

Signature = tuple[str, str, str]


def closed_edges(
    graph: PropertyGraph, declarations: Declarations
) -> tuple[Schema, list[GraphEdge]]:
    """The edges of a graph with those that declarations add, and the schema that has them all.

    An added edge has the properties of the one that it restates. Where the schema lacks its signature, it
    gets that, with the description of the relation; a signature gets the properties of what it restates.

    Args:
        graph: The graph.
        declarations: What is declared about its relations.

    Returns:
        The schema, and the edges, sorted by type, subject, object and id. An added edge has the id of the
        one that it restates: no two of one type and the same ends share one.

    Raises:
        ConfigError: Values cannot be restated: what states the same has a property of their name with
            another datatype or unit.
    """
    if not declarations.readings:
        return graph.schema, list(graph.edges)
    relations = {edge.type for edge in graph.edges}
    ways = {
        relation: [
            (other, end == "subject")
            for other, end in declarations.statements(relation, "object")
            if other in relations
        ]
        for relation in relations
    }
    stated: dict[Triple, list[Mapping[str, Value]]] = {}
    for edge in graph.edges:
        stated.setdefault((edge.subject, edge.type, edge.object), []).append(edge.properties)
    signatures: dict[Signature, dict[str, Property]] = {}
    found = list(graph.edges)
    # Those with properties first: one without adds nothing to what is stated with some.
    for edge in sorted(graph.edges, key=lambda edge: not edge.properties):
        for relation, turned in ways[edge.type]:
            subject, object_ = (
                (edge.object, edge.subject) if turned else (edge.subject, edge.object)
            )
            others = stated.setdefault((subject, relation, object_), [])
            if others if not edge.properties else edge.properties in others:
                continue
            others.append(edge.properties)
            found.append(replace(edge, type=relation, subject=subject, object=object_))
            types = graph.node(subject).type, graph.node(object_).type
            given = types[::-1] if turned else types
            own = graph.schema.relation(given[0], edge.type, given[1])
            needed = signatures.setdefault((types[0], relation, types[1]), {})
            needed |= {p.name: p for p in own.properties} if own else {}
    found.sort(key=lambda edge: (edge.type, edge.subject, edge.object, edge.id))
    return _extended(graph.schema, signatures), found


def _extended(schema: Schema, needed: Mapping[Signature, Mapping[str, Property]]) -> Schema:
    """A schema with signatures and properties that it may lack."""
    known = {row.signature: row for row in schema.relations}
    for (subject, label, object_), more in sorted(needed.items()):
        like = schema.signatures(label)
        row = known.get((subject, label, object_)) or RelationType(
            label, subject, object_, (), like[0].description, like[0].sources
        )
        properties = {p.name: p for p in row.properties}
        for other in like:
            _check_alike(label, other.properties, more)
        lacking = [p for name, p in sorted(more.items()) if name not in properties]
        known[row.signature] = replace(row, properties=(*row.properties, *lacking))
    return replace(schema, relations=tuple(known.values()))


def _check_alike(label: str, own: Iterable[Property], more: Mapping[str, Property]) -> None:
    for p in own:
        other = more.get(p.name, p)
        if (other.datatype, other.unit) != (p.datatype, p.unit):
            found, wanted = (f"{one.datatype} {one.unit}".rstrip() for one in (p, other))
            raise ConfigError(
                f"relation {label}: its property {p.name} is {found}, but {wanted} where the same is stated "
                "by another relation; one datatype and unit were expected. Give both the same, or leave out "
                "the declaration."
            )
