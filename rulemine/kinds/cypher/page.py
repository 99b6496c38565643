"""The figures and the card that only a release of the kind ``cypher`` has; the text is ``page.md``.

Guarantees: as `rulemine.release.card.figures`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rulemine.config import packaged
from rulemine.cypher.questions.templates import CATEGORIES
from rulemine.errors import counted
from rulemine.files import read_text
from rulemine.kinds.cypher.block import RowChange
from rulemine.kinds.query_figures import ALL, figures_of_queries
from rulemine.kinds.query_page import values_of_queries
from rulemine.release.card.bins import by, by_size, range_label, up_to, upper_names
from rulemine.release.card.figure import Figure
from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import Question
from rulemine.text.escaping import plain

__all__ = ["CYPHER_PAGE", "FIGURES"]

LENGTHS = (1, 2, 5, 10, 50, 100)
"""Upper bounds of the bins of numbers of rows."""

_KEYS: dict[str, Callable[[Question], str]] = {
    "category": lambda q: q.structure,
    "return": lambda q: q.block.family,
}


def _templates(parts: ReleaseParts) -> dict[str, dict[str, int]]:
    asked = parts.questions
    return {
        category: _sorted(q.block.family for q in asked if q.structure == category)
        for category in sorted({q.structure for q in asked})
    }


def _changed(parts: ReleaseParts) -> dict[str, Any]:
    def changed(level: int) -> list[Question]:
        rows = ((q, _at(q, level)) for q in parts.questions)
        return [q for q, row in rows if row.lost or row.spurious]

    return {
        str(level): {of: _sorted(map(key, changed(level))) for of, key in _KEYS.items()}
        for level in parts.levels
    }


def _at(question: Question, level: int) -> RowChange:
    rows: Iterable[RowChange] = question.block.levels
    return next(row for row in rows if row.level == level)


def _by_level(parts: ReleaseParts, size: Callable[[RowChange], int]) -> dict[str, int]:
    return {str(level): sum(size(_at(q, level)) for q in parts.questions) for level in parts.levels}


def _sorted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


_LOST = "level → rows lost, and rows that only the graph of the level gives"

FIGURES: tuple[Figure, ...] = (
    *figures_of_queries(),
    Figure("templates", "category of MATCH → name of RETURN → questions", _templates),
    Figure("returns", "name of RETURN → questions", lambda p: _sorted(q.block.family for q in p.questions)),
    Figure("lengths", "number of rows, up to 1, 2, 5, 10, 50, 100, or `more` → questions",
           lambda p: by(upper_names(LENGTHS), (up_to(len(q.block.rows), LENGTHS) for q in p.questions))),
    Figure("rows", "rows on the complete graph", lambda p: sum(len(q.block.rows) for q in p.questions)),
    Figure("changed", "level → questions whose rows change, by `category` and by `return`", _changed),
    Figure("rows_lost", _LOST, lambda p: _by_level(p, lambda row: len(row.lost))),
    Figure("rows_spurious", _LOST, lambda p: _by_level(p, lambda row: len(row.spurious))),
)  # fmt: skip


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
