"""MATCH: the ways in which paths are found in a graph.

Starts from the node that the fewest can be, goes on along the relations, and drops a row as soon as a
condition does not hold. No relation is bound twice in one MATCH. A MATCH is a chain of steps, each of which
binds something in a row and passes the row to the next; the row is changed in place, and the last step
copies it.
"""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from rulemine.cypher.interpreter.compiler import Compiler, Row, Scope
from rulemine.cypher.interpreter.values import (
    EdgeValue,
    EvaluationError,
    NodeValue,
    PathValue,
    kind_of,
)
from rulemine.cypher.language.syntax import (
    NodePattern,
    PathElement,
    RelationPattern,
    SubqueryClause,
    Term,
    joined_by_and,
    parts_of,
)  # fmt: skip

__all__ = ["PathMatcher", "names_in"]

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


def names_in(thing: Any) -> set[str]:
    """The variables that stand anywhere in a term or a pattern."""
    found: set[str] = set()
    for part in parts_of(thing):
        if isinstance(part, NodePattern | PathElement):
            found.add(part.variable)
        elif isinstance(part, SubqueryClause):
            found.update(part.imported or ())
        elif isinstance(part, Term) and part.kind == "variable":
            found.add(part.parts[0])
    return found


class PathMatcher:
    """Makes a function of the paths and the condition of a MATCH.

    Args:
        compiler: What makes functions of expressions.
        paths: The paths.
        where: The condition.
        scope: The variables that are bound before.

    Attributes:
        scope: The variables that are bound then.
        new: Those that are bound here.
    """

    def __init__(
        self, compiler: Compiler, paths: Sequence[PathElement], where: Term | None, scope: Scope
    ) -> None:
        self._compiler, self._before = compiler, scope
        self._graph, self._limits = compiler.graph, compiler.limits
        self._nodes: dict[str, list[NodePattern]] = {}
        self._links: list[EdgeStep] = []
        self._routes: list[tuple[str, list[str], list[EdgeStep]]] = []
        self._conditions: list[Term] = []
        full = dict(scope)
        for path in paths:
            self._add(path, full)
        self.scope: Scope = {name: kind for name, kind in full.items() if not name.startswith("\0")}
        self.new = tuple(name for name in self.scope if name not in scope)
        self._full = full
        links = [link.name for link in self._links]
        self._never = len(set(links)) < len(links)
        if where is not None:
            compiler.condition(where, full)
            self._conditions += joined_by_and(where)

    def _name(self, pattern: NodePattern, kind: str, scope: dict[str, str]) -> str:
        name = pattern.variable or self._compiler.fresh()
        known = scope.setdefault(name, kind)
        if known not in (kind, "List", "", "Null") or (known == "List" and kind[:4] != known):
            self._compiler.fail(f"variable {name} is a {known}, and no {kind}.")
        return name

    def _add(self, path: PathElement, scope: dict[str, str]) -> None:
        if path.shortest:
            self._compiler.unsupported("shortest paths", path.start)
        names, links = [], []
        for node in path.nodes:
            name = self._name(node, "Node", scope)
            names.append(name)
            self._nodes.setdefault(name, []).append(node)
            if node.labels is not None:
                self._conditions.append(Term("is", (Term("variable", (name,)), node.labels)))
            self._conditions += self._held(node, name)
        for pattern, left, right in zip(path.relations, names, names[1:], strict=False):
            several = pattern.length is not None
            name = self._name(pattern, "List<Relationship>" if several else "Relationship", scope)
            if several and pattern.variable in self._before:
                self._compiler.unsupported("a bound list of relations in a path", path.start)
            if several and pattern.where is not None:
                self._compiler.fail("no condition may stand in a relation of variable length.")
            if not several:
                self._conditions += self._held(pattern, name)
            links.append(EdgeStep(name, left, right, pattern, self._types(pattern)))
        self._links += links
        if path.variable:
            if path.variable in scope:
                self._compiler.fail(f"variable {path.variable} is there already.")
            scope[path.variable] = "Path"
            self._routes.append((path.variable, names, links))

    def _held(self, pattern: NodePattern, name: str) -> list[Term]:
        """What a node or relation must be, beside labels, as conditions."""
        found = list(joined_by_and(pattern.where))
        held = pattern.properties
        if held is None:
            return found
        if held.kind != "map":
            self._compiler.term(held, {})
        own = Term("variable", (name,), held.place)
        return found + [
            Term("=", (Term("get", (own, key), held.place), value), held.place)
            for key, value in held.parts
        ]

    def _types(self, pattern: RelationPattern) -> tuple[str, ...]:
        every = tuple(self._graph.counts)
        if pattern.labels is None:
            return every
        holds = self._compiler.labels(pattern.labels)
        return tuple(type_ for type_ in every if holds(type_))

    def rows(self) -> Rows:
        """The function: for a row, the rows with what is bound here besides."""
        if self._never:
            return lambda row: iter(())
        bound, placed = set(self._before), set[str]()
        waiting = [
            (term, (names_in(term) & self._full.keys()) - bound) for term in self._conditions
        ]
        makers: list[Callable[[Rows], Rows]] = []

        def place(maker: Callable[[Rows], Rows], *names: str) -> None:
            nonlocal waiting
            makers.append(maker)
            bound.update(names)
            ready = [term for term, needs in waiting if needs <= bound]
            waiting = [(term, needs) for term, needs in waiting if not needs <= bound]
            if ready:
                tests = [self._compiler.condition(term, self._among(bound)) for term in ready]
                makers.append(lambda then: filtered(tests, then))

        place(lambda then: then)
        while len(placed) < len(self._links) or not self._nodes.keys() <= bound:
            link, near = self._next(bound, placed)
            if link is None:
                start = self._start(bound)
                place(self._scan(start, bound), start)
                continue
            others = [other for other in self._links if other.name in placed]
            maker = self._followed(link, near, frozenset(bound), others)
            placed.add(link.name)
            place(maker, link.name, link.left, link.right)
        for variable, names, links in self._routes:
            place(routed(variable, names, links), variable)
        kept = [*self._before, *self.new]
        run: Rows = lambda row: iter(({name: row[name] for name in kept},))  # noqa: E731
        for maker in reversed(makers):
            run = maker(run)
        return self._begun(run)

    def _among(self, names: Set[str]) -> Scope:
        return {name: self._full[name] for name in names}

    def _begun(self, run: Rows) -> Rows:
        checked: list[tuple[str, type]] = [(n, NodeValue) for n in self._nodes if n in self._before]
        checked += [(link.name, EdgeValue) for link in self._links if link.name in self._before]

        def begun(row: Row) -> Iterator[Row]:
            for name, kind in checked:
                if row[name] is None:
                    return
                if not isinstance(row[name], kind):
                    raise EvaluationError(
                        "TypeError", f"{name} is a {kind_of(row[name])} in a path."
                    )
            yield from run(dict(row))

        return begun

    def _next(self, bound: set[str], placed: set[str]) -> tuple[EdgeStep | None, str]:
        """The relation to follow next, and the end that it is followed from."""
        best: tuple[float, EdgeStep | None, str] = (float("inf"), None, "")
        for link in self._links:
            if link.name in placed:
                continue
            known = [end for end in (link.left, link.right) if end in bound]
            if link.name in bound:
                return link, link.left
            for near in known:
                weight = 0.5 if len(known) == 2 and link.left != link.right else 1.0
                weight *= 1000.0 if link.pattern.length is not None else 1.0
                weight *= self._spread(link, near)
                if weight < best[0]:
                    best = weight, link, near
        return best[1], best[2]

    def _spread(self, link: EdgeStep, near: str) -> float:
        """How many edges a node has, roughly."""
        counts = self._graph.counts
        edges = sum(counts.get(type_, 0) for type_ in link.types) * (
            2 - abs(link.pattern.direction)
        )
        return 0.01 + edges / max(1, len(self._graph.of_types(self._labels(near))))

    def _labels(self, name: str) -> tuple[str, ...]:
        """The types that a node may have, as far as labels say."""
        tests = [
            self._compiler.labels(term.parts[1])
            for term in self._conditions
            if term.kind == "is"
            and term.parts[0].kind == "variable"
            and term.parts[0].parts[0] == name
        ]
        return tuple(label for label in self._graph.types if all(test(label) for test in tests))

    def _start(self, bound: set[str]) -> str:
        """The node to start from, of those that are not bound."""

        def weight(name: str) -> int:
            if self._looked_up(name, bound):
                return 1
            return 2 + len(self._graph.of_types(self._labels(name)))

        return min((name for name in self._nodes if name not in bound), key=weight)

    def _looked_up(self, name: str, bound: set[str]) -> tuple[str, Term, bool] | None:
        """A property that is asked for: its name, the value, and whether that is a list of values."""
        for term in self._conditions:
            if term.kind not in ("=", "in"):
                continue
            for one, other in (term.parts, term.parts[::-1])[: 2 if term.kind == "=" else 1]:
                if (
                    one.kind == "get"
                    and one.parts[0].kind == "variable"
                    and one.parts[0].parts[0] == name
                    and names_in(other) & self._full.keys() <= bound
                ):
                    return one.parts[1], other, term.kind == "in"
        return None

    def _scan(self, name: str, bound: set[str]) -> Callable[[Rows], Rows]:
        """Binds a node to each that it may be."""
        labels, found, graph = self._labels(name), self._looked_up(name, bound), self._graph
        every = graph.of_types(labels) if labels else ()
        candidates: Callable[[Row], Sequence[NodeValue]] = lambda row: every  # noqa: E731
        if found is not None:
            key, term, several = found
            value = self._compiler.term(term, self._among(bound)).run

            def candidates(row: Row) -> Sequence[NodeValue]:
                held = value(row)
                some = held if several and isinstance(held, list | tuple) else (held,)
                if any(isinstance(one, list | tuple) for one in some):
                    return every
                unique = {(type(one) is bool, one): one for one in some if _indexed(one)}
                return [n for one in unique.values() for n in graph.with_value(labels, key, one)]

        return scanned(name, candidates, self._limits.step)

    def _followed(
        self, link: EdgeStep, near: str, bound: frozenset[str], others: list[EdgeStep]
    ) -> Callable[[Rows], Rows]:
        """Binds a relation and the node at its other end."""
        far = link.right if near == link.left else link.left
        direction = link.pattern.direction * (1 if near == link.left else -1)
        own = set(link.types)
        singles = [
            other.name
            for other in others
            if other.pattern.length is None and own & set(other.types)
        ]
        lists = [other.name for other in others if other.pattern.length is not None]
        way = StepWay(link, near, far, direction, near in bound, far in bound, singles, lists)
        step = self._limits.step
        if link.pattern.length is not None:
            edge = self._compiler.fresh()
            inner = {**self._among(bound), edge: "Relationship"}
            held = self._held(link.pattern, edge)
            tests = [self._compiler.condition(term, inner) for term in held]
            return trails(way, edge, tests, step)
        return ends(way) if link.name in bound else expanded(way, step)


def _indexed(value: Any) -> bool:
    return value is not None and not isinstance(value, dict) and value.__hash__ is not None
