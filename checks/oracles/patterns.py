"""Answers questions of the templates by brute force: every way to choose edges, then clause by clause.

Shares the trees with `rulemine.cypher`, and neither its search nor its results.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations, product
from math import isclose
from typing import Any, NamedTuple

from rulemine.cypher.questions.evaluator import Rows
from rulemine.cypher.questions.pattern import MatchPattern, PatternEdge, PatternQuery
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph

Table = list[dict[str, Any]]
"""Variable → node, edge, or None."""


class Expected(NamedTuple):
    rows: list[tuple[Any, ...]]
    keys: list[Any]
    nodes: list[str]
    edges: list[str]


Search = Callable[[PropertyGraph, MatchPattern, list[PatternEdge]], Iterator[dict[str, Any]]]
"""Every way to bind the edges of one MATCH."""


def expected(graph: PropertyGraph, query: PatternQuery, search: Search | None = None) -> Expected:
    """Rows (of ``n_argmax`` all that may be the one), what they are sorted by, and what was bound."""
    result = query.result
    table = matched(graph, query.match, search or one_match)
    if result.template == "n_where":
        table = [row for row in table if holds(get(row["n"], result.property), result)]
    elif result.known and result.template != "n_agg":
        names = [name for name in (result.property, result.key) if name]
        of = ["n", "m0"] if result.template.startswith("comparison") else ["n"]
        table = [row for row in table if all(get(row[v], p) is not None for v in of for p in names)]
    bound = [thing for row in table for thing in row.values() if thing is not None]
    nodes = sorted({thing.id for thing in bound if isinstance(thing, GraphNode)})
    edges = sorted({thing.id for thing in bound if isinstance(thing, GraphEdge)})
    rows, keys = projected(table, query)
    return Expected(rows, keys, nodes, edges)


def matched(graph: PropertyGraph, match: MatchPattern, search: Search) -> Table:
    arms = [[edge] for edge in match.edges]
    if match.category.form == "union":
        return [row for arm in arms for row in search(graph, match, arm)]
    if match.category.form == "optional":
        table: Table = []
        asked = list(search(graph, match, arms[0]))
        for row in search(graph, match, arms[1]):
            more = [other | row for other in asked if other["n"] is row["n"]]
            table += more or [row | {"r0": None, "m0": None}]
        return table
    if match.edges:
        return list(search(graph, match, list(match.edges)))
    some = [[x for x in graph.nodes if is_it(x, match, v)] for v in match.variables]
    return [dict(zip(match.variables, row, strict=True)) for row in product(*some)]


def one_match(
    graph: PropertyGraph, match: MatchPattern, edges: list[PatternEdge]
) -> Iterator[dict[str, Any]]:
    for chosen in permutations(graph.edges, len(edges)):
        row: dict[str, Any] = {}
        for pattern, edge in zip(edges, chosen, strict=True):
            ends = {pattern.subject: edge.subject, pattern.object: edge.object}
            fits = edge.type == pattern.relation and in_time(edge, match.time)
            for variable, id_ in ends.items():
                node = graph.node(id_)
                fits &= row.setdefault(variable, node) is node and is_it(node, match, variable)
            if not fits:
                break
            row[pattern.variable] = edge
        else:
            yield row


class ByStatements:
    """Binds each edge of a pattern by any edge that states the same fact, and no fact twice in one MATCH.

    Args:
        graph: The graph, as it is given.
        relations: Relation → its row in ``relations.tsv``.
    """

    def __init__(self, graph: PropertyGraph, relations: Mapping[str, Mapping[str, str]]) -> None:
        self._stated: dict[str, list[tuple[str, str, GraphEdge, object]]] = {}
        for asked, own in relations.items():
            rows = self._stated.setdefault(asked, [])
            for edge in graph.edges:
                row = relations[edge.type]
                if row["fact"] != own["fact"]:
                    continue
                ends = edge.subject, edge.object
                both = ends[:: -1 if row["reversed"] != own["reversed"] else 1]
                declared = sum(other["fact"] == own["fact"] for other in relations.values()) > 1
                fact = (own["fact"], frozenset(ends)) if declared or own["symmetric"] else edge.id
                rows.append((*both, edge, fact))
                if own["symmetric"]:
                    rows.append((*both[::-1], edge, fact))

    def __call__(
        self, graph: PropertyGraph, match: MatchPattern, edges: list[PatternEdge]
    ) -> Iterator[dict[str, Any]]:
        rows: list[tuple[dict[str, Any], list[object]]] = [({}, [])]
        for pattern in edges:
            fitting = [
                (*(graph.node(end) for end in ends), edge, fact)
                for *ends, edge, fact in self._stated[pattern.relation]
                if in_time(edge, match.time)
                and is_it(graph.node(ends[0]), match, pattern.subject)
                and is_it(graph.node(ends[1]), match, pattern.object)
            ]
            at: dict[tuple[str, str], list[Any]] = {}
            for one in fitting:
                at.setdefault((pattern.subject, one[0].id), []).append(one)
                at.setdefault((pattern.object, one[1].id), []).append(one)
            rows = [
                (row | {pattern.subject: s, pattern.object: o, pattern.variable: e}, [*facts, fact])
                for row, facts in rows
                for s, o, e, fact in (
                    next(
                        (
                            at.get((v, row[v].id), [])
                            for v in (pattern.subject, pattern.object)
                            if v in row
                        ),
                        fitting,
                    )
                )
                if fact not in facts
                and row.get(pattern.subject, s) is s
                and row.get(pattern.object, o) is o
            ]
        yield from (row for row, _ in rows)


def is_it(node: GraphNode, match: MatchPattern, variable: str) -> bool:
    wanted = match.named[variable]
    if wanted.id is not None and node.id != wanted.id:
        return False
    return node.type == wanted.type and (wanted.name is None or wanted.name == node.name)


def in_time(edge: GraphEdge, time: str | int | None) -> bool:
    first, last = edge.properties.get("start_year"), edge.properties.get("end_year")
    if time is None:
        return True
    if first is None:
        return False
    return last is None if time == "current" else first <= time <= (time if last is None else last)  # type: ignore[operator]


def get(node: GraphNode, name: str) -> Any:
    return node.properties.get(name)


def holds(value: Any, result: Any) -> bool:
    if value is None:
        return False
    if result.operator.endswith("IN"):
        return (list(value).count(result.bound) > 0) == (result.operator == "IN")
    value = value.year if result.year else value
    below, equal = value < result.bound, value == result.bound
    return {
        "=": equal, "<>": not equal, "<": below, ">": not below and not equal, "<=": below or equal,
        ">=": not below,
    }[result.operator]  # fmt: skip


def projected(table: Table, query: PatternQuery) -> tuple[list[tuple[Any, ...]], list[Any]]:
    result, name = query.result, query.result.property
    if result.template.startswith("comparison"):
        return [(compared(row["n"], row["m0"], result),) for row in table], []
    every = {row["n"].id: row["n"] for row in table}.values()
    if result.template == "n_m0_group_by_count":
        own = {n.id: {row["m0"].id for row in table if row["n"] is n and row["m0"]} for n in every}
        return [(n.name, len(own[n.id])) for n in every], []
    if result.template == "union_count":
        return [(len(every),)], []
    if result.template in ("n_order_by", "n_argmax"):
        order = sorted(
            every,
            key=lambda n: (get(n, name) is None, get(n, name) or 0),
            reverse=result.descending,
        )
        keys = [get(n, name) for n in order]
        if result.template == "n_argmax":
            order = [n for n in order if get(n, name) == keys[0]]
        return [(n.name,) for n in order], keys
    if result.template == "n_agg":
        return [(aggregate(list(every), result),)], []
    if result.template == "n_group_by":
        groups: dict[Any, list[GraphNode]] = {}
        for n in every:
            groups.setdefault(get(n, result.key), []).append(n)
        return [(key, aggregate(own, result)) for key, own in groups.items()], []
    if result.template == "n_prop_distinct":
        return [(value,) for value in {get(n, name) for n in every}], []
    if result.template == "n_prop_array_distinct":
        return [(item,) for item in {item for n in every for item in get(n, name) or ()}], []
    shown = {"n_prop": lambda n: (get(n, name),), "n_name_prop": lambda n: (n.name, get(n, name))}
    return [shown.get(result.template, lambda n: (n.name,))(n) for n in every], []


def compared(n: GraphNode, m0: GraphNode, result: Any) -> Any:
    one, other = get(n, result.property), get(m0, result.property)
    if result.template == "comparison_argmax":
        return n.name if None not in (one, other) and one > other else m0.name
    if one is None or other is None:
        return None
    return one == other if result.template == "comparison_boolean" else one - other


def aggregate(some: list[GraphNode], result: Any) -> Any:
    values = [get(n, result.property) for n in some if get(n, result.property) is not None]
    values = [value.year for value in values] if result.year else values
    if result.aggregate.startswith("count"):
        return len(some) if result.aggregate == "count" else len(set(values))
    if not values:
        return None
    return {"min": min, "max": max, "avg": lambda v: sum(v) / len(v)}[result.aggregate](values)


def differs(rows: Rows, wanted: Expected) -> bool:
    """Whether rows are others than wanted, up to what the question leaves open."""
    if rows.tied or (rows.ordered and not rows.rows):
        return not same(list(rows.tied), wanted.rows) or rows.rows[:1] != list(rows.tied[:1])
    return not same(rows.rows, wanted.rows) or list(rows.keys) != wanted.keys * rows.ordered


def same(some: list[Any], others: list[Any]) -> bool:
    """Whether these are the same rows, in any order; numbers up to 1e-9, truth values are no numbers."""
    if len(some) != len(others):
        return False
    return all(
        len(one) == len(other) and all(map(equal, one, other))
        for one, other in zip(sorted(some, key=by), sorted(others, key=by), strict=True)
    )


def by(row: tuple[Any, ...]) -> str:
    return repr([round(value, 6) + 0.0 if isinstance(value, float) else value for value in row])


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-9)
    return type(one) is type(other) and bool(one == other)
