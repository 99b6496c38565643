"""The rows of a question on a property graph, by its pattern; a second evaluation, of this verifier alone.

Rows are texts: JSON arrays without blanks, null for what is absent. As in Neo4j n are distinct nodes, absent
values compare with nothing, are the greatest when sorted and count in no aggregate.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from rulemine.verify.kinds.cypher.graphs import LabeledGraph
from rulemine.verify.kinds.cypher.patterns import AskedPattern, EdgeBinding, bound_edges

__all__ = ["NAMED", "FoundRows", "counted", "rows_of", "text_of"]

NAMED = {
    "n_name", "n_name_prop", "n_order_by", "n_argmax", "n_where", "n_name_special", "n_m0_group_by_count",
    "union_name", "comparison_argmax",
}  # fmt: skip
"""RETURN templates whose rows begin with the name of a node."""


class FoundRows(NamedTuple):
    """The rows of a question.

    Attributes:
        rows: In order if that counts, rows with equal keys sorted; otherwise sorted.
        keys: What each is sorted by, if order counts.
        tied: All rows that may be the only one, sorted, where the greatest or least is asked for.
    """

    rows: list[str]
    keys: list[str]
    tied: list[str]


def text_of(row: Sequence[Any]) -> str:
    """A row as text."""
    plain = [value + 0.0 if isinstance(value, float) else value for value in row]
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def counted(graph: LabeledGraph, asked: AskedPattern) -> Iterable[EdgeBinding]:
    """The matches that the conditions let through."""
    row = asked.row
    ends = ["n", "m0"] if asked.category == "comparison" else ["n"]
    if row.get("operator"):
        needed: list[str] = []
    elif row.get("known", True) and row["return"] != "n_agg":
        needed = [row[key] for key in ("property", "key") if row.get(key)]
    else:
        needed = []
    for one in bound_edges(graph, asked):
        if row.get("operator") and not _holds(asked, graph.values[one.nodes["n"]]):
            continue
        if all(name in graph.values[one.nodes[end]] for end in ends for name in needed):
            yield one


_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b), "<>": lambda a, b: bool(a != b), "<": lambda a, b: bool(a < b),
    ">": lambda a, b: bool(a > b), "<=": lambda a, b: bool(a <= b), ">=": lambda a, b: bool(a >= b),
    "IN": lambda a, b: b in a, "NOT IN": lambda a, b: b not in a,
}  # fmt: skip


def _holds(asked: AskedPattern, values: dict[str, Any]) -> bool:
    value = _value(asked, values)
    return value is not None and _COMPARED[asked.row["operator"]](value, asked.bound)


def _value(asked: AskedPattern, values: dict[str, Any]) -> Any:
    """The property that is asked about, or its year."""
    value = values.get(asked.row.get("property", ""))
    return int(value[:4]) if value is not None and asked.row.get("year") else value


def rows_of(graph: LabeledGraph, asked: AskedPattern) -> FoundRows:
    """The rows of a question.

    Raises:
        ValueError: It compares what cannot be compared.
    """
    try:
        return _rows(graph, asked)
    except (TypeError, KeyError, IndexError) as problem:
        raise ValueError(f"{asked.row}: {problem!r}") from None


def _rows(graph: LabeledGraph, asked: AskedPattern) -> FoundRows:
    row, matches = asked.row, counted(graph, asked)
    returned, name = row["return"], row.get("property", "")
    if asked.category == "comparison":
        rows = [_compared(graph, asked, one.nodes["n"], one.nodes["m0"]) for one in matches]
        return FoundRows(sorted(map(text_of, rows)), [], [])
    if returned == "n_m0_group_by_count":
        groups: dict[str, set[str]] = {}
        for one in matches:
            groups.setdefault(one.nodes["n"], set()).update(
                [one.nodes["m0"]] if "m0" in one.nodes else []
            )
        return FoundRows(sorted(text_of([n, len(some)]) for n, some in groups.items()), [], [])
    nodes = sorted({one.nodes["n"] for one in matches})
    if returned in ("n_order_by", "n_argmax"):
        return _sorted(graph, asked, nodes)
    values = [graph.values[n].get(name) for n in nodes]
    found: list[list[Any]]
    if returned == "n_prop":
        found = [[value] for value in values]
    elif returned == "n_name_prop":
        found = [[n, value] for n, value in zip(nodes, values, strict=True)]
    elif returned in ("n_prop_distinct", "n_prop_array_distinct"):
        listed = returned == "n_prop_array_distinct"
        items = [item for v in values for item in ((v or []) if listed else [v])]
        found = [[item] for item in {text_of([item]): item for item in items}.values()]
    elif returned == "n_agg":
        found = [[_aggregate(asked, [graph.values[n] for n in nodes])]]
    elif returned == "n_group_by":
        keyed: dict[str, list[str]] = {}
        for n in nodes:
            keyed.setdefault(text_of([graph.values[n].get(row["key"])]), []).append(n)
        found = [
            [json.loads(key)[0], _aggregate(asked, [graph.values[n] for n in some])]
            for key, some in keyed.items()
        ]
    elif returned == "union_count":
        found = [[len(nodes)]]
    else:
        found = [[n] for n in nodes]
    return FoundRows(sorted(map(text_of, found)), [], [])


def _sorted(graph: LabeledGraph, asked: AskedPattern, nodes: list[str]) -> FoundRows:
    name, down = asked.row["property"], bool(asked.row.get("descending"))
    known = [(graph.values[n][name], n) for n in nodes if name in graph.values[n]]
    known.sort(key=itemgetter(0), reverse=down)
    absent = [(None, n) for n in nodes if name not in graph.values[n]]
    order: list[tuple[Any, str]] = [*absent, *known] if down else [*known, *absent]
    pairs = [
        (text_of([key]), text_of([n]))
        for _, run in groupby(order, key=itemgetter(0))
        for key, n in sorted(run, key=lambda pair: text_of([pair[1]]))
    ]
    keys, rows = [key for key, _ in pairs], [row for _, row in pairs]
    if asked.row["return"] == "n_order_by":
        return FoundRows(rows, keys, [])
    tied = [row for row, (value, _) in zip(rows, order, strict=True) if value == order[0][0]]
    return FoundRows(rows[:1], keys[:1], sorted(tied))


def _compared(graph: LabeledGraph, asked: AskedPattern, n: str, m0: str) -> list[Any]:
    one: Any = graph.values[n].get(asked.row["property"])
    other: Any = graph.values[m0].get(asked.row["property"])
    lacking = one is None or other is None
    if asked.row["return"] == "comparison_argmax":
        return [n if not lacking and one > other else m0]
    if lacking:
        return [None]
    return [one == other] if asked.row["return"] == "comparison_boolean" else [one - other]


def _aggregate(asked: AskedPattern, some: list[dict[str, Any]]) -> Any:
    how = asked.row["aggregate"]
    values = [value for own in some if (value := _value(asked, own)) is not None]
    if how == "count":
        return len(some)
    if how == "count distinct":
        return len(Counter(map(json.dumps, values)))
    if not values:
        return None
    if how == "avg":
        return math.fsum(values) / len(values)
    return min(values) if how == "min" else max(values)
