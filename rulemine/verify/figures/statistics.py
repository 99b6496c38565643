"""The statistics of a release of any kind but ``rules``, counted again."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from rulemine.verify.contents import Contents, Row, asked_relations, needed
from rulemine.verify.figures.splits import missing
from rulemine.verify.questions.forms import STRUCTURES
from rulemine.verify.shapes import RULE_TYPES, SPLITS

__all__ = ["count_queries", "times"]

QUARTERS = (0, 25, 50, 75, 100)

MOST_LINKS = 3


def count_queries(rows: list[Row], contents: Contents) -> dict[str, Any]:
    """The figures that all these kinds have."""
    rules, kind = contents.rules, contents.folder.kind
    proofs = (contents.removed[t].certificates[0][0] for row in rows for t in needed(row))
    types = Counter(rules[rule].type[0] for rule in proofs if rule in rules)
    names = (
        list(STRUCTURES.values()) if kind == "structures" else {row["structure"] for row in rows}
    )
    parts = {"all": rows} | {
        name: [row for row in rows if row["structure"] == name] for name in names
    }
    return {
        "hard_by_split": times(SPLITS, (row["split"] for row in rows if row["hard"])),
        "missing_by_type": {kind: types[kind] for kind in RULE_TYPES},
        "statistics": {
            name: _statistics(part, contents.types, contents.degrees)
            for name, part in parts.items()
        },
    }


def _statistics(
    rows: list[Row], types: dict[str, frozenset[str]], degrees: dict[str, int]
) -> dict[str, Any]:
    def mean(size: Callable[[Row], int]) -> float:
        return round(sum(map(size, rows)) / len(rows), 2) if rows else 0.0

    def top(values: Callable[[Row], Iterable[Hashable]]) -> int:
        return max(Counter(value for row in rows for value in values(row)).values(), default=0)

    inferred = Counter(
        (
            "none"
            if not missing(row)
            else "full"
            if missing(row) >= len(row["evidence"])
            else "partial"
        )
        for row in rows
    )
    own = sorted(degrees.get(anchor, 0) for row in rows for anchor in row["anchors"])
    return {
        "questions": len(rows),
        "core": sum(row["core"] for row in rows),
        "by_split": times(SPLITS, (row["split"] for row in rows)),
        "by_missing": times(
            map(str, range(MOST_LINKS + 1)), (str(min(missing(row), MOST_LINKS)) for row in rows)
        ),
        "by_inference": {name: inferred[name] for name in ("none", "partial", "full")},
        "tokens": mean(lambda row: len(re.findall(r"\w+", row["question"]))),
        "answers": mean(lambda row: len(row["answers"])),
        "hard": mean(lambda row: len(row["hard"])),
        "triples": mean(lambda row: len(row["full_evidence"])),
        "entities": len(
            {e for row in rows for s, _, o in row["full_evidence"] for e in (s, o)}
            | {anchor for row in rows for anchor in row["anchors"]}
        ),
        "relations": len({relation for row in rows for relation in asked_relations(row)}),
        "top_anchor": top(lambda row: row["anchors"]),
        "top_relation": top(asked_relations),
        "top_answer": top(lambda row: row["answers"]),
        "same_type": sum(
            frozenset.intersection(*(types.get(a, frozenset()) for a in known)) != frozenset()
            for row in rows
            if (known := [*row["stated"], *(item["answer"] for item in row["hard"])])
        ),
        "mediated": sum(any("./" in name for name in asked_relations(row)) for row in rows),
        "degrees": {str(k): own[(len(own) - 1) * k // 100] if own else 0 for k in QUARTERS},
    }


def times(names: Iterable[str], values: Iterable[str]) -> dict[str, int]:
    """How often each of some values occurs."""
    found = Counter(values)
    return {name: found[name] for name in names}
