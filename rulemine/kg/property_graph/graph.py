"""A property graph in memory: nodes and edges by their positions, with what joins them.

Guarantee: nodes are sorted by id, edges by (type, subject, object, id), so equal graphs are equal whatever
the order in which they were read.

Cypher matches edges in their direction, so siblings of Bo are only found by edges in that direction. What is
declared symmetric, inverse or the same is therefore stated in all ways before anything is asked
(`closed_edges`); patterns stay directed.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from rulemine.codec import shown
from rulemine.errors import ConfigError, counted
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.schema import NAME, EntityType, Property, RelationType, Schema
from rulemine.kg.property_graph.values import Value, fits

__all__ = ["GraphEdge", "GraphNode", "PropertyGraph", "closed_edges", "describe_counts"]

Ints = npt.NDArray[np.int64]
_K = TypeVar("_K")

_NO_EDGES = (np.zeros(0, np.int64),) * 3

Signature = tuple[str, str, str]
"""Type of the subject, relation, type of the object."""

_Joined = tuple[tuple[int, int], ...]
"""Edges, each with the node at its other end."""


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
        self._joined: dict[tuple[int, str, bool], _Joined] = {}
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

    def leading_out(self, node: int, relation: str) -> _Joined:
        """The edges of a relation that start from a node: edge, and the node that it leads to."""
        found = self._joined.get((node, relation, True))
        return self._found(node, relation, True) if found is None else found

    def leading_in(self, node: int, relation: str) -> _Joined:
        """The edges of a relation that lead to a node: edge, and the node that it starts from."""
        found = self._joined.get((node, relation, False))
        return self._found(node, relation, False) if found is None else found

    def of_signature(self, subject: str, relation: str, object_: str) -> tuple[Ints, ...]:
        """The edges of a relation between two types, with their subjects and objects; three of one shape."""
        return self._of_signature.get((subject, relation, object_), _NO_EDGES)

    def beside(self, node: int, relation: str, label: str, *, outward: bool) -> frozenset[int]:
        """The nodes of a type to which a relation leads from a node, or else from which it leads there."""
        key = node, relation, label, outward
        if key not in self._beside:
            joined = (self.leading_out if outward else self.leading_in)(node, relation)
            self._beside[key] = frozenset(end for _, end in joined if self.nodes[end].type == label)
        return self._beside[key]

    def value(self, node: int, name: str) -> Value | None:
        """A property of a node, or its name; None: it has none."""
        return self.values(name)[node]

    def values(self, name: str) -> Sequence[Value | None]:
        """A property of every node, or its name, by position; None: it has none."""
        if name not in self._values:
            self._values[name] = [
                row.name if name == NAME else row.properties.get(name) for row in self.nodes
            ]
        return self._values[name]

    def without(self, triples: Iterable[Triple]) -> "PropertyGraph":
        """The graph without the edges that state some triples of ids; all nodes stay."""
        at = self.positions
        lost = [
            edge
            for subject, relation, object_ in triples
            if subject in at
            for edge, end in self.leading_out(at[subject], relation)
            if end == at.get(object_)
        ]
        keep = np.ones(len(self.edges), bool)
        keep[lost] = False
        # What is left of a sorted graph that fits its schema is one.
        graph = PropertyGraph.__new__(PropertyGraph)
        graph.schema, graph.nodes = self.schema, self.nodes
        graph.edges = tuple(compress(self.edges, keep))
        graph._values, graph._beside, graph._joined = {}, {}, {}
        graph.__dict__["positions"] = self.positions
        graph.__dict__["_ends"] = tuple(column[keep] for column in self._ends)
        return graph

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
        return _grouped(node.type for node in self.nodes)

    @cached_property
    def _named(self) -> dict[tuple[str, str], tuple[int, ...]]:
        return _grouped((node.type, node.name) for node in self.nodes)

    @cached_property
    def _ends(self) -> tuple[Ints, ...]:
        """The relation of each edge, its subject and its object, by their positions."""
        at = self.positions
        return (
            np.fromiter((self._relations[edge.type] for edge in self.edges), np.int64),
            np.fromiter((at[edge.subject] for edge in self.edges), np.int64),
            np.fromiter((at[edge.object] for edge in self.edges), np.int64),
        )

    @cached_property
    def _relations(self) -> dict[str, int]:
        """The relations of the schema, in the order of edges."""
        labels = sorted({row.label for row in self.schema.relations})
        return {label: place for place, label in enumerate(labels)}

    @cached_property
    def _of_signature(self) -> dict[Signature, tuple[Ints, ...]]:
        _, *ends = self._ends
        signatures = (
            (self.nodes[s].type, edge.type, self.nodes[o].type)
            for edge, s, o in zip(self.edges, *(end.tolist() for end in ends), strict=True)
        )
        edges = {key: np.array(some) for key, some in _grouped(signatures).items()}
        return {key: (some, *(end[some] for end in ends)) for key, some in edges.items()}

    @cached_property
    def _by_end(self) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
        """The edges by relation and object, and by relation and subject: a key of both, and the edges."""
        relation, subject, object_ = self._ends
        keys = [relation * len(self.nodes) + end for end in (object_, subject)]
        orders = [np.argsort(key, kind="stable") for key in keys]
        return (keys[0][orders[0]], orders[0]), (keys[1][orders[1]], orders[1])

    def _found(self, node: int, relation: str, outward: bool) -> _Joined:
        place = self._relations.get(relation)
        if place is None:
            return ()
        keys, order = self._by_end[outward]
        key = place * len(self.nodes) + node
        low = bisect_left(keys.data, key)
        edges = order[low : bisect_left(keys.data, key + 1, low)]
        ends = self._ends[1 + outward][edges]
        joined = tuple(zip(edges.tolist(), ends.tolist(), strict=True))
        self._joined[node, relation, outward] = joined
        return joined

    def _problems(self) -> Iterator[tuple[str, str]]:
        """What breaks the schema: its kind, and a line."""
        yield from _repeated("node", (node.id for node in self.nodes))
        yield from _repeated("edge", (edge.id for edge in self.edges))
        types = {node.id: node.type for node in self.nodes}
        known = {row.label: {p.name: p for p in row.properties} for row in self.schema.entities}
        own = {row.signature: {p.name: p for p in row.properties} for row in self.schema.relations}
        lacking = "is not in the schema"
        for node in self.nodes:
            if node.type in known:
                yield from _unfit("node", node, known[node.type])
            else:
                yield "types not in the schema", f"node {node.id!r}: type {node.type!r} {lacking}"
        for edge in self.edges:
            ends = [types.get(end) for end in (edge.subject, edge.object)]
            signature = f"{ends[0]}", edge.type, f"{ends[1]}"
            if None in ends:
                end = min(end for end in (edge.subject, edge.object) if end not in types)
                yield "ends that are no node", f"edge {edge.id!r}: {end!r} is no node"
            elif signature in own:
                yield from _unfit("edge", edge, own[signature])
            else:
                text = f"edge {edge.id!r}: {' '.join(signature)} {lacking}"
                yield "signatures not in the schema", text


def _grouped(keys: Iterable[_K]) -> dict[_K, tuple[int, ...]]:
    """Where each key stands."""
    found: dict[_K, list[int]] = {}
    for at, key in enumerate(keys):
        found.setdefault(key, []).append(at)
    return {key: tuple(some) for key, some in found.items()}


def _repeated(what: str, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    for id_, number in Counter(ids).items():
        if number > 1:
            yield f"ids of {what}s that are there twice", f"{what} {id_!r} is there twice"


def _unfit(
    what: str, row: GraphNode | GraphEdge, known: Mapping[str, Property]
) -> Iterator[tuple[str, str]]:
    for name, value in row.properties.items():
        where = f"{what} {row.id!r}"
        if name not in known:
            text = f"{where}: property {name!r} is not in the schema"
            yield "properties not in the schema", text
        elif not fits(value, known[name].datatype):
            text = f"{where}: {name} is {shown(value)}; expected {known[name].datatype}"
            yield "values that do not fit", text


def closed_edges(
    graph: PropertyGraph, declarations: Declarations
) -> tuple[Schema, list[GraphEdge]]:
    """The edges of a graph with those that declarations add, and the schema that has them all.

    What is given stays as it is; an edge is added only where none says the same with the same properties.
    Relations without edges get none. An added edge has the properties of the one that it restates. Where the
    schema lacks its signature, it gets that, with the description of the relation; a signature gets the
    properties of what it restates.

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
        for own in (p for other in like for p in other.properties):
            found, wanted = (
                f"{p.datatype} {p.unit}".rstrip() for p in (own, more.get(own.name, own))
            )
            if found != wanted:
                raise ConfigError(
                    f"relation {label}: its property {own.name} is {found}, but {wanted} where the same is "
                    "stated by another relation; one datatype and unit were expected. Give both the same, or "
                    "leave out the declaration."
                )
        lacking = [p for name, p in sorted(more.items()) if name not in properties]
        known[row.signature] = replace(row, properties=(*row.properties, *lacking))
    return replace(schema, relations=tuple(known.values()))


def describe_counts(graph: PropertyGraph) -> Iterator[str]:
    """Lines for people: the types, then the signatures, each followed by its properties."""
    yield f"{graph.schema.name}: {counted(len(graph.nodes), 'node')}, {counted(len(graph.edges), 'edge')}"
    for entity in graph.schema.entities:
        own = [graph.nodes[at] for at in graph.of_type(entity.label)]
        shared = sum(n for n in Counter(node.name for node in own).values() if n > 1)
        more = f", {shared:,} share a name" if shared else ""
        yield f"{entity.label}: {counted(len(own), 'node')}{more}"
        yield from _properties(entity, own)
    for relation in graph.schema.relations:
        some = [graph.edges[at] for at in graph.of_signature(*relation.signature)[0].tolist()]
        yield f"{' '.join(relation.signature)}: {counted(len(some), 'edge')}"
        yield from _properties(relation, some)


def _properties(
    row: EntityType | RelationType, own: Sequence[GraphNode | GraphEdge]
) -> Iterable[str]:
    having = Counter(name for one in own for name in one.properties)
    for known in row.properties:
        unit = f" in {known.unit}" if known.unit else ""
        yield f"  {known.name}, {known.datatype}{unit}: {having[known.name]:,} of {len(own):,}"
