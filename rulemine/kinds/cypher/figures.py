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

__all__ = ["FIGURES", "LENGTHS"]

LENGTHS = (1, 2, 5, 10, 50, 100)
"""Upper bounds of the bins of numbers of rows."""

_KEYS: dict[str, Callable[[Question], str]] = {
    "category": lambda q: q.structure,
    "return": lambda q: q.block.family,
}


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


_LOST = "level → rows lost, and rows that only the graph of the level gives"

FIGURES: tuple[Figure, ...] = (
    *figures_of_queries(),
    Figure("templates", "category of MATCH → name of RETURN → questions", _templates),
    Figure("returns", "name of RETURN → questions", lambda p: _sorted(q.block.family for q in p.questions)),
    Figure("lengths", "number of rows, up to 1, 2, 5, 10, 50, 100, or `more` → questions",
           lambda p: by(upper_names(LENGTHS), (up_to(len(q.block.rows), LENGTHS) for q in p.questions))),
    Figure("rows", "rows on the complete graph", lambda p: sum(len(q.block.rows) for q in p.questions)),
    Figure("changed", "level → questions whose rows change, by `category` and by `return`", _changed),
    Figure("rows_lost", _LOST, lambda p: _by_level(p, lambda row: len(row.lost))),
    Figure("rows_spurious", _LOST, lambda p: _by_level(p, lambda row: len(row.spurious))),
)  # fmt: skip
