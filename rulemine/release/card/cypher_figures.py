"""The figures that only a release of the kind ``cypher`` has.

Guarantees: as `rulemine.release.card.figures`.
"""

from collections import Counter
from typing import Any

from rulemine.release.card.structure_figures import count_structures
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import CypherQuestion

__all__ = ["count_cypher"]


def count_cypher(parts: ReleaseParts) -> dict[str, Any]:
    """The figures by category of the MATCH template, and those of this kind alone."""
    questions = [q for q in parts.questions if isinstance(q, CypherQuestion)]
    changes = [(q.structure, row) for q in questions for row in q.cypher.levels]
    graph = parts.graph
    return {
        **count_structures(parts),
        "values_complete": sum(len(node.properties) for node in graph.nodes) if graph else 0,
        "values_removed": len(parts.removed_values),
        "values_by_level": {
            str(level): sum(row.level <= level for row in parts.removed_values)
            for level in parts.levels
        },
        "returns": _sorted(Counter(q.cypher.family for q in questions)),
        "rows": sum(len(q.cypher.rows) for q in questions),
        "changed": {
            str(level): _sorted(
                Counter(
                    of for of, row in changes if row.level == level and (row.lost or row.spurious)
                )
            )
            for level in parts.levels
        },
        "rows_lost": {
            str(level): sum(len(row.lost) for _, row in changes if row.level == level)
            for level in parts.levels
        },
        "rows_spurious": {
            str(level): sum(len(row.spurious) for _, row in changes if row.level == level)
            for level in parts.levels
        },
    }


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))
