"""Questions in Cypher, on one line, as Neo4j 5 runs them.

Guarantee: whatever names and values hold, the text is one line and means these names and values.
"""

import datetime
import re

from rulemine.cypher.questions.pattern import (
    CURRENT,
    END,
    START,
    MatchPattern,
    PatternEdge,
    PatternNode,
    PatternQuery,
    ReturnClause,
)
from rulemine.kg.property_graph.values import Scalar

__all__ = ["columns_of", "kept_text", "quoted_name", "quoted_value", "returned_text", "to_cypher"]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED = re.compile(r'[\\"\x00-\x1f\x7f-\x9f\u2028\u2029]')


def quoted_name(name: str) -> str:
    """A label, relation or property as Cypher has it: in backquotes if it needs them."""
    if _PLAIN.fullmatch(name):  # Neo4j takes its own words, too
        return name
    return f"`{name.replace('`', '``')}`"


def quoted_value(value: Scalar | None) -> str:
    """A value as Cypher has it."""
    if isinstance(value, str):
        text = _ESCAPED.sub(lambda at: _ESCAPES.get(at[0]) or f"\\u{ord(at[0]):04X}", value)
        return f'"{text}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date):
        return f'date("{value.isoformat()}")'
    if isinstance(value, float):
        value += 0.0  # -0.0 to 0.0: Neo4j has them equal, and one below the other
    return repr(value).replace("e+", "e")


def to_cypher(query: PatternQuery) -> str:
    """A question in Cypher.

    Example:
        >>> from rulemine.cypher import MatchPattern, PatternNode, ReturnClause
        >>> cities, japan = PatternNode("City"), PatternNode("Country", "Japan")
        >>> match = MatchPattern("(n)->(m0*)", (cities, japan), ("inCountry",))
        >>> print(to_cypher(PatternQuery(match, ReturnClause("n_name"))))
        MATCH (n:City)-[r0:inCountry]->(m0:Country {name: "Japan"}) WITH DISTINCT n RETURN n.name
    """
    counts = query.result.template == "n_m0_group_by_count"
    more = "WITH n, count(DISTINCT m0) AS number" if counts else kept_text(query.result)
    return " ".join(filter(None, (_matched(query), more, returned_text(query.result))))


def kept_text(result: ReturnClause) -> str:
    """The clause between MATCH and RETURN: after it, n (and of a comparison m0) is what counts; or ""."""
    if result.template.startswith("union") or result.template == "n_m0_group_by_count":
        return ""
    if result.template.startswith("comparison"):
        name = quoted_name(result.property)
        return f"WHERE n.{name} IS NOT NULL AND m0.{name} IS NOT NULL" * result.known
    return f"WITH DISTINCT n{_where(result)}"


def returned_text(result: ReturnClause, *, keyed: bool = False) -> str:
    """The clauses from RETURN; ``keyed``: all rows of a sorted result, each with its key."""
    own, other = (f"{variable}.{quoted_name(result.property)}" for variable in ("n", "m0"))
    columns = ", ".join(columns_of(result))
    if keyed:
        return f"RETURN n.name, {own}{_order(result)}"
    return {
        "comparison_argmax": f"RETURN CASE WHEN {own} > {other} THEN n.name ELSE m0.name END AS answer",
        "comparison_boolean": f"RETURN {own} = {other} AS answer",
        "comparison_arithmetic": f"RETURN {own} - {other} AS answer",
        "n_prop_distinct": f"RETURN DISTINCT {columns}",
        "n_prop_array_distinct": f"UNWIND {own} AS value RETURN DISTINCT value",
        "n_order_by": f"RETURN {columns}{_order(result)}",
        "n_argmax": f"RETURN {columns}{_order(result)} LIMIT 1",
    }.get(result.template, f"RETURN {columns}")


def columns_of(result: ReturnClause) -> tuple[str, ...]:
    """The names of the columns of a question's result, as Neo4j names them."""
    own = f"n.{quoted_name(result.property)}"
    return {
        "n_prop": (own,),
        "n_name_prop": ("n.name", own),
        "n_prop_distinct": (own,),
        "n_prop_array_distinct": ("value",),
        "n_agg": (_aggregate(result),),
        "n_group_by": (f"n.{quoted_name(result.key)}", _aggregate(result)),
        "n_m0_group_by_count": ("n.name", "number"),
        "comparison_argmax": ("answer",),
        "comparison_boolean": ("answer",),
        "comparison_arithmetic": ("answer",),
        "union_count": ("count(n)",),
    }.get(result.template, ("n.name",))


def _matched(query: PatternQuery) -> str:
    """The clauses that match; after them, n stands in one row for each of its bindings."""
    match, form = query.match, query.match.category.form
    if form == "union":
        arms = (f"MATCH {_path(match, (edge,), set())} RETURN n" for edge in match.edges)
        return f"CALL {{ {' UNION '.join(arms)} }}"
    seen: set[str] = set()
    if form == "optional":
        own, asked = (f"{_path(match, (edge,), seen)}" for edge in match.edges[::-1])
        return f"MATCH {own} OPTIONAL MATCH {asked}"
    if not match.edges:
        return f"MATCH {', '.join(_node(match, name, seen) for name in match.variables)}"
    where = f" WHERE {_time(match)}" if match.time is not None else ""
    return f"MATCH {_path(match, match.edges, seen)}{where}"


def _path(match: MatchPattern, edges: tuple[PatternEdge, ...], seen: set[str]) -> str:
    """Edges, each from the end that is nearer to n; a second one goes on where the first ended if it can."""
    text, end = "", ""
    for edge in edges:
        near, far = match.category.shape[int(edge.variable[1:])]
        start = "" if near == end else (", " if text else "") + _node(match, near, seen)
        relation = f"-[{edge.variable}:{quoted_name(edge.relation)}]-"
        arrow = f"{relation}>" if edge.subject == near else f"<{relation}"
        text += f"{start}{arrow}{_node(match, far, seen)}"
        end = far
    return text


def _node(match: MatchPattern, variable: str, seen: set[str]) -> str:
    """A node; with its label and conditions where it stands first."""
    if variable in seen:
        return f"({variable})"
    seen.add(variable)
    node = match.named[variable]
    return f"({variable}:{quoted_name(node.type)}{_fixed(node)})"


def _fixed(node: PatternNode) -> str:
    if node.id is not None:
        return f" {{id: {quoted_value(node.id)}}}"
    return f" {{name: {quoted_value(node.name)}}}" if node.name is not None else ""


def _time(match: MatchPattern) -> str:
    start, end = f"r0.{START}", f"r0.{END}"
    if match.time == CURRENT:
        return f"{start} IS NOT NULL AND {end} IS NULL"
    return f"{start} <= {match.time} AND ({end} >= {match.time} OR {end} IS NULL)"


def _order(result: ReturnClause) -> str:
    return f" ORDER BY n.{quoted_name(result.property)} {'DESC' if result.descending else 'ASC'}"


def _where(result: ReturnClause) -> str:
    """What n has to be, beside matched."""
    own = f"n.{quoted_name(result.property)}"
    if result.operator:
        if result.operator in ("IN", "NOT IN"):
            negated = "NOT " * (result.operator == "NOT IN")
            return f" WHERE {negated}{quoted_value(result.bound)} IN {own}"
        subject = f"{own}.year" if result.year else own
        return f" WHERE {subject} {result.operator} {quoted_value(result.bound)}"
    if not result.known or result.template == "n_agg":
        return ""
    some = [f"n.{quoted_name(result.key)}"] * bool(result.key) + [own] * bool(result.property)
    return " WHERE " + " AND ".join(f"{name} IS NOT NULL" for name in some) if some else ""


def _aggregate(result: ReturnClause) -> str:
    if result.aggregate == "count":
        return "count(n)"
    subject = f"n.{quoted_name(result.property)}" + ".year" * result.year
    if result.aggregate == "count distinct":
        return f"count(DISTINCT {subject})"
    return f"{result.aggregate}({subject})"
