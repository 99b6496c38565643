"""What the cards of releases say whose questions are queries of any form; the text is ``query_page.md``."""

from collections.abc import Sequence
from typing import Any

from rulemine.config import packaged
from rulemine.errors import counted
from rulemine.files import read_text
from rulemine.kinds.query_figures import ALL, figures_of_queries
from rulemine.query.structures import STRUCTURES
from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.records import Question
from rulemine.text.escaping import plain

__all__ = ["examples_of_structures", "plain_page", "values_of_queries"]


def values_of_queries(manifest: Manifest) -> dict[str, Any]:
    """What the texts name of the statistics by structure, of queries of every kind."""
    counts = manifest["counts"]
    whole = counts["statistics"][ALL]
    asked = {k: row for k, row in counts["statistics"].items() if k != ALL and row["questions"]}
    easy = whole["by_missing"]["0"]
    return {
        ALL: whole,
        "asked": {**asked, ALL: whole},
        "structures": len(asked),
        "harder": counts["questions"] - easy,
        "harder_stated": counts["some_answer_stated"] - easy,
    }


def examples_of_structures(questions: Sequence[Question]) -> list[str]:
    """A question of each structure: of the core if there is one, else with a hard answer."""
    lines = []
    for structure in dict.fromkeys([*STRUCTURES, *sorted({q.structure for q in questions})]):
        some = sorted((q for q in questions if q.structure == structure), key=lambda q: q.id)
        some = [q for q in some if q.core] or [q for q in some if q.hard] or some
        if not some:
            continue
        q = some[len(some) // 2]
        named = plain(str(q.hard_answer) if q.hard else q.answers[0])
        answer = f"hard answer: {named}" if q.hard else f"answer: {named}"
        several = f"one of {len(q.answers)} answers, " if len(q.answers) > 1 else ""
        missing = f"{counted(q.missing, 'link')} missing" if q.hard else "all stated"
        lines.append(f"- {structure} `{q.id}` {plain(q.question)} — {answer} ({several}{missing})")
    return lines or ["None."]


def plain_page(about: str) -> KindPage:
    """What the cards of a kind say that supplies no page; the text is ``plain_page.md``.

    Args:
        about: What its questions are, as Markdown.
    """
    return KindPage(
        tuple(figures_of_queries()),
        read_text(packaged("kinds", "plain_page.md")),
        lambda manifest: {**values_of_queries(manifest), "about": about},
        examples_of_structures,
    )
