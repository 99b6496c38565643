"""The figures that only releases of the kind ``cypher`` have, against the files themselves."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from rulemine.kinds.cypher.page import LENGTHS
from rulemine.kinds.query_figures import figures_of_queries
from rulemine.kinds.registry import KINDS
from rulemine.release.card.bins import up_to, upper_names
from tests.releases import built
from tests.verify.tiny import read_file

LEVELS = (50, 100)


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in read_file(folder, name).splitlines()]


def test_a_small_release_counted_from_its_files() -> None:
    folder = built("coast") / "release"
    counts = json.loads((folder / "manifest.json").read_text("utf-8"))["counts"]
    asked = [
        row
        for split in ("train", "validation", "test")
        for row in rows_of(folder, f"questions/{split}.jsonl")
    ]
    blocks = [row["block"] for row in asked]
    sizes = [len(block["rows"]) for block in blocks]
    assert counts["rows"] == sum(sizes) > len(asked)
    assert counts["lengths"] == {
        name: sum(up_to(size, LENGTHS) == name for size in sizes) for name in upper_names(LENGTHS)
    }
    families = Counter(block["family"] for block in blocks)
    assert counts["returns"] == families
    assert counts["templates"] == {
        category: Counter(row["block"]["family"] for row in asked if row["structure"] == category)
        for category in {row["structure"] for row in asked}
    }
    for place, level in enumerate(LEVELS):
        changes = [block["levels"][place] for block in blocks]
        assert {change["level"] for change in changes} == {level}
        for key in ("lost", "spurious"):
            number = sum(len(change[key]) for change in changes)
            assert counts[f"rows_{key}"][str(level)] == number
        changed = [
            row
            for row, change in zip(asked, changes, strict=True)
            if change["lost"] or change["spurious"]
        ]
        found = counts["changed"][str(level)]
        assert found["category"] == Counter(row["structure"] for row in changed)
        assert found["return"] == Counter(row["block"]["family"] for row in changed)
    shared = {figure.key for figure in figures_of_queries()}
    assert [figure.key for figure in KINDS["cypher"].page.figures if figure.key not in shared] == [
        "templates", "returns", "lengths", "rows", "changed", "rows_lost", "rows_spurious",
    ]  # fmt: skip
