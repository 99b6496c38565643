"""Property graphs from a database that speaks Bolt, without procedures, those of APOC or others.

Types are labels. Of a node with several, the most common counts that not all nodes have, then the least by
name; a schema may choose others. Signatures are those of the ends that relationships have, and datatypes
those of the values as they come: the schema that a server reports of itself invents relations and misses some
(CypherBench, arXiv 2412.18702, App. A.4), and not every server has ``valueType``.

A node is called by its property ``id`` if all nodes have one and no two the same; by label and ``id`` if only
nodes of different labels share one; else as the server calls it. A relationship is called by its ``id``, else
by its type and ends.

Guarantees: nothing is written; the order in which the server sends rows does not matter; what does not become
a value is counted by reason.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from rulemine.errors import InputError
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.observed import SourceEdge, SourceNode, Strange, graph_of
from rulemine.kg.property_graph.schema import NAME, Schema
from rulemine.neo4j.bolt import Bolt

__all__ = ["EdgeRow", "NodeRow", "graph_of_rows", "read_bolt"]

_COUNT = "MATCH (n) RETURN count(n) UNION ALL MATCH ()-[r]->() RETURN count(r) AS `count(n)`"
_NODES = "MATCH (n) RETURN elementId(n), labels(n), properties(n)"
_EDGES = "MATCH (s)-[r]->(o) RETURN type(r), elementId(s), elementId(o), properties(r)"
_ID = "id"
_STEP = 1000
"""Rows between two reports of progress."""

_KINDS = {
    "DateTime": "times",
    "Time": "times of day",
    "Duration": "durations",
    "BrokenHydrationObject": "dates out of bounds",
    "bytes": "bytes",
    "bytearray": "bytes",
    "Point": "points",
}
"""Classes of values without a datatype here, in the driver → what is left out, in the plural."""


class NodeRow(NamedTuple):
    """A node as the driver has it: its id in the server, labels, and properties."""

    element: str
    labels: Sequence[str]
    properties: dict[str, Any]


class EdgeRow(NamedTuple):
    """A relationship as the driver has it: type, both ends by their ids in the server, and properties."""

    type: str
    subject: str
    object: str
    properties: dict[str, Any]


def read_bolt(
    bolt: Bolt,
    schema: Schema | None = None,
    left_out: Faults | None = None,
    *,
    name_property: str = NAME,
    progress: Callable[[int, int], None] | None = None,
) -> PropertyGraph:
    """The graph of a database.

    Args:
        bolt: The connection.
        schema: What it does not have is left out; None: made of what the database holds, and named after it.
        left_out: Receives, by reason, what is left out.
        name_property: Which property nodes are called by; those without it are called by their ids.
        progress: Called with how many nodes and relationships are read, of how many.

    Raises:
        EndpointError: The connection breaks.
        InputError: The database has no node with a label.
    """
    total = sum(row[0] for row in bolt.stream(_COUNT))
    numbers = count(1)

    def rows(query: str) -> Iterator[tuple[Any, ...]]:
        for row, number in zip(bolt.stream(query), numbers, strict=False):
            if progress and number % _STEP == 0:
                progress(min(number, total), total)
            yield row

    nodes = [NodeRow(*row) for row in rows(_NODES)]
    edges = [EdgeRow(*row) for row in rows(_EDGES)]
    name = bolt.database or "graph"
    return graph_of_rows(nodes, edges, name, schema, left_out, name_property=name_property)


def graph_of_rows(
    nodes: Sequence[NodeRow],
    edges: Sequence[EdgeRow],
    name: str = "graph",
    schema: Schema | None = None,
    left_out: Faults | None = None,
    *,
    name_property: str = NAME,
) -> PropertyGraph:
    """The graph of what a driver returns; arguments and errors as in `read_bolt`."""
    left_out = Faults() if left_out is None else left_out
    if not any(row.labels for row in nodes):
        raise InputError(
            f"the database has {len(nodes):,} nodes, none of which has a label; labels were expected, which "
            "become the types of nodes. Name another database after the address, or set labels."
        )
    ids = _ids(nodes, left_out)
    found = []
    for row in nodes:
        called = row.properties.get(name_property)
        if not isinstance(called, str | int | float) or isinstance(called, bool):
            called = ids[row.element]
            left_out.add("nodes without a name, called by their ids", called)
        values = {
            key: (_native(value),)
            for key, value in row.properties.items()
            if key not in (_ID, name_property)
        }
        found.append(SourceNode(ids[row.element], tuple(row.labels), str(called), values))
    own_ids = _distinct([edge.properties.get(_ID) for edge in edges])
    joined = []
    for number, edge in enumerate(edges):
        values = {key: (_native(value),) for key, value in edge.properties.items() if key != _ID}
        if not own_ids and _ID in edge.properties:
            left_out.add(
                "values of id, which some edges lack or share",
                f"{edge.type}: {edge.properties[_ID]}",
            )
        subject, object_ = (ids.get(end, end) for end in (edge.subject, edge.object))
        id_ = own_ids[number] if own_ids else ""
        joined.append(SourceEdge(edge.type, subject, object_, values, id_))
    return graph_of(name, found, joined, schema, left_out, capital=False)


def _ids(nodes: Sequence[NodeRow], left_out: Faults) -> dict[str, str]:
    """Id in the server → id of the node."""
    given = [row.properties.get(_ID) for row in nodes]
    labels = ["&".join(sorted(row.labels)) for row in nodes]
    pairs = [
        None if id_ is None else f"{label}#{id_}" for label, id_ in zip(labels, given, strict=True)
    ]
    found = _distinct(given) or (_distinct(pairs) if all(map(_plain, given)) else [])
    if not found:
        for row in nodes:
            if _ID in row.properties:
                left_out.add(
                    "values of id, which some nodes lack or share",
                    f"{row.element}: {row.properties[_ID]}",
                )
        found = [row.element for row in nodes]
    return dict(zip((row.element for row in nodes), found, strict=True))


def _plain(id_: object) -> bool:
    return isinstance(id_, str | int) and not isinstance(id_, bool) and id_ != ""


def _distinct(ids: Sequence[object]) -> list[str]:
    """Ids as text, if all are there and no two the same; else none."""
    texts = [str(id_) for id_ in ids if _plain(id_)]
    return texts if len(texts) == len(ids) and max(Counter(texts).values(), default=1) == 1 else []


def _native(value: Any) -> Any:
    """A value of the driver as ours."""
    if isinstance(value, list):
        items = tuple(_native(item) for item in value)
        if value and isinstance(value[0], bool):
            return Strange("lists of truth values", str(value))
        return next((item for item in items if isinstance(item, Strange)), items)
    if isinstance(value, float) and not math.isfinite(value):
        return Strange("not finite", str(value))
    if isinstance(value, str | int | float):
        return value
    names = [kind.__name__ for kind in type(value).__mro__]
    if names[0] == "Date":
        return value.to_native()
    kind = next((_KINDS[name] for name in names if name in _KINDS), f"of the type {names[0]}")
    return Strange(kind, "" if names[0] == "BrokenHydrationObject" else str(value))
