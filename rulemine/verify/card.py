"""The card (README.md): its figures are those of the release.

Checks the rows of its tables about size, proofs by type and what guessing gets. What else it says, in other
words or of other figures, building again proves.
"""

from collections.abc import Mapping
from typing import Any

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
    rows = {label: [f"{figures[key]:,}" for key in keys] for label, keys in OF_QUESTIONS.items()}
    parts = {"": "questions", "core_": "core"}
    for label, key in SHARES.items():
        rows[label] = [_percent(figures[p + key], figures[of]) for p, of in parts.items()]
    for most in figures["guessed"]:
        many = f"{most} commonest training answers" if most != "1" else "commonest training answer"
        rows[f"Hits@Hard of the {many}"] = [
            _percent(figures[f"{p}guessed"][most], figures[f"{of}_by_split"]["test"])
            if figures["questions_by_split"]["train"]
            else "–"
            for p, of in parts.items()
        ]
    for kind in RULE_TYPES:
        rows[kind] = [
            f"{figures[f'{of}_by_type'][kind]:,}" for of in ("rules", "questions", "core")
        ]
    for number, line in folder.lines(CARD) if folder.has(CARD) else ():
        label, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and rows.get(label, cells) != cells:
            findings.add(CARD, number, "card", shown(line), f"{label}: {', '.join(rows[label])}")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
