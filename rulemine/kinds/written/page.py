"""What the cards of releases say whose questions a writer asked; the text is ``page.md``."""

from collections.abc import Mapping
from typing import Any

from rulemine.config import packaged
from rulemine.kinds.structures.figures import ALL
from rulemine.kinds.structures.page import STRUCTURE_PAGE, values_of_queries
from rulemine.release.card.kind_page import Manifest
from rulemine.release.card.template import read_texts
from rulemine.release.records import SPLITS

__all__ = ["texts_of", "values_of_written"]

ENOUGH = "enough "
"""How the reasons begin of what was accepted and is not needed."""


def texts_of(kind: str) -> dict[str, str]:
    """The texts of a kind that a writer asks, with those of all such kinds and of all queries."""
    own = (read_texts(packaged("kinds", name, "page.md")) for name in ("written", kind))
    written, texts = own
    return {**STRUCTURE_PAGE.texts, **written, **texts}


def values_of_written(manifest: Manifest, key: str) -> dict[str, Any]:
    """What the texts name of the statistics by split, and of what sampling told.

    Candidates that passed every check when there were enough questions are accepted ones; near duplicates are
    not.

    Args:
        manifest: The manifest.
        key: What the statistics are called in its counts, and what sampling told in ``sampling``.
    """
    rows, told = manifest["counts"][key], manifest["counts"]["sampling"].get(key, {})
    rejected: Mapping[str, int] = told.get("rejected", {})
    spare = sum(n for reason, n in rejected.items() if reason.startswith(ENOUGH))
    ordered = sorted(rejected.items(), key=lambda item: (-item[1], item[0]))
    return {
        **values_of_queries(manifest),
        "shown": {
            part: rows[part] for part in (*SPLITS, ALL) if rows[part]["questions"] or part == ALL
        },
        "told": told,
        "accepted": told.get("questions", 0) + spare,
        "spare": spare,
        "candidates": {
            f"{'of them not needed' if why.startswith(ENOUGH) else 'rejected'}: {why}": n
            for why, n in ordered
        },
    }
