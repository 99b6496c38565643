"""What an incomplete graph takes from the rows of a question.

G are the rows on the complete graph, I those on an incomplete one, both as multisets: G ∩ I is kept, G − I
lost, I − G spurious. A pattern only loses matches, but an aggregate, a count or a maximum over them changes.

Guarantee: rows are texts (`rulemine.cypher.rows.row_text`), so equal rows are equal texts; the grades depend
on the question and the graphs alone, not on the order of nodes.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rulemine.cypher.questions.evaluator import Rows, counted_bindings, evaluate
from rulemine.cypher.questions.pattern import PatternQuery
from rulemine.cypher.questions.templates import NAMING
from rulemine.cypher.rows import in_order, row_text
from rulemine.kg.graph import Triple
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import NAME

__all__ = ["Change", "LostRow", "RowGrades", "grade"]

_BY_ONE_MATCH = (
    "n_name", "n_prop", "n_name_prop", "n_order_by", "n_argmax", "n_where", "n_name_special", "union_name",
    "n_prop_distinct", "n_prop_array_distinct",
)  # fmt: skip
"""RETURN templates whose rows each rest on any one match; those of the others rest on all their matches."""


class Change(NamedTuple):
    """The rows at a level.

    Attributes:
        level: The level.
        rows: How many there are.
        lost: Those of the complete graph that are not among them, sorted; a multiset.
        spurious: Those that the complete graph does not give, sorted; a multiset.
    """

    level: int
    rows: int
    lost: tuple[str, ...]
    spurious: tuple[str, ...]


class LostRow(NamedTuple):
    """A row that the last level has not, or not as often.

    Attributes:
        row: The row.
        missing: The removed triples that it lacks, ≥ 1.
        level: From this level on it is lost.
        witness: Where one match gives it, the triples of the match that lacks least; otherwise the removed
            triples of all its matches. Sorted.
    """

    row: str
    missing: int
    level: int
    witness: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class RowGrades:
    """A question's rows on the complete graph, and what each level takes from them.

    Attributes:
        columns: The names of the columns.
        rows: In the order of the result where it counts (rows with equal keys sorted), else sorted.
        ordered: Whether it counts.
        keys: If it does: what each row is sorted by, as text.
        tied: Of ``n_argmax``: all rows that may be the one, sorted.
        changes: For each level, ascending.
        lost: Each distinct row lost at the last level, sorted.
        triples: All triples of its matches, sorted.
        removed: Those of them that are removed, sorted.
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    ordered: bool
    keys: tuple[str, ...]
    tied: tuple[str, ...]
    changes: tuple[Change, ...]
    lost: tuple[LostRow, ...]
    triples: tuple[Triple, ...]
    removed: tuple[Triple, ...]


def grade(
    query: PatternQuery,
    complete: PropertyGraph,
    levels: Sequence[tuple[int, PropertyGraph]],
    removed: Collection[Triple],
    whole: Rows | None = None,
) -> RowGrades:
    """Grades the rows of a question.

    Args:
        query: The question; nodes of one type have different names in the graph.
        complete: The complete graph.
        levels: Levels, ascending, the last with everything removed, each with its graph.
        removed: The triples that are removed.
        whole: Its rows on the complete graph, where they are known.
    """
    whole = evaluate(complete, query) if whole is None else whole
    lines = list(map(row_text, whole.rows))
    keys = [row_text([key]) for key in whole.keys]
    lines = in_order(lines, keys)
    tied = tuple(sorted(map(row_text, whole.tied)))
    matches = list(_matches(query, complete, removed)) if query.match.edges else []
    # No graph gives other matches than the complete one, but where an optional edge of one of these is gone.
    untouched = not any(match.lacks for match in matches)
    changes = tuple(
        Change(level, len(lines), (), ())
        if untouched
        else _changed(level, lines, tied, evaluate(graph, query))
        for level, graph in levels
    )
    return RowGrades(
        whole.columns,
        tuple(lines),
        whole.ordered,
        tuple(keys),
        tied,
        changes,
        tuple(_lost(query, complete, whole, changes, matches)),
        tuple(sorted({triple for match in matches for triple in match.triples})),
        tuple(sorted({triple for match in matches for triple in match.lacks})),
    )


def _changed(level: int, rows: Sequence[str], tied: Sequence[str], there: Rows) -> Change:
    found = list(map(row_text, there.rows))
    if set(tied) & {*found, *map(row_text, there.tied)}:  # another one that is as great is as right
        return Change(level, len(found), (), ())
    before, after = Counter(rows), Counter(found)
    lost, spurious = before - after, after - before
    return Change(
        level, len(found), tuple(sorted(lost.elements())), tuple(sorted(spurious.elements()))
    )


class _Match(NamedTuple):
    """A match of a pattern on the complete graph: n, its triples, and the removed ones of them."""

    n: int
    triples: tuple[Triple, ...]
    lacks: frozenset[Triple]


def _matches(
    query: PatternQuery, graph: PropertyGraph, removed: Collection[Triple]
) -> Iterator[_Match]:
    for row in counted_bindings(graph, query):
        edges = (graph.edges[at] for at in row.edges.values())
        triples = tuple(sorted({(edge.subject, edge.type, edge.object) for edge in edges}))
        yield _Match(
            row.nodes["n"], triples, frozenset(triple for triple in triples if triple in removed)
        )


def _lost(
    query: PatternQuery,
    graph: PropertyGraph,
    whole: Rows,
    changes: Sequence[Change],
    matches: Sequence[_Match],
) -> Iterator[LostRow]:
    """The rows that the last level has not."""
    if not changes[-1].lost:
        return
    lost = {row_text(row): row for row in whole.rows}
    parts: dict[object, list[_Match]] = {}
    for match in matches:
        for part in _parts(query, graph, match.n):
            parts.setdefault(part, []).append(match)
    for text in sorted(set(changes[-1].lost)):
        own = parts[lost[text][0]] if _has_parts(query) else list(matches)
        if query.result.template in _BY_ONE_MATCH:
            best = min(own, key=lambda match: (len(match.lacks), match.triples))
            missing, witness = len(best.lacks), best.triples
        else:
            witness = tuple(sorted({triple for match in own for triple in match.lacks}))
            missing = len(witness)
        level = changes[-1].level
        for change in reversed(changes):
            if text not in change.lost:
                break
            level = change.level
        yield LostRow(text, missing, level, witness)


def _has_parts(query: PatternQuery) -> bool:
    """Whether each row rests on those matches alone whose n has what its first column says."""
    own = {"n_group_by", "n_prop_distinct", "n_prop_array_distinct", *NAMING}
    return query.result.template in own - {"comparison_argmax"}


def _parts(query: PatternQuery, graph: PropertyGraph, n: int) -> tuple[object, ...]:
    """The first columns of the rows that a match with this n has part in."""
    result = query.result
    if result.template == "n_prop_array_distinct":
        value = graph.value(n, result.property)
        return tuple(set(value)) if isinstance(value, tuple) else ()
    if not _has_parts(query):
        return ()
    name = {"n_group_by": result.key, "n_prop_distinct": result.property}.get(result.template, NAME)
    return (graph.value(n, name),)
