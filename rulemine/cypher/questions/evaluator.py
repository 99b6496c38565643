"""Evaluates questions on a property graph in memory, as Neo4j does.

Guarantees: within one MATCH no edge is bound twice; rows are those of the question's Cypher
(`rulemine.cypher.interpreter`) and come in the same order every time.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from rulemine.cypher.interpreter.running import projected
from rulemine.cypher.interpreter.values import stored
from rulemine.cypher.questions.joins import candidates, holds, m0_counts, matched
from rulemine.cypher.questions.pattern import (
    MatchPattern,
    PatternEdge,
    PatternNode,
    PatternQuery,
    ReturnClause,
)
from rulemine.cypher.questions.render import columns_of, kept_text, returned_text
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.values import Value

__all__ = [
    "Binding", "Provenance", "Row", "Rows", "bindings", "counted_bindings", "evaluate", "projected_of",
    "provenance_of",
]  # fmt: skip

Row = tuple[Value | None, ...]


class Binding(NamedTuple):
    """A row of what is matched.

    Attributes:
        nodes: Variable → position of a node, without what an optional edge that is not there would bind.
        edges: Variable → position of an edge, with the same exception.
    """

    nodes: dict[str, int]
    edges: dict[str, int]


@dataclass(frozen=True, slots=True)
class Rows:
    """The result of a question.

    Attributes:
        columns: The names of the columns.
        rows: The rows, with None for null. A node is never a value: its name stands for it, so equal rows may
            be about different nodes.
        ordered: Whether their order is asked for.
        keys: If it is: what each row is sorted by. Rows with equal keys may come in any order.
        tied: Of ``n_argmax``: all rows that may be the one.
    """

    columns: tuple[str, ...]
    rows: list[Row]
    ordered: bool = False
    keys: tuple[Value | None, ...] = ()
    tied: tuple[Row, ...] = ()


class Provenance(NamedTuple):
    """What a result comes from.

    Attributes:
        nodes: The ids of the nodes that its clauses bind, conditions included; sorted.
        edges: The ids of the edges that they bind; sorted.
    """

    nodes: tuple[str, ...]
    edges: tuple[str, ...]


def bindings(
    graph: PropertyGraph, match: MatchPattern, *, together: bool = False
) -> Iterator[Binding]:
    """What a pattern matches, row by row; of a union, the rows of one arm after those of the other.

    Nodes that the template fixes may be left open: then every node of the type is tried.

    Args:
        graph: The graph.
        match: The pattern.
        together: Whether an optional edge must be there, and both arms of a union must match, in one MATCH.
    """
    form = "match" if together else match.category.form
    if form == "union":
        for edge in match.edges:
            yield from _matched(graph, match, (edge,), Binding({}, {}))
    elif form == "optional":
        asked, own = match.edges
        for row in _matched(graph, match, (own,), Binding({}, {})):
            found = False
            for more in _matched(graph, match, (asked,), Binding(row.nodes, {})):
                found = True
                yield Binding(more.nodes, row.edges | more.edges)
            if not found:
                yield row
    else:
        yield from _matched(graph, match, match.edges, Binding({}, {}), match.variables)


def evaluate(graph: PropertyGraph, query: PatternQuery) -> Rows:
    """Answers a question.

    Args:
        graph: The graph.
        query: The question.

    Raises:
        EvaluationError: Neo4j refuses it: a difference has more than 64 bits.
    """
    result, columns = query.result, columns_of(query.result)
    keyed = result.template in ("n_order_by", "n_argmax")
    found = _projected(graph, query, returned_text(result, keyed=keyed))
    if not keyed:
        return Rows(columns, found)
    rows, keys = [row[:1] for row in found], tuple(key for _, key in found)
    if result.template == "n_order_by":
        return Rows(columns, rows, True, keys)
    tied = tuple(row for row, key in zip(rows, keys, strict=True) if key == keys[0])
    return Rows(columns, rows[:1], True, keys[:1], tied)


def _projected(graph: PropertyGraph, query: PatternQuery, returned: str) -> list[tuple[Any, ...]]:
    """What the clauses behind MATCH make of what is matched, which is not looked for again."""
    nodes = stored(graph).nodes
    rows: Iterable[dict[str, Any]]
    if query.result.template.startswith("comparison"):
        kept = kept_text(query.result)
        both = (row.nodes for row in bindings(graph, query.match))
        rows = ({name: nodes[at] for name, at in row.items()} for row in both)
        return projected(f"WITH n, m0 {kept} {returned}", ("n", "m0"))(rows)
    if query.result.template == "n_m0_group_by_count":
        counts = m0_counts(graph, query.match).items()
        rows = ({"n": nodes[at], "number": number} for at, number in counts)
        return projected(returned, ("n", "number"))(rows)
    return projected_of(graph, query.result, matched(graph, query.match).nodes.tolist(), returned)


def projected_of(
    graph: PropertyGraph, result: ReturnClause, distinct: Iterable[int], returned: str = ""
) -> list[tuple[Any, ...]]:
    """What the clauses behind MATCH make of these n.

    Args:
        graph: The graph.
        result: What is returned; of one variable, n.
        distinct: The n, each once, by position.
        returned: The clauses from RETURN; "": those of the result.
    """
    nodes = stored(graph).nodes
    # Each is there once, and most results keep all.
    kept = kept_text(result).replace("WITH DISTINCT n", "WITH n").removesuffix("WITH n")
    rows = ({"n": nodes[at]} for at in distinct)
    return projected(f"{kept} {returned or returned_text(result)}", ("n",))(rows)


def provenance_of(graph: PropertyGraph, query: PatternQuery) -> Provenance:
    """The nodes and edges that a question's clauses bind before they rename, aggregate or limit anything.

    This is the set of CypherBench's provenance subgraph (arXiv 2412.18702, §5.2), with the edges.
    """
    nodes: set[int] = set()
    edges: set[int] = set()
    for row in counted_bindings(graph, query):
        nodes.update(row.nodes.values())
        edges.update(row.edges.values())
    return Provenance(
        tuple(graph.nodes[at].id for at in sorted(nodes)),
        tuple(sorted(graph.edges[at].id for at in edges)),
    )


def _matched(
    graph: PropertyGraph,
    match: MatchPattern,
    edges: tuple[PatternEdge, ...],
    row: Binding,
    alone: Iterable[str] = (),
) -> Iterator[Binding]:
    """The ways to bind edges, and nodes that may stand alone, in one MATCH."""
    if edges:
        # From what is bound or fixed: a name has few nodes, a type many.
        def start(edge: PatternEdge) -> int:
            ends = edge.subject, edge.object
            return min(
                0 if end in row.nodes else 1 if match.named[end].fixed else 2 for end in ends
            )

        edge = min(edges, key=start)
        rest = tuple(other for other in edges if other is not edge)
        for more in _one_edge(graph, match, edge, row):
            yield from _matched(graph, match, rest, more)
        return
    open_ = [name for name in alone if name not in row.nodes]
    if not open_:
        yield row
        return
    for at in candidates(graph, match.named[open_[0]]):
        more = Binding(row.nodes | {open_[0]: at}, row.edges)
        yield from _matched(graph, match, (), more, open_[1:])


def _one_edge(
    graph: PropertyGraph, match: MatchPattern, edge: PatternEdge, row: Binding
) -> Iterator[Binding]:
    ends = edge.subject, edge.object
    forward = _from_the_subject(graph, match, edge, row)
    near, far = ends if forward else ends[::-1]
    joined = graph.leading_out if forward else graph.leading_in
    bound = row.nodes.get(near)
    for start in candidates(graph, match.named[near]) if bound is None else (bound,):
        for at, end in joined(start, edge.relation):
            if at in row.edges.values() or row.nodes.get(far, end) != end:
                continue
            if far == near and end != start:
                continue
            if _is(graph, end, match.named[far]) and holds(graph, at, match.time):
                yield Binding(row.nodes | {near: start, far: end}, row.edges | {edge.variable: at})


def _from_the_subject(
    graph: PropertyGraph, match: MatchPattern, edge: PatternEdge, row: Binding
) -> bool:
    """Whether to look for an edge from its subject: the end that is bound, has fewer edges, or is fixed."""
    subject, object_ = row.nodes.get(edge.subject), row.nodes.get(edge.object)
    if subject is None or object_ is None:
        if subject is None and object_ is None:
            return match.named[edge.subject].fixed or not match.named[edge.object].fixed
        return subject is not None
    out = graph.leading_out(subject, edge.relation)
    return len(out) <= len(graph.leading_in(object_, edge.relation))


def _is(graph: PropertyGraph, at: int, node: PatternNode) -> bool:
    found = graph.nodes[at]
    named = node.name in (None, found.name) if node.id is None else found.id == node.id
    return found.type == node.type and named


def counted_bindings(graph: PropertyGraph, query: PatternQuery) -> Iterator[Binding]:
    """The rows whose n (and m0) is as the result's condition has it."""
    if kept_text(query.result) in ("", "WITH DISTINCT n"):
        yield from bindings(graph, query.match)
        return
    ends = ("n", "m0") if query.result.template.startswith("comparison") else ("n",)
    found = _projected(graph, query, f"RETURN {', '.join(ends)}")
    counted = {tuple(node.at for node in row) for row in found}
    for row in bindings(graph, query.match):
        if tuple(row.nodes[name] for name in ends) in counted:
            yield row
