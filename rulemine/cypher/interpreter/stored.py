"""A property graph as the interpreter asks it, with its indices."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from rulemine.cypher.interpreter.values import EdgeValue, NodeValue
from rulemine.kg.property_graph.graph import PropertyGraph

__all__ = ["StoredGraph", "stored"]


class StoredGraph:
    """A graph as a database has it: ``id`` and ``name`` are properties like others, -0.0 is 0.0.

    Args:
        graph: The graph; it must not change.

    Attributes:
        nodes: The nodes.
        edges: The edges.
        types: The labels of nodes.
        counts: Type of edges → how many there are.
    """

    def __init__(self, graph: PropertyGraph) -> None:
        self.nodes: list[NodeValue] = []
        self._of_type: dict[str, list[NodeValue]] = {}
        for at, row in enumerate(graph.nodes):
            own = {**_held(row.properties), "id": row.id, "name": row.name}
            node = NodeValue(at, row.type, own)
            self.nodes.append(node)
            self._of_type.setdefault(row.type, []).append(node)
        self.types = tuple(self._of_type)
        self.edges: list[EdgeValue] = []
        for at, edge in enumerate(graph.edges):
            start, end = (self.nodes[graph.positions[id_]] for id_ in (edge.subject, edge.object))
            value = EdgeValue(at, edge.type, {**_held(edge.properties), "id": edge.id}, start, end)
            self.edges.append(value)
            start.out.setdefault(edge.type, []).append(value)
            end.into.setdefault(edge.type, []).append(value)
        self.counts = Counter(edge.type for edge in self.edges)
        self._valued: dict[tuple[str, str], dict[Any, list[NodeValue]]] = {}

    def of_types(self, labels: Sequence[str]) -> Sequence[NodeValue]:
        """The nodes of some types."""
        if len(labels) == 1:
            return self._of_type[labels[0]]
        if len(labels) == len(self.types):
            return self.nodes
        return [node for label in labels for node in self._of_type[label]]

    def with_value(self, labels: Sequence[str], name: str, value: Any) -> list[NodeValue]:
        """The nodes of some types of which a property equals a text, number, truth value or date."""
        found: list[NodeValue] = []
        for label in labels:
            index = self._valued.get((label, name))
            if index is None:
                index = self._valued[label, name] = {}
                for node in self._of_type[label]:
                    held = node.properties.get(name)
                    if held is not None and not isinstance(held, tuple):
                        index.setdefault((isinstance(held, bool), held), []).append(node)
            found += index.get((isinstance(value, bool), value), ())
        return found


def _held(properties: Any) -> dict[str, Any]:
    return {
        name: value + 0.0 if isinstance(value, float) else value
        for name, value in properties.items()
    }


_STORED: "WeakKeyDictionary[PropertyGraph, StoredGraph]" = WeakKeyDictionary()


def stored(graph: PropertyGraph) -> StoredGraph:
    """The stored form of a graph; made once for as long as the graph is used."""
    found = _STORED.get(graph)
    if found is None:
        found = _STORED[graph] = StoredGraph(graph)
    return found
