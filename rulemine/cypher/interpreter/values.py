"""The values of Cypher in memory, the graph that they are of, and what a run may use.

null is None, lists are lists (those of a graph tuples), maps are dicts, dates are Python's. As in Neo4j 5.26,
equality and comparison know a third truth value, null; sorting and grouping do not.
"""

import datetime
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Any
from weakref import WeakKeyDictionary

from rulemine.errors import QueryError
from rulemine.kg.property_graph.graph import PropertyGraph

__all__ = [
    "MOST_KEPT",
    "EdgeValue",
    "EvaluationError",
    "ExhaustedError",
    "NodeValue",
    "PathValue",
    "RunLimits",
    "StoredGraph",
    "compared",
    "decided",
    "equal",
    "fits",
    "grouped",
    "kind_of",
    "sorting_key",
    "stored",
]


class EvaluationError(QueryError):
    """A query that Neo4j would not run to its end either, e.g. because values are of the wrong type.

    Attributes:
        code: Which kind of failure, as Neo4j calls it: ``SyntaxError``, ``TypeError``, ``ArithmeticError``, …
    """

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(f"query: {message}")


MOST_KEPT = 1_000_000
"""Rows, or items of a list, that a query may keep at once."""

_OFTEN = 256
"""Steps between two looks at the clock."""


class ExhaustedError(QueryError):
    """A query that took too long, gave too many rows, or had to keep too much.

    Attributes:
        code: ``TimedOut``, ``TooManyRows`` or ``OutOfMemory``.
    """

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(f"query: {message}")


def fits(number: int) -> None:
    """Notes that so many rows or items of a list are to be kept.

    Raises:
        ExhaustedError: They are too many.
    """
    if number > MOST_KEPT:
        raise ExhaustedError("OutOfMemory", f"it keeps more than {MOST_KEPT:,} things at once")


class RunLimits:
    """What a run may still use.

    Args:
        seconds: Seconds that it may take.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._steps = 0

    def step(self, steps: int = 1) -> None:
        """Notes that something was done.

        Raises:
            ExhaustedError: The time is over.
        """
        self._steps += steps
        if self._steps >= _OFTEN:
            self._steps = 0
            if time.monotonic() > self._end:
                raise ExhaustedError("TimedOut", f"it took longer than {self._seconds:g} seconds")

    def counted(self, some: Iterable[Any]) -> Iterator[Any]:
        """The same, one after the other, each of them a step, all of them kept."""
        for number, one in enumerate(some, 1):
            fits(number)
            self.step()
            yield one


class NodeValue:
    """A node.

    Attributes:
        at: Its position in the graph.
        type: Its label.
        properties: Its properties, ``id`` and ``name`` included.
        out: Type → the edges that start from it.
        into: Type → the edges that lead to it.
    """

    __slots__ = ("at", "into", "out", "properties", "type")

    def __init__(self, at: int, type_: str, properties: Mapping[str, Any]) -> None:
        self.at, self.type, self.properties = at, type_, properties
        self.out: dict[str, list[EdgeValue]] = {}
        self.into: dict[str, list[EdgeValue]] = {}


class EdgeValue:
    """A relation between two nodes.

    Attributes:
        at: Its position in the graph.
        type: Its type.
        properties: Its properties, ``id`` included.
        start: The node that it starts from.
        end: The node that it leads to.
    """

    __slots__ = ("at", "end", "properties", "start", "type")

    def __init__(
        self, at: int, type_: str, properties: Mapping[str, Any], start: NodeValue, end: NodeValue
    ) -> None:
        self.at, self.type, self.properties = at, type_, properties
        self.start, self.end = start, end


@dataclass(frozen=True, slots=True)
class PathValue:
    """A path.

    Attributes:
        nodes: Its nodes.
        edges: The relations between them.
    """

    nodes: tuple[NodeValue, ...]
    edges: tuple[EdgeValue, ...]


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


_KINDS: dict[type, str] = {
    type(None): "Null", bool: "Boolean", int: "Integer", float: "Float", str: "String", list: "List",
    tuple: "List", dict: "Map", datetime.date: "Date", NodeValue: "Node", EdgeValue: "Relationship",
    PathValue: "Path",
}  # fmt: skip

_ORDER = {
    "Map": 0, "Node": 1, "Relationship": 2, "List": 3, "Path": 4, "Date": 5, "String": 6, "Boolean": 7,
    "Integer": 8, "Float": 8, "Null": 9,
}  # fmt: skip
"""Values of several kinds sorted: a lower kind comes first."""


def kind_of(value: Any) -> str:
    """What kind of value it is, as Neo4j's messages name it."""
    return _KINDS[type(value)]


def equal(one: Any, other: Any) -> bool | None:
    """``one = other``; None: it is not known."""
    if one is None or other is None:
        return None
    first, second = type(one), type(other)
    if first is second and first not in _NESTED:
        return bool(one == other)
    kinds = _KINDS[first], _KINDS[second]
    if kinds[0] != kinds[1]:
        numbers = first in _NUMBERS and second in _NUMBERS
        return bool(one == other) if numbers else False
    if kinds[0] == "Map":
        if one.keys() != other.keys():
            return False
        return decided((equal(value, other[key]) for key, value in one.items()), False)
    if len(one) != len(other):
        return False
    return decided(map(equal, one, other), False)


_NESTED, _NUMBERS, _PLAIN = (list, tuple, dict), (int, float), (str, bool, datetime.date)


def decided(some: Iterable[bool | None], by: bool) -> bool | None:
    """OR of truth values, which one that is true decides (`by`), or AND, which one that is false decides."""
    found: bool | None = not by
    for one in some:
        if one is by:
            return by
        if one is None:
            found = None
    return found


def compared(one: Any, other: Any) -> int | None:
    """Below 0, 0 or above 0 as one is less than, equal to or greater than the other; None: it is not known.

    Raises:
        NotImplementedError: Maps, nodes, relations or paths are compared, whose order is Neo4j's own.
    """
    first, second = type(one), type(other)
    if (first in _NUMBERS and second in _NUMBERS) or (first is second and first in _PLAIN):
        return int(one > other) - int(one < other)
    if first in (list, tuple) and second in (list, tuple):
        for left, right in zip(one, other, strict=False):
            found = compared(left, right)
            if found != 0:
                return found
        return (len(one) > len(other)) - (len(one) < len(other))
    if first is second and first is not type(None):
        raise NotImplementedError(f"comparing two values of the kind {kind_of(one)}")
    return None


def grouped(value: Any) -> Any:
    """A key that is the same for values that are one group, one of DISTINCT, one of UNION."""
    kind = type(value)
    if kind is bool:
        return "Boolean", value
    if kind is float and value != value:
        return "NaN", 0
    if kind in (list, tuple):
        return ("List", *map(grouped, value))
    if kind is dict:
        return ("Map", frozenset((key, grouped(of)) for key, of in value.items()))
    return value


def _order(one: Any, other: Any) -> int:
    kinds = kind_of(one), kind_of(other)
    if _ORDER[kinds[0]] != _ORDER[kinds[1]]:
        return _ORDER[kinds[0]] - _ORDER[kinds[1]]
    if kinds[0] in ("Integer", "Float"):
        lacking = math.isnan(one), math.isnan(other)
        return lacking[0] - lacking[1] if any(lacking) else (one > other) - (one < other)
    if kinds[0] == "List":
        for left, right in zip(one, other, strict=False):
            if found := _order(left, right):
                return found
        return len(one) - len(other)
    if kinds[0] == "Map":
        keys = sorted(one), sorted(other)
        if len(one) != len(other) or keys[0] != keys[1]:
            return len(one) - len(other) or (1 if keys[0] > keys[1] else -1)
        return next((found for key in keys[0] if (found := _order(one[key], other[key]))), 0)
    if kinds[0] in ("Node", "Relationship", "Path"):
        if one == other:
            return 0
        raise NotImplementedError(f"sorting values of the kind {kinds[0]}")
    return compared(one, other) or 0


sorting_key: Callable[[Any], Any] = cmp_to_key(_order)
"""What values are sorted by: null is the greatest."""
