"""The card of a release of the kind ``cypher``: what only such a card says; the text is ``page.md``."""

from collections.abc import Mapping, Sequence
from typing import Any

from rulemine.config import packaged
from rulemine.cypher.questions.templates import CATEGORIES
from rulemine.errors import counted
from rulemine.files import read_text
from rulemine.kinds.cypher.figures import FIGURES, LENGTHS
from rulemine.kinds.query_figures import ALL
from rulemine.kinds.query_page import values_of_queries
from rulemine.release.card.bins import by_size, range_label
from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.records import Question
from rulemine.text.markdown import plain

__all__ = ["CYPHER_PAGE"]


def _values(manifest: Manifest) -> Mapping[str, Any]:
    """Questions by template and by length of the result, what changes, and how they came about."""
    counts = manifest["counts"]
    changed, sampling = counts["changed"], counts["sampling"]
    whole = {level: sum(of["category"].values()) for level, of in changed.items()}
    asked = {
        name: counts["statistics"][name]["questions"]
        for name in CATEGORIES
        if name in counts["templates"]
    }

    def changes(of: str, sizes: Mapping[str, int]) -> dict[str, Any]:
        return {
            name: {
                "asked_for": n,
                "by_level": {k: row[of].get(name, 0) for k, row in changed.items()},
            }
            for name, n in sizes.items()
        }

    return {
        **values_of_queries(manifest),
        "changed_last": list(whole.values())[-1],
        "categories": {
            name: {
                "questions": n,
                "returned": {one: counts["templates"][name].get(one, 0) for one in counts["returns"]},
            }
            for name, n in asked.items()
        },
        "sizes_of_results": {range_label(size, LENGTHS): n for size, n in counts["lengths"].items()},
        "changes": {
            **changes("category", asked),
            **changes("return", counts["returns"]),
            ALL: {"asked_for": counts["questions"], "by_level": whole},
        },
        "off": ", ".join(
            f"`{name}` ({why})" for row in sampling.values() for name, why in row["off"].items()
        ),
        "reasons_by_category": {name: by_size(row["rejected"]) for name, row in sampling.items()},
    }  # fmt: skip


def _examples(questions: Sequence[Question]) -> list[str]:
    """A question of each category, one whose rows change if there is one, with its Cypher."""
    lines = []
    asked = list(questions)
    for category in CATEGORIES:
        some = sorted((q for q in asked if q.structure == category), key=lambda q: q.id)
        some = [q for q in some if q.block.changed] or some
        if not some:
            continue
        q = some[len(some) // 2]
        last = q.block.levels[-1]
        said = f"{counted(len(q.block.rows), 'row')}, {len(last.lost):,} lost, {len(last.spurious):,} wrong"
        lines += [
            f"- {category} `{q.id}` {plain(q.question)} ({said})",
            "",
            f"      {q.block.cypher}",
            "",
        ]
    return lines[:-1] or ["None."]


CYPHER_PAGE = KindPage(
    FIGURES, read_text(packaged("kinds", "cypher", "page.md")), _values, _examples
)
"""What the cards of the kind ``cypher`` say."""
