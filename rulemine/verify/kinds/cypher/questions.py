"""One question about rows: what its record must say, and what its text may name.

Checks that it says what its query says; that rows, order, keys and ties are those of the query on the
complete property graph, and rows, lost and spurious ones those of every level; that answers are the distinct
rows, the disjoint union of stated and hard ones; of each hard row how much is missing, its level, witness and
core, and that the one asked for is the one that the format names; that full evidence, removed triples and
rules are those of its matches; that no part of it is idle; and that the text is its pattern, names every
anchor and, in every naming, no answer.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from rulemine.verify.contents import Contents, Record, Row, as_triple
from rulemine.verify.graph import Triple
from rulemine.verify.kinds.cypher.evaluation import (
    AskedPattern,
    FoundRows,
    LabeledGraph,
    PatternMatch,
    matches,
    read,
    rows_of,
    text_of,
)
from rulemine.verify.questions.texts import (
    Cut,
    check_origin,
    check_patterns,
    check_telling,
    find_leaks,
    in_namings,
    occurrences,
)
from rulemine.verify.report import differing

__all__ = ["check_rows", "idle_parts"]

Part = tuple[Sequence[Any] | None, frozenset[Triple]]
"""A match: the first cells of the rows that it contributes to, see `_begins`, and its triples."""

_GROUPED, _ORDERED = ("n_group_by", "n_m0_group_by_count"), ("n_order_by", "n_argmax")
_BOTH_NEEDED = ("(n)-(m0*),(n)-(m1*)", "(n)=(m0)", "union")

FAMILIES = {
    "n_name": "NAME", "n_prop": "PROPERTY", "n_name_prop": "PROPERTY", "n_prop_distinct": "PROPERTY",
    "n_prop_array_distinct": "PROPERTY", "n_order_by": "SORT", "n_argmax": "ARGMAX", "n_where": "FILTER",
    "n_agg": "AGGREGATE", "n_group_by": "AGGREGATE", "n_name_special": "NAME",
    "n_m0_group_by_count": "AGGREGATE", "comparison_argmax": "COMPARISON",
    "comparison_boolean": "COMPARISON", "comparison_arithmetic": "COMPARISON", "union_count": "AGGREGATE",
    "union_name": "NAME",
}  # fmt: skip
"""RETURN template → its name in Table 12 of CypherBench, or that of the category that it belongs to."""

NAMED = {
    "n_name", "n_name_prop", "n_order_by", "n_argmax", "n_where", "n_name_special", "n_m0_group_by_count",
    "union_name", "comparison_argmax",
}  # fmt: skip
"""RETURN templates whose rows begin with the name of a node."""

ALL_MATCHES = {
    "n_agg", "n_group_by", "n_m0_group_by_count", "comparison_argmax", "comparison_boolean",
    "comparison_arithmetic", "union_count",
}  # fmt: skip
"""RETURN templates whose rows rest on all their matches; a row of the others rests on any one of its own."""


def check_rows(
    contents: Contents, at: Record, graphs: Mapping[int, LabeledGraph]
) -> dict[int, FoundRows]:
    """Checks one question.

    Returns:
        Level → its rows.

    Raises:
        KeyError: Its query cannot be read or evaluated; so do `TypeError`, `ValueError` and `AttributeError`.
    """
    asked, row, graph = read(at.row["query"]), at.row, graphs[0]
    matched = {level: matches(own, asked) for level, own in graphs.items()}
    found = {level: rows_of(graphs[level], asked, own) for level, own in matched.items()}
    stated, expected = row | row["block"], _form(asked) | _rows(row, found)
    parts = [
        (_begins(graph, asked, one), frozenset(edge.triple for edge in one.edges))
        for one in matched[0]
        if expected["levels"][-1]["lost"]
    ]
    triples = {edge.triple for one in matched[0] for edge in one.edges}
    expected |= _hard(contents, row, parts, expected["levels"]) | _evidence(contents, row, triples)
    for key, value in expected.items():
        contents.equal(at, key, *differing(stated[key], value), "the query and the graphs")
    for part in idle_parts(graph, asked, matched[0], found[0]):
        contents.wrong(at, "nothing idle", part, "parts without which something else is asked")
    check_origin(contents, at)
    firsts = [json.loads(answer)[0] for answer in row["answers"] if asked.row["return"] in NAMED]
    for cut in check_patterns(contents, at):
        _check_names(contents, at, cut, firsts)
    joined = {
        name: {step[1] for step in asked.edges if variable in step}
        for variable, name in asked.names.items()
    }
    check_telling(contents, at, joined, firsts)
    return found


def _form(asked: AskedPattern) -> dict[str, Any]:
    """What the record must say of its query, and what no question about rows has."""
    query, far = asked.row, asked.category in ("(n)-(m0)-(m1*)", "group-by")
    read_by = sorted({query[key] for key in ("property", "key") if key in query})
    return {
        "structure": asked.category, "shape": query["match"], "match": query["match"],
        "hops": 2 if far else min(1, len(asked.edges)), "anchors": sorted({*asked.names.values()}),
        "relations": sorted({relation for _, relation, _ in asked.edges}),
        "returns": query["return"], "family": FAMILIES[query["return"]],
        "properties": [f"{asked.types['n']}.{name}" for name in read_by],
        "ordered": query["return"] in _ORDERED,
        "sparql": "", "further": [], "intermediates": [], "value": None, "stated_value": None,
    }  # fmt: skip


def _rows(row: dict[str, Any], found: Mapping[int, FoundRows]) -> dict[str, Any]:
    """What it must say of its rows; of what ties for the greatest or least, it may choose one."""

    def chosen(of: FoundRows, stated: list[str]) -> list[str]:
        return stated if len(stated) == 1 and stated[0] in of.tied else of.rows

    whole, levels = found[0], list[dict[str, Any]]()
    rows = chosen(whole, row["block"]["rows"])
    spurious = {change["level"]: change["spurious"] for change in row["block"]["levels"]}
    for level in sorted(found.keys() - {0}):
        left = found[level]
        before, as_good = Counter(rows), {*whole.tied} & {*left.rows, *left.tied}
        after = before if as_good else Counter(chosen(left, spurious.get(level, [])))
        lost, gained = (sorted(some.elements()) for some in (before - after, after - before))
        levels.append({"level": level, "rows": len(left.rows), "lost": lost, "spurious": gained})
    answers, last = sorted({*rows}), levels[-1]
    return {
        "rows": rows, "keys": whole.keys, "tied": whole.tied, "levels": levels, "answers": answers,
        "stated": [answer for answer in answers if answer not in last["lost"]],
        "spurious": sorted({*last["spurious"]}),
    }  # fmt: skip


def _begins(graph: LabeledGraph, asked: AskedPattern, match: PatternMatch) -> list[Any] | None:
    """The first cells of the rows that a match contributes to; None: it contributes to every row."""
    query, n = asked.row, match.nodes["n"]
    value, key = (graph.values[n].get(query.get(name)) for name in ("property", "key"))
    of_values = {"n_group_by": [key], "n_prop_distinct": [value], "n_prop_array_distinct": value}
    by_name = query["return"] in NAMED - {"comparison_argmax"}
    return [n] if by_name else of_values.get(query["return"])


def _hard(
    contents: Contents, row: Row, parts: Sequence[Part], levels: Sequence[Row]
) -> dict[str, Any]:
    """What it must say of the rows that the last level loses; of witnesses as good it may choose one."""
    removed, ranked = contents.removed, list[tuple[tuple[bool, int, str], Row]]()
    stated = {item["answer"]: [*map(as_triple, item["witness"])] for item in row["hard"]}
    for answer in sorted({*levels[-1]["lost"]}):
        first, *rest = json.loads(answer)
        own = [triples for begins, triples in parts if begins is None or first in begins]
        gone = [triples & removed.keys() for triples in own]
        least = min(map(len, gone))
        possible = [
            sorted(one) for one, lacks in zip(own, gone, strict=True) if len(lacks) == least
        ]
        if row["block"]["returns"] in ALL_MATCHES:
            possible = [sorted(set().union(*gone))]
        witness = stated[answer] if stated.get(answer) in possible else possible[0]
        core = [removed[triple].row["core"] for triple in witness if triple in removed]
        kept = max((one["level"] for one in levels if answer not in one["lost"]), default=0)
        item = {
            "answer": answer, "missing": len(core), "witness": [[*triple] for triple in witness],
            "level": min(one["level"] for one in levels if one["level"] > kept),
            "core": bool(core) and all(core),
        }  # fmt: skip
        source = contents.names(first)["entity"] if row["block"]["returns"] in NAMED else first
        ranked.append(((not item["core"], len(core), text_of([source, *rest])), item))
    nothing: Row = {"answer": None, "core": False, "witness": []}
    best = min(ranked, key=itemgetter(0), default=((), nothing))[1]
    return {
        "hard": [item for _, item in ranked], "hard_answer": best["answer"], "core": best["core"],
        "evidence": best["witness"],
    }  # fmt: skip


def _evidence(contents: Contents, row: Row, triples: set[Triple]) -> dict[str, Any]:
    """What it must say of the triples of all its matches; of too many it has only its evidence."""
    gone = sorted(triples & contents.removed.keys())
    few = len(triples) <= contents.option(contents.kind, "max_evidence")
    return {
        "full_evidence": [[*one] for one in sorted(triples)] if few else row["evidence"],
        "removed": [[*triple] for triple in gone],
        "rules": sorted({contents.removed[one].row["certificate"]["rule"] for one in gone}),
    }


def _check_names(contents: Contents, at: Record, cut: Cut, firsts: list[Any]) -> None:
    """Checks that a text names the anchors and no other node of an answer, in every naming."""
    known = contents.entities
    hidden = [
        contents.names(name) for name in firsts if name in known and name not in at.row["anchors"]
    ]
    for naming, whole, names in in_namings(contents, at, cut):
        # Texts have numbers, which are no leaks.
        for name in find_leaks(
            whole, names, [one[naming] for one in hidden if naming != "numeric"]
        ):
            # Some towns are called Most or Of; as names they stand where no sentence begins.
            starts = (low for low, _ in occurrences(whole, name))
            if any(low and not whole[:low].endswith((". ", "? ")) for low in starts):
                contents.wrong(at, "text hides the answers", whole, f"nothing of {name} ({naming})")


def idle_parts(
    graph: LabeledGraph, asked: AskedPattern, found: Sequence[PatternMatch], whole: FoundRows
) -> Iterator[str]:
    """What does nothing in a question.

    Too little to group or sort: fewer than three values, or all equal. A step from a named node that leads to
    all that its relation leads to between nodes of these types. One of two conditions, or an arm of a union,
    without which the rows, or what is matched, are the same.

    Args:
        graph: The complete graph.
        asked: The question.
        found: Its matches there.
        whole: Its rows there.
    """
    grouped, ordered = (asked.row["return"] in some for some in (_GROUPED, _ORDERED))
    values = [last for row in whole.rows if grouped and (last := json.loads(row)[-1]) is not None]
    if ordered:
        values = [graph.values[n][asked.row["property"]] for n in {one.nodes["n"] for one in found}]
    if (grouped or ordered) and (len(values) < 3 or all(one == values[0] for one in values)):
        yield f"groups or order, of {values[:3]}"
    yield from _idle_steps(graph, asked)
    arms = [_alone(asked, step) for step in asked.edges if asked.category in _BOTH_NEEDED]
    alone = [matches(graph, arm) for arm in arms]
    ns = [{match.nodes["n"] for match in some} for some in alone]
    if asked.category == "union" and (ns[0] <= ns[1] or ns[1] <= ns[0]):
        yield "an arm of the union"
    for arm, some in zip(arms, alone, strict=True) if asked.category != "union" else ():
        less = rows_of(graph, arm, some)
        if {*whole.tied} & {*less.tied} or sorted(less.rows) == sorted(whole.rows):
            yield f"all conditions but {arm.edges[0][1]}"


def _idle_steps(graph: LabeledGraph, asked: AskedPattern) -> Iterator[str]:
    """Steps that lead to all there is, from the named nodes on."""
    reached = {variable: {name} for variable, name in asked.names.items()}
    steps = asked.edges[asked.category == "optional" :]
    for subject, relation, object_ in sorted(
        steps, key=lambda step: not {*step[::2]} & asked.names.keys()
    ):
        at = {"subject": subject, "object": object_}
        known = [end for of in (asked.names, reached) for end in at if at[end] in of]
        for near in known[:1]:
            far = "subject" if near == "object" else "object"
            ever = graph.ends[(asked.types[subject], relation, asked.types[object_]), far]
            edges = (graph.leading[relation, near, node] for node in reached[at[near]])
            found = {
                edge.triple[0 if far == "subject" else 2] for some in edges for edge in some
            } & ever
            if found == ever:
                yield f"{relation}, which leads to all {len(ever)} that it leads to"
            reached.setdefault(at[far], found)


def _alone(asked: AskedPattern, step: Triple) -> AskedPattern:
    """A question with one of its edges."""
    types = {v: asked.types[v] for v in ("n", step[0], step[2])}
    names = {v: name for v, name in asked.names.items() if v in types}
    return asked._replace(edges=(step,), types=types, names=names, category="")
