"""The figures that only a release of the kind ``cypher`` has.

Guarantees: as `rulemine.release.card.figures`.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from rulemine.kinds.cypher.block import RowChange
from rulemine.kinds.query_figures import figures_of_queries
from rulemine.release.card.bins import by, up_to, upper_names
from rulemine.release.card.figure import Figure
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import Question
from rulemine.release.values import VALUE_RULES

__all__ = ["FIGURES", "LENGTHS"]

LENGTHS = (1, 2, 5, 10, 50, 100)
"""Upper bounds of the bins of numbers of rows."""

_KEYS: dict[str, Callable[[Question], str]] = {
    "category": lambda q: q.structure,
    "return": lambda q: q.block.family,
}


def _by_property(parts: ReleaseParts) -> dict[str, dict[str, int]]:
    nodes = parts.graph.nodes if parts.graph else ()
    types = {node.id: node.type for node in nodes}
    held = Counter(f"{node.type}.{name}" for node in nodes for name in node.properties)
    gone = Counter(f"{types[row.node]}.{row.property}" for row in parts.removed_values)
    return {name: {"values": n, "removed": gone[name]} for name, n in sorted(held.items())}


def _templates(parts: ReleaseParts) -> dict[str, dict[str, int]]:
    asked = parts.questions
    return {
        category: _sorted(q.block.family for q in asked if q.structure == category)
        for category in sorted({q.structure for q in asked})
    }


def _changed(parts: ReleaseParts) -> dict[str, Any]:
    def changed(level: int) -> list[Question]:
        rows = ((q, _at(q, level)) for q in parts.questions)
        return [q for q, row in rows if row.lost or row.spurious]

    return {
        str(level): {of: _sorted(map(key, changed(level))) for of, key in _KEYS.items()}
        for level in parts.levels
    }


def _at(question: Question, level: int) -> RowChange:
    rows: Iterable[RowChange] = question.block.levels
    return next(row for row in rows if row.level == level)


def _by_level(parts: ReleaseParts, size: Callable[[RowChange], int]) -> dict[str, int]:
    return {str(level): sum(size(_at(q, level)) for q in parts.questions) for level in parts.levels}


def _sorted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


_VALUES = "values of properties of nodes, before the removal, and removed, up to each level"
_LOST = "level → rows lost, and rows that only the graph of the level gives"

FIGURES: tuple[Figure, ...] = (
    *figures_of_queries(),
    Figure("values_complete", _VALUES, lambda p: sum(row["values"] for row in _by_property(p).values())),
    Figure("values_removed", _VALUES, lambda p: len(p.removed_values)),
    Figure("values_by_level", _VALUES,
           lambda p: {str(level): sum(row.level <= level for row in p.removed_values) for level in p.levels}),
    Figure("values_by_property", "`Type.property` → `values`, and of them `removed`", _by_property),
    Figure("value_rules", "the rules of `value_rules.jsonl`", lambda p: len(p.records[VALUE_RULES])),
    Figure("templates", "category of MATCH → name of RETURN → questions", _templates),
    Figure("returns", "name of RETURN → questions", lambda p: _sorted(q.block.family for q in p.questions)),
    Figure("lengths", "number of rows, up to 1, 2, 5, 10, 50, 100, or `more` → questions",
           lambda p: by(upper_names(LENGTHS), (up_to(len(q.block.rows), LENGTHS) for q in p.questions))),
    Figure("rows", "rows on the complete graph", lambda p: sum(len(q.block.rows) for q in p.questions)),
    Figure("changed", "level → questions whose rows change, by `category` and by `return`", _changed),
    Figure("rows_lost", _LOST, lambda p: _by_level(p, lambda row: len(row.lost))),
    Figure("rows_spurious", _LOST, lambda p: _by_level(p, lambda row: len(row.spurious))),
)  # fmt: skip
