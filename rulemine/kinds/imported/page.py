"""The card of imported questions, what is counted of them, and which figures of all releases they lack.

A figure that cannot be had is null, never 0. The text of the card is ``page.md``.
"""

from rulemine.release.card.figures import FIGURES, KindPage
from rulemine.release.contents import MODEL_COUNTS, ReleaseParts

__all__ = ["PAGE"]

_OF_BUILDS = {
    "core", "core_by_split", "edges_left", "given_away", "hits_hard", "relations_by_wording", "rules",
    "rules_by_type", "sampling", *MODEL_COUNTS,
}  # fmt: skip
_OF_REMOVAL = {"triples_incomplete", "triples_removed", "removed_by_level"}
_OF_GRAPHS = {key for key in FIGURES if key.startswith(("triples", "relations"))}
_OF_GRADES = {"answers_stated", "answers_hard", "hard_by_split", "some_answer_stated"}


def _unknown(parts: ReleaseParts) -> set[str]:
    known = (
        (False, _OF_BUILDS),
        (parts.missing, _OF_REMOVAL),
        (len(parts.complete), _OF_GRAPHS),
        (any(q.graded for q in parts.questions), _OF_GRADES),
    )
    return {key for is_known, keys in known if not is_known for key in keys}


def _executed(parts: ReleaseParts) -> dict[str, int] | None:
    """How the stated answers fit those that queries give; None where no query was executed."""
    asked = [
        (set(q.answers), set(q.block.executed))
        for q in parts.questions
        if getattr(q.block, "executed", None) is not None
    ]
    if not asked:
        return None
    return {
        "questions": len(asked),
        "same": sum(stated == found for stated, found in asked),
        "extra": sum(bool(found - stated) for stated, found in asked),
        "missing": sum(bool(stated - found) for stated, found in asked),
        "not_executed": sum(bool(getattr(q.block, "why", "")) for q in parts.questions),
    }


PAGE = KindPage(
    "kinds/imported/page.md",
    figures={
        "graded": lambda parts: sum(q.graded for q in parts.questions),
        "executed": _executed,
    },
    unknown=_unknown,
)
