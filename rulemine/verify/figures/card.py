"""The card (README.md): its figures are those of the release.

Checks the rows of its tables about size, proofs by type, what guessing gets, and structures. What else it
says, in other words or of other figures, building again proves.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from rulemine.verify.figures.cypher import cypher_rows
from rulemine.verify.figures.written import written_rows
from rulemine.verify.folder import Folder
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import RULE_TYPES

__all__ = ["check_card"]

CARD = "README.md"

OF_QUESTIONS = {
    "questions": ("questions", "core"),
    "hard answers": ("answers_hard", "answers_core"),
    "removed triples": ("triples_removed", "removed_core"),
    "relations asked about": ("relations_asked", "core_relations_asked"),
    "triples before the removal": ("triples_complete",),
    "triples after it": ("triples_incomplete",),
    "entities": ("entities",),
    "relations": ("relations",),
    "rules that proofs may use": ("rules",),
    "rules with a question": ("rules_with_question",),
}
"""Label of a row → the figures in it."""

SHARES = {
    "most frequent hard answer": "top_answer",
    "most frequent relation": "top_relation",
}
"""Label of a row → a figure, as a fraction of all questions and of those of the core."""


def check_card(folder: Folder, figures: Mapping[str, Any], findings: Findings) -> None:
    """Checks the card against figures that were counted again."""
    rows: dict[str, list[list[str]]] = {}
    for label, cells in _rows(figures):
        rows.setdefault(label, []).append(cells)
    for number, line in folder.lines(CARD) if folder.has(CARD) else ():
        label, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells not in rows.get(label, [cells]):
            expected = " or ".join(", ".join(some) for some in rows[label])
            findings.add(CARD, number, "card", shown(line), f"{label}: {expected}")


def _rows(figures: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The rows of its tables: label and cells."""
    parts = {"": "questions", "core_": "core"}
    for label, keys in OF_QUESTIONS.items():
        yield label, [f"{figures[key]:,}" for key in keys]
    for label, key in SHARES.items():
        yield label, [_percent(figures[p + key], figures[of]) for p, of in parts.items()]
    asked = figures.get("hard_by_split", figures["questions_by_split"])["test"]
    for most in figures["guessed"]:
        many = f"{most} commonest training answers" if most != "1" else "commonest training answer"
        cells = [
            _percent(figures[f"{p}guessed"][most], n)
            if figures["questions_by_split"]["train"]
            else "–"
            for p, n in (("", asked), ("core_", figures["core_by_split"]["test"]))
        ]
        yield f"Hits@Hard of the {many}", cells
    proofs = ("rules", "missing") if "missing_by_type" in figures else ("rules", *parts.values())
    for kind in RULE_TYPES:
        yield kind, [f"{figures[f'{of}_by_type'][kind]:,}" for of in proofs]
    yield from written_rows(figures)
    yield from cypher_rows(figures)
    for name, row in figures.get("statistics", {}).items():
        n = row["questions"]
        splits = " / ".join(f"{size:,}" for size in row["by_split"].values())
        most_common = (row[f"top_{of}"] for of in ("anchor", "relation", "answer"))
        sizes = (*row["by_missing"].values(), row["by_inference"]["full"], row["core"])
        yield name, [f"{n:,}", splits, *(f"{size:,}" for size in sizes)]
        means = [f"{row[key]:.2f}" for key in ("tokens", "answers", "hard", "triples")]
        different = [f"{row[key]:,}" for key in ("entities", "relations")]
        yield name, [*means, *different, _percent(row["same_type"], n)]
        degrees = [f"{degree:,}" for degree in row["degrees"].values()]
        yield name, [*degrees, *(_percent(times, n) for times in most_common)]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
