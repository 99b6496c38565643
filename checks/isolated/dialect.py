"""Compares what Cypher gives in memory with what a real Neo4j gives: columns, rows as multisets, failures."""

from math import isnan
from typing import Any

from rulemine.cypher.interpreter.values import EdgeValue, NodeValue, PathValue
from rulemine.cypher.rows import Failed, NotRun, row_text
from rulemine.evaluation.cypher.runners import InMemoryRunner
from rulemine.neo4j.bolt import Bolt


def comparison(bolt: Bolt, runner: InMemoryRunner, query: str) -> tuple[str, str]:
    """What a query gave: ``rows``, ``empty``, ``failed`` or ``not run``; and how both differ, or ""."""
    ours, theirs = runner.rows(query), bolt.rows(query)
    if isinstance(ours, NotRun):
        return "not run", ""
    if isinstance(theirs, Failed) or isinstance(ours, Failed):
        alike = isinstance(theirs, Failed) and isinstance(ours, Failed)
        return "failed", "" if alike else f"{query}\n  Neo4j {theirs}\n  ours  {ours}"
    rows = [sorted(row_text(known(list(row))) for row in found.rows) for found in (theirs, ours)]
    kind = "rows" if rows[0] else "empty"
    if theirs.columns == ours.columns and rows[0] == rows[1]:
        return kind, ""
    return kind, f"{query}\n  Neo4j {theirs.columns} {rows[0]}\n  ours  {ours.columns} {rows[1]}"


def known(value: Any) -> Any:
    """A value of either side: nodes, relations and paths by the ids of their own, floats to 12 digits."""
    if isinstance(value, NodeValue | EdgeValue):
        return {"thing": value.properties["id"]}
    if isinstance(value, PathValue):
        return {"path": [known(thing) for thing in (*value.nodes, *value.edges)]}
    if hasattr(value, "relationships") and not hasattr(value, "type"):
        return {"path": [known(thing) for thing in (*value.nodes, *value.relationships)]}
    if hasattr(value, "element_id"):
        return {"thing": value["id"]}
    if isinstance(value, list | tuple):
        return [known(item) for item in value]
    if isinstance(value, dict):
        return {key: known(of) for key, of in value.items()}
    if isinstance(value, float) and not isnan(value):
        return float(f"{value:.12g}")
    return value
