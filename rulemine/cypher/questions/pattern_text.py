"""Questions of the templates as one line of JSON, and with other names.

Guarantee: reading what was written gives an equal question, and equal questions have the same text.
"""

import datetime
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from rulemine.codec import dump_line, parse_object, shown
from rulemine.cypher.questions.pattern import MatchPattern, PatternNode, PatternQuery, ReturnClause
from rulemine.errors import QueryError, UserError

__all__ = ["query_of", "query_text", "renamed_query"]

_RETURN = {row.name: row.default for row in fields(ReturnClause) if row.name != "template"}


def query_text(query: PatternQuery) -> str:
    """A question as a line.

    Example:
        >>> n = PatternNode("City")
        >>> print(query_text(PatternQuery(MatchPattern("(n)", (n,)), ReturnClause("n_name"))))
        {"match":"(n)","nodes":[{"type":"City"}],"return":"n_name"}
    """
    match, result = query.match, query.result
    row: dict[str, Any] = {
        "match": match.template,
        "nodes": [
            {"type": node.type}
            | ({"name": node.name} if node.name is not None else {})
            | ({"id": node.id} if node.id is not None else {})
            for node in match.nodes
        ],
    }
    if match.relations:
        row["relations"] = match.relations
    if match.time is not None:
        row["time"] = match.time
    row["return"] = result.template
    for name, default in _RETURN.items():
        value = getattr(result, name)
        if value != default or (name == "bound" and value is not None):
            row[name] = {"date": value.isoformat()} if isinstance(value, datetime.date) else value
    return dump_line(row)


def query_of(text: str) -> PatternQuery:
    """The question of a line.

    Raises:
        QueryError: It is no line that `query_text` writes.
    """
    try:
        row = parse_object(text, "query")
        nodes = tuple(PatternNode(**node) for node in row.pop("nodes"))
        relations, time = tuple(row.pop("relations", ())), row.pop("time", None)
        match = MatchPattern(row.pop("match"), nodes, relations, time)
        if isinstance(row.get("bound"), dict):
            row["bound"] = datetime.date.fromisoformat(row["bound"]["date"])
        return PatternQuery(match, ReturnClause(row.pop("return"), **row))
    except (UserError, KeyError, TypeError, ValueError, AttributeError) as problem:
        raise QueryError(f"query {shown(text)}: no question of a template: {problem}") from None


def renamed_query(query: PatternQuery, names: Mapping[str, str]) -> PatternQuery:
    """A question with other names of its fixed nodes.

    Raises:
        KeyError: A fixed node has no other name.
    """
    nodes = tuple(
        node if node.name is None else replace(node, name=names[node.name])
        for node in query.match.nodes
    )
    return replace(query, match=replace(query.match, nodes=nodes))
