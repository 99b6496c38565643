"""The figures that only a release of the kind ``cypher`` has.

Guarantees: as `rulemine.release.card.figures`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rulemine.kinds.query_figures import count_structures
from rulemine.release.card.bins import by, up_to, upper_names
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import CypherQuestion, RowChange

__all__ = ["LENGTHS", "count_cypher"]

LENGTHS = (1, 2, 5, 10, 50, 100)
"""Upper bounds of the bins of numbers of rows."""

_Key = Callable[[CypherQuestion], str]

_KEYS: dict[str, _Key] = {"category": lambda q: q.structure, "return": lambda q: q.cypher.family}


def count_cypher(parts: ReleaseParts) -> dict[str, Any]:
    """The figures by category of the MATCH template, and those of this kind alone."""
    questions = [q for q in parts.questions if isinstance(q, CypherQuestion)]
    nodes = parts.graph.nodes if parts.graph else ()
    types = {node.id: node.type for node in nodes}
    held = Counter(f"{node.type}.{name}" for node in nodes for name in node.properties)
    gone = Counter(f"{types[row.node]}.{row.property}" for row in parts.removed_values)
    return {
        **count_structures(parts),
        "values_complete": held.total(),
        "values_removed": len(parts.removed_values),
        "values_by_level": {
            str(level): sum(row.level <= level for row in parts.removed_values)
            for level in parts.levels
        },
        "values_by_property": {
            name: {"values": n, "removed": gone[name]} for name, n in sorted(held.items())
        },
        "value_rules": len(parts.value_rules),
        "templates": {
            category: _sorted(q.cypher.family for q in questions if q.structure == category)
            for category in sorted({q.structure for q in questions})
        },
        "returns": _sorted(q.cypher.family for q in questions),
        "lengths": by(
            upper_names(LENGTHS), (up_to(len(q.cypher.rows), LENGTHS) for q in questions)
        ),
        "rows": sum(len(q.cypher.rows) for q in questions),
        "changed": {
            str(level): {
                of: _sorted(key(q) for q in questions if _is_changed(_at(q, level)))
                for of, key in _KEYS.items()
            }
            for level in parts.levels
        },
        "rows_lost": _summed(questions, parts.levels, lambda row: len(row.lost)),
        "rows_spurious": _summed(questions, parts.levels, lambda row: len(row.spurious)),
    }


def _at(question: CypherQuestion, level: int) -> RowChange:
    return next(row for row in question.cypher.levels if row.level == level)


def _is_changed(change: RowChange) -> bool:
    return bool(change.lost or change.spurious)


def _summed(
    questions: Sequence[CypherQuestion], levels: Sequence[int], size: Callable[[RowChange], int]
) -> dict[str, int]:
    return {str(level): sum(size(_at(q, level)) for q in questions) for level in levels}


def _sorted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
