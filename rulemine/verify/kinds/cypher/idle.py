"""Parts of questions over a property graph that do nothing there.

Too little to group or sort: fewer than three values, or all equal. A step from a named node that leads to
all that its relation leads to between nodes of these types. One of two conditions, or an arm of a union,
without which the rows, or what is matched, are the same.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from rulemine.verify.kinds.cypher.graphs import LabeledGraph
from rulemine.verify.kinds.cypher.patterns import AskedPattern, PatternStep, bound_edges
from rulemine.verify.kinds.cypher.rows import counted, rows_of

__all__ = ["idle_parts"]

_LEAST = 3
_BOTH_NEEDED = {"(n)-(m0*),(n)-(m1*)", "(n)=(m0)"}


def idle_parts(graph: LabeledGraph, asked: AskedPattern) -> Iterator[str]:
    """What does nothing in a question.

    Args:
        graph: The complete graph.
        asked: The question.
    """
    returned = asked.row["return"]
    if returned in ("n_group_by", "n_m0_group_by_count"):
        groups = [json.loads(row)[-1] for row in rows_of(graph, asked).rows]
        if _few(groups):
            yield f"groups with {groups[:_LEAST]}"
    if returned in ("n_order_by", "n_argmax"):
        nodes = {one.nodes["n"] for one in counted(graph, asked)}
        if _few(graph.values[n].get(asked.row["property"]) for n in nodes):
            yield f"{len(nodes)} n with too few values to sort"
    yield from _steps(graph, asked)
    if asked.category == "union":
        arms = [_n_of(graph, asked, step) for step in asked.edges]
        if arms[0] <= arms[1] or arms[1] <= arms[0]:
            yield "an arm of the union"
    if asked.category in _BOTH_NEEDED:
        whole = rows_of(graph, asked)
        for step in asked.edges:
            less = rows_of(graph, _alone(asked, step))
            if (
                {*whole.tied} & {*less.tied}
                if whole.tied
                else sorted(less.rows) == sorted(whole.rows)
            ):
                yield f"all conditions but {step.relation}"


def _few(values: Iterable[Any]) -> bool:
    known = [json.dumps(value) for value in values if value is not None]
    return len(known) < _LEAST or len(set(known)) < 2


def _steps(graph: LabeledGraph, asked: AskedPattern) -> Iterator[str]:
    reached = {variable: {name} for variable, name in asked.names.items()}
    left = list(asked.edges) if asked.form != "optional" else list(asked.edges[1:])
    while step := next((s for s in left if {s.subject, s.object} & reached.keys()), None):
        left.remove(step)
        known = asked.names if {step.subject, step.object} & asked.names.keys() else reached
        backward = step.object in known  # looked for: the subjects
        near, far = (step.subject, step.object) if backward else (step.object, step.subject)
        key = asked.types[step.subject], step.relation, asked.types[step.object]
        ever = graph.ends.get(key, (set(), set()))[0 if backward else 1]
        end = "object" if backward else "subject"
        edges = (e for at in reached[far] for e in graph.leading.get((step.relation, end, at), ()))
        found = {edge.subject if backward else edge.object for edge in edges} & ever
        if found == ever:
            yield f"{step.relation}, which leads to all {len(ever)} that it leads to"
        reached.setdefault(near, found)


def _alone(asked: AskedPattern, step: PatternStep) -> AskedPattern:
    """A question with one of its edges."""
    ends = {"n", step.subject, step.object}
    return asked._replace(
        edges=(step,),
        types={v: label for v, label in asked.types.items() if v in ends},
        names={v: name for v, name in asked.names.items() if v in ends},
    )


def _n_of(graph: LabeledGraph, asked: AskedPattern, step: PatternStep) -> set[str]:
    one = _alone(asked, step)._replace(form="match")
    return {match.nodes["n"] for match in bound_edges(graph, one)}
