"""What a property graph holds: counts by type, signature and property."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rulemine.errors import counted
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, RelationType

__all__ = ["describe_counts"]


def describe_counts(graph: PropertyGraph) -> Iterator[str]:
    """Lines for people: the types, then the signatures, each followed by its properties."""
    yield f"{graph.schema.name}: {counted(len(graph.nodes), 'node')}, {counted(len(graph.edges), 'edge')}"
    nodes: dict[str, list[GraphNode]] = {}
    for node in graph.nodes:
        nodes.setdefault(node.type, []).append(node)
    for entity in graph.schema.entities:
        own = nodes.get(entity.label, [])
        names = Counter(node.name for node in own)
        shared = sum(number for number in names.values() if number > 1)
        more = f", {shared:,} share a name" if shared else ""
        yield f"{entity.label}: {counted(len(own), 'node')}{more}"
        yield from _properties(entity, own)
    edges: dict[tuple[str, str, str], list[GraphEdge]] = {}
    for edge in graph.edges:
        signature = graph.node(edge.subject).type, edge.type, graph.node(edge.object).type
        edges.setdefault(signature, []).append(edge)
    for relation in graph.schema.relations:
        some = edges.get(relation.signature, [])
        yield f"{' '.join(relation.signature)}: {counted(len(some), 'edge')}"
        yield from _properties(relation, some)


def _properties(
    row: EntityType | RelationType, own: Sequence[GraphNode | GraphEdge]
) -> Iterable[str]:
    having = Counter(name for one in own for name in one.properties)
    for known in row.properties:
        unit = f" in {known.unit}" if known.unit else ""
        yield f"  {known.name}, {known.datatype}{unit}: {having[known.name]:,} of {len(own):,}"
