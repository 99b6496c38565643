"""The figures of the papers' tables for questions written for a subgraph, counted again."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rulemine.verify.contents import Row
from rulemine.verify.figures.statistics import times
from rulemine.verify.shapes import SPLITS, TEST_TYPES

__all__ = ["count_written", "written_rows"]

UP_TO = (1, 2, 3, 4, 5, 6, 8, 10, 20, 50, 100)

_Size = Callable[[Row], int]

_SIZES: dict[str, _Size] = {
    "seeds": lambda row: len(row["anchors"]),
    "hops": lambda row: int(row["hops"]),
    "answers": lambda row: len(row["answers"]),
    "evidence": lambda row: len(row["evidence"]),
    "full_evidence": lambda row: len(row["full_evidence"]),
}


def count_written(rows: list[Row], kind: str) -> dict[str, Any]:
    """The figures that only ``subgraphs``, or only ``variants``, have; none of another kind."""
    parts = {"all": rows} | {
        split: [row for row in rows if row["split"] == split] for split in SPLITS
    }
    if kind == "subgraphs":
        return {
            "subgraphs": {name: _of_subgraphs(part) for name, part in parts.items()},
            "classes": _classes(rows),
            "relation_triples": _relation_triples(rows),
            "histograms": {
                name: _histogram(list(map(size, rows))) for name, size in _SIZES.items()
            },
            "more_evidence": sum(len(row["full_evidence"]) > len(row["evidence"]) for row in rows),
            "minimal_shapes": _minimal_shapes(rows),
        }
    if kind != "variants":
        return {}
    judges = Counter(one["model"] for row in rows for one in row["variants"]["judgements"])
    topics = {row["variants"]["topic"] for row in rows}
    return {
        "variants": {name: _of_variants(part) for name, part in parts.items()},
        "topics": {
            topic: times(
                SPLITS, (row["split"] for row in rows if row["variants"]["topic"] == topic)
            )
            for topic in topics
        },
        "judged": sum(row["variants"]["judgements"] != [] for row in rows),
        "judges": dict(judges),
    }


_TABLES = {
    "subgraphs": {
        "questions": "questions",
        "different relations": "relations",
        "different entities": "entities",
        "different shapes": "shapes",
        "not minimal": "redundant",
        "topic entities, mean": "seeds",
        "hops, mean": "hops",
        "answers, mean": "answers",
        "triples of evidence, mean": "evidence",
        "triples of full evidence, mean": "full_evidence",
    },
    "variants": {
        "questions": "questions",
        "seed texts": "seed_texts",
        "a single answer": "unique",
        "not minimal": "redundant",
        "triples of the subgraph, mean": "subgraph",
        "supporting facts, mean": "facts",
        "entities of the seed text, mean": "seeds",
        "hops, mean": "hops",
        "answers, mean": "answers",
    },
}
"""Key of the figures → label of a row of the card → the figure in it, for each split that has questions."""


def written_rows(figures: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The rows of the card's tables about these figures: label and cells."""
    for kind, labels in _TABLES.items():
        parts = figures.get(kind, {})
        shown = [row for name, row in parts.items() if name != "all" and row["questions"]]
        for label, key in labels.items() if parts else ():
            yield label, [_cell(row, key) for row in (*shown, parts["all"])]
    for key in ("classes", "topics"):
        for label, sizes in figures.get(key, {}).items():
            yield label or "none", [f"{n:,}" for n in sizes.values()]
    for label, sizes in figures.get("minimal_shapes", {}).items():
        ordered = sorted(sizes.items(), key=lambda item: (_edges(item[0]), item[0]))
        named = " · ".join(f"{shape}: {n:,}" for shape, n in ordered)
        yield label, [f"{sum(sizes.values()):,}", named]


def _cell(row: Mapping[str, Any], key: str) -> str:
    value, n = row[key], row["questions"]
    if key in ("redundant", "unique"):
        return f"{100 * value / n:.1f} %" if n else "–"
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}"


def _edges(shape: str) -> int:
    return sum(int(edges or 1) for edges in re.findall(r"\((\d*)", shape))


def _mean(rows: Sequence[Row], size: _Size) -> float:
    return round(sum(map(size, rows)) / len(rows), 2) if rows else 0.0


def _of_subgraphs(rows: list[Row]) -> dict[str, Any]:
    triples = [triple for row in rows for triple in row["full_evidence"]]
    ends = {end for s, _, o in triples for end in (s, o)}
    return {
        "questions": len(rows),
        "relations": len({relation for _, relation, _ in triples}),
        "entities": len(ends.union(*(row["anchors"] for row in rows))),
        "shapes": len({row["shape"] for row in rows}),
        "redundant": sum(row["subgraphs"]["redundant"] for row in rows),
        **{name: _mean(rows, size) for name, size in _SIZES.items()},
    }


def _classes(rows: list[Row]) -> dict[str, dict[str, int]]:
    """Shape → kinds of generalization of its questions; what is no test question is under its split."""
    found = {row["shape"]: dict.fromkeys(("train", *TEST_TYPES), 0) for row in rows}
    for row in rows:
        for name in row["subgraphs"]["test_type"] or [row["split"]]:
            if name in found[row["shape"]]:  # splits at random have no such kinds
                found[row["shape"]][name] += 1
    return found


def _relation_triples(rows: list[Row]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        for _, relation, _ in row["evidence"]:
            found.setdefault(relation, dict.fromkeys(SPLITS, 0))[row["split"]] += 1
    return found


def _histogram(values: Sequence[int]) -> dict[str, int]:
    names = [*map(str, UP_TO), "more"]
    return times(names, (names[bisect_left(UP_TO, value)] for value in values))


def _minimal_shapes(rows: list[Row]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for row in rows:
        if row["subgraphs"]["redundant"]:
            own = found.setdefault(row["shape"], Counter())
            own[row["subgraphs"]["minimal_shape"]] += 1
    return {shape: dict(own) for shape, own in found.items()}


def _of_variants(rows: list[Row]) -> dict[str, Any]:
    return {
        "questions": len(rows),
        "seed_texts": len({row["variants"]["seed_text"] for row in rows}),
        "unique": sum(row["variants"]["unique"] for row in rows),
        "redundant": sum(row["variants"]["redundant"] for row in rows),
        "subgraph": _mean(rows, lambda row: len(row["variants"]["subgraph"])),
        "facts": _mean(rows, lambda row: len(row["variants"]["triples"])),
        "seeds": _mean(rows, lambda row: len(row["variants"]["seeds"])),
        "hops": _mean(rows, _SIZES["hops"]),
        "answers": _mean(rows, _SIZES["answers"]),
    }
