"""The card of a release of the kind ``rules``: what only such a card says; the text is ``page.md``."""

from collections.abc import Mapping, Sequence
from typing import Any

from rulemine.config import packaged
from rulemine.release.card.bins import bin_label
from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.card.template import read_texts
from rulemine.release.records import Question
from rulemine.rules.taxonomy import SUBTYPE_NAMES
from rulemine.text.markdown import plain

__all__ = ["RULE_PAGE"]

EXAMPLES = 5

_PROOFS = {
    "body_atoms": "body atoms of the proof",
    "shortest_proof": "body atoms of the shortest remaining proof",
    "proofs": "remaining proofs",
    "confidence": "standard confidence of the proof",
    "prior": "prior of the answer",
    "lift": "lift: confidence / prior",
}


def _values(manifest: Manifest) -> Mapping[str, Any]:
    """The proofs of questions by sub-type, length, confidence, prior and lift."""
    counts = manifest["counts"]
    return {
        "subtypes": {
            SUBTYPE_NAMES.get(kind, kind): {"some": n, "core": counts["core_by_subtype"][kind]}
            for kind, n in counts["questions_by_subtype"].items()
            if n
        },
        "proofs": {
            title: {
                of: {bin_label(key, name): n for name, n in counts[f"{prefix}_by_{key}"].items()}
                for of, prefix in (("all", "questions"), ("core", "core"))
            }
            for key, title in _PROOFS.items()
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


RULE_PAGE = KindPage(read_texts(packaged("kinds", "rules", "page.md")), _values, _examples)
"""What the cards of the kind ``rules`` say."""
