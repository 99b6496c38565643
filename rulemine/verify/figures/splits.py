"""What the questions of a split share with training, and how far a split is from the whole, counted again."""

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction

from rulemine.verify.contents import Row, asked_relations, rules_used

__all__ = ["compare_split", "missing"]


def missing(row: Row) -> int:
    """The removed triples that the hard answer of a question needs; 0 if it has none."""
    return sum(item["missing"] for item in row["hard"] if item["answer"] == row["hard_answer"])


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
            key: _distance(*([row[key] for row in some] for some in (here, whole)))
            for key in here[0]
        },
    }


def _distance(part: list[list[Hashable]], whole: list[list[Hashable]]) -> float:
    """Σ |a − b| / Σ (a + b) over the fractions of questions with each value, rounded as in the manifest."""
    here, there = (Counter(value for row in rows for value in row) for rows in (part, whole))
    shares = [(Fraction(here[v], len(part)), Fraction(n, len(whole))) for v, n in there.items()]
    total = sum(a + b for a, b in shares)
    return round(float(sum(abs(a - b) for a, b in shares) / total), 4) if total else 0.0


def _shared(row: Row, answers: list[str]) -> dict[str, set[Hashable]]:
    return {
        "topic": {*row["anchors"]},
        "answer": {*answers},
        "pair": {frozenset((topic, answer)) for topic in row["anchors"] for answer in answers},
        "relation": {*asked_relations(row)},
        "rule": {*rules_used(row)},
    }


def _kinds(row: Row) -> dict[str, list[Hashable]]:
    if row["kind"] != "rules":
        return {
            "structure": [row["structure"]],
            "missing": [missing(row)],
            "relation": [*asked_relations(row)],
            "core": [row["core"]],
        }
    block = row["rules"]
    return {
        "relation": [block["relation"]],
        "direction": [(block["relation"], block["direction"])],
        "rule_type": [(block["rule_type"], block["rule_subtype"])],
        "core": [row["core"]],
    }
