"""A property graph, what a question over it asks, its matches by brute force, and its rows.

A second evaluation, of this verifier alone. What a MATCH template means is read from its name:
``(n)<-(m0)->(m1*)`` has an edge from m0 to n and one from m0 to m1, which is fixed by its name. As in Neo4j
no edge is bound twice within one MATCH, n are distinct nodes, and absent values compare with nothing and
count in no aggregate. Where values are returned, sorted or grouped by, only n with such a value count.
"""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby, product
from operator import itemgetter
from typing import Any, NamedTuple

from rulemine.verify.graph import Triple

__all__ = [
    "AskedPattern", "FoundRows", "LabeledEdge", "LabeledGraph", "PatternMatch", "matches", "read", "rows_of",
    "text_of",
]  # fmt: skip

_CATEGORIES = {
    " or ": "union", " optional ": "optional", " by n": "group-by", " current": "time", " in year": "time",
    "(n*),(m0*)": "comparison", "(n)-(m0),(n)-(m0)": "(n)=(m0)",
}  # fmt: skip
"""What names of MATCH templates have in them → the category; the others are categories themselves."""

_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b), "<>": lambda a, b: bool(a != b), "<": lambda a, b: bool(a < b),
    ">": lambda a, b: bool(a > b), "<=": lambda a, b: bool(a <= b), ">=": lambda a, b: bool(a >= b),
    "IN": lambda a, b: b in a, "NOT IN": lambda a, b: b not in a,
}  # fmt: skip


class LabeledEdge(NamedTuple):
    """An edge.

    Attributes:
        id: Its id.
        triple: What it states.
        signature: The type of its subject, its relation, the type of its object; "" for what is no node.
        properties: Property → value.
    """

    id: str
    triple: Triple
    signature: Triple
    properties: dict[str, Any]


class LabeledGraph:
    """A property graph; dates are texts.

    Attributes:
        plain: The JSON of its file, SimpleKG.
        types: Node → type.
        values: Node → property → value.
        edges: All edges.
        leading: Relation, ``subject`` or ``object``, and a node → the edges with that node at that end;
            relation and twice "" → all its edges.
        ends: A signature, and ``subject`` or ``object`` → the nodes at that end of such edges.
    """

    def __init__(self, plain: dict[str, Any]) -> None:
        self.plain, self.edges = plain, list[LabeledEdge]()
        self.types: dict[str, str] = {row["eid"]: row["label"] for row in plain["entities"]}
        self.values = {row["eid"]: row["properties"] for row in plain["entities"]}
        self.leading: dict[Triple, list[LabeledEdge]] = defaultdict(list)
        self.ends: dict[tuple[Triple, str], set[str]] = defaultdict(set)
        for row in plain["relations"]:
            subject, relation, object_ = triple = row["subj_id"], row["label"], row["obj_id"]
            signature = self.types.get(subject, ""), relation, self.types.get(object_, "")
            self.edges.append(LabeledEdge(row["rid"], triple, signature, row["properties"]))
            for end, node in (("subject", subject), ("object", object_), ("", "")):
                self.leading[relation, end, node].append(self.edges[-1])
                self.ends[signature, end].add(node)


class AskedPattern(NamedTuple):
    """A question.

    Attributes:
        row: The JSON of its query.
        types: Variable → type.
        names: Variable → node, of the nodes that are fixed.
        edges: r0 and r1, as far as there are: variable, relation, variable. Of ``optional`` r0 is the one
            that may be absent.
        category: The category of its MATCH template.
    """

    row: dict[str, Any]
    types: dict[str, str]
    names: dict[str, str]
    edges: tuple[Triple, ...]
    category: str


class PatternMatch(NamedTuple):
    """Variable → node, and the edges that are bound."""

    nodes: dict[str, str]
    edges: tuple[LabeledEdge, ...] = ()


class FoundRows(NamedTuple):
    """The rows of a question, texts: JSON arrays without blanks.

    Attributes:
        rows: In order if that counts, rows with equal keys sorted; otherwise sorted.
        keys: What each is sorted by, if order counts.
        tied: All rows that may be the only one, sorted, where the greatest or least is asked for.
    """

    rows: list[str]
    keys: list[str]
    tied: list[str]


def read(text: str) -> AskedPattern:
    """Reads the query of a question.

    Raises:
        ValueError: It is none; so do `KeyError`, `TypeError` and `AttributeError`.
    """
    row = json.loads(text)
    name = row["match"]
    variables = sorted({*re.findall(r"\((\w+)", name)}, key=["n", "m0", "m1"].index)
    nodes = dict(zip(variables, row["nodes"], strict=True))
    names = {variable: node["name"] for variable, node in nodes.items() if "name" in node}
    dashed = re.sub("->|<-", "-", name)
    category = next((value for part, value in _CATEGORIES.items() if part in dashed), dashed)
    arrows = re.findall(r"\((\w+)\*?\)(->|<-)(?=\((\w+))", name)
    in_order = arrows[::-1] if category == "optional" else arrows
    edges = tuple(
        (left, relation, right) if arrow == "->" else (right, relation, left)
        for (left, arrow, right), relation in zip(in_order, row.get("relations", []), strict=True)
    )
    return AskedPattern(row, {v: node["type"] for v, node in nodes.items()}, names, edges, category)


def matches(graph: LabeledGraph, asked: AskedPattern) -> list[PatternMatch]:
    """The matches of a pattern that have the values that are needed, and that its condition lets through."""
    row, found = asked.row, [*_matches(graph, asked)]
    keys = [row[key] for key in ("property", "key") if key in row and row["return"] != "n_agg"]
    for key, end in product(keys, ("n", "m0") if asked.category == "comparison" else ("n",)):
        found = [one for one in found if key in graph.values[one.nodes[end]]]
    if "operator" not in row:
        return found
    bound = row["bound"]["date"] if isinstance(row["bound"], dict) else row["bound"]
    values = ((match, _value(graph, row, match.nodes["n"])) for match in found)
    return [match for match, value in values if _COMPARED[row["operator"]](value, bound)]


def _matches(graph: LabeledGraph, asked: AskedPattern) -> Iterator[PatternMatch]:
    """All matches; of a union those of both arms."""
    # From the named nodes on.
    steps = sorted(asked.edges, key=lambda step: not {step[0], step[2]} & asked.names.keys())
    if asked.category == "optional":
        for own in _joined(graph, asked, asked.edges[1:], PatternMatch({})):
            more = _joined(graph, asked, asked.edges[:1], PatternMatch(own.nodes))
            yield from [PatternMatch(one.nodes, own.edges + one.edges) for one in more] or [own]
    elif steps:
        for arm in [[step] for step in steps] if asked.category == "union" else [steps]:
            yield from _joined(graph, asked, arm, PatternMatch({}))
    else:
        some = (
            [
                node
                for node, own in graph.types.items()
                if own == label and asked.names.get(v, node) == node
            ]
            for v, label in asked.types.items()
        )
        for nodes in product(*some):
            yield PatternMatch(dict(zip(asked.types, nodes, strict=True)))


def _joined(
    graph: LabeledGraph, asked: AskedPattern, steps: Sequence[Triple], match: PatternMatch
) -> Iterator[PatternMatch]:
    """The ways to bind some edges of a pattern, too."""
    if not steps:
        yield match
        return
    subject, relation, object_ = steps[0]
    known, time = asked.names | match.nodes, asked.row.get("time")
    ends = [(end, known[v]) for end, v in (("subject", subject), ("object", object_)) if v in known]
    some = (graph.leading.get((relation, *end), []) for end in ends or [("", "")])
    for edge in min(some, key=len):
        new = {subject: edge.triple[0], object_: edge.triple[2]}
        fits = all(
            known.get(variable, node) == node and graph.types[node] == asked.types[variable]
            for variable, node in new.items()
        )
        if fits and edge not in match.edges and _in_time(time, edge.properties):
            more = PatternMatch(match.nodes | new, (*match.edges, edge))
            yield from _joined(graph, asked, steps[1:], more)


def _in_time(time: Any, values: dict[str, Any]) -> bool:
    """Whether an edge holds at a time; one without an end still does."""
    start, end = values.get("start_year", math.inf), values.get("end_year", math.inf)
    if time == "current":
        return bool(start < math.inf == end)
    return time is None or bool(start <= time <= end)


def _value(graph: LabeledGraph, row: dict[str, Any], node: str) -> Any:
    """The value of a node that is asked about, or its year; None if it has none."""
    value = graph.values[node].get(row.get("property"))
    return int(value[:4]) if value is not None and row.get("year") else value


def text_of(row: list[Any]) -> str:
    """A row as text, where no zero has a sign."""
    if "-0.0" in str(row):
        row = json.loads(json.dumps(row), parse_float=lambda digits: float(digits) + 0.0)
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def rows_of(graph: LabeledGraph, asked: AskedPattern, found: Sequence[PatternMatch]) -> FoundRows:
    """The rows of a question, by its `matches`.

    Raises:
        KeyError: Its query lacks something; so do `TypeError` and `ValueError`.
    """
    row, nodes = asked.row, sorted({match.nodes["n"] for match in found})
    pairs = {(match.nodes["n"], match.nodes.get("m0", "")) for match in found}
    number = Counter(n for n, m0 in pairs if m0)
    others = {m0 for _, m0 in pairs if asked.category == "comparison"}
    value = {node: _value(graph, row, node) for node in (*nodes, *others)}
    if row["return"] in ("n_order_by", "n_argmax"):
        return _sorted(row, value)
    given: dict[str, Callable[[], Iterable[list[Any]]]] = {
        "n_prop": lambda: ([value[n]] for n in nodes),
        "n_name_prop": lambda: ([n, value[n]] for n in nodes),
        "n_prop_distinct": lambda: ([one] for one in {*value.values()}),
        "n_prop_array_distinct": lambda: ([one] for one in {*chain(*value.values())}),
        "n_agg": lambda: [[_aggregate(row["aggregate"], [*value.values()])]],
        "n_group_by": lambda: (
            [key, _aggregate(row["aggregate"], [value[n] for _, n in own])]
            for key, own in groupby(
                sorted((graph.values[n][row["key"]], n) for n in nodes), itemgetter(0)
            )
        ),
        "n_m0_group_by_count": lambda: ([n, number[n]] for n in nodes),
        "union_count": lambda: [[len(nodes)]],
        "comparison_argmax": lambda: ([n if value[n] > value[m0] else m0] for n, m0 in pairs),
        "comparison_boolean": lambda: ([value[n] == value[m0]] for n, m0 in pairs),
        "comparison_arithmetic": lambda: ([value[n] - value[m0]] for n, m0 in pairs),
    }
    rows = given.get(row["return"], lambda: ([n] for n in nodes))()
    return FoundRows(sorted(map(text_of, rows)), [], [])


def _sorted(row: dict[str, Any], value: dict[str, Any]) -> FoundRows:
    """The rows where nodes are sorted by their values, or the one with the least or greatest is asked for."""
    order = sorted((text_of([n]), n) for n in value)
    order.sort(key=lambda pair: value[pair[1]], reverse=row.get("descending", False))
    rows, keys = [text for text, _ in order], [text_of([value[n]]) for _, n in order]
    if row["return"] == "n_order_by":
        return FoundRows(rows, keys, [])
    return FoundRows(
        rows[:1], keys[:1], [text for text, n in order if value[n] == value[order[0][1]]]
    )


def _aggregate(how: str, given: list[Any]) -> Any:
    """An aggregate over the values of some nodes; None if there is nothing to aggregate."""
    values = [value for value in given if value is not None]
    if how.startswith("count"):
        return len({text_of([one]) for one in values} if how == "count distinct" else given)
    if how == "avg" and values:
        return math.fsum(values) / len(values)
    return (min if how == "min" else max)(values, default=None)
