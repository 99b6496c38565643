"""What the questions of a split share with training, and how far a split is from the whole, counted again."""

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

__all__ = ["compare_split"]

Row = dict[str, Any]


def compare_split(split: str, rows: list[Row]) -> Row | None:
    """The figures of a split but what is expected at random; None if it has no questions."""
    part = [row for row in rows if row["split"] == split]
    if not part:
        return None
    train = [_shared(r, [i["answer"] for i in r["hard"]]) for r in rows if r["split"] == "train"]
    asked = [_shared(row, [row["hard_answer"]]) for row in part]
    seen = {key: set().union(*(row[key] for row in train)) for key in asked[0]}
    here, whole = ([_kinds(row) for row in some] for some in (part, rows))
    overlap = {
        key: round(sum(not row[key].isdisjoint(seen[key]) for row in asked) / len(part), 4)
        for key in seen
    }
    return {
        "unseen": {key: sum(row["unseen"][key] for row in part) for key in part[0]["unseen"]},
        "overlap": overlap if train and split != "train" else None,
        "distances": {
            key: _distance(Counter(row[key] for row in here), Counter(row[key] for row in whole))
            for key in here[0]
        },
    }


def _distance(part: Counter[Hashable], whole: Counter[Hashable]) -> float:
    """The total variation distance, rounded as in the manifest."""
    n, total = part.total(), whole.total()
    off = sum(abs(Fraction(part[value], n) - Fraction(k, total)) for value, k in whole.items())
    return round(float(off / 2), 4)


def _shared(row: Row, answers: list[str]) -> dict[str, set[Hashable]]:
    topic, block = row["anchors"][0], row["rules"]
    return {
        "topic": {topic},
        "answer": set(answers),
        "pair": {frozenset((topic, answer)) for answer in answers},
        "relation": {block["relation"]},
        "rule": {block["rule"]},
    }


def _kinds(row: Row) -> dict[str, Hashable]:
    block = row["rules"]
    return {
        "relation": block["relation"],
        "direction": (block["relation"], block["direction"]),
        "rule_type": (block["rule_type"], block["rule_subtype"]),
        "core": row["core"],
    }
