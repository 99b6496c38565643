"""The card of imported questions; the text is ``page.md``."""

from collections.abc import Mapping, Sequence
from typing import Any

from rulemine.config import packaged
from rulemine.files import read_text
from rulemine.kinds.imported.figures import FIGURES, unknown_figures
from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.records import Question
from rulemine.text.escaping import code, plain

__all__ = ["PAGE"]

_EXAMPLES = 8
_MOST_ANSWERS = 3
"""Answers that an example names."""


def _values(manifest: Manifest) -> Mapping[str, Any]:
    config = manifest["config"]
    return {"section": config[config["kind"]]}


def _examples(questions: Sequence[Question]) -> list[str]:
    """Some questions, evenly over all, each with a few answers."""
    ordered = sorted(questions, key=lambda q: q.id)
    some = ordered[:: max(1, len(ordered) // _EXAMPLES)][:_EXAMPLES]
    lines = []
    for q in some:
        named = ", ".join(map(plain, q.answers[:_MOST_ANSWERS])) or "those of its Cypher"
        more = f" and {len(q.answers) - _MOST_ANSWERS:,} more" * (len(q.answers) > _MOST_ANSWERS)
        lines.append(f"- {code(q.id)} {plain(q.question)} — {named}{more}")
    return lines or ["None."]


PAGE = KindPage(
    FIGURES,
    read_text(packaged("kinds", "imported", "page.md")),
    _values,
    _examples,
    whole=True,
    unknown=unknown_figures,
)
"""What the cards of imported questions say."""
