"""A property graph in memory: nodes and edges by their positions, with what joins them.

Guarantee: nodes are sorted by id, edges by (type, subject, object, id), so equal graphs are equal whatever
the order in which they were read.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rulemine.codec import shown
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.schema import NAME, Property, Schema
from rulemine.kg.property_graph.values import Value, fits

__all__ = ["GraphEdge", "GraphNode", "MissingFacts", "NodeValue", "PropertyGraph"]

_NO_EDGES = (np.zeros(0, np.int64),) * 3


@dataclass(frozen=True, slots=True)
class GraphNode:
    """An entity.

    Attributes:
        id: Its id, unique among nodes.
        type: The label of its type.
        name: Its name; several nodes may have one name.
        properties: Property → value, for the properties that it has.
        aliases: Other names.
        description: What it is.
        provenance: Where its values come from.
    """

    id: str
    type: str
    name: str
    properties: Mapping[str, Value] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    description: str = ""
    provenance: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A relation between two entities.

    Attributes:
        id: Its id, unique among edges.
        type: The label of the relation.
        subject: The id of the node that it starts from.
        object: The id of the node that it leads to.
        properties: See `GraphNode`.
        provenance: See `GraphNode`.
    """

    id: str
    type: str
    subject: str
    object: str
    properties: Mapping[str, Value] = field(default_factory=dict)
    provenance: tuple[str, ...] = ()


class PropertyGraph:
    """A property graph; nodes and edges are called by their positions.

    Args:
        schema: Its schema.
        nodes: The nodes, in any order.
        edges: The edges, in any order.
        where: What it was read from, for messages; "": its name.
        faults: What was wrong with it before; reported in the same message.

    Attributes:
        schema: Its schema.
        nodes: The nodes, sorted.
        edges: The edges, sorted.

    Raises:
        InputError: Ids occur twice, an end is no node, or a type, signature, property or value is not of the
            schema; one message counts them by kind and lists the first.
    """

    def __init__(
        self,
        schema: Schema,
        nodes: Iterable[GraphNode],
        edges: Iterable[GraphEdge],
        where: str = "",
        faults: Faults | None = None,
    ) -> None:
        self.schema = schema
        self.nodes = tuple(sorted(nodes, key=lambda node: node.id))
        order = sorted(edges, key=lambda edge: (edge.type, edge.subject, edge.object, edge.id))
        self.edges = tuple(order)
        self._values: dict[str, list[Value | None]] = {}
        self._beside: dict[tuple[int, str, str, bool], frozenset[int]] = {}
        faults = faults or Faults()
        for kind, line in self._problems():
            faults.add(kind, line)
        faults.report(where or f"property graph {schema.name!r}", "Correct graph or schema.")

    def __repr__(self) -> str:
        return (
            f"<property graph {self.schema.name}: {len(self.nodes)} nodes, {len(self.edges)} edges>"
        )

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """Id of a node → its position."""
        return {node.id: at for at, node in enumerate(self.nodes)}

    def node(self, id_: str) -> GraphNode:
        """The node of an id.

        Raises:
            KeyError: There is none.
        """
        return self.nodes[self.positions[id_]]

    def of_type(self, label: str) -> tuple[int, ...]:
        """The nodes of a type."""
        return self._of_type.get(label, ())

    def named(self, label: str, name: str) -> tuple[int, ...]:
        """The nodes of a type that have a name."""
        return self._named.get((label, name), ())

    def leading_out(self, node: int, relation: str) -> tuple[tuple[int, int], ...]:
        """The edges of a relation that start from a node: edge, and the node that it leads to."""
        return self._out.get((node, relation), ())

    def leading_in(self, node: int, relation: str) -> tuple[tuple[int, int], ...]:
        """The edges of a relation that lead to a node: edge, and the node that it starts from."""
        return self._in.get((node, relation), ())

    def of_signature(
        self, subject: str, relation: str, object_: str
    ) -> tuple[npt.NDArray[np.int64], ...]:
        """The edges of a relation between two types, with their subjects and objects; three of one shape."""
        return self._of_signature.get((subject, relation, object_), _NO_EDGES)

    def beside(self, node: int, relation: str, label: str, *, outward: bool) -> frozenset[int]:
        """The nodes of a type to which a relation leads from a node, or else from which it leads there."""
        key = node, relation, label, outward
        if key not in self._beside:
            joined = (self.leading_out if outward else self.leading_in)(node, relation)
            ends = (end for _, end in joined)
            self._beside[key] = frozenset(end for end in ends if self.nodes[end].type == label)
        return self._beside[key]

    def value(self, node: int, name: str) -> Value | None:
        """A property of a node, or its name; None: it has none."""
        row = self.nodes[node]
        return row.name if name == NAME else row.properties.get(name)

    def values(self, name: str) -> Sequence[Value | None]:
        """A property of every node, or its name, by position; None: it has none."""
        if name not in self._values:
            rows = self.nodes
            self._values[name] = [
                row.name if name == NAME else row.properties.get(name) for row in rows
            ]
        return self._values[name]

    def without(
        self, edges: Collection[str] = (), values: Collection[tuple[str, str]] = ()
    ) -> "PropertyGraph":
        """The graph without some of what it states; all nodes stay.

        Args:
            edges: Ids of edges.
            values: Ids of nodes, each with a property.
        """
        gone: dict[str, set[str]] = {}
        for id_, name in values:
            gone.setdefault(id_, set()).add(name)
        nodes = [
            replace(
                node,
                properties={k: v for k, v in node.properties.items() if k not in gone[node.id]},
            )
            if node.id in gone
            else node
            for node in self.nodes
        ]
        lost = set(edges)
        return PropertyGraph(
            self.schema, nodes, [edge for edge in self.edges if edge.id not in lost]
        )

    def triples(self) -> KnowledgeGraph:
        """The edges as triples of ids, for mining and removal; parallel edges of one type are one."""
        return KnowledgeGraph.from_triples(
            (edge.subject, edge.type, edge.object) for edge in self.edges
        )

    def renamed(self, names: Mapping[str, str]) -> "PropertyGraph":
        """The graph with other ids of nodes, which are their names too.

        Aliases, descriptions and provenance, which would say who they are, are left out.

        Args:
            names: Id of each node → its new id; one-to-one.
        """
        return PropertyGraph(
            self.schema,
            [GraphNode(names[n.id], n.type, names[n.id], n.properties) for n in self.nodes],
            [
                replace(edge, subject=names[edge.subject], object=names[edge.object], provenance=())
                for edge in self.edges
            ],
        )

    @cached_property
    def _of_type(self) -> dict[str, tuple[int, ...]]:
        found: dict[str, list[int]] = {}
        for at, node in enumerate(self.nodes):
            found.setdefault(node.type, []).append(at)
        return {label: tuple(some) for label, some in found.items()}

    @cached_property
    def _named(self) -> dict[tuple[str, str], tuple[int, ...]]:
        found: dict[tuple[str, str], list[int]] = {}
        for at, node in enumerate(self.nodes):
            found.setdefault((node.type, node.name), []).append(at)
        return {key: tuple(some) for key, some in found.items()}

    @cached_property
    def _of_signature(self) -> dict[tuple[str, str, str], tuple[npt.NDArray[np.int64], ...]]:
        found: dict[tuple[str, str, str], list[tuple[int, int, int]]] = {}
        for at, edge in enumerate(self.edges):
            subject, object_ = self.positions[edge.subject], self.positions[edge.object]
            signature = self.nodes[subject].type, edge.type, self.nodes[object_].type
            found.setdefault(signature, []).append((at, subject, object_))
        return {key: tuple(np.array(some, np.int64).T.copy()) for key, some in found.items()}

    @cached_property
    def _out(self) -> dict[tuple[int, str], tuple[tuple[int, int], ...]]:
        return self._joined(outward=True)

    @cached_property
    def _in(self) -> dict[tuple[int, str], tuple[tuple[int, int], ...]]:
        return self._joined(outward=False)

    def _joined(self, outward: bool) -> dict[tuple[int, str], tuple[tuple[int, int], ...]]:
        found: dict[tuple[int, str], list[tuple[int, int]]] = {}
        for at, edge in enumerate(self.edges):
            ends = self.positions[edge.subject], self.positions[edge.object]
            start, end = ends if outward else ends[::-1]
            found.setdefault((start, edge.type), []).append((at, end))
        return {key: tuple(some) for key, some in found.items()}

    def _problems(self) -> Iterator[tuple[str, str]]:
        """What breaks the schema: its kind, and a line."""
        yield from _repeated("node", (node.id for node in self.nodes))
        yield from _repeated("edge", sorted(edge.id for edge in self.edges))
        types: dict[str, str] = {}
        known = {row.label: {p.name: p for p in row.properties} for row in self.schema.entities}
        for node in self.nodes:
            types[node.id] = node.type
            if node.type not in known:
                yield (
                    "types not in the schema",
                    f"node {node.id!r}: type {node.type!r} is not in the schema",
                )
            else:
                yield from _unfit("node", node, known[node.type])
        own = {row.signature: {p.name: p for p in row.properties} for row in self.schema.relations}
        for edge in self.edges:
            where = f"edge {edge.id!r}"
            if lacking := sorted(end for end in (edge.subject, edge.object) if end not in types):
                yield "ends that are no node", f"{where}: {lacking[0]!r} is no node"
                continue
            signature = types[edge.subject], edge.type, types[edge.object]
            if signature not in own:
                yield (
                    "signatures not in the schema",
                    f"{where}: {' '.join(signature)} is not in the schema",
                )
            else:
                yield from _unfit("edge", edge, own[signature])


def _repeated(what: str, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    before: str | None = None
    for id_ in ids:
        if id_ == before:
            yield f"ids of {what}s that are there twice", f"{what} {id_!r} is there twice"
        before = id_


def _unfit(
    what: str, row: GraphNode | GraphEdge, known: Mapping[str, Property]
) -> Iterator[tuple[str, str]]:
    for name, value in row.properties.items():
        where = f"{what} {row.id!r}"
        if name not in known:
            yield (
                "properties not in the schema",
                f"{where}: property {name!r} is not in the schema",
            )
        elif not fits(value, known[name].datatype):
            yield (
                "values that do not fit",
                f"{where}: {name} is {shown(value)}; expected {known[name].datatype}",
            )


NodeValue = tuple[str, str]
"""The id of a node, and one of its properties."""


@dataclass(frozen=True, slots=True)
class MissingFacts:
    """What an incomplete graph lacks.

    Attributes:
        triples: The removed triples of ids, each with the level from which on it is gone, 1 … 100.
        values: The removed values, each with that level.
    """

    triples: Mapping[Triple, int]
    values: Mapping[NodeValue, int]

    def graph(self, complete: PropertyGraph, level: int) -> PropertyGraph:
        """The graph at a level."""
        return complete.without(
            {
                edge.id
                for edge in complete.edges
                if self.triples.get((edge.subject, edge.type, edge.object), level + 1) <= level
            },
            {value for value, gone in self.values.items() if gone <= level},
        )
