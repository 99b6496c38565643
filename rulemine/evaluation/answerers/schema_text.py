"""The schema of a property graph as a model is shown it: about as Cypher writes it, a line for each type.

Below a type stands what its properties mean, as far as the schema says that, and the commonest values of
those that have few. Names are never shown.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rulemine.codec import dump_line
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import NAME, Property

__all__ = ["schema_text"]

_FEW = 0.1
"""A text of fewer values than this share of a type's nodes is categorical (CypherBench, arXiv 2412.18702)."""

_LONGEST = 60
"""Characters of a value that is shown, at most."""


def schema_text(graph: PropertyGraph, values: int = 0) -> str:
    """The schema of a graph.

    Args:
        graph: The graph.
        values: How many values of a categorical property are shown at most, the commonest first.

    Example:
        >>> from rulemine.kg.property_graph.schema import EntityType, RelationType, Schema
        >>> town = EntityType("Town", (Property("area", "float", "km ** 2"),), "a settlement")
        >>> near = RelationType("near", "Town", "Town", (Property("start_year", "int"),))
        >>> print(schema_text(PropertyGraph(Schema("coast", (town,), (near,)), [], [])))
        Nodes:
        (:Town {name: str, area: float}) a settlement
          area: in km^2
        Relations:
        (:Town)-[:near {start_year: int}]->(:Town)
    """
    lines = ["Nodes:"]
    for entity in graph.schema.entities:
        own = (Property(NAME, "str"), *entity.properties)
        lines.append(" ".join(filter(None, (f"(:{entity.label}{_map(own)})", entity.description))))
        lines += _notes(entity.properties, _common(graph, entity.label, values))
    lines.append("Relations:")
    for row in graph.schema.relations:
        edge = f"(:{row.subject})-[:{row.label}{_map(row.properties)}]->(:{row.object})"
        lines.append(" ".join(filter(None, (edge, row.description))))
        lines += _notes(row.properties, {})
    return "\n".join(lines)


def _map(properties: Sequence[Property]) -> str:
    return (
        " {" + ", ".join(f"{p.name}: {p.datatype}" for p in properties) + "}" if properties else ""
    )


def _notes(properties: Sequence[Property], common: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for own in properties:
        notes = [f"in {own.unit.replace(' ** ', '^')}"] if own.unit else []
        notes += [own.description] if own.description else []
        if values := common.get(own.name):
            notes.append(f"e.g. {', '.join(map(dump_line, values))}")
        if notes:
            yield f"  {own.name}: {'; '.join(notes)}"


def _common(graph: PropertyGraph, label: str, most: int) -> dict[str, list[str]]:
    """Categorical property → its commonest values."""
    nodes = [graph.nodes[at] for at in graph.of_type(label)]
    counts: dict[str, Counter[str]] = {}
    for own in graph.schema.entity(label).properties:
        if own.datatype in ("str", "list[str]"):
            counted = counts[own.name] = Counter()
            for node in nodes:
                value = node.properties.get(own.name, ())
                some = value if isinstance(value, tuple) else (value,)
                counted.update(item for item in some if isinstance(item, str))
    return {
        name: sorted((v for v in counted if len(v) <= _LONGEST), key=lambda v: (-counted[v], v))[:most]
        for name, counted in counts.items()
        if len(counted) < _FEW * len(nodes)
    }  # fmt: skip
