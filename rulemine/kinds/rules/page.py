"""The card of a release of the kind ``rules``: what only such a card says; the text is ``page.md``."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from rulemine.config import packaged
from rulemine.files import read_text
from rulemine.kinds.rules.figures import FIGURES
from rulemine.release.card.bins import both
from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.records import Question
from rulemine.rules.taxonomy import SUBTYPE_NAMES
from rulemine.text.markdown import plain

__all__ = ["RULE_PAGE"]

EXAMPLES = 5

_PROOFS = ("body_atoms", "shortest_proof", "proofs", "confidence", "prior", "lift")


def _values(manifest: Manifest) -> Mapping[str, Any]:
    """The proofs of questions by type, length, confidence, prior and lift."""
    counts = manifest["counts"]
    by_confidence = [(floor, n) for floor, n in counts["core_by_confidence"].items() if n]
    at_least = accumulate(n for _, n in reversed(by_confidence))
    return {
        "by": {key: both(counts, key) for key in _PROOFS},
        "floors": dict(
            zip([floor for floor, _ in by_confidence], reversed([*at_least]), strict=True)
        ),
        "subtypes": {
            SUBTYPE_NAMES.get(kind, kind): {"some": n, "core": counts["core_by_subtype"][kind]}
            for kind, n in counts["questions_by_subtype"].items()
            if n
        },
    }


def _examples(questions: Sequence[Question]) -> list[str]:
    ordered = sorted((q for q in questions if q.core), key=lambda q: q.id) or sorted(
        questions, key=lambda q: q.id
    )
    step = max(1, len(ordered) // EXAMPLES)
    return [
        f"- `{q.id}` {plain(q.question)} — hard answer: {plain(str(q.hard_answer))}"
        + (f" (one of {len(q.answers)} answers)" if len(q.answers) > 1 else "")
        for q in ordered[::step][:EXAMPLES]
    ] or ["None."]


RULE_PAGE = KindPage(FIGURES, read_text(packaged("kinds", "rules", "page.md")), _values, _examples)
"""What the cards of the kind ``rules`` say."""
