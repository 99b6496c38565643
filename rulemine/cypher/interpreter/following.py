"""The steps of a MATCH: each binds something in a row, and passes the row to the next.

A row is changed in place; the last step copies it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rulemine.cypher.interpreter.code import Row
from rulemine.cypher.interpreter.values import EdgeValue, NodeValue, PathValue
from rulemine.cypher.language.syntax import RelationPattern

__all__ = [
    "EdgeStep",
    "Rows",
    "StepWay",
    "ends",
    "expanded",
    "filtered",
    "routed",
    "scanned",
    "trails",
]

Rows = Callable[[Row], Iterator[Row]]
"""Row → rows with more bound."""

_Maker = Callable[[Rows], Rows]
_Step = Callable[[], None]


@dataclass(slots=True)
class EdgeStep:
    """A relation of the paths, with the names of its ends.

    Attributes:
        name: Its variable, or a name of our own.
        left: The node before it.
        right: The node behind it.
        pattern: What it must be.
        types: The types that it may have.
    """

    name: str
    left: str
    right: str
    pattern: RelationPattern
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepWay:
    """How a relation is followed.

    Attributes:
        link: The relation.
        near: The end that it is followed from.
        far: The other end.
        direction: 1: with its direction, −1: against it, 0: either.
        from_known: Whether the near end is bound.
        to_known: Whether the far end is bound.
        singles: Other relations of the MATCH that are bound and may be the same edge.
        lists: Those among them that stand for several edges.
    """

    link: EdgeStep
    near: str
    far: str
    direction: int
    from_known: bool
    to_known: bool
    singles: list[str]
    lists: list[str]

    def free(self, row: Row, edge: EdgeValue) -> bool:
        """Whether no other relation is bound to an edge."""
        return all(row[one] is not edge for one in self.singles) and all(
            edge not in row[one] for one in self.lists
        )

    def goal(self, row: Row) -> NodeValue | None:
        """The node that must be reached; None: any."""
        if self.to_known:
            return row[self.far]  # type: ignore[no-any-return]
        return row[self.near] if self.far == self.near else None


def _edges(
    node: NodeValue, types: tuple[str, ...], direction: int
) -> Iterator[tuple[EdgeValue, NodeValue]]:
    """The edges at a node, with the nodes at their other ends: out of it (1), into it (−1), or both (0)."""
    for type_ in types:
        if direction >= 0:
            for edge in node.out.get(type_, ()):
                yield edge, edge.end
        if direction <= 0:
            for edge in node.into.get(type_, ()):
                if direction or edge.start is not edge.end:
                    yield edge, edge.start


def filtered(tests: list[Callable[[Row], bool | None]], then: Rows) -> Rows:
    """Passes on the rows for which every condition holds."""

    def filtered(row: Row) -> Iterator[Row]:
        if all(test(row) for test in tests):
            yield from then(row)

    return filtered


def scanned(name: str, candidates: Callable[[Row], Sequence[NodeValue]], step: _Step) -> _Maker:
    """Binds a node to each that it may be."""

    def maker(then: Rows) -> Rows:
        def scan(row: Row) -> Iterator[Row]:
            for node in candidates(row):
                step()
                row[name] = node
                yield from then(row)

        return scan

    return maker


def expanded(way: StepWay, step: _Step) -> _Maker:
    """Binds a relation and its far end."""
    name, near, far, types = way.link.name, way.near, way.far, way.link.types
    direction, free, goal_of = way.direction, way.free, way.goal
    every = not way.singles and not way.lists

    def maker(then: Rows) -> Rows:
        def expand(row: Row) -> Iterator[Row]:
            goal = goal_of(row)
            for edge, end in _edges(row[near], types, direction):
                step()
                if (goal is None or end is goal) and (every or free(row, edge)):
                    row[name], row[far] = edge, end
                    yield from then(row)

        return expand

    return maker


def trails(
    way: StepWay, each: str, tests: list[Callable[[Row], bool | None]], step: _Step
) -> _Maker:
    """Binds a relation that stands for several to each way along which no edge comes twice.

    Args:
        way: The relation and its ends.
        each: The name under which an edge is tested.
        tests: What must hold of each edge.
        step: Called for each edge that is looked at.
    """
    link, near, far, direction = way.link, way.near, way.far, way.direction
    least, most = link.pattern.length or (1, 1)
    name, types, backwards = link.name, link.types, near != link.left

    def fitting(row: Row, edge: EdgeValue) -> bool:
        row[each] = edge
        return way.free(row, edge) and all(test(row) for test in tests)

    def maker(then: Rows) -> Rows:
        def walk(row: Row) -> Iterator[Row]:
            start, goal = row[near], way.goal(row)
            trail: list[EdgeValue] = []

            def here(node: NodeValue) -> Iterator[Row]:
                if len(trail) >= least and (goal is None or node is goal):
                    row[name], row[far] = trail[::-1] if backwards else trail[:], node
                    yield from then(row)

            yield from here(start)
            stack = [iter(_edges(start, types, direction) if most != 0 else ())]
            while stack:
                edge, end = next(stack[-1], (None, start))
                if edge is None:
                    stack.pop()
                    if trail:
                        trail.pop()
                    continue
                step()
                if edge in trail or not fitting(row, edge):
                    continue
                trail.append(edge)
                yield from here(end)
                if most is None or len(trail) < most:
                    stack.append(_edges(end, types, direction))
                else:
                    trail.pop()

        return walk

    return maker


def ends(way: StepWay) -> _Maker:
    """Binds the ends of a relation that is bound."""
    link, near, far = way.link, way.near, way.far
    known = way.from_known, way.to_known

    def maker(then: Rows) -> Rows:
        def bind(row: Row) -> Iterator[Row]:
            edge = row[link.name]
            if edge.type not in link.types or not way.free(row, edge):
                return
            ways = [(edge.start, edge.end)] * (way.direction >= 0)
            if way.direction < 0 or (not way.direction and edge.start is not edge.end):
                ways.append((edge.end, edge.start))
            before = row.get(near), row.get(far)
            for both in ways:
                if near == far and both[0] is not both[1]:
                    continue
                pairs = zip(known, before, both, strict=True)
                if all(not held or one is end for held, one, end in pairs):
                    row[near], row[far] = both
                    yield from then(row)

        return bind

    return maker


def routed(variable: str, names: list[str], links: list[EdgeStep]) -> _Maker:
    """Binds the variable of a path."""

    def maker(then: Rows) -> Rows:
        def routed(row: Row) -> Iterator[Row]:
            nodes, edges = [row[names[0]]], []
            for link in links:
                held = row[link.name]
                for edge in held if isinstance(held, list) else (held,):
                    edges.append(edge)
                    nodes.append(edge.end if edge.start is nodes[-1] else edge.start)
            row[variable] = PathValue(tuple(nodes), tuple(edges))
            yield from then(row)

        return routed

    return maker
