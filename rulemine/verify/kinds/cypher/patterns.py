"""Questions over a property graph as the record has them, and their matches by brute force.

What a MATCH template means is read from its name: ``(n)<-(m0)->(m1*)`` has an edge from m0 to n and one from
m0 to m1, which is fixed. Within one MATCH no edge is bound twice, as in Neo4j.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from rulemine.verify.contents import Row
from rulemine.verify.kinds.cypher.graphs import LabeledEdge, LabeledGraph

__all__ = ["FAMILIES", "AskedPattern", "EdgeBinding", "bound_edges", "read_pattern"]

_AFTER = re.compile(r"(.*?)( by n| current| in year|)")
_CLAUSE = re.compile(r" or | optional |,(?=\()")
_PART = re.compile(r"\((\w+)(\*?)\)|(->|<-)")

FAMILIES = {
    "n_name": "NAME", "n_prop": "PROPERTY", "n_name_prop": "PROPERTY", "n_prop_distinct": "PROPERTY",
    "n_prop_array_distinct": "PROPERTY", "n_order_by": "SORT", "n_argmax": "ARGMAX", "n_where": "FILTER",
    "n_agg": "AGGREGATE", "n_group_by": "AGGREGATE", "n_name_special": "NAME",
    "n_m0_group_by_count": "AGGREGATE", "comparison_argmax": "COMPARISON",
    "comparison_boolean": "COMPARISON", "comparison_arithmetic": "COMPARISON", "union_count": "AGGREGATE",
    "union_name": "NAME",
}  # fmt: skip
"""RETURN template → its name in Table 12 of CypherBench, or that of the category that it belongs to."""

_KEYS = {
    "match", "nodes", "relations", "time", "return", "property", "key", "operator", "bound", "aggregate",
    "year", "descending", "known",
}  # fmt: skip


class PatternStep(NamedTuple):
    """An edge of a pattern: the variables of its ends, and its relation."""

    subject: str
    relation: str
    object: str


class AskedPattern(NamedTuple):
    """A question.

    Attributes:
        row: The JSON of its query.
        types: Variable → type.
        names: Variable → name, of the nodes that are fixed.
        edges: r0 and r1, as far as there are.
        form: ``match``, ``optional`` or ``union``.
        category: The category of its MATCH template.
    """

    row: Row
    types: dict[str, str]
    names: dict[str, str]
    edges: tuple[PatternStep, ...]
    form: str
    category: str

    @property
    def bound(self) -> Any:
        """What its condition compares with; dates as texts."""
        value = self.row.get("bound")
        return value["date"] if isinstance(value, dict) else value


class EdgeBinding(NamedTuple):
    """A match: variable → node, and its edges."""

    nodes: dict[str, str]
    edges: tuple[LabeledEdge, ...]


def read_pattern(text: str) -> AskedPattern:
    """Reads the query of a question.

    Raises:
        ValueError: It is none.
    """
    try:
        row = json.loads(text)
        if not {"match", "nodes", "return"} <= row.keys() <= _KEYS or row["return"] not in FAMILIES:
            raise ValueError(text)
        return _read(row)
    except (KeyError, TypeError, AttributeError, IndexError) as problem:
        raise ValueError(f"{text}: {problem}") from None


def _read(row: Row) -> AskedPattern:
    plain, after = re.fullmatch(_AFTER, row["match"]).groups()  # type: ignore[union-attr]
    form = "union" if " or " in plain else "optional" if " optional " in plain else "match"
    types: dict[str, str] = {}
    fixed: list[str] = []
    found: list[tuple[str, str, str]] = []
    for clause in re.split(_CLAUSE, plain):
        before = arrow = ""
        parts = list(re.finditer(_PART, clause))
        if "".join(part[0] for part in parts) != clause:
            raise ValueError(clause)
        for part in parts:
            if part[3]:
                arrow = part[3]
                continue
            fixed += [part[1]] * bool(part[2])
            if arrow:
                found.append((before, arrow, part[1]))
            before, arrow = part[1], ""
            types[part[1]] = ""
    if form == "optional":
        found.reverse()  # r0 is the one that may be absent
    relations = row.get("relations", [])
    order = sorted(types, key=["n", "m0", "m1"].index)
    nodes = dict(zip(order, row["nodes"], strict=True))
    edges = tuple(
        PatternStep(left, relation, right) if way == "->" else PatternStep(right, relation, left)
        for (left, way, right), relation in zip(found, relations, strict=True)
    )
    names = {variable: node["name"] for variable, node in nodes.items() if "name" in node}
    if sorted(names) != sorted(set(fixed)):
        raise ValueError(f"{sorted(names)} are fixed")
    special = {" by n": "group-by", " current": "time", " in year": "time"}
    if form != "match" or after:
        category = special.get(after, form)
    elif row["match"] == "(n*),(m0*)":
        category = "comparison"
    else:
        category = re.sub("->|<-", "-", plain)
        category = "(n)=(m0)" if category == "(n)-(m0),(n)-(m0)" else category
    types = {variable: node["type"] for variable, node in nodes.items()}
    return AskedPattern(row, types, names, edges, form, category)


def bound_edges(graph: LabeledGraph, asked: AskedPattern) -> Iterator[EdgeBinding]:
    """All matches of a pattern, those of both arms of a union."""
    if asked.form == "union":
        for step in asked.edges:
            yield from _one_match(graph, asked, (step,), EdgeBinding({}, ()))
    elif asked.form == "optional":
        last, first = asked.edges
        for own in _one_match(graph, asked, (first,), EdgeBinding({}, ())):
            more = list(_one_match(graph, asked, (last,), EdgeBinding(own.nodes, ())))
            for one in more:
                yield EdgeBinding(one.nodes, own.edges + one.edges)
            if not more:
                yield own
    else:
        for one in _one_match(graph, asked, asked.edges, EdgeBinding({}, ())):
            yield from _alone(graph, asked, one)


def _alone(graph: LabeledGraph, asked: AskedPattern, one: EdgeBinding) -> Iterator[EdgeBinding]:
    """Binds the nodes that no edge binds."""
    free = [variable for variable in asked.types if variable not in one.nodes]
    if not free:
        yield one
        return
    variable = free[0]
    named = asked.names.get(variable)
    label = asked.types[variable]
    for node in graph.of_type.get(label, ()) if named is None else [named]:
        if graph.types.get(node) == label:
            more = EdgeBinding(one.nodes | {variable: node}, one.edges)
            if len(free) == 1:
                yield more
            else:
                yield from _alone(graph, asked, more)


def _one_match(
    graph: LabeledGraph, asked: AskedPattern, steps: tuple[PatternStep, ...], one: EdgeBinding
) -> Iterator[EdgeBinding]:
    if not steps:
        yield one
        return

    def known(step: PatternStep) -> dict[str, str]:
        """The ends of a step that are bound or fixed, and what they are."""
        both = {"subject": step.subject, "object": step.object}
        found = {end: one.nodes.get(v, asked.names.get(v)) for end, v in both.items()}
        return {end: node for end, node in found.items() if node is not None}

    step = max(steps, key=lambda step: len(known(step)))
    rest = tuple(other for other in steps if other is not step)
    ends = known(step)
    if ends:
        some = min(
            (graph.leading.get((step.relation, end, node), []) for end, node in ends.items()),
            key=len,
        )
    else:
        some = graph.of_relation.get(step.relation, [])
    for edge in some:
        bound = {step.subject: edge.subject, step.object: edge.object}
        if edge in one.edges or (step.subject == step.object and edge.subject != edge.object):
            continue
        if all(_may_be(graph, asked, one, *pair) for pair in bound.items()) and _in_time(
            asked.row.get("time"), edge
        ):
            more = EdgeBinding(one.nodes | bound, (*one.edges, edge))
            yield from _one_match(graph, asked, rest, more)


def _may_be(
    graph: LabeledGraph, asked: AskedPattern, one: EdgeBinding, variable: str, node: str
) -> bool:
    wanted = one.nodes.get(variable, asked.names.get(variable, node))
    return node == wanted and graph.types[node] == asked.types[variable]


def _in_time(time: Any, edge: LabeledEdge) -> bool:
    """Whether an edge holds at a time; one without an end still does."""
    if time is None:
        return True
    start, end = edge.properties.get("start_year"), edge.properties.get("end_year")
    if start is None:
        return False
    return end is None if time == "current" else start <= time and (end is None or end >= time)
