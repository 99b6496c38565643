"""What is counted of questions that others published, and which figures of all releases they lack.

A figure that cannot be had is null, never 0.
"""

from collections import Counter

from rulemine.release.card.bins import by_size
from rulemine.release.card.figure import Figure
from rulemine.release.card.figures import FIGURES as OF_ALL
from rulemine.release.contents import MODEL_COUNTS, ReleaseParts

__all__ = ["FIGURES", "unknown_figures"]

_OF_BUILDS = frozenset(
    ("selected_by_another", "answers_core", "inverse_edge_left", "parallel_edge_left",
     "restating_edge_left", "guessed", "triples_askable", "rules_by_type", "certificates", "rules",
     "rules_with_certificate", "rules_with_question", "phrases_written", "phrases_derived")
)  # fmt: skip
"""What builds have alone, beside the figures of the core."""

_OF_REMOVAL = frozenset(
    ("triples_incomplete", "triples_removed", "removed_by_level", "removed_not_asked",
     "removed_further_statements")
)  # fmt: skip

_OF_GRADES = frozenset(
    ("answers_stated", "answers_hard", "answers_further", "some_answer_stated", "several_hard_answers",
     "top_answer", "removed_not_asked")
)  # fmt: skip

_OF_RELATIONS = frozenset(("top_relation", "relations_asked", "effective_relations"))


def unknown_figures(parts: ReleaseParts) -> set[str]:
    """The keys of the figures of all releases that cannot be had, see `Kind.unknown`."""
    keys = {figure.key for figure in OF_ALL}
    found = {key for key in keys if "core" in key.split("_")} | _OF_BUILDS | {*MODEL_COUNTS}
    if not len(parts.complete):
        found |= {key for key in keys if "triples" in key.split("_")} | _OF_REMOVAL
        found |= {key for key in keys if key.startswith(("relations", "overlapping"))}
    elif not parts.missing:
        found |= _OF_REMOVAL
    if not any(q.graded for q in parts.questions):
        found |= _OF_GRADES
    if not any(q.relations for q in parts.questions):
        found |= _OF_RELATIONS
    return found - {"splits"}


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


FIGURES = (
    Figure("graded", "questions with an answer of which it is known whether the incomplete graph states it",
           lambda parts: sum(q.graded for q in parts.questions), after="questions"),
    Figure("executed", "of the questions whose query was executed: `questions`; `same`: the stated answers "
           "are those of the query; `extra`, `missing`: the query gives an answer more, does not give a "
           "stated one; `not_executed`: questions whose query could not be executed; null: none was",
           _executed, after="questions"),
    Figure("structures", "structure → questions; without those that have no query",
           lambda parts: by_size(Counter(q.structure for q in parts.questions if q.structure))),
    Figure("types", "type in the source → questions; without those that have none",
           lambda parts: by_size(Counter(q.block.type for q in parts.questions if q.block.type))),
)  # fmt: skip
"""The figures of the kinds ``imported`` and ``imported_cypher`` alone."""
